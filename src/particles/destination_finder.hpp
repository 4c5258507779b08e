// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Where a particle goes.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "particles/cells.hpp"
#include "particles/place_block.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {

/// The destinations of rows. One per thread and group of chunks: it remembers the last box.
template <int D>
class Redistribution<D>::Finder {
public:
    explicit Finder(const Redistribution& move)
        : move_(move), lev_max_(move.lev_max_), may_stay_(move.options_.ngrow != IntVect<D>()) {
        for (const Level& level : move.levels_) {
            cells_.emplace_back(level.geom);
            indexes_.push_back(&level.layout->boxes().index());
        }
    }

    /// Before destinations of rows of a block are asked for, of so many: where that is worth it they are looked at as
    /// whole vectors.
    void look(const Source& source, const detail::PlaceBlock<D>& block, std::size_t leaving) noexcept {
        constexpr std::size_t worth = 8;  // one row alone costs as much as so many in vectors
        const auto n = static_cast<std::int64_t>(block.rows());
        if (!source.moves || may_stay_ || leaving * worth < block.rows()) {
            std::fill_n(places_.data(), n, no_cell);
            return;
        }
        const CellLoops& loops = cell_loops();
        const detail::CellFinder<D>& finest = cells_[static_cast<std::size_t>(lev_max_)];
        loops.start(block.words(), n, places_.data());
        for (int d = 0; d < D; ++d) {
            loops.fold_cell(cells_.front().fold_axis(d), finest.axis(d), block.positions(d), n,
                            found_[static_cast<std::size_t>(d)].data(), places_.data());
        }
    }

    /// The destination of row i of the block, which is `row` of the tile: a slot, or -1 if it goes away.
    int operator()(const Source& source, const TileView& view, std::size_t row, std::size_t i, bool& keep,
                   bool& folded) {
        keep = folded = false;
        if (places_[i] >= 0) {  // a valid particle in the domain: in most cases one of the finest level
            IntVect<D> cell;
            bool is_cell = true;
            for (int d = 0; d < D; ++d) {
                is_cell = is_cell && cells_[static_cast<std::size_t>(lev_max_)].counted(
                                         found_[static_cast<std::size_t>(d)][i], d, cell[d]);
            }
            const int slot = is_cell ? find(lev_max_, cell) : -1;
            if (slot >= 0) {
                folded = places_[i] > 0;
                return slot;
            }
        }
        if (source.slot >= 0 && !source.moves) {
            keep = true;
            return source.slot;
        }
        const IdCpu word = view.id_word(row);
        if (!is_valid(word) && (move_.options_.remove_negative || source.slot < 0)) {
            if (word >> 24 == 0 && has_place(view, row)) ++lost.without_id;
            return -1;
        }
        std::array<Real, D> x;
        const detail::CellFinder<D>& coarse = cells_.front();
        bool inside = true;
        for (int d = 0; d < D; ++d) {
            const Real seen = view.position(row, d);
            Real& folded_x = x[static_cast<std::size_t>(d)];
            folded_x = coarse.fold(seen, d);
            folded = folded || !(folded_x == seen);
            inside = inside && coarse.inside(folded_x, d);
        }
        if (may_stay_ && source.slot >= 0 && is_near(source, view, row)) {
            keep = true;
            return source.slot;
        }
        for (int lev = lev_max_; inside && lev >= 0; --lev) {
            const int slot = find(lev, x);
            if (slot >= 0) return slot;
        }
        if (!is_finite(view, row))
            ++lost.without_position;
        else if (inside)
            ++lost.without_box;
        return -1;
    }

