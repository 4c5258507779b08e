// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The boxes of levels as kernels find them: zf_level (kernels/tables.h).
#pragma once

#include <vector>

#include "particles/device_rows.hpp"
#include "zerofab/mesh/fab_layout.hpp"

namespace zerofab::detail {

/// The tables of levels, and the memory that they point to.
class DeviceLevels {
public:
    explicit DeviceLevels(const DeviceQueue& queue) : queue_(queue) {}

    /// The next finer level; `slots` is the destination of each of its boxes.
    template <int D>
    void add(const Geometry<D>& geom, const BoxArray<D>& boxes, const std::vector<int>& slots);
    /// All of them, in memory of the device.
    [[nodiscard]] const void* table();

private:
    const DeviceQueue& queue_;
    std::vector<zf_level> levels_;
    std::vector<AllocationPtr> memory_;
    AllocationPtr table_;
};

}  // namespace zerofab::detail
