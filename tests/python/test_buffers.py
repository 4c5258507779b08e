# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The buffer protocol under all flags, as a program and as tests: what NumPy gives for the same memory.

`python test_buffers.py` runs all cases: a wrong answer to the wrong flags ends the process.
"""

import ctypes
import pathlib
import subprocess
import sys

import amrex.space3d as amr
import numpy as np
import pytest

BITS = (0x1, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80, 0x100)  # WRITABLE, FORMAT, ND, STRIDES and what goes with them, INDIRECT
STRIDED = {0x10, 0x20, 0x40, 0x80, 0x100}  # each stands for ND and STRIDES too


class Buffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)), ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    )  # fmt: skip


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.restype, _get.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.POINTER(Buffer), ctypes.c_int]
_release = ctypes.pythonapi.PyBuffer_Release
_release.restype, _release.argtypes = None, [ctypes.POINTER(Buffer)]
_view = ctypes.pythonapi.PyMemoryView_FromBuffer
_view.restype, _view.argtypes = ctypes.py_object, [ctypes.POINTER(Buffer)]


def answer(obj, flags):
    """What the object says to these flags: a tuple, or None for a BufferError (a ValueError of NumPy's)."""
    buffer = Buffer()
    try:
        _get(obj, ctypes.byref(buffer), flags)
    except (BufferError, ValueError):
        return None
    axes = range(buffer.ndim)
    used = [i for i in axes if buffer.len and buffer.shape and buffer.shape[i] > 1]  # other strides mean nothing
    said = (
        buffer.buf if buffer.len else 0, buffer.len, buffer.itemsize, buffer.readonly, buffer.ndim, buffer.format,
        tuple(buffer.shape[i] for i in axes) if buffer.shape else None,
        tuple(buffer.strides[i] for i in used) if buffer.strides else None,
    )  # fmt: skip
    view = _view(ctypes.byref(buffer))  # reads shape and strides, as Python's own __buffer__ does
    assert view.nbytes == buffer.len and view.ndim == buffer.ndim
    del view
    _release(ctypes.byref(buffer))
    return said


def all_flags():
    for chosen in range(1 << len(BITS)):
        flags = sum(bit for n, bit in enumerate(BITS) if chosen >> n & 1)
        if flags == 0x100:  # PyBUF_READ, which Python 3.13 takes for no request of a buffer
            continue
        wide = any(flags & bit for bit in STRIDED)
        yield from {flags, flags | (0x18 if wide else 0)}


def exporters():
    """(name, object, ndarray of the same memory and strides)"""
    box = amr.Box(amr.IntVect(0), amr.IntVect(3, 2, 1))
    base = np.arange(240.0).reshape(2, 4, 5, 6)
    foreign = {
        "compact": base, "every second": base[:, ::2, ::2, ::2], "backwards": base[:, ::-1, :, ::-1],
        "turned": base.transpose(), "one axis long": base[:1, :1, :1],
        "repeated": np.broadcast_to(base[:1], (2, 4, 5, 6)), "empty": base[:0], "no cells": base[:, :, :0],
    }  # fmt: skip
    made = {name: amr.Array4_double_const(array) for name, array in foreign.items()}
    made |= {f"{name}, to write": amr.Array4_double(array) for name, array in foreign.items() if array.flags.writeable}
    made |= {
        "Array4_double()": amr.Array4_double(), "Array4_int": amr.Array4_int(np.ones((2, 3, 4), "i4")),
        "Array4_cdouble": amr.Array4_cdouble(np.ones((2, 3, 4), "c16")), "FArrayBox": amr.FArrayBox(box, 2),
        "FArrayBox()": amr.FArrayBox(), "IArrayBox": amr.IArrayBox(box, 1), "BaseFab_Real": amr.BaseFab_Real(box, 3),
        "array of a fab": amr.FArrayBox(box, 2).array(), "const_array": amr.FArrayBox(box, 2).const_array(),
    }  # fmt: skip
    for cls in (amr.Vector_Real, amr.Vector_int, amr.Vector_Long):
        made |= {cls.__name__: cls([1, 2, 3]), f"{cls.__name__}()": cls(), f"{cls.__name__} of one": cls([7])}
    for word in ("real", "int", "uint64"):
        for place in ("std", "arena", "pinned", "managed", "polymorphic"):
            cls = getattr(amr, f"PODVector_{word}_{place}")
            made |= {cls.__name__: cls.from_array([1, 2, 3]), f"{cls.__name__}()": cls()}
    for name in dir(amr):
        if name.startswith("SmallMatrix_"):
            made[name] = getattr(amr, name)()
    tile = amr.ParticleTile_2_1_3_1_default()
    tile.resize(5)
    records = tile.get_array_of_structs()
    made |= {"records": records, "field": records.field("rdata_1")}
    empty = amr.ArrayOfStructs_2_1_default()
    made |= {"records()": empty, "field()": empty.field("x")}
    return [(name, obj, np.asarray(obj)) for name, obj in made.items()]


def check_all():
    for name, obj, array in exporters():
        print(name, flush=True)
        for flags in all_flags():
            ours, theirs = answer(obj, flags), answer(array, flags)
            if ours is not None and theirs is not None and "V" in array.dtype.str:  # names of records: as both like
                ours, theirs = (*ours[:5], *ours[6:]), (*theirs[:5], *theirs[6:])
            assert ours == theirs, (name, hex(flags), ours, theirs)
        buffer_method = getattr(obj, "__buffer__", None)  # from Python 3.12 on
        if buffer_method is not None:
            assert buffer_method(0).ndim == 0 if answer(array, 0) is not None else True


def test_all_flags_give_what_numpy_gives():
    done = subprocess.run(
        [sys.executable, __file__], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stdout.splitlines()[-1:], done.stderr[-2000:])


@pytest.mark.parametrize("flags", [0, 0x1, 0x4])
def test_plain_bytes_have_no_axes(flags):
    assert answer(amr.Array4_double(np.ones((2, 3, 4))), flags)[4] == 0
    strided = amr.Array4_double(np.ones((2, 3, 8))[:, :, ::2])
    assert answer(strided, flags) is None
    with pytest.raises(BufferError, match="strides"):
        _get(strided, ctypes.byref(Buffer()), flags)


if __name__ == "__main__":
    check_all()
