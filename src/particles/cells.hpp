// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The cell of a position.
#pragma once

#include <cmath>
#include <limits>

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
            lo_[s] = geom.prob_lo(d);
            hi_[s] = geom.prob_hi(d);
            inverse_[s] = geom.inv_cell_size(d);
            first_[s] = geom.domain().small_end(d);
            last_[s] = geom.domain().big_end(d);
            periodic_[s] = geom.is_periodic(d);
        }
    }

    Real fold(Real x, int d) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        return periodic_[s] ? fold_into(x, lo_[s], hi_[s]) : x;
    }
    bool is_periodic(int d) const noexcept { return periodic_[static_cast<std::size_t>(d)]; }
    /// Whether x lies in the domain in direction d: in [lo, hi), or [lo, hi] if that is not periodic.
    bool inside(Real x, int d) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        return x >= lo_[s] && (x < hi_[s] || (x == hi_[s] && !periodic_[s]));
    }
    /// The cell of x; what lies in the domain gets one of its cells, whatever the rounding. False beyond all integers.
    bool cell(Real x, int d, int& index) const noexcept {
        const auto s = static_cast<std::size_t>(d);
        const Real offset = (x - lo_[s]) * inverse_[s];
        constexpr Real most = Real{1 << 30};
        if (!(offset > -most && offset < most)) return false;
        Long whole = static_cast<Long>(offset);  // rounded down by hand: floor is a call on plain x86-64
        whole -= static_cast<Real>(whole) > offset ? 1 : 0;
        const Long found = whole + first_[s];
        if (inside(x, d)) {
            index = static_cast<int>(std::min<Long>(std::max<Long>(found, first_[s]), last_[s]));
            return true;
        }
        index = static_cast<int>(found);
        return found >= std::numeric_limits<int>::min() && found <= std::numeric_limits<int>::max();
    }

private:
    std::array<Real, D> lo_, hi_, inverse_;
    std::array<int, D> first_, last_;
    std::array<bool, D> periodic_;
};

}  // namespace zerofab::detail
