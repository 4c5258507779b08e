// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The cells of positions: one definition, for loops over many (a table per instruction set) and for a single one.
#pragma once

#include <cstdint>

#include "zerofab/device/host_loops.hpp"

namespace zerofab {

/// The cells of a domain in one direction.
struct CellAxis {
    double lo, last;  ///< positions from lo to `last`, both included, are in the domain
    double inverse;   ///< 1 / size of a cell
    double most;      ///< the domain's last cell, counted from its first
};

/// A domain in one direction, and whether positions are brought back into it by whole periods.
struct FoldAxis {
    double lo, hi, last;  ///< positions from lo to `last`, both included, are in the domain
    bool periodic;
};

/// Some of these cells, and what they add to an index.
struct CellRange {
    double first, last;  ///< counted from the domain's first cell
    double bin;          ///< cells that have a number together; add_cell takes no notice of it
    double stride;       ///< what the next number adds
};

/// No cell. It stays below 0 whatever indices are added to it: they are less than 2^53.
inline constexpr double no_cell = -0x1p60;

// Internal to each file, for files are compiled for different instruction sets.
namespace {

/// x rounded down, for |x| < 2^51, in arithmetic that every instruction set has for whole vectors. NaN stays.
[[gnu::always_inline]] inline double rounded_down(double x) noexcept {
    constexpr double no_fraction = 0x1.8p52;  // numbers of this size have no bits below 1
    const double near = (x + no_fraction) - no_fraction;
    return near - (near > x ? 1.0 : 0.0);
}

/// x, brought into [lo, hi) by whole periods. NaN stays.
[[gnu::always_inline]] inline double folded_into(const FoldAxis& axis, double x) noexcept {
    constexpr double no_fraction = 0x1p52;
    const double length = axis.hi - axis.lo, periods = (x - axis.lo) / length;
    const double shift = periods < 0 ? -no_fraction : no_fraction;
    const double near = (periods + shift) - shift;
    const double down = near - (near > periods ? 1.0 : 0.0);
    const bool small = (periods < no_fraction) & (periods > -no_fraction);  // others are whole
    const bool inside = (x >= axis.lo) & (x < axis.hi);
    const double moved = x - (inside ? 0.0 : small ? down : periods) * length;
    const double raised = moved < axis.lo ? moved + length : moved;
    return raised >= axis.hi ? axis.lo : raised;  // hi itself, and what rounds to it, is lo
}

/// The cell of x, counted from the domain's first. What lies in the domain gets one of its cells, whatever the
/// rounding; no_cell 2^30 cells away from its lower end, and for NaN.
[[gnu::always_inline]] inline double cell_of(const CellAxis& axis, double x) noexcept {
    constexpr double far = 0x1p30;
    const double offset = (x - axis.lo) * axis.inverse;
    const double cell = rounded_down(offset);
    const double bounded = cell < axis.most ? cell : axis.most;  // that is the cell itself where x is below lo
    const bool near = (offset > -far) & (offset < far);
    return near ? (x <= axis.last ? bounded : cell) : no_cell;
}

}  // namespace

/// Loops over n positions or number words. Results have the same bits on every CPU.
///
///     loops.start(words, n, index);                       // 0, or no_cell
///     loops.add_cell(x_axis, x_cells, x, n, index);       // for each direction
///     if (index[i] >= 0) data[static_cast<std::size_t>(index[i])] += 1;
struct CellLoops {
    /// index[i] = 0 where the highest bit of a word is set, else no_cell.
    void (*start)(const std::uint64_t* words, std::int64_t n, double* index);
    /// index[i] += what the cell of x[i] adds, or becomes less than 0 if that is not in the range.
    void (*add_cell)(const CellAxis&, const CellRange&, const double* x, std::int64_t n, double* index);
    /// index[i] becomes no_cell if x[i] is not in the domain, or its cell not in the range.
    void (*keep_cell)(const CellAxis&, const CellRange&, const double* x, std::int64_t n, double* index);
    /// cell[i] = the cell of x[i] once that is folded. index[i] += 1 if folding changes x[i], and becomes less than 0
    /// if the result is not in the domain that is folded into, or in no cell.
    void (*fold_cell)(const FoldAxis&, const CellAxis&, const double* x, std::int64_t n, double* cell, double* index);
    /// index[i] += what the bin of x[i] adds. Cells outside the range count as its nearest, no_cell as its first.
    void (*add_bin)(const CellAxis&, const CellRange&, const double* x, std::int64_t n, double* index);
    /// How many words have their highest bit set.
    std::int64_t (*count_marked)(const std::uint64_t* words, std::int64_t n);
};

/// The table for this CPU: for host_isa().
[[nodiscard]] ZEROFAB_API const CellLoops& cell_loops() noexcept;
/// The table for one instruction set, or null if this CPU lacks it. For tests and benchmarks.
[[nodiscard]] ZEROFAB_API const CellLoops* cell_loops(HostIsa isa) noexcept;

extern const CellLoops cell_loops_baseline, cell_loops_avx2, cell_loops_avx512;

}  // namespace zerofab
