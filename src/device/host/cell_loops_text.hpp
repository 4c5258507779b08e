// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one text of the loops over cells; cell_loops_<isa>.cpp compiles it with that instruction set's flags. As in
// loops.hpp, nothing here may be emitted as an inline function that the linker shares.
#pragma once

#include "device/host/cell_loops.hpp"

namespace zerofab {
namespace {

void start_indices(const std::uint64_t* __restrict words, std::int64_t n, double* __restrict index) {
    for (std::int64_t i = 0; i < n; ++i) index[i] = static_cast<std::int64_t>(words[i]) < 0 ? 0.0 : no_cell;
}

void add_cells(const CellAxis& axis, const CellRange& range, const double* __restrict x, std::int64_t n,
               double* __restrict index) {
    const CellAxis a = axis;
    const CellRange r = range;
    for (std::int64_t i = 0; i < n; ++i) {
        const double cell = cell_of(a, x[i]);
        const bool in = (cell >= r.first) & (cell <= r.last);
        const double more = index[i] + (cell - r.first) * r.stride;
        index[i] = in ? more : no_cell;
    }
}

void keep_cells(const CellAxis& axis, const CellRange& range, const double* __restrict x, std::int64_t n,
                double* __restrict index) {
    const CellAxis a = axis;
    const CellRange r = range;
    for (std::int64_t i = 0; i < n; ++i) {
        const double cell = cell_of(a, x[i]);
        const bool in = (x[i] >= a.lo) & (x[i] <= a.last) & (cell >= r.first) & (cell <= r.last);
        index[i] = in ? index[i] : no_cell;
    }
}

template <bool periodic>
[[gnu::always_inline]] inline void fold_cells_of(FoldAxis fold, CellAxis a, const double* __restrict x, std::int64_t n,
                                                 double* __restrict cell, double* __restrict index) {
    for (std::int64_t i = 0; i < n; ++i) {
        const double folded = periodic ? folded_into(fold, x[i]) : x[i];
        const double found = cell_of(a, folded);
        const bool in = (folded >= fold.lo) & (folded <= fold.last);
        const double more = index[i] + (folded == x[i] ? 0.0 : 1.0);
        cell[i] = found;
        index[i] = in ? more : no_cell;
    }
}

void fold_cells(const FoldAxis& fold, const CellAxis& axis, const double* x, std::int64_t n, double* cell,
                double* index) {
    if (fold.periodic)
        fold_cells_of<true>(fold, axis, x, n, cell, index);
    else
        fold_cells_of<false>(fold, axis, x, n, cell, index);
}

template <bool many>
[[gnu::always_inline]] inline void add_bins_of(CellAxis a, CellRange r, const double* __restrict x, std::int64_t n,
                                               double* __restrict index) {
    for (std::int64_t i = 0; i < n; ++i) {
        const double found = cell_of(a, x[i]);  // no_cell comes before all others
        const double least = found > r.first ? found : r.first;
        double number = (least < r.last ? least : r.last) - r.first;
        // The quotient of integers below 2^53, rounded, is never rounded up to the next integer.
        if constexpr (many) number = rounded_down(number / r.bin);
        index[i] += number * r.stride;
    }
}

void add_bins(const CellAxis& axis, const CellRange& range, const double* x, std::int64_t n, double* index) {
    if (range.bin > 1)
        add_bins_of<true>(axis, range, x, n, index);
    else
        add_bins_of<false>(axis, range, x, n, index);
}

std::int64_t count_marked_words(const std::uint64_t* words, std::int64_t n) {
    std::uint64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) count += words[i] >> 63;
    return static_cast<std::int64_t>(count);
}

constexpr CellLoops cell_loops_table{.start = start_indices,
                                     .add_cell = add_cells,
                                     .keep_cell = keep_cells,
                                     .fold_cell = fold_cells,
                                     .add_bin = add_bins,
                                     .count_marked = count_marked_words};

}  // namespace
}  // namespace zerofab
