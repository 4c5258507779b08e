// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Cells of a FabArray by their index in the whole domain, whatever boxes hold them: `mfab[i, j, k, n]`.
#pragma once

#include <array>
#include <cstdint>

#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

/// Numbers first, first + step, ...: `count` of them.
struct AxisRange {
    Long first = 0;
    Long step = 1;
    Long count = 0;

    [[nodiscard]] constexpr Long at(Long i) const noexcept { return first + i * step; }
};

/// What an axis can be asked for: cells low..high, and `ghosts` more on both sides.
///
///     low - ghosts  ...  low - 1 | low  ...  high | high + 1  ...  high + ghosts
///         -2j            -1j       0j                 1j               2j           with 2 ghosts
///                                  low      -1
struct AxisDomain {
    Long low = 0;
    Long high = -1;
    Long ghosts = 0;
    char name = 'x';  ///< x, y, z, or n for components
};

/// A number in an index: nothing (an open end of a slice), an integer, or an imaginary one, which counts ghost cells.
struct IndexBound {
    enum class Kind { open, integer, imaginary };
    Kind kind = Kind::open;
    Long value = 0;
};

/// The index that a bound means: an integer is a global index, or counts from the end where negative (-1 is `high`);
/// an imaginary -n counts down from `low`, n > 0 up from `high`, and 0 is `low`. IndexError if a negative integer
/// counts back beyond `low`.
[[nodiscard]] ZEROFAB_API Long global_index_of(const IndexBound& bound, const AxisDomain& domain);

/// One number: IndexError unless it is a cell or ghost cell of the domain.
[[nodiscard]] ZEROFAB_API AxisRange select_one(const IndexBound& bound, const AxisDomain& domain);
/// A slice: open ends mean the valid cells; imaginary ends stop at the last ghost cell that there is. IndexError if a
/// selected number is no cell or ghost cell; ValueError for a step of 0.
[[nodiscard]] ZEROFAB_API AxisRange select_slice(const IndexBound& start, const IndexBound& stop, Long step,
                                                 const AxisDomain& domain);
/// All valid cells, or those with all ghosts.
[[nodiscard]] ZEROFAB_API AxisRange select_all(const AxisDomain& domain, bool with_ghosts) noexcept;

/// Cells and components of a FabArray: one range per direction.
template <int D>
struct GlobalSelection {
    std::array<AxisRange, D> cells;
    AxisRange comps;

    [[nodiscard]] Long size() const noexcept {
        Long n = comps.count;
        for (const AxisRange& range : cells) n *= range.count;
        return n;
    }
};

/// The domain of axis `axis` (D: components): the smallest box around all boxes, and the ghosts of the FabArray.
template <int D>
[[nodiscard]] ZEROFAB_API AxisDomain axis_domain(const FabBody<D>& body, int axis);

/// Strides, in elements, of memory that a selection is read into or written from: directions, then components.
/// 0 repeats a value.
template <int D>
using SelectionStrides = std::array<std::int64_t, D + 1>;

/// Copy selected numbers into `out`, of the FabArray's own type. Only boxes that hold one are looked at.
///
/// Valid cells come from a box that has them as valid cells, the last one where boxes overlap; ghost cells outside the
/// domain from the box that holds the nearest valid cell. All others, as those of a hole between boxes, come from the
/// last box that has them as ghost cells, so that a read gives what a write wrote. Cells that no box holds read as 0.
/// Several threads work if there is much to copy.
template <int D>
ZEROFAB_API void read_selection(const FabBody<D>& body, const GlobalSelection<D>& selection, void* out,
                                const SelectionStrides<D>& strides);

/// Copy `in` into selected numbers: into every box that has the cell, as valid cell or as ghost. Only those boxes are
/// looked at. Cells that no box has are left out; IndexError, before anything is written, if there is no other.
template <int D>
ZEROFAB_API void write_selection(const FabBody<D>& body, const GlobalSelection<D>& selection, const void* in,
                                 const SelectionStrides<D>& strides);

/// Whether [begin, end) shares a byte with memory that write_selection() would write.
template <int D>
[[nodiscard]] ZEROFAB_API bool overlaps(const FabBody<D>& body, const GlobalSelection<D>& selection, const void* begin,
                                        const void* end);

/// One number: its place in the box that read_selection() would take it from, null if no box of this rank has it. The
/// component must exist.
template <int D>
[[nodiscard]] ZEROFAB_API void* find_element(const FabBody<D>& body, const IntVect<D>& cell, int comp);

/// Write one number, `value` of the FabArray's own type, into every box of this rank that has the cell, as valid cell
/// or as ghost; false if none has. The component must exist.
template <int D>
ZEROFAB_API bool write_element(const FabBody<D>& body, const IntVect<D>& cell, int comp, const void* value);

}  // namespace zerofab
