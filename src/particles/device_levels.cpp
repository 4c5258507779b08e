// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "particles/device_levels.hpp"

#include "zerofab/base/instantiate.hpp"
#include "zerofab/mesh/box_index.hpp"

namespace zerofab::detail {
namespace {

std::uint64_t address(const AllocationPtr& memory) {
    return memory ? reinterpret_cast<std::uintptr_t>(memory->data()) : 0;
}

}  // namespace

template <int D>
void DeviceLevels::add(const Geometry<D>& geom, const BoxArray<D>& boxes, const std::vector<int>& slots) {
    zf_level level{};
    level.geometry = geometry_row(geom);
    for (int d = 0; d < 3; ++d) level.width[d] = level.bins[d] = 1;
    level.lo[0] = 1;  // no cells, if there are no boxes
    const std::span<const Box<D>> cells = boxes.cells();
    const BoxIndex<D> index(cells, BinTable::plain);
    if (index.bounds().ok()) {
        level.lo[0] = 0;
        for (int d = 0; d < D; ++d) {
            level.lo[d] = index.bounds().small_end(d);
            level.hi[d] = index.bounds().big_end(d);
            level.width[d] = static_cast<k_i32>(index.width(d));
            level.bins[d] = static_cast<k_i32>(index.bins(d));
        }
        std::vector<zf_box> rows;
        for (std::size_t i = 0; i < slots.size(); ++i) rows.push_back(box_row(cells[i], slots[i]));
        level.boxes = address(memory_.emplace_back(queue_.upload(rows)));
        level.starts = address(memory_.emplace_back(queue_.upload(index.starts())));
        level.items = address(memory_.emplace_back(queue_.upload(index.items())));
    }
    levels_.push_back(level);
}

const void* DeviceLevels::table() {
    if (!table_) table_ = queue_.upload(levels_);
    return table_->data();
}

#define ZEROFAB_INSTANTIATE(D) \
    template void DeviceLevels::add(const Geometry<D>&, const BoxArray<D>&, const std::vector<int>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::detail
