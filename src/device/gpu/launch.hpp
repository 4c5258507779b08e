// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// GpuBackend: kernels.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "device/gpu/backend.hpp"
#include "device/kernel_text.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::gpu {

/// The function of a kernel, compiled and loaded at the first call for its type.
template <class Api>
Function GpuBackend<Api>::function(Gpu& gpu, const KernelCall& call) {
    const std::lock_guard lock(gpu.loading);
    Loaded& loaded = gpu.programs[static_cast<std::size_t>(call.type)];
    if (const auto known = loaded.functions.find(call.kernel); known != loaded.functions.end()) return known->second;
    if (loaded.module == nullptr) {
        const std::string program =
            compiler_.compile(kernel_source(), kernel_options(call.type, Api::language), gpu.architecture);
        require(driver_.load_module(&loaded.module, program.c_str()), "loading the kernels");
    }
    Function found = nullptr;
    require(driver_.function(&found, loaded.module, std::string(call.kernel).c_str()),
            (concat("finding the kernel '", call.kernel, "'")).c_str());
    loaded.functions.emplace(call.kernel, found);
    return found;
}

template <class Api>
void GpuBackend<Api>::launch(int device, const KernelCall& call, Stream stream) {
    // The limits of a grid; kernels go over what is left by strides.
    constexpr std::int64_t most_groups_x = 2147483647, most_groups_y = 65535;
    constexpr std::size_t most_arguments = 32;
    if (call.groups_x <= 0 || call.groups_y <= 0) return;
    ensure(call.count <= most_arguments, "a kernel has more arguments than a launch takes");
    const Blocking waiting;  // for the compiler at the first call; begun before the lock of `function`, ended after it
    Gpu& target = gpu(device);
    const Here here(driver_, target.own);
    const Function kernel = function(target, call);
    std::array<void*, most_arguments> addresses{};
    for (std::size_t n = 0; n < call.count; ++n) addresses[n] = const_cast<void*>(call.args[n].address());
    require(driver_.launch(kernel, static_cast<unsigned>(std::min(call.groups_x, most_groups_x)),
                           static_cast<unsigned>(std::min(call.groups_y, most_groups_y)), 1, kernel_lanes,
                           kernel_group / kernel_lanes, 1, 0, stream.handle, addresses.data(), nullptr),
            "starting a kernel");
}

}  // namespace zerofab::gpu
