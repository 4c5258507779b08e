// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vectors: grid (groups, 1).  An index that is outside reads 0 and writes nothing.
#pragma once

#include "layer.h"

/// to[i] = a
K_KERNEL(vector_fill)(K_GLOBAL element* to, k_i64 count, element a) { K_FOR_EACH(i, count) to[i] = a; }

/// to[i] = a + i b
K_KERNEL(vector_iota)(K_GLOBAL element* to, k_i64 count, element a, element b) {
    K_FOR_EACH(i, count) to[i] = k_add(a, k_multiply((element)i, b));
}

/// to[i] = from[index[i]]; with an order that is a permutation, the vector in that order.
K_KERNEL(vector_gather)
(K_GLOBAL element* to, k_i64 count, K_GLOBAL const element* from, k_i64 from_count, K_GLOBAL const k_i64* index) {
    K_FOR_EACH(i, count) {
        const k_i64 at = index[i];
        to[i] = at >= 0 && at < from_count ? from[at] : 0;
    }
}

/// to[index[i]] = from[i]; the indices must be different.
K_KERNEL(vector_scatter)
(K_GLOBAL element* to, k_i64 to_count, K_GLOBAL const element* from, k_i64 count, K_GLOBAL const k_i64* index) {
    K_FOR_EACH(i, count) {
        const k_i64 at = index[i];
        if (at >= 0 && at < to_count) to[at] = from[i];
    }
}

#ifdef K_I32
/// to[order[i]] = i: the inverse of a permutation.
K_KERNEL(vector_invert)(K_GLOBAL k_i64* to, k_i64 to_count, K_GLOBAL const k_i64* order, k_i64 count) {
    K_FOR_EACH(i, count) {
        const k_i64 at = order[i];
        if (at >= 0 && at < to_count) to[at] = i;
    }
}
#endif
