// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "device/host/control_groups.hpp"

namespace zerofab {
namespace {

/// The limit of one group; 0 if it has none.
std::int64_t limit_of(const std::string& folder, bool second) {
    std::vector<std::string> both;
    if (second) {
        both = words_of_file(folder + "/cpu.max");  // "max 100000", or "150000 100000"
    } else {
        both = words_of_file(folder + "/cpu.cfs_quota_us");  // -1 for none
        const std::vector<std::string> period = words_of_file(folder + "/cpu.cfs_period_us");
        both.insert(both.end(), period.begin(), period.end());
    }
    if (both.size() != 2) return 0;
    const std::int64_t quota = positive_number(both[0]), period = positive_number(both[1]);
    return quota == 0 || period == 0 ? 0 : (quota - 1) / period + 1;
}

/// The CPUs that the scheduler may put this thread on; 0 if it does not say.
int allowed_cpus() {
    for (int most = CPU_SETSIZE; most <= (1 << 20); most *= 2) {  // the call refuses a set smaller than the kernel's
        const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(static_cast<std::size_t>(most)),
                                                                   [](cpu_set_t* it) { CPU_FREE(it); });
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
        if (set == nullptr) return 0;
        CPU_ZERO_S(bytes, set.get());
        if (sched_getaffinity(0, bytes, set.get()) == 0) return CPU_COUNT_S(bytes, set.get());
    }
    return 0;
}

}  // namespace

int cgroup_cpus(const std::string& root) noexcept {
    return static_cast<int>(std::min<std::int64_t>(least_of_groups(root, "cpu", &limit_of), 1 << 20));
}

int available_cpus() noexcept {
    int cpus = allowed_cpus();
    if (cpus == 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
    if (const int limit = cgroup_cpus(); limit > 0) cpus = std::min(cpus, limit);
    return std::max(cpus, 1);
}

}  // namespace zerofab
