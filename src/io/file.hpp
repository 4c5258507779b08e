// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Files whose every failure is an IoError with the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zerofab::detail {

/// Throw IoError "cannot `what` 'path': reason", the reason from errno.
[[noreturn]] void throw_io(std::string_view what, const std::string& path, int error);
/// Throw IoError "'path': what".
[[noreturn]] void throw_bad_file(const std::string& path, std::string_view what);

/// A regular file, open for reading.
class InputFile {
public:
    explicit InputFile(std::string path);
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    const std::string& path() const noexcept { return path_; }
    /// Bytes, when it was opened.
    std::uint64_t size() const noexcept { return size_; }
    /// All of `bytes` bytes from `offset` on, or IoError.
    void read(std::uint64_t offset, void* to, std::size_t bytes) const;
    /// At most `bytes` bytes from `offset` on.
    std::string text(std::uint64_t offset, std::size_t bytes) const;
    std::string text() const { return text(0, size_); }
    /// Everything to the end, also if the file says no size or has grown; IoError if that is more than `most` bytes.
    std::string all(std::size_t most) const;

private:
    std::string path_;
    int fd_;
    std::uint64_t size_ = 0;
};

/// A file under another name until commit(); if it is never committed, nothing is left of it.
class OutputFile {
public:
    explicit OutputFile(std::string path);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }
    /// Bytes written so far.
    std::uint64_t size() const noexcept { return size_; }
    /// Close the file; disk-full errors of a network file system come here.
    void close();
    /// Close it and give it its name, in place of an older file.
    void commit();

private:
    std::string path_, temporary_;
    int fd_ = -1;
    bool exists_ = false;
    std::uint64_t size_ = 0;
};

}  // namespace zerofab::detail
