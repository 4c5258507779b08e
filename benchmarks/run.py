# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The table of speeds: `python benchmarks/run.py [--peer PEER_PYTHON] [--only SUBSTR] [--quick] [--markdown]`.

Every row is a ratio to NumPy doing the same work, measured in alternation in one process. With --peer, the Python of
another environment that has pyAMReX, the peer's ratio is measured in the same way in a process of its own, and the
quotient of the two ratios is our part of the peer's time. Targets in nanoseconds are compared with the fastest round,
those of the startup with the median. A row that misses a target is marked.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

HERE = pathlib.Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """A case of cases.py and what it must not exceed: a ratio to NumPy, a part of the peer's time, nanoseconds, a ratio
    to plain loops in C, which stand for NumPy then."""

    group: str
    name: str
    numpy: float | None = None
    peer: float | None = None
    ns: float | None = None
    threads: int = 1
    loop: float | None = None


def arithmetic(threads: int) -> list[Row]:
    fused = {"saxpy": 0.4, "lin_comb": 0.35, "contains_nan": 0.4}
    names = ["set_val", "plus(scalar)", "mult(scalar)", "plus(mf)", "sum", "min", "max", "norm2", "dot", "copy_mfab"]
    limits = dict.fromkeys(names, 0.6) | fused
    return [Row("arithmetic", n, limit if threads > 1 else 1.0, threads=threads) for n, limit in limits.items()]


LARGE = {"set_val": 1.1, "copy_mfab": 1.1, "lin_comb": 1.1, "plus(scalar)": 1.1, "saxpy": 1.1, "sum": 1.1}
"""Fields beyond the caches, to loops as STREAM has them."""

PARTICLES = {
    "init_random, 10^6": 2.0,
    "tile from NumPy, 10^6 x 11": 1.5,
    'pti["x"]': 1.2,
    'exchange("numpy", particles), 8 tiles: a component': 4.0,
    "move and redistribute, 10^6": 2.0,
    "sort_particles_by_bin, 10^6": 1.2,
    "increment (deposit), 10^6": 1.2,
    "to_df, 10^6 x 12": 1.0,
}
PARALLEL = ("move and redistribute, 10^6", "sort_particles_by_bin, 10^6")

ROWS = [
    Row("exports", "arr4.__dlpack__()", 1.0),
    Row("exports", "arr4.__dlpack__(max_version=(1, 0))", 1.0),
    Row("exports", "np.from_dlpack(arr4)", 1.0),
    Row("exports", "arr4.to_numpy()", 0.5),
    Row("exports", "arr4.to_xp()", 0.6),
    Row("exports", "arr4[i, j, k]", 0.6),
    Row("exports", "torch.from_dlpack(arr4)", 1.05),
    Row("exchange_table", "C exchange table: a tensor", ns=40),
    Row("exchange_table", "C exchange table: a borrowed DLTensor", ns=8),
    Row("loops", "for mfi in mf: pass", peer=0.12),
    Row("loops", "for mfi in mf: mf.array(mfi)", peer=0.2),
    Row("loops", "for mfi in mf: mf.array(mfi).to_xp()", peer=0.1),
    Row("loops", "mf.to_xp()", peer=0.1),
    Row("indexing", "mf[i, j, k], 512 boxes", ns=2000),
    Row("indexing", "mf[...], 8 boxes", 5.0),
    Row("indexing", "mf[...], 512 boxes", 5.0),
    Row("indexing", "mf[...] = array, 512 boxes", 5.0),
    *arithmetic(1),
    *arithmetic(2),
    *(Row("large", f"{name}, 256 MB", threads=n, loop=limit) for n in (1, 2) for name, limit in LARGE.items()),
    Row("allocation", "MultiFab(ba, dm, 4, 1), 64 boxes of 32^3", 1.0, 1.0),
    Row("halo", "fill_boundary, ghosts=1", 4.0, 0.5, threads=2),
    Row("halo", "sum_boundary, ghosts=1", 5.0, 0.5, threads=2),
    Row("halo", "fill_boundary, ghosts=2", 4.0, 0.5, threads=2),
    Row("halo", "sum_boundary, ghosts=2", 5.0, 0.5, threads=2),
    Row("vectors", "PODVector.from_numpy(x), 10^6", 1.2),
    Row("vectors", "PODVector.copy_from(x), 10^6", 1.2),
    Row("vectors", "PODVector.from_array(x, copy=False)", 2.0),
    Row("vectors", "PODVector.to_numpy()", 0.6),
    Row("vectors", "np.from_dlpack(PODVector)", 1.0),
    Row("vectors", "np.asarray(PODVector)", 1.0),
    Row("vectors", "Vector_Real(x), 10^6", 1.2),
    *(Row("particles", name, limit, threads=1) for name, limit in PARTICLES.items()),
    *(Row("particles", name, 0.6 * PARTICLES[name], threads=2) for name in PARALLEL),
    Row("startup", "import amrex.space3d", ns=25e6),
    Row("startup", "initialize", ns=2e6),
]


