# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""``python -m amrex demo``: the heat equation on a MultiFab whose blocks every array library uses in place."""

import argparse
import importlib
import pathlib
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

# How a library takes a block in, where its first element lies, and how it writes 'value' to element [0, 0, 0, 0] of the
# C order (None: its arrays cannot be written, so that the block is written and the array read).
Partner = tuple[str, str, Callable[[Any], Any], Callable[[Any], int], Callable[[Any, float], None] | None]


def partners() -> Iterator[Partner]:
    """Every array library that is installed, by the entry that it documents."""

    def write(array: Any, value: float) -> None:
        array[0, 0, 0, 0] = value

    def found(name: str) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError:
            return None

    def address(array: Any) -> int:
        return int(array.ctypes.data)

    yield "numpy", "np.from_dlpack(block)", np.from_dlpack, address, write
    yield "numpy", "np.asarray(block)", np.asarray, address, write
    yield "numpy", "block.to_numpy()", lambda block: block.to_numpy().transpose(), address, write
    yield "python", "memoryview(block)", lambda block: np.asarray(memoryview(block)), address, write
    if torch := found("torch"):
        yield "torch", "torch.from_dlpack(block)", torch.from_dlpack, lambda array: int(array.data_ptr()), write
    if jax := found("jax"):
        jax.config.update("jax_enable_x64", True)
        from_dlpack = importlib.import_module("jax.numpy").from_dlpack
        yield "jax", "jnp.from_dlpack(block)", from_dlpack, lambda array: int(array.unsafe_buffer_pointer()), None
    if numba := found("numba"):
        compiled = numba.njit(write)
        yield "numba", "njit(f)(np.from_dlpack(block))", np.from_dlpack, address, compiled
    if strict := found("array_api_strict"):
        yield "array_api_strict", "xp.from_dlpack(block)", strict.from_dlpack, lambda a: address(a._array), write
    if tvm_ffi := found("tvm_ffi"):
        yield "tvm_ffi", "tvm_ffi.from_dlpack(block)", tvm_ffi.from_dlpack, lambda a: int(a.data_ptr()), None


def share(block: Any) -> list[tuple[str, ...]]:
    """Hand one block to every library: the rows of the table."""
    here = block.to_numpy(order="C")
    rows: list[tuple[str, ...]] = []
    for name, call, take, address, write in partners():
        array = take(block)
        same = address(array) == here.ctypes.data
        before, value = float(here[0, 0, 0, 0]), 0.5 + len(rows)
        if write is not None:
            write(array, value)
            seen = float(here[0, 0, 0, 0]) == value
        else:
            here[0, 0, 0, 0] = value
            seen = float(np.from_dlpack(array)[0, 0, 0, 0]) == value
        here[0, 0, 0, 0] = before
        started = time.perf_counter_ns()
        for _ in range(200):
            take(block)
        each = (time.perf_counter_ns() - started) / 200e3
        rows.append((name, call, "same memory" if same else "COPIED", "seen" if seen else "NOT SEEN", f"{each:.2f} us"))
        del array
    for name in ("cupy", "dpnp"):
        try:
            getattr(block, f"to_{name}")(copy=True)
            rows.append((name, f"block.to_{name}(copy=True)", "staged copy", "-", "-"))
        except ImportError:
            rows.append((name, f"block.to_{name}()", "not installed", "-", "-"))
    return rows


