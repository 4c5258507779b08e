// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on fields: one launch over all boxes and components; z is written, x and y are read, a and b are numbers.
//
// Arguments in this order: regions, operands z x y, numbers a b.  A field that is read may be the one that is written.
#pragma once

#include "walk.h"

/// z = value, where `value` may use *z and the numbers.
#define K_ALONE(name, numbers, value)                                   \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z) numbers) {                     \
        K_FOR_EACH_ROW(r, box_count) {                                  \
            K_OPEN_BOX                                                  \
            K_OPEN(z)                                                   \
            K_FOR_POINTS(w) {                                           \
                K_GLOBAL element* z = K_AT(z, w);                       \
                K_LOOP for (k_i32 n = 0; n < ncomp; ++n, z += z_step) { \
                    *z = value;                                         \
                }                                                       \
            }                                                           \
        }                                                               \
    }

/// z = value, where `value` may use *x too.
#define K_WITH_ONE(name, numbers, value)                                             \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z), K_FIELD(x) numbers) {                      \
        K_FOR_EACH_ROW(r, box_count) {                                               \
            K_OPEN_BOX                                                               \
            K_OPEN(z)                                                                \
            K_OPEN(x)                                                                \
            K_FOR_POINTS(w) {                                                        \
                K_GLOBAL element* z = K_AT(z, w);                                    \
                K_GLOBAL const element* x = K_AT(x, w);                              \
                K_LOOP for (k_i32 n = 0; n < ncomp; ++n, z += z_step, x += x_step) { \
                    *z = value;                                                      \
                }                                                                    \
            }                                                                        \
        }                                                                            \
    }

/// z = value, where `value` may use *x and *y too.
#define K_WITH_TWO(name, numbers, value)                                                          \
    K_KERNEL(name)(K_REGIONS, K_FIELD(z), K_FIELD(x), K_FIELD(y) numbers) {                       \
        K_FOR_EACH_ROW(r, box_count) {                                                            \
            K_OPEN_BOX                                                                            \
            K_OPEN(z)                                                                             \
            K_OPEN(x)                                                                             \
            K_OPEN(y)                                                                             \
            K_FOR_POINTS(w) {                                                                     \
                K_GLOBAL element* z = K_AT(z, w);                                                 \
                K_GLOBAL const element* x = K_AT(x, w);                                           \
                K_GLOBAL const element* y = K_AT(y, w);                                           \
                K_LOOP for (k_i32 n = 0; n < ncomp; ++n, z += z_step, x += x_step, y += y_step) { \
                    *z = value;                                                                   \
                }                                                                                 \
            }                                                                                     \
        }                                                                                         \
    }

#define K_NO_NUMBER
#define K_A , element a
#define K_AB , element a, element b

K_ALONE(field_set_val, K_A, a)
K_ALONE(field_add_scalar, K_A, k_add(*z, a))
K_ALONE(field_multiply_scalar, K_A, k_multiply(*z, a))
K_ALONE(field_divide_scalar, K_A, k_divide(*z, a))
K_ALONE(field_invert, K_A, k_divide(a, *z))
K_ALONE(field_negate, K_NO_NUMBER, k_negative(*z))
K_ALONE(field_abs, K_NO_NUMBER, k_abs(*z))

K_WITH_ONE(field_copy, K_NO_NUMBER, *x)
K_WITH_ONE(field_add, K_NO_NUMBER, k_add(*z, *x))
K_WITH_ONE(field_subtract, K_NO_NUMBER, k_subtract(*z, *x))
K_WITH_ONE(field_multiply, K_NO_NUMBER, k_multiply(*z, *x))
K_WITH_ONE(field_divide, K_NO_NUMBER, k_divide(*z, *x))
K_WITH_ONE(field_saxpy, K_A, k_add(*z, k_multiply(a, *x)))
K_WITH_ONE(field_xpay, K_A, k_add(*x, k_multiply(a, *z)))

K_WITH_TWO(field_lin_comb, K_AB, k_add(k_multiply(a, *x), k_multiply(b, *y)))
K_WITH_TWO(field_add_product, K_NO_NUMBER, k_add(*z, k_multiply(*x, *y)))

/// z and x change places.
K_KERNEL(field_swap)(K_REGIONS, K_FIELD(z), K_FIELD(x)) {
    K_FOR_EACH_ROW(r, box_count) {
        K_OPEN_BOX
        K_OPEN(z)
        K_OPEN(x)
        K_FOR_POINTS(w) {
            K_GLOBAL element* z = K_AT(z, w);
            K_GLOBAL element* x = K_AT(x, w);
            K_LOOP for (k_i32 n = 0; n < ncomp; ++n, z += z_step, x += x_step) {
                const element old = *z;
                *z = *x;
                *x = old;
            }
        }
    }
}

/// z = 0 where the mask (integers, component 0) is 0.
K_KERNEL(field_keep_masked)(K_REGIONS, K_FIELD(z), K_GLOBAL const zf_fab* mask_fabs) {
    K_FOR_EACH_ROW(r, box_count) {
        K_OPEN_BOX
        K_OPEN(z)
        K_OPEN_MASK
        K_FOR_POINTS(w) {
            if (*K_AT(mask, w) != 0) continue;
            K_GLOBAL element* z = K_AT(z, w);
            K_LOOP for (k_i32 n = 0; n < ncomp; ++n, z += z_step) {
                *z = 0;
            }
        }
    }
}
