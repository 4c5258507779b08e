# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Every exchange protocol over every family of objects; tests are named after the rows of the specification."""

import ctypes
import gc
import inspect
import sys
import threading
from dataclasses import dataclass, field

import amrex.space3d as amr
import numpy as np
import pytest
from amrex import _core
from devices import host_only
from numpy_versions import needs_new_from_dlpack
from settled import live_exports


@dataclass
class Sample:
    """An object of a family with elements 1, 2, 3 ... in C order, and a way to look at its memory past every view."""

    obj: object
    shape: tuple
    dtype: np.dtype
    look: object = None
    read_only: bool = False
    mesh: bool = False
    keep: list = field(default_factory=list)

    @property
    def want(self):
        return np.arange(1, np.prod(self.shape) + 1).reshape(self.shape).astype(self.dtype)


def vector(cls, dtype, count=7):
    obj = cls.from_array(range(1, count + 1)) if issubclass(cls, amr.PODVector) else cls(range(1, count + 1))
    return Sample(obj, (count,), np.dtype(dtype), lambda n: obj[n])


def matrix(rows, columns, word, dtype):
    obj = getattr(amr, f"SmallMatrix_{rows}x{columns}_F_SI1_{word}")()
    for n, (i, j) in enumerate(np.ndindex(rows, columns)):
        obj[i + 1, j + 1] = n + 1
    return Sample(obj, (rows, columns), np.dtype(dtype), lambda n: obj[n // columns + 1, n % columns + 1])


def aligned(shape, dtype):
    """An array at a multiple of 64 bytes."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + size].view(dtype).reshape(shape)


def array4(word, dtype, const=False):
    base = aligned((2, 3, 4, 5), dtype)
    base[...] = np.arange(1, 121).reshape(base.shape)
    obj = getattr(amr, f"Array4_{word}" + ("_const" if const else ""))(base)
    return Sample(obj, base.shape, np.dtype(dtype), lambda n: base.flat[n], const, True, [base])


def fab(name, dtype):
    obj = getattr(amr, name)(amr.Box(amr.IntVect(0), amr.IntVect(4, 3, 2)), 2)
    cells = obj.array()
    for n, (c, k, j, i) in enumerate(np.ndindex(2, 3, 4, 5)):
        cells[i, j, k, c] = n + 1
    return Sample(
        obj, (2, 3, 4, 5), np.dtype(dtype), lambda n: cells[n % 5, n // 5 % 4, n // 20 % 3, n // 60], mesh=True
    )


FAMILIES = {
    "Array4_double": lambda: array4("double", "f8"),
    "Array4_float": lambda: array4("float", "f4"),
    "Array4_int": lambda: array4("int", "i4"),
    "Array4_cdouble": lambda: array4("cdouble", "c16"),
    "Array4_double_const": lambda: array4("double", "f8", True),
    "Array4_ulong_const": lambda: array4("ulong", "u8", True),
    "FArrayBox": lambda: fab("FArrayBox", "f8"),
    "IArrayBox": lambda: fab("IArrayBox", "i4"),
    "Vector_Real": lambda: vector(amr.Vector_Real, "f8"),
    "Vector_int": lambda: vector(amr.Vector_int, "i4"),
    "Vector_Long": lambda: vector(amr.Vector_Long, "i8"),
    "SmallMatrix 6x6": lambda: matrix(6, 6, "double", "f8"),
    "SmallMatrix 3x6": lambda: matrix(3, 6, "double", "f8"),
    "SmallMatrix 6x1": lambda: matrix(6, 1, "float", "f4"),
}
for _word, _dtype in (("real", "f8"), ("int", "i4"), ("uint64", "u8")):
    for _place in ("std", "arena", "pinned", "managed", "polymorphic"):
        _name = f"PODVector_{_word}_{_place}"
        FAMILIES[_name] = lambda n=_name, d=_dtype: vector(getattr(amr, n), d)


@pytest.fixture(params=FAMILIES)
def sample(request):
    yield FAMILIES[request.param]()
    assert live_exports() == []


# ---------------------------------------------------------------- a look into capsules


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class Legacy(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", Tensor),
    )  # fmt: skip


READ_ONLY, IS_COPIED = 1, 2
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def name_of(capsule):
    return _name_of(capsule).decode()


def look(capsule):
    """The managed tensor; it and its parts keep the capsule alive, which owns their memory."""
    kind = Versioned if name_of(capsule) == "dltensor_versioned" else Legacy
    managed = ctypes.cast(_pointer_of(capsule, _name_of(capsule)), ctypes.POINTER(kind)).contents
    managed.capsule = capsule
    return managed


def legacy_allowed(sample):
    return [{}, {"max_version": None}, {"max_version": (0, 8)}] if not sample.read_only else []


# ---------------------------------------------------------------- A: rows of the seeds


def test_spec_s2_to_numpy_is_a_view(sample):
    for view in (sample.obj.to_numpy(), sample.obj.to_numpy(False, "F"), sample.obj.to_xp()):
        assert (view == (sample.want.T if sample.mesh else sample.want)).all()
        assert view.flags.writeable == (not sample.read_only)
    view = sample.obj.to_numpy(order="C")
    assert view.dtype == sample.dtype and view.shape == sample.shape and (view == sample.want).all()
    if not sample.read_only:
        for n in range(view.size):
            view[np.unravel_index(n, view.shape)] = 100 + n
            assert sample.look(n) == 100 + n
    for bad in ("A", "f", ""):
        with pytest.raises(ValueError, match="order"):
            sample.obj.to_numpy(order=bad)
    for keywords in ({"order": 3}, {"copy": 1}, {"unknown": 1}):
        with pytest.raises(TypeError):
            sample.obj.to_numpy(**keywords)


@needs_new_from_dlpack
def test_spec_s4_copies_are_isolated(sample):
    copies = [sample.obj.to_numpy(copy=True), sample.obj.to_xp(copy=True), np.array(sample.obj),
              np.from_dlpack(sample.obj, copy=True), np.array(sample.obj, dtype=complex)]  # fmt: skip
    before = [copy.copy() for copy in copies]
    for n, copy in enumerate(copies):
        assert copy.flags.writeable
        copy[...] = 50 + n
    assert (sample.obj.to_numpy(order="C") == sample.want).all()
    assert all((copy.ravel() == 50 + n).all() for n, copy in enumerate(copies))
    assert all(copy.size == sample.want.size for copy in before)


def test_spec_s12_no_cuda_interface_on_the_host(sample):
    assert not hasattr(sample.obj, "__cuda_array_interface__")
    assert not hasattr(sample.obj, "__array_struct__")


def test_spec_s13_torch(sample):
    torch = pytest.importorskip("torch")
    if sample.dtype == np.uint64 and not hasattr(torch, "uint64"):
        pytest.skip("this torch has no uint64")
    tensors = [torch.from_dlpack(sample.obj)]
    if not sample.read_only:  # torch warns of read-only arrays
        tensors.append(torch.as_tensor(sample.obj))
    for n, tensor in enumerate(tensors):
        assert tuple(tensor.shape) == sample.shape and tensor.data_ptr() == sample.obj.to_numpy().ctypes.data
        assert np.array_equal(tensor.numpy(), sample.want)
        if not sample.read_only:
            tensor[(0,) * tensor.ndim] = 60 + n
            assert sample.look(0) == 60 + n
            tensor[(0,) * tensor.ndim] = 1


@needs_new_from_dlpack
def test_spec_s14_numpy(sample):
    views = [np.from_dlpack(sample.obj), np.asarray(sample.obj), np.asarray(memoryview(sample.obj))]
    if hasattr(np, "__array_namespace_info__"):
        views.append(np.asarray(sample.obj, copy=False))
    for n, view in enumerate(views):
        assert view.dtype == sample.dtype and view.shape == sample.shape and (view == sample.want).all()
        assert view.flags.writeable == (not sample.read_only)
        assert view.ctypes.data == sample.obj.to_numpy().ctypes.data
        if not sample.read_only:
            view[(0,) * view.ndim] = 60 + n
            assert sample.look(0) == 60 + n
            view[(0,) * view.ndim] = 1


def test_spec_s14_memoryview(sample):
    view = memoryview(sample.obj)
    assert view.shape == sample.shape and view.itemsize == sample.dtype.itemsize and view.readonly == sample.read_only
    assert view.nbytes == sample.want.nbytes and view.ndim == len(sample.shape)
    assert view.tolist() == sample.want.tolist() if sample.dtype.kind != "c" else True


def test_spec_s14_jax(sample):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    if sample.read_only:
        with pytest.raises(BufferError):
            sample.obj.__dlpack__()
        return
    got = jax.numpy.asarray(sample.obj)
    assert np.array_equal(np.asarray(got), sample.want)
    if np.from_dlpack(sample.obj).flags.c_contiguous:  # jax takes compact memory only
        shared = jax.dlpack.from_dlpack(sample.obj)
        assert shared.unsafe_buffer_pointer() == sample.obj.to_numpy().ctypes.data
        del shared
    del got
    gc.collect()


def test_spec_s14_tvm_ffi(sample):
    tvm_ffi = pytest.importorskip("tvm_ffi")
    got = tvm_ffi.from_dlpack(sample.obj)
    assert tuple(got.shape) == sample.shape
    if sample.dtype.kind != "c" and not sample.read_only:
        assert np.array_equal(np.from_dlpack(got), sample.want)


def test_spec_s14_array_api_strict(sample):
    strict = pytest.importorskip("array_api_strict")
    got = strict.from_dlpack(sample.obj)
    assert got.shape == sample.shape
    assert np.array_equal(np.asarray(got), sample.want)


def test_spec_s15_keywords(sample):
    obj = sample.obj
    assert obj.__dlpack_device__() == (1, 0) and [type(x) for x in obj.__dlpack_device__()] == [int, int]
    obj.__dlpack__(stream=None, max_version=(1, 0), dl_device=None, copy=None)
    for arguments in ((None,), (1,), (None, (1, 0))):
        with pytest.raises(TypeError):
            obj.__dlpack__(*arguments)
    with pytest.raises(TypeError):
        obj.__dlpack__(versions=1)
    with pytest.raises(TypeError):
        obj.__dlpack_device__(1)


MALFORMED = (
    {"max_version": 1}, {"max_version": (1,)}, {"max_version": (1, 0, 0)}, {"max_version": "10"},
    {"max_version": ("1", "0")}, {"max_version": [1, 0]}, {"max_version": (1.0, 0)}, {"copy": 1}, {"copy": "yes"},
    {"max_version": (np.ones(2), 0)}, {"max_version": (np.float64(1), 0)}, {"dl_device": (np.ones(2, int), 0)},
    {"copy": np.True_}, {"dl_device": 1}, {"dl_device": (1,)}, {"dl_device": ("cpu", 0)}, {"dl_device": (1, 0, 0)},
)  # fmt: skip


def test_spec_b8_malformed_arguments(sample):
    for keywords in MALFORMED:
        with pytest.raises(TypeError):
            sample.obj.__dlpack__(**{"max_version": (1, 0), **keywords})


@pytest.mark.parametrize("number", [np.int32, np.int64, np.uint8, lambda x: np.array(x)])
def test_spec_b8_integers_of_other_libraries(sample, number):
    version, device = (number(1), number(0)), (number(1), number(0))
    assert look(sample.obj.__dlpack__(max_version=version, dl_device=device)).version[0] == 1
    with pytest.raises(BufferError, match=r"\(2, 0\)"):
        sample.obj.__dlpack__(max_version=version, dl_device=(number(2), number(0)))


def test_spec_b8_integers_beyond_64_bits(sample):
    for huge in (2**31, 2**63, 2**200):
        assert look(sample.obj.__dlpack__(max_version=(huge, huge))).version[0] == 1
        with pytest.raises(BufferError):
            sample.obj.__dlpack__(max_version=(1, 0), dl_device=(1, huge))


def test_spec_b8_errors_of_an_index_are_the_callers(sample):
    class Bad:
        def __index__(self):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        sample.obj.__dlpack__(max_version=(Bad(), 0))


def test_what_a_look_gives_keeps_the_capsule_alive(sample):
    tensor = look(sample.obj.__dlpack__(max_version=(1, 0))).tensor
    assert len(_core.live_exports()) == 1
    del tensor
    assert _core.live_exports() == []


def test_spec_s16_legacy(sample):
    for keywords in legacy_allowed(sample):
        capsule = sample.obj.__dlpack__(**keywords)
        assert name_of(capsule) == "dltensor"
        tensor = look(capsule).tensor
        assert tuple(tensor.device) == (1, 0) and tensor.ndim == len(sample.shape) and tensor.lanes == 1
        assert tuple(tensor.shape[: tensor.ndim]) == sample.shape
        assert tensor.bits == sample.dtype.itemsize * 8
        assert tensor.code == {"i": 0, "u": 1, "f": 2, "c": 5}[sample.dtype.kind]
        assert look(capsule).deleter
        del tensor, capsule
    assert name_of(sample.obj.__dlpack__(copy=True)) == "dltensor"


def test_spec_s17_versioned(sample):
    for asked, minor in (((1, 0), 0), ((1, 1), 1), ((1, 3), 3), ((1, 99), 3), ((2, 0), 3), ((9, 9), 3)):
        capsule = sample.obj.__dlpack__(max_version=asked)
        assert name_of(capsule) == "dltensor_versioned"
        managed = look(capsule)
        assert tuple(managed.version) == (1, minor)
        assert managed.flags == (READ_ONLY if sample.read_only else 0)
        del managed, capsule
        copied = sample.obj.__dlpack__(max_version=asked, copy=True)
        assert look(copied).flags == IS_COPIED


@needs_new_from_dlpack
def test_spec_s18_device(sample):
    for device in (None, (1, 0), (_core.kDLCPU, 0)):
        sample.obj.__dlpack__(max_version=(1, 0), dl_device=device)
    for device in ((2, 0), (1, 1), (99, 0)):
        with pytest.raises(BufferError):
            sample.obj.__dlpack__(max_version=(1, 0), dl_device=device)
    view = np.from_dlpack(sample.obj, device="cpu")
    assert view.ctypes.data == sample.obj.to_numpy().ctypes.data


def test_spec_s19_copy(sample):
    address = sample.obj.to_numpy().ctypes.data
    for copy in (None, False):
        assert look(sample.obj.__dlpack__(max_version=(1, 0), copy=copy)).tensor.data == address
    capsule = sample.obj.__dlpack__(max_version=(1, 0), copy=True)
    assert look(capsule).tensor.data != address
    assert look(capsule).tensor.data % 64 == 0


def test_spec_s20_streams(sample):
    for stream in (0, 1, 2, -1, object()):
        with pytest.raises(ValueError, match="stream"):
            sample.obj.__dlpack__(stream=stream, max_version=(1, 0))


@needs_new_from_dlpack
def test_spec_s24_ledger(sample):
    held = [np.from_dlpack(sample.obj), sample.obj.__dlpack__(max_version=(1, 0)), sample.obj.__dlpack__(copy=True)]
    live = _core.live_exports()
    assert len(live) == 3 and [entry["copied"] for entry in live] == [False, False, True]
    assert all(entry["what"] == type(sample.obj).__name__ for entry in live)
    held.clear()
    assert _core.live_exports() == []


@host_only
@needs_new_from_dlpack
@pytest.mark.parametrize("family", FAMILIES)
def test_spec_s24_finalize_refuses_while_exports_live(amr3, family):
    held = [np.from_dlpack(FAMILIES[family]().obj)]
    name = type(FAMILIES[family]().obj).__name__
    with pytest.raises(RuntimeError, match=name):
        amr3.finalize()
    assert amr3.initialized()
    held.clear()
    amr3.finalize()
    assert not amr3.initialized()


@host_only
@pytest.mark.parametrize("family", FAMILIES)
def test_spec_s25_other_views_do_not_block_and_stay(amr3, family):
    sample = FAMILIES[family]()
    want = sample.want
    views = [sample.obj.to_numpy(order="C"), np.asarray(sample.obj), np.asarray(memoryview(sample.obj))]
    del sample
    amr3.finalize()
    junk = [FAMILIES[family]() for _ in range(20)]
    assert all((view == want).all() for view in views) and junk


# ---------------------------------------------------------------- B: what an object must also be


def test_spec_b2_tensors_are_complete(sample):
    for keywords in [*legacy_allowed(sample), {"max_version": (1, 0)}, {"copy": True}]:
        capsule = sample.obj.__dlpack__(**keywords)
        tensor = look(capsule).tensor
        assert tensor.strides and tensor.byte_offset == 0 and tensor.data % 64 == 0
        strides = tuple(x // sample.dtype.itemsize for x in sample.obj.to_numpy(order="C").strides)
        assert tuple(tensor.strides[: tensor.ndim]) == strides
        del tensor, capsule


EMPTY = {
    "Array4": (lambda: amr.Array4_double(), (0, 0, 0, 0)), "Vector": (lambda: amr.Vector_Real(), (0,)),
    "PODVector": (lambda: amr.PODVector_int_pinned(), (0,)), "FArrayBox": (lambda: amr.FArrayBox(), (0, 0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_spec_b2_without_elements(name):
    make, shape = EMPTY[name]
    obj = make()
    for keywords in ({}, {"max_version": (1, 0)}, {"copy": True}):
        capsule = obj.__dlpack__(**keywords)
        tensor = look(capsule).tensor
        assert not tensor.data and tensor.strides and tuple(tensor.shape[: tensor.ndim]) == shape
    for view in (np.from_dlpack(obj), np.asarray(obj), obj.to_numpy(order="C"), np.asarray(memoryview(obj))):
        assert view.shape == shape
    assert obj.__array_interface__["shape"] == shape


@needs_new_from_dlpack
def test_spec_b3_constness(sample):
    interface = sample.obj.__array_interface__
    assert memoryview(interface["data"]).readonly == sample.read_only
    if sample.read_only:
        for keywords in ({}, {"max_version": (0, 8)}, {"copy": False}):
            with pytest.raises(BufferError, match="read-only"):
                sample.obj.__dlpack__(**keywords)
        for view in (np.asarray(sample.obj), np.from_dlpack(sample.obj), sample.obj.to_numpy()):
            with pytest.raises(ValueError, match="read-only"):
                view[...] = 5
    assert (sample.obj.to_numpy(order="C") == sample.want).all()


@needs_new_from_dlpack
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "how", [np.asarray, np.from_dlpack, memoryview, lambda o: o.to_numpy(order="C"), lambda o: o.__array_interface__]
)
def test_spec_b5_views_outlive_everything(family, how):
    sample = FAMILIES[family]()
    want = sample.want
    view = how(sample.obj)
    if isinstance(view, dict):
        view = type("Holder", (), {"__array_interface__": view})()
    del sample
    junk = [FAMILIES[family]() for _ in range(10)]
    for other in junk:
        if not other.read_only:
            other.obj.to_numpy()[...] = 99
    assert (np.asarray(view) == want).all()


@needs_new_from_dlpack
def test_spec_b5_views_hold_no_container(sample):
    before = sys.getrefcount(sample.obj)
    views = [
        np.asarray(sample.obj), np.from_dlpack(sample.obj), memoryview(sample.obj), sample.obj.to_numpy(),
        sample.obj.__dlpack__(max_version=(1, 0)), sample.obj.__array_interface__,
    ]  # fmt: skip
    after = sys.getrefcount(sample.obj)
    del views
    assert after == before


def test_spec_b7_deleters(sample):
    """By ctypes, as a consumer in C does it: with the GIL, without it, on another thread."""
    for kind in (ctypes.PYFUNCTYPE, ctypes.CFUNCTYPE):
        for on_thread in (False, True):
            capsule = sample.obj.__dlpack__(max_version=(1, 0))
            address = _pointer_of(capsule, b"dltensor_versioned")
            call = kind(None, ctypes.c_void_p)(look(capsule).deleter)
            _rename(capsule, b"used_dltensor_versioned")
            del capsule
            assert len(_core.live_exports()) == 1
            if on_thread:
                thread = threading.Thread(target=call, args=(address,))
                thread.start()
                thread.join()
            else:
                call(address)
            assert _core.live_exports() == []


@needs_new_from_dlpack
def test_spec_b7_threads(sample):
    def work():
        for n in range(300):
            np.from_dlpack(sample.obj)
            sample.obj.__dlpack__(max_version=(1, 0), copy=bool(n % 2))
            sample.obj.to_numpy()
            memoryview(sample.obj)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _core.live_exports() == []


def test_a_capsule_is_taken_once():
    sample = FAMILIES["PODVector_real_std"]()

    class Once:
        def __init__(self):
            self.capsule = sample.obj.__dlpack__(max_version=(1, 0))

        def __dlpack__(self, **keywords):
            return self.capsule

        def __dlpack_device__(self):
            return 1, 0

    once = Once()
    assert list(amr.PODVector_real_std.from_array(once)) == list(sample.want)
    with pytest.raises(BufferError, match="used already"):
        amr.PODVector_real_std.from_array(once)


@pytest.mark.parametrize("answer", [None, 3, "capsule", (1, 2)])
def test_producers_that_lie(answer):
    class Liar:
        def __dlpack__(self, **keywords):
            return answer

        def __dlpack_device__(self):
            return 1, 0

    with pytest.raises((TypeError, BufferError)):
        amr.PODVector_real_std.from_array(Liar())


def test_a_producer_from_before_dlpack_1():
    base = np.arange(5.0)

    class Old:
        def __dlpack__(self, stream=None):
            return base.__dlpack__()

        def __dlpack_device__(self):
            return base.__dlpack_device__()

    v = amr.PODVector_real_std.from_array(Old(), copy=False)
    assert np.shares_memory(v.to_numpy(), base)


def test_signatures_are_in_docstrings(sample):
    for name in ("__dlpack__", "__dlpack_device__", "to_numpy", "to_xp", "to_cupy", "to_dpnp"):
        assert inspect.getdoc(getattr(type(sample.obj), name))