def share_on_device(block: Any, xp: Any) -> list[tuple[str, ...]]:
    """The same for a block in memory of a device: the ways of its array library, and the copy that NumPy can have."""

    def first() -> float:
        return float(block.to_numpy(copy=True, order="C")[0, 0, 0, 0])

    name = xp.__name__
    ways: list[tuple[str, str, Callable[[], Any]]] = [
        (name, f"{name}.from_dlpack(block)", lambda: xp.from_dlpack(block)),
        (name, "block.to_xp()", lambda: block.to_xp(order="C")),
        ("numpy", 'np.from_dlpack(block, device="cpu")', lambda: np.from_dlpack(block, device="cpu")),
    ]
    rows: list[tuple[str, ...]] = []
    for library, call, take in ways:
        array, before = take(), first()
        array[0, 0, 0, 0] = before + 1
        seen = first() == before + 1
        array[0, 0, 0, 0] = before
        started = time.perf_counter_ns()
        for _ in range(50):
            take()
        each = f"{(time.perf_counter_ns() - started) / 50e3:.0f} us"
        if library == "numpy":
            rows.append((library, call, "a copy, finished", "-" if not seen else "SEEN", each))
        else:
            rows.append((library, call, "same memory" if seen else "COPIED", "seen" if seen else "NOT SEEN", each))
        del array
    return rows


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def laplacian(field: Any, dim: int) -> Any:
    """Sum over the axes of the second differences, for the cells inside one ghost layer; axes are (i, j, k, n)."""
    inside = tuple(slice(1, -1) if axis < dim else slice(None) for axis in range(4))
    total = -2.0 * dim * field[inside]
    for axis in range(dim):
        for side in (slice(0, -2), slice(2, None)):
            neighbours = (*inside[:axis], side, *inside[axis + 1 :])
            total = total + field[neighbours]
    return total


def start(x: list[Any], xp: Any) -> Any:
    """The initial temperature: 1 and a bump off the centre."""
    return 1.0 + xp.exp(-sum((axis - 0.25 - 0.1 * n) ** 2 for n, axis in enumerate(x)) / 0.01)


def whole(amr: Any, field: Any, size: int, dim: int) -> NDArray[np.float64]:
    """All valid cells in one NumPy array, axes (i, j, k)."""
    result = np.empty([size if axis < dim else 1 for axis in range(3)])
    for mfi in field:
        low, block = mfi.validbox().small_end, field.array(mfi).to_numpy(copy=True)
        inner = block[tuple(slice(1, -1) if axis < dim else slice(None) for axis in range(3))][..., 0]
        where = tuple(slice(low[a], low[a] + inner.shape[a]) if a < dim else slice(None) for a in range(3))
        result[where] = inner
    return result


def reference(size: int, dim: int, steps: int, r: float) -> NDArray[np.float64]:
    """The same equation on one plain NumPy array with periodic rolls."""
    ranges = [(np.arange(size) + 0.5) / size if axis < dim else np.zeros(1) for axis in range(3)]
    grid = np.meshgrid(*ranges, indexing="ij")[:dim]
    field: NDArray[np.float64] = start(list(grid), np)
    for _ in range(steps):
        total = -2.0 * dim * field
        for axis in range(dim):
            for way in (1, -1):
                total = total + np.roll(field, way, axis)
        field = field + r * total
    return field


def write_png(path: pathlib.Path, image: NDArray[np.float64]) -> None:
    """A grey picture, by hand: for where matplotlib is not installed."""
    spread = float(np.ptp(image)) or 1.0
    grey = np.kron((255 * (image - image.min()) / spread).astype(np.uint8), np.ones((8, 8), np.uint8))
    body = b"".join(b"\0" + row.tobytes() for row in grey)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", grey.shape[1], grey.shape[0], 8, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")
    )


def draw(path: pathlib.Path, field: NDArray[np.float64], dim: int, title: str) -> str:
    """The temperature, cut through its hottest cell; returns what drew it."""
    hot = np.unravel_index(int(field.argmax()), field.shape)
    cut = field[:, :, hot[2]]
    try:
        figure = importlib.import_module("matplotlib.figure").Figure(figsize=(6, 5))
    except ImportError:
        write_png(path, np.flipud(cut.T) if dim > 1 else np.repeat(cut.T, 16, axis=0))
        return "zlib"
    axes = figure.add_subplot()
    if dim == 1:
        axes.plot((np.arange(len(cut)) + 0.5) / len(cut), cut[:, 0])
        axes.set(xlabel="x", ylabel="temperature", title=title)
    else:
        image = axes.imshow(cut.T, origin="lower", extent=(0, 1, 0, 1), cmap="inferno")
        figure.colorbar(image, label="temperature")
        axes.set(xlabel="x", ylabel="y", title=title)
    figure.savefig(path, dpi=110)
    return "matplotlib"


