// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels' text compiled for the host: what HostBackend::launch runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "zerofab/base/export.hpp"
#include "zerofab/device/host_loops.hpp"
#include "zerofab/device/kernel.hpp"

namespace zerofab {

/// Which item of which group runs, as kernels/layer.h has it.
struct KernelPosition {
    std::int64_t lane = 0, lanes = 1, line = 0, lines = 1, group_x = 0, groups_x = 1, group_y = 0, groups_y = 1;
    void (*barrier)() = nullptr;
    std::int32_t writes_through =
        0;  ///< whether what is written and not read goes past the caches: see finish_writes()
};

/// A kernel of one element type, compiled for the host.
struct HostKernel {
    std::string_view name;
    std::string_view arguments;  ///< as kernels/catalog.h writes them
    /// Run one item; values[n] points to argument n.
    void (*run)(const KernelPosition& position, void* const* values);
};

/// All kernels that exist for an element type: no code of their instruction set is met in reading it.
struct HostKernels {
    const HostKernel* first = nullptr;
    std::size_t count = 0;

    [[nodiscard]] const HostKernel* begin() const noexcept { return first; }
    [[nodiscard]] const HostKernel* end() const noexcept { return first + count; }
};

/// The most arguments that a kernel has.
inline constexpr std::size_t kernel_arguments = 32;

/// Whether a call has the arguments that the kernel takes; `element` is the letter of its type in "dfil".
[[nodiscard]] inline bool takes(const HostKernel& kernel, const KernelCall& call) noexcept {
    const char element = "dfil"[static_cast<std::size_t>(call.type)];
    if (call.count != kernel.arguments.size() || call.count > kernel_arguments) return false;
    for (std::size_t n = 0; n < call.count; ++n) {
        const char wanted = kernel.arguments[n] == 'e' ? element : kernel.arguments[n];
        if (wanted != "pilfd"[static_cast<std::size_t>(call.args[n].kind)]) return false;
    }
    return true;
}

/// The kernels for one instruction set, or null if this CPU or this build lacks it; exported for the tests.
[[nodiscard]] ZEROFAB_API const HostKernels* host_kernels(KernelType type, HostIsa isa) noexcept;

/// Run a kernel on all threads, if there is enough to do; DeviceError if there is no such kernel.
void launch_on_host(const KernelCall& call);

}  // namespace zerofab
