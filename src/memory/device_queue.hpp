// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The calling thread's work on a device, which may be the host: kernels, and what they read and write beside fields.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "zerofab/device/backend.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::detail {

template <class T>
inline constexpr KernelType kernel_type = std::is_same_v<T, double>  ? KernelType::f64
                                          : std::is_same_v<T, float> ? KernelType::f32
                                          : sizeof(T) == 4           ? KernelType::i32
                                                                     : KernelType::i64;

/// How much there is to do in one launch.
struct LaunchSize {
    std::int64_t count = 0;    ///< boxes, or copies
    std::int64_t longest = 0;  ///< points of the largest one
    std::int64_t points = 0;   ///< of all of them
    std::int64_t bytes = 0;    ///< read and written for them, where that is known
};

/// The calling thread's stream of a device.
class DeviceQueue {
public:
    explicit DeviceQueue(Device device);

    [[nodiscard]] bool is_host() const noexcept { return device_.backend == BackendKind::host; }
    [[nodiscard]] MemorySpace space() const noexcept {
        return {device_, is_host() ? MemoryKind::host : MemoryKind::device};
    }
    [[nodiscard]] Stream stream() const noexcept { return stream_; }
    /// Numbers that belong into the key of what is kept for this queue.
    [[nodiscard]] std::int64_t device_key() const noexcept {
        return static_cast<std::int64_t>(device_.backend) << 32 | device_.id;
    }
    [[nodiscard]] std::int64_t stream_key() const noexcept { return stream_key_; }

    /// Groups that share the work of one row.
    [[nodiscard]] std::int64_t groups_x(LaunchSize rows) const noexcept;
    /// Start a kernel of so many rows; nothing if there are none. DeviceError if the device has no such numbers.
    void launch(std::string_view kernel, KernelType type, LaunchSize rows, std::span<const KernelArg> args) const;

    /// Memory of the device, given back in the order of this queue's work.
    [[nodiscard]] AllocationPtr scratch(std::size_t bytes) const;
    /// A table in memory of the device, there in the order of this queue's work; null for an empty one.  Nothing waits.
    template <class Row>
    [[nodiscard]] AllocationPtr upload(const std::vector<Row>& rows) const {
        static_assert(std::is_trivially_copyable_v<Row>);
        return rows.empty() ? AllocationPtr() : upload(rows.data(), rows.size() * sizeof(Row));
    }

    /// Hold memory that launches to come work on, as long as this object lives.
    void keep(AllocationPtr memory) const {
        if (kept_.empty()) kept_.reserve(4);
        kept_.push_back(std::move(memory));
    }

private:
    [[nodiscard]] AllocationPtr upload(const void* data, std::size_t bytes) const;

    Device device_;
    Stream stream_;
    std::int64_t stream_key_;
    const DeviceInfo* info_;
    std::int64_t most_groups_, points_per_group_, most_groups_y_;
    mutable std::vector<AllocationPtr> kept_;
};

}  // namespace zerofab::detail
