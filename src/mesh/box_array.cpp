// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Making, cutting and searching BoxArrays.
#include "zerofab/mesh/box_array.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab {
namespace {

template <int D>
std::vector<Box<D>> cells_of(const std::vector<Box<D>>& boxes) {
    std::vector<Box<D>> cells(boxes);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!boxes[i].same_type(boxes.front())) {
            throw ValueError(
                concat("box ", i, " has another index type than box 0: ", "a BoxArray holds boxes of one type"));
        }
        cells[i].enclosed_cells();
    }
    return cells;
}

/// Whether a box of these cells has no point of this index type.
template <int D>
bool is_empty(const Box<D>& cells, IndexType<D> type) {
    for (int d = 0; d < D; ++d) {
        if (Long{cells.big_end(d)} + (type.node_centered(d) ? 1 : 0) < cells.small_end(d)) return true;
    }
    return false;
}

template <int D>
void extend(std::optional<Box<D>>& bounds, const Box<D>& box) {
    if (!bounds) bounds = box;
    bounds = Box<D>(min(bounds->small_end(), box.small_end()), max(bounds->big_end(), box.big_end()));
}

/// The smallest box around the cells of all boxes that have a point of this index type. If none has, the one around all
/// of them, which tells where they are, as long as it is empty too.
template <int D>
std::optional<Box<D>> bounds_of(const std::vector<Box<D>>& cells, IndexType<D> type) {
    std::optional<Box<D>> bounds, all;
    for (const Box<D>& box : cells) {
        extend(all, box);
        if (!is_empty(box, type)) extend(bounds, box);
    }
    return !bounds && all && is_empty(*all, type) ? all : bounds;
}

/// No cells, but points of some index type.
template <int D>
bool is_plane(const Box<D>& cells) {
    if (!cells.is_empty()) return false;
    for (int d = 0; d < D; ++d) {
        if (Long{cells.big_end(d)} + 1 < cells.small_end(d)) return false;
    }
    return true;
}

template <int D>
std::shared_ptr<const BoxArrayData<D>> make_data(std::vector<Box<D>> cells) {
    return std::make_shared<const BoxArrayData<D>>(std::move(cells));
}

/// How one side of n cells is cut: `long_pieces` pieces of length + unit, then the rest of `length`.
struct Cut {
    Long pieces, long_pieces, length, unit;

    Cut(Long n, Long most) : pieces(1), long_pieces(0), length(n), unit(0) {
        if (n <= most) return;
        Long granule = 1;
        while ((n / granule) % 2 == 0 && (most / granule) % 2 == 0) granule *= 2;
        const Long units = n / granule;
        pieces = (units - 1) / (most / granule) + 1;
        length = units / pieces * granule;
        long_pieces = units % pieces;
        unit = granule;
    }
    Long start(Long piece) const { return piece * length + std::min(piece, long_pieces) * unit; }
};

template <int D>
void check_positive(const IntVect<D>& value, const char* what) {
    if (!value.all_ge(1)) {
        throw ValueError(concat(what, " must be at least 1 in every direction, not ", value.min()));
    }
}

/// The first and last cell of a piece, along one direction.
struct Ends {
    int lo, hi;
};

/// Append the pieces of `box`, x fastest; `ends` is memory to work with.
template <int D>
void cut(const Box<D>& box, const std::array<Cut, D>& sides, std::array<std::vector<Ends>, D>& ends,
         std::vector<Box<D>>& pieces) {
    for (std::size_t d = 0; d < D; ++d) {
        const Long lo = box.small_end(static_cast<int>(d));
        ends[d].clear();
        for (Long piece = 0; piece < sides[d].pieces; ++piece) {
            ends[d].push_back(
                {static_cast<int>(lo + sides[d].start(piece)), static_cast<int>(lo + sides[d].start(piece + 1) - 1)});
        }
    }
    std::array<std::size_t, D> at{};
    Box<D> piece = box;
    for (int d = 1; d < D; ++d) {
        const Ends first = ends[static_cast<std::size_t>(d)][0];
        piece.set_small(d, first.lo).set_big(d, first.hi);
    }
    while (true) {
        for (const Ends x : ends[0]) pieces.push_back(piece.set_small(0, x.lo).set_big(0, x.hi));
        std::size_t d = 1;
        for (; d < D; ++d) {
            at[d] = at[d] + 1 < ends[d].size() ? at[d] + 1 : 0;
            const Ends next = ends[d][at[d]];
            piece.set_small(static_cast<int>(d), next.lo).set_big(static_cast<int>(d), next.hi);
            if (at[d] != 0) break;
        }
        if (d == D) return;
    }
}

