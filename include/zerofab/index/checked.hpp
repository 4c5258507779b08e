// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Integer arithmetic on indices that reports an overflow instead of wrapping around.
#pragma once

#include <limits>

#include "zerofab/base/export.hpp"
#include "zerofab/base/types.hpp"

namespace zerofab::detail {

/// Throw ValueError: the result of `what` does not fit its integer type.
[[noreturn]] ZEROFAB_API void throw_overflow(const char* what, Long a, Long b);
/// Throw ValueError: a divisor or ratio that is not allowed.
[[noreturn]] ZEROFAB_API void throw_bad_divisor(const char* what, Long value);
/// x as an int; ValueError if it is not a number or does not fit.
ZEROFAB_API int real_to_int(Real x);

constexpr int add(int a, int b) {
    int r = 0;
    if (__builtin_add_overflow(a, b, &r)) throw_overflow("sum", a, b);
    return r;
}

constexpr int sub(int a, int b) {
    int r = 0;
    if (__builtin_sub_overflow(a, b, &r)) throw_overflow("difference", a, b);
    return r;
}

constexpr int mul(int a, int b) {
    int r = 0;
    if (__builtin_mul_overflow(a, b, &r)) throw_overflow("product", a, b);
    return r;
}

constexpr Long mul_long(Long a, Long b) {
    Long r = 0;
    if (__builtin_mul_overflow(a, b, &r)) throw_overflow("number of points", a, b);
    return r;
}

/// Division towards zero, as C's.
constexpr int div(int a, int b) {
    if (b == 0) throw_bad_divisor("divisor", b);
    if (b == -1) return sub(0, a);
    return a / b;
}

/// Division towards minus infinity, b > 0: how an index coarsens.
constexpr int floor_div(int a, int b) {
    if (b < 1) throw_bad_divisor("ratio", b);
    const int q = a / b;
    return (a % b < 0) ? q - 1 : q;
}

/// Division towards plus infinity, b > 0: how the high end of a nodal box coarsens.
constexpr int ceil_div(int a, int b) {
    if (b < 1) throw_bad_divisor("ratio", b);
    const int q = a / b;
    return (a % b > 0) ? q + 1 : q;
}

}  // namespace zerofab::detail
