// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Box<D>: a rectangle of the index space, ends included, on cells or nodes.
#pragma once

#include <functional>

#include "zerofab/base/types.hpp"
#include "zerofab/index/index_type.hpp"
#include "zerofab/index/int_vect.hpp"

namespace zerofab {

namespace detail {
/// Throw ValueError: boxes of two index types (given as bits) in one operation.
[[noreturn]] ZEROFAB_API void throw_type_mismatch(const char* what, int dim, unsigned a, unsigned b);
}  // namespace detail

/// The points lo, lo+1, ..., hi in every direction; empty if hi < lo in any of them.
///
/// Members change the box in place and return it; free functions of the same name return a new one. Directions
/// (0 <= d < D) are not range-checked here. A call that would leave the range of int is a ValueError and changes
/// nothing.
///
///          cells:   | lo |    |    | hi |
///          nodes:   lo   .    .    .    hi+1        surrounding_nodes
///
///     Box<2> b(IntVect<2>(0, 0), IntVect<2>(7, 7));
///     b.grow(1);                               // (-1,-1) to (8,8)
///     Box<2> c = coarsen(b, 2);                // (-1,-1) to (4,4); b is unchanged
template <int D>
class Box {
public:
    static constexpr int dim = D;

    /// An empty box of cells: lo = 1, hi = 0.
    constexpr Box() : lo_(1), hi_(0) {}
    constexpr Box(const IntVect<D>& lo, const IntVect<D>& hi, IndexType<D> type = {}) : lo_(lo), hi_(hi), type_(type) {}

    constexpr const IntVect<D>& small_end() const { return lo_; }
    constexpr const IntVect<D>& big_end() const { return hi_; }
    constexpr int small_end(int d) const { return lo_[d]; }
    constexpr int big_end(int d) const { return hi_[d]; }
    constexpr IndexType<D> ix_type() const { return type_; }

    /// Points in each direction, 0 or less where the box is empty. ValueError if one does not fit an int.
    constexpr IntVect<D> length() const {
        IntVect<D> n;
        for (int d = 0; d < D; ++d) n[d] = length(d);
        return n;
    }
    constexpr int length(int d) const {
        const Long n = Long{hi_[d]} - lo_[d] + 1;
        if (n > std::numeric_limits<int>::max() || n < std::numeric_limits<int>::lowest()) {
            detail::throw_overflow("length", hi_[d], lo_[d]);
        }
        return static_cast<int>(n);
    }
    /// Number of points; 0 if empty. ValueError if it does not fit 64 bits.
    constexpr Long num_pts() const { return count(lo_, hi_); }
    /// Number of cells that the box encloses: num_pts of its enclosed cells.
    constexpr Long volume() const {
        IntVect<D> hi = hi_;
        for (int d = 0; d < D; ++d) {
            if (hi[d] < lo_[d]) return 0;
            if (type_.node_centered(d)) hi[d] = detail::sub(hi[d], 1);
        }
        return count(lo_, hi);
    }
    constexpr bool is_empty() const { return !lo_.all_le(hi_); }
    /// Whether the box holds at least one point.
    constexpr bool ok() const { return !is_empty(); }
    constexpr bool cell_centered() const { return type_.cell_centered(); }
    /// Whether all sides are equally long.
    constexpr bool is_square() const { return length() == IntVect<D>(length(0)); }

    constexpr bool contains(const IntVect<D>& p) const { return lo_.all_le(p) && p.all_le(hi_); }
    /// Every point of b is in this box (true for an empty b). ValueError if the types differ.
    constexpr bool contains(const Box& b) const {
        check_type("contains", b);
        return b.is_empty() || (lo_.all_le(b.lo_) && b.hi_.all_le(hi_));
    }
    /// Inside and not on the rim.
    constexpr bool strictly_contains(const IntVect<D>& p) const { return lo_.all_lt(p) && p.all_lt(hi_); }
    constexpr bool strictly_contains(const Box& b) const {
        check_type("strictly_contains", b);
        return b.is_empty() || (lo_.all_lt(b.lo_) && b.hi_.all_lt(hi_));
    }
    /// At least one common point. ValueError if the types differ.
    constexpr bool intersects(const Box& b) const { return (*this & b).ok(); }
    constexpr bool same_type(const Box& b) const { return type_ == b.type_; }
    /// Same type and same lengths.
    constexpr bool same_size(const Box& b) const {
        check_type("same_size", b);
        return length() == b.length();
    }