def solve(amr: Any, size: int, dim: int, max_grid_size: int, steps: int, r: float) -> tuple[Any, Any, float]:
    """Explicit steps: fill the ghosts, then each block in place by amr.xp. Returns field, geometry and seconds."""
    xp = amr.xp
    domain = amr.Box(amr.IntVect(*amr.d_decl(0, 0, 0)), amr.IntVect(*amr.d_decl(size - 1, size - 1, size - 1)))
    boxes = amr.BoxArray(domain)
    boxes.max_size(max_grid_size)
    mapping = amr.DistributionMapping(boxes)
    geometry = amr.Geometry(domain, amr.RealBox([0.0] * dim, [1.0] * dim), 0, [1] * dim)
    field = amr.MultiFab(boxes, mapping, 1, 1)
    for mfi in field:
        low, block = mfi.fabbox().small_end, field.array(mfi).to_xp()
        centres = [(xp.arange(block.shape[axis]) + low[axis] + 0.5) / size for axis in range(dim)]
        shaped = [c.reshape([-1 if axis == n else 1 for axis in range(4)]) for n, c in enumerate(centres)]
        block[...] = start(shaped, xp)
    inside = tuple(slice(1, -1) if axis < dim else slice(None) for axis in range(4))
    began = time.perf_counter()
    for _ in range(steps):
        field.fill_boundary(geometry.periodicity())
        for mfi in field:
            block = field.array(mfi).to_xp()
            block[inside] += r * laplacian(block, dim)
    return field, geometry, time.perf_counter() - began


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m amrex demo", description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--dim", type=int, choices=(1, 2, 3), default=3, help="dimensions")
    parser.add_argument("--size", type=int, default=32, help="cells in each direction")
    parser.add_argument("--max-grid-size", type=int, default=16, help="longest side of a block")
    parser.add_argument("--steps", type=int, default=100, help="time steps")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("demo-output"), help="folder for results")
    given = parser.parse_args(arguments)
    if min(given.size, given.max_grid_size) < 1 or given.steps < 0:
        parser.error("--size and --max-grid-size must be at least 1, --steps at least 0")

    amr = importlib.import_module(f"amrex.space{given.dim}d")
    amr.initialize([])
    dim, r = given.dim, 0.9 / (2 * given.dim)
    field, geometry, seconds = solve(amr, given.size, dim, given.max_grid_size, given.steps, r)
    values, expected = whole(amr, field, given.size, dim), reference(given.size, dim, given.steps, r)
    error = float(np.abs(values - expected).max())
    size = " x ".join([str(given.size)] * dim)
    where = amr.Config.gpu_backend or "the host"
    blocks = len(field.box_array())
    print(f"Heat equation on {where}, {size} cells in {blocks} blocks, {given.steps} steps: {seconds:.2f} s")
    print(f"  temperature {values.min():.6f} to {values.max():.6f}, sum {values.sum():.6f}")
    print(f"  largest difference to the same steps on one NumPy array: {error:.1e}")

    print("\nOne block, handed to every array library found (a write through one is seen by all):\n")
    mfi = next(iter(field))
    block = field.array(mfi)
    rows = share_on_device(block, amr.xp) if amr.Config.have_gpu else share(block)
    del block
    print(table(("library", "by", "memory", "write", "each"), rows))
    shared = all({"COPIED", "NOT SEEN", "SEEN"}.isdisjoint(row) for row in rows)

    given.output.mkdir(parents=True, exist_ok=True)
    time_reached = given.steps * r / given.size**2
    plotfile = given.output / "plt_demo"
    amr.write_single_level_plotfile(
        str(plotfile), field, amr.Vector_string(["temperature"]), geometry, time_reached, given.steps
    )
    picture = given.output / "temperature.png"
    drawn_by = draw(picture, values, dim, f"t = {time_reached:.4f}")
    print(f"\nplotfile: {plotfile}\npicture:  {picture} (by {drawn_by})")
    del field, mfi
    amr.finalize()
    right = shared and error < 1e-12
    print("\nEverything agrees." if right else "\nSomething is wrong: see above.")
    return 0 if right else 1
