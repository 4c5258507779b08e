// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How large the caches are, the last before the memory.
#pragma once

#include <cstdint>
#include <string>

namespace zerofab {

/// A cache of the last level, and how many CPUs share it.
struct CacheSize {
    std::int64_t bytes, cpus;
};

/// That of the first CPU, from /sys/devices/system/cpu/cpu0/cache below the folder `root`; 32 MiB for 8 CPUs where that
/// cannot be read.
[[nodiscard]] CacheSize last_cache(const std::string& root = {}) noexcept;

}  // namespace zerofab
