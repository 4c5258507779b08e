// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Sums, extrema and questions of fields.
//
// Every group leaves one result for each box: results[box * K_GROUPS_X + K_GROUP_X].  The host joins them in this
// order, so that the outcome depends on the number of groups only.  The result of no points is that of an empty sum,
// and so on.
#pragma once

#include "field.h"

/// A sum with what rounding took from it.  The host adds high + low of all results with compensation in double; where
/// low is not finite (the sum met inf or NaN) high alone is the sum.  Integers add up in high, modulo 2^64.
#if K_REAL
typedef element k_total;
#else
typedef k_i64 k_total;
#endif
typedef struct k_sum {
    k_total high, low;
} k_sum;

K_FN k_sum k_no_sum(void) {
    k_sum s;
    s.high = s.low = 0;
    return s;
}
K_FN k_sum k_sum_with(k_sum s, k_total term, k_total low) {
#if K_REAL
    const k_total high = s.high + term;
    const k_total part = high - s.high;
    s.low += (s.high - (high - part)) + (term - part) + low;
    s.high = high;
#else
    s.high = (k_i64)((k_u64)s.high + (k_u64)term);
    s.low = low;
#endif
    return s;
}
K_FN k_sum k_joined_sum(k_sum a, k_sum b) { return k_sum_with(a, b.high, b.low); }

#ifdef K_ONE_ITEM
/// Eight sums at once.
#if defined(K_F64)
typedef double8 k_totals;
#elif defined(K_F32)
typedef float8 k_totals;
#else
typedef ulong8 k_totals;
#endif
typedef struct k_sums {
    k_totals high, low;
} k_sums;

K_FN k_sums k_sums_with(k_sums s, k_totals terms) {
#if K_REAL
    const k_totals high = s.high + terms;
    const k_totals part = high - s.high;
    s.low += (s.high - (high - part)) + (terms - part);
    s.high = high;
#else
    s.high += terms;
#endif
    return s;
}
K_FN k_sum k_sum_of(k_sums s) {
    k_sum sum = k_no_sum();
    sum = k_sum_with(sum, (k_total)s.high.s0, (k_total)s.low.s0);
    sum = k_sum_with(sum, (k_total)s.high.s1, (k_total)s.low.s1);
    sum = k_sum_with(sum, (k_total)s.high.s2, (k_total)s.low.s2);
    sum = k_sum_with(sum, (k_total)s.high.s3, (k_total)s.low.s3);
    sum = k_sum_with(sum, (k_total)s.high.s4, (k_total)s.low.s4);
    sum = k_sum_with(sum, (k_total)s.high.s5, (k_total)s.low.s5);
    sum = k_sum_with(sum, (k_total)s.high.s6, (k_total)s.low.s6);
    return k_sum_with(sum, (k_total)s.high.s7, (k_total)s.low.s7);
}
#endif

K_FN k_total k_product(k_total a, k_total b) {
#if K_REAL
    return a * b;
#else
    return (k_i64)((k_u64)a * (k_u64)b);
#endif
}

#if K_REAL
#define K_LARGEST K_INFINITY
#define K_SMALLEST (-K_INFINITY)
#define K_IS_NAN(x) ((x) != (x))
#define K_IS_INF(x) ((x) == K_INFINITY || (x) == -K_INFINITY)
#else
#define K_LARGEST ((element)((k_unsigned) - 1 >> 1))
#define K_SMALLEST (-K_LARGEST - 1)
#define K_IS_NAN(x) ((void)(x), 0)
#define K_IS_INF(x) ((void)(x), 0)
#endif

// NaN never wins a comparison for min and max; it always does for the largest |x|.
K_FN element k_smaller(element m, element x) { return x < m ? x : m; }
K_FN element k_larger(element m, element x) { return x > m ? x : m; }
K_FN element k_larger_or_nan(element m, element x) { return x > m || K_IS_NAN(x) ? x : m; }
K_FN k_i32 k_either(k_i32 a, k_i32 b) { return a | b; }