template <int D>
std::array<Cut, D> cuts_of(const Box<D>& box, const IntVect<D>& size) {
    return [&]<std::size_t... d>(std::index_sequence<d...>) {
        return std::array<Cut, D>{Cut(box.length(static_cast<int>(d)), size[static_cast<int>(d)])...};
    }(std::make_index_sequence<D>());
}

}  // namespace

template <int D>
BoxArrayData<D>::BoxArrayData(std::vector<Box<D>> cells)
    : cells_(std::move(cells)), bounds_(bounds_of(cells_, IndexType<D>::cell())) {
    if (cells_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
        throw ValueError(concat(cells_.size(), " boxes are too many: box numbers have 31 bits"));
    }
    if (std::any_of(cells_.begin(), cells_.end(), is_plane<D>)) {
        for_each_point(Box<D>(IntVect<D>(0), IntVect<D>(1)),
                       [&](const IntVect<D>& type) {  // in the order of their bits
                           plane_bounds_.push_back(bounds_of(cells_, IndexType<D>(type)));
                       });
    }
}

template <int D>
BoxArrayData<D>::BoxArrayData(std::vector<Box<D>> pieces, const BoxArrayData& whole)
    : cells_(std::move(pieces)), bounds_(whole.bounds_), plane_bounds_(whole.plane_bounds_) {}

template <int D>
Box<D> BoxArrayData<D>::bounds(IndexType<D> type) const {
    const std::optional<Box<D>>& found = has_planes() ? plane_bounds_[type.bits()] : bounds_;
    return found ? convert(*found, type) : Box<D>();
}

template <int D>
const BoxIndex<D>& BoxArrayData<D>::index() const {
    std::call_once(built_, [this] {
        if (has_planes()) {
            thick_cells_ = cells_;
            for (Box<D>& box : thick_cells_) box.normalize();
        }
        index_ = std::make_unique<const BoxIndex<D>>(std::span(has_planes() ? thick_cells_ : cells_));
    });
    return *index_;
}

template <int D>
BoxArray<D>::BoxArray() {
    static const auto none = make_data<D>({});
    data_ = none;
}

template <int D>
BoxArray<D>::BoxArray(const Box<D>& box) : BoxArray(std::vector<Box<D>>{box}) {}

template <int D>
BoxArray<D>::BoxArray(const std::vector<Box<D>>& boxes)
    : data_(make_data<D>(cells_of(boxes))), type_(boxes.empty() ? IndexType<D>() : boxes.front().ix_type()) {}

template <int D>
Box<D> BoxArray<D>::get(Long i) const {
    if (i < 0 || i >= static_cast<Long>(size())) {
        throw IndexError(
            concat("box ", i, " does not exist: this BoxArray has ", size(), size() == 1 ? " box" : " boxes"));
    }
    return (*this)[static_cast<std::size_t>(i)];
}

template <int D>
std::vector<Box<D>> BoxArray<D>::to_vector() const {
    std::vector<Box<D>> boxes(cells().begin(), cells().end());
    for (Box<D>& box : boxes) box.convert(type_);
    return boxes;
}

