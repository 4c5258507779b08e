// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of kernels/ compiled for the host, to be called as a driver calls them: by name, with addresses of
// values.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fake {

struct HostKernel {
    std::string_view name;
    std::span<const std::size_t> sizes;  ///< of its arguments, in bytes
    /// Run all groups, of one item each: kernels are right for any size of a group.
    void (*run)(void* const* arguments, unsigned groups_x, unsigned groups_y);
};

// One list for each element type, from host_kernels.cpp compiled with -DK_F64 and so on.
std::span<const HostKernel> host_kernels_F64();
std::span<const HostKernel> host_kernels_F32();
std::span<const HostKernel> host_kernels_I32();
std::span<const HostKernel> host_kernels_I64();

}  // namespace fake
