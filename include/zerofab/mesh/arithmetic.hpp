// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on FabArrays, each operation in one pass over memory.
#pragma once

#include <optional>

#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

/// The part of a field that an operation works on: components [comp, comp + ncomp) of the valid points of every box,
/// grown by nghost, and only those in `region` if there is one (of the field's index type).
///
///     plus(mf, 1.0, {.comp = 0, .ncomp = 2, .nghost = IntVect<3>(1)});
template <int D>
struct Selection {
    int comp = 0;
    int ncomp = 1;
    IntVect<D> nghost{};
    std::optional<Box<D>> region{};
};

/// All components on the valid points.
template <int D>
[[nodiscard]] Selection<D> all_valid(const FabArrayBase<D>& field) {
    return {.comp = 0, .ncomp = field.n_comp()};
}

/// All components on all points, ghosts included.
template <int D>
[[nodiscard]] Selection<D> all_with_ghosts(const FabArrayBase<D>& field) {
    return {.comp = 0, .ncomp = field.n_comp(), .nghost = field.n_grow_vect()};
}

/// A field that is read, from component `comp` on; as many components as the destination's Selection has.
template <int D, class T>
struct Source {
    const FabArray<D, T>& field;
    int comp = 0;
};

// All operations work on the local boxes with all threads, and hold leases while they run. Everything is checked before
// anything is written: IndexError for components that a field does not have; ValueError for ghost points that one does
// not have, for fields of different boxes, owners or index types (a copy between layouts is halo's parallel copy), and
// for a region of another index type; StateError for an empty field or one without memory.
// A source may be the destination itself, with the same or other components: it is read as it was before. Integers wrap
// around; where an integer divisor is 0, ValueError.

/// z = a
template <int D, class T>
ZEROFAB_API void set_val(const FabArray<D, T>& z, T a, const Selection<D>& where);
/// z += a
template <int D, class T>
ZEROFAB_API void plus(const FabArray<D, T>& z, T a, const Selection<D>& where);
/// z *= a
template <int D, class T>
ZEROFAB_API void mult(const FabArray<D, T>& z, T a, const Selection<D>& where);
/// z /= a
template <int D, class T>
ZEROFAB_API void divide(const FabArray<D, T>& z, T a, const Selection<D>& where);
/// z = a / z
template <int D, class T>
ZEROFAB_API void invert(const FabArray<D, T>& z, T a, const Selection<D>& where);
/// z = -z
template <int D, class T>
ZEROFAB_API void negate(const FabArray<D, T>& z, const Selection<D>& where);
/// z = |z|
template <int D, class T>
ZEROFAB_API void abs(const FabArray<D, T>& z, const Selection<D>& where);

/// z = x
template <int D, class T>
ZEROFAB_API void copy(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x);
/// z += x
template <int D, class T>
ZEROFAB_API void add(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x);
/// z -= x
template <int D, class T>
ZEROFAB_API void subtract(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x);
/// z *= x
template <int D, class T>
ZEROFAB_API void multiply(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x);
/// z /= x
template <int D, class T>
ZEROFAB_API void divide(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x);
/// z += a x
template <int D, class T>
ZEROFAB_API void saxpy(const FabArray<D, T>& z, const Selection<D>& where, T a, const Source<D, T>& x);
/// z = x + a z
template <int D, class T>
ZEROFAB_API void xpay(const FabArray<D, T>& z, const Selection<D>& where, T a, const Source<D, T>& x);
/// z = a x + b y
template <int D, class T>
ZEROFAB_API void lin_comb(const FabArray<D, T>& z, const Selection<D>& where, T a, const Source<D, T>& x, T b,
                          const Source<D, T>& y);
/// z += x y
template <int D, class T>
ZEROFAB_API void add_product(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x,
                             const Source<D, T>& y);
/// Exchange the numbers of z and x (the memory stays where it is). ValueError if the two ranges of components overlap
/// in one field without being the same.
template <int D, class T>
ZEROFAB_API void swap(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x);

}  // namespace zerofab
