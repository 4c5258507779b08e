// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BoxArray<D>: the boxes that cover one level, shared between handles and indexed in space.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "zerofab/index/box.hpp"
#include "zerofab/mesh/box_index.hpp"

namespace zerofab {

/// The cells of all boxes: what BoxArray handles share. Never changed after it was made.
///
/// A box that is a plane of nodes encloses no cells: its cells are lo to lo - 1 in that direction. It has points where
/// the handle's index type is nodal there, and none elsewhere.
template <int D>
class BoxArrayData {
public:
    ZEROFAB_API explicit BoxArrayData(std::vector<Box<D>> cells);
    /// Boxes that together have the same points as those of `whole`, of every index type: its pieces.
    BoxArrayData(std::vector<Box<D>> pieces, const BoxArrayData& whole);

    const std::vector<Box<D>>& cells() const noexcept { return cells_; }
    /// Around all boxes that have a point of this index type; if none has, around all if that is empty, else Box<D>().
    ZEROFAB_API Box<D> bounds(IndexType<D> type) const;
    /// Whether a box has no cells, but points of some index type.
    bool has_planes() const noexcept { return !plane_bounds_.empty(); }
    /// The bins over the cells, built at the first call; from any thread. Planes are in the bins of the cells above.
    ZEROFAB_API const BoxIndex<D>& index() const;

private:
    std::vector<Box<D>> cells_;
    std::optional<Box<D>> bounds_;                     ///< the cells of bounds(), whatever the index type
    std::vector<std::optional<Box<D>>> plane_bounds_;  ///< the same where there are planes: by the bits of the type
    mutable std::vector<Box<D>> thick_cells_;          ///< what the bins are made of where there are planes
    mutable std::once_flag built_;
    mutable std::unique_ptr<const BoxIndex<D>> index_;
};

/// An ordered set of boxes of one index type, numbered from 0.
///
/// A BoxArray is a handle: a copy costs one share, and what changes one handle leaves all others as they are. The cells
/// are shared and the index type belongs to the handle, so the cell-, node- and face-centred arrays of one level have
/// the same data, and `same_data` says so at once. Searches use bins over the cells: their time does not depend on the
/// number of boxes. Members that change the array return it.
///
///     BoxArray<3> ba(Box<3>(IntVect<3>(0), IntVect<3>(63)));
///     ba.max_size(32);                                  // 8 boxes, x fastest
///     BoxArray<3> faces = convert(ba, IntVect<3>(1, 0, 0));
///     faces.same_data(ba);                              // true
///     ba.find(IntVect<3>(40, 0, 0));                    // 1
template <int D>
class ZEROFAB_API BoxArray {
public:
    /// A box found by a search: its number, and the part of it that was asked for.
    using Intersection = std::pair<int, Box<D>>;

    /// No boxes.
    BoxArray();
    /// One box, with its index type.
    explicit BoxArray(const Box<D>& box);
    /// Boxes in this order. ValueError unless all have the same index type.
    explicit BoxArray(const std::vector<Box<D>>& boxes);

    std::size_t size() const noexcept { return data_->cells().size(); }
    bool empty() const noexcept { return size() == 0; }
    std::size_t capacity() const noexcept { return data_->cells().capacity(); }
    IndexType<D> ix_type() const noexcept { return type_; }
    /// Box i, 0 <= i < size(), not checked.
    Box<D> operator[](int i) const { return typed(data_->cells()[static_cast<std::size_t>(i)]); }
    Box<D> operator[](std::size_t i) const { return typed(data_->cells()[i]); }
    /// Box i; IndexError if there is none.
    Box<D> get(Long i) const;
    /// The cells of all boxes, whatever the index type.
    std::span<const Box<D>> cells() const noexcept { return data_->cells(); }
    /// All boxes.
    std::vector<Box<D>> to_vector() const;

    /// Points of all boxes together; points that boxes share count in each. ValueError beyond 64 bits.
    Long num_pts() const;
    double d_num_pts() const;
    /// The smallest box around all boxes; the empty cell box Box<D>() if there are none.
    Box<D> minimal_box() const;

    // ---- changes: one handle changes, others that shared the data do not

    /// One box in place of all.
    BoxArray& define(const Box<D>& box) { return *this = BoxArray(box); }
    BoxArray& define(const std::vector<Box<D>>& boxes) { return *this = BoxArray(boxes); }
    BoxArray& clear() { return *this = BoxArray(); }
    /// n boxes: the first ones as they are, new ones empty. ValueError if n < 0.
    BoxArray& resize(Long n);
    /// Cut boxes until none is longer than `size` cells in any direction.
    ///
    /// A box of n cells is cut into the fewest pieces, nearly equal, the longer ones first; pieces of a side keep the
    /// largest power of two that divides both n and size (so that 2^k-coarsenable boxes stay so). Pieces follow each
    /// other x fastest, in the place of their box. ValueError if size < 1.
    BoxArray& max_size(int size) { return max_size(IntVect<D>(size)); }
    BoxArray& max_size(const IntVect<D>& size);
    BoxArray& refine(int ratio) { return refine(IntVect<D>(ratio)); }
    BoxArray& refine(const IntVect<D>& ratio);
    BoxArray& coarsen(int ratio) { return coarsen(IntVect<D>(ratio)); }
    BoxArray& coarsen(const IntVect<D>& ratio);
    /// n more cells on every side of every box.
    BoxArray& grow(int n) { return grow(IntVect<D>(n)); }
    BoxArray& grow(const IntVect<D>& n);
    BoxArray& shift(const IntVect<D>& iv);
    /// Another index type over the same cells: the data stays shared.
    BoxArray& convert(IndexType<D> type) noexcept {
        type_ = type;
        return *this;
    }
    BoxArray& convert(const IntVect<D>& type) noexcept { return convert(IndexType<D>(type)); }
    BoxArray& surrounding_nodes() noexcept { return convert(IndexType<D>::node()); }
    BoxArray& surrounding_nodes(int d) noexcept {
        type_.set(d);
        return *this;
    }
    BoxArray& enclosed_cells() noexcept { return convert(IndexType<D>::cell()); }
    BoxArray& enclosed_cells(int d) noexcept {
        type_.unset(d);
        return *this;
    }

