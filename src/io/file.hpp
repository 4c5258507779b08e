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
    /// The whole file, which must be text: IoError at a zero byte, so that a file of nothing but size costs no memory.
    std::string text() const;
    /// Everything to the end, also if the file says no size or has grown; IoError if that is more than `most` bytes.
    std::string all(std::size_t most) const;

private:
    std::string path_;
    int fd_;
    std::uint64_t size_ = 0;
};

/// `path` with an ending that nobody can guess: the name of what is not whole yet.
std::string temporary_name(const std::string& path);
/// Return when the entries of a folder are on disk.
void sync_folder(const std::string& path);
/// The folder that `path` is in.
std::string folder_of(const std::string& path);

/// A file under another name until commit(); if it is never committed, nothing is left of it.
///
/// The other name is new, cannot be guessed, and no link is followed to it; what a killed process left blocks nobody.
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
    /// Put it on disk and close it; a full disk is found here at the latest.
    void close();
    /// Close it and give it its name, in place of an older file. The caller syncs the folder.
    void commit();

    /// For files that belong together: make_way() and install() each, then keep() each. Without keep() the destructor
    /// brings the older file back.
    void make_way();
    void install();
    void keep() noexcept;

private:
    std::string path_, temporary_;
    std::string old_;  ///< the other name of the older file
    int fd_ = -1;
    bool exists_ = false, installed_ = false;
    std::uint64_t size_ = 0;
};

}  // namespace zerofab::detail
