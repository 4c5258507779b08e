# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""One jitted JAX step over all boxes: JAX reads the blocks in place, its results are copied back.

Two chemicals that diffuse and react make patterns (Gray-Scott): du/dt = Du lap u - u v^2 + F (1 - u), dv/dt = Dv lap
v + u v^2 - (F + K) v. JAX arrays do not change, so a step has two halves: JAX computes new arrays from the blocks
that it sees in place, then NumPy views of the same blocks take the results.

What to know when an immutable array shows memory that changes:
- the array follows: what you write to the block is what JAX reads next. That is what makes this loop cheap.
- so do not keep such an array as a record of the past. jnp.array(x, copy=True) is a copy that stays.
- JAX computes in the background: wait (block_until_ready, or np.asarray of the result) before you write to the block.
- do not donate such arrays to jit (donate_argnums): the memory is not JAX's to use again.

    python examples/jax_step.py --steps 4000 --out output
"""

import argparse
import os
import pathlib

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # this run's blocks are in the memory of the host

import amrex.space2d as amr
import jax
import jax.numpy as jnp
import numpy as np

try:
    from tqdm import trange
except ImportError:
    trange = range  # no progress bar

DU, DV, FEED, KILL = 0.16, 0.08, 0.035, 0.06


def react(block):
    """New valid cells of one block from its cells and ghost cells, axes (component, k, j, i); for JAX and NumPy."""

    def laplacian(x):
        return x[:, :-2, 1:-1] + x[:, 2:, 1:-1] + x[:, 1:-1, :-2] + x[:, 1:-1, 2:] - 4 * x[:, 1:-1, 1:-1]

    u, v = block[0, :, 1:-1, 1:-1], block[1, :, 1:-1, 1:-1]
    reaction = u * v * v
    new_u = u + DU * laplacian(block[0]) - reaction + FEED * (1 - u)
    new_v = v + DV * laplacian(block[1]) + reaction - (FEED + KILL) * v
    return new_u, new_v


@jax.jit
def step(blocks):
    """All boxes in one compiled call: a list of arrays is a fine argument."""
    return [jnp.stack(react(block)) for block in blocks]


def start(size):
    """u = 1 and v = 0, but for a few squares."""
    u, v = np.ones((size, size)), np.zeros((size, size))
    rng = np.random.default_rng(3)
    for i, j in rng.integers(0, size - 8, (12, 2)):
        u[i : i + 8, j : j + 8], v[i : i + 8, j : j + 8] = 0.5, 0.25
    return u, v


def by_numpy(size, steps):
    """The same on two plain arrays, to check."""
    u, v = start(size)
    for _ in range(steps):
        u, v = (x[0].T for x in react(np.pad(np.stack([u.T, v.T]), ((0, 0), (1, 1), (1, 1)), mode="wrap")[:, None]))
    return u, v


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--size", type=int, default=128, help="cells in each direction")
    parser.add_argument("--block", type=int, default=64, help="longest side of a block")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("output"))
    given = parser.parse_args()

    jax.config.update("jax_enable_x64", True)  # else JAX makes a float32 copy of each block
    amr.initialize([])
    domain = amr.Box(amr.IntVect(0, 0), amr.IntVect(given.size - 1, given.size - 1))
    boxes = amr.BoxArray(domain).max_size(given.block)
    periodic = amr.Geometry(domain, amr.RealBox([0, 0], [1, 1]), 0, [1, 1]).periodicity()
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 2, 1)
    field[..., 0], field[..., 1] = start(given.size)

    blocks = [jnp.from_dlpack(field.array(mfi)) for mfi in field]
    valid = field.valid_views(order="C")  # NumPy views without the ghost cells: where the results go
    pointers = [view.ctypes.data for view in field.to_numpy()]
    shared = sum(block.unsafe_buffer_pointer() == pointer for block, pointer in zip(blocks, pointers, strict=True))
    print(f"blocks in JAX at the field's own address: {shared} of {len(blocks)}")

    # An "immutable" array follows the block. A copy does not.
    kept = jnp.array(blocks[0], copy=True)
    before = valid[0][0, 0, 0, 0]
    valid[0][0, 0, 0, 0] = 7.0
    print(f"after a write of 7: the array in place has {blocks[0][0, 0, 1, 1]}, the copy {kept[0, 0, 1, 1]}")
    valid[0][0, 0, 0, 0] = before

    check_at = min(given.steps, 200)  # NumPy is slow, and patterns amplify rounding: compare early
    early = field[...]
    for n in trange(given.steps):
        field.fill_boundary(periodic)
        for view, result in zip(valid, step(blocks), strict=True):
            view[...] = np.asarray(result)  # waits for JAX, sees its array in place, and copies it into the block
        if n + 1 == check_at:
            early = field[...]
    difference = np.abs(early - np.stack(by_numpy(given.size, check_at), axis=-1)).max()
    print(f"largest difference to plain NumPy after {check_at} steps: {difference:.1e}")
    draw(given.out, field[..., 1], given.steps)

    del blocks  # JAX held the memory of all blocks; with these arrays gone finalize() is willing
    amr.finalize()
    return 0 if shared == len(pointers) and difference < 1e-12 else 1


def draw(out, v, steps):
    from matplotlib.figure import Figure  # draws without a display

    figure = Figure(figsize=(3.6, 3), layout="constrained")
    axes = figure.subplots()
    figure.colorbar(axes.imshow(v.T, origin="lower", cmap="viridis"), label="v")
    axes.set(title=f"v after {steps} steps", xlabel="i", ylabel="j")
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "jax_step.png", dpi=60)
    print(f"picture: {out / 'jax_step.png'}")


if __name__ == "__main__":
    raise SystemExit(main())