template <int D>
Long BoxArray<D>::num_pts() const {
    // Boxes in groups: where all sides are short and none is empty, nothing wraps around, and there is nothing to look
    // at in between.
    constexpr std::size_t group = 256;
    constexpr int bits = D == 1 ? 31 : 52 / D;
    const IntVect<D> type = type_.to_int_vect();
    const std::span<const Box<D>> all = this->cells();
    Long n = 0;
    const auto add = [&n](Long points) {
        if (__builtin_add_overflow(n, points, &n)) detail::throw_overflow("number of points", n, points);
    };
    for (std::size_t begin = 0; begin < all.size(); begin += group) {
        const auto some = all.subspan(begin, std::min(group, all.size() - begin));
        std::uint64_t sum = 0;
        unsigned steps = 0;  // from the first to the last cell
        for (const Box<D>& cells : some) {
            std::uint64_t points = 1;
            for (int d = 0; d < D; ++d) {
                const unsigned more =
                    static_cast<unsigned>(cells.big_end(d)) - static_cast<unsigned>(cells.small_end(d));
                points *= std::uint64_t{more} + static_cast<unsigned>(1 + type[d]);
                steps |= more;
            }
            sum += points;
        }
        if (steps >> bits == 0) {
            add(static_cast<Long>(sum));
        } else {
            for (const Box<D>& cells : some) add(typed(cells).num_pts());
        }
    }
    return n;
}

template <int D>
double BoxArray<D>::d_num_pts() const {
    double n = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        const Box<D> box = (*this)[i];
        double points = 1;
        for (int d = 0; d < D; ++d) points *= std::max(0.0, static_cast<double>(box.big_end(d)) - box.small_end(d) + 1);
        n += points;
    }
    return n;
}

template <int D>
Box<D> BoxArray<D>::minimal_box() const {
    return data_->bounds(type_);
}

template <int D>
template <class F>
BoxArray<D>& BoxArray<D>::replace(F change) {
    std::vector<Box<D>> cells(data_->cells());
    for (Box<D>& box : cells) change(box);
    data_ = make_data<D>(std::move(cells));
    return *this;
}

template <int D>
BoxArray<D>& BoxArray<D>::resize(Long n) {
    if (n < 0 || n > std::numeric_limits<int>::max()) {
        throw ValueError(concat("a BoxArray cannot have ", n, " boxes"));
    }
    std::vector<Box<D>> cells(data_->cells());
    cells.resize(static_cast<std::size_t>(n), zerofab::enclosed_cells(Box<D>(IntVect<D>(1), IntVect<D>(0), type_)));
    data_ = make_data<D>(std::move(cells));
    return *this;
}

template <int D>
BoxArray<D>& BoxArray<D>::max_size(const IntVect<D>& size) {
    check_positive(size, "max_size");
    Long total = 0;
    for (const Box<D>& box : cells()) {
        Long pieces = 1;
        for (const Cut& side : cuts_of(box, size)) pieces = detail::mul_long(pieces, side.pieces);
        if (pieces > std::numeric_limits<int>::max() || (total += pieces) > std::numeric_limits<int>::max()) {
            throw ValueError("max_size would cut this BoxArray into more than 2^31 boxes: give a larger size");
        }
    }
    if (total == static_cast<Long>(this->size())) return *this;  // nothing to cut: stay shared
    std::vector<Box<D>> pieces;
    pieces.reserve(static_cast<std::size_t>(total));
    std::array<std::vector<Ends>, D> ends;
    for (const Box<D>& box : cells()) cut<D>(box, cuts_of(box, size), ends, pieces);
    data_ = std::make_shared<const BoxArrayData<D>>(std::move(pieces), *data_);
    return *this;
}

template <int D>
BoxArray<D>& BoxArray<D>::refine(const IntVect<D>& ratio) {
    check_positive(ratio, "a refinement ratio");
    if (ratio == 1) return *this;
    return replace([&](Box<D>& box) { box.refine(ratio); });
}

template <int D>
BoxArray<D>& BoxArray<D>::coarsen(const IntVect<D>& ratio) {
    check_positive(ratio, "a coarsening ratio");
    if (ratio == 1) return *this;
    return replace([&](Box<D>& box) { box.coarsen(ratio); });
}

