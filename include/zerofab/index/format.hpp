// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of index types, as plotfiles and messages write them.
#pragma once

#include <string>

#include "zerofab/base/export.hpp"
#include "zerofab/index/dim3.hpp"
#include "zerofab/index/geometry.hpp"

namespace zerofab {

/// The shortest text that reads back as x, e.g. "0.1".
ZEROFAB_API std::string to_string(Real x);
/// "(1,2,3)"
ZEROFAB_API std::string to_string(const Dim3& a);
/// "(1.5,2,3)"
ZEROFAB_API std::string to_string(const XDim3& a);

/// "(1,2,3)"
template <int D>
ZEROFAB_API std::string to_string(const IntVect<D>& a);
/// "(1.5,2,3)"
template <int D>
ZEROFAB_API std::string to_string(const RealVect<D>& a);
/// "(C,N,C)"
template <int D>
ZEROFAB_API std::string to_string(IndexType<D> t);
/// "((0,0,0) (63,63,63) (0,0,0))": low end, high end, one where nodal
template <int D>
ZEROFAB_API std::string to_string(const Box<D>& b);
/// "(RealBox 0 1 0 1 0 2)": low and high end of each direction
template <int D>
ZEROFAB_API std::string to_string(const RealBox<D>& b);
/// "true, false, true"
template <int D>
ZEROFAB_API std::string to_string(const Periodicity<D>& p);
/// Coordinates, physical domain, cell size, domain and periodicity on two lines.
template <int D>
ZEROFAB_API std::string to_string(const Geometry<D>& g);

}  // namespace zerofab
