// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Copies between tensors of up to eight axes and any strides, by the size of an element in bytes; grid (groups, 1).
//
// In the compilation for 32-bit integers only: they know no element type.
#pragma once

#include "layer.h"

typedef struct k_16_bytes {
    k_u64 low, high;
} k_16_bytes;

/// Arguments: a number of each axis.  Axes that do not exist have length 1.
#define K_AXES(n) k_i64 n##0, k_i64 n##1, k_i64 n##2, k_i64 n##3, k_i64 n##4, k_i64 n##5, k_i64 n##6, k_i64 n##7

/// Go one axis on: split what is left of the number of an element, and add to the offsets.
#define K_AXIS(d)                                  \
    if (n##d != 1) {                               \
        const k_i64 k_rest = k_left / n##d;        \
        const k_i64 k_at = k_left - k_rest * n##d; \
        k_to += k_at * t##d;                       \
        k_from += k_at * f##d;                     \
        k_left = k_rest;                           \
    }

/// n: lengths; t and f: strides of the tensors in elements, which may be negative.  The tensors do not overlap. Fastest
/// if axis 0 is the one with the smallest strides.
#define K_STRIDED_COPY(name, type)                                                                  \
    K_KERNEL(name)(K_GLOBAL type* to, K_GLOBAL const type* from, K_AXES(n), K_AXES(t), K_AXES(f)) { \
        const k_i64 k_count = n0 * n1 * n2 * n3 * n4 * n5 * n6 * n7;                                \
        K_FOR_EACH(k_number, k_count) {                                                             \
            k_i64 k_left = k_number, k_to = 0, k_from = 0;                                          \
            K_AXIS(0) K_AXIS(1) K_AXIS(2) K_AXIS(3) K_AXIS(4) K_AXIS(5) K_AXIS(6) K_AXIS(7)         \
            to[k_to] = from[k_from];                                                                \
        }                                                                                           \
    }

K_STRIDED_COPY(copy_1, unsigned char)
K_STRIDED_COPY(copy_2, unsigned short)
K_STRIDED_COPY(copy_4, k_u32)
K_STRIDED_COPY(copy_8, k_u64)
K_STRIDED_COPY(copy_16, k_16_bytes)