def program(python: str, file: str, *arguments: str, threads: int = 1) -> list[dict[str, Any]]:
    """The lines of JSON that one of our programs prints under this Python."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "1"}
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)  # the peer has the same module names: it must not find ours
    done = subprocess.run([python, HERE / file, *arguments], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(f"{python} {file} {' '.join(arguments)}: {done.stderr.strip()[-500:]}", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def measure(python: str, rows: list[Row], quick: bool) -> dict[tuple[str, int], dict[str, Any]]:
    """The results of all rows: one process per group and number of threads, fresh ones for what happens once."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    extent = ["--rounds", "7", "--seconds", "1e-3"] if quick else []
    for group, threads in dict.fromkeys((row.group, row.threads) for row in rows):
        if group == "startup":
            continue
        names = [row.name for row in rows if row.group == group]
        only = ["--only", names[0]] if len(names) == 1 else []
        for line in program(python, "cases.py", group, *only, *extent, threads=threads):
            found[line.pop("name"), threads] = line
    once = [row.name for row in rows if row.group == "startup"]
    if once:
        runs = [line for _ in range(5 if quick else 21) for line in program(python, "cases.py", "startup")]
        for name in once:
            times = [line["ns"] for line in runs if line["name"] == name]
            if times:
                found[name, 1] = {"ns": statistics.median(times)}
    return found


def duration(ns: float) -> str:
    for unit, size in (("ns", 1.0), ("us", 1e3), ("ms", 1e6)):
        if ns < 1000 * size or unit == "ms":
            return f"{ns / size:.3g} {unit}"
    raise AssertionError


def line_of(row: Row, ours: dict[str, Any], peer: dict[str, Any]) -> tuple[list[str], bool]:
    """The cells of one row, and whether it meets its targets."""
    if "ns" not in ours:
        return [row.name, str(row.threads), ours.get("error", "not run"), "", "", "", "missed"], False
    ratio = ours.get("ratio")
    if ratio is not None and "ratio" in peer:
        part = ratio / peer["ratio"]
    else:  # what happens once has no ratio to NumPy
        part = ours["ns"] / peer["ns"] if "ns" in peer else None
    limits = {
        "numpy": (ratio, row.numpy),
        "loop": (ratio, row.loop),
        "peer": (part, row.peer),
        "ns": (ours.get("least_ns", ours["ns"]), row.ns),
    }
    met = all(limit is None or value is None or value <= limit for value, limit in limits.values())
    texts = {"numpy": "{:g} NumPy", "loop": "{:g} loop", "peer": "{:g} peer", "ns": "{}"}
    targets = [
        texts[key].format(duration(limit) if key == "ns" else limit)
        for key, (_, limit) in limits.items()
        if limit is not None
    ]
    spread = f"{ours['first_quartile']:.2f}-{ours['third_quartile']:.2f}" if ratio is not None else ""
    cells = [
        row.name,
        str(row.threads),
        duration(ours["least_ns"] if row.ns is not None and "least_ns" in ours else ours["ns"]),
        f"{ratio:.2f}" if ratio is not None else "",
        spread,
        f"{part:.3f}" if part is not None else "",
        ", ".join(targets) + ("" if met else " MISSED"),
    ]
    return cells, met


def show(head: list[str], lines: list[list[str]], markdown: bool) -> None:
    if markdown:
        lines = [head, ["---"] * len(head), *lines]
        print("\n".join("| " + " | ".join(line) + " |" for line in lines))
        return
    widths = [max(len(line[n]) for line in [head, *lines]) for n in range(len(head))]
    for line in [head, *lines]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def machine() -> str:
    model = platform.processor() or platform.machine()
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        model = next(
            (line.split(":")[1].strip() for line in info.read_text().splitlines() if "model name" in line), model
        )
    import numpy

    return (
        f"{model}, {len(os.sched_getaffinity(0))} cores; Python {platform.python_version()}, NumPy {numpy.__version__}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="Python of an environment with pyAMReX")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter timings")
    parser.add_argument("--markdown", action="store_true", help="tables as in README.md")
    options = parser.parse_args()

    rows = [row for row in ROWS if options.only in row.name]
    ours = measure(sys.executable, rows, options.quick)
    peer = measure(options.peer, rows, options.quick) if options.peer else {}
    lines = [line_of(row, ours.get((row.name, row.threads), {}), peer.get((row.name, row.threads), {})) for row in rows]
    print(machine())
    print()
    head = ["what", "threads", "time", "/ NumPy", "quartiles", "/ peer", "target, at most"]
    show(head, [cells for cells, _ in lines], options.markdown)
    print(f"\n{sum(met for _, met in lines)} of {len(lines)} targets met")
    if not options.only:
        print()
        grown = [
            [
                str(r["boxes"]),
                duration(r["loop"]),
                duration(r["region"]),
                duration(r["fill_boundary"]),
                f"{r['metadata']:.0f}",
                f"{r['plan']:.0f}",
            ]
            for r in program(sys.executable, "growth.py")
        ]
        head = [
            "boxes",
            "loop, array(mfi): per box",
            "mf[1:7, 1:7, 1:7]",
            "fill_boundary: per box",
            "metadata, bytes per box",
            "plan of fill_boundary, bytes per box",
        ]
        show(head, grown, options.markdown)


if __name__ == "__main__":
    main()
