// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Dim3 and XDim3: three numbers whatever the dimension; Direction: a name for each axis.
#pragma once

#include "zerofab/base/types.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/index/int_vect.hpp"

namespace zerofab {

/// The axes by name; the value is the position in an IntVect.
enum class Direction : int { x = 0, y = 1, z = 2 };

/// Three integers: array bounds are always three-dimensional.
struct Dim3 {
    int x = 0, y = 0, z = 0;
    friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

/// Three reals.
struct XDim3 {
    Real x = 0, y = 0, z = 0;
    friend constexpr bool operator==(const XDim3&, const XDim3&) = default;
};

/// The components of iv; `fill` where the dimension has none.
template <int D>
constexpr Dim3 to_dim3(const IntVect<D>& iv, int fill = 0) {
    return {iv[0], D > 1 ? iv[D > 1 ? 1 : 0] : fill, D > 2 ? iv[D > 2 ? 2 : 0] : fill};
}

/// The low end of a box, 0 in missing directions.
template <int D>
constexpr Dim3 lbound(const Box<D>& b) {
    return to_dim3(b.small_end());
}
/// The high end of a box, included; 0 in missing directions.
template <int D>
constexpr Dim3 ubound(const Box<D>& b) {
    return to_dim3(b.big_end());
}
/// Where a loop over the box starts: lbound.
template <int D>
constexpr Dim3 begin(const Box<D>& b) {
    return lbound(b);
}
/// Where a loop over the box stops, not included: ubound + 1, 1 in missing directions.
template <int D>
constexpr Dim3 end(const Box<D>& b) {
    return to_dim3(b.big_end() + 1, 1);
}
/// Points in each direction, 1 in missing directions.
template <int D>
constexpr Dim3 length(const Box<D>& b) {
    return to_dim3(b.length(), 1);
}

/// Division by ratio >= 1, rounded down; directions that the ratio lacks are unchanged.
template <int D>
constexpr Dim3 coarsen(const Dim3& a, const IntVect<D>& ratio) {
    const Dim3 r = to_dim3(ratio, 1);
    return {detail::floor_div(a.x, r.x), detail::floor_div(a.y, r.y), detail::floor_div(a.z, r.z)};
}
/// Multiplication by ratio; directions that the ratio lacks are unchanged.
template <int D>
constexpr Dim3 refine(const Dim3& a, const IntVect<D>& ratio) {
    const Dim3 r = to_dim3(ratio, 1);
    return {detail::mul(a.x, r.x), detail::mul(a.y, r.y), detail::mul(a.z, r.z)};
}

}  // namespace zerofab
