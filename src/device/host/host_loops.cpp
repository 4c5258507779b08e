// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The choice among the tables of host loops.
#include "zerofab/device/host_loops.hpp"

#include <cstdlib>
#include <string_view>

#include "device/host/loops_tables.hpp"

namespace zerofab {
namespace {

bool cpu_has(HostIsa isa) noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    switch (isa) {
        case HostIsa::baseline:
            return true;
        case HostIsa::avx2:
            return avx2;
        case HostIsa::avx512:
            return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    }
#endif
    return isa == HostIsa::baseline;
}

HostIsa choose() noexcept {
    const char* text = std::getenv("ZEROFAB_ISA");
    const std::string_view asked = text == nullptr ? "" : text;
    if (asked == "baseline") return HostIsa::baseline;
    if (asked != "avx2" && cpu_has(HostIsa::avx512)) return HostIsa::avx512;
    return cpu_has(HostIsa::avx2) ? HostIsa::avx2 : HostIsa::baseline;
}

const LoopTables& tables(HostIsa isa) noexcept {
    switch (isa) {
        case HostIsa::avx512:
            return loops_avx512;
        case HostIsa::avx2:
            return loops_avx2;
        default:
            return loops_baseline;
    }
}

template <class T>
const HostLoops<T>& table(HostIsa isa) noexcept {
    const LoopTables& all = tables(isa);
    if constexpr (std::is_same_v<T, float>)
        return all.for_float;
    else if constexpr (std::is_same_v<T, double>)
        return all.for_double;
    else if constexpr (std::is_same_v<T, int>)
        return all.for_int;
    else
        return all.for_int64;
}

}  // namespace

HostIsa host_isa() noexcept {
    static const HostIsa chosen = choose();
    return chosen;
}

template <class T>
const HostLoops<T>& host_loops() noexcept {
    static const HostLoops<T>& chosen = table<T>(host_isa());
    return chosen;
}

template <class T>
const HostLoops<T>* host_loops(HostIsa isa) noexcept {
    return cpu_has(isa) ? &table<T>(isa) : nullptr;
}

template const HostLoops<float>& host_loops<float>() noexcept;
template const HostLoops<double>& host_loops<double>() noexcept;
template const HostLoops<int>& host_loops<int>() noexcept;
template const HostLoops<std::int64_t>& host_loops<std::int64_t>() noexcept;
template const HostLoops<float>* host_loops<float>(HostIsa) noexcept;
template const HostLoops<double>* host_loops<double>(HostIsa) noexcept;
template const HostLoops<int>* host_loops<int>(HostIsa) noexcept;
template const HostLoops<std::int64_t>* host_loops<std::int64_t>(HostIsa) noexcept;

}  // namespace zerofab
