// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles: their cells, what they deposit, and where they go.  Grid (groups, tiles); positions are double.
#pragma once

#include "rows.h"
#include "walk.h"

#define K_NO_CELL (-2147483647 - 1)

#define K_TILES K_GLOBAL const zf_tile *tiles, k_i64 tile_count
/// The tiles of this group in y: K_FOR_EACH_Y(t, tile_count) { K_OPEN_TILE; K_FOR_EACH(row, tile.rows) ...
#define K_OPEN_TILE const zf_tile tile = tiles[t];

K_FN double k_number(zf_column column, k_i64 row) {
    return row < column.rows ? *(K_GLOBAL const double*)(column.data + row * column.stride) : 0;
}
K_FN k_i32 k_is_valid(zf_column word, k_i64 row) {
    return row < word.rows && *(K_GLOBAL const k_u64*)(word.data + row * word.stride) >> 63 != 0;
}

/// x, brought into [lo, hi) by whole periods; NaN stays.
K_FN double k_folded(double x, double lo, double hi) {
    if (x >= lo && x < hi) return x;
    const double length = hi - lo;
    x -= K_FLOOR((x - lo) / length) * length;
    if (x < lo) x += length;
    return x >= hi ? lo : x;  // hi itself, and what rounds to it, is lo
}

K_FN k_i32 k_inside(zf_geometry geometry, double x, k_i32 d) {
    return x >= geometry.lo[d] && (x < geometry.hi[d] || (x == geometry.hi[d] && !geometry.periodic[d]));
}

/// The cell of x; what lies in the domain gets one of its cells, whatever the rounding.  K_NO_CELL beyond all integers.
K_FN k_i32 k_cell(zf_geometry geometry, double x, k_i32 d) {
    const double offset = K_FLOOR((x - geometry.lo[d]) * geometry.inverse[d]);
    if (!(offset > -1073741824.0 && offset < 1073741824.0)) return K_NO_CELL;
    k_i64 cell = (k_i64)offset + geometry.first[d];
    if (k_inside(geometry, x, d)) {
        cell = cell < geometry.first[d] ? geometry.first[d] : cell > geometry.last[d] ? geometry.last[d] : cell;
    }
    return cell > K_NO_CELL && cell <= 2147483647 ? (k_i32)cell : K_NO_CELL;
}

/// The point (i, j, k) that particles are in; not found if one of its numbers does not exist.
typedef struct k_point {
    k_i32 at[3];
    k_i32 found;
} k_point;

K_FN k_point k_cell_of(zf_geometry geometry, double x, double y, double z) {
    k_point point;
    point.at[0] = k_cell(geometry, x, 0);
    point.at[1] = geometry.dim > 1 ? k_cell(geometry, y, 1) : 0;
    point.at[2] = geometry.dim > 2 ? k_cell(geometry, z, 2) : 0;
    point.found = point.at[0] != K_NO_CELL && point.at[1] != K_NO_CELL && point.at[2] != K_NO_CELL;
    return point;
}
/// Whether a cell is one of the `count` cells from `first` on.
K_FN k_i32 k_is_between(k_i32 cell, k_i64 first, k_i64 count) { return cell >= first && cell - first < count; }
K_FN k_point k_cell_of_row(zf_geometry geometry, zf_tile tile, k_i64 row) {
    return k_cell_of(geometry, k_number(tile.position[0], row), k_number(tile.position[1], row),
                     k_number(tile.position[2], row));
}

/// cells[3 * number of a row + d] = the cell of its position in direction d, or the lowest integer if there is none.
K_KERNEL(particle_cells)(K_TILES, K_GLOBAL const zf_geometry* geometry, K_GLOBAL k_i32* cells) {
    K_FOR_EACH_Y(t, tile_count) {
        K_OPEN_TILE
        K_FOR_EACH(row, tile.rows) {
            const k_point point = k_cell_of_row(*geometry, tile, row);
            K_GLOBAL k_i32* out = cells + 3 * (tile.first + row);
            for (k_i32 d = 0; d < 3; ++d) out[d] = point.at[d];
        }
    }
}

