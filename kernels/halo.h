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
/// for (each point of the copy that is this item's)
#define K_FOR_COPIED(w) \
    K_LOOP for (k_walk w = k_first_point(copy.len[0], copy.len[1], copy.len[2]); w.k < w.nz; w = k_next_point(w))

/// The number of points from one component of a copy to the next in a buffer, and where there a point of it is.
K_FN k_i64 k_points(zf_copy copy) { return (k_i64)copy.len[0] * copy.len[1] * copy.len[2]; }
K_FN k_i64 k_place(zf_copy copy, k_i32 ncomp, k_walk w) {
    return copy.stage * ncomp + w.i + copy.len[0] * (w.j + copy.len[1] * w.k);
}

/// Where in a fab a point of a copy is, and where in the source fab it comes from.
K_FN k_i64 k_target(zf_fab fab, zf_copy copy, k_walk w) { return k_offset(fab, copy.lo[0], copy.lo[1], copy.lo[2], w); }
K_FN k_i64 k_origin(zf_fab fab, zf_copy copy, k_walk w) {
    return k_offset(fab, (k_i64)copy.lo[0] + copy.shift[0], (k_i64)copy.lo[1] + copy.shift[1],
                    (k_i64)copy.lo[2] + copy.shift[2], w);
}

/// buffer = x, for the copies that are staged.
K_KERNEL(halo_pack)(K_COPIES, K_FIELD(x), K_GLOBAL element* buffer) {
    K_FOR_EACH_Y(c, copy_count) {
        K_OPEN_COPY
        if (copy.stage < 0) continue;
        const zf_fab fab = x_fabs[copy.src];
        K_FOR_COPIED(w) {
            K_GLOBAL const element* x = k_component(fab, x_comp) + k_origin(fab, copy, w);
            K_GLOBAL element* to = buffer + k_place(copy, ncomp, w);
            K_LOOP for (k_i32 n = 0; n < ncomp; ++n, x += fab.nstride, to += k_points(copy)) {
                *to = *x;
            }
        }
    }
}

/// z = value, where `value` may use *z, and *x: from the buffer for staged copies, else from field x.
#define K_HALO(name, value)                                                                  \
    K_KERNEL(name)(K_COPIES, K_FIELD(z), K_FIELD(x), K_GLOBAL const element* buffer) {       \
        K_FOR_EACH_Y(c, copy_count) {                                                      \
            K_OPEN_COPY                                                                      \
            const zf_fab z_fab = z_fabs[copy.dst];                                           \
            K_FOR_COPIED(w) {                                                                \
                K_GLOBAL element* z = k_component(z_fab, z_comp) + k_target(z_fab, copy, w); \
                K_GLOBAL const element* x = buffer;                                          \
                k_i64 x_step = k_points(copy);                                               \
                if (copy.stage >= 0) {                                                       \
                    x += k_place(copy, ncomp, w);                                            \
                } else {                                                                     \
                    const zf_fab x_fab = x_fabs[copy.src];                                   \
                    x = k_component(x_fab, x_comp) + k_origin(x_fab, copy, w);               \
                    x_step = x_fab.nstride;                                                  \
                }                                                                            \
                K_LOOP for (k_i32 n = 0; n < ncomp; ++n, z += z_fab.nstride, x += x_step) {  \
                    *z = value;                                                              \
                }                                                                            \
            }                                                                                \
        }                                                                                    \
    }

K_HALO(halo_copy, *x)
K_HALO(halo_add, k_add(*z, *x))