    friend constexpr bool operator==(const Box&, const Box&) = default;
    /// The common points, perhaps none. ValueError if the types differ.
    friend constexpr Box operator&(const Box& a, const Box& b) {
        a.check_type("intersection", b);
        return Box(max(a.lo_, b.lo_), min(a.hi_, b.hi_), a.type_);
    }
    constexpr Box& operator&=(const Box& b) { return *this = *this & b; }
    friend constexpr Box operator+(const Box& a, const IntVect<D>& iv) { return Box(a.lo_ + iv, a.hi_ + iv, a.type_); }
    friend constexpr Box operator-(const Box& a, const IntVect<D>& iv) { return Box(a.lo_ - iv, a.hi_ - iv, a.type_); }
    constexpr Box& operator+=(const IntVect<D>& iv) { return *this = *this + iv; }
    constexpr Box& operator-=(const IntVect<D>& iv) { return *this = *this - iv; }

    constexpr Box& set_small(const IntVect<D>& lo) { return set(lo, hi_); }
    constexpr Box& set_big(const IntVect<D>& hi) { return set(lo_, hi); }
    constexpr Box& set_small(int d, int value) {
        lo_[d] = value;
        return *this;
    }
    constexpr Box& set_big(int d, int value) {
        hi_[d] = value;
        return *this;
    }
    /// Relabel the points: lo and hi stay, only the type changes (compare convert).
    constexpr Box& set_type(IndexType<D> type) {
        type_ = type;
        return *this;
    }

    constexpr Box& shift(int d, int n) { return *this += IntVect<D>::basis(d) * n; }
    constexpr Box& shift(const IntVect<D>& iv) { return *this += iv; }
    /// n more points on every side; fewer if n < 0.
    constexpr Box& grow(int n) { return grow(IntVect<D>(n)); }
    constexpr Box& grow(const IntVect<D>& n) { return set(lo_ - n, hi_ + n); }
    constexpr Box& grow(int d, int n) { return grow(IntVect<D>::basis(d) * n); }
    constexpr Box& grow_low(int d, int n = 1) { return set_small(d, detail::sub(lo_[d], n)); }
    constexpr Box& grow_high(int d, int n = 1) { return set_big(d, detail::add(hi_[d], n)); }

    /// Each cell becomes ratio cells; node i becomes node i * ratio. ratio >= 1, else ValueError.
    constexpr Box& refine(int ratio) { return refine(IntVect<D>(ratio)); }
    constexpr Box& refine(const IntVect<D>& ratio) {
        IntVect<D> hi = hi_;
        for (int d = 0; d < D; ++d) {
            if (ratio[d] < 1) detail::throw_bad_divisor("ratio", ratio[d]);
            const Long off = type_.cell_centered(d) ? 1 : 0;
            const Long h = (Long{hi_[d]} + off) * ratio[d] - off;
            if (h > std::numeric_limits<int>::max() || h < std::numeric_limits<int>::lowest()) {
                detail::throw_overflow("product", hi_[d], ratio[d]);
            }
            hi[d] = static_cast<int>(h);
        }
        return set(lo_ * ratio, hi);
    }
    /// The smallest coarse box that covers this one: cells round down, the high end of nodes rounds up.
    constexpr Box& coarsen(int ratio) { return coarsen(IntVect<D>(ratio)); }
    constexpr Box& coarsen(const IntVect<D>& ratio) {
        IntVect<D> lo, hi;
        for (int d = 0; d < D; ++d) {
            lo[d] = detail::floor_div(lo_[d], ratio[d]);
            hi[d] = type_.node_centered(d) ? detail::ceil_div(hi_[d], ratio[d]) : detail::floor_div(hi_[d], ratio[d]);
        }
        return set(lo, hi);
    }
    /// Whether refine(coarsen(b, ratio), ratio) == b, with at least ratio * min_width points on every side.
    constexpr bool coarsenable(const IntVect<D>& ratio, const IntVect<D>& min_width = IntVect<D>(1)) const {
        if (is_empty()) return false;
        Box c = *this;
        c.coarsen(ratio);
        const bool wide = length().all_ge(ratio * min_width);
        return wide && c.refine(ratio) == *this;
    }

