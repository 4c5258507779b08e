// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// RealBox<D>: a rectangle of physical space.
#pragma once

#include <array>

#include "zerofab/base/types.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/index/real_vect.hpp"

namespace zerofab {

/// The points x with lo <= x <= hi in every direction; not ok() if hi < lo in any of them.
///
///     RealBox<2> rb(RealVect<2>(0., 0.), RealVect<2>(1., 2.));
///     bool in = rb.contains(RealVect<2>(1.05, 1.), 0.1);     // true: within 0.1 of it
template <int D>
class RealBox {
public:
    /// Not ok: lo = 0, hi = -1.
    constexpr RealBox() : hi_(Real{-1}) {}
    constexpr RealBox(const RealVect<D>& lo, const RealVect<D>& hi) : lo_(lo), hi_(hi) {}
    /// What `bx` covers if a cell is dx wide and cell 0 starts at base: cells to their far side, nodes exactly.
    constexpr RealBox(const Box<D>& bx, const RealVect<D>& dx, const RealVect<D>& base) {
        const IntVect<D> nodal = bx.ix_type().to_int_vect();
        for (int d = 0; d < D; ++d) {
            lo_[d] = base[d] + dx[d] * static_cast<Real>(bx.small_end(d));
            hi_[d] = base[d] + dx[d] * static_cast<Real>(Long{bx.big_end(d)} + 1 - nodal[d]);
        }
    }

    constexpr const RealVect<D>& lo() const { return lo_; }
    constexpr const RealVect<D>& hi() const { return hi_; }
    constexpr Real lo(int d) const { return lo_[d]; }
    constexpr Real hi(int d) const { return hi_[d]; }
    constexpr void set_lo(const RealVect<D>& lo) { lo_ = lo; }
    constexpr void set_hi(const RealVect<D>& hi) { hi_ = hi; }
    constexpr void set_lo(int d, Real x) { lo_[d] = x; }
    constexpr void set_hi(int d, Real x) { hi_[d] = x; }

    constexpr Real length(int d) const { return hi_[d] - lo_[d]; }
    constexpr bool ok() const { return lo_.all_le(hi_); }
    /// Area or volume; 0 if not ok().
    constexpr Real volume() const { return ok() ? (hi_ - lo_).product() : Real{0}; }

    /// Whether the point is inside, or outside by at most eps.
    constexpr bool contains(const RealVect<D>& x, Real eps = 0) const {
        return (lo_ - eps).all_le(x) && x.all_le(hi_ + eps);
    }
    /// Whether both ends of rb are inside, or outside by at most eps.
    constexpr bool contains(const RealBox& rb, Real eps = 0) const {
        return (lo_ - eps).all_le(rb.lo_) && rb.hi_.all_le(hi_ + eps);
    }
    /// Whether they have a common point; the rim counts.
    constexpr bool intersects(const RealBox& rb) const { return lo_.all_le(rb.hi_) && rb.lo_.all_le(hi_); }

    friend constexpr bool operator==(const RealBox&, const RealBox&) = default;

private:
    RealVect<D> lo_, hi_;
};

/// Whether all ends differ by at most eps.
template <int D>
constexpr bool almost_equal(const RealBox<D>& a, const RealBox<D>& b, Real eps = 0) {
    return a.lo().all_le(b.lo() + eps) && b.lo().all_le(a.lo() + eps) && a.hi().all_le(b.hi() + eps) &&
           b.hi().all_le(a.hi() + eps);
}

}  // namespace zerofab
