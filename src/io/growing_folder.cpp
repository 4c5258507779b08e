// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "io/growing_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>

#include "io/file.hpp"

namespace zerofab::detail {

namespace fs = std::filesystem;

void make_folders(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) throw_io("create the folder", path.string(), error.value());
}

namespace {

// Give `path` another name, NAME.old.NNNNNNN, that nothing has. False if there is no such path.
bool move_away(const std::string& path) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    long number = static_cast<long>(std::chrono::duration_cast<std::chrono::microseconds>(now).count() % 10'000'000);
    for (int tries = 0; tries < 10'000; ++tries, number = (number + 1) % 10'000'000) {
        char digits[16];
        std::snprintf(digits, sizeof digits, ".old.%07ld", number);
        const std::string old = path + digits;
        std::error_code ignored;
        if (fs::exists(fs::symlink_status(old, ignored))) continue;
        if (std::rename(path.c_str(), old.c_str()) == 0) return true;
        if (errno == ENOENT) return false;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR && errno != EISDIR) {
            throw_io("move away", path, errno);
        }
    }
    throw_io("move away", path, EEXIST);
}

}  // namespace

GrowingFolder::GrowingFolder(std::string path) : path_(std::move(path)) {
    int id = static_cast<int>(::getpid());
    communicator().broadcast(&id, sizeof id, Communicator::io_rank());
    temporary_ = path_ + ".part" + std::to_string(id);
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
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {  // succeeds where nothing or an empty folder is
        move_away(path_);
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw_io("create", path_, errno);
    }
    made_ = false;
}

}  // namespace zerofab::detail
