// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A folder that belongs to the user alone: for files that are trusted when they are read again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zerofab {

/// A folder of the user's own, held open.  Nothing here throws but for want of memory: what cannot be done is not done.
///
/// Names are plain file names.  The folder is looked up once: whoever renames it or puts a link in its place later
/// changes nothing.
class PrivateFolder {
public:
    /// Open it; made, with those above it, for the user alone (0700) where it is missing.  Not open if it belongs to
    /// another user, can be written by others, or is a symbolic link.
    explicit PrivateFolder(const std::string& path);
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    [[nodiscard]] bool is_open() const noexcept { return folder_ >= 0; }

    /// All of a file, which from now on counts as used now; none if there is no plain file of the user's own with this
    /// name, others can write to it, or it is larger than `most` bytes.
    [[nodiscard]] std::optional<std::string> read(const std::string& name, std::uint64_t most) const;
    /// Put the file there, in place of one that is there: readers see the old one, or all of the new one.
    void write(const std::string& name, std::string_view content) const;
    void remove(const std::string& name) const noexcept;
    /// Remove what was used longest ago until the files whose names end so hold at most `bytes` together, and what
    /// interrupted writers left an hour ago.
    void keep_at_most(std::uint64_t bytes, std::string_view ending) const;

private:
    int folder_ = -1;
};

}  // namespace zerofab
