// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How many CPUs this process may use: fewer than the machine has, in a container or below a batch system.
#pragma once

#include <string>

namespace zerofab {

/// What control groups let this process use: the quota of CPU time by its period, rounded up, the least of its own
/// group and all groups above it, of both versions of control groups; 0 if none of them limits it.
///
/// Reads cpu.max, or cpu.cfs_quota_us and cpu.cfs_period_us, as least_of_groups() does.
[[nodiscard]] int cgroup_cpus(const std::string& root = {}) noexcept;

/// How many CPUs this process may use at a time, at least 1: those it may run on, if control groups allow no fewer.
[[nodiscard]] int available_cpus() noexcept;

}  // namespace zerofab
