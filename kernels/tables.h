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
    k_i32 bins;  ///< for particle_bins: the number of its first bin
} zf_box;

/// Points that one fab gives to another: point p of fab `dst` takes its value from point p + shift of fab `src`, or
/// from a buffer if `stage` is not negative: the number of points that lie in the buffer before these.  A buffer holds,
/// for each copy, all points of the first component (x fastest), then those of the next.
typedef struct zf_copy {
    k_i32 src, dst;  ///< numbers in the tables of the two fields
    k_i32 lo[3], len[3];
    k_i32 shift[3];
    k_i32 unused;
    k_i64 stage;
} zf_copy;

/// A column of numbers or records of one tile of particles: row r is at data + r * stride bytes.
typedef struct zf_column {
    k_u64 data;    ///< address, 0 if there is none
    k_i64 stride;  ///< in bytes, a multiple of 4
    k_i64 rows;    ///< further rows count as zeros
    k_i64 first;   ///< number of row 0 when the rows of all tiles of an operation are counted through
} zf_column;

/// The particles of one box.
typedef struct zf_tile {
    zf_column position[3];  ///< of double; without rows in directions that do not exist
    zf_column word;         ///< of 64-bit id words, whose highest bit says that the particle is valid
    k_i64 first, rows;      ///< as in a column
    k_i32 fab;              ///< number of its box in tables of fields and boxes
    k_i32 level;
    k_i32 slot;   ///< where its particles are now, among the destinations of a redistribution; -1: nowhere
    k_i32 moves;  ///< 0: its particles stay as they are
} zf_tile;

#if defined(K_F64) || !defined(__OPENCL_C_VERSION__)
/// How positions become cells.
typedef struct zf_geometry {
    double lo[3], hi[3], inverse[3];       ///< of the domain, and one over the size of a cell
    k_i32 first[3], last[3], periodic[3];  ///< cells of the domain
    k_i32 dim;
} zf_geometry;

/// One level: its boxes and, to find them, bins of cells that cover them all.  A bin lists the boxes that have a cell
/// in it, in ascending order: items[starts[bin]] to items[starts[bin + 1] - 1], bins with x fastest.
typedef struct zf_level {
    zf_geometry geometry;
    k_u64 boxes, starts, items;             ///< addresses of zf_box (whose fab is the destination), k_u32, k_i32
    k_i32 lo[3], hi[3], width[3], bins[3];  ///< cells covered, cells of a bin, bins
} zf_level;
#endif

#if defined(__cplusplus)
static_assert(sizeof(k_i32) == 4 && sizeof(k_u32) == 4 && sizeof(k_i64) == 8 && sizeof(k_u64) == 8, "numbers");
static_assert(sizeof(zf_fab) == 56 && sizeof(zf_box) == 32 && sizeof(zf_copy) == 56, "tables have no gaps");
static_assert(sizeof(zf_column) == 32 && sizeof(zf_tile) == 160, "tables have no gaps");
static_assert(sizeof(zf_geometry) == 112 && sizeof(zf_level) == 184, "tables have no gaps");
#endif
