// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "particles/device_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab::detail {
namespace {

std::uint64_t address(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

zf_column column_row(const ColumnView& column, std::size_t stride, std::size_t offset = 0) noexcept {
    return {column.data != nullptr ? address(column.data) + offset : 0, static_cast<k_i64>(stride),
            static_cast<k_i64>(column.rows), 0};
}

void bring(const DeviceQueue& queue, ColumnView& column, std::size_t bytes) {
    if (!column.share) return;
    if (column.share->space().is_plain()) {
        if (column.rows == 0) return;
        AllocationPtr copy = queue.scratch(column.rows * bytes);
        copy_bytes(copy->data(), copy->space(), column.data, column.share->space(), column.rows * bytes);
        column.data = static_cast<const std::byte*>(copy->data());
        column.share = std::move(copy);
    }
    column.share->used_on(queue.stream());
}

}  // namespace

std::optional<Device> device_for(const Arena& arena) {
    const MemorySpace space = arena.space();
    if (space.is_plain() || space.device != Runtime::run_device()) return {};
    const auto& devices = backend(space.device.backend).report().devices;
    const auto id = static_cast<std::size_t>(space.device.id);
    if (id >= devices.size() || !devices[id].has_f64) return {};
    return space.device;
}

bool can_take(Device device, const TileView& view) {
    const auto fits = [&](const ColumnView& column) {
        return !column.share || column.share->space().is_plain() || column.share->space().device == device;
    };
    return fits(view.idcpu) && std::all_of(view.real.begin(), view.real.end(), fits) &&
           std::all_of(view.integer.begin(), view.integer.end(), fits);
}

template <int D>
zf_geometry geometry_row(const Geometry<D>& geom) {
    zf_geometry row{};
    row.dim = D;
    for (int d = 0; d < D; ++d) {
        row.lo[d] = geom.prob_lo(d);
        row.hi[d] = geom.prob_hi(d);
        row.inverse[d] = geom.inv_cell_size(d);
        row.first[d] = geom.domain().small_end(d);
        row.last[d] = geom.domain().big_end(d);
        row.periodic[d] = geom.is_periodic(d) ? 1 : 0;
    }
    return row;
}

template <int D>
zf_box box_row(const Box<D>& box, int number) {
    zf_box row{number, {0, 0, 0}, {1, 1, 1}, 0};
    for (int d = 0; d < D; ++d) {
        row.lo[d] = box.small_end(d);
        row.len[d] = box.length(d);
    }
    return row;
}

DeviceRows::DeviceRows(const DeviceQueue& queue, std::span<TileView> views) : queue_(queue), views_(views) {
    for (TileView& view : views) {
        const std::size_t reals = view.real.size();
        bring(queue, view.idcpu, TileData::element_size(view.layout, reals, 0));
        for (ColumnView& column : view.real) bring(queue, column, sizeof(Real));
        for (ColumnView& column : view.integer) bring(queue, column, sizeof(int));
        zf_tile tile{};
        const bool pure = view.layout.pure_soa;
        const std::size_t record = pure ? sizeof(IdCpu) : view.layout.record_size();
        for (std::size_t d = 0; d < static_cast<std::size_t>(view.layout.dim); ++d) {
            tile.position[d] =
                pure ? column_row(view.real[d], sizeof(Real)) : column_row(view.idcpu, record, d * sizeof(Real));
        }
        tile.word = column_row(view.idcpu, record, pure ? 0 : view.layout.id_offset());
        tile.first = count_;
        tile.rows = static_cast<k_i64>(view.rows);
        tile.fab = static_cast<k_i32>(tiles.size());
        tiles.push_back(tile);
        count_ += static_cast<std::int64_t>(view.rows);
    }
}

LaunchSize DeviceRows::rows_of(std::size_t first, std::size_t last) const noexcept {
    LaunchSize rows{static_cast<std::int64_t>(last - first), 0};
    for (std::size_t t = first; t < last; ++t) rows.longest = std::max<std::int64_t>(rows.longest, tiles[t].rows);
    return rows;
}

AllocationPtr DeviceRows::order_by(const void* keys, std::uint32_t most) const {
    constexpr auto type = KernelType::i32;
    constexpr std::int64_t chunk = 128;
    const std::int64_t chunks = (count_ + chunk - 1) / chunk, counters = 256 * chunks;
    const std::int64_t part = std::max<std::int64_t>(64, std::llround(std::sqrt(static_cast<double>(counters))));
    const std::int64_t parts = (counters + part - 1) / part;
    const auto words = [&](std::int64_t n) { return queue_.scratch(static_cast<std::size_t>(n) * 4); };
    const AllocationPtr counts = words(counters), sums = words(parts);
    AllocationPtr order, next = words(count_);
    for (std::int32_t shift = 0; shift < 32 && (shift == 0 || most >> shift != 0); shift += 8) {
        const void* const before = order ? order->data() : nullptr;
        queue_.launch("sort_count", type, all(count_),
                      std::array<KernelArg, 6>{keys, before, count_, shift, chunk, counts->data()});
        queue_.launch("prefix_sums", type, all(parts),
                      std::array<KernelArg, 4>{counts->data(), counters, part, sums->data()});
        const void* const none = nullptr;
        queue_.launch("prefix", type, all(1), std::array<KernelArg, 4>{sums->data(), parts, parts, none});
        queue_.launch("prefix", type, all(parts),
                      std::array<KernelArg, 4>{counts->data(), counters, part, sums->data()});
        queue_.launch("sort_place", type, all(count_),
                      std::array<KernelArg, 7>{keys, before, count_, shift, chunk, counts->data(), next->data()});
        if (!order) order = words(count_);
        std::swap(order, next);
    }
    return order;
}

std::vector<std::uint32_t> DeviceRows::starts_of(const void* keys, const AllocationPtr& order,
                                                 std::uint32_t most) const {
    std::vector<std::uint32_t> starts(std::size_t{most} + 1);
    const AllocationPtr memory = queue_.scratch(starts.size() * sizeof(std::uint32_t));
    queue_.launch("sort_starts", KernelType::i32, all(count_ + 1),
                  std::array<KernelArg, 5>{keys, order->data(), count_, memory->data(), std::int64_t{most}});
    copy_bytes(starts.data(), {}, memory->data(), queue_.space(), starts.size() * sizeof(std::uint32_t));
    return starts;
}

std::vector<zf_column> DeviceRows::target_columns(std::size_t column, std::span<const Target> targets) const {
    const TileView& any = views_.front();
    const std::size_t bytes = TileData::element_size(any.layout, any.real.size(), column);
    std::vector<zf_column> rows;
    for (const Target& target : targets) {
        const void* const data = target.data != nullptr && target.rows > 0 ? target.data->data(column) : nullptr;
        rows.push_back({address(data), static_cast<k_i64>(bytes), target.rows, target.first});
    }
    return rows;
}

void DeviceRows::gather(const AllocationPtr& order, std::span<const Target> targets) const {
    if (targets.empty()) return;
    const std::int64_t kept = std::int64_t{targets.back().first} + targets.back().rows;
    const TileView& any = views_.front();
    const std::size_t columns = 1 + any.real.size() + any.integer.size();
    // All tables at once: each upload waits for the device.
    std::vector<zf_column> table;
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t bytes = TileData::element_size(any.layout, any.real.size(), column);
        for (std::size_t t = 0; t < views_.size(); ++t) {
            table.push_back(column_row(views_[t].column(column), bytes));
            table.back().first = tiles[t].first;
        }
        const std::vector<zf_column> to = target_columns(column, targets);
        table.insert(table.end(), to.begin(), to.end());
    }
    const AllocationPtr memory = queue_.upload(table);
    const auto* at = static_cast<const zf_column*>(memory->data());
    for (std::size_t column = 0; column < columns; ++column, at += views_.size() + targets.size()) {
        const auto words =
            static_cast<std::int32_t>(TileData::element_size(any.layout, any.real.size(), column) / sizeof(int));
        queue_.launch("rows_gather", KernelType::i32, all(kept),
                      std::array<KernelArg, 7>{at, static_cast<std::int64_t>(views_.size()), at + views_.size(),
                                               static_cast<std::int64_t>(targets.size()), order->data(), kept, words});
    }
}

