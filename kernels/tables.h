// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the host writes and kernels read: small tables in memory of the device, of the same layout for all compilers.
#pragma once

#ifdef __OPENCL_C_VERSION__
typedef int k_i32;
typedef uint k_u32;
typedef long k_i64;
typedef ulong k_u64;
#else
typedef int k_i32;
typedef unsigned k_u32;
typedef long long k_i64;
typedef unsigned long long k_u64;
#endif

/// The memory of a fab: element (i, j, k) of component n is
///     data[(i - lo[0]) + (j - lo[1]) * jstride + (k - lo[2]) * kstride + n * nstride]
/// Directions that do not exist have lo 0 and len 1.  A field's table has its local fabs in order.
typedef struct zf_fab {
    k_u64 data;  ///< address of element lo of component 0
    k_i32 lo[3], len[3];
    k_i64 jstride, kstride, nstride;  ///< in elements
} zf_fab;

/// Points of one fab, at least one.
typedef struct zf_box {
    k_i32 fab;  ///< number in the tables of all fields of an operation
    k_i32 lo[3], len[3];
    k_i32 unused;
} zf_box;

/// Points that one fab gives to another: point p of fab `dst` takes its value from point p + shift of fab `src`, or
/// from a buffer if `place` is not negative: the number of points that lie in the buffer before these.  A buffer holds,
/// for each copy, all points of the first component (x fastest), then those of the next.
typedef struct zf_copy {
    k_i32 src, dst;  ///< numbers in the tables of the two fields
    k_i32 lo[3], len[3];
    k_i32 shift[3];
    k_i32 unused;
    k_i64 place;
} zf_copy;

#if defined(__cplusplus)
static_assert(sizeof(k_i32) == 4 && sizeof(k_u32) == 4 && sizeof(k_i64) == 8 && sizeof(k_u64) == 8, "numbers");
static_assert(sizeof(zf_fab) == 56 && sizeof(zf_box) == 32 && sizeof(zf_copy) == 56, "tables have no gaps");
#endif
