// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Files whose every failure is an IoError with the path.
#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "base/read_all.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30;  // Linux moves at most 2 GiB in one call

// NUL would cut the name short for the operating system.
void check_path(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) throw_io("open", path, path.empty() ? ENOENT : EINVAL);
}

// Some file systems cannot: then there is nothing to wait for.
bool cannot_sync(int error) { return error == EINVAL || error == ENOTSUP || error == EROFS || error == ENOSYS; }

}  // namespace

void throw_io(std::string_view what, const std::string& path, int error) {
    std::string message = "cannot ";
    message.append(what).append(" '").append(path).append("': ").append(std::strerror(error));
    throw IoError(message);
}

void throw_bad_file(const std::string& path, std::string_view what) {
    std::string message = "'";
    message.append(path).append("': ").append(what);
    throw IoError(message);
}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
    check_path(path_);
    // non-blocking, so that a named pipe does not hang; it is refused below
    fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0) throw_io("open", path_, errno);
    struct stat status{};
    const int failed = ::fstat(fd_, &status) != 0 ? errno : 0;
    if (failed != 0 || !S_ISREG(status.st_mode)) {
        ::close(fd_);
        if (failed != 0 || S_ISDIR(status.st_mode)) throw_io("read", path_, failed != 0 ? failed : EISDIR);
        throw_bad_file(path_, concat("cannot read it: it is a ",
                                     S_ISFIFO(status.st_mode)   ? "named pipe"
                                     : S_ISSOCK(status.st_mode) ? "socket"
                                                                : "device",
                                     ", not a file"));
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read(std::uint64_t offset, void* to, std::size_t bytes) const {
    char* at = static_cast<char*>(to);
    while (bytes > 0) {
        const ssize_t n = ::pread(fd_, at, std::min(bytes, most_at_once), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_io("read", path_, errno);
        if (n == 0) throw_bad_file(path_, concat("the file ends at byte ", offset, ", more was expected"));
        at += n;
        offset += static_cast<std::uint64_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
}

std::string InputFile::text(std::uint64_t offset, std::size_t bytes) const {
    std::string result(std::min<std::uint64_t>(bytes, offset < size_ ? size_ - offset : 0), '\0');
    read(offset, result.data(), result.size());
    return result;
}

std::string InputFile::text() const {
    std::string result;
    while (result.size() < size_) {
        const std::string part = text(result.size(), std::size_t{1} << 20);
        const std::size_t zero = part.find('\0');
        if (zero != std::string::npos) {
            throw_bad_file(path_, concat("byte ", result.size() + zero, " is zero: this is no file of text"));
        }
        result += part;
    }
    return result;
}

std::string InputFile::all(std::size_t most) const {
    if (size_ > most) throw_bad_file(path_, concat("it is larger than ", most, " bytes"));
    WholeFile file = read_all(fd_, most);
    if (file.error != 0) throw_io("read", path_, file.error);
    if (file.content.size() > most) throw_bad_file(path_, concat("it is larger than ", most, " bytes"));
    return std::move(file.content);
}

std::string temporary_name(const std::string& path) {
    static constexpr std::size_t longest = 255, digits = 16;  // of one name; the ending has to fit too
    std::random_device random;
    const std::uint64_t number = std::uint64_t{random()} << 32 | random();
    char ending[32];
    const int length = std::snprintf(ending, sizeof ending, ".part%0*llx", static_cast<int>(digits),
                                     static_cast<unsigned long long>(number));
    const std::size_t base = path.rfind('/') + 1;  // 0 where there is none
    return path.substr(0, base + std::min(path.size() - base, longest - static_cast<std::size_t>(length))) + ending;
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

void sync_folder(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == EACCES) return;  // it may be written to, but not looked into
        throw_io("open the folder", path, errno);
    }
    const int error = ::fsync(fd) != 0 ? errno : 0;
    ::close(fd);
    if (error != 0 && !cannot_sync(error)) throw_io("write the folder", path, error);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    check_path(path_);
    for (int tries = 0; fd_ < 0 && tries < 100; ++tries) {
        temporary_ = temporary_name(path_);
        fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (fd_ < 0 && errno != EEXIST) break;
    }
    if (fd_ < 0) throw_io("create", path_, errno);
    exists_ = true;
}

OutputFile::~OutputFile() {
    if (fd_ >= 0) ::close(fd_);
    if (exists_) ::unlink(temporary_.c_str());
    if (!old_.empty()) {
        static_cast<void>(std::rename(old_.c_str(), path_.c_str()));
    } else if (installed_) {
        ::unlink(path_.c_str());
    }
}

void OutputFile::write(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    size_ += bytes;
    while (bytes > 0) {
        const ssize_t n = ::write(fd_, at, std::min(bytes, most_at_once));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_io("write", path_, errno);
        at += n;
        bytes -= static_cast<std::size_t>(n);
    }
}

void OutputFile::close() {
    if (fd_ < 0) return;
    if (::fsync(fd_) != 0 && !cannot_sync(errno)) throw_io("write", path_, errno);
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) throw_io("write", path_, errno);
}

void OutputFile::commit() {
    close();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw_io("create", path_, errno);
    exists_ = false;
}

void OutputFile::make_way() {
    struct stat status{};
    if (::lstat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) throw_io("create", path_, EISDIR);
    const std::string old = temporary_name(path_);
    if (std::rename(path_.c_str(), old.c_str()) == 0) {
        old_ = old;
    } else if (errno != ENOENT) {
        throw_io("move away", path_, errno);
    }
}

void OutputFile::install() {
    commit();
    installed_ = true;
}

void OutputFile::keep() noexcept {
    if (!old_.empty()) ::unlink(old_.c_str());
    old_.clear();
    installed_ = false;
}

}  // namespace zerofab::detail