/// Valid particles add their weight, or 1 if `weights` (a column of double for each tile) is null, to their cell of a
/// field, if its fab has it.  Whole numbers add up exactly; of others the order, and so the rounding, may differ.
K_KERNEL(particle_deposit)
(K_TILES, K_GLOBAL const zf_geometry* geometry, K_FIELD(z), K_GLOBAL const zf_column* weights) {
    K_FOR_EACH_Y(t, tile_count) {
        K_OPEN_TILE
        const zf_fab fab = z_fabs[tile.fab];
        K_FOR_EACH(row, tile.rows) {
            if (!k_is_valid(tile.word, row)) continue;
            const k_point point = k_cell_of_row(*geometry, tile, row);
            k_i32 inside = point.found;
            for (k_i32 d = 0; d < 3; ++d) inside = inside && k_is_between(point.at[d], fab.lo[d], fab.len[d]);
            if (!inside) continue;
            const k_i64 at = (k_i64)point.at[0] - fab.lo[0] + ((k_i64)point.at[1] - fab.lo[1]) * fab.jstride +
                             ((k_i64)point.at[2] - fab.lo[2]) * fab.kstride;
            k_atomic_add(k_component(fab, z_comp) + at, weights != 0 ? k_number(weights[t], row) : 1);
        }
    }
}

/// keys[number of a row] = its bin, of bx * by * bz cells, in the box of its tile, x fastest, from box.bins on.
/// Particles outside count for the nearest bin, those without a position for the first.
K_KERNEL(particle_bins)
(K_TILES, K_GLOBAL const zf_geometry* geometry, K_GLOBAL const zf_box* boxes, k_i32 bx, k_i32 by, k_i32 bz,
 K_GLOBAL k_u32* keys) {
    const k_i32 width[3] = {bx, by, bz};
    K_FOR_EACH_Y(t, tile_count) {
        K_OPEN_TILE
        K_FOR_EACH(row, tile.rows) {
            const zf_box box = boxes[tile.fab];
            const k_point point = k_cell_of_row(*geometry, tile, row);
            k_i64 key = 0;
            for (k_i32 d = 2; d >= 0; --d) {
                k_i64 at = point.at[d] == K_NO_CELL ? 0 : (k_i64)point.at[d] - box.lo[d];
                at = at < 0 ? 0 : at >= box.len[d] ? box.len[d] - 1 : at;
                key = key * (((k_i64)box.len[d] + width[d] - 1) / width[d]) + at / width[d];
            }
            keys[tile.first + row] = (k_u32)(box.bins + key);
        }
    }
}

/// The destination of a point of a level, -1 if no box holds it.
K_FN k_i32 k_find(zf_level level, k_point point) {
    if (!point.found) return -1;
    k_i64 bin = 0;
    for (k_i32 d = 2; d >= 0; --d) {
        if (point.at[d] < level.lo[d] || point.at[d] > level.hi[d]) return -1;
        bin = bin * level.bins[d] + ((k_i64)point.at[d] - level.lo[d]) / level.width[d];
    }
    K_GLOBAL const zf_box* boxes = (K_GLOBAL const zf_box*)level.boxes;
    K_GLOBAL const k_u32* starts = (K_GLOBAL const k_u32*)level.starts;
    K_GLOBAL const k_i32* items = (K_GLOBAL const k_i32*)level.items;
    K_LOOP for (k_i64 n = starts[bin]; n < starts[bin + 1]; ++n) {
        const zf_box box = boxes[items[n]];
        k_i32 inside = 1;
        for (k_i32 d = 0; d < 3; ++d) inside = inside && k_is_between(point.at[d], box.lo[d], box.len[d]);
        if (inside) return box.fab;
    }
    return -1;
}

