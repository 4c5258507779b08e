// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "particles/cells.hpp"
#include "particles/installation.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {

template <int D>
BinSort<D>::BinSort(const ParticleContainer<D>& particles, const IntVect<D>& bin)
    : bin_(bin),
      reals_(static_cast<std::size_t>(particles.num_real())),
      ints_(static_cast<std::size_t>(particles.num_int())),
      arena_(&particles.arena()) {
    if (!bin.all_ge(1)) throw ValueError("a bin must have at least one cell in each direction");
    particles.check_tiles();
    for (int lev = 0; lev < particles.num_levels(); ++lev) {
        const ParticleLevel<D>& level = particles.level(lev);
        for (const auto& [key, tile] : level.tiles) {
            const Box<D> box = level.layout->boxes().cells()[static_cast<std::size_t>(key.first)];
            tiles_.push_back({lev, key, level.geom, box, TileMark(tile), TileView(*tile), nullptr});
        }
    }
}

template <int D>
void BinSort<D>::sort(Tile& tile) const {
    const std::size_t rows = tile.view.rows;
    if (rows < 2) return;
    if (rows >> RowRef::row_bits != 0) throw ValueError("a tile has too many particles");
    const detail::CellFinder<D> cells(tile.geom);
    // What each cell of the box adds to the number of the bin, by direction.
    std::array<std::vector<Long>, D> part;
    Long bins = 1;
    for (int d = 0; d < D; ++d) {
        for (int i = 0; i < tile.box.length(d); ++i) part[static_cast<std::size_t>(d)].push_back(i / bin_[d] * bins);
        bins *= (Long{tile.box.length(d)} + bin_[d] - 1) / bin_[d];
    }
    std::vector<Long> keys(rows);
    bool sorted = true;
    for (std::size_t row = 0; row < rows; ++row) {
        Long key = 0;
        for (int d = 0; d < D; ++d) {
            // Particles that are not in the box yet go to its nearest bin; those without a position to the first.
            int cell = tile.box.small_end(d);
            cells.cell(tile.view.position(row, d), d, cell);
            cell = std::min(std::max(cell, tile.box.small_end(d)), tile.box.big_end(d));
            key += part[static_cast<std::size_t>(d)][static_cast<std::size_t>(cell - tile.box.small_end(d))];
        }
        keys[row] = key;
        sorted = sorted && (row == 0 || keys[row - 1] <= key);
    }
    if (sorted) return;
    std::vector<RowRef> order(rows);
    if (static_cast<std::size_t>(bins) <= 8 * rows + 1024) {
        std::vector<std::size_t> next(static_cast<std::size_t>(bins) + 1);
        for (const Long key : keys) ++next[static_cast<std::size_t>(key) + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (std::size_t row = 0; row < rows; ++row) {
            order[next[static_cast<std::size_t>(keys[row])]++] = RowRef(0, row);
        }
    } else {
        for (std::size_t row = 0; row < rows; ++row) order[row] = RowRef(0, row);
        std::stable_sort(order.begin(), order.end(), [&](RowRef a, RowRef b) { return keys[a.row()] < keys[b.row()]; });
    }
    auto data = std::make_unique<TileData>(tile.view.layout, reals_, ints_, *arena_);
    for (std::size_t column = 0; column < data->columns(); ++column) {
        data->gather(column, std::span(&tile.view, 1), order);
    }
    tile.sorted = std::move(data);
}

template <int D>
void BinSort<D>::run() {
    if (run_on_device()) return;
    for (Tile& tile : tiles_) tile.view.to_host();
    parallel_for(static_cast<std::int64_t>(tiles_.size()),
                 [&](std::int64_t i) { sort(tiles_[static_cast<std::size_t>(i)]); });
    for (Tile& tile : tiles_) {
        if (tile.sorted) tile.sorted->settle();
    }
}

template <int D>
void BinSort<D>::install(ParticleContainer<D>& particles) {
    if (static_cast<std::size_t>(particles.num_real()) != reals_ ||
        static_cast<std::size_t>(particles.num_int()) != ints_) {
        throw StateError("the components of the particles changed while they were being sorted");
    }
    particles.check_tiles();
    detail::Installation<D> all(particles, "sorted");
    for (Tile& tile : tiles_) {
        if (!tile.sorted) continue;
        if (tile.level >= particles.num_levels()) {
            throw StateError("the levels of the particles changed while they were being sorted");
        }
        all.add(tile.level, tile.key, tile.mark, *tile.sorted);
    }
    all.install();
}

template class BinSort<1>;
template class BinSort<2>;
template class BinSort<3>;

}  // namespace zerofab
