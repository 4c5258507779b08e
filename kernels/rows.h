// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Rows of particles by key: what sorting and redistribution share.
#pragma once

#include "layer.h"

/// This bit of a key says that the particle stays as it is; it takes no part in the order.
#define K_KEPT ((k_u32)1 << 31)

/// The column, of those of all tiles, that holds a row: the last whose first row is not beyond it.
K_FN k_i64 k_column_of(K_GLOBAL const zf_column* columns, k_i64 count, k_i64 row) {
    k_i64 low = 0, high = count - 1;
    while (low < high) {
        const k_i64 middle = (low + high + 1) / 2;
        if (columns[middle].first <= row) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
