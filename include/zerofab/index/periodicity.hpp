// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Periodicity<D>: which directions repeat, and after how many cells.
#pragma once

#include <limits>
#include <vector>

#include "zerofab/index/box.hpp"
#include "zerofab/index/int_vect.hpp"

namespace zerofab {

namespace detail {
/// Throw ValueError: a period below 0.
[[noreturn]] ZEROFAB_API void throw_bad_period(int period);
}  // namespace detail

/// The period of each direction in points; 0 where the direction does not repeat.
///
///     Periodicity<2> p(IntVect<2>(64, 0));          // x repeats after 64 cells
///     for (const IntVect<2>& s : p.shift_int_vects()) { /* (-64,0), (0,0), (64,0) */ }
template <int D>
class Periodicity {
public:
    /// Nothing repeats.
    constexpr Periodicity() = default;
    /// ValueError for a negative period.
    explicit constexpr Periodicity(const IntVect<D>& period) : period_(period) {
        if (!period.all_ge(0)) detail::throw_bad_period(period.min());
    }
    static constexpr Periodicity non_periodic() { return Periodicity(); }

    constexpr const IntVect<D>& period() const { return period_; }
    constexpr bool is_periodic(int d) const { return period_[d] > 0; }
    constexpr bool is_any_periodic() const { return period_.max() > 0; }
    constexpr bool is_all_periodic() const { return period_.min() > 0; }

    /// The box of one period, from 0. Directions that do not repeat span nearly all integers.
    constexpr Box<D> domain() const {
        IntVect<D> lo, hi;
        for (int d = 0; d < D; ++d) {
            lo[d] = is_periodic(d) ? 0 : std::numeric_limits<int>::lowest();
            hi[d] = is_periodic(d) ? period_[d] - 1 : std::numeric_limits<int>::max() - 1;
        }
        return Box<D>(lo, hi);
    }

    /// The shifts to all images that ghost layers of width `nghost` can meet, zero included, x fastest.
    /// One period to each side, more where nghost is wider than the period.
    std::vector<IntVect<D>> shift_int_vects(const IntVect<D>& nghost = IntVect<D>::zero()) const {
        IntVect<D> reach;
        for (int d = 0; d < D; ++d) {
            if (is_periodic(d)) reach[d] = std::max(1, detail::ceil_div(std::max(nghost[d], 0), period_[d]));
        }
        std::vector<IntVect<D>> shifts;
        for_each_point(Box<D>(-reach, reach), [&](const IntVect<D>& i) { shifts.push_back(i * period_); });
        return shifts;
    }

    friend constexpr bool operator==(const Periodicity&, const Periodicity&) = default;

private:
    IntVect<D> period_{};
};

}  // namespace zerofab
