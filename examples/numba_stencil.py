# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""A numba stencil that reads ghost cells, on the memory of a MultiFab; checked against NumPy, in numbers and in time.

Nonlinear diffusion, as of heat in a plasma: du/dt = div(u^2 grad u), so that cold cells hardly conduct and the hot
region keeps a sharp edge. The fluxes at a block's edge need the neighbours' cells: these are in the ghost cells.

    python examples/numba_stencil.py --steps 60 --out output
"""

import argparse
import pathlib
import time

import amrex.space3d as amr
import numba
import numpy as np

try:
    from tqdm import trange
except ImportError:
    trange = range  # no progress bar

R = 0.1  # time step over (cell size)^2


@numba.njit
def flux(here, there):
    mean = 0.5 * (here + there)
    return mean * mean * (there - here)


@numba.njit
def step_numba(old, new):
    """One block: `old` and `new` have the axes component, k, j, i and one ghost layer; new is written inside it."""
    _, nz, ny, nx = old.shape
    for k in range(1, nz - 1):
        for j in range(1, ny - 1):
            for i in range(1, nx - 1):
                u = old[0, k, j, i]
                total = flux(u, old[0, k, j, i - 1]) + flux(u, old[0, k, j, i + 1])
                total += flux(u, old[0, k, j - 1, i]) + flux(u, old[0, k, j + 1, i])
                total += flux(u, old[0, k - 1, j, i]) + flux(u, old[0, k + 1, j, i])
                new[0, k, j, i] = u + R * total


def step_numpy(old, new):
    """The same by whole arrays, which makes some twenty temporary arrays."""

    def at(axis, shift):
        index = [0, slice(1, -1), slice(1, -1), slice(1, -1)]
        index[axis] = slice(1 + shift, old.shape[axis] - 1 + shift)
        return old[tuple(index)]

    def fluxes(axis):
        return [0.25 * (u + at(axis, s)) ** 2 * (at(axis, s) - u) for s in (-1, 1)]

    u = at(1, 0)
    new[0, 1:-1, 1:-1, 1:-1] = u + R * sum(f for axis in (3, 2, 1) for f in fluxes(axis))


def run(step, fields, periodic, steps, bar=range):
    """Advance; the two MultiFabs change their roles in every step. Returns the last one and the seconds."""
    # order="C" has i last, the fastest axis: numba's loops run along memory. The views are made once, and stay right.
    views = [field.to_numpy(order="C") for field in fields]
    began = time.perf_counter()
    for n in bar(steps):
        old, new = n % 2, 1 - n % 2
        fields[old].fill_boundary(periodic)
        for before, after in zip(views[old], views[new], strict=True):
            step(before, after)
    return fields[steps % 2], time.perf_counter() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--size", type=int, default=64, help="cells in each direction")
    parser.add_argument("--block", type=int, default=32, help="longest side of a block")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("output"))
    given = parser.parse_args()

    amr.initialize([])
    last = given.size - 1
    domain = amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(last, last, last))
    boxes = amr.BoxArray(domain).max_size(given.block)
    mapping = amr.DistributionMapping(boxes)
    periodic = amr.Geometry(domain, amr.RealBox([0, 0, 0], [1, 1, 1]), 0, [1, 1, 1]).periodicity()

    x = (np.arange(given.size) + 0.5) / given.size
    distance = np.sqrt((x[:, None, None] - 0.35) ** 2 + (x[:, None] - 0.4) ** 2 + (x - 0.5) ** 2)
    hot = np.where(distance < 0.18, 1.0, 0.02)

    def start():
        pair = [amr.MultiFab(boxes, mapping, 1, 1) for _ in range(2)]
        pair[0][..., 0] = hot
        return pair

    fields = start()
    for mfi in fields[0]:  # numba takes NumPy arrays; np.asarray gives one of the same memory, and so does to_numpy
        array4 = fields[0].array(mfi)
        assert np.asarray(array4).ctypes.data == array4.to_numpy().ctypes.data
    print(f"blocks in numba at the field's own address: {len(fields[0])} of {len(boxes)}")

    # Compile first, on other arrays of the type that the views have, so that the time below is that of running.
    step_numba(np.ones((1, 3, 3, 3)), np.ones((1, 3, 3, 3)))
    by_numba, seconds_numba = run(step_numba, fields, periodic, given.steps, trange)
    by_numpy, seconds_numpy = run(step_numpy, start(), periodic, given.steps)

    difference = np.abs(by_numba[...] - by_numpy[...]).max()
    lost = abs(by_numba.sum(0) - hot.sum()) / hot.sum()
    print(
        f"numba {seconds_numba:.3f} s, NumPy {seconds_numpy:.3f} s: {seconds_numpy / seconds_numba:.1f} times as fast"
    )
    print(f"largest difference: {difference:.1e}; heat lost at the blocks' edges: {lost:.1e}")
    draw(given.out, hot, by_numba[:, :, given.size // 2])

    del array4, by_numba, by_numpy, fields, mfi  # NumPy views would not stand in the way; this frees the memory
    amr.finalize()
    return 0 if difference < 1e-12 and lost < 1e-12 else 1


def draw(out, hot, end):
    from matplotlib.figure import Figure  # draws without a display

    figure = Figure(figsize=(7.4, 3.2), layout="constrained")
    panels = figure.subplots(1, 2)
    for axes, image, title in zip(panels, (hot[:, :, hot.shape[2] // 2], end), ("start", "end"), strict=True):
        shown = axes.imshow(image.T, origin="lower", cmap="inferno", vmin=0, vmax=1)
        axes.set(title=title, xlabel="i", ylabel="j")
    figure.colorbar(shown, ax=panels, label="u")
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "numba_stencil.png", dpi=70)
    print(f"picture: {out / 'numba_stencil.png'}")


if __name__ == "__main__":
    raise SystemExit(main())