template <int D>
BoxArray<D>& BoxArray<D>::grow(const IntVect<D>& n) {
    return replace([&](Box<D>& box) { box.grow(n); });
}

template <int D>
BoxArray<D>& BoxArray<D>::shift(const IntVect<D>& iv) {
    return replace([&](Box<D>& box) { box.shift(iv); });
}

template <int D>
bool BoxArray<D>::coarsenable(const IntVect<D>& ratio, const IntVect<D>& min_width) const {
    check_positive(ratio, "a coarsening ratio");
    for (std::size_t i = 0; i < size(); ++i) {
        if (!(*this)[i].coarsenable(ratio, min_width)) return false;
    }
    return !empty();
}

template <int D>
bool BoxArray<D>::is_disjoint() const {
    for (std::size_t i = 0; i < size(); ++i) {
        const Box<D>& box = cells()[i];
        const bool alone = index().visit(box, [&](int j) {
            return j <= static_cast<int>(i) || !box.intersects(cells()[static_cast<std::size_t>(j)]);
        });
        if (!alone) return false;
    }
    return true;
}

template <int D>
int BoxArray<D>::find(const IntVect<D>& p) const {
    if (type_.cell_centered() && !data_->has_planes()) return index().find(p);
    int first = -1;
    visit(Box<D>(p, p, type_), IntVect<D>(), [&](int i, const Box<D>&) {
        if (first < 0 || i < first) first = i;
        return true;
    });
    return first;
}

template <int D>
int BoxArray<D>::find_last(const IntVect<D>& p) const {
    if (type_.cell_centered() && !data_->has_planes()) return index().find_last(p);
    int last = -1;
    visit(Box<D>(p, p, type_), IntVect<D>(), [&](int i, const Box<D>&) {
        last = std::max(last, i);
        return true;
    });
    return last;
}

template <int D>
bool BoxArray<D>::intersects(const Box<D>& box, const IntVect<D>& ngrow) const {
    return !visit(box, ngrow, [](int, const Box<D>&) { return false; });
}

template <int D>
std::vector<typename BoxArray<D>::Intersection> BoxArray<D>::intersections(const Box<D>& box,
                                                                           const IntVect<D>& ngrow) const {
    std::vector<Intersection> found;
    visit(box, ngrow, [&](int i, const Box<D>& common) {
        found.emplace_back(i, common);
        return true;
    });
    std::sort(found.begin(), found.end(),
              [](const Intersection& a, const Intersection& b) { return a.first < b.first; });
    return found;
}

template <int D>
std::vector<Box<D>> BoxArray<D>::complement_in(const Box<D>& box) const {
    std::vector<Box<D>> rest, next;
    if (box.ok()) rest.push_back(box);
    for (const Intersection& found : intersections(box)) {
        next.clear();
        for (const Box<D>& part : rest) subtract(part, found.second, next);
        rest.swap(next);
        if (rest.empty()) break;
    }
    return rest;
}

template <int D>
void subtract(const Box<D>& a, const Box<D>& b, std::vector<Box<D>>& parts) {
    Box<D> rest = a;
    if (!a.intersects(b)) {
        if (a.ok()) parts.push_back(a);
        return;
    }
    for (int d = D - 1; d >= 0; --d) {
        if (rest.small_end(d) < b.small_end(d)) {
            parts.push_back(Box<D>(rest).set_big(d, b.small_end(d) - 1));
            rest.set_small(d, b.small_end(d));
        }
        if (rest.big_end(d) > b.big_end(d)) {
            parts.push_back(Box<D>(rest).set_small(d, b.big_end(d) + 1));
            rest.set_big(d, b.big_end(d));
        }
    }
}

#define ZEROFAB_INSTANTIATE(D)      \
    template class BoxArrayData<D>; \
    template class BoxArray<D>;     \
    template ZEROFAB_API void subtract(const Box<D>&, const Box<D>&, std::vector<Box<D>>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
