# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""A torch network learns from a running simulation, on the simulation's own memory, and then takes its place.

A flame runs through a periodic channel: dT/dt = D lap T + rate(T). In the first half of the steps the exact right-hand
side advances the field, and a small convolution network is trained on the blocks as they are. In the second half the
network advances the blocks in place. No block is copied: each tensor has the address of its block.

    python examples/torch_in_place.py --steps 240 --out output
"""

import argparse
import pathlib

import amrex.space2d as amr
import numpy as np
import torch

try:
    from tqdm import trange
except ImportError:
    trange = range  # no progress bar

DIFFUSION, DT, SCALE = 0.2, 0.5, 0.03  # the last: typical size of the right-hand side; cell size 1


def exact(whole):
    """Right-hand side for the valid cells of a block; `whole` has one layer of ghost cells, axes (..., j, i)."""
    centre = whole[..., 1:-1, 1:-1]
    neighbours = whole[..., :-2, 1:-1] + whole[..., 2:, 1:-1] + whole[..., 1:-1, :-2] + whole[..., 1:-1, 2:]
    rate = 0.2 * centre**2 * (1 - centre)  # burns where it is hot and fuel is left
    return DIFFUSION * (neighbours - 4 * centre) + rate


def make_field(size, block):
    """A MultiFab of one component and one ghost layer, with a hot, wavy band in the middle; and its periodicity."""
    domain = amr.Box(amr.IntVect(0, 0), amr.IntVect(size - 1, size - 1))
    boxes = amr.BoxArray(domain).max_size(block)
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 1)
    i, j = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    front = size * (0.12 + 0.05 * np.sin(2 * np.pi * 2 * j / size))
    field[..., 0] = 1 / (1 + np.exp(np.abs(i - size / 2) - front))  # cells by their place in the domain
    periodic = amr.Geometry(domain, amr.RealBox([0, 0], [size, size]), 0, [1, 1]).periodicity()
    return field, periodic


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=240, help="time steps, half of them with training")
    parser.add_argument("--size", type=int, default=64, help="cells in each direction")
    parser.add_argument("--block", type=int, default=32, help="longest side of a block")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("output"))
    given = parser.parse_args()

    torch.manual_seed(1)
    torch.set_num_threads(1)  # the blocks are small
    torch.set_default_dtype(torch.float64)  # the element type of a MultiFab
    amr.initialize([])
    field, periodic = make_field(given.size, given.block)
    truth, _ = make_field(given.size, given.block)  # always advanced by the exact right-hand side

    # One tensor per block, made once: (component, k, j, i) with k of length 1, so a batch of one image of one channel.
    blocks = [torch.from_dlpack(field.array(mfi)) for mfi in field]
    blocks_of_truth = [torch.from_dlpack(truth.array(mfi)) for mfi in truth]
    pointers = [view.ctypes.data for view in field.to_numpy()]
    shared = sum(block.data_ptr() == pointer for block, pointer in zip(blocks, pointers, strict=True))
    print(f"blocks in torch at the field's own address: {shared} of {len(blocks)}")

    network = torch.nn.Sequential(torch.nn.Conv2d(1, 24, 3), torch.nn.Tanh(), torch.nn.Conv2d(24, 1, 1))
    cold = torch.zeros(1, 1, 3, 3)

    def closure(whole):
        return SCALE * (network(whole) - network(cold))  # nothing happens where all is cold

    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, max(given.steps // 2, 1))
    losses = []

    for step in trange(given.steps):
        learning = step < given.steps // 2
        field.fill_boundary(periodic)  # the ghost cells; the tensors see them, they are the same memory
        truth.fill_boundary(periodic)
        if learning:
            wanted = [exact(block) for block in blocks]
            for _ in range(4):
                optimizer.zero_grad()
                errors = [(((closure(b) - w) / SCALE) ** 2).mean() for b, w in zip(blocks, wanted, strict=True)]
                loss = sum(errors) / len(errors)
                loss.backward()
                optimizer.step()
            schedule.step()
            losses.append(loss.item())
        with torch.no_grad():
            changes = wanted if learning else [closure(block) for block in blocks]
            for block, change in zip(blocks, changes, strict=True):
                block[..., 1:-1, 1:-1] += DT * change  # in place: this is the MultiFab
            for block in blocks_of_truth:
                block[..., 1:-1, 1:-1] += DT * exact(block)

    learned, right = field[..., 0], truth[..., 0]
    start, _ = make_field(given.size, given.block)
    error, moved = np.abs(learned - right).mean(), np.abs(right - start[..., 0]).mean()
    if losses:
        print(f"loss: {losses[0]:.3e} at first, {losses[-1]:.3e} at last")
    print(f"mean difference to the exact run: {error:.2e} (the field itself moved by {moved:.2e})")
    draw(given.out, learned, right, losses)

    # torch still holds the memory, so finalize() refuses and says what is alive. Delete the tensors, then it works.
    try:
        amr.finalize()
    except RuntimeError as refusal:
        print(f"finalize: {str(refusal).splitlines()[0]}")
    del blocks, blocks_of_truth, block
    amr.finalize()
    print("finalize: done")
    return 0 if shared == len(pointers) else 1


def draw(out, learned, right, losses):
    from matplotlib.figure import Figure  # draws without a display

    figure = Figure(figsize=(9, 2.9), layout="constrained")
    panels = figure.subplots(1, 3)
    for axes, image, title in zip(panels, (right, learned), ("exact", "network, second half"), strict=False):
        axes.imshow(image.T, origin="lower", cmap="inferno", vmin=0, vmax=1)
        axes.set(title=title, xlabel="i", ylabel="j")
    panels[2].semilogy(losses)
    panels[2].set(title="loss", xlabel="step")
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "torch_in_place.png", dpi=70)
    print(f"picture: {out / 'torch_in_place.png'}")


if __name__ == "__main__":
    raise SystemExit(main())
