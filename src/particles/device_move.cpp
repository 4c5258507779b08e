// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Moving, ordering and depositing particles by kernels, without a look at them by the host.
#include <algorithm>
#include <array>

#include "particles/device_levels.hpp"
#include "particles/device_rows.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {
namespace {

using detail::can_take;
using detail::DeviceQueue;
using detail::DeviceRows;

constexpr std::int64_t most_rows = std::int64_t{1} << 31;  // keys and places have 32 bits, one of them is K_KEPT
constexpr std::size_t most_slots = std::size_t{1} << 24;   // the last digit of a key would have K_KEPT

}  // namespace

template <int D>
bool Redistribution<D>::run_on_device() {
    const auto device = detail::device_for(*arena_);
    std::int64_t total = 0;
    for (const TileView& view : views_) {
        if (!device || !can_take(*device, view)) return false;
        total += static_cast<std::int64_t>(view.rows);
    }
    const std::size_t slots = slots_.size();
    if (!device || total >= most_rows || slots >= most_slots) return false;
    results_.clear();
    if (total == 0) {
        for (const Source& source : sources_) {
            if (!source.has_neighbors) continue;
            results_.push_back({source.slot, TileData(layout_, reals_, ints_, *arena_)});
            results_.back().data.settle();
        }
        return true;
    }
    const DeviceQueue queue(*device);
    DeviceRows rows(queue, views_);
    std::vector<zf_box> boxes;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        const Source& source = sources_[s];
        zf_tile& tile = rows.tiles[s];
        tile.level = std::max(source.level, 0);
        tile.slot = source.slot;
        tile.moves = source.moves ? 1 : 0;
        boxes.push_back({});
        if (source.level >= 0) {
            const Level& level = levels_[static_cast<std::size_t>(source.level)];
            boxes.back() =
                detail::box_row(level.layout->boxes().cells()[static_cast<std::size_t>(source.key.first)], 0);
        }
    }
    detail::DeviceLevels levels(queue);
    for (const Level& level : levels_) levels.add(level.geom, level.layout->boxes(), level.slots);

    const auto gone_key = static_cast<std::uint32_t>(slots);
    const AllocationPtr keys = queue.scratch(static_cast<std::size_t>(total) * sizeof(std::uint32_t));
    const AllocationPtr tile_table = queue.upload(rows.tiles), box_table = queue.upload(boxes);
    const AllocationPtr lost = queue.upload(std::vector<double>(3));
    std::array<std::int32_t, 3> ghosts{};
    for (int d = 0; d < D; ++d) ghosts[static_cast<std::size_t>(d)] = options_.ngrow[d];
    queue.launch("particle_destinations", KernelType::f64, rows.rows_of(0, rows.tiles.size()),
                 std::array<KernelArg, 12>{tile_table->data(), static_cast<std::int64_t>(rows.tiles.size()),
                                           levels.table(), std::int32_t{lev_max_}, box_table->data(), ghosts[0],
                                           ghosts[1], ghosts[2], std::int32_t{options_.remove_negative ? 1 : 0},
                                           static_cast<std::int32_t>(slots), keys->data(), lost->data()});
    const AllocationPtr order = rows.order_by(keys->data(), gone_key);
    const std::vector<std::uint32_t> starts = rows.starts_of(keys->data(), order, gone_key);
    if (starts[slots] < total) {
        std::array<double, 3> counts{};
        copy_bytes(counts.data(), {}, lost->data(), lost->space(), sizeof counts);
        lost_ = {static_cast<Long>(counts[0]), static_cast<Long>(counts[1]), static_cast<Long>(counts[2])};
    }

    std::vector<std::size_t> result_of(slots, SIZE_MAX);
    for (std::size_t s = 0; s < slots; ++s) {
        const std::size_t count = starts[s + 1] - starts[s];
        const int here = slots_[s].source;
        if (here < 0 && count == 0) continue;
        const auto source = static_cast<std::size_t>(here);
        // Particles that stay keep their order: nothing has changed where nobody joins them.
        if (here >= 0 && !sources_[source].moves && views_[source].rows == count && !sources_[source].has_neighbors) {
            continue;
        }
        result_of[s] = results_.size();
        Result& result = results_.emplace_back(Result{static_cast<int>(s), TileData(layout_, reals_, ints_, *arena_)});
        result.data.settle();
        for (std::size_t column = 0; column < result.data.columns(); ++column) result.data.allocate(column, count);
    }
    std::vector<DeviceRows::Target> targets;
    for (std::size_t s = 0; s < slots; ++s) {
        TileData* const data = result_of[s] == SIZE_MAX ? nullptr : &results_[result_of[s]].data;
        targets.push_back({data, starts[s], starts[s + 1] - starts[s]});
    }
    if (results_.empty()) return true;
    rows.gather(order, targets);
    rows.fold(levels_.front().geom, keys->data(), order, targets);
    return true;
}

