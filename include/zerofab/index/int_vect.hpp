// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// IntVect<D>: a point of the index space, or D integers that belong to the D directions.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>

#include "zerofab/base/types.hpp"
#include "zerofab/index/checked.hpp"

namespace zerofab {

/// D integers, one per direction, x first.
///
/// Arithmetic is by component, with an IntVect or an int on the right; a result that does not fit an int is a
/// ValueError, never a wrapped value. `/` rounds towards zero; `coarsen` rounds down. There is no operator<: an order
/// of points is either by all components (`all_lt`, `all_le`, ...) or lexicographic (`lex_less`).
///
///     IntVect<3> lo(0, 0, 0), hi(7, 7, 3);
///     IntVect<3> n = hi - lo + 1;              // (8,8,4)
///     bool inside = lo.all_le(n);
template <int D>
class IntVect {
    static_assert(D >= 1 && D <= 3, "zerofab has one, two or three dimensions");

public:
    static constexpr int dim = D;

    /// All zero.
    constexpr IntVect() = default;
    /// Every component `all`.
    explicit constexpr IntVect(int all) { v_.fill(all); }
    /// One integer per direction.
    template <std::integral... Ints>
        requires(sizeof...(Ints) == D && D > 1)
    constexpr IntVect(Ints... ints) : v_{static_cast<int>(ints)...} {}
    explicit constexpr IntVect(const std::array<int, D>& v) : v_(v) {}

    static constexpr IntVect zero() { return IntVect(); }
    static constexpr IntVect unit() { return IntVect(1); }
    /// One in direction d, zero elsewhere.
    static constexpr IntVect basis(int d) {
        IntVect r;
        r[d] = 1;
        return r;
    }
    static constexpr IntVect max_vector() { return IntVect(std::numeric_limits<int>::max()); }
    static constexpr IntVect min_vector() { return IntVect(std::numeric_limits<int>::lowest()); }

    /// Component d; 0 <= d < D is not checked.
    constexpr int operator[](int d) const { return v_[static_cast<std::size_t>(d)]; }
    constexpr int& operator[](int d) { return v_[static_cast<std::size_t>(d)]; }
    constexpr const int* data() const { return v_.data(); }
    constexpr int* data() { return v_.data(); }
    constexpr const std::array<int, D>& array() const { return v_; }
    constexpr auto begin() const { return v_.begin(); }
    constexpr auto end() const { return v_.end(); }

    constexpr int min() const { return *std::min_element(v_.begin(), v_.end()); }
    constexpr int max() const { return *std::max_element(v_.begin(), v_.end()); }
    constexpr Long sum() const {
        Long r = 0;
        for (int x : v_) r += x;
        return r;
    }
    /// Product of the components; ValueError if it does not fit 64 bits.
    constexpr Long product() const {
        Long r = 1;
        for (int x : v_) r = detail::mul_long(r, x);
        return r;
    }

    friend constexpr bool operator==(const IntVect&, const IntVect&) = default;
    constexpr bool operator==(int b) const { return *this == IntVect(b); }

    constexpr bool all_lt(const IntVect& b) const {
        return all(b, [](int x, int y) { return x < y; });
    }
    constexpr bool all_le(const IntVect& b) const {
        return all(b, [](int x, int y) { return x <= y; });
    }
    constexpr bool all_gt(const IntVect& b) const {
        return all(b, [](int x, int y) { return x > y; });
    }
    constexpr bool all_ge(const IntVect& b) const {
        return all(b, [](int x, int y) { return x >= y; });
    }
    constexpr bool all_lt(int b) const { return all_lt(IntVect(b)); }
    constexpr bool all_le(int b) const { return all_le(IntVect(b)); }
    constexpr bool all_gt(int b) const { return all_gt(IntVect(b)); }
    constexpr bool all_ge(int b) const { return all_ge(IntVect(b)); }
    /// Lexicographic order, the last direction (z) first: the order in which points lie in memory.
    constexpr bool lex_less(const IntVect& b) const {
        for (int d = D - 1; d >= 0; --d) {
            if ((*this)[d] != b[d]) return (*this)[d] < b[d];
        }
        return false;
    }

