# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Electrons in two opposite beams, pushed in place, then put into a pandas.DataFrame and drawn as histograms.

The two-stream instability in one dimension: each beam bunches the other, the electric field grows from noise, and the
beams roll up. The components of a tile are arrays in place: x += u * dt moves the particles. When particles have left
their boxes, redistribute() brings them to the right ones.
Units: length of the box, mass and charge of an electron, 1 / plasma frequency.

    python examples/particle_histograms.py --steps 200 --out output
"""

import argparse
import pathlib

import amrex.space1d as amr
import matplotlib
import numpy as np

try:
    from tqdm import trange
except ImportError:
    trange = range  # no progress bar

DT, BEAM, THERMAL = 0.2, 0.05, 0.002


def nearest_cells(x, size):
    """The two cells that a particle lies between, and its share in the second; the box is periodic."""
    place = x * size - 0.5
    left = np.floor(place).astype(int)
    return left % size, (left + 1) % size, place - left


def electric_field(particles, size):
    """At the cells, from the density of all particles by Fourier: dE/dx = 1 - density."""
    density = np.zeros(size)
    for pti in particles.iterator(level=0):
        left, right, share = nearest_cells(pti["x"], size)
        density += np.bincount(left, 1 - share, size) + np.bincount(right, share, size)
    density *= size / particles.total_number_of_particles()
    waves = 2 * np.pi * np.fft.rfftfreq(size, 1 / size)
    modes = np.fft.rfft(1 - density)
    modes[0], waves[0] = 0, 1
    return np.fft.irfft(modes / (1j * waves), size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--size", type=int, default=64, help="cells")
    parser.add_argument("--block", type=int, default=16, help="longest box")
    parser.add_argument("--particles", type=int, default=20000)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("output"))
    given = parser.parse_args()

    amr.initialize([])
    domain = amr.Box(amr.IntVect(0), amr.IntVect(given.size - 1))
    geometry = amr.Geometry(domain, amr.RealBox([0.0], [1.0]), 0, [1])
    boxes = amr.BoxArray(domain).max_size(given.block)

    # Two real components, the position and one more: the class is made when its name is asked for.
    particles = amr.ParticleContainer_pureSoA_2_0_default(geometry, amr.DistributionMapping(boxes), boxes)
    particles.set_soa_compile_time_names(["x", "u"], [])
    start = amr.ParticleInitType_pureSoA_2_0()
    particles.init_random(given.particles, 5, start, False, geometry.prob_domain)

    rng, shared, arrays = np.random.default_rng(5), 0, 0
    for pti in particles.iterator(level=0):
        u = pti["u"]
        u[...] = rng.choice([-BEAM, BEAM], len(u)) + THERMAL * rng.standard_normal(len(u))
        for name, array in pti.soa().to_numpy().real.items():
            tensor = np.from_dlpack(pti.soa().get_real_data(name))  # what torch.from_dlpack and others would show
            shared += tensor.ctypes.data == array.ctypes.data == pti[name].ctypes.data
            arrays += 1
    print(f"components of tiles at one address by every way: {shared} of {arrays}")
    first = particles.to_df()  # copies, of all tiles: they stay as they are

    energies = []
    for _ in trange(given.steps):
        field = electric_field(particles, given.size)
        energies.append(0.5 * np.mean(field**2))
        for pti in particles.iterator(level=0):
            x, u = pti["x"], pti["u"]  # take new views in each loop: redistribute() gives the tiles new memory
            left, right, share = nearest_cells(x, given.size)
            u -= DT * ((1 - share) * field[left] + share * field[right])
            x += DT * u
        particles.redistribute()

    last = particles.to_df()
    box = (last["x"] * given.size // given.block).astype(int)
    print(f"particles: {len(first)} at first, {len(last)} at last, each in its box: {particles.OK()}")
    print(f"field energy: {energies[0]:.2e} at first, {max(energies):.2e} at most")
    print(f"mean velocity changed by {abs(last['u'].mean() - first['u'].mean()):.1e}")
    print(last.groupby(box.rename("box"))["u"].agg(["count", "mean", "std"]).to_string())
    draw(given.out, first, last)

    del tensor  # the DLPack consumer; views of NumPy and the frames do not stand in the way of finalize()
    right = shared == arrays and len(first) == len(last) and particles.OK()
    amr.finalize()
    return 0 if right else 1


def draw(out, first, last):
    matplotlib.use("Agg")  # pandas draws through pyplot; this one needs no display
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 2.9), layout="constrained")
    panels = figure.subplots(1, 2, width_ratios=(1, 1.3))
    for frame, label in ((first, "start"), (last, "end")):
        frame["u"].plot.hist(bins=80, histtype="step", ax=panels[0], label=label)
    panels[0].set(xlabel="u", title="velocities")
    panels[0].legend()
    panels[1].hist2d(last["x"], last["u"], bins=(80, 60), cmap="magma")
    panels[1].set(xlabel="x", ylabel="u", title="phase space, end")
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "particle_histograms.png", dpi=65)
    print(f"picture: {out / 'particle_histograms.png'}")


if __name__ == "__main__":
    raise SystemExit(main())
