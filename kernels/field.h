// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How kernels go over regions of fields: grid (groups, boxes).  The rows of a box are shared out among the lines of all
// groups in x, the points of a row among the lanes of a line, so that neighbours read neighbouring memory.
#pragma once

#include "walk.h"

/// Arguments: the regions, and the components: `ncomp` of them from the operands' first ones, `step` (1 or -1) apart.
/// With -1 the first is the last: for sources that are lower components of the very field that is written.
#define K_REGIONS K_GLOBAL const zf_box *boxes, k_i64 box_count, k_i32 ncomp, k_i32 step
/// Argument: a field, by its table of fabs and first component.
#define K_FIELD(x) K_GLOBAL const zf_fab *x##_fabs, k_i32 x##_comp

#define K_FOR_BOXES K_FOR_EACH_Y(k_b, box_count)
/// The region of this group in y: K_FOR_BOXES { K_OPEN_BOX K_OPEN(z) ...
#define K_OPEN_BOX const zf_box box = boxes[k_b];
/// The fab of a field that the region is in, where the region begins there in the first component, and what it is from
/// one component to the next.
#define K_OPEN(x)                                                                                 \
    const zf_fab x##_fab = x##_fabs[box.fab];                                                     \
    K_GLOBAL element* const x##_first = k_component(x##_fab, x##_comp) + k_corner(x##_fab, box); \
    const k_i64 x##_step = step * x##_fab.nstride;
/// The same of a field of integers: points count where its component 0 is not 0.
#define K_OPEN_MASK                             \
    const zf_fab mask_fab = mask_fabs[box.fab]; \
    K_GLOBAL const k_i32* const mask_first = (K_GLOBAL const k_i32*)mask_fab.data + k_corner(mask_fab, box);

/// Where in a fab a region begins, in elements from the start of a component.
K_FN k_i64 k_corner(zf_fab fab, zf_box box) {
    return (k_i64)box.lo[0] - fab.lo[0] + ((k_i64)box.lo[1] - fab.lo[1]) * fab.jstride +
           ((k_i64)box.lo[2] - fab.lo[2]) * fab.kstride;
}

/// Rows of a region: `count` rows of nx points, ny of them in a plane; this item's part of them, and its way from one
/// row to its next.  Only the start needs divisions.
typedef struct k_rows {
    k_i64 nx, ny, count, lane, lanes, line, lines, dj, dk;
#ifdef K_ONE_ITEM
    k_i64 end;  // of the points of a row
#endif
    k_i32 written_through;  // past the caches, where that is possible, if they are written and not read
} k_rows;

/// A row (j, k) of a region, counted from its corner, and its number.
typedef struct k_row {
    k_i64 number, j, k;
} k_row;

/// Whether rows, and planes, of a region follow each other in a fab without a gap.
K_FN k_i32 k_is_packed(zf_box box, zf_fab fab) {
    return (box.len[1] == 1 && box.len[2] == 1) || box.len[0] == fab.jstride;
}
K_FN k_i32 k_is_dense(zf_box box, zf_fab fab) {
    return k_is_packed(box, fab) && (box.len[2] == 1 || (k_i64)box.len[0] * box.len[1] == fab.kstride);
}

/// A dense region (in all fabs of an operation) is one long row, which is shared out among all items.
K_FN k_rows k_rows_of(zf_box box, k_i32 is_dense) {
    k_rows rows;
    rows.nx = box.len[0];
    rows.ny = box.len[1] > 0 ? box.len[1] : 1;
    rows.count = (k_i64)box.len[1] * box.len[2];
    if (is_dense) {
        rows.nx *= rows.count;
        rows.ny = rows.count = 1;
    }
    const k_i32 one = rows.count == 1;
#ifdef K_ONE_ITEM  // each group has points, or rows, that follow each other
    rows.lane = one ? rows.nx * K_GROUP_X / K_GROUPS_X : 0;
    rows.end = one ? rows.nx * (K_GROUP_X + 1) / K_GROUPS_X : rows.nx;
    rows.lanes = rows.lines = 1;
    rows.line = one ? 0 : rows.count * K_GROUP_X / K_GROUPS_X;
    rows.count = one ? 1 : rows.count * (K_GROUP_X + 1) / K_GROUPS_X;
#else
    rows.lane = K_LANE + (one ? K_LANES * (K_LINES * K_GROUP_X + K_LINE) : 0);
    rows.lanes = one ? K_STRIDE : K_LANES;
    rows.line = one ? 0 : K_LINES * K_GROUP_X + K_LINE;
    rows.lines = one ? 1 : K_LINES * K_GROUPS_X;
#endif
    rows.dk = rows.lines / rows.ny;
    rows.dj = rows.lines - rows.dk * rows.ny;
    rows.written_through = 0;
    return rows;
}

K_FN k_row k_first_row(k_rows rows) {
    k_row row;
    row.number = rows.line;
    row.k = rows.line / rows.ny;
    row.j = rows.line - row.k * rows.ny;
    return row;
}

