// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels on the host: found by name in the tables of this CPU's instruction set, and shared out over the threads.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "device/host/cache_size.hpp"
#include "device/host/kernels.hpp"
#include "device/host/write_through.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/parallel.hpp"

namespace zerofab {

#define ZEROFAB_TABLES(isa) \
    extern const HostKernels kernels_f64_##isa, kernels_f32_##isa, kernels_i32_##isa, kernels_i64_##isa;
ZEROFAB_TABLES(baseline)
ZEROFAB_TABLES(avx2)
ZEROFAB_TABLES(avx512)
#undef ZEROFAB_TABLES

namespace {

using Tables = std::array<const HostKernels*, kernel_types>;  // by KernelType
using KernelsByName = std::unordered_map<std::string_view, const HostKernel*>;

constexpr Tables tables_of(HostIsa isa) {
    switch (isa) {
        case HostIsa::avx512:
            return {&kernels_f64_avx512, &kernels_f32_avx512, &kernels_i32_avx512, &kernels_i64_avx512};
        case HostIsa::avx2:
            return {&kernels_f64_avx2, &kernels_f32_avx2, &kernels_i32_avx2, &kernels_i64_avx2};
        default:
            return {&kernels_f64_baseline, &kernels_f32_baseline, &kernels_i32_baseline, &kernels_i64_baseline};
    }
}

const HostKernel& kernel_of(const KernelCall& call) {
    static const auto& by_name = *new const std::array<KernelsByName, kernel_types>([] {
        const Tables tables = tables_of(host_isa());
        std::array<KernelsByName, kernel_types> all;
        for (std::size_t type = 0; type < kernel_types; ++type) {
            for (const HostKernel& kernel : *tables[type]) all[type].emplace(kernel.name, &kernel);
        }
        return all;
    }());
    const KernelsByName& kernels = by_name[static_cast<std::size_t>(call.type)];
    const auto at = kernels.find(call.kernel);
    if (at == kernels.end() || !takes(*at->second, call))
        throw DeviceError(concat("the host has no kernel '", call.kernel, "' with these arguments"));
    return *at->second;
}

/// Whether an operation is too large for the last caches, so that what it writes would not stay there.
bool is_beyond_caches(std::int64_t bytes) {
    constexpr std::int64_t least = std::int64_t{1} << 20;  // no last cache is smaller
    if (bytes < least) return false;
    static const CacheSize cache = last_cache();
    return bytes > (num_threads() + cache.cpus - 1) / cache.cpus * cache.bytes;
}

constexpr std::int64_t points_to_share = 16384;  // with fewer, to wake a thread costs more than it saves

}  // namespace

const HostKernels* host_kernels(KernelType type, HostIsa isa) noexcept {
    return host_loops<double>(isa) != nullptr ? tables_of(isa)[static_cast<std::size_t>(type)] : nullptr;
}

void launch_on_host(const KernelCall& call) {
    const HostKernel& kernel = kernel_of(call);
    std::array<void*, kernel_arguments> values;  // NOLINT: those that are read are written first
    for (std::size_t n = 0; n < call.count; ++n) values[n] = const_cast<void*>(call.args[n].address());

    if (call.groups_x > 1) {  // a grid of one row
        parallel_for(call.groups_x, [&](std::int64_t group) {
            KernelPosition position;
            position.group_x = group;
            position.groups_x = call.groups_x;
            kernel.run(position, values.data());
        });
        return;
    }
    const bool through = is_beyond_caches(call.bytes);
    const auto rows = [&](std::int64_t first, std::int64_t last) {
        KernelPosition position;
        position.groups_y = call.groups_y;
        position.writes_through = through;
        for (position.group_y = first; position.group_y < last; ++position.group_y) kernel.run(position, values.data());
        if (through) finish_writes();
    };
    if (call.points < points_to_share) return rows(0, call.groups_y);
    const std::int64_t at_once =
        std::clamp<std::int64_t>(call.groups_y * points_to_share / call.points, 1, call.groups_y);
    parallel_for((call.groups_y + at_once - 1) / at_once,
                 [&](std::int64_t n) { rows(n * at_once, std::min((n + 1) * at_once, call.groups_y)); });
}

}  // namespace zerofab
