// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Rows of particles on a device: their tables, their order by key, and their columns in that order
// (kernels/particles.h, kernels/sort.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/tables.h"
#include "memory/device_queue.hpp"
#include "zerofab/index/geometry.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab::detail {

/// Where kernels move particles that get memory of this arena; nothing if the host does.
[[nodiscard]] std::optional<Device> device_for(const Arena& arena);

/// Whether a device may take a tile: what is not in memory of the host is in its own.
[[nodiscard]] bool can_take(Device device, const TileView& view);

template <int D>
[[nodiscard]] zf_geometry geometry_row(const Geometry<D>& geom);
template <int D>
[[nodiscard]] zf_box box_row(const Box<D>& box, int number);

/// The particles of tiles, where a device reaches them: what is in memory of the host goes there first.  Rows are
/// counted through all tiles.
class DeviceRows {
public:
    DeviceRows(const DeviceQueue& queue, std::span<TileView> views);

    [[nodiscard]] std::int64_t count() const noexcept { return count_; }
    /// One for each tile; fab is its number, level, slot and moves are the caller's to set.
    std::vector<zf_tile> tiles;

    /// How much work the tiles [first, last) are.
    [[nodiscard]] LaunchSize rows_of(std::size_t first, std::size_t last) const noexcept;

    /// The stable order of all rows by these keys, of which the largest is `most`; the keys without K_KEPT.
    [[nodiscard]] AllocationPtr order_by(const void* keys, std::uint32_t most) const;
    /// How many rows come before those of each key 0 ... most, in this order.
    [[nodiscard]] std::vector<std::uint32_t> starts_of(const void* keys, const AllocationPtr& order,
                                                       std::uint32_t most) const;

    /// New memory and the place in the order of its first row; null data: the rows are left out.
    struct Target {
        TileData* data;
        std::uint32_t first, rows;
    };
    /// Fill the targets, which follow one another, with the rows in this order.
    void gather(const AllocationPtr& order, std::span<const Target> targets) const;
    /// Bring positions into the domain by whole periods, where keys have no K_KEPT.
    template <int D>
    void fold(const Geometry<D>& geom, const void* keys, const AllocationPtr& order,
              std::span<const Target> targets) const;

private:
    [[nodiscard]] std::vector<zf_column> target_columns(std::size_t column, std::span<const Target> targets) const;
    [[nodiscard]] LaunchSize all(std::int64_t items) const noexcept { return {1, items}; }

    const DeviceQueue& queue_;
    std::span<const TileView> views_;
    std::int64_t count_ = 0;
};

}  // namespace zerofab::detail
