// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What fabs of a layout tell each other: ghost cells, sums over them, copies between layouts.
#pragma once

#include "zerofab/halo/halo_plan.hpp"
#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

// Every function here takes leases, so it may run without the GIL; it is threaded, and its result does not depend on
// the number of threads. Elements are float, double, int or 64-bit integers, else TypeError. All errors come before
// anything is written:
//   IndexError  components outside [0, ncomp of the field)
//   ValueError  a ghost count that is negative or more than the field has; fields that do not fit each other
//   StateError  a field without memory, or data of another rank without message passing

/// Give ghost points the values of valid points of other fabs, or of images over periodic boundaries.
///
/// `nghost` layers are filled; ghost points that no valid point meets stay as they are, and so do all valid points.
/// With `cross` only ghosts that are outside in one direction are filled, not corners. Nodal fabs share points: where
/// several fabs have a ghost point, the last of them counts (see HaloPlan; after override_sync they are all the same).
///
///     fill_boundary(mf.lease(), 0, mf.n_comp(), mf.n_grow_vect(), Periodicity<3>(IntVect<3>(64)));
template <int D>
ZEROFAB_API void fill_boundary(const Lease<D>& field, int scomp, int ncomp, const IntVect<D>& nghost,
                               const Periodicity<D>& period = {}, bool cross = false);

/// Add up what all fabs hold at a point: the reverse of fill_boundary.
///
/// To every point of a fab, with `dst_nghost` ghost layers, is added what all other fabs, with `src_nghost` layers, and
/// periodic images have there. Other ghost points stay as they are. Terms are added in a fixed order.
template <int D>
ZEROFAB_API void sum_boundary(const Lease<D>& field, int scomp, int ncomp, const IntVect<D>& src_nghost,
                              const IntVect<D>& dst_nghost, const Periodicity<D>& period = {});

/// What parallel_copy does with a value.
enum class CopyOp { copy, add };

/// Copy or add `ncomp` components from `src` to `dst`, wherever their points (with that many ghost layers) meet; the
/// layouts may differ, the index types may not (ValueError), nor the element types (TypeError). Where sources overlap,
/// a copy takes the last one (see HaloPlan) and a sum all of them. `src` and `dst` may share memory.
template <int D>
ZEROFAB_API void parallel_copy(const Lease<D>& dst, const Lease<D>& src, int scomp, int dcomp, int ncomp,
                               const IntVect<D>& src_nghost, const IntVect<D>& dst_nghost,
                               const Periodicity<D>& period = {}, CopyOp op = CopyOp::copy);

// ---- points that several fabs share: nodes. Cell-centred fields share none, and nothing happens to them.

/// Give every valid point the value of its owner: the fab of the lowest number that has it (over periodic boundaries
/// too), and in that fab the lowest image.
template <int D>
ZEROFAB_API void override_sync(const Lease<D>& field, int scomp, int ncomp, const Periodicity<D>& period = {});
/// The same with owners of one's own: all components, the sum over the fabs where `mask` (int, one component, the same
/// boxes and owners) is not 0.
template <int D>
ZEROFAB_API void override_sync(const Lease<D>& field, const Lease<D>& mask, const Periodicity<D>& period = {});
/// Give every valid point, in all components, the sum over its fabs of weight * value; `weight` has the same boxes,
/// owners and element type, and its first component counts.
template <int D>
ZEROFAB_API void weighted_sync(const Lease<D>& field, const Lease<D>& weight, const Periodicity<D>& period = {});
/// Give every valid point, in all components, the mean over the fabs that have it.  float and double only.
template <int D>
ZEROFAB_API void average_sync(const Lease<D>& field, const Periodicity<D>& period = {});

/// 1 where a fab owns the point (as in override_sync), else 0: an int field of one component without ghosts.
template <int D>
ZEROFAB_API Lease<D> owner_mask(const Lease<D>& field, const Periodicity<D>& period = {});
/// How many fabs and images have each valid point: a field of type T (double, float or int), one component, no ghosts.
template <int D, class T>
ZEROFAB_API Lease<D> overlap_mask(const Lease<D>& field, const Periodicity<D>& period = {});

}  // namespace zerofab