/// Whether a row was given a position and never an id.
K_FN k_i32 k_has_no_id(zf_tile tile, k_i64 row) {
    if (row < tile.word.rows && *(K_GLOBAL const k_u64*)(tile.word.data + row * tile.word.stride) >> 24 != 0) return 0;
    return k_number(tile.position[0], row) != 0 || k_number(tile.position[1], row) != 0 ||
           k_number(tile.position[2], row) != 0;
}

/// keys[number of a row] = the destination of a particle, with K_KEPT if its position is not to be changed; `gone` if
/// it goes away.  It goes to the finest box, at or below level lev_max, that holds its cell; with ghosts gx, gy, gz it
/// stays where its cell is in its present box (`boxes`, by tile.fab), grown by them.  `lost` counts those that go although
/// nobody said so: with a position and no id, without a finite position, in the domain and no box.
K_KERNEL(particle_destinations)
(K_TILES, K_GLOBAL const zf_level* levels, k_i32 lev_max, K_GLOBAL const zf_box* boxes, k_i32 gx, k_i32 gy, k_i32 gz,
 k_i32 remove_invalid, k_i32 gone, K_GLOBAL k_u32* keys, K_GLOBAL double* lost) {
    const k_i64 ghosts[3] = {gx, gy, gz};
    K_FOR_EACH_Y(t, tile_count) {
        K_OPEN_TILE
        K_FOR_EACH(row, tile.rows) {
            K_GLOBAL k_u32* key = keys + tile.first + row;
            *key = (k_u32)gone;
            if (tile.slot >= 0 && !tile.moves) {
                *key = (k_u32)tile.slot | K_KEPT;
                continue;
            }
            if (!k_is_valid(tile.word, row) && (remove_invalid || tile.slot < 0)) {
                if (k_has_no_id(tile, row)) k_atomic_add(lost, 1);
                continue;
            }
            const zf_geometry coarse = levels[0].geometry;
            double x[3];
            k_i32 inside = 1, finite = 1;
            for (k_i32 d = 0; d < 3; ++d) {
                x[d] = k_number(tile.position[d], row);
                finite = finite && x[d] - x[d] == 0;
                if (d >= coarse.dim) continue;
                if (coarse.periodic[d]) x[d] = k_folded(x[d], coarse.lo[d], coarse.hi[d]);
                inside = inside && k_inside(coarse, x[d], d);
            }
            if (tile.slot >= 0 && (gx != 0 || gy != 0 || gz != 0)) {
                const k_point point = k_cell_of_row(levels[tile.level].geometry, tile, row);
                const zf_box box = boxes[tile.fab];
                k_i32 near = point.found;
                for (k_i32 d = 0; d < 3; ++d) {
                    near = near && k_is_between(point.at[d], box.lo[d] - ghosts[d], box.len[d] + 2 * ghosts[d]);
                }
                if (near) {
                    *key = (k_u32)tile.slot | K_KEPT;
                    continue;
                }
            }
            k_i32 slot = -1;
            K_LOOP for (k_i32 lev = lev_max; inside && lev >= 0 && slot < 0; --lev) {
                slot = k_find(levels[lev], k_cell_of(levels[lev].geometry, x[0], x[1], x[2]));
            }
            if (slot >= 0) {
                *key = (k_u32)slot;
            } else if (!finite || inside) {
                k_atomic_add(lost + (finite ? 2 : 1), 1);
            }
        }
    }
}

/// After rows_gather: positions of one direction are brought into [lo, hi) by whole periods, where they may be changed.
K_KERNEL(rows_fold)
(K_GLOBAL const zf_column* to, k_i64 to_count, K_GLOBAL const k_u32* keys, K_GLOBAL const k_u32* order, k_i64 count,
 element lo, element hi) {
    K_FOR_EACH(i, count) {
        const zf_column target = to[k_column_of(to, to_count, i)];
        if (target.data == 0 || (keys[order[i]] & K_KEPT) != 0) continue;
        K_GLOBAL double* x = (K_GLOBAL double*)(target.data + (i - target.first) * target.stride);
        *x = k_folded(*x, lo, hi);
    }
}
