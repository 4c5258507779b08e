// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/device_queue.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "device/host/cpu_count.hpp"
#include "memory/staging.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab::detail {

DeviceQueue::DeviceQueue(Device device)
    : device_(device),
      stream_(is_host() ? Stream{} : Runtime::stream(device)),
      stream_key_(is_host() ? 0 : StreamId(device, stream_).key()),
      info_(&backend(device.backend).info(device.id)) {
    if (is_host()) {
        most_groups_ = 1;  // rows are shared out as they are
        most_groups_y_ = std::numeric_limits<std::int64_t>::max();
        points_per_group_ = std::numeric_limits<std::int32_t>::max();
    } else if (std::string_view(info_->architecture).ends_with(":cpu")) {
        // A group is a task for one core, which costs as much as thousands of points.
        static const std::int64_t cores = available_cpus();
        most_groups_ = most_groups_y_ = 4 * cores;
        points_per_group_ = 8192;
    } else {
        most_groups_ = 4096;  // a few times what the largest GPUs run at once
        most_groups_y_ = std::numeric_limits<std::int64_t>::max();
        points_per_group_ = kernel_group;
    }
}

AllocationPtr DeviceQueue::scratch(std::size_t bytes) const {
    if (!is_host()) return arena_at(space()).allocate(bytes);
    // Not from The_Cpu_Arena: its blocks are the user's, who counts them or has them from a pool.
    static auto& own = *new Arena("tables", {}, MemoryKind::host);
    return own.allocate(bytes);
}

AllocationPtr DeviceQueue::upload(const void* data, std::size_t bytes) const {
    AllocationPtr table = scratch(bytes);
    if (is_host()) {
        std::memcpy(table->data(), data, bytes);
        return table;
    }
    table->used_on(stream_);
    if (!copy_staged(device_, table->data(), data, bytes, stream_)) copy_bytes(table->data(), space(), data, {}, bytes);
    return table;
}

std::int64_t DeviceQueue::groups_x(LaunchSize rows) const noexcept {
    const std::int64_t useful = (rows.longest + points_per_group_ - 1) / points_per_group_;
    return std::clamp<std::int64_t>(most_groups_ / std::max<std::int64_t>(rows.count, 1), 1,
                                    std::max<std::int64_t>(useful, 1));
}

void DeviceQueue::launch(std::string_view kernel, KernelType type, LaunchSize rows,
                         std::span<const KernelArg> args) const {
    if (rows.count == 0) return;
    if (type == KernelType::f64 && !info_->has_f64) {
        throw DeviceError(info_->name +
                          " does not calculate with double precision (fp64): use float (fMultiFab), or keep the field "
                          "in memory of the host (MFInfo.set_arena(The_Cpu_Arena()))");
    }
    const KernelCall call{kernel,      type,        groups_x(rows), std::min(rows.count, most_groups_y_),
                          args.data(), args.size(), rows.points,    rows.bytes};
    backend(device_.backend).launch(device_.id, call, stream_);
}

}  // namespace zerofab::detail
