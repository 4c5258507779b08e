# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""exchange_loop.c, compiled when it is first needed and called through ctypes."""

import ctypes
import os
import pathlib
import subprocess
import tempfile
from typing import Any


class ExchangeLoop:
    """Loops over the C exchange table of a class.

    ExchangeLoop(type(arr4)).managed(arr4, 1000)  # exports and releases 1000 tensors
    """

    def __init__(self, cls: type) -> None:
        source = pathlib.Path(__file__).with_name("exchange_loop.c")
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "exchange_loop.so")
            subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
            self._library = ctypes.PyDLL(library)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        self._table = pointer(cls.__dlpack_c_exchange_api__, b"dlpack_exchange_api")  # type: ignore[attr-defined]
        for function in (self._library.managed, self._library.borrowed):
            function.restype = ctypes.c_long
            function.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_long]

    def managed(self, exporter: Any, repeats: int) -> int:
        """Take and release a tensor of its own, `repeats` times."""
        return self._library.managed(self._table, exporter, repeats)

    def borrowed(self, exporter: Any, repeats: int) -> int:
        """Borrow the tensor that the object keeps, `repeats` times."""
        return self._library.borrowed(self._table, exporter, repeats)
