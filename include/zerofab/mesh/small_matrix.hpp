// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A small dense matrix by value.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {

/// R x C numbers, column by column, counted from 1.
///
///     SmallMatrix<double, 2, 2> m{{1, 2, 3, 4}};   // columns (1, 2) and (3, 4)
///     m(1, 2);                                     // 3
///     auto square = m * m;
template <class T, int R, int C>
struct SmallMatrix {
    static_assert(R > 0 && C > 0);

    static constexpr int row_size = R;     ///< number of rows
    static constexpr int column_size = C;  ///< number of columns
    static constexpr int size = R * C;
    static constexpr int starting_index = 1;

    std::array<T, static_cast<std::size_t>(R* C)> values{};  ///< column-major; zero at first

    /// Element in row i, column j, both from 1; not checked.
    [[nodiscard]] constexpr T& operator()(int i, int j) noexcept { return values[offset(i, j)]; }
    [[nodiscard]] constexpr const T& operator()(int i, int j) const noexcept { return values[offset(i, j)]; }

    /// The same, checked: IndexError.
    [[nodiscard]] constexpr T& at(int i, int j) { return values[checked_place(i, j)]; }
    [[nodiscard]] constexpr const T& at(int i, int j) const { return values[checked_place(i, j)]; }

    [[nodiscard]] static constexpr SmallMatrix identity() noexcept
        requires(R == C)
    {
        SmallMatrix result;
        for (int i = 1; i <= R; ++i) {
            result(i, i) = T{1};
        }
        return result;
    }

    constexpr SmallMatrix& set_val(T value) noexcept {
        values.fill(value);
        return *this;
    }
    [[nodiscard]] constexpr T sum() const noexcept { return std::accumulate(values.begin(), values.end(), T{0}); }
    [[nodiscard]] constexpr T prod() const noexcept {
        return std::accumulate(values.begin(), values.end(), T{1}, std::multiplies<>());
    }
    [[nodiscard]] constexpr T trace() const noexcept
        requires(R == C)
    {
        T total{0};
        for (int i = 1; i <= R; ++i) {
            total += (*this)(i, i);
        }
        return total;
    }
    /// Sum of the products of elements at the same indices.
    [[nodiscard]] constexpr T dot(const SmallMatrix& other) const noexcept {
        return std::inner_product(values.begin(), values.end(), other.values.begin(), T{0});
    }
    [[nodiscard]] constexpr SmallMatrix<T, C, R> transposed() const noexcept {
        SmallMatrix<T, C, R> result;
        for (int j = 1; j <= C; ++j) {
            for (int i = 1; i <= R; ++i) {
                result(j, i) = (*this)(i, j);
            }
        }
        return result;
    }
    constexpr SmallMatrix& transpose_in_place() noexcept
        requires(R == C)
    {
        return *this = transposed();
    }

    constexpr SmallMatrix& operator+=(const SmallMatrix& other) noexcept {
        std::transform(values.begin(), values.end(), other.values.begin(), values.begin(), std::plus<>());
        return *this;
    }
    constexpr SmallMatrix& operator-=(const SmallMatrix& other) noexcept {
        std::transform(values.begin(), values.end(), other.values.begin(), values.begin(), std::minus<>());
        return *this;
    }
    constexpr SmallMatrix& operator*=(T factor) noexcept {
        for (T& value : values) {
            value *= factor;
        }
        return *this;
    }
    [[nodiscard]] friend constexpr SmallMatrix operator+(SmallMatrix a, const SmallMatrix& b) noexcept {
        return a += b;
    }
    [[nodiscard]] friend constexpr SmallMatrix operator-(SmallMatrix a, const SmallMatrix& b) noexcept {
        return a -= b;
    }
    [[nodiscard]] friend constexpr SmallMatrix operator*(SmallMatrix a, T factor) noexcept { return a *= factor; }
    [[nodiscard]] friend constexpr SmallMatrix operator*(T factor, SmallMatrix a) noexcept { return a *= factor; }
    [[nodiscard]] constexpr SmallMatrix operator-() const noexcept {
        SmallMatrix result;
        std::transform(values.begin(), values.end(), result.values.begin(), std::negate<>());
        return result;
    }
    friend constexpr bool operator==(const SmallMatrix&, const SmallMatrix&) = default;

private:
    static constexpr std::size_t offset(int i, int j) noexcept {
        return static_cast<std::size_t>((i - 1) + R * (j - 1));
    }
    static constexpr std::size_t checked_place(int i, int j) {
        if (i < 1 || i > R || j < 1 || j > C) {
            throw IndexError(
                concat("element (", i, ", ", j, ") is outside of a ", R, " x ", C, " matrix, which counts from 1"));
        }
        return offset(i, j);
    }
};

/// The matrix product.
template <class T, int R, int K, int C>
[[nodiscard]] constexpr SmallMatrix<T, R, C> operator*(const SmallMatrix<T, R, K>& a,
                                                       const SmallMatrix<T, K, C>& b) noexcept {
    SmallMatrix<T, R, C> result;
    for (int j = 1; j <= C; ++j) {
        for (int k = 1; k <= K; ++k) {
            for (int i = 1; i <= R; ++i) {
                result(i, j) += a(i, k) * b(k, j);
            }
        }
    }
    return result;
}

}  // namespace zerofab
