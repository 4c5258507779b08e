// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles counted into the cells of a field.
#pragma once

#include <vector>

#include "zerofab/index/geometry.hpp"
#include "zerofab/mesh/fab_array.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab::detail {

/// Add the valid particles of each tile to component 0 of the local fab of the same place in `fabs`; false, and nothing
/// has happened, if the host must do it.
template <int D>
bool deposit_on_device(const FabBody<D>& body, const Geometry<D>& geom, std::vector<TileView>& tiles,
                       const std::vector<int>& fabs);

/// The same on the host, where the tiles are. The result does not depend on the number of threads: where a fab gets at
/// least as many particles as it has cells, they are counted first, and each cell gets its number in one addition; else
/// they are added one by one, in their order.
template <int D>
void deposit_on_host(const FabBody<D>& body, const Geometry<D>& geom, const std::vector<TileView>& tiles,
                     const std::vector<int>& fabs);

}  // namespace zerofab::detail
