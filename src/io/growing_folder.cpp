// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "io/growing_folder.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "io/file.hpp"

namespace zerofab::detail {

namespace fs = std::filesystem;

void make_folders(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw_io("create the folder", path.string(), error.value());
}

namespace {

// Give what is called `from` the name of the older `path`, NAME.old.NNNNNNN, that nothing has.
void name_old(const std::string& from, const std::string& path) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    long number = static_cast<long>(std::chrono::duration_cast<std::chrono::microseconds>(now).count() % 10'000'000);
    for (int tries = 0; tries < 10'000; ++tries, number = (number + 1) % 10'000'000) {
        char digits[16];
        std::snprintf(digits, sizeof digits, ".old.%07ld", number);
        const std::string old = path + digits;
        std::error_code ignored;
        if (fs::exists(fs::symlink_status(old, ignored))) continue;
        if (std::rename(from.c_str(), old.c_str()) == 0) return;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR && errno != EISDIR) {
            throw_io("move away", path, errno);
        }
    }
    throw_io("move away", path, EEXIST);
}

// Exchange two names in one step, so that each is always there. False where the system cannot.
bool exchange(const std::string& a, const std::string& b) {
    constexpr unsigned exchange_names = 2;  // RENAME_EXCHANGE, which older headers lack
    return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), exchange_names) == 0;
}

// The new folder takes the name `path`; what has it becomes the older one.
void take_place(const std::string& temporary, const std::string& path) {
    if (std::rename(temporary.c_str(), path.c_str()) == 0) return;  // nothing or an empty folder was there
    const int error = errno;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(temporary, ignored)) || !fs::exists(fs::symlink_status(path, ignored))) {
        throw_io("create", path, error);
    }
    std::string old = temporary;
    if (!exchange(temporary, path)) {
        old = temporary_name(path);
        if (std::rename(path.c_str(), old.c_str()) != 0) throw_io("move away", path, errno);
        if (std::rename(temporary.c_str(), path.c_str()) != 0) {
            const int why = errno;
            static_cast<void>(std::rename(old.c_str(), path.c_str()));
            throw_io("create", path, why);
        }
    }
    try {
        name_old(old, path);
    } catch (...) {  // as it was; if even that cannot be, both are whole
        if (old == temporary) {
            exchange(temporary, path);
        } else if (std::rename(path.c_str(), temporary.c_str()) == 0) {
            static_cast<void>(std::rename(old.c_str(), path.c_str()));
        }
        throw;
    }
}

// Put the entries of a folder, and of all below it, on disk.
void sync_all(const fs::path& folder) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (entry->symlink_status(error).type() == fs::file_type::directory) sync_folder(entry->path().string());
    }
    if (error) throw_io("read the folder", folder.string(), error.value());
    sync_folder(folder.string());
}

}  // namespace

GrowingFolder::GrowingFolder(std::string path) : path_(std::move(path)) {
    std::string name = temporary_name(path_);  // of the same length on all ranks
    communicator().broadcast(name.data(), name.size(), Communicator::io_rank());
    temporary_ = std::move(name);
}

GrowingFolder::~GrowingFolder() {
    std::error_code ignored;
    if (made_) fs::remove_all(temporary_, ignored);
}

void GrowingFolder::make() {
    const fs::path parent = fs::path(path_).parent_path();
    if (!parent.empty()) make_folders(parent);
    std::error_code error;
    if (!fs::create_directory(temporary_, error) && !error) error = std::make_error_code(std::errc::file_exists);
    if (error) throw_io("create the folder", temporary_, error.value());
    made_ = true;
}

void GrowingFolder::finish() {
    sync_all(temporary_);
    take_place(temporary_, path_);
    made_ = false;
    try {
        sync_folder(folder_of(path_));
    } catch (const IoError&) {  // it has its name, and is whole
    }
}

}  // namespace zerofab::detail
