// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on fields: one launch over all boxes and components; z is written, x and y are read, a and b are numbers.
//
// Arguments in this order: regions, operands z x y, numbers a b.  A field that is read may be the one that is written.
#pragma once

#include "field.h"

/// z = value, where `value` may use z[i] and the numbers.
#define K_ALONE(name, numbers, value)                                   \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z) numbers) {                     \
        K_FOR_BOXES {                                                   \
            K_OPEN_BOX                                                  \
            K_OPEN(z)                                                   \
            const k_rows rows = k_rows_of(box, k_is_dense(box, z_fab)); \
            K_FOR_COMPONENTS(n) {                                       \
                K_FOR_ROWS(row) {                                       \
                    K_GLOBAL element* z = K_ROW_OF(z, row, n);          \
                    K_FOR_POINTS(i) z[i] = value;                       \
                }                                                       \
            }                                                           \
        }                                                               \
    }

/// z = value, where `value` may use x[i] too.
#define K_WITH_ONE(name, numbers, value)                                                          \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z), K_FIELD(x) numbers) {                                   \
        K_FOR_BOXES {                                                                             \
            K_OPEN_BOX                                                                            \
            K_OPEN(z)                                                                             \
            K_OPEN(x)                                                                             \
            const k_rows rows = k_rows_of(box, k_is_dense(box, z_fab) && k_is_dense(box, x_fab)); \
            K_FOR_COMPONENTS(n) {                                                                 \
                K_FOR_ROWS(row) {                                                                 \
                    K_GLOBAL element* z = K_ROW_OF(z, row, n);                                    \
                    K_GLOBAL const element* x = K_ROW_OF(x, row, n);                              \
                    K_FOR_POINTS(i) z[i] = value;                                                 \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }

/// z = value, where `value` may use x[i] and y[i] too.
#define K_WITH_TWO(name, numbers, value)                                                                    \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z), K_FIELD(x), K_FIELD(y) numbers) {                                 \
        K_FOR_BOXES {                                                                                       \
            K_OPEN_BOX                                                                                      \
            K_OPEN(z)                                                                                       \
            K_OPEN(x)                                                                                       \
            K_OPEN(y)                                                                                       \
            const k_i32 dense = k_is_dense(box, z_fab) && k_is_dense(box, x_fab) && k_is_dense(box, y_fab); \
            const k_rows rows = k_rows_of(box, dense);                                                      \
            K_FOR_COMPONENTS(n) {                                                                           \
                K_FOR_ROWS(row) {                                                                           \
                    K_GLOBAL element* z = K_ROW_OF(z, row, n);                                              \
                    K_GLOBAL const element* x = K_ROW_OF(x, row, n);                                        \
                    K_GLOBAL const element* y = K_ROW_OF(y, row, n);                                        \
                    K_FOR_POINTS(i) z[i] = value;                                                           \
                }                                                                                           \
            }                                                                                               \
        }                                                                                                   \
    }

#define K_NO_NUMBER
#define K_A , element a
#define K_AB , element a, element b

K_ALONE(field_set_val, K_A, a)
K_ALONE(field_add_scalar, K_A, k_add(z[i], a))
K_ALONE(field_multiply_scalar, K_A, k_multiply(z[i], a))
K_ALONE(field_divide_scalar, K_A, k_divide(z[i], a))
K_ALONE(field_invert, K_A, k_divide(a, z[i]))
K_ALONE(field_negate, K_NO_NUMBER, k_negative(z[i]))
K_ALONE(field_abs, K_NO_NUMBER, k_abs(z[i]))

K_WITH_ONE(field_copy, K_NO_NUMBER, x[i])
K_WITH_ONE(field_add, K_NO_NUMBER, k_add(z[i], x[i]))
K_WITH_ONE(field_subtract, K_NO_NUMBER, k_subtract(z[i], x[i]))
K_WITH_ONE(field_multiply, K_NO_NUMBER, k_multiply(z[i], x[i]))
K_WITH_ONE(field_divide, K_NO_NUMBER, k_divide(z[i], x[i]))
K_WITH_ONE(field_saxpy, K_A, k_add(z[i], k_multiply(a, x[i])))
K_WITH_ONE(field_xpay, K_A, k_add(x[i], k_multiply(a, z[i])))

K_WITH_TWO(field_lin_comb, K_AB, k_add(k_multiply(a, x[i]), k_multiply(b, y[i])))
K_WITH_TWO(field_add_product, K_NO_NUMBER, k_add(z[i], k_multiply(x[i], y[i])))

/// z and x change places.
K_KERNEL(field_swap)(K_REGIONS, K_FIELD(z), K_FIELD(x)) {
    K_FOR_BOXES {
        K_OPEN_BOX
        K_OPEN(z)
        K_OPEN(x)
        const k_rows rows = k_rows_of(box, k_is_dense(box, z_fab) && k_is_dense(box, x_fab));
        K_FOR_COMPONENTS(n) {
            K_FOR_ROWS(row) {
                K_GLOBAL element* z = K_ROW_OF(z, row, n);
                K_GLOBAL element* x = K_ROW_OF(x, row, n);
                K_FOR_POINTS(i) {
                    const element old = z[i];
                    z[i] = x[i];
                    x[i] = old;
                }
            }
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