K_FN k_row k_next_row(k_row row, k_rows rows) {
    const k_i64 j = row.j + rows.dj;
    const k_i32 wraps = j >= rows.ny;
    row.number += rows.lines;
    row.j = wraps ? j - rows.ny : j;
    row.k += rows.dk + wraps;
    return row;
}

/// One component of a field, from where a region begins on, and how far it is to the next row and plane.
typedef struct k_field {
    K_GLOBAL element* first;
    k_i64 jstride, kstride;
} k_field;

K_FN k_field k_field_of(K_GLOBAL element* first, zf_fab fab) {
    k_field field;
    field.first = first;
    field.jstride = fab.jstride;
    field.kstride = fab.kstride;
    return field;
}
/// The n-th of the components.
#define K_COMPONENT(x, n) k_field_of(x##_first + n * x##_step, x##_fab)
/// Pointer to the first point of a row.
K_FN K_GLOBAL element* k_row_of(k_field field, k_row row) {
    return field.first + row.j * field.jstride + row.k * field.kstride;
}

/// for (each component, in the order of `step`)
#define K_FOR_COMPONENTS(n) K_LOOP for (k_i32 n = 0; n < ncomp; ++n)
/// for (each row that is this line's)
#ifdef K_SERIAL  // all of them, in two loops that compilers understand
#define K_FOR_ROWS(row)                                                \
    for (k_i64 row##_k = 0; row##_k * rows.ny < rows.count; ++row##_k) \
        for (k_row row = {row##_k * rows.ny, 0, row##_k}; row.j < rows.ny; ++row.j)
#else
#define K_FOR_ROWS(row) \
    K_LOOP for (k_row row = k_first_row(rows); row.number < rows.count; row = k_next_row(row, rows))
#endif
/// for (each point i of a row that is this lane's); none depends on another
#ifdef K_ONE_ITEM
#define K_FOR_POINTS(i) K_INDEPENDENT for (k_i64 i = rows.lane; i < rows.end; ++i)
#else
#define K_FOR_POINTS(i) K_INDEPENDENT for (k_i64 i = rows.lane; i < rows.nx; i += rows.lanes)
#endif

/// z[i] = value in all rows, for which `pointers` declares z and what else `value` uses beside i.
#define K_CHANGE_ROWS(pointers, value) \
    K_FOR_ROWS(row) {                  \
        pointers                       \
        K_FOR_POINTS(i) z[i] = value;  \
    }
/// The same where `value` does not use z[i]: nobody has to read z.  The rows are those of K_ROWS_TO_WRITE.
#ifdef K_SERIAL
#define K_WRITE_ROWS(pointers, value)     \
    if (rows.written_through) {           \
        K_FOR_ROWS(row) {                 \
            pointers                      \
            K_WRITE_ROW_THROUGH(z, value) \
        }                                 \
    } else {                              \
        K_CHANGE_ROWS(pointers, value)    \
    }
/// Whole lines past the caches.
#define K_WRITE_ROW_THROUGH(z, value)                                     \
    const k_i64 k_first = k_to_line(z, rows.nx);                          \
    const k_i64 k_last = rows.nx - (rows.nx - k_first) % K_LINE_ELEMENTS; \
    for (k_i64 i = 0; i < k_first; ++i) z[i] = value;                     \
    for (k_i64 k_at = k_first; k_at < k_last; k_at += K_LINE_ELEMENTS) {  \
        alignas(64) element k_line[K_LINE_ELEMENTS];                      \
        K_INDEPENDENT for (k_i64 k_n = 0; k_n < K_LINE_ELEMENTS; ++k_n) { \
            [[maybe_unused]] const k_i64 i = k_at + k_n;                  \
            k_line[k_n] = value;                                          \
        }                                                                 \
        zerofab::write_through<64>(z + k_at, k_line);                     \
    }                                                                     \
    for (k_i64 i = k_last; i < rows.nx; ++i) z[i] = value;
#define K_ROWS_TO_WRITE(box, is_dense) k_rows_to_write(k_rows_of(box, is_dense), k_here.writes_through)
K_FN k_rows k_rows_to_write(k_rows rows, k_i32 through) {
    rows.written_through = through && rows.nx >= 16 * K_LINE_ELEMENTS;  // the ends of short rows cost more than it saves
    return rows;
}
#else
#define K_WRITE_ROWS(pointers, value) K_CHANGE_ROWS(pointers, value)
#define K_ROWS_TO_WRITE(box, is_dense) k_rows_of(box, is_dense)
#endif

/// Pointer to the first point of a row, in the n-th of the components; that of the mask has one.
#define K_ROW_OF(x, row, n) (x##_first + n * x##_step + row.j * x##_fab.jstride + row.k * x##_fab.kstride)
#define K_MASK_ROW(row) (mask_first + row.j * mask_fab.jstride + row.k * mask_fab.kstride)