    // ---- questions

    /// Whether every box can be coarsened without loss, and has at least ratio * min_width points on every side.
    bool coarsenable(const IntVect<D>& ratio, const IntVect<D>& min_width = IntVect<D>(1)) const;
    bool coarsenable(int ratio, int min_width = 1) const {
        return coarsenable(IntVect<D>(ratio), IntVect<D>(min_width));
    }
    /// The same data in memory, whatever the index types: one comparison of pointers.
    bool same_data(const BoxArray& other) const noexcept { return data_ == other.data_; }
    /// Equal cells in equal order, whatever the index types.
    bool cell_equal(const BoxArray& other) const noexcept {
        return same_data(other) || data_->cells() == other.data_->cells();
    }
    /// Equal boxes in equal order and the same index type.
    friend bool operator==(const BoxArray& a, const BoxArray& b) noexcept {
        return a.type_ == b.type_ && a.cell_equal(b);
    }
    /// Whether no cell is in two boxes.
    bool is_disjoint() const;

    /// The first box that holds point p, or -1.
    int find(const IntVect<D>& p) const;
    /// The last box that holds point p, or -1; another one than find() gives only where boxes overlap.
    int find_last(const IntVect<D>& p) const;
    bool contains(const IntVect<D>& p) const { return find(p) >= 0; }
    /// Whether the boxes together cover `box`. ValueError if its index type is another.
    bool contains(const Box<D>& box) const { return complement_in(box).empty(); }
    /// Whether a box, grown by ngrow, shares a point with `box`.
    bool intersects(const Box<D>& box, const IntVect<D>& ngrow = IntVect<D>()) const;
    bool intersects(const Box<D>& box, int ngrow) const { return intersects(box, IntVect<D>(ngrow)); }
    /// All boxes that, grown by ngrow, share a point with `box`, in ascending order, with the common part.
    std::vector<Intersection> intersections(const Box<D>& box, const IntVect<D>& ngrow = IntVect<D>()) const;
    std::vector<Intersection> intersections(const Box<D>& box, int ngrow) const {
        return intersections(box, IntVect<D>(ngrow));
    }
    /// The parts of `box` that no box covers, as disjoint boxes.
    std::vector<Box<D>> complement_in(const Box<D>& box) const;
    /// Call f(i, common) for all boxes that, grown by ngrow, share a point with `box`, in no special order, until f
    /// returns false; allocates nothing. Returns false if f did.
    template <class F>
    bool visit(const Box<D>& box, const IntVect<D>& ngrow, F&& f) const;

    /// Build the bins now rather than at the first search.
    const BoxIndex<D>& index() const { return data_->index(); }
    /// Bytes per handle and data, index included if it was built.
    const void* data_id() const noexcept { return data_.get(); }

private:
    Box<D> typed(Box<D> cells) const { return cells.convert(type_); }
    /// The cells whose typed boxes may hold a point of `box`.
    Box<D> cell_region(const Box<D>& box, const IntVect<D>& ngrow) const;
    template <class F>
    BoxArray& replace(F change);

    std::shared_ptr<const BoxArrayData<D>> data_;
    IndexType<D> type_;
};

/// A handle with another index type, over the same data.
template <int D, class T>
BoxArray<D> convert(BoxArray<D> boxes, const T& type) {
    boxes.convert(type);
    return boxes;
}
template <int D, class R>
BoxArray<D> refine(BoxArray<D> boxes, const R& ratio) {
    boxes.refine(ratio);
    return boxes;
}
template <int D, class R>
BoxArray<D> coarsen(BoxArray<D> boxes, const R& ratio) {
    boxes.coarsen(ratio);
    return boxes;
}

/// The parts of `a` outside `b`, as disjoint boxes, appended to `parts`.
template <int D>
ZEROFAB_API void subtract(const Box<D>& a, const Box<D>& b, std::vector<Box<D>>& parts);

template <int D>
Box<D> BoxArray<D>::cell_region(const Box<D>& box, const IntVect<D>& ngrow) const {
    if (box.ix_type() != type_) detail::throw_type_mismatch("search", D, box.ix_type().bits(), type_.bits());
    return Box<D>(box.small_end() - ngrow - type_.to_int_vect(), box.big_end() + ngrow);
}

template <int D>
template <class F>
bool BoxArray<D>::visit(const Box<D>& box, const IntVect<D>& ngrow, F&& f) const {
    if (box.is_empty()) return true;
    const std::vector<Box<D>>& all = data_->cells();
    const bool planes = data_->has_planes();
    return data_->index().visit(cell_region(box, ngrow), [&](int i) {
        Box<D> grown = typed(all[static_cast<std::size_t>(i)]);
        if (planes && grown.is_empty()) return true;  // a plane of another index type
        const Box<D> common = grown.grow(ngrow) & box;
        return (planes && common.is_empty()) || static_cast<bool>(f(i, common));
    });
}

}  // namespace zerofab