// What a reduction reads beside x: arguments; what is done once a box and a row; whether the region is dense in it; and
// which points count.
#define K_ARGUMENTS_X
#define K_BOX_X
#define K_ROW_X
#define K_DENSE_X 1
#define K_COUNTS_X 1
#define K_ARGUMENTS_XY , K_FIELD(y)
#define K_BOX_XY K_OPEN(y)
#define K_ROW_XY K_GLOBAL const element* y = K_ROW_OF(y, row, n);
#define K_DENSE_XY k_is_dense(box, y_fab)
#define K_COUNTS_XY 1
#define K_ARGUMENTS_X_MASK , K_GLOBAL const zf_fab *mask_fabs
#define K_BOX_X_MASK K_OPEN_MASK
#define K_ROW_X_MASK K_GLOBAL const k_i32* mask = K_MASK_ROW(row);
#define K_DENSE_X_MASK k_is_dense(box, mask_fab)
#define K_COUNTS_X_MASK mask[i] != 0
#define K_ARGUMENTS_XY_MASK K_ARGUMENTS_XY K_ARGUMENTS_X_MASK
#define K_BOX_XY_MASK K_BOX_XY K_BOX_X_MASK
#define K_ROW_XY_MASK K_ROW_XY K_ROW_X_MASK
#define K_DENSE_XY_MASK K_DENSE_XY && K_DENSE_X_MASK
#define K_COUNTS_XY_MASK K_COUNTS_X_MASK

/// Join the states `s` of a group's items in shared[0], for item 0, in the same order every time: first in a few items,
/// then in one.  That takes two barriers, which on CPUs are what costs most.
#define K_FEW 16
#define K_JOIN(s, join)                                                                      \
    K_LOOP for (k_i64 k_from = 0; k_from < K_ITEMS; k_from += K_GROUP) {                     \
        const k_i64 k_at = K_ITEM - k_from;                                                  \
        if (k_at >= 0 && k_at < K_GROUP && k_from == 0) shared[k_at] = s;                    \
        if (k_at >= 0 && k_at < K_GROUP && k_from > 0) shared[k_at] = join(shared[k_at], s); \
        K_BARRIER();                                                                         \
    }                                                                                        \
    const k_i64 k_states = K_ITEMS < K_GROUP ? K_ITEMS : K_GROUP;                            \
    if (K_ITEM < K_FEW) {                                                                    \
        K_LOOP for (k_i64 i = K_ITEM + K_FEW; i < k_states; i += K_FEW) {                    \
            shared[K_ITEM] = join(shared[K_ITEM], shared[i]);                                \
        }                                                                                    \
    }                                                                                        \
    K_BARRIER();                                                                             \
    if (K_ITEM == 0) {                                                                       \
        K_LOOP for (k_i64 i = 1; i < K_FEW && i < k_states; ++i) {                           \
            shared[0] = join(shared[0], shared[i]);                                          \
        }                                                                                    \
    }

/// The states of an item, a row taken into them, and one state `s` of all. One item of its own takes eight points at a
/// time, each into a state of its own, so that they are vectors.
#ifdef K_ONE_ITEM
#define K_STATES_ANY(state, start)                                                                                \
    state k_0 = start, k_1 = start, k_2 = start, k_3 = start, k_4 = start, k_5 = start, k_6 = start, k_7 = start;
