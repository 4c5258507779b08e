// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// HaloPlan<D>: who sends which box to whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "zerofab/index/periodicity.hpp"
#include "zerofab/mesh/fab_layout.hpp"

namespace zerofab {

/// One box of points that one fab gives to another (or, over a periodic boundary, to itself).
///
///     point p of `box` in fab `dst` takes its value from point p + shift of fab `src`
template <int D>
struct HaloCopy {
    int src, dst;  ///< local numbers where this rank owns the fab, else global ones: see HaloPlan
    Box<D> box;
    IntVect<D> shift;
    /// First element of this copy in the staging memory of its plan, per component; -1 if it needs none.
    std::int64_t stage = -1;

    friend bool operator==(const HaloCopy&, const HaloCopy&) = default;
};

/// What moves between the fabs of one or two layouts.
template <int D>
struct HaloRequest {
    /// Which points of a destination fab are written.
    enum class Kind : int {
        ghosts,  ///< all but its own valid points, from valid points of the others: fill_boundary
        all,     ///< every point, from every point of the sources: parallel_copy
        others,  ///< every point, from every point of the sources but itself: sum_boundary
        owned,   ///< valid points that it does not own, each from the one that does: override_sync
    };

    Kind kind = Kind::ghosts;
    IntVect<D> src_nghost{};  ///< ghost points of a source that are read
    IntVect<D> dst_nghost{};  ///< ghost points of a destination that are written
    Periodicity<D> period{};
    bool cross = false;  ///< kind ghosts: leave out what is outside in more than one direction
};

/// The copies that one rank takes part in, for one request.
///
/// The order is fixed by the boxes alone: destinations ascending; in one destination by shift (x counts most), then by
/// source. Where copies meet in a point, a copying operation lets the last one win and a summing one adds in this
/// order, so results depend neither on threads nor on ranks.
///
/// Both partners of a message list the same copies in the same order: `sends` of rank a to rank b is `receives` of
/// rank b from rank a, but for the local numbers.
template <int D>
struct ZEROFAB_API HaloPlan {
    /// The copies into one destination fab: copies[first] to copies[last - 1].
    struct Group {
        int dst;  ///< local number
        std::size_t first, last;
    };

    std::vector<HaloCopy<D>> copies;                   ///< from this rank to itself; src and dst are local numbers
    std::vector<Group> groups;                         ///< neighbours in space follow each other
    std::map<int, std::vector<HaloCopy<D>>> sends;     ///< by receiving rank; src local, dst global
    std::map<int, std::vector<HaloCopy<D>>> receives;  ///< by sending rank; src global, dst local
    std::int64_t staged = 0;                           ///< points of staging memory per component
    std::int64_t points = 0;                           ///< points of all `copies`

    /// Bytes that the plan holds.
    [[nodiscard]] std::size_t bytes() const noexcept;
};

/// Work out the plan of `rank` for moving data from fabs over `src` to fabs over `dst`; `*_owners[i]` is the rank of
/// box i. For every kind but `all`, both must be the same boxes. No communicator takes part.
///
/// The time is proportional to the number of boxes of the rank and of the copies. ValueError if index types differ.
template <int D>
ZEROFAB_API HaloPlan<D> build_halo_plan(const BoxArray<D>& dst, const std::vector<int>& dst_owners,
                                        const BoxArray<D>& src, const std::vector<int>& src_owners,
                                        const HaloRequest<D>& request, int rank);

/// The plan of this rank between two layouts (which may be one), made at the first call and kept in `dst`, as PlanCache
/// says, while both layouts live.
template <int D>
ZEROFAB_API std::shared_ptr<const HaloPlan<D>> halo_plan(const FabLayout<D>& dst, const FabLayout<D>& src,
                                                         const HaloRequest<D>& request);

}  // namespace zerofab
