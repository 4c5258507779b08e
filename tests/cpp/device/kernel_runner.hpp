// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the kernels share: random launches of their host build, and tables.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/tables.h"
#include "kernels_host.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab::test {

template <class T>
inline constexpr KernelType kernel_type = std::is_same_v<T, double>  ? KernelType::f64
                                          : std::is_same_v<T, float> ? KernelType::f32
                                          : std::is_same_v<T, int>   ? KernelType::i32
                                                                     : KernelType::i64;

inline k_u64 address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// Who runs the kernels of a test: items as a device has them, or what the library has compiled for the host.
inline std::vector<std::optional<HostIsa>> runners() {
    std::vector<std::optional<HostIsa>> all{std::nullopt};
    for (const HostIsa isa : {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512}) {
        if (host_kernels(KernelType::f64, isa) != nullptr) all.emplace_back(isa);
    }
    return all;
}

/// Launches by chance: few or many groups, mostly of one item, for more are as many threads.
class Launcher {
public:
    explicit Launcher(unsigned seed, std::optional<HostIsa> isa = std::nullopt) : engine_(seed), isa_(isa) {}

    std::int64_t in(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }
    /// Choose the groups of the next launches, for so many rows of groups or (0) for a grid (groups, 1); the number in
    /// x is returned.
    std::int64_t choose(std::int64_t rows) {
        groups_x_ = in(0, 3) == 0 || (isa_ && rows != 0) ? 1 : in(1, 9);
        groups_y_ = rows == 0 ? 1 : in(0, 1) == 0 ? rows : in(1, rows + 2);
        static constexpr kernels_host::Shape shapes[] = {{}, {}, {}, {}, {}, {}, {2, 1}, {1, 3}, {3, 2}, {7, 1}};
        group_ = shapes[in(0, 9)];
        return groups_x_;
    }
    void set(std::int64_t groups_x, std::int64_t groups_y, kernels_host::Shape group) {
        groups_x_ = groups_x;
        groups_y_ = groups_y;
        group_ = group;
    }
    void operator()(std::string_view name, KernelType type, const std::vector<KernelArg>& args) const {
        const KernelCall call{name, type, groups_x_, groups_y_, args.data(), args.size()};
        if (!isa_) return kernels_host::launch(call, group_);
        for (const HostKernel& kernel : *host_kernels(type, *isa_)) {
            if (kernel.name == name) return run(kernel, call);
        }
        throw std::invalid_argument("no such kernel for the host: " + std::string(name));
    }

private:
    static void run(const HostKernel& kernel, const KernelCall& call) {
        if (!takes(kernel, call)) throw std::invalid_argument("wrong arguments");
        std::vector<void*> values;
        for (std::size_t n = 0; n < call.count; ++n) values.push_back(const_cast<void*>(call.args[n].address()));
        KernelPosition position{.groups_x = call.groups_x, .groups_y = call.groups_y};
        for (position.group_y = call.groups_y - 1; position.group_y >= 0; --position.group_y) {
            for (position.group_x = call.groups_x - 1; position.group_x >= 0; --position.group_x)
                kernel.run(position, values.data());
        }
    }

    std::mt19937 engine_;
    std::optional<HostIsa> isa_;
    std::int64_t groups_x_ = 1, groups_y_ = 1;
    kernels_host::Shape group_;
};

/// The run of a test on the host, if there is none.
class HostRun {
public:
    HostRun() : mine_(!Runtime::initialized()) {
        if (mine_) Runtime::initialize("cpu");
    }
    ~HostRun() {
        if (mine_) Runtime::finalize();
    }
    HostRun(const HostRun&) = delete;
    HostRun& operator=(const HostRun&) = delete;

private:
    bool mine_;
};

/// Equal numbers, or both NaN.
template <class T>
bool same(const T& a, const T& b) {
    return a == b || (a != a && b != b);
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) return false;
    }
    return true;
}

}  // namespace zerofab::test
