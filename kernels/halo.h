// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Points that fabs give to each other: the copies of a halo plan, grid (groups, copies).
//
// Copies of one launch may not meet in a point.  Where those of a plan do, the host launches them in rounds, a copy in
// a later round than all before it that it meets: so they act in the plan's order.  Points that are overwritten while
// others still need them are packed into a buffer first.
//
// Messages: halo_pack on the one side, halo_copy or halo_add of staged copies on the other.
#pragma once

#include "walk.h"

#define K_COPIES K_GLOBAL const zf_copy *copies, k_i64 copy_count, k_i32 ncomp

/// The copies of this group in y: K_FOR_EACH_Y(c, copy_count) { K_OPEN_COPY; ...
#define K_OPEN_COPY const zf_copy copy = copies[c];
/// for (each point of the copy that is this item's), after K_OPEN_WALK
#ifdef K_ONE_ITEM  // planes are shared out among the groups
#define K_OPEN_WALK
#define K_FOR_COPIED(w)                                                                \
    K_LOOP for (k_i64 w##_k = K_GROUP_X; w##_k < copy.len[2]; w##_k += K_GROUPS_X)     \
        K_LOOP for (k_i64 w##_j = 0; w##_j < copy.len[1]; ++w##_j)                     \
            K_LOOP for (k_i64 w##_i = 0; w##_i < copy.len[0]; ++w##_i)
#define K_POINT_OF(side, w) ((side).first + n * (side).nstride + w##_j * (side).jstride + w##_k * (side).kstride + w##_i)
#else
#define K_OPEN_WALK const k_walk k_start = k_first_point(copy.len[0], copy.len[1], copy.len[2]);
#define K_FOR_COPIED(w) K_LOOP for (k_walk w = k_start; w.k < w.nz; w = k_next_point(w))
#define K_POINT_OF(side, w) ((side).first + n * (side).nstride + w.j * (side).jstride + w.k * (side).kstride + w.i)
#endif

/// One side of a copy: where its first point is, and how far it is to the next row, plane and component.
typedef struct k_side {
    K_GLOBAL element* first;
    k_i64 jstride, kstride, nstride;
} k_side;

/// A region of a fab that begins at a point.
K_FN k_side k_side_of(zf_fab fab, k_i32 comp, k_i64 x, k_i64 y, k_i64 z) {
    k_side side;
    side.first = k_component(fab, comp) + (x - fab.lo[0]) + (y - fab.lo[1]) * fab.jstride + (z - fab.lo[2]) * fab.kstride;
    side.jstride = fab.jstride;
    side.kstride = fab.kstride;
    side.nstride = fab.nstride;
    return side;
}
K_FN k_side k_target(zf_fab fab, k_i32 comp, zf_copy copy) {
    return k_side_of(fab, comp, copy.lo[0], copy.lo[1], copy.lo[2]);
}
K_FN k_side k_origin(zf_fab fab, k_i32 comp, zf_copy copy) {
    return k_side_of(fab, comp, (k_i64)copy.lo[0] + copy.shift[0], (k_i64)copy.lo[1] + copy.shift[1],
                     (k_i64)copy.lo[2] + copy.shift[2]);
}
/// The staged points of a copy.
K_FN k_side k_staged(K_GLOBAL element* buffer, zf_copy copy, k_i32 ncomp) {
    k_side side;
    side.first = buffer + copy.stage * ncomp;
    side.jstride = copy.len[0];
    side.kstride = (k_i64)copy.len[0] * copy.len[1];
    side.nstride = side.kstride * copy.len[2];
    return side;
}

/// buffer = x, for the copies that are staged.
K_KERNEL(halo_pack)(K_COPIES, K_FIELD(x), K_GLOBAL element* buffer) {
    K_FOR_EACH_Y(c, copy_count) {
        K_OPEN_COPY
        if (copy.stage < 0) continue;
        const k_side from = k_origin(x_fabs[copy.src], x_comp, copy), to = k_staged(buffer, copy, ncomp);
        K_OPEN_WALK
        K_LOOP for (k_i32 n = 0; n < ncomp; ++n) {
            K_FOR_COPIED(w) { *K_POINT_OF(to, w) = *K_POINT_OF(from, w); }
        }
    }
}

/// z = value, where `value` may use *z, and *x: from the buffer for staged copies, else from field x.
#define K_HALO(name, value)                                                                               \
    K_KERNEL(name)(K_COPIES, K_FIELD(z), K_FIELD(x), K_GLOBAL element* buffer) {                          \
        K_FOR_EACH_Y(c, copy_count) {                                                                     \
            K_OPEN_COPY                                                                                   \
            const k_side to = k_target(z_fabs[copy.dst], z_comp, copy);                                   \
            const k_side from =                                                                           \
                copy.stage >= 0 ? k_staged(buffer, copy, ncomp) : k_origin(x_fabs[copy.src], x_comp, copy); \
            K_OPEN_WALK                                                                                   \
            K_LOOP for (k_i32 n = 0; n < ncomp; ++n) {                                                    \
                K_FOR_COPIED(w) {                                                                         \
                    K_GLOBAL element* z = K_POINT_OF(to, w);                                              \
                    K_GLOBAL const element* x = K_POINT_OF(from, w);                                      \
                    *z = value;                                                                           \
                }                                                                                         \
            }                                                                                             \
        }                                                                                                 \
    }

K_HALO(halo_copy, *x)
K_HALO(halo_add, k_add(*z, *x))
