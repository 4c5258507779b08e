// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// IndexType<D>: whether values sit on cells or on nodes, for each direction.
#pragma once

#include <cstdint>

#include "zerofab/index/int_vect.hpp"

namespace zerofab {

/// Where values sit in one direction.
enum class CellIndex : int { cell = 0, node = 1 };

/// Cell or node in each of D directions; all cell by default. Directions are not range-checked.
///
///     IndexType<3> face_x;            // cell
///     face_x.set(0);                  // node in x: faces normal to x
template <int D>
class IndexType {
public:
    constexpr IndexType() = default;
    /// Node where the component is not zero.
    explicit constexpr IndexType(const IntVect<D>& iv) {
        for (int d = 0; d < D; ++d) set_type(d, iv[d] != 0 ? CellIndex::node : CellIndex::cell);
    }

    static constexpr IndexType cell() { return IndexType(); }
    static constexpr IndexType node() { return IndexType(IntVect<D>::unit()); }

    constexpr bool node_centered(int d) const { return ((bits_ >> d) & 1) != 0; }
    constexpr bool cell_centered(int d) const { return !node_centered(d); }
    /// Node in every direction.
    constexpr bool node_centered() const { return bits_ == all_bits; }
    /// Cell in every direction.
    constexpr bool cell_centered() const { return bits_ == 0; }
    /// Node in at least one direction.
    constexpr bool any() const { return bits_ != 0; }
    constexpr CellIndex type(int d) const { return node_centered(d) ? CellIndex::node : CellIndex::cell; }

    constexpr void set(int d) { bits_ = static_cast<std::uint8_t>(bits_ | (1 << d)); }
    constexpr void unset(int d) { bits_ = static_cast<std::uint8_t>(bits_ & ~(1 << d)); }
    constexpr void flip(int d) { bits_ = static_cast<std::uint8_t>(bits_ ^ (1 << d)); }
    constexpr void set_type(int d, CellIndex t) { t == CellIndex::node ? set(d) : unset(d); }

    /// One where nodal, else zero.
    constexpr IntVect<D> to_int_vect() const {
        IntVect<D> r;
        for (int d = 0; d < D; ++d) r[d] = node_centered(d) ? 1 : 0;
        return r;
    }
    /// Bit d is set where direction d is nodal.
    constexpr std::uint8_t bits() const { return bits_; }

    friend constexpr bool operator==(IndexType, IndexType) = default;
    /// Order by bits, x the lowest.
    friend constexpr bool operator<(IndexType a, IndexType b) { return a.bits_ < b.bits_; }

private:
    static constexpr std::uint8_t all_bits = (1 << D) - 1;
    std::uint8_t bits_ = 0;
};

}  // namespace zerofab
