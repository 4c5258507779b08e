// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The cell of a position.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "device/host/cell_loops.hpp"
#include "zerofab/index/geometry.hpp"

namespace zerofab::detail {

/// The positions of one geometry as cells.
template <int D>
class CellFinder {
public:
    explicit CellFinder(const Geometry<D>& geom) {
        for (int d = 0; d < D; ++d) {
            const auto s = static_cast<std::size_t>(d);
            const Real lo = geom.prob_lo(d), hi = geom.prob_hi(d);
            const bool periodic = geom.is_periodic(d);
            first_[s] = geom.domain().small_end(d);
            // The high end belongs to the domain where that is not periodic.
            const Real last = periodic ? std::nextafter(hi, lo) : hi;
            folds_[s] = {lo, hi, last, periodic};
            axes_[s] = {lo, last, geom.inv_cell_size(d),
                        static_cast<double>(Long{geom.domain().big_end(d)} - first_[s])};
        }
    }

    Real fold(Real x, int d) const noexcept {
        const FoldAxis& axis = folds_[static_cast<std::size_t>(d)];
        return axis.periodic ? folded_into(axis, x) : x;
    }
    bool is_periodic(int d) const noexcept { return folds_[static_cast<std::size_t>(d)].periodic; }
    /// Whether x lies in the domain in direction d: in [lo, hi), or [lo, hi] if that is not periodic.
    bool inside(Real x, int d) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        return x >= axes_[s].lo && x <= axes_[s].last;
    }
    /// The cell of x; what lies in the domain gets one of its cells, whatever the rounding. False beyond all integers.
    bool cell(Real x, int d, int& index) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        return counted(cell_of(axes_[s], x), d, index);
    }
    /// The index of a cell that is counted from the domain's first.
    bool counted(double cell, int d, int& index) const noexcept {
        if (cell == no_cell) return false;
        const Long whole = static_cast<Long>(cell) + first_[static_cast<std::size_t>(d)];
        index = static_cast<int>(whole);
        return whole >= std::numeric_limits<int>::min() && whole <= std::numeric_limits<int>::max();
    }
    /// Direction d, for loops over many positions.
    const CellAxis& axis(int d) const noexcept { return axes_[static_cast<std::size_t>(d)]; }
    const FoldAxis& fold_axis(int d) const noexcept { return folds_[static_cast<std::size_t>(d)]; }
    /// The cells of a box in direction d, whose numbers are `stride` apart; `bin` of them have a number together.
    CellRange range(const Box<D>& box, int d, double stride, int bin = 1) const noexcept {
        const Long first = first_[static_cast<std::size_t>(d)];
        return {static_cast<double>(box.small_end(d) - first), static_cast<double>(box.big_end(d) - first),
                static_cast<double>(bin), stride};
    }

private:
    std::array<CellAxis, D> axes_;
    std::array<FoldAxis, D> folds_;
    std::array<int, D> first_;
};

}  // namespace zerofab::detail
