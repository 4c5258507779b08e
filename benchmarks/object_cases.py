# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The timed work on vectors and particles, as in cases.py.

What NumPy does beside it is what a script without particle classes would write: columns, one stable argsort, a take
per column.
"""

import importlib.util
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Case = tuple[str, Callable[[], object], Callable[[], object], int]
COUNT = 10**6
CELLS, BOX = 64, 32
REALS = 11  # components: those of a class that the peer's wheel has too


def vectors(amr: Any) -> Iterator[Case]:
    x = np.linspace(0.0, 1.0, COUNT)
    cls = amr.PODVector_real_std
    vector, y = cls.from_numpy(x), x.copy()
    yield "PODVector.from_numpy(x), 10^6", lambda: cls.from_numpy(x), x.copy, 1
    yield "PODVector.copy_from(x), 10^6", lambda: vector.copy_from(x), lambda: np.copyto(y, x), 1
    yield "PODVector.from_array(x, copy=False)", lambda: cls.from_array(x, copy=False), lambda: np.from_dlpack(x), 1
    yield "PODVector.to_numpy()", vector.to_numpy, lambda: np.from_dlpack(x), 1
    yield "np.from_dlpack(PODVector)", lambda: np.from_dlpack(vector), lambda: np.from_dlpack(x), 1
    yield "np.asarray(PODVector)", lambda: np.asarray(vector), lambda: np.asarray(memoryview(x)), 1
    yield "Vector_Real(x), 10^6", lambda: amr.Vector_Real(x), x.copy, 1


class Columns:
    """The particles as a script in NumPy would have them."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns
        self.sizes = itertools.cycle((1, 8))

    def cells(self, size: int) -> Any:
        """The number of each particle's bin of cells, x fastest."""
        per_side = CELLS // size
        z, y, x = ((self.columns[name] * per_side).astype(np.int64) for name in "zyx")
        return (z * per_side + y) * per_side + x

    def order(self, keys: Any) -> None:
        order = np.argsort(keys, kind="stable")
        self.columns = {name: column[order] for name, column in self.columns.items()}

    def move(self) -> None:
        x = self.columns["x"]
        x += 0.37
        x -= np.floor(x)
        self.order(self.cells(BOX).astype(np.int16))  # a radix sort, NumPy's fastest

    def sort(self) -> None:
        self.order(self.cells(next(self.sizes)).astype(np.int32))

    def deposit(self, counts: Any) -> None:
        counts += np.bincount(self.cells(1), minlength=CELLS**3)


def new_particles(amr: Any) -> tuple[Any, Any, Any]:
    domain = amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(CELLS - 1, CELLS - 1, CELLS - 1))
    sides = amr.RealBox(0.0, 0.0, 0.0, 1.0, 1.0, 1.0)
    boxes = amr.BoxArray(domain)
    boxes.max_size(BOX)
    owners = amr.DistributionMapping(boxes)
    pc = amr.ParticleContainer_pureSoA_11_0_polymorphic(amr.Geometry(domain, sides, 0, [1, 1, 1]), owners, boxes)
    pc.arena = amr.The_Arena()
    return pc, boxes, owners


def particles(amr: Any) -> Iterator[Case]:
    pc, boxes, owners = new_particles(amr)
    init, sides = amr.ParticleInitType_pureSoA_11_0(), amr.RealBox(0.0, 0.0, 0.0, 1.0, 1.0, 1.0)

    def make() -> None:
        pc.clear_particles()
        pc.init_random(COUNT, 1, init, False, sides)

    def numpy_make() -> dict[str, Any]:
        random = np.random.default_rng(1)
        made = {name: random.random(COUNT) for name in "xyz"} | {f"u{n}": np.zeros(COUNT) for n in range(REALS - 3)}
        return made | {"idcpu": np.arange(1, COUNT + 1, dtype=np.uint64)}

    def numpy_make_in_order() -> None:
        made = Columns(numpy_make())
        made.order(made.cells(BOX).astype(np.int16))

    yield "init_random, 10^6", make, numpy_make_in_order, 1
    make()
    mine = Columns(numpy_make())
    given = [mine.columns[name].copy() for name in mine.columns if name != "idcpu"]

    def take_in() -> None:
        tile = amr.ParticleTile_pureSoA_11_0_polymorphic()
        tile.define(0, 0, [], [], pc.arena)
        tile.resize(COUNT)
        soa = tile.get_struct_of_arrays()
        for number, column in enumerate(given):
            soa.get_real_data(number).copy_from(column)

    def numpy_take_in() -> None:
        made = [np.zeros(COUNT) for _ in given] + [np.zeros(COUNT, np.uint64)]
        for target, column in zip(made, given, strict=False):
            np.copyto(target, column)

    yield f"tile from NumPy, 10^6 x {REALS}", take_in, numpy_take_in, 1
    parts = [np.ones(8) for _ in range(8 * (REALS + 1))]
    yield (
        'exchange("numpy", particles), 8 tiles: a component',
        lambda: amr.exchange("numpy", pc),
        lambda: [np.from_dlpack(part) for part in parts],
        len(parts),
    )

    def move() -> None:
        for pti in pc.iterator(level=0):
            pti["x"][:] += 0.37
        pc.redistribute()

    yield "move and redistribute, 10^6", move, mine.move, 1
    sizes = itertools.cycle((1, 8))
    bins = {size: amr.IntVect(size, size, size) for size in (1, 8)}
    yield "sort_particles_by_bin, 10^6", lambda: pc.sort_particles_by_bin(bins[next(sizes)]), mine.sort, 1
    counts = amr.MultiFab(boxes, owners, 1, 0)
    counts.set_val(0.0)
    number_of = np.zeros(CELLS**3)
    yield "increment (deposit), 10^6", lambda: pc.increment(counts, 0), lambda: mine.deposit(number_of), 1
    if importlib.util.find_spec("pandas") is not None:
        yield from frames(pc, mine)
    pti = next(iter(pc.iterator(level=0)))  # the last loop: the peer allows one at a time
    x = mine.columns["x"]
    yield 'pti["x"]', lambda: pti["x"], lambda: np.from_dlpack(x), 1


def frames(pc: Any, mine: Columns) -> Iterator[Case]:
    import pandas

    def numpy_frame() -> Any:
        """From the same tiles."""
        halves = [{name: column[part] for name, column in mine.columns.items()} for part in tiles]
        return pandas.concat([pandas.DataFrame(half, copy=True) for half in halves])

    tiles = [slice(n * COUNT // 8, (n + 1) * COUNT // 8) for n in range(8)]
    yield f"to_df, 10^6 x {REALS + 1}", pc.to_df, numpy_frame, 1
