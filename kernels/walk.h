// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How kernels go over the points of boxes: grid (groups, boxes), each box shared out among the items of a row of
// groups.
#pragma once

#include "layer.h"

/// A point (i, j, k) of a region of nx * ny * nz, counted from its corner, and the way to this item's next one.
/// Only the start needs divisions.
typedef struct k_walk {
    k_i32 i, j, nx, ny, di, dj;
    k_i64 k, nz, dk;
} k_walk;

K_FN k_walk k_first_point(k_i32 nx, k_i32 ny, k_i32 nz) {
    k_walk w;
    w.nx = nx > 0 ? nx : 1;
    w.ny = ny > 0 ? ny : 1;
    w.nz = nx > 0 && ny > 0 ? nz : 0;
    const k_i64 row = K_FIRST / w.nx, rows = K_STRIDE / w.nx;
    w.i = (k_i32)(K_FIRST - row * w.nx);
    w.di = (k_i32)(K_STRIDE - rows * w.nx);
    w.k = row / w.ny;
    w.dk = rows / w.ny;
    w.j = (k_i32)(row - w.k * w.ny);
    w.dj = (k_i32)(rows - w.dk * w.ny);
    return w;
}

K_FN k_walk k_next_point(k_walk w) {
    w.i = w.i - w.nx + w.di;  // in this order no sum is larger than an int
    w.j = w.j - w.ny + w.dj;
    w.k += w.dk;
    if (w.i < 0) {
        w.i += w.nx;
    } else {
        ++w.j;
    }
    if (w.j < 0) {
        w.j += w.ny;
    } else {
        ++w.k;
    }
    return w;
}

/// Where in a fab the point of a walk is, in elements from the start of a component.
K_FN k_i64 k_offset(zf_fab fab, k_i64 x, k_i64 y, k_i64 z, k_walk w) {
    return (x - fab.lo[0] + w.i) + (y - fab.lo[1] + w.j) * fab.jstride + (z - fab.lo[2] + w.k) * fab.kstride;
}

/// Where a component of a fab begins.
K_FN K_GLOBAL element* k_component(zf_fab fab, k_i32 comp) { return (K_GLOBAL element*)fab.data + comp * fab.nstride; }