    /// Change cells to nodes and back where the types differ: the high end moves by one.
    constexpr Box& convert(IndexType<D> type) {
        const IntVect<D> hi = hi_ + (type.to_int_vect() - type_.to_int_vect());
        type_ = type;
        return set(lo_, hi);
    }
    constexpr Box& convert(const IntVect<D>& type) { return convert(IndexType<D>(type)); }
    constexpr Box& surrounding_nodes() { return convert(IndexType<D>::node()); }
    constexpr Box& surrounding_nodes(int d) {
        IndexType<D> t = type_;
        t.set(d);
        return convert(t);
    }
    constexpr Box& enclosed_cells() { return convert(IndexType<D>::cell()); }
    constexpr Box& enclosed_cells(int d) {
        IndexType<D> t = type_;
        t.unset(d);
        return convert(t);
    }
    /// One point in every direction of length 0: there hi becomes lo. Other directions stay as they are.
    constexpr Box& normalize() {
        for (int d = 0; d < D; ++d) {
            if (Long{hi_[d]} + 1 == lo_[d]) hi_[d] = lo_[d];
        }
        return *this;
    }
    /// One layer of points: both ends of direction d become `index`.
    constexpr Box& make_slab(int d, int index) { return set_small(d, index).set_big(d, index); }

    /// Position of a point of the box in memory order, x fastest: 0 <= index_of(p) < num_pts(). p is not checked.
    constexpr Long index_of(const IntVect<D>& p) const {
        Long i = 0;
        for (int d = D - 1; d >= 0; --d) i = i * (Long{hi_[d]} - lo_[d] + 1) + (Long{p[d]} - lo_[d]);
        return i;
    }
    /// The inverse of index_of, for 0 <= i < num_pts(), not checked.
    constexpr IntVect<D> point_at(Long i) const {
        IntVect<D> p;
        for (int d = 0; d < D; ++d) {
            const Long n = Long{hi_[d]} - lo_[d] + 1;
            p[d] = static_cast<int>(lo_[d] + i % n);
            i /= n;
        }
        return p;
    }

private:
    static constexpr Long count(const IntVect<D>& lo, const IntVect<D>& hi) {
        if (!lo.all_le(hi)) return 0;
        Long n = 1;
        for (int d = 0; d < D; ++d) n = detail::mul_long(n, Long{hi[d]} - lo[d] + 1);
        return n;
    }
    constexpr Box& set(const IntVect<D>& lo, const IntVect<D>& hi) {
        lo_ = lo;
        hi_ = hi;
        return *this;
    }
    constexpr void check_type(const char* what, const Box& b) const {
        if (!same_type(b)) detail::throw_type_mismatch(what, D, type_.bits(), b.type_.bits());
    }

    IntVect<D> lo_, hi_;
    IndexType<D> type_{};
};

// ---- the same operations on a copy; extra arguments go to the member of the same name
// clang-format off
template <int D, class... A> constexpr Box<D> shift(Box<D> b, const A&... a) { return b.shift(a...); }
template <int D, class... A> constexpr Box<D> grow(Box<D> b, const A&... a) { return b.grow(a...); }
template <int D, class... A> constexpr Box<D> grow_low(Box<D> b, const A&... a) { return b.grow_low(a...); }
template <int D, class... A> constexpr Box<D> grow_high(Box<D> b, const A&... a) { return b.grow_high(a...); }
template <int D, class R> constexpr Box<D> refine(Box<D> b, const R& ratio) { return b.refine(ratio); }
template <int D, class R> constexpr Box<D> coarsen(Box<D> b, const R& ratio) { return b.coarsen(ratio); }
template <int D, class T> constexpr Box<D> convert(Box<D> b, const T& type) { return b.convert(type); }
template <int D, class... A> constexpr Box<D> surrounding_nodes(Box<D> b, A... d) { return b.surrounding_nodes(d...); }
template <int D, class... A> constexpr Box<D> enclosed_cells(Box<D> b, A... d) { return b.enclosed_cells(d...); }
// clang-format on

/// Call f(IntVect<D>) for every point, x fastest.
template <int D, class F>
constexpr void for_each_point(const Box<D>& b, F&& f) {
    if (b.is_empty()) return;
    IntVect<D> p = b.small_end();
    while (true) {
        f(static_cast<const IntVect<D>&>(p));
        int d = 0;
        while (d < D && p[d] == b.big_end(d)) {
            p[d] = b.small_end(d);
            ++d;
        }
        if (d == D) return;
        ++p[d];
    }
}

}  // namespace zerofab

template <int D>
struct std::hash<zerofab::Box<D>> {
    std::size_t operator()(const zerofab::Box<D>& b) const noexcept {
        return zerofab::hash_value(b.small_end()) * 31 + zerofab::hash_value(b.big_end()) * 7 + b.ix_type().bits();
    }
};
