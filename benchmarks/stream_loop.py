# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""stream_loop.c, compiled when it is first needed and called through ctypes."""

import ctypes
import os
import pathlib
import subprocess
import tempfile

import numpy as np


class StreamLoops:
    """Loops over three arrays x, y, z of so many doubles, on some threads.

    StreamLoops(1 << 25, 2).fill(1.0)
    """

    def __init__(self, count: int, threads: int) -> None:
        source = pathlib.Path(__file__).with_name("stream_loop.c")
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "stream_loop.so")
            command = [os.environ.get("CC", "cc"), "-std=c11", "-O3", "-march=native", "-ffast-math", "-pthread"]
            subprocess.run([*command, "-shared", "-fPIC", source, "-o", library], check=True)
            self._library = ctypes.CDLL(library)
        self._library.sum.restype = ctypes.c_double
        self._memory = np.ones(3 * (count + 64))  # begins nowhere in particular
        first = (64 - self._memory.ctypes.data % 64) % 64
        self._x, self._y, self._z = (
            ctypes.c_void_p(self._memory.ctypes.data + first + 8 * n * (count + 8)) for n in range(3)
        )
        self._count, self._threads = ctypes.c_size_t(count), ctypes.c_int(threads)

    def fill(self, a: float) -> None:
        self._library.fill(self._z, self._count, ctypes.c_double(a), self._threads)

    def copy(self) -> None:
        self._library.copy(self._z, self._x, self._count, self._threads)

    def lin_comb(self, a: float, b: float) -> None:
        a_, b_ = ctypes.c_double(a), ctypes.c_double(b)
        self._library.lin_comb(self._z, a_, self._x, b_, self._y, self._count, self._threads)

    def plus(self, a: float) -> None:
        self._library.plus(self._z, self._count, ctypes.c_double(a), self._threads)

    def saxpy(self, a: float) -> None:
        self._library.saxpy(self._z, ctypes.c_double(a), self._x, self._count, self._threads)

    def sum(self) -> float:
        return float(self._library.sum(self._x, self._count, self._threads))
