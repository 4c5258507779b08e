// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A stable order of rows by key, 8 bits at a time; and rows moved to their new positions.  Grid (groups, 1).
//
// Rows are dealt out in chunks of `chunk` rows, one after another to one item, so that no order is lost:
//     for (shift = 0; bits of the keys are left; shift += 8) {
//         sort_count(...);                               // counts[digit * chunks + c]: rows of chunk c with that digit
//         prefix_sums; prefix (of the sums); prefix;     // counts become the positions of the first of them
//         sort_place(...);
//     }
//     sort_starts(...);    // from which the host knows how many rows each key has
//     rows_gather(...);    // each component
// In the compilation for 32-bit integers only.
#pragma once

#include "rows.h"

/// sums[c] = the sum of chunk c of the values.
K_KERNEL(prefix_sums)(K_GLOBAL const k_u32* values, k_i64 count, k_i64 chunk, K_GLOBAL k_u32* sums) {
    K_FOR_EACH(c, (count + chunk - 1) / chunk) {
        const k_i64 end = (c + 1) * chunk < count ? (c + 1) * chunk : count;
        k_u32 sum = 0;
        K_LOOP for (k_i64 i = c * chunk; i < end; ++i) sum += values[i];
        sums[c] = sum;
    }
}

/// Each value becomes the sum of those before it: chunk c begins with sums[c], or all with 0 if `sums` is null.
K_KERNEL(prefix)(K_GLOBAL k_u32* values, k_i64 count, k_i64 chunk, K_GLOBAL const k_u32* sums) {
    K_FOR_EACH(c, (count + chunk - 1) / chunk) {
        const k_i64 end = (c + 1) * chunk < count ? (c + 1) * chunk : count;
        k_u32 sum = sums != 0 ? sums[c] : 0;
        K_LOOP for (k_i64 i = c * chunk; i < end; ++i) {
            const k_u32 value = values[i];
            values[i] = sum;
            sum += value;
        }
    }
}

#define K_DIGITS 256
/// The row in place i of an order (null: as they are), and its digit.
#define K_ROW(i) (order != 0 ? order[i] : (k_u32)(i))
#define K_DIGIT(row) ((k_i64)(keys[row] >> shift & (K_DIGITS - 1)))
#define K_SORT K_GLOBAL const k_u32 *keys, K_GLOBAL const k_u32 *order, k_i64 count, k_i32 shift, k_i64 chunk

/// For each chunk and digit, how many rows have it.
K_KERNEL(sort_count)(K_SORT, K_GLOBAL k_u32* counts) {
    const k_i64 chunks = (count + chunk - 1) / chunk;
    K_FOR_EACH(c, chunks) {
        const k_i64 end = (c + 1) * chunk < count ? (c + 1) * chunk : count;
        K_LOOP for (k_i64 digit = 0; digit < K_DIGITS; ++digit) counts[digit * chunks + c] = 0;
        K_LOOP for (k_i64 i = c * chunk; i < end; ++i) {
            ++counts[K_DIGIT(K_ROW(i)) * chunks + c];
        }
    }
}

/// The order after this digit; `positions` are the prefixed counts, which are used up.
K_KERNEL(sort_place)(K_SORT, K_GLOBAL k_u32* positions, K_GLOBAL k_u32* sorted) {
    const k_i64 chunks = (count + chunk - 1) / chunk;
    K_FOR_EACH(c, chunks) {
        const k_i64 end = (c + 1) * chunk < count ? (c + 1) * chunk : count;
        K_LOOP for (k_i64 i = c * chunk; i < end; ++i) {
            const k_u32 row = K_ROW(i);
            sorted[positions[K_DIGIT(row) * chunks + c]++] = row;
        }
    }
}

/// starts[key] = the first position in the order that has this key or a larger one, for keys 0 to key_count.
K_KERNEL(sort_starts)
(K_GLOBAL const k_u32* keys, K_GLOBAL const k_u32* order, k_i64 count, K_GLOBAL k_u32* starts, k_i64 key_count) {
    K_FOR_EACH(i, count + 1) {
        const k_i64 before = i == 0 ? -1 : (k_i64)(keys[order[i - 1]] & ~K_KEPT);
        const k_i64 here = i == count ? key_count : (k_i64)(keys[order[i]] & ~K_KEPT);
        for (k_i64 key = before + 1; key <= here && key <= key_count; ++key) starts[key] = (k_u32)i;
    }
}

/// One component of all particles in their order: position i gets row order[i], in that column of `to` whose rows are
/// counted up to there.  Columns without data get nothing.  Elements are `words` times 4 bytes.
K_KERNEL(rows_gather)
(K_GLOBAL const zf_column* from, k_i64 from_count, K_GLOBAL const zf_column* to, k_i64 to_count,
 K_GLOBAL const k_u32* order, k_i64 count, k_i32 words) {
    K_FOR_EACH(i, count) {
        const zf_column target = to[k_column_of(to, to_count, i)];
        if (target.data == 0) continue;
        const k_i64 row = order[i];
        const zf_column source = from[k_column_of(from, from_count, row)];
        const k_i64 at = row - source.first;
        K_GLOBAL k_u32* out = (K_GLOBAL k_u32*)(target.data + (i - target.first) * target.stride);
        K_GLOBAL const k_u32* in = (K_GLOBAL const k_u32*)(source.data + at * source.stride);
        K_LOOP for (k_i32 n = 0; n < words; ++n) {
            out[n] = at < source.rows ? in[n] : 0;
        }
    }
}
