// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Sums, extrema and norms of FabArrays.
#pragma once

#include <vector>

#include "zerofab/device/host_loops.hpp"
#include "zerofab/index/periodicity.hpp"
#include "zerofab/mesh/arithmetic.hpp"

namespace zerofab {

// Every reduction is collective and gives the same on all ranks, unless `local` asks for this rank's share. Results do
// not depend on the number of threads: partial results are joined in the order of the boxes. Sums are compensated.
// Errors are those of arithmetic.hpp.
//
// "Unique": a node that several boxes share, or that is the periodic image of another, counts once, in the box of the
// lowest number. "Weighted": a point that m boxes, or periodic images of boxes, have counts 1/m in each of them.

/// Sum over the selected points of all selected components.
template <int D, class T>
ZEROFAB_API LoopSum<T> sum(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// Sum of one component over the unique valid points; of cells, over all valid ones.
template <int D, class T>
ZEROFAB_API LoopSum<T> sum_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period = {},
                                  bool local = false);
/// The same over the unique valid points in a region; periodic images count as different points.
template <int D, class T>
ZEROFAB_API LoopSum<T> sum_unique(const FabArray<D, T>& x, int comp, const Box<D>& region, bool local = false);

/// Smallest number; NaN is passed over. Without any number: +inf (integers: the largest one).
template <int D, class T>
ZEROFAB_API T min(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// Largest number; NaN is passed over. Without any number: -inf (integers: the smallest one).
template <int D, class T>
ZEROFAB_API T max(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// Where the smallest number is: of equal ones the last, in the order of boxes and of memory. ValueError if the field
/// has no number.
template <int D, class T>
ZEROFAB_API IntVect<D> min_index(const FabArray<D, T>& x, int comp, const IntVect<D>& nghost);
/// Where the largest number is; as min_index.
template <int D, class T>
ZEROFAB_API IntVect<D> max_index(const FabArray<D, T>& x, int comp, const IntVect<D>& nghost);

/// Largest |x|; NaN if there is one.
template <int D, class T>
ZEROFAB_API T norm0(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// Largest |x| where the mask is not 0; the mask has the field's layout and is read at component 0.
template <int D, class T>
ZEROFAB_API T norm0(const FabArray<D, T>& x, const Selection<D>& where, const FabArray<D, int>& mask,
                    bool local = false);
/// Sum of |x|.
template <int D, class T>
ZEROFAB_API LoopSum<T> norm1(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// Sum of |x| of one component over the weighted valid points; of integers, rounded once, at the end.
template <int D, class T>
ZEROFAB_API LoopSum<T> norm1_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period,
                                    bool local = false);
/// Square root of the sum of squares.
template <int D, class T>
ZEROFAB_API double norm2(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// The same of one component over the weighted valid points.
template <int D, class T>
ZEROFAB_API double norm2_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local = false);

/// Sum of x y.
template <int D, class T>
ZEROFAB_API LoopSum<T> dot(const FabArray<D, T>& x, const Selection<D>& where, const Source<D, T>& y,
                           bool local = false);
/// Sum of x y where the mask is not 0; the mask has the fields' layout and is read at component 0.
template <int D, class T>
ZEROFAB_API LoopSum<T> dot(const FabArray<D, T>& x, const Selection<D>& where, const Source<D, T>& y,
                           const FabArray<D, int>& mask, bool local = false);

/// Whether there is a NaN; false for integers.
template <int D, class T>
ZEROFAB_API bool contains_nan(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);
/// Whether there is an infinite number; false for integers.
template <int D, class T>
ZEROFAB_API bool contains_inf(const FabArray<D, T>& x, const Selection<D>& where, bool local = false);

}  // namespace zerofab
