# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Time and metadata per box, from 8 to 32768 boxes. Prints one line of JSON per number of boxes.

Boxes are small, 4^3 cells and one ghost cell, so that bookkeeping weighs more than memory: a layout is a cube.
"""

import ctypes
import json
import statistics
from typing import Any

import amrex.space3d as amr
from measure import calls_for, time_of

BOX = 4


class MallocInfo(ctypes.Structure):
    """struct mallinfo2 of the C library."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in _names]


def allocated_bytes() -> int:
    """Bytes that malloc has handed out."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MallocInfo
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def new_multifab(per_side: int) -> Any:
    cells = per_side * BOX
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(cells - 1, cells - 1, cells - 1)))
    boxes.max_size(BOX)
    mf = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 1)
    mf.set_val(1.0)
    return mf


def walk(mf: Any) -> None:
    for mfi in mf:
        mf.array(mfi)


def nanoseconds(work: Any) -> float:
    work()  # plans are made once
    calls = calls_for(work, 5e-3)
    return statistics.median(time_of(work, calls) for _ in range(9)) * 1e9


def row_of(per_side: int) -> dict[str, float]:
    count = per_side**3
    before = allocated_bytes()
    mf = new_multifab(per_side)
    made = allocated_bytes()
    row = {"boxes": count, "metadata": (made - before) / count - (BOX + 2) ** 3 * 8}
    periodic = amr.Periodicity(amr.IntVect(*[per_side * BOX] * 3))
    mf.fill_boundary(periodic)
    row["plan"] = (allocated_bytes() - made) / count
    row["loop"] = nanoseconds(lambda: walk(mf)) / count
    row["region"] = nanoseconds(lambda: mf[1:7, 1:7, 1:7])
    row["fill_boundary"] = nanoseconds(lambda: mf.fill_boundary(periodic)) / count
    return row


def main() -> None:
    amr.initialize(["amrex.verbose=0"])
    row_of(2)  # what is allocated once, such as threads, belongs to no row
    for per_side in (2, 4, 8, 16, 32):
        print(json.dumps(row_of(per_side)), flush=True)


if __name__ == "__main__":
    main()