template <int D>
void DeviceRows::fold(const Geometry<D>& geom, const void* keys, const AllocationPtr& order,
                      std::span<const Target> targets) const {
    if (targets.empty()) return;
    const std::int64_t kept = std::int64_t{targets.back().first} + targets.back().rows;
    const bool pure = views_.front().layout.pure_soa;
    for (int d = 0; d < D; ++d) {
        if (!geom.is_periodic(d)) continue;
        std::vector<zf_column> to = target_columns(pure ? static_cast<std::size_t>(d) + 1 : 0, targets);
        for (zf_column& column : to) {
            if (!pure && column.data != 0) column.data += static_cast<std::size_t>(d) * sizeof(Real);
        }
        const AllocationPtr table = queue_.upload(to);
        queue_.launch("rows_fold", KernelType::f64, all(kept),
                      std::array<KernelArg, 7>{table->data(), static_cast<std::int64_t>(to.size()), keys, order->data(),
                                               kept, geom.prob_lo(d), geom.prob_hi(d)});
    }
}

#define ZEROFAB_INSTANTIATE(D)                                                                                     \
    template zf_geometry geometry_row(const Geometry<D>&);                                                         \
    template zf_box box_row(const Box<D>&, int);                                                                   \
    template void DeviceRows::fold(const Geometry<D>&, const void*, const AllocationPtr&, std::span<const Target>) \
        const;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::detail
