// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// MFIter<D>: a position in a loop over the local boxes, or tiles, of a FabArray.
#pragma once

#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

/// A position in a loop over boxes or tiles.  It holds the layout, not the FabArray: many loops may run at once, be
/// nested, abandoned, and used from several threads.
///
///     for (MFIter<3> mfi(*mf.lease()); mfi.is_valid(); ++mfi) {
///         Array4<Real> a = mf.array(mfi.local_index());
///     }
template <int D>
class MFIter {
public:
    MFIter() noexcept = default;
    /// One step per box.
    explicit MFIter(const FabBody<D>& body)
        : layout_(body.layout), tiles_(&layout_->whole_boxes()), ngrow_(body.ngrow) {}
    /// One step per tile of this size; ValueError if a size is < 1.
    MFIter(const FabBody<D>& body, const IntVect<D>& tile_size)
        : layout_(body.layout), tiles_(&layout_->tiles(tile_size)), ngrow_(body.ngrow) {}

    [[nodiscard]] bool is_valid() const noexcept { return tiles_ != nullptr && position_ < tiles_->size(); }
    /// Steps of the whole loop.
    [[nodiscard]] int length() const noexcept { return tiles_ != nullptr ? static_cast<int>(tiles_->size()) : 0; }
    MFIter& operator++() noexcept {
        ++position_;
        return *this;
    }
    [[nodiscard]] std::size_t position() const noexcept { return position_; }
    void set_position(std::size_t position) noexcept { position_ = position; }

    // What follows needs is_valid(); not checked.
    [[nodiscard]] int local_index() const noexcept { return (*tiles_)[position_].local; }
    /// Number of the box over all ranks.
    [[nodiscard]] int index() const noexcept { return layout_->local_boxes()[static_cast<std::size_t>(local_index())]; }
    /// Number of the tile within its box.
    [[nodiscard]] int local_tile_index() const noexcept {
        std::size_t first = position_;
        while (first > 0 && (*tiles_)[first - 1].local == local_index()) {
            --first;
        }
        return static_cast<int>(position_ - first);
    }
    [[nodiscard]] Box<D> validbox() const { return layout_->local_box(local_index()); }
    /// The box with ghosts.
    [[nodiscard]] Box<D> fabbox() const { return grow(validbox(), ngrow_); }
    /// The tile, of the FabArray's index type.
    [[nodiscard]] Box<D> tilebox() const { return tilebox(layout_->ix_type()); }
    /// The tile as another index type: tiles of a box still have no point in common.
    [[nodiscard]] Box<D> tilebox(IndexType<D> type) const { return typed_tile(type); }
    [[nodiscard]] Box<D> grown_tilebox(IndexType<D> type, const IntVect<D>& n) const {
        return grown_tile(tilebox(type), n);
    }
    /// The tile of nodes in direction d and cells in all others, or of nodes in all directions (d < 0).
    [[nodiscard]] Box<D> nodaltilebox(int d = -1) const {
        IndexType<D> type = d < 0 ? IndexType<D>::node() : IndexType<D>::cell();
        if (d >= 0) type.set(d);
        return typed_tile(type);
    }
    /// The tile, grown by n where it touches the side of its box.
    [[nodiscard]] Box<D> growntilebox(const IntVect<D>& n) const { return grown_tile(tilebox(), n); }
    [[nodiscard]] Box<D> growntilebox() const { return growntilebox(ngrow_); }
    [[nodiscard]] Box<D> grownnodaltilebox(int d, const IntVect<D>& n) const { return grown_tile(nodaltilebox(d), n); }

    [[nodiscard]] const std::shared_ptr<const FabLayout<D>>& layout() const noexcept { return layout_; }
    [[nodiscard]] const IntVect<D>& ngrow() const noexcept { return ngrow_; }

private:
    [[nodiscard]] Box<D> cell_box() const {
        return Box<D>(layout_->boxes().cells()[static_cast<std::size_t>(index())]);
    }
    [[nodiscard]] Box<D> typed_tile(IndexType<D> type) const {
        const Box<D>& cells = (*tiles_)[position_].cells;
        IntVect<D> hi = cells.big_end();
        for (int d = 0; d < D; ++d) {
            if (type.node_centered(d) && hi[d] == cell_box().big_end(d)) {
                ++hi[d];
            }
        }
        return Box<D>(cells.small_end(), hi, type);
    }
    [[nodiscard]] Box<D> grown_tile(const Box<D>& tile, const IntVect<D>& n) const {
        const Box<D>& cells = (*tiles_)[position_].cells;
        const Box<D> whole = cell_box();
        IntVect<D> lo = tile.small_end();
        IntVect<D> hi = tile.big_end();
        for (int d = 0; d < D; ++d) {
            lo[d] -= cells.small_end(d) == whole.small_end(d) ? n[d] : 0;
            hi[d] += cells.big_end(d) == whole.big_end(d) ? n[d] : 0;
        }
        return Box<D>(lo, hi, tile.ix_type());
    }

    std::shared_ptr<const FabLayout<D>> layout_;
    const std::vector<Tile<D>>* tiles_ = nullptr;
    std::size_t position_ = 0;
    IntVect<D> ngrow_;
};

}  // namespace zerofab
