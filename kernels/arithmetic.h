// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on fields: one launch over all boxes and components; z is written, x and y are read, a and b are numbers.
//
// Arguments in this order: regions, operands z x y, numbers a b.  A field that is read may be the one that is written.
#pragma once

#include "field.h"

/// The numbers of an operation, where a function has them and where it is called.
#define K_NUMBERS_NONE
#define K_NUMBERS_A , element a
#define K_NUMBERS_AB , element a, element b
#define K_GIVEN_NONE
#define K_GIVEN_A , a
#define K_GIVEN_AB , a, b

/// The rows of the operands, where `assign` wants them.
#define K_ROWS_Z K_GLOBAL element* z = k_row_of(zs, row);
#define K_ROWS_ZX K_ROWS_Z K_GLOBAL const element* x = k_row_of(xs, row);
#define K_ROWS_ZXY K_ROWS_ZX K_GLOBAL const element* y = k_row_of(ys, row);

/// z = value, where `value` may use z[i] and the numbers.  `assign` is K_CHANGE_ROWS, or K_WRITE_ROWS if it does not use
/// z[i].
#define K_ALONE(name, assign, numbers, value)                                                         \
    K_APART void name##_rows(k_rows rows, k_field zs K_NUMBERS_##numbers) { assign(K_ROWS_Z, value) } \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z) K_NUMBERS_##numbers) {                                       \
        K_FOR_BOXES {                                                                                 \
            K_OPEN_BOX                                                                                \
            K_OPEN(z)                                                                                 \
            const k_rows rows = K_ROWS_TO_WRITE(box, k_is_dense(box, z_fab));                         \
            K_FOR_COMPONENTS(n) {                                                                     \
                name##_rows(rows, K_COMPONENT(z, n) K_GIVEN_##numbers);                               \
            }                                                                                         \
        }                                                                                             \
    }

/// z = value, where `value` may use x[i] too.
#define K_WITH_ONE(name, assign, numbers, value)                                                        \
    K_APART void name##_rows(k_rows rows, k_field zs, k_field xs K_NUMBERS_##numbers) {                 \
        assign(K_ROWS_ZX, value)                                                                        \
    }                                                                                                   \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z), K_FIELD(x) K_NUMBERS_##numbers) {                             \
        K_FOR_BOXES {                                                                                   \
            K_OPEN_BOX                                                                                  \
            K_OPEN(z)                                                                                   \
            K_OPEN(x)                                                                                   \
            const k_rows rows = K_ROWS_TO_WRITE(box, k_is_dense(box, z_fab) && k_is_dense(box, x_fab)); \
            K_FOR_COMPONENTS(n) {                                                                       \
                name##_rows(rows, K_COMPONENT(z, n), K_COMPONENT(x, n) K_GIVEN_##numbers);              \
            }                                                                                           \
        }                                                                                               \
    }

/// z = value, where `value` may use x[i] and y[i] too.
#define K_WITH_TWO(name, assign, numbers, value)                                                              \
    K_APART void name##_rows(k_rows rows, k_field zs, k_field xs, k_field ys K_NUMBERS_##numbers) {           \
        assign(K_ROWS_ZXY, value)                                                                             \
    }                                                                                                         \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z), K_FIELD(x), K_FIELD(y) K_NUMBERS_##numbers) {                       \
        K_FOR_BOXES {                                                                                         \
            K_OPEN_BOX                                                                                        \
            K_OPEN(z)                                                                                         \
            K_OPEN(x)                                                                                         \
            K_OPEN(y)                                                                                         \
            const k_i32 dense = k_is_dense(box, z_fab) && k_is_dense(box, x_fab) && k_is_dense(box, y_fab);   \
            const k_rows rows = K_ROWS_TO_WRITE(box, dense);                                                  \
            K_FOR_COMPONENTS(n) {                                                                             \
                name##_rows(rows, K_COMPONENT(z, n), K_COMPONENT(x, n), K_COMPONENT(y, n) K_GIVEN_##numbers); \
            }                                                                                                 \
        }                                                                                                     \
    }                                                                                                         \

K_ALONE(field_set_val, K_WRITE_ROWS, A, a)
K_ALONE(field_add_scalar, K_CHANGE_ROWS, A, k_add(z[i], a))
K_ALONE(field_multiply_scalar, K_CHANGE_ROWS, A, k_multiply(z[i], a))
K_ALONE(field_divide_scalar, K_CHANGE_ROWS, A, k_divide(z[i], a))
K_ALONE(field_invert, K_CHANGE_ROWS, A, k_divide(a, z[i]))
K_ALONE(field_negate, K_CHANGE_ROWS, NONE, k_negative(z[i]))
K_ALONE(field_abs, K_CHANGE_ROWS, NONE, k_abs(z[i]))

K_WITH_ONE(field_copy, K_WRITE_ROWS, NONE, x[i])
K_WITH_ONE(field_add, K_CHANGE_ROWS, NONE, k_add(z[i], x[i]))
K_WITH_ONE(field_subtract, K_CHANGE_ROWS, NONE, k_subtract(z[i], x[i]))
K_WITH_ONE(field_multiply, K_CHANGE_ROWS, NONE, k_multiply(z[i], x[i]))
K_WITH_ONE(field_divide, K_CHANGE_ROWS, NONE, k_divide(z[i], x[i]))
K_WITH_ONE(field_saxpy, K_CHANGE_ROWS, A, k_add(z[i], k_multiply(a, x[i])))
K_WITH_ONE(field_xpay, K_CHANGE_ROWS, A, k_add(x[i], k_multiply(a, z[i])))

K_WITH_TWO(field_lin_comb, K_WRITE_ROWS, AB, k_add(k_multiply(a, x[i]), k_multiply(b, y[i])))
K_WITH_TWO(field_add_product, K_CHANGE_ROWS, NONE, k_add(z[i], k_multiply(x[i], y[i])))

/// z and x change places.
K_APART void field_swap_rows(k_rows rows, k_field zs, k_field xs) {
    K_FOR_ROWS(row) {
        K_GLOBAL element* z = k_row_of(zs, row);
        K_GLOBAL element* x = k_row_of(xs, row);
        K_FOR_POINTS(i) {
            const element old = z[i];
            z[i] = x[i];
            x[i] = old;
        }
    }
}
K_KERNEL(field_swap)(K_REGIONS, K_FIELD(z), K_FIELD(x)) {
    K_FOR_BOXES {
        K_OPEN_BOX
        K_OPEN(z)
        K_OPEN(x)
        const k_rows rows = k_rows_of(box, k_is_dense(box, z_fab) && k_is_dense(box, x_fab));
        K_FOR_COMPONENTS(n) {
            field_swap_rows(rows, K_COMPONENT(z, n), K_COMPONENT(x, n));
        }
    }
}

/// z = 0 where the mask (integers, component 0) is 0.
K_KERNEL(field_keep_masked)(K_REGIONS, K_FIELD(z), K_GLOBAL const zf_fab* mask_fabs) {
    K_FOR_BOXES {
        K_OPEN_BOX
        K_OPEN(z)
        K_OPEN_MASK
        const k_rows rows = k_rows_of(box, k_is_dense(box, z_fab) && k_is_dense(box, mask_fab));
        K_FOR_COMPONENTS(n) {
            K_FOR_ROWS(row) {
                K_GLOBAL element* z = K_ROW_OF(z, row, n);
                K_GLOBAL const k_i32* mask = K_MASK_ROW(row);
                K_FOR_POINTS(i) z[i] = mask[i] != 0 ? z[i] : 0;
            }
        }
    }
}
