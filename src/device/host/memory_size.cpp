// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/memory_size.hpp"

#include <unistd.h>

#include <algorithm>

#include "device/host/control_groups.hpp"

namespace zerofab {
namespace {

/// The limit of one group; 0 if it has none.
std::int64_t memory_of(const std::string& folder, bool second) {
    const std::vector<std::string> words = words_of_file(folder + (second ? "/memory.max" : "/memory.limit_in_bytes"));
    return words.size() == 1 ? positive_number(words[0]) : 0;  // "max" for none, or a number that no machine has
}

}  // namespace

std::int64_t cgroup_memory(const std::string& root) noexcept { return least_of_groups(root, "memory", &memory_of); }

std::size_t available_memory() noexcept {
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return 0;
    const auto all = static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes);
    const auto limit = static_cast<std::size_t>(cgroup_memory());
    return limit > 0 ? std::min(all, limit) : all;
}

}  // namespace zerofab
