# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Steer a running simulation by global indices: read probes, drive an antenna, move walls, wherever the boxes end.

Waves in a plate: an antenna on the left, a wall with two slits, and a screen of probes on the right. Half-way one
slit is closed, and the stripes on the screen go. The code names cells by their place in the domain; which box holds a
cell, and which ghost cells repeat it, is not its business: a write reaches them all. Needs NumPy only (and matplotlib
to draw).

    python examples/global_index_steering.py --steps 800 --out output
"""

import argparse
import pathlib

import amrex.space2d as amr
import numpy as np

try:
    from tqdm import trange
except ImportError:
    trange = range  # no progress bar

COURANT2 = 0.25  # (wave speed * time step / cell size)^2
PERIOD = 16  # steps


def advance(now, before):
    """One box, in place: the leapfrog step writes the next time into `before`; one ghost layer, axes i, j, k, n."""
    u = now[1:-1, 1:-1]
    laplacian = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:] - 4 * u
    before[1:-1, 1:-1] = 2 * u - before[1:-1, 1:-1] + COURANT2 * laplacian


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--size", type=int, default=128, help="cells in each direction")
    parser.add_argument("--block", type=int, default=48, help="longest side of a block")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("output"))
    given = parser.parse_args()

    amr.initialize([])
    n = given.size
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0), amr.IntVect(n - 1, n - 1))).max_size(given.block)
    mapping = amr.DistributionMapping(boxes)
    waves = [amr.MultiFab(boxes, mapping, 1, 1) for _ in range(2)]  # at this step and at the one before
    for wave in waves:
        wave[()] = 0.0  # () means ghost cells too; those outside the domain stay 0
    edge = np.minimum(np.arange(n), np.arange(n)[::-1]) / 16
    sponge = amr.MultiFab(boxes, mapping, 1, 0)  # swallows the waves that come near the edge
    sponge[...] = 1 - 0.2 * np.clip(1 - np.minimum(edge[:, None], edge), 0, 1) ** 2
    views = [wave.to_numpy() for wave in waves]  # made once; a box's view is the box's memory
    for wave, arrays in zip(waves, views, strict=True):
        tensors = [np.from_dlpack(wave.array(mfi)) for mfi in wave]
        same = sum(t.ctypes.data == a.ctypes.data for t, a in zip(tensors, arrays, strict=True))
        assert same == len(boxes)
    print(f"{len(boxes)} boxes, all used in place")

    wall, screen = n // 3, n - n // 6
    slits = [slice(n // 2 - n // 8, n // 2 - n // 8 + 4), slice(n // 2 + n // 8 - 4, n // 2 + n // 8)]
    light = np.zeros((2, n))  # on the screen, with two slits and with one
    pictures = []

    for step in trange(given.steps):
        now, before = step % 2, 1 - step % 2
        half = 2 * step // given.steps
        field = waves[now]

        field[18, :] += 0.3 * np.sin(2 * np.pi * step / PERIOD)  # the antenna: a line of cells through several boxes
        openings = [field[wall, slit] for slit in slits[: 2 - half]]  # a new array each: what passes
        field[wall, :] = 0.0  # the wall, and then its slits again
        for slit, opening in zip(slits, openings, strict=False):
            field[wall, slit] = opening

        for wave in waves:
            wave.multiply(sponge, 0, 0, 1, 0)
        field.fill_boundary()
        for u, u_before in zip(views[now], views[before], strict=True):
            advance(u, u_before)

        if 4 * step // given.steps != 2 * half:  # read the probes, when the waves have reached them
            light[half] += field[screen, :] ** 2
        if step + 1 in (given.steps // 2, given.steps):
            pictures.append(field[..., 0])  # the whole plate

    assert np.array_equal(field[wall, : slits[0].start], np.zeros(slits[0].start)), "the wall leaks"
    shine = light.sum(axis=1)
    print(f"light on the screen: {shine[0]:.3f} with two slits, {shine[1]:.3f} with one")
    brightest = waves[1 - now].maxIndex(0)
    print(f"highest wave at the end: {waves[1 - now][tuple(brightest)]:.3f} at cell {tuple(brightest)}")
    draw(given.out, pictures, light, screen)

    del tensors  # the only DLPack consumers; views and copies do not stand in the way of finalize()
    amr.finalize()
    assert np.isfinite(views[0][0]).all()  # a view, after finalize()
    return 0


def draw(out, pictures, light, screen):
    from matplotlib.figure import Figure  # draws without a display

    figure = Figure(figsize=(9, 2.7), layout="constrained")
    panels = figure.subplots(1, 3)
    for axes, image, title in zip(panels, pictures, ("two slits", "one slit"), strict=False):
        axes.imshow(image.T, origin="lower", cmap="RdBu", vmin=-1, vmax=1)
        axes.axvline(screen, color="black", lw=0.6, ls=":")
        axes.set(title=title, xlabel="i", ylabel="j")
    for line, label in zip(light, ("two", "one"), strict=True):
        panels[2].plot(line / max(line.max(), 1e-300), label=label)
    panels[2].set(title="on the screen (scaled)", xlabel="j")
    panels[2].legend(title="slits")
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "global_index_steering.png", dpi=50)
    print(f"picture: {out / 'global_index_steering.png'}")


if __name__ == "__main__":
    raise SystemExit(main())
