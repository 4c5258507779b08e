// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels' text compiled for the host, found by name and type, and run as a device would.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "device/host/kernels.hpp"

namespace zerofab::kernels_host {

using Kernel = HostKernel;
using Position = KernelPosition;

/// All kernels that exist for an element type.
[[nodiscard]] std::span<const Kernel> kernels(KernelType type);
/// One of them, or null.
[[nodiscard]] const Kernel* find(KernelType type, std::string_view name);

/// The items of a group.
struct Shape {
    int lanes = 1, lines = 1;
};

/// Run all groups.  One item needs no threads; more are that many threads, group after group.
void launch(const Kernel& kernel, std::int64_t groups_x, std::int64_t groups_y, void* const* places, Shape group = {});
/// The same by name; std::invalid_argument if there is no such kernel or it has other arguments.
void launch(const KernelCall& call, Shape group = {});

}  // namespace zerofab::kernels_host
