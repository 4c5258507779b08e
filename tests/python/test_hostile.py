# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""A hostile producer and a hostile consumer, in C: right values or a clean exception, each deleter once, no crash."""

import ctypes
import gc
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import weakref

import amrex.space3d as amr
import numpy as np
import pytest
from amrex import _core
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from said import of_ours

pytestmark = pytest.mark.partners  # the header of DLPack comes with apache-tvm-ffi
SOURCE = pathlib.Path(__file__).parents[1] / "native" / "hostile.c"
CLEAN = (BufferError, TypeError, ValueError)
I64 = ctypes.c_int64
MAX = 2**63 - 1


class Spec(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(I64)), ("strides", ctypes.POINTER(I64)), ("byte_offset", ctypes.c_uint64),
        ("flags", ctypes.c_uint64), ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
        ("versioned", ctypes.c_int32), ("has_deleter", ctypes.c_int32),
    )  # fmt: skip


def include_of_dlpack():
    tool = shutil.which("tvm-ffi-config", path=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    if tool is None:
        pytest.skip("the header of DLPack is not here: pip install apache-tvm-ffi")
    return subprocess.run([tool, "--dlpack-includedir"], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Path of the compiled tests/native/hostile.c."""
    path = tmp_path_factory.mktemp("native") / "hostile.so"
    command = ["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread"]
    subprocess.run([*command, "-isystem", include_of_dlpack(), str(SOURCE), "-o", str(path)], check=True)
    return path


class Hostile:
    """The functions of the library: `free` without the GIL, `held` with it."""

    def __init__(self, path):
        self.free, self.held = ctypes.CDLL(str(path)), ctypes.PyDLL(str(path))
        for both in (self.free, self.held):
            both.hostile_make.restype = ctypes.c_void_p
            both.hostile_make.argtypes = (ctypes.POINTER(Spec), ctypes.POINTER(ctypes.c_int))
            both.hostile_delete.argtypes = (ctypes.c_void_p, ctypes.c_int)
            both.hostile_delete.restype = None
            both.hostile_sum_managed.argtypes, both.hostile_sum_managed.restype = (ctypes.c_void_p,), ctypes.c_double
            both.hostile_take.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
            both.hostile_borrow.argtypes = (
                ctypes.c_void_p, ctypes.py_object, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(I64),
            )  # fmt: skip
            both.hostile_give.argtypes, both.hostile_give.restype = (ctypes.c_void_p, ctypes.c_void_p), ctypes.py_object
            both.hostile_allocate.argtypes = (ctypes.c_void_p, ctypes.POINTER(Spec), ctypes.c_char_p)
        self.api = _pointer_of(amr.FArrayBox.__dlpack_c_exchange_api__, b"dlpack_exchange_api")

    def delete_on_threads(self, pointers, versioned, threads=8):
        array = (ctypes.c_void_p * len(pointers))(*pointers)
        assert self.free.hostile_delete_on_threads(array, len(pointers), versioned, threads) == 0


@pytest.fixture(scope="session")
def hostile(library):
    return Hostile(library)


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAMES = {kind: (b"dltensor" + kind, b"used_dltensor" + kind) for kind in (b"", b"_versioned")}


reasons: list[str] = []


@pytest.fixture(autouse=True)
def nothing_left():
    """Each test ends without live exports, and each refusal had a reason."""
    reasons.clear()
    amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])
    yield
    if _core.live_exports():
        gc.collect()
    assert _core.live_exports() == []
    assert all(reasons)
    amr.finalize()


# ---------------------------------------------------------------- producer


class Producer:
    """An object whose __dlpack__ gives what it is told; `count` is how often deleters ran, `made` how many tensors."""

    def __init__(self, hostile, memory=None, *, shape=(), strides=None, device=(1, 0), name=None, **values):
        self.hostile, self.memory, self.device, self.name = hostile, memory, device, name
        self.values = {
            "data": memory.ctypes.data if memory is not None else None, "device_type": 1, "code": 2, "bits": 64,
            "lanes": 1, "major": 1, "versioned": 1, "has_deleter": 1, "ndim": len(shape or ()), **values,
        }  # fmt: skip
        # 128 numbers always, whatever ndim says
        self.shape = (I64 * 128)(*shape) if shape is not None else None
        self.strides = (I64 * 128)(*strides) if strides is not None else None
        self.count, self.capsules = ctypes.c_int(0), []

    def spec(self):
        spec = Spec(**self.values)
        if self.shape is not None:
            spec.shape = self.shape
        if self.strides is not None:
            spec.strides = self.strides
        return spec

    def tensor(self):
        return self.hostile.held.hostile_make(ctypes.byref(self.spec()), ctypes.byref(self.count))

    def __dlpack__(self, **_):
        name = self.name
        if name is None:
            name = NAMES[b"_versioned" if self.values["versioned"] else b""][0]
        self.capsules.append(_capsule(self.tensor(), name, None))
        return self.capsules[-1]

    def __dlpack_device__(self):
        return self.device

    def consumed(self):
        return sum(_name_of(c).startswith(b"used_") for c in self.capsules)

    def check(self):
        """After all views have gone: one call for each capsule that was taken."""
        if self.values["has_deleter"] and self.count.value != self.consumed():
            gc.collect()  # slow
        assert self.count.value == (self.consumed() if self.values["has_deleter"] else 0)
        for capsule in self.capsules:
            if self.values["has_deleter"] and not _name_of(capsule).startswith(b"used_"):
                self.hostile.held.hostile_delete(_pointer_of(capsule, _name_of(capsule)), self.values["versioned"])


def field():
    ba = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(1, 2, 3)))
    mf = amr.MultiFab(ba, amr.DistributionMapping(ba), 5, 0)
    mf.set_val(7.0)
    return mf


def into_vector(x):
    v = amr.PODVector_real_std.from_array([7.0] * 120)
    try:
        v.copy_from(x)
    except Exception:
        assert (v.to_numpy() == 7).all()
        raise
    return v


def into_field(x):
    mf = field()
    try:
        mf[...] = x
    except Exception:
        assert all((mf.array(mfi).to_numpy() == 7).all() for mfi in mf)
        raise
    return mf.array(next(iter(mf)))


def from_arrays(x, **keywords):
    ba = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(4, 3, 2)))
    mf = amr.MultiFab.from_arrays(ba, amr.DistributionMapping(ba), [x], 2, 0, **keywords)
    return mf.array(next(iter(mf)))


BOX = ((0, 0, 0), (4, 3, 2))
IMPORTERS = {
    "Array4_double": lambda x: amr.Array4_double(x),
    "Array4_double_const": lambda x: amr.Array4_double_const(x),
    "Array4_float": lambda x: amr.Array4_float(x),
    "Array4_ulong_const": lambda x: amr.Array4_ulong_const(x),
    "from_array": lambda x: amr.PODVector_real_std.from_array(x),
    "from_array copy": lambda x: amr.PODVector_real_std.from_array(x, copy=True),
    "from_array no copy": lambda x: amr.PODVector_real_std.from_array(x, copy=False),
    "int from_array no copy": lambda x: amr.PODVector_int_std.from_array(x, copy=False),
    "copy_from": into_vector,
    "FArrayBox(Array4)": lambda x: amr.FArrayBox(amr.Array4_double(x)),
    "FArrayBox(box, x)": lambda x: amr.FArrayBox(amr.Box(*map(amr.IntVect3D, BOX)), x),
    "from_arrays": from_arrays,
    "from_arrays copy": lambda x: from_arrays(x, copy=True),
    "SmallMatrix": lambda x: amr.SmallMatrix_6x6_F_SI1_double(x),
    "Vector_Real": lambda x: amr.Vector_Real(x),
    "mf[...]": into_field,
}


def read_all(obj):
    """Every element, through our own element access and through NumPy."""
    array = np.asarray(obj)
    assert array.size <= 10000
    array.sum()
    repr(obj)
    return array


def take(importer, producer):
    """The elements, or the clean exception."""
    try:
        obj = IMPORTERS[importer](producer)
    except CLEAN as error:
        reasons.append(str(error))
        return error
    array = read_all(obj).copy()
    del obj
    return array


GOOD = np.arange(1.0, 121.0)  # never written to: importers only read
SHAPES = {1: (120,), 2: (12, 10), 3: (3, 4, 5), 4: (2, 3, 4, 5)}


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("versioned", [0, 1])
def test_good_tensors_and_their_deleters(hostile, importer, versioned):
    worked = 0
    for axes, shape in SHAPES.items():
        for strides in (None, np.cumprod((1, *shape[:0:-1]))[::-1]):
            for has_deleter in (1, 0):
                producer = Producer(
                    hostile, GOOD, shape=shape, strides=strides, versioned=versioned, has_deleter=has_deleter
                )
                got = take(importer, producer)
                if not isinstance(got, Exception):
                    worked += 1
                    given = {*GOOD[: np.prod(shape)]}
                    assert given <= {*got.ravel()} <= given | {7.0}, axes
                producer.check()
    refusing = ("Array4_float", "Array4_ulong_const", "int from_array no copy", "SmallMatrix")
    assert bool(worked) == (importer not in refusing)


# each: keywords of Producer; none of them describes memory
ABSURD = {
    "negative": {"shape": (-1,)}, "negative of four": {"shape": (2, 3, -4, 5)},
    "smallest": {"shape": (-(2**63),) * 4}, "2^62": {"shape": (2**62,)}, "2^62 four times": {"shape": (2**62,) * 4},
    "product overflows to 0": {"shape": (2**32, 2**32)}, "product overflows to small": {"shape": (2**62 + 1, 4, 1, 1)},
    "zero beside overflow": {"shape": (2**62, 2**62, 2**62, 0)}, "zero first": {"shape": (0, 2**62, 2**62, 2**62)},
    "strides overflow": {"shape": (2, 2, 2, 2), "strides": (MAX,) * 4},
    "strides overflow to 0": {"shape": (2**62,), "strides": (2**62,)},
    "strides overflow in 128 bits": {"shape": (2**62, 1, 1, 1), "strides": (2**62, 1, 1, 1)},
    "largest stride": {"shape": (2**62, 2, 1, 1), "strides": (MAX, MAX, 1, 1)},
    "smallest stride": {"shape": (2, 2, 1, 1), "strides": (-(2**63), 1, 1, 1)},
    "below zero": {"shape": (2, 2, 2, 2**20), "strides": (1, 1, 1, -(2**40))},
    "beyond memory": {"shape": (2, 2, 2, 2), "strides": (2**59, 1, 1, 1)},
    "no shape": {"shape": None, "ndim": 4}, "no data": {"shape": (120,), "data": None},
    "no data but offset": {"shape": (120,), "data": None, "byte_offset": 64},
    "offset": {"shape": (3, 4, 5), "byte_offset": 2**64 - 8}, "offset 2^63": {"shape": (3, 4, 5), "byte_offset": 2**63},
    "unaligned": {"shape": (100,), "byte_offset": 4}, "unaligned by 1": {"shape": (2, 3, 4, 4), "byte_offset": 1},
    "9 axes": {"shape": (1,) * 9}, "100 axes": {"shape": (1,) * 100}, "2^31-1 axes": {"shape": (), "ndim": 2**31 - 1},
    "-1 axes": {"shape": (), "ndim": -1}, "-2^31 axes": {"shape": (), "ndim": -(2**31)},
    "lanes 0": {"shape": (120,), "lanes": 0}, "lanes 2": {"shape": (60,), "lanes": 2},
    "lanes 65535": {"shape": (3, 4, 5), "lanes": 65535}, "4 bits": {"shape": (120,), "code": 0, "bits": 4},
    "1 bit": {"shape": (120,), "code": 6, "bits": 1}, "0 bits": {"shape": (120,), "bits": 0},
    "255 bits": {"shape": (3,), "bits": 255}, "code 255": {"shape": (120,), "code": 255},
    "opaque": {"shape": (120,), "code": 3}, "float8": {"shape": (120,), "code": 10, "bits": 8},
    "major 2": {"shape": (120,), "major": 2}, "major 0": {"shape": (120,), "major": 0},
    "major 2^32-1": {"shape": (120,), "major": 2**32 - 1}, "cuda": {"shape": (120,), "device_type": 2},
    "vulkan": {"shape": (2, 3, 4, 5), "device_type": 7}, "device -1": {"shape": (120,), "device_type": -1},
    "cuda that says cpu": {"shape": (120,), "device_type": 2, "device": (1, 0)},
}  # fmt: skip
VERSIONS_ONLY = {name for name in ABSURD if name.startswith("major")}


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("case", ABSURD)
def test_absurd_tensors_are_refused(hostile, case, importer):
    for versioned in (1, 0):
        if case in VERSIONS_ONLY and not versioned:
            continue
        for has_deleter in (1, 0):
            producer = Producer(hostile, GOOD, versioned=versioned, has_deleter=has_deleter, **ABSURD[case])
            got = take(importer, producer)
            assert isinstance(got, Exception), got
            producer.check()


LIMITS = [s * 2**p + d for p in (31, 32, 61, 62, 63) for d in (-1, 0, 1) for s in (-1, 1)]
NUMBERS = st.one_of(st.integers(-2, 6), st.sampled_from([n for n in LIMITS if -(2**63) <= n <= MAX]))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.data())
def test_any_tensor_is_read_right_or_refused(hostile, data):
    axes = data.draw(st.integers(0, 5))
    numbers = st.lists(NUMBERS, min_size=axes, max_size=axes)
    shape, strides = data.draw(numbers), data.draw(st.one_of(st.none(), numbers))
    offset = data.draw(st.sampled_from((0, 8, 4, 2**63)))
    memory = np.arange(10000.0)
    middle = memory[5000:]
    safe = 0 not in shape and all(0 < n < 8 for n in shape) and all(-8 < n < 8 for n in strides or ())
    empty = 0 in shape
    producer = Producer(
        hostile, middle, shape=shape, strides=strides, byte_offset=offset, versioned=data.draw(st.integers(0, 1)),
        flags=data.draw(st.integers(0, 7)),
    )  # fmt: skip
    # not all that cannot be safe can be refused: memory of 2^40 bytes might be there
    reach = [(n - 1) * s for n, s in zip(shape, strides or [1] * axes, strict=True)]
    absurd = (
        any(n < 0 for n in shape) or (not empty and any(abs(r) > 2**60 for r in reach)) or max(shape, default=0) > 2**60
    )
    if not (safe or empty or absurd):
        return
    for importer in IMPORTERS:
        got = take(importer, producer)
        if absurd:
            assert isinstance(got, Exception)
        elif not isinstance(got, Exception) and safe:
            assert ((got >= 4900) & (got < 10000) | (got == 7)).all()
    producer.check()


def test_read_only_flag_is_respected(hostile):
    for shape, cls in (((2, 3, 4, 5), amr.Array4_double), ((3, 4, 5), amr.Array4_double)):
        producer = Producer(hostile, GOOD, shape=shape, flags=1)
        with pytest.raises(BufferError, match="read-only"):
            cls(producer)
        view = amr.Array4_double_const(producer)
        assert not np.asarray(view).flags.writeable
        del view
        producer.check()
    producer = Producer(hostile, GOOD, shape=(120,), flags=1)
    with pytest.raises(BufferError, match="copy=True"):
        amr.PODVector_real_std.from_array(producer, copy=False)
    vector = amr.PODVector_real_std.from_array(producer)
    vector[0] = 50.0
    assert GOOD[0] == 1.0
    producer.check()


class Answer:
    """A producer of Python, with an answer to each question."""

    def __init__(self, dlpack, device=(1, 0)):
        self.dlpack, self.device = dlpack, device

    def __dlpack__(self, **_):
        if isinstance(self.dlpack, BaseException):
            raise self.dlpack
        return self.dlpack

    def __dlpack_device__(self):
        if isinstance(self.device, BaseException):
            raise self.device
        return self.device


class Own(Exception):
    pass


@pytest.mark.parametrize("importer", IMPORTERS)
def test_producers_that_raise_or_return_nonsense(hostile, importer):
    for error in (Own("no"), BufferError("no"), TypeError("no"), KeyboardInterrupt(), MemoryError("no")):
        for producer in (Answer(error), Answer(None, error)):
            with pytest.raises((type(error), *CLEAN)):
                IMPORTERS[importer](producer)
    for nonsense in (None, 3, "capsule", object(), (1, 2), GOOD):
        assert isinstance(take(importer, Answer(nonsense)), Exception)
    for name in (b"tensor", b"used_dltensor", b"used_dltensor_versioned", b"DLTENSOR", b"", b"dltensor_versioned2"):
        producer = Producer(hostile, GOOD, shape=(120,), name=name)
        assert isinstance(take(importer, producer), Exception)
        assert producer.count.value == 0
    unnamed = _capsule(GOOD.ctypes.data, None, None)
    assert isinstance(take(importer, Answer(unnamed)), Exception)
    for lie in (None, 3, (2, 0), (1,), ("cpu", 0), object()):
        producer = Producer(hostile, GOOD, shape=SHAPES[4], device=lie)
        take(importer, producer)
        producer.check()


@pytest.mark.parametrize("importer", IMPORTERS)
def test_a_capsule_is_taken_once(hostile, importer):
    for shape in SHAPES.values():
        producer = Producer(hostile, GOOD, shape=shape)
        same = Answer(producer.__dlpack__(max_version=(1, 0)))
        first = take(importer, same)
        second = take(importer, same)
        # NumPy, where it does the import, leaves a capsule that it refuses as it is
        assert isinstance(second, Exception) or isinstance(first, Exception)
        producer.check()


class Liar:
    def __init__(self, **interface):
        self.__array_interface__ = interface


@pytest.mark.parametrize("importer", IMPORTERS)
def test_array_interfaces_that_lie(importer):
    memory = bytearray(GOOD.tobytes())
    good = {"shape": (120,), "typestr": "<f8", "data": memory, "version": 3}
    lies = [
        {"shape": None}, {"shape": 120}, {"shape": ("a",)}, {"shape": (-1,)}, {"shape": (121,)}, {"shape": (2**62,)},
        {"shape": (2**62, 2**62)}, {"typestr": "|O8"}, {"typestr": "nonsense"}, {"typestr": 8}, {"typestr": "<f3"},
        {"strides": (16,)}, {"strides": (-8,)}, {"strides": (MAX,)}, {"strides": ("x",)}, {"strides": (8, 8)},
        {"data": 3}, {"data": ("x", False)}, {"data": object()}, {"data": b"short"}, {"offset": 900},
        {"offset": -8}, {"offset": MAX}, {"offset": 2**70}, {"offset": "8"}, {"offset": 952, "strides": (-16,)},
    ]  # fmt: skip
    for lie in lies:
        try:
            got = read_all(IMPORTERS[importer](Liar(**{**good, **lie})))
        except (*CLEAN, OverflowError, AttributeError) as error:  # NumPy's own, of many kinds
            reasons.append(str(error))
            continue
        assert np.isin(got, [*GOOD, 7]).all()
    backwards = Liar(**{**good, "offset": 952, "strides": (-8,)})
    assert sorted(amr.PODVector_real_std.from_array(backwards)) == list(GOOD)
    read_only = Liar(**{**good, "data": bytes(memory)})
    try:
        obj = IMPORTERS[importer](read_only)
    except CLEAN:
        pass
    else:
        read_all(obj)
        assert bytes(memory) == GOOD.tobytes()


def test_a_buffer_behind_an_array_interface_cannot_be_resized():
    memory = bytearray(GOOD.tobytes())
    view = amr.Array4_double(Liar(shape=(2, 3, 4, 5), typestr="<f8", data=memory, version=3))
    with pytest.raises(BufferError):
        memory.extend(bytes(2**20))
    assert (np.asarray(view).ravel() == GOOD).all()
    del view
    memory.extend(b"free again")


@pytest.mark.parametrize("importer", IMPORTERS)
def test_buffers_that_are_odd(importer):
    view = memoryview(bytearray(GOOD.tobytes()))
    odd = [
        view, view.toreadonly(), view.cast("d"), view.cast("d").toreadonly(), view.cast("d")[::2], view.cast("d")[::-1],
        view.cast("d", (2, 3, 4, 5)), view.cast("d", (2, 3, 4, 5)).toreadonly(), view[4:-4].cast("d"), view.cast("c"),
        view.cast("?"), view.cast("d")[:0], b"", "text", memoryview(b"x"), np.zeros(3, "O"), np.zeros(3, "S8"),
        np.zeros(3, [("a", "f8"), ("b", "i4")]), np.zeros(8, ">f8"), np.zeros((2,) * 9), np.array(3.0),
        np.frombuffer(bytes(80), "u1")[4:-4].view("f8"), np.zeros((0, 2, 3, 4)), np.ones((2, 3, 4, 5))[::-1, :, ::-1],
        np.lib.stride_tricks.as_strided(np.zeros(1), (2, 3, 4, 5), (0, 0, 0, 0)), np.zeros(3, "M8[s]"),
        np.lib.stride_tricks.as_strided(np.zeros(1), (0, 3, 4, 5), (2**62,) * 4), np.ma.masked_array([1.0], [True]),
        np.lib.stride_tricks.as_strided(np.zeros(1), (1, 1, 1, 1), (2**62,) * 4),
    ]  # fmt: skip
    for source in odd:
        try:
            read_all(IMPORTERS[importer](source))
        except (*CLEAN, IndexError, NotImplementedError) as error:  # too many for copy_from; memoryview's own
            reasons.append(str(error))


def test_a_list_of_arrays_that_changes_while_it_is_read(hostile):
    ba = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7, 7, 7)))
    ba.max_size(4)
    arrays = []

    class Shrinks(Answer):
        def __dlpack__(self, **_):
            arrays.clear()
            gc.collect()
            return np.ones((1, 4, 4, 4)).__dlpack__(max_version=(1, 0))

    arrays.extend([Shrinks(None), *(np.ones((1, 4, 4, 4)) for _ in range(7))])
    mf = amr.MultiFab.from_arrays(ba, amr.DistributionMapping(ba), arrays, 1, 0)
    assert mf.sum(0) == 512

    class Clears:
        def __index__(self):
            index.clear()
            return 0

    index = [Clears(), 0, 0]
    assert amr.Array4_double(np.ones((2, 3, 4)))[index] == 1


# ---------------------------------------------------------------- consumer


def numbers():
    return amr.PODVector_real_std.from_array(np.arange(1.0, 11.0))


def pointers(objects, versioned):
    """Managed tensors that nobody but the caller will let go."""
    taken = []
    for obj in objects:
        capsule = obj.__dlpack__(max_version=(1, 0)) if versioned else obj.__dlpack__()
        plain, used = NAMES[b"_versioned" if versioned else b""]
        taken.append(_pointer_of(capsule, plain))
        assert _rename(capsule, used) == 0
    return taken


@pytest.mark.parametrize("versioned", [0, 1])
@pytest.mark.parametrize("count", [1, 3, 64, 2000])
def test_deleters_on_threads(hostile, versioned, count):
    objects = [numbers() for _ in range(count)]
    for way in ("threads", "pthreads", "here with the GIL", "here without"):
        taken = pointers(objects, versioned)
        assert len(_core.live_exports()) == count
        if way == "pthreads":
            hostile.delete_on_threads(taken, versioned)
        elif way == "threads":
            threads = [
                threading.Thread(target=lambda part=taken[n::4]: [
                    (hostile.free if p % 128 else hostile.held).hostile_delete(p, versioned) for p in part
                ])
                for n in range(4)
            ]  # fmt: skip
            [t.start() for t in threads]
            [t.join() for t in threads]
        else:
            library = hostile.held if "with the" in way else hostile.free
            [library.hostile_delete(p, versioned) for p in taken]
        assert _core.live_exports() == []
    assert all(obj[9] == 10 for obj in objects)


@pytest.mark.parametrize("versioned", [0, 1])
def test_deleters_of_memory_that_python_owns(hostile, versioned):
    """The last share of NumPy's memory, dropped by threads that have no GIL and do not wait for it."""
    for count in (1, 200):
        arrays = [np.ones((2, 3, 4)) for _ in range(count)]
        dead = [weakref.ref(a) for a in arrays]
        objects = [amr.Array4_double(a) for a in arrays]
        del arrays
        taken = pointers(objects, versioned)
        del objects
        gc.collect()
        assert all(ref() is not None for ref in dead)
        hostile.delete_on_threads(taken, versioned)
        for _ in range(1000):  # the interpreter drops them at its next step
            if all(ref() is None for ref in dead):
                break
        assert all(ref() is None for ref in dead)


def test_exporting_and_deleting_at_once(hostile):
    """Threads export, others let go, with and without the GIL."""
    stop, errors = threading.Event(), []

    def work():
        vector = numbers()
        try:
            while not stop.is_set():
                for versioned in (0, 1):
                    hostile.delete_on_threads(pointers([vector] * 8, versioned), versioned, 4)
                    vector.push_back(1.0)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    stop.wait(1.0)
    stop.set()
    [t.join() for t in threads]
    assert errors == [] and _core.live_exports() == []


@pytest.mark.parametrize("kind", NAMES)
def test_capsules_dropped_renamed_and_renamed_back(hostile, kind):
    plain, used = NAMES[kind]
    vector = numbers()

    def export():
        return vector.__dlpack__(max_version=(1, 0)) if kind else vector.__dlpack__()

    export()  # dropped
    assert _core.live_exports() == []
    capsule = export()
    _rename(capsule, used)
    with pytest.raises(BufferError, match="used"):
        amr.PODVector_real_std.from_array(Answer(capsule), copy=False)
    _rename(capsule, plain)  # and back: nobody has taken it
    taken = amr.PODVector_real_std.from_array(Answer(capsule), copy=False)
    assert taken[9] == 10 and _name_of(capsule) == used
    del capsule, taken
    assert _core.live_exports() == []
    for wrong in (b"other", b"used_", b"dltensor_"):
        capsule = export()
        pointer = _pointer_of(capsule, plain)
        _rename(capsule, wrong)  # a consumer with a name of its own: it lets go
        del capsule
        if _core.live_exports():
            hostile.held.hostile_delete(pointer, int(bool(kind)))
        assert _core.live_exports() == []


def test_an_exception_midway_through_a_consumer(hostile):
    def consumer(x):
        capsule = x.__dlpack__(max_version=(1, 0))
        if capsule is not None:
            raise Own("midway")

    for _ in range(10):
        with pytest.raises(Own):
            consumer(numbers())
    taken = pointers([numbers()], 1)
    with pytest.raises(Own):
        try:
            raise Own("with the tensor in hand")
        finally:
            hostile.held.hostile_delete(taken[0], 1)
    gc.collect()
    assert _core.live_exports() == []


def test_a_tensor_that_is_never_let_go_is_named_by_finalize(hostile):
    taken = pointers([numbers()], 1)
    with pytest.raises(RuntimeError, match="PODVector_real_std"):
        amr.finalize()
    hostile.held.hostile_delete(taken[0], 1)


BODY = """
import ctypes, gc, os, sys
import numpy as np
import amrex.space3d as amr
name = ctypes.pythonapi.PyCapsule_SetName; name.argtypes = [ctypes.py_object, ctypes.c_char_p]
get = ctypes.pythonapi.PyCapsule_GetPointer; get.argtypes = [ctypes.py_object, ctypes.c_char_p]
get.restype = ctypes.c_void_p
lib = ctypes.CDLL(sys.argv[1])
lib.hostile_hold.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
versioned, when, count = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
amr.initialize(["amrex.verbose=0"])
for n in range(count):
    box = amr.Box(amr.IntVect(0), amr.IntVect(3))
    vector, ndarray = amr.PODVector_real_std.from_array([1.0]), np.ones((2, 3, 4))
    obj = (amr.FArrayBox(box, 1), vector, amr.Array4_double(ndarray))[n % 3]
    capsule = obj.__dlpack__(max_version=(1, 0)) if versioned else obj.__dlpack__()
    plain = b"dltensor_versioned" if versioned else b"dltensor"
    lib.hostile_hold(get(capsule, plain), versioned, when)
    name(capsule, b"used_" + (b"dltensor_versioned" if versioned else b"dltensor"))
    del obj, capsule, vector
"""
ENDS = {
    "end": "",
    "finalize": "try: amr.finalize()\nexcept RuntimeError: pass",
    "exception": "raise SystemExit(0)",
    "background": "assert lib.hostile_release_in_background() == 0",
    "background busy": "lib.hostile_release_in_background()\nfor n in range(200000): amr.Array4_double(ndarray)",
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("when", [0, 1, 2, 3])
def test_after_the_interpreter(library, when, end):
    """Tensors in C statics: let go never, in exit handlers, at the library's end, on threads; or while Python ends."""
    if "background" in end and when != 0:
        pytest.skip("the background lets go by itself")
    for versioned in (0, 1):
        command = [sys.executable, "-X", "faulthandler", "-c", BODY + ENDS[end]]
        command += [str(library), str(versioned), str(when), "100"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert (run.returncode, of_ours(run.stderr)) == (0, ""), run.stdout + run.stderr


# ---------------------------------------------------------------- the exchange table


def borrow(hostile, obj):
    total, shape = ctypes.c_double(), (I64 * 9)()
    assert hostile.held.hostile_borrow(hostile.api, obj, ctypes.byref(total), shape) == 0
    return total.value, tuple(shape[1 : 1 + shape[0]])


def test_borrowed_tensors_after_changes(hostile):
    vector = numbers()
    assert borrow(hostile, vector) == (55.0, (10,))
    vector.push_back(5.0)
    assert borrow(hostile, vector) == (60.0, (11,))
    vector.resize(3)
    assert borrow(hostile, vector) == (6.0, (3,))
    vector.clear()
    assert borrow(hostile, vector) == (0.0, (0,))
    vector.resize(5000)
    assert borrow(hostile, vector) == (0.0, (5000,))
    fab = amr.FArrayBox(amr.Box(amr.IntVect(0), amr.IntVect(3)), 1)
    np.asarray(fab)[...] = 1
    assert borrow(hostile, fab) == (64.0, (1, 4, 4, 4))
    fab.resize(amr.Box(amr.IntVect(0), amr.IntVect(1)), 2)
    np.asarray(fab)[...] = 2
    assert borrow(hostile, fab) == (32.0, (2, 2, 2, 2))
    fab.clear()
    assert borrow(hostile, fab)[0] == 0
    with pytest.raises(BufferError, match="read-only"):
        borrow(hostile, amr.Array4_double_const(np.ones((2, 3, 4))))
    for stranger in (None, 3, object(), np.ones(3), amr.FArrayBox, amr.FArrayBox.__new__(amr.FArrayBox)):
        out = ctypes.c_void_p()
        with pytest.raises((TypeError, RuntimeError)):
            hostile.held.hostile_take(hostile.api, stranger, ctypes.byref(out))
        with pytest.raises((TypeError, RuntimeError)):
            borrow(hostile, stranger)


def test_managed_tensors_of_the_table_outlive_all(hostile):
    out = ctypes.c_void_p()
    vector = numbers()
    assert hostile.held.hostile_take(hostile.api, vector, ctypes.byref(out)) == 0
    vector.clear()
    del vector
    gc.collect()
    assert hostile.held.hostile_sum_managed(out) == 55
    hostile.delete_on_threads([out.value], 1)


def test_tensors_given_to_the_table(hostile):
    for shape, flags, kind in (
        ((2, 3, 4, 5), 0, amr.Array4_double), ((3, 4, 5), 0, amr.Array4_double),
        ((2, 3, 4, 5), 1, amr.Array4_double_const), ((120,), 0, np.ndarray), ((), 0, np.ndarray),
    ):  # fmt: skip
        producer = Producer(hostile, GOOD, shape=shape, flags=flags)
        got = hostile.held.hostile_give(hostile.api, producer.tensor())
        assert type(got) is kind and np.asarray(got).ravel()[-1] == np.prod(shape)
        assert producer.count.value == 0
        del got
        gc.collect()
        assert producer.count.value == 1
    for name, keywords in ABSURD.items():
        producer = Producer(hostile, GOOD, **keywords)
        with pytest.raises(CLEAN):
            hostile.held.hostile_give(hostile.api, producer.tensor())
        assert producer.count.value == 1, name
    with pytest.raises(BufferError):
        hostile.held.hostile_give(hostile.api, None)
    huge = Producer(hostile, GOOD, shape=(1, 1, 1, 2**32), strides=(0, 0, 0, 0))
    with pytest.raises(CLEAN):
        hostile.held.hostile_give(hostile.api, huge.tensor())
    assert huge.count.value == 1


def test_the_allocator_with_absurd_prototypes(hostile):
    text = ctypes.create_string_buffer(256)
    for shape in ((), (0,), (3,), (2, 3, 4, 5), (1,) * 8, (0, 2**31)):
        assert hostile.held.hostile_allocate(hostile.api, Producer(hostile, shape=shape).spec(), text) == 1
    ignored = {"offset", "offset 2^63", "unaligned", "unaligned by 1", "no data", "no data but offset"} | VERSIONS_ONLY
    for name, keywords in ABSURD.items():
        spec = Producer(hostile, GOOD, **keywords).spec()
        strided = keywords.get("strides") and np.prod([float(n) for n in keywords["shape"]]) < 1e8
        if name in ignored or strided or keywords.get("shape") in SHAPES.values():
            continue
        ctypes.memset(text, 0, 256)
        assert hostile.held.hostile_allocate(hostile.api, spec, text) == 0, name
        assert text.value in (b"BufferError", b"MemoryError") and text.raw[64:65] != b"\0"
        assert hostile.held.hostile_allocate(hostile.api, spec, None) == 0  # no way to tell