#define K_TAKE(number, with, state, take)      \
    {                                          \
        const k_i64 i = k_at + number;         \
        state s = k_##number;                  \
        if (K_COUNTS_##with) s = take;         \
        k_##number = s;                        \
    }
#define K_TAKE_ROW_ANY(with, state, take)                                                                           \
    k_i64 k_at = rows.lane;                                                                                        \
    K_LOOP for (; k_at + 8 <= rows.end; k_at += 8) {                                                               \
        K_TAKE(0, with, state, take) K_TAKE(1, with, state, take) K_TAKE(2, with, state, take)                     \
        K_TAKE(3, with, state, take) K_TAKE(4, with, state, take) K_TAKE(5, with, state, take)                     \
        K_TAKE(6, with, state, take) K_TAKE(7, with, state, take)                                                  \
    }                                                                                                              \
    K_LOOP for (; k_at < rows.end; ++k_at) K_TAKE(0, with, state, take)
#define K_STATES_TOTAL(state, start)   \
    k_sums sums;                        \
    sums.high = sums.low = (k_totals)0;
#define K_TERM(number, with, term)       \
    {                                    \
        const k_i64 i = k_at + number;   \
        if (K_COUNTS_##with) terms.s##number = term; \
    }
#define K_TAKE_ROW_TOTAL(with, state, term)                                                                         \
    k_i64 k_at = rows.lane;                                                                                        \
    K_LOOP for (; k_at + 8 <= rows.end; k_at += 8) {                                                               \
        k_totals terms = (k_totals)0;                                                                              \
        K_TERM(0, with, term) K_TERM(1, with, term) K_TERM(2, with, term) K_TERM(3, with, term)                    \
        K_TERM(4, with, term) K_TERM(5, with, term) K_TERM(6, with, term) K_TERM(7, with, term)                    \
        sums = k_sums_with(sums, terms);                                                                           \
    }                                                                                                              \
    K_LOOP for (; k_at < rows.end; ++k_at) {                                                                       \
        k_totals terms = (k_totals)0;                                                                              \
        K_TERM(0, with, term)                                                                                      \
        sums = k_sums_with(sums, terms);                                                                           \
    }
#define K_STATE_TOTAL(state, join) state s = k_sum_of(sums);
#define K_STATE_ANY(state, join) \
    state s = join(join(join(k_0, k_1), join(k_2, k_3)), join(join(k_4, k_5), join(k_6, k_7)));
#else
#define K_STATES_ANY(state, start) state s = start;
#define K_TAKE_ROW_ANY(with, state, take) \
    K_FOR_POINTS(i) {                 \
        if (K_COUNTS_##with) s = take; \
    }
#define K_STATE_ANY(state, join)
#define K_STATES_TOTAL K_STATES_ANY
#define K_TAKE_ROW_TOTAL(with, state, term) K_TAKE_ROW_ANY(with, state, k_sum_with(s, term, 0))
#define K_STATE_TOTAL K_STATE_ANY
#endif

/// A reduction of the operands `with`: it begins at `start`, and `take` is the state `s` and one element more.
#define K_REDUCE(name, with, how, state, start, take, join)                                    \
    K_KERNEL(name)(K_REGIONS, K_FIELD(x) K_ARGUMENTS_##with, K_GLOBAL state* results) {   \
        K_SHARED(state, shared);                                                          \
        K_FOR_BOXES {                                                                     \
            K_OPEN_BOX                                                                    \
            K_OPEN(x)                                                                     \
            K_BOX_##with                                                                  \
            const k_rows rows = k_rows_of(box, k_is_dense(box, x_fab) && K_DENSE_##with); \
            K_STATES_##how(state, start)                                                        \
            K_FOR_COMPONENTS(n) {                                                         \
                K_FOR_ROWS(row) {                                                         \
                    K_GLOBAL const element* x = K_ROW_OF(x, row, n);                      \
                    K_ROW_##with                                                          \
                    K_TAKE_ROW_##how(with, state, take)                                      \
                }                                                                         \
            }                                                                             \
            K_STATE_##how(state, join)                                                     \
            K_JOIN(s, join)                                                               \
            if (K_ITEM == 0) results[k_b * K_GROUPS_X + K_GROUP_X] = shared[0];           \
            K_BARRIER();                                                                  \
        }                                                                                 \
    }

/// The sum of a term.
#define K_TOTAL(name, with, term) K_REDUCE(name, with, TOTAL, k_sum, k_no_sum(), term, k_joined_sum)

K_TOTAL(field_sum, X, x[i])
K_TOTAL(field_sum_abs, X, k_abs(x[i]))
K_TOTAL(field_sum_squares, X, k_product(x[i], x[i]))
K_TOTAL(field_dot, XY, k_product(x[i], y[i]))
K_TOTAL(field_masked_sum, X_MASK, x[i])
K_TOTAL(field_masked_sum_abs, X_MASK, k_abs(x[i]))
K_TOTAL(field_masked_dot, XY_MASK, k_product(x[i], y[i]))

K_REDUCE(field_min, X, ANY, element, K_LARGEST, k_smaller(s, x[i]), k_smaller)
K_REDUCE(field_max, X, ANY, element, K_SMALLEST, k_larger(s, x[i]), k_larger)
K_REDUCE(field_max_abs, X, ANY, element, 0, k_larger_or_nan(s, k_abs(x[i])), k_larger_or_nan)
K_REDUCE(field_masked_max_abs, X_MASK, ANY, element, 0, k_larger_or_nan(s, k_abs(x[i])), k_larger_or_nan)

K_REDUCE(field_has_nan, X, ANY, k_i32, 0, s | K_IS_NAN(x[i]), k_either)
K_REDUCE(field_has_inf, X, ANY, k_i32, 0, s | K_IS_INF(x[i]), k_either)
K_REDUCE(field_has_zero, X, ANY, k_i32, 0, s | (x[i] == 0), k_either)
