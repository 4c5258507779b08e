# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Write a plotfile while a simulation runs, then load it in yt, cut it, and draw the cut.

An ABC flow, as astrophysicists use it to wind up magnetic fields, carries a blob of dye around in three dimensions.
The blocks are filled in place through amr.xp (NumPy on the CPU). yt reads the file; a cut through its data agrees,
number by number, with the field that is still in memory.

    python examples/plotfile_slice_yt.py --steps 40 --out output
"""

import argparse
import pathlib

import amrex.space3d as amr
import numpy as np
import yt

try:
    from tqdm import trange
except ImportError:
    trange = range  # no progress bar

COURANT = 0.4


def flow(xp, x, y, z):
    """Velocity of the ABC flow in the box [0, 1]^3, at most 2 in each direction."""
    s, c = (lambda t: xp.sin(2 * xp.pi * t)), (lambda t: xp.cos(2 * xp.pi * t))
    return s(z) + c(y), s(x) + c(z), s(y) + c(x)


def centres(mfi, block, cell):
    """Coordinates of a block's cells, ghost cells too, shaped to broadcast over i, j, k."""
    low = mfi.fabbox().small_end
    line = [(np.arange(block.shape[axis]) + low[axis] + 0.5) * cell for axis in range(3)]
    return line[0][:, None, None], line[1][None, :, None], line[2][None, None, :]


def upwind(block, ratio):
    """Change of the dye (component 0) in a block's valid cells; the velocity is in components 1 to 3."""
    inside = (slice(1, -1),) * 3
    dye, change = block[..., 0], 0.0
    for axis in range(3):
        lower, upper = list(inside), list(inside)
        lower[axis], upper[axis] = slice(0, -2), slice(2, None)
        v, here = block[(*inside, 1 + axis)], dye[inside]
        change = change - ratio * (
            v.clip(0) * (here - dye[tuple(lower)]) + v.clip(None, 0) * (dye[tuple(upper)] - here)
        )
    return change


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--size", type=int, default=64, help="cells in each direction")
    parser.add_argument("--block", type=int, default=32, help="longest side of a block")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("output"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)

    amr.initialize([])
    last, cell = given.size - 1, 1 / given.size
    domain = amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(last, last, last))
    geometry = amr.Geometry(domain, amr.RealBox([0, 0, 0], [1, 1, 1]), 0, [1, 1, 1])
    boxes = amr.BoxArray(domain).max_size(given.block)
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 4, 1)

    for mfi in field:
        array4 = field.array(mfi)
        block = array4.to_xp()  # axes i, j, k, component: the field's own memory
        tensor = np.from_dlpack(array4)
        assert tensor.ctypes.data == block.ctypes.data
        x, y, z = centres(mfi, block, cell)
        block[..., 0] = amr.xp.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2 + (z - 0.5) ** 2) / 0.02)
        for component, velocity in enumerate(flow(amr.xp, x, y, z), 1):
            block[..., component] = velocity
    print(f"filled {len(boxes)} blocks in place")

    dt = COURANT * cell / 6  # the three speeds of the flow add up to less than 6
    for _ in trange(given.steps):
        field.fill_boundary(0, 1, geometry.periodicity())
        for block in field.to_xp():
            block[1:-1, 1:-1, 1:-1, 0] += upwind(block, dt / cell)

    # Names of the components, time and step go with the field; ghost cells stay at home.
    names = amr.Vector_string(["dye", "velocity_x", "velocity_y", "velocity_z"])
    plotfile = str(given.out / amr.concatenate("plt", given.steps))
    amr.write_single_level_plotfile(plotfile, field, names, geometry, given.steps * dt, given.steps)
    print(f"plotfile: {plotfile}")

    yt.set_log_level("warning")
    data = yt.load(plotfile)
    cube = data.covering_grid(level=0, left_edge=data.domain_left_edge, dims=data.domain_dimensions)
    middle = given.size // 2
    cut = np.asarray(cube["boxlib", "dye"])[:, :, middle]
    same = np.array_equal(cut, field[:, :, middle, 0])  # the same cells by their place in the domain
    print(f"yt reads {data.index.num_grids} grids at time {float(data.current_time):.4f}")
    print(f"cut at k = {middle}: dye {cut.min():.3e} to {cut.max():.4f}, equal to the field in memory: {same}")

    plot = yt.SlicePlot(data, "z", ("boxlib", "dye"), center=[0.5, 0.5, (middle + 0.5) * cell], origin="native")
    plot.set_log(("boxlib", "dye"), False)
    plot.set_cmap(("boxlib", "dye"), "inferno")
    plot.set_figure_size(4)
    plot.annotate_quiver(("boxlib", "velocity_x"), ("boxlib", "velocity_y"), factor=40, color="white")
    picture = given.out / "plotfile_slice_yt.png"
    plot.save(str(picture), mpl_kwargs={"dpi": 70})
    print(f"picture: {picture}")

    del tensor  # the DLPack consumer; views made by to_xp() do not stand in the way of finalize()
    amr.finalize()
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
