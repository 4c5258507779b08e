// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How an operation on a FabArray is cut into pieces of work.
#pragma once

#include <cstdint>
#include <vector>

#include "zerofab/device/host_loops.hpp"
#include "zerofab/device/parallel.hpp"
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

}  // namespace zerofab::detail
