// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// CoordSys: which coordinates a geometry uses.
#pragma once

#include "zerofab/base/export.hpp"

namespace zerofab {

/// The kinds of coordinates; the values are those that plotfiles hold.
enum class CoordType : int { undef = -1, cartesian = 0, rz = 1, spherical = 2 };

/// The kind of an integer -1, 0, 1, 2; ValueError for another one.
ZEROFAB_API CoordType coord_type(int value);

/// A kind of coordinates, `undef` at first.
class CoordSys {
public:
    constexpr CoordSys() = default;
    explicit constexpr CoordSys(CoordType coord) : coord_(coord) {}

    constexpr CoordType coord() const { return coord_; }
    constexpr int coord_int() const { return static_cast<int>(coord_); }
    constexpr void set_coord(CoordType coord) { coord_ = coord; }
    /// Whether the size of the cells is known, as in a Geometry with both domains. The kind does not matter.
    constexpr bool ok() const { return ok_; }
    constexpr bool is_cartesian() const { return coord_ == CoordType::cartesian; }
    constexpr bool is_rz() const { return coord_ == CoordType::rz; }
    constexpr bool is_spherical() const { return coord_ == CoordType::spherical; }

    friend constexpr bool operator==(const CoordSys&, const CoordSys&) = default;

protected:
    constexpr void set_ok() { ok_ = true; }

private:
    CoordType coord_ = CoordType::undef;
    bool ok_ = false;
};

}  // namespace zerofab