template <int D>
bool BinSort<D>::run_on_device() {
    const auto device = detail::device_for(*arena_);
    std::vector<TileView> views;
    std::int64_t total = 0, bins = 0;
    std::vector<zf_box> boxes;
    for (const Tile& tile : tiles_) {
        if (!device || !can_take(*device, tile.view)) return false;
        total += static_cast<std::int64_t>(tile.view.rows);
        views.push_back(tile.view);
        boxes.push_back(detail::box_row(tile.box, 0));
        boxes.back().bins = static_cast<k_i32>(bins);
        std::int64_t here = 1;
        for (int d = 0; d < D; ++d) here *= (Long{tile.box.length(d)} + bin_[d] - 1) / bin_[d];
        bins += here;
        if (bins >= most_rows) return false;
    }
    if (!device || total >= most_rows) return false;
    if (total == 0) return true;
    const DeviceQueue queue(*device);
    const DeviceRows rows(queue, views);
    const AllocationPtr keys = queue.scratch(static_cast<std::size_t>(total) * sizeof(std::uint32_t));
    const AllocationPtr tile_table = queue.upload(rows.tiles), box_table = queue.upload(boxes);
    std::array<std::int32_t, 3> width{1, 1, 1};
    for (int d = 0; d < D; ++d) width[static_cast<std::size_t>(d)] = bin_[d];
    std::vector<AllocationPtr> kept;
    for (std::size_t first = 0, last = 0; first < tiles_.size(); first = last) {  // each level has its own geometry
        while (last < tiles_.size() && tiles_[last].level == tiles_[first].level) ++last;
        const auto geometry =
            kept.emplace_back(queue.upload(std::vector<zf_geometry>{detail::geometry_row(tiles_[first].geom)}));
        queue.launch("particle_bins", KernelType::f64, rows.rows_of(first, last),
                     std::array<KernelArg, 8>{static_cast<const zf_tile*>(tile_table->data()) + first,
                                              static_cast<std::int64_t>(last - first), geometry->data(),
                                              box_table->data(), width[0], width[1], width[2], keys->data()});
    }
    const AllocationPtr order = rows.order_by(keys->data(), static_cast<std::uint32_t>(bins));
    std::vector<DeviceRows::Target> targets;
    std::uint32_t first = 0;
    for (Tile& tile : tiles_) {
        const auto count = static_cast<std::uint32_t>(tile.view.rows);
        if (count > 1) {
            tile.sorted = std::make_unique<TileData>(tile.view.layout, reals_, ints_, *arena_);
            tile.sorted->settle();
            for (std::size_t column = 0; column < tile.sorted->columns(); ++column) {
                tile.sorted->allocate(column, count);
            }
        }
        targets.push_back({tile.sorted.get(), first, count});
        first += count;
    }
    rows.gather(order, targets);
    return true;
}

#define ZEROFAB_INSTANTIATE(D)                        \
    template bool Redistribution<D>::run_on_device(); \
    template bool BinSort<D>::run_on_device();
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
