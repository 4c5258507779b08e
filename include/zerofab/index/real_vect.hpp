// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// RealVect<D>: a point of physical space, or D reals that belong to the D directions.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>

#include "zerofab/base/types.hpp"
#include "zerofab/index/int_vect.hpp"

namespace zerofab {

/// D reals, one per direction, x first; arithmetic is by component, with a RealVect or a Real on either side.
///
///     RealVect<2> dx(0.1, 0.2);
///     RealVect<2> x = dx * RealVect<2>(IntVect<2>(3, 4));    // (0.3, 0.8)
///     IntVect<2> cell = (x / dx).floor();                    // the cell that holds x
template <int D>
class RealVect {
public:
    constexpr RealVect() = default;
    explicit constexpr RealVect(Real all) { v_.fill(all); }
    template <std::convertible_to<Real>... Reals>
        requires(sizeof...(Reals) == D && D > 1)
    constexpr RealVect(Reals... reals) : v_{static_cast<Real>(reals)...} {}
    explicit constexpr RealVect(const std::array<Real, D>& v) : v_(v) {}
    explicit constexpr RealVect(const IntVect<D>& iv) {
        for (int d = 0; d < D; ++d) (*this)[d] = iv[d];
    }

    static constexpr RealVect zero() { return RealVect(); }
    static constexpr RealVect unit() { return RealVect(Real{1}); }
    /// One in direction d, zero elsewhere.
    static constexpr RealVect basis(int d) {
        RealVect r;
        r[d] = 1;
        return r;
    }

    /// Component d; 0 <= d < D is not checked.
    constexpr Real operator[](int d) const { return v_[static_cast<std::size_t>(d)]; }
    constexpr Real& operator[](int d) { return v_[static_cast<std::size_t>(d)]; }
    constexpr const Real* data() const { return v_.data(); }
    constexpr const std::array<Real, D>& array() const { return v_; }

    constexpr Real sum() const {
        return fold(0, [](Real a, Real b) { return a + b; });
    }
    constexpr Real product() const {
        return fold(1, [](Real a, Real b) { return a * b; });
    }
    constexpr Real rad_squared() const { return dot(*this); }
    Real vector_length() const { return std::sqrt(rad_squared()); }
    constexpr Real dot(const RealVect& b) const { return (*this * b).sum(); }
    constexpr RealVect cross(const RealVect& b) const
        requires(D == 3)
    {
        const RealVect& a = *this;
        return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
    /// The first direction whose component (its magnitude, if so asked) is smallest.
    constexpr int min_dir(bool magnitude) const {
        return pick(magnitude, [](Real a, Real b) { return a < b; });
    }
    constexpr int max_dir(bool magnitude) const {
        return pick(magnitude, [](Real a, Real b) { return a > b; });
    }

    /// The nearest integers; halves go away from zero. ValueError where they do not fit an int, here and below.
    IntVect<D> round() const {
        return to_int([](Real x) { return std::round(x); });
    }
    IntVect<D> floor() const {
        return to_int([](Real x) { return std::floor(x); });
    }
    IntVect<D> ceil() const {
        return to_int([](Real x) { return std::ceil(x); });
    }

    friend constexpr bool operator==(const RealVect&, const RealVect&) = default;
    constexpr bool all_lt(const RealVect& b) const {
        return all(b, [](Real x, Real y) { return x < y; });
    }
    constexpr bool all_le(const RealVect& b) const {
        return all(b, [](Real x, Real y) { return x <= y; });
    }
    constexpr bool all_gt(const RealVect& b) const { return b.all_lt(*this); }
    constexpr bool all_ge(const RealVect& b) const { return b.all_le(*this); }

    // clang-format off
    constexpr RealVect operator-() const { return zero() - *this; }
    friend constexpr RealVect operator+(const RealVect& a, const RealVect& b) { return map(a, b, [](Real x, Real y) { return x + y; }); }
    friend constexpr RealVect operator-(const RealVect& a, const RealVect& b) { return map(a, b, [](Real x, Real y) { return x - y; }); }
    friend constexpr RealVect operator*(const RealVect& a, const RealVect& b) { return map(a, b, [](Real x, Real y) { return x * y; }); }
    /// Division as the hardware does it: by zero it gives an infinity or a NaN.
    friend constexpr RealVect operator/(const RealVect& a, const RealVect& b) { return map(a, b, [](Real x, Real y) { return x / y; }); }
    friend constexpr RealVect operator+(const RealVect& a, Real b) { return a + RealVect(b); }
    friend constexpr RealVect operator-(const RealVect& a, Real b) { return a - RealVect(b); }
    friend constexpr RealVect operator*(const RealVect& a, Real b) { return a * RealVect(b); }
    friend constexpr RealVect operator/(const RealVect& a, Real b) { return a / RealVect(b); }
    friend constexpr RealVect operator+(Real a, const RealVect& b) { return RealVect(a) + b; }
    friend constexpr RealVect operator-(Real a, const RealVect& b) { return RealVect(a) - b; }
    friend constexpr RealVect operator*(Real a, const RealVect& b) { return RealVect(a) * b; }
    friend constexpr RealVect operator/(Real a, const RealVect& b) { return RealVect(a) / b; }
    template <class B> constexpr RealVect& operator+=(const B& b) { return *this = *this + b; }
    template <class B> constexpr RealVect& operator-=(const B& b) { return *this = *this - b; }
    template <class B> constexpr RealVect& operator*=(const B& b) { return *this = *this * b; }
    template <class B> constexpr RealVect& operator/=(const B& b) { return *this = *this / b; }
    /// The smaller, the larger of each pair of components.
    friend constexpr RealVect min(const RealVect& a, const RealVect& b) { return map(a, b, [](Real x, Real y) { return y < x ? y : x; }); }
    friend constexpr RealVect max(const RealVect& a, const RealVect& b) { return map(a, b, [](Real x, Real y) { return x < y ? y : x; }); }
    // clang-format on

private:
    template <class F>
    static constexpr RealVect map(const RealVect& a, const RealVect& b, F f) {
        RealVect r;
        for (int d = 0; d < D; ++d) r[d] = f(a[d], b[d]);
        return r;
    }
    template <class F>
    constexpr Real fold(Real start, F f) const {
        for (Real x : v_) start = f(start, x);
        return start;
    }
    template <class F>
    constexpr bool all(const RealVect& b, F f) const {
        for (int d = 0; d < D; ++d) {
            if (!f((*this)[d], b[d])) return false;
        }
        return true;
    }
    template <class F>
    constexpr int pick(bool magnitude, F better) const {
        auto at = [&](int d) { return magnitude && (*this)[d] < 0 ? -(*this)[d] : (*this)[d]; };
        int best = 0;
        for (int d = 1; d < D; ++d) {
            if (better(at(d), at(best))) best = d;
        }
        return best;
    }
    template <class F>
    IntVect<D> to_int(F f) const {
        IntVect<D> r;
        for (int d = 0; d < D; ++d) r[d] = detail::real_to_int(f((*this)[d]));
        return r;
    }

    std::array<Real, D> v_{};
};

}  // namespace zerofab
