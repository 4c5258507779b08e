# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Exports and operations on a device against its array library: `ZEROFAB_DEVICE=sycl python benchmarks/device.py`.

Every row is the ratio of our time to that of amr.xp (dpnp, CuPy, or NumPy on the host) for the same work on as many
numbers, measured in alternation in one process; operations are finished when they are timed. The last rows are exports,
against the library's own `from_dlpack` of its own array.
"""

import argparse
from collections.abc import Callable
from typing import Any

import amrex.space3d as amr
from measure import compare


def finished(xp: Any, array: Any) -> None:
    amr.synchronize()
    queue = getattr(array, "sycl_queue", None)
    if queue is not None:
        queue.wait()
    elif hasattr(xp, "cuda"):
        xp.cuda.get_current_stream().synchronize()


def cases(cells: int, box: int) -> list[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """(name, ours, theirs) for fields of cells^3 in boxes of box^3."""
    xp = amr.xp
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(cells - 1)))
    boxes.max_size(box)
    owners = amr.DistributionMapping(boxes)
    x, y = (amr.MultiFab(boxes, owners, 1, 1) for _ in range(2))
    x.set_val(1.0)
    y.set_val(2.0)
    a, b = xp.full((cells,) * 3, 1.0), xp.full((cells,) * 3, 2.0)
    period = amr.Periodicity(amr.IntVect(cells))

    def device(work: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            work()
            finished(xp, a)

        return run

    def fill_theirs() -> None:
        a[...] = 3.0

    def axpy_theirs() -> None:
        xp.add(a, xp.multiply(b, 0.5), out=a)

    def halo_theirs() -> None:
        """The ghosts of one box that is the whole domain, side by side: as many bytes or fewer."""
        padded[0, 1:-1, 1:-1], padded[-1, 1:-1, 1:-1] = padded[-2, 1:-1, 1:-1], padded[1, 1:-1, 1:-1]
        padded[:, 0, 1:-1], padded[:, -1, 1:-1] = padded[:, -2, 1:-1], padded[:, 1, 1:-1]
        padded[:, :, 0], padded[:, :, -1] = padded[:, :, -2], padded[:, :, 1]

    padded = xp.zeros((cells + 2,) * 3)
    (mfi, *_) = list(x)
    array = x.array(mfi)
    return [
        ("set_val", device(lambda: x.set_val(3.0)), device(fill_theirs)),
        ("saxpy", device(lambda: amr.MultiFab.saxpy(x, 0.5, y, 0, 0, 1, 0)), device(axpy_theirs)),
        ("sum", lambda: x.sum(0), lambda: float(xp.sum(a))),
        ("fill_boundary", device(lambda: x.fill_boundary(period)), device(halo_theirs)),
        ("array.to_xp()", array.to_xp, lambda: xp.from_dlpack(a)),
        ("xp.from_dlpack(array)", lambda: xp.from_dlpack(array), lambda: xp.from_dlpack(a)),
        ("array.__dlpack__()", lambda: array.__dlpack__(max_version=(1, 0)), lambda: a.__dlpack__(max_version=(1, 0))),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=128)
    parser.add_argument("--box", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    amr.initialize([])
    print(f"{amr.Config.gpu_backend or 'host'}, {amr.xp.__name__}, {given.cells}^3 cells in boxes of {given.box}^3\n")
    print(f"| what | ours | / {amr.xp.__name__} | quartiles |\n|---|---|---|---|")
    for name, ours, theirs in cases(given.cells, given.box):
        found = compare(ours, theirs, rounds=given.rounds, seconds=0.02)
        unit, scale = ("us", 1e-3) if found["ns"] < 1e6 else ("ms", 1e-6)
        quartiles = f"{found['first_quartile']:.2f}-{found['third_quartile']:.2f}"
        print(f"| {name} | {found['ns'] * scale:.3g} {unit} | {found['ratio']:.2f} | {quartiles} |")


if __name__ == "__main__":
    main()