    LostParticles lost;

private:
    static bool has_place(const TileView& view, std::size_t row) noexcept {
        bool any = false;
        for (int d = 0; d < D; ++d) any = any || view.position(row, d) != 0;
        return any;
    }
    static bool is_finite(const TileView& view, std::size_t row) noexcept {
        bool all = true;
        for (int d = 0; d < D; ++d) all = all && std::isfinite(view.position(row, d));
        return all;
    }
    int find(int lev, const std::array<Real, D>& x) {
        IntVect<D> cell;
        for (int d = 0; d < D; ++d) {
            if (!cells_[static_cast<std::size_t>(lev)].cell(x[static_cast<std::size_t>(d)], d, cell[d])) return -1;
        }
        return find(lev, cell);
    }
    int find(int lev, const IntVect<D>& cell) {
        if (lev == last_level_ && last_box_.contains(cell)) return last_slot_;
        const Level& level = move_.levels_[static_cast<std::size_t>(lev)];
        const int grid = indexes_[static_cast<std::size_t>(lev)]->find(cell);
        if (grid < 0) return -1;
        last_level_ = lev;
        last_box_ = level.layout->boxes().cells()[static_cast<std::size_t>(grid)];
        last_slot_ = level.slots[static_cast<std::size_t>(grid)];
        return last_slot_;
    }
    /// Whether the cell of a row, not folded, is in its present box grown by ngrow.
    bool is_near(const Source& source, const TileView& view, std::size_t row) const {
        const Level& level = move_.levels_[static_cast<std::size_t>(source.level)];
        Box<D> box = level.layout->boxes().cells()[static_cast<std::size_t>(source.key.first)];
        box.grow(move_.options_.ngrow);
        IntVect<D> cell;
        for (int d = 0; d < D; ++d) {
            if (!cells_[static_cast<std::size_t>(source.level)].cell(view.position(row, d), d, cell[d])) return false;
        }
        return box.contains(cell);
    }

    const Redistribution& move_;
    int lev_max_;
    bool may_stay_;
    std::vector<detail::CellFinder<D>> cells_;
    std::vector<const BoxIndex<D>*> indexes_;
    int last_level_ = -1, last_slot_ = -1;
    Box<D> last_box_;
    std::array<double, detail::PlaceBlock<D>::most> places_;                ///< less than 0: look at that row alone
    std::array<std::array<double, detail::PlaceBlock<D>::most>, D> found_;  ///< cells by direction
};

/// Rows of a source that stay as they are, found by whole vectors: valid particles in the domain whose cell is in the
/// box that they are in, where no finer box can have it. Others may stay too: the Finder knows.
template <int D>
class Redistribution<D>::StayingRows {
public:
    StayingRows(const Redistribution& move, const Source& source) {
        if (!source.moves || source.slot < 0 || source.level != move.lev_max_) return;
        const Level& level = move.levels_[static_cast<std::size_t>(source.level)];
        const auto grid = static_cast<std::size_t>(source.key.first);
        // Positions are folded into the domain of level 0.
        if (level.slots[grid] != source.slot || !same_domain(level.geom, move.levels_.front().geom)) return;
        const detail::CellFinder<D> finder(level.geom);
        for (int d = 0; d < D; ++d) {
            const auto s = static_cast<std::size_t>(d);
            axes_[s] = finder.axis(d);
            ranges_[s] = finder.range(level.layout->boxes().cells()[grid], d, 1);
        }
        any_ = true;
    }

    /// stays[i] is 0 for such rows of the block, and less for others.
    void mark(const detail::PlaceBlock<D>& block, double* stays) const noexcept {
        if (!any_) {
            std::fill_n(stays, block.rows(), no_cell);
            return;
        }
        const CellLoops& loops = cell_loops();
        const auto n = static_cast<std::int64_t>(block.rows());
        loops.start(block.words(), n, stays);
        for (int d = 0; d < D; ++d) {
            const auto s = static_cast<std::size_t>(d);
            loops.keep_cell(axes_[s], ranges_[s], block.positions(d), n, stays);
        }
    }

private:
    static bool same_domain(const Geometry<D>& a, const Geometry<D>& b) noexcept {
        bool same = true;
        for (int d = 0; d < D; ++d) {
            same = same && a.prob_lo(d) == b.prob_lo(d) && a.prob_hi(d) == b.prob_hi(d) &&
                   a.is_periodic(d) == b.is_periodic(d);
        }
        return same;
    }

    bool any_ = false;
    std::array<CellAxis, D> axes_;
    std::array<CellRange, D> ranges_;
};

}  // namespace zerofab
