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

/// x, brought into [lo, hi) by whole periods; NaN stays.
inline Real fold_into(Real x, Real lo, Real hi) noexcept {
    if (x >= lo && x < hi) return x;
    const Real length = hi - lo;
    x -= std::floor((x - lo) / length) * length;
    if (x < lo) x += length;
    return x >= hi ? lo : x;  // hi itself, and what rounds to it, is lo
}

/// The positions of one geometry as cells.
template <int D>
class CellFinder {
public:
    explicit CellFinder(const Geometry<D>& geom) {
        for (int d = 0; d < D; ++d) {
            const auto s = static_cast<std::size_t>(d);
            const Real lo = geom.prob_lo(d), hi = geom.prob_hi(d);
            hi_[s] = hi;
            periodic_[s] = geom.is_periodic(d);
            first_[s] = geom.domain().small_end(d);
            // The high end belongs to the domain where that is not periodic.
            axes_[s] = {lo, periodic_[s] ? std::nextafter(hi, lo) : hi, geom.inv_cell_size(d),
                        static_cast<double>(Long{geom.domain().big_end(d)} - first_[s])};
        }
    }

    Real fold(Real x, int d) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        return periodic_[s] ? fold_into(x, axes_[s].lo, hi_[s]) : x;
    }
    bool is_periodic(int d) const noexcept { return periodic_[static_cast<std::size_t>(d)]; }
    /// Whether x lies in the domain in direction d: in [lo, hi), or [lo, hi] if that is not periodic.
    bool inside(Real x, int d) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        return x >= axes_[s].lo && x <= axes_[s].last;
    }
    /// The cell of x; what lies in the domain gets one of its cells, whatever the rounding. False beyond all integers.
    bool cell(Real x, int d, int& index) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        const double found = cell_of(axes_[s], x);
        if (found == no_cell) return false;
        const Long whole = static_cast<Long>(found) + first_[s];
        index = static_cast<int>(whole);
        return whole >= std::numeric_limits<int>::min() && whole <= std::numeric_limits<int>::max();
    }
    /// Direction d, for loops over many positions.
    const CellAxis& axis(int d) const noexcept { return axes_[static_cast<std::size_t>(d)]; }
    /// The cells of a box in direction d, whose numbers are `stride` apart; `bin` of them have a number together.
    CellRange range(const Box<D>& box, int d, double stride, int bin = 1) const noexcept {
        const Long first = first_[static_cast<std::size_t>(d)];
        return {static_cast<double>(box.small_end(d) - first), static_cast<double>(box.big_end(d) - first),
                static_cast<double>(bin), stride};
    }

private:
    std::array<CellAxis, D> axes_;
    std::array<Real, D> hi_;
    std::array<int, D> first_;
    std::array<bool, D> periodic_;
};

}  // namespace zerofab::detail
