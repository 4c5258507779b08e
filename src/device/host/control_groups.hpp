// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What control groups limit: a container, or a batch system, gives a process less than the machine has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zerofab {

/// The limit of the group with this folder, in control groups of the second version or the first; 0 if it has none.
using GroupLimit = std::int64_t (*)(const std::string& folder, bool second);

/// The least limit of the process's own group and all groups above it, of both versions of control groups; 0 if none of
/// them has one.  `controller` is the one of the first version, such as "cpu".
///
/// Reads /proc/self/cgroup and /proc/self/mountinfo, and what `limit_of` reads below the mount points, all below the
/// folder `root`.  What cannot be read is no limit.
[[nodiscard]] std::int64_t least_of_groups(const std::string& root, std::string_view controller,
                                           GroupLimit limit_of) noexcept;

/// The words of a file's first line.
[[nodiscard]] std::vector<std::string> words_of_file(const std::string& path);
/// 0 if this is no positive number.
[[nodiscard]] std::int64_t positive_number(std::string_view text);

}  // namespace zerofab
