// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "particles/device_levels.hpp"

#include <algorithm>

namespace zerofab::detail {
namespace {

/// Bins as wide as the largest box, wider where they would be many more than boxes.
void choose_bins(zf_level& level, const std::vector<zf_box>& boxes) {
    for (int d = 0; d < 3; ++d) level.width[d] = 1;
    for (const zf_box& box : boxes) {
        for (int d = 0; d < 3; ++d) level.width[d] = std::max(level.width[d], box.len[d]);
    }
    const auto count = [&](int d) {
        return (std::int64_t{level.hi[d]} - level.lo[d] + level.width[d]) / level.width[d];
    };
    while (count(0) * count(1) * count(2) > static_cast<std::int64_t>(8 * boxes.size() + 64)) {
        const int widest = count(0) >= count(1) && count(0) >= count(2) ? 0 : count(1) >= count(2) ? 1 : 2;
        level.width[widest] =
            static_cast<k_i32>(std::min<std::int64_t>(2 * std::int64_t{level.width[widest]}, 1 << 30));
    }
    for (int d = 0; d < 3; ++d) level.bins[d] = static_cast<k_i32>(count(d));
}

/// Call see(number of a bin) for each bin that a box has cells in.
template <class See>
void each_bin(const zf_level& level, const zf_box& box, See see) {
    k_i32 first[3], last[3];
    for (int d = 0; d < 3; ++d) {
        first[d] = (box.lo[d] - level.lo[d]) / level.width[d];
        last[d] = (box.lo[d] + box.len[d] - 1 - level.lo[d]) / level.width[d];
    }
    for (k_i32 k = first[2]; k <= last[2]; ++k) {
        for (k_i32 j = first[1]; j <= last[1]; ++j) {
            for (k_i32 i = first[0]; i <= last[0]; ++i) {
                see((static_cast<std::size_t>(k) * static_cast<std::size_t>(level.bins[1]) +
                     static_cast<std::size_t>(j)) *
                        static_cast<std::size_t>(level.bins[0]) +
                    static_cast<std::size_t>(i));
            }
        }
    }
}

std::uint64_t address(const AllocationPtr& memory) {
    return memory ? reinterpret_cast<std::uintptr_t>(memory->data()) : 0;
}

}  // namespace

template <int D>
void DeviceLevels::add(const Geometry<D>& geom, const BoxArray<D>& boxes, const std::vector<int>& slots) {
    zf_level level{};
    level.geometry = geometry_row(geom);
    std::vector<zf_box> rows;
    for (std::size_t i = 0; i < slots.size(); ++i) rows.push_back(box_row(boxes.cells()[i], slots[i]));
    for (int d = 0; d < 3; ++d) {
        level.lo[d] = rows.empty() ? 1 : rows.front().lo[d];
        level.hi[d] = rows.empty() ? 0 : level.lo[d];
        for (const zf_box& box : rows) {
            level.lo[d] = std::min(level.lo[d], box.lo[d]);
            level.hi[d] = std::max(level.hi[d], box.lo[d] + box.len[d] - 1);
        }
        level.width[d] = level.bins[d] = 1;
    }
    if (!rows.empty()) {
        choose_bins(level, rows);
        std::size_t bins = 1;
        for (int d = 0; d < 3; ++d) bins *= static_cast<std::size_t>(level.bins[d]);
        std::vector<k_u32> starts(bins + 1);
        for (const zf_box& box : rows) each_bin(level, box, [&](std::size_t bin) { ++starts[bin + 1]; });
        for (std::size_t bin = 0; bin < bins; ++bin) starts[bin + 1] += starts[bin];
        std::vector<k_i32> items(starts.back());
        std::vector<k_u32> next = starts;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            each_bin(level, rows[i], [&](std::size_t bin) { items[next[bin]++] = static_cast<k_i32>(i); });
        }
        level.boxes = address(memory_.emplace_back(queue_.upload(rows)));
        level.starts = address(memory_.emplace_back(queue_.upload(starts)));
        level.items = address(memory_.emplace_back(queue_.upload(items)));
    }
    levels_.push_back(level);
}

const void* DeviceLevels::table() {
    if (!table_) table_ = queue_.upload(levels_);
    return table_->data();
}

template void DeviceLevels::add(const Geometry<1>&, const BoxArray<1>&, const std::vector<int>&);
template void DeviceLevels::add(const Geometry<2>&, const BoxArray<2>&, const std::vector<int>&);
template void DeviceLevels::add(const Geometry<3>&, const BoxArray<3>&, const std::vector<int>&);

}  // namespace zerofab::detail
