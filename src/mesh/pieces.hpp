// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How an operation on a FabArray is cut into pieces of work, and what is checked before it starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/device/host_loops.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/index/format.hpp"
#include "zerofab/mesh/arithmetic.hpp"

namespace zerofab::detail {

/// A part of a local box, never empty, small enough to share out among threads.
template <int D>
struct Piece {
    int local;
    Box<D> box;
};

/// The pieces of an operation, in the order of the boxes and of memory. How it is cut depends on the boxes alone, not
/// on the number of threads, so that partial results always are the same ones.
template <int D>
class Pieces {
public:
    /// The selected points of all local boxes.
    Pieces(const FabBody<D>& body, const Selection<D>& where) {
        pieces_.reserve(static_cast<std::size_t>(body.num_local()));
        for (int local = 0; local < body.num_local(); ++local) {
            Box<D> box = zerofab::grow(body.valid_box(local), where.nghost);
            if (where.region) box &= *where.region;
            add(local, box);
        }
    }
    /// These parts of local boxes.
    explicit Pieces(const std::vector<Piece<D>>& parts) {
        pieces_.reserve(parts.size());
        for (const Piece<D>& part : parts) add(part.local, part.box);
    }

    [[nodiscard]] std::size_t size() const noexcept { return pieces_.size(); }
    [[nodiscard]] const Piece<D>& operator[](std::size_t i) const { return pieces_[i]; }
    [[nodiscard]] const std::vector<Piece<D>>& all() const noexcept { return pieces_; }

    /// Call work(number, piece) for every piece, on all threads if there is enough to do.
    template <class Work>
    void for_each(int ncomp, Work work) const {
        const auto run = [&](std::int64_t group) {
            const auto first = static_cast<std::size_t>(starts_[static_cast<std::size_t>(group)]);
            const auto next = static_cast<std::size_t>(group) + 1;
            const std::size_t last = next < starts_.size() ? starts_[next] : pieces_.size();
            for (std::size_t i = first; i < last; ++i) work(i, pieces_[i]);
        };
        const auto groups = static_cast<std::int64_t>(starts_.size());
        if (points_ * ncomp < points_to_share)
            for (std::int64_t group = 0; group < groups; ++group) run(group);
        else
            parallel_for(groups, run);
    }

private:
    static constexpr Long points_per_piece = 65536;
    static constexpr Long points_per_group = 16384;
    static constexpr Long points_to_share = 16384;  ///< with fewer, to wake a thread costs more than it saves

    /// Cut a box along its last long direction.
    void add(int local, const Box<D>& box) {
        if (box.is_empty()) return;
        const Long points = box.num_pts();
        int d = D - 1;
        while (d > 0 && box.length(d) == 1) --d;
        const int length = box.length(d);
        const auto slabs = static_cast<int>(std::clamp<Long>(points / points_per_piece, 1, length));
        for (int s = 0; s < slabs; ++s) {
            const auto from = static_cast<int>(Long{length} * s / slabs);
            const auto to = static_cast<int>(Long{length} * (s + 1) / slabs);
            Box<D> slab = box;
            slab.set_small(d, box.small_end(d) + from).set_big(d, box.small_end(d) + to - 1);
            if (starts_.empty() || points_ - group_points_ >= points_per_group) {
                starts_.push_back(pieces_.size());
                group_points_ = points_;
            }
            pieces_.push_back({local, slab});
            points_ += points / length * (to - from);
        }
    }

    std::vector<Piece<D>> pieces_;
    std::vector<std::size_t> starts_;  ///< where groups of pieces start: what a thread takes at once
    Long points_ = 0, group_points_ = 0;
};

/// The memory of a box in component n of a fab that contains it.
template <class T, int D>
[[nodiscard]] LoopOperand<T> operand(const Array4<T>& a, const Box<D>& box, int n) {
    int at[3] = {0, 0, 0};
    for (int d = 0; d < D; ++d) at[d] = box.small_end(d);
    return {a.ptr(at[0], at[1], at[2], n), a.jstride, a.kstride};
}

template <int D>
[[nodiscard]] LoopRegion loop_region(const Box<D>& box) {
    std::int64_t n[3] = {1, 1, 1};
    for (int d = 0; d < D; ++d) n[d] = box.length(d);
    return {n[0], n[1], n[2]};
}

/// IndexError unless the body has components [comp, comp + ncomp).
template <int D>
void check_components(std::string_view what, std::string_view field, const FabBody<D>& body, int comp, int ncomp) {
    if (comp >= 0 && ncomp >= 0 && Long{comp} + ncomp <= body.ncomp) return;
    throw IndexError(std::string(what) + ": " + std::string(field) + " has components 0 to " +
                     std::to_string(body.ncomp - 1) + "; asked for were " + std::to_string(ncomp) + " from number " +
                     std::to_string(comp));
}

/// ValueError unless the body has these ghost points; StateError if it has no memory.
template <int D>
void check_ghosts(std::string_view what, std::string_view field, const FabBody<D>& body, const IntVect<D>& nghost) {
    if (body.fabs.empty() && body.layout->num_local() > 0)
        throw StateError(std::string(what) + ": " + std::string(field) + " was made without memory (MFInfo alloc)");
    if (nghost.all_ge(0) && nghost.all_le(body.ngrow)) return;
    throw ValueError(std::string(what) + ": " + std::string(field) + " has " + to_string(body.ngrow) +
                     " ghost points; asked for were " + to_string(nghost));
}

/// What every operation checks of the field that it works on.
template <int D>
void check_selection(std::string_view what, const FabBody<D>& body, const Selection<D>& where) {
    check_components(what, "the field", body, where.comp, where.ncomp);
    check_ghosts(what, "the field", body, where.nghost);
    if (where.region && where.region->ix_type() != body.layout->ix_type())
        throw ValueError(std::string(what) + ": the region " + to_string(*where.region) + " has index type " +
                         to_string(where.region->ix_type()) + ", the field " + to_string(body.layout->ix_type()));
}

/// What is checked of every other field of the operation: `a` is the one worked on.
template <int D>
void check_partner(std::string_view what, std::string_view field, const FabBody<D>& a, const FabBody<D>& b, int comp,
                   const Selection<D>& where) {
    const FabLayout<D>&la = *a.layout, &lb = *b.layout;
    if (la.ix_type() != lb.ix_type() || !la.boxes().cell_equal(lb.boxes())) {
        const auto describe = [](const FabLayout<D>& l) {
            return std::to_string(l.size()) + " boxes in " + to_string(l.boxes().minimal_box());
        };
        throw ValueError(std::string(what) + ": the field and " + std::string(field) + " have different boxes, " +
                         describe(la) + " and " + describe(lb) + "; parallel_copy copies between them");
    }
    if (!same_layout(la, lb))
        throw ValueError(std::string(what) + ": the field and " + std::string(field) +
                         " have the same boxes on different ranks; parallel_copy copies between them");
    check_components(what, field, b, comp, where.ncomp);
    check_ghosts(what, field, b, where.nghost);
}

}  // namespace zerofab::detail
