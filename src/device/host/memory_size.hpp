// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process may use: less than the machine has, in a container or below a batch system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace zerofab {

/// What control groups let this process use, in bytes; 0 if none of them limits it.  Reads memory.max, or
/// memory.limit_in_bytes, as least_of_groups() does.
[[nodiscard]] std::int64_t cgroup_memory(const std::string& root = {}) noexcept;

/// The machine's memory in bytes, if control groups allow no less; 0 if the system does not say.
[[nodiscard]] std::size_t available_memory() noexcept;

}  // namespace zerofab