    constexpr IntVect operator-() const { return zero() - *this; }
    friend constexpr IntVect operator+(const IntVect& a, const IntVect& b) { return map(a, b, detail::add); }
    friend constexpr IntVect operator-(const IntVect& a, const IntVect& b) { return map(a, b, detail::sub); }
    friend constexpr IntVect operator*(const IntVect& a, const IntVect& b) { return map(a, b, detail::mul); }
    friend constexpr IntVect operator/(const IntVect& a, const IntVect& b) { return map(a, b, detail::div); }
    friend constexpr IntVect operator+(const IntVect& a, int b) { return a + IntVect(b); }
    friend constexpr IntVect operator-(const IntVect& a, int b) { return a - IntVect(b); }
    friend constexpr IntVect operator*(const IntVect& a, int b) { return a * IntVect(b); }
    friend constexpr IntVect operator/(const IntVect& a, int b) { return a / IntVect(b); }
    friend constexpr IntVect operator+(int a, const IntVect& b) { return IntVect(a) + b; }
    friend constexpr IntVect operator-(int a, const IntVect& b) { return IntVect(a) - b; }
    friend constexpr IntVect operator*(int a, const IntVect& b) { return IntVect(a) * b; }
    template <class B>
    constexpr IntVect& operator+=(const B& b) {
        return *this = *this + b;
    }
    template <class B>
    constexpr IntVect& operator-=(const B& b) {
        return *this = *this - b;
    }
    template <class B>
    constexpr IntVect& operator*=(const B& b) {
        return *this = *this * b;
    }
    template <class B>
    constexpr IntVect& operator/=(const B& b) {
        return *this = *this / b;
    }

    /// The smaller of each pair of components.
    friend constexpr IntVect min(const IntVect& a, const IntVect& b) {
        return map(a, b, [](int x, int y) { return x < y ? x : y; });
    }
    /// The larger of each pair of components.
    friend constexpr IntVect max(const IntVect& a, const IntVect& b) {
        return map(a, b, [](int x, int y) { return x > y ? x : y; });
    }
    /// Division by ratio >= 1, rounded down: the coarse cell that holds the fine cell.
    friend constexpr IntVect coarsen(const IntVect& a, const IntVect& ratio) {
        return map(a, ratio, detail::floor_div);
    }
    friend constexpr IntVect coarsen(const IntVect& a, int ratio) { return coarsen(a, IntVect(ratio)); }

private:
    template <class F>
    constexpr bool all(const IntVect& b, F f) const {
        for (int d = 0; d < D; ++d) {
            if (!f((*this)[d], b[d])) return false;
        }
        return true;
    }
    template <class F>
    static constexpr IntVect map(const IntVect& a, const IntVect& b, F f) {
        IntVect r;
        for (int d = 0; d < D; ++d) r[d] = f(a[d], b[d]);
        return r;
    }

    std::array<int, D> v_{};
};

/// Orders points as they lie in memory; for std::map and std::sort.
struct LexLess {
    template <int D>
    constexpr bool operator()(const IntVect<D>& a, const IntVect<D>& b) const {
        return a.lex_less(b);
    }
};

/// A hash of all components, well mixed.
template <int D>
constexpr std::size_t hash_value(const IntVect<D>& a) {
    std::uint64_t h = 0x9E3779B97F4A7C15u;
    for (int x : a) {
        h ^= static_cast<std::uint32_t>(x);
        h *= 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
}

}  // namespace zerofab

template <int D>
struct std::hash<zerofab::IntVect<D>> {
    std::size_t operator()(const zerofab::IntVect<D>& a) const noexcept { return zerofab::hash_value(a); }
};
