# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The timed work, through public names only, so that any implementation of `amrex.space3d` can run it.

run.py starts this program; it prints one line of JSON per case. A case is a name, our work, the same work in NumPy,
and how many items a call handles.
"""

import argparse
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import object_cases
from measure import Work, compare

amr: Any = None  # amrex.space3d, imported where it is timed
Case = tuple[str, Work, Work, int]


def new_multifab(cells: int, box: int, ghosts: int = 0, value: float = 1.0) -> Any:
    """A cube of `cells`^3 in boxes of `box`^3, one component."""
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(cells - 1, cells - 1, cells - 1)))
    boxes.max_size(box)
    mf = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, ghosts)
    mf.set_val(value)
    return mf


def exports() -> Iterator[Case]:
    mf = new_multifab(32, 32)
    arr4 = next(mf.array(mfi) for mfi in mf)
    x = np.ones((1, 32, 32, 32))
    yield "arr4.__dlpack__()", lambda: arr4.__dlpack__(), lambda: x.__dlpack__(), 1
    yield (
        "arr4.__dlpack__(max_version=(1, 0))",
        lambda: arr4.__dlpack__(max_version=(1, 0)),
        lambda: x.__dlpack__(max_version=(1, 0)),
        1,
    )
    yield "np.from_dlpack(arr4)", lambda: np.from_dlpack(arr4), lambda: np.from_dlpack(x), 1
    yield "arr4.to_numpy()", lambda: arr4.to_numpy(), lambda: np.from_dlpack(x).transpose(), 1
    yield "arr4.to_xp()", lambda: arr4.to_xp(), lambda: np.from_dlpack(x).transpose(), 1
    yield "arr4[i, j, k]", lambda: arr4[1, 2, 3], lambda: x[0, 3, 2, 1], 1
    try:
        import torch
    except ImportError:
        return
    yield "torch.from_dlpack(arr4)", lambda: torch.from_dlpack(arr4), lambda: torch.from_dlpack(x), 1


def exchange_table() -> Iterator[Case]:
    mf = new_multifab(32, 32)
    arr4 = next(mf.array(mfi) for mfi in mf)
    x = np.ones((1, 32, 32, 32))
    if not hasattr(type(arr4), "__dlpack_c_exchange_api__"):
        return
    from exchange_loop import ExchangeLoop

    loop, repeats = ExchangeLoop(type(arr4)), 1000

    def numpy_exports() -> None:
        for _ in range(repeats):
            x.__dlpack__(max_version=(1, 0))

    yield "C exchange table: a tensor", lambda: loop.managed(arr4, repeats), numpy_exports, repeats
    yield "C exchange table: a borrowed DLTensor", lambda: loop.borrowed(arr4, repeats), numpy_exports, repeats


def loops() -> Iterator[Case]:
    mf = new_multifab(64, 8)
    count = 512
    items = list(range(count))
    arrays = [np.ones((1, 8, 8, 8)) for _ in items]

    def plain() -> None:
        for _ in items:
            pass

    def walk() -> None:
        for _ in mf:
            pass

    def walk_arrays() -> None:
        for mfi in mf:
            mf.array(mfi)

    def walk_xp() -> None:
        for mfi in mf:
            mf.array(mfi).to_xp()

    yield "for mfi in mf: pass", walk, plain, count
    yield "for mfi in mf: mf.array(mfi)", walk_arrays, plain, count
    yield "for mfi in mf: mf.array(mfi).to_xp()", walk_xp, lambda: [v.transpose() for v in arrays], count
    yield "mf.to_xp()", lambda: mf.to_xp(), lambda: [v.transpose() for v in arrays], count


def indexing() -> Iterator[Case]:
    few, many, z = new_multifab(64, 32), new_multifab(64, 8), np.ones((64, 64, 64), order="F")
    yield "mf[i, j, k], 512 boxes", lambda: many[3, 4, 5], lambda: z[3, 4, 5], 1
    yield "mf[...], 8 boxes", lambda: few[...], lambda: z.copy(order="F"), 1
    yield "mf[...], 512 boxes", lambda: many[...], lambda: z.copy(order="F"), 1
    yield "mf[...] = array, 512 boxes", lambda: many.__setitem__(Ellipsis, z), lambda: z.copy(order="F"), 1


def arithmetic() -> Iterator[Case]:
    n = 128
    f, g, h = (new_multifab(n, 64, value=v) for v in (1.0, 2.0, 3.0))
    x, y, z = (np.full(n**3, v) for v in (1.0, 2.0, 3.0))
    scratch = np.empty_like(x)

    def saxpy() -> None:
        np.multiply(y, 1e-9, out=scratch)
        np.add(x, scratch, out=x)

    def lin_comb() -> None:
        np.multiply(y, 0.5, out=x)
        np.multiply(z, 0.5, out=scratch)
        np.add(x, scratch, out=x)

    yield "set_val", lambda: f.set_val(1.0), lambda: x.fill(1.0), 1
    yield "plus(scalar)", lambda: f.plus(1e-9, 0), lambda: np.add(x, 1e-9, out=x), 1
    yield "mult(scalar)", lambda: f.mult(1.0000001, 0), lambda: np.multiply(x, 1.0000001, out=x), 1
    yield "plus(mf)", lambda: f.plus(g, 0, 1, 0), lambda: np.add(x, y, out=x), 1
    yield "sum", lambda: f.sum(0), lambda: x.sum(), 1
    yield "min", lambda: f.min(0, 0), lambda: x.min(), 1
    yield "max", lambda: f.max(0, 0), lambda: x.max(), 1
    yield "norm2", lambda: f.norm2(0), lambda: np.sqrt(np.dot(x, x)), 1
    yield "dot", lambda: f.dot(0, g, 0, 1, 0, False), lambda: np.dot(x, y), 1
    yield "copy_mfab", lambda: amr.copy_mfab(f, g, 0, 0, 1, 0), lambda: np.copyto(x, y), 1
    yield "saxpy", lambda: f.saxpy(1e-9, g, 0, 0, 1, 0), saxpy, 1
    yield "lin_comb", lambda: f.lin_comb(0.5, g, 0, 0.5, h, 0, 0, 1, 0), lin_comb, 1
    yield "contains_nan", lambda: f.contains_nan(), lambda: np.isnan(x).any(), 1


def large() -> Iterator[Case]:
    """Fields beyond the caches; instead of NumPy loops in C on as many threads."""
    from stream_loop import StreamLoops

    cells = (512, 256, 256)
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(*(n - 1 for n in cells))))
    boxes.max_size(64)
    owners = amr.DistributionMapping(boxes)
    f, g, h = (amr.MultiFab(boxes, owners, 1, 0) for _ in range(3))
    for mf in (f, g, h):
        mf.set_val(1.0)
    loops = StreamLoops(math.prod(cells), int(os.environ.get("OMP_NUM_THREADS", "1")))
    yield "set_val, 256 MB", lambda: f.set_val(1.0), lambda: loops.fill(1.0), 1
    yield "copy_mfab, 256 MB", lambda: amr.copy_mfab(f, g, 0, 0, 1, 0), loops.copy, 1
    yield "lin_comb, 256 MB", lambda: f.lin_comb(0.5, g, 0, 0.5, h, 0, 0, 1, 0), lambda: loops.lin_comb(0.5, 0.5), 1
    yield "plus(scalar), 256 MB", lambda: f.plus(1e-9, 0), lambda: loops.plus(1e-9), 1
    yield "saxpy, 256 MB", lambda: f.saxpy(1e-9, g, 0, 0, 1, 0), lambda: loops.saxpy(1e-9), 1
    yield "sum, 256 MB", lambda: f.sum(0), loops.sum, 1


def allocation() -> Iterator[Case]:
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(127, 127, 127)))
    boxes.max_size(32)
    owners = amr.DistributionMapping(boxes)

    def arrays() -> None:
        for _ in range(64):
            np.empty((4, 34, 34, 34))

    yield "MultiFab(ba, dm, 4, 1), 64 boxes of 32^3", lambda: amr.MultiFab(boxes, owners, 4, 1), arrays, 1


def halo() -> Iterator[Case]:
    n, box = 128, 32
    periodic = amr.Periodicity(amr.IntVect(n, n, n))
    for ghosts in (1, 2):
        mf = new_multifab(n, box, ghosts)
        cells = (n // box) ** 3 * ((box + 2 * ghosts) ** 3 - box**3)
        source, target = np.ones(cells), np.empty(cells)

        def copy(source: Any = source, target: Any = target) -> None:
            np.copyto(target, source)

        yield f"fill_boundary, ghosts={ghosts}", lambda mf=mf: mf.fill_boundary(periodic), copy, 1
        yield f"sum_boundary, ghosts={ghosts}", lambda mf=mf: mf.sum_boundary(periodic), copy, 1


GROUPS: dict[str, Callable[[], Iterator[Case]]] = {
    f.__name__: f for f in (exports, exchange_table, loops, indexing, arithmetic, large, allocation, halo)
} | {f.__name__: lambda f=f: f(amr) for f in (object_cases.vectors, object_cases.particles)}


def main() -> None:
    global amr
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, "startup"])
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=4e-3, help="length of one timing")
    options = parser.parse_args()

    before = time.perf_counter()
    import amrex.space3d

    imported = time.perf_counter()
    amr = amrex.space3d
    amr.initialize(["amrex.verbose=0", "tiny_profiler.enabled=0"])
    started = time.perf_counter()
    if "startup" in options.groups:
        print(json.dumps({"name": "import amrex.space3d", "ns": (imported - before) * 1e9}))
        print(json.dumps({"name": "initialize", "ns": (started - imported) * 1e9}))
    for group in options.groups:
        if group == "startup":
            continue
        for name, ours, reference, per in GROUPS[group]():
            if options.only not in name:
                continue
            result: dict[str, Any] = {"name": name}
            try:
                result |= compare(ours, reference, rounds=options.rounds, seconds=options.seconds, per=per)
            except Exception as error:  # an implementation may lack a name: then this row is empty
                result["error"] = f"{type(error).__name__}: {error}"
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
