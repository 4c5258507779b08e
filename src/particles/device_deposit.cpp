// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "particles/deposit.hpp"
#include "particles/device_rows.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::detail {

template <int D>
bool deposit_on_device(const FabBody<D>& body, const Geometry<D>& geom, std::vector<TileView>& tiles,
                       const std::vector<int>& fabs) {
    const auto device = body.fabs.empty() ? std::nullopt : device_for(arena_at(body.space()));
    if (!device) return false;
    for (const TileView& view : tiles) {
        if (!can_take(*device, view)) return false;
    }
    std::vector<zf_fab> field;
    const DeviceQueue queue(*device);
    for (const FabMemory<D>& fab : body.fabs) {
        const MemorySpace space = fab.memory ? fab.memory->space() : MemorySpace{};
        if (space.is_plain() || space.device != *device) return false;
        const zf_box box = box_row(fab.box, 0);
        zf_fab& row = field.emplace_back();
        row.data = reinterpret_cast<std::uintptr_t>(fab.data);
        std::copy_n(box.lo, 3, row.lo);
        std::copy_n(box.len, 3, row.len);
        row.jstride = row.len[0];
        row.kstride = row.jstride * row.len[1];
        row.nstride = row.kstride * row.len[2];
        fab.memory->used_on(queue.stream());
    }
    if (tiles.empty()) return true;
    DeviceRows rows(queue, tiles);
    for (std::size_t t = 0; t < fabs.size(); ++t) rows.tiles[t].fab = fabs[t];
    const AllocationPtr tile_table = queue.upload(rows.tiles), field_table = queue.upload(field),
                        geometry = queue.upload(std::vector<zf_geometry>{geometry_row(geom)});
    const void* const no_weights = nullptr;
    queue.launch("particle_deposit", KernelType::f64, rows.rows_of(0, rows.tiles.size()),
                 std::array<KernelArg, 6>{tile_table->data(), static_cast<std::int64_t>(rows.tiles.size()),
                                          geometry->data(), field_table->data(), std::int32_t{0}, no_weights});
    return true;
}

#define ZEROFAB_INSTANTIATE(D)                                                                     \
    template bool deposit_on_device(const FabBody<D>&, const Geometry<D>&, std::vector<TileView>&, \
                                    const std::vector<int>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::detail
