# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What went wrong for users of other libraries, each report as a test named after its source."""

import ctypes
import gc
import importlib
import os
import subprocess
import sys
import time

import amrex.space3d as amr
import numpy as np
import pytest
from amrex import _core
from numpy_versions import OLD
from said import of_ours
from test_exchange import FAMILIES, READ_ONLY, Legacy, Tensor, Versioned, aligned, look, name_of

DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
LENT = []  # what producers of these tests have lent: consumers may hold it for longer than there is a producer
_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]

DEVICE_REPORTS = {
    "pyamrex#514, warpx#6354: CuPy imported before or after the start, finalize or not: exit status 0": "CUDA",
    "array-api#974, nanobind#1241, pytorch#163242: an import with stream=-1 inside a CUDA graph is captured": "CUDA",
    "dgl#4436, triton#223/#243: a consumer on a side stream waits for the producer": "CUDA",
    "pytorch#67618, cupy#5970: streams None, -1, 0, 1, 2 and pointers by the table of CUDA and ROCm": "CUDA",
    "nanobind#1383: the stream that a consumer gives really orders the work": "CUDA",
    "numba#5162/#4933: the stream of the CUDA array interface is None only when no work is pending": "CUDA",
    "Paddle#68549, cuvs#2239, mahout#744: an export from device 1 says device 1": "second CUDA",
    "pytorch#169567: an export while another device is current leaves the current device alone": "second CUDA",
    "tensorflow#47866, warpx#3967, amrex#4741: with one visible device its number is 0 everywhere": "CUDA",
    "dpctl#1397, #1560, pyamrex#606: a SYCL device is numbered by its place among the root devices": "SYCL",
    "amrex#5593, #5597: finalize leaves the shared SYCL context to dpnp": "SYCL",
    "pyamrex#454, jax#22346, jax#37896, cugraph#5567: pinned memory is shown to the host without a copy": "CUDA",
    "pytorch#96318, cuda-python#1863, cupy#8683: managed memory is shown as (13, 0) and can be relabelled": "CUDA",
    "pyamrex#201, warpx#4715: to_numpy of device memory is a BufferError that names copy=True": "CUDA",
    "cupy#9842: copy=True from device to device": "CUDA",
    "pyamrex#55, cupy#7783: the speed of CuPy on F and C views of one block": "CUDA",
    "tensorflow#88731: an export with a long kernel pending does not wait": "CUDA",
}


@pytest.mark.parametrize("report", DEVICE_REPORTS)
def test_reports_that_need_a_device(report):
    """Skipped where no such device is; run by the tests of devices."""
    pytest.skip(f"needs a {DEVICE_REPORTS[report]} device")


def run(body, **environment):
    head = "import amrex.space3d as amr, numpy as np, gc, sys, ctypes\n"
    return subprocess.run(
        [sys.executable, "-c", head + body],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def clean(body, **environment):
    done = run(body, **environment)
    assert (done.returncode, of_ours(done.stderr)) == (0, ""), done.stderr
    return done.stdout


MAKE = """
amr.initialize(["amrex.verbose=0"])
b = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7))); b.max_size(4)
m = amr.MultiFab(b, amr.DistributionMapping(b), 1, 1); m.set_val(3.0)
a = next(m.array(step) for step in m)
"""


def field(ngrow=0):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7)))
    boxes.max_size(4)
    made = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, ngrow)
    made.set_val(3.0)
    return made


def first(made):
    return next(made.array(step) for step in made)


def churn(nbytes):
    return [np.full(max(1, nbytes // 8), -1.0) for _ in range(30)]


class Wrapper:
    """An object that gives an array interface of what `make` returns each time."""

    def __init__(self, make):
        self.make = make

    @property
    def __array_interface__(self):
        return self.make()


@pytest.fixture(params=FAMILIES)
def family(request):
    return FAMILIES[request.param]


def tensor_of(array, *, versioned=False, version=(1, 0), strides=True, offset=0, lanes=1, calls=None):
    """A producer in DLPack's own words; `calls` gets one entry per call of the deleter."""

    def delete(_address):
        calls.append(1)

    managed = (Versioned if versioned else Legacy)()
    kept = [DELETER(delete), (ctypes.c_int64 * array.ndim)(*array.shape)]
    kept.append((ctypes.c_int64 * array.ndim)(*[s // array.itemsize for s in array.strides]))
    if versioned:
        managed.version[:] = version
    managed.deleter = ctypes.cast(kept[0], ctypes.c_void_p)
    t = managed.tensor
    t.data, t.byte_offset, t.ndim = array.ctypes.data - offset, offset, array.ndim
    t.device[:] = (1, 0)
    t.code, t.bits, t.lanes = {"f": 2, "i": 0, "u": 1}[array.dtype.kind], array.itemsize * 8, lanes
    t.shape = ctypes.cast(kept[1], ctypes.POINTER(ctypes.c_int64))
    if strides:
        t.strides = ctypes.cast(kept[2], ctypes.POINTER(ctypes.c_int64))
    LENT.append((managed, kept, array))

    class Producer:
        def __dlpack__(self, **keywords):
            return _new(ctypes.addressof(managed), b"dltensor_versioned" if versioned else b"dltensor", None)

        def __dlpack_device__(self):
            return 1, 0

    return Producer()


# ---------------------------------------------------------------- lifetime


def test_pyamrex_478_a_host_copy_owns_its_memory(family):
    """What to_numpy(copy=True) returns keeps its buffer alive."""
    sample = family()
    want, copies = sample.want, [sample.obj.to_numpy(copy=True, order="C"), sample.obj.to_xp(copy=True, order="C")]
    del sample
    gc.collect(0)
    junk = churn(want.nbytes)
    for copy in copies:
        assert np.array_equal(copy, want) and junk
        assert copy.flags.owndata or copy.base is not None


def test_numpy_31036_the_interface_may_be_a_new_dict_each_time(family):
    """An array made from a dict that nobody keeps is valid."""
    sample = family()
    array, want = np.asarray(Wrapper(lambda held=[sample]: held[0].obj.__array_interface__)), sample.want
    del sample
    junk = churn(want.nbytes)
    assert np.array_equal(array, want) and junk


def test_numpy_16713_20673_the_interface_of_a_temporary(family):
    """A temporary inside the property may die: its memory, not the wrapper, is what the array owns."""
    array = np.asarray(Wrapper(lambda: family().obj.__array_interface__))
    want, junk = family().want, churn(array.nbytes)
    assert np.array_equal(array, want) and junk


def test_pyamrex_80_a_block_outlives_its_multifab(amr3):
    """Only the Array4 is kept: it stays valid, and its death frees the memory."""
    before = amr3.The_Arena().bytes
    block = first(field())
    gc.collect()
    junk = churn(block.size * 8)
    view = block.to_numpy()
    assert (view == 3.0).all() and junk
    del block, view
    assert amr3.The_Arena().bytes == before


def test_pyamrex_81_83_objects_freed_after_finalize():
    """Objects and views may die after finalize."""
    assert (
        clean(MAKE + "v = m.to_numpy(), np.asarray(a)\namr.finalize()\ndel m, a\ngc.collect()\ndel v\nprint(1)")
        == "1\n"
    )


def test_pyamrex_606_finalize_names_live_consumers(amr3):
    """finalize with a live consumer raises, says how many, and passes when they are gone."""
    tensor = np.from_dlpack(first(field()))
    with pytest.raises(RuntimeError, match=r"1 of them(.|\n)*Array4_double"):
        amr3.finalize()
    assert (tensor == 3.0).all()
    del tensor
    amr3.finalize()


@pytest.mark.parametrize("place", ["std", "arena", "pinned", "managed", "polymorphic"])
def test_amrex_5270_a_vector_outlives_the_runtime(place):
    """A vector of any arena can be used and freed after finalize."""
    body = "amr.initialize([])\n" + f"v = amr.PODVector_real_{place}.from_array([1.0, 2.0])\n"
    assert clean(body + "amr.finalize(); v.push_back(3.0); print(v.to_numpy().tolist()); del v") == "[1.0, 2.0, 3.0]\n"


def test_amrex_5761_a_vector_fed_from_itself():
    """Growth whose argument is its own memory, and growth under a view."""
    v = amr.PODVector_real_std.from_array([1.0, 2.0, 3.0])
    view = v.to_numpy()
    for _ in range(5000):
        v.push_back(v[0])
    v.resize(20000, v[1])
    v.copy_from(v.to_numpy()[:10000], 10000)
    assert view.tolist() == [1.0, 2.0, 3.0] and v.to_numpy()[[5002, 5003, 9999, 10000, 19999]].tolist() == [
        1,
        2,
        2,
        1,
        2,
    ]
    w = amr.Vector_Real([1.0, 2.0])
    w.extend(w)
    w[1:1] = w
    assert list(w) == [1.0, 1.0, 2.0, 1.0, 2.0, 2.0, 1.0, 2.0]


def test_numpy_22507_pytorch_88082_deleters_without_the_gil():
    """A deleter called on a thread that Python does not know frees, once."""
    v = amr.PODVector_real_std.from_array([1.0])
    capsule = v.__dlpack__(max_version=(1, 0))
    address = _pointer_of(capsule, b"dltensor_versioned")
    function = look(capsule).deleter
    _rename(capsule, b"used_dltensor_versioned")
    del capsule
    library, thread = ctypes.CDLL(None), ctypes.c_ulong()
    assert len(_core.live_exports()) == 1
    library.pthread_create(ctypes.byref(thread), None, ctypes.c_void_p(function), ctypes.c_void_p(address))
    library.pthread_join(thread, None)
    assert _core.live_exports() == []


def test_numpy_22510_cupy_2809_deleters_after_the_interpreter():
    """A consumer may call the deleter when the interpreter is gone."""
    body = """
v = amr.PODVector_real_std.from_array([1.0])
c = v.__dlpack__()
py = ctypes.pythonapi
py.PyCapsule_GetPointer.restype = ctypes.c_void_p
py.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
py.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
p = py.PyCapsule_GetPointer(c, b"dltensor")
used = ctypes.c_char_p(b"used_dltensor")
py.PyCapsule_SetName(c, used)
deleter = ctypes.cast(p + 56, ctypes.POINTER(ctypes.c_void_p))[0]
libc = ctypes.CDLL(None)
libc.__cxa_atexit.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
assert libc.__cxa_atexit(deleter, p, None) == 0
import atexit; atexit.register(lambda: print(1, flush=True))
"""
    assert Legacy.deleter.offset == 56
    assert clean(body) == "1\n"


def test_pytorch_9297_ort_32732_capsules_nobody_takes(family):
    """Dropped capsules free what they hold."""
    sample = family()
    keywords = {"max_version": (1, 0)} if sample.read_only else {}
    before, references = amr.The_Cpu_Arena().blocks, sys.getrefcount(sample.obj)
    for n in range(1000):
        sample.obj.__dlpack__(copy=n % 2 == 0, **keywords)
    after = sys.getrefcount(sample.obj)
    assert _core.live_exports() == [] and after == references
    assert amr.The_Cpu_Arena().blocks == before


IMPORTS = {
    "copy": lambda p: amr.PODVector_real_std.from_array(p),
    "view": lambda p: amr.PODVector_real_std.from_array(p, copy=False),
    "copy_from": lambda p: amr.PODVector_real_std(8).copy_from(p),
    "vector": lambda p: amr.Vector_Real(p),
    "refused": lambda p: refused(lambda: amr.PODVector_int_std.from_array(p, copy=False)),
}


def refused(call):
    with pytest.raises((BufferError, TypeError)):
        call()


@pytest.mark.parametrize("how", IMPORTS)
@pytest.mark.parametrize("versioned", [False, True])
def test_cupy_1445_cudf_2400_cuda_python_1043_the_deleter_is_called_once(how, versioned):
    """As many calls of a producer's deleter as imports, refused ones too."""
    calls = []
    producer = tensor_of(aligned((5,), "f8"), versioned=versioned, calls=calls)
    for n in range(1, 4):
        try:
            made = IMPORTS[how](producer)
        except TypeError:
            return  # this class takes no DLPack producer; nothing was asked of it
        del made
        gc.collect(0)
        assert len(calls) in (n, 0 if how == "vector" else n)


def test_cupy_3611_numpy_21121_a_capsule_is_used_once():
    """The second import of one capsule is refused."""
    calls = []
    producer = tensor_of(aligned((5,), "f8"), calls=calls)
    capsule = producer.__dlpack__()

    class Once:
        def __dlpack__(self, **keywords):
            return capsule

        def __dlpack_device__(self):
            return 1, 0

    amr.PODVector_real_std.from_array(Once())
    with pytest.raises((BufferError, ValueError)):
        amr.PODVector_real_std.from_array(Once())
    assert len(calls) == 1


def test_numpy_19083_no_capsule_is_an_attribute(family):
    """A view's base is no capsule that somebody could take a second time."""
    sample = family()
    views = [sample.obj.to_numpy(), np.asarray(sample.obj)]
    if views[0].flags.writeable or not OLD:
        views.append(np.from_dlpack(sample.obj))
    for view in views:
        base = view.base
        while base is not None:
            assert type(base).__name__ != "PyCapsule" or name_of(base) not in ("dltensor", "dltensor_versioned")
            base = getattr(base, "base", None)


# ---------------------------------------------------------------- streams, devices, errors


@pytest.mark.parametrize("stream", [0, 1, 2, -1, 12345, "s", 1.5])
def test_pytorch_150217_paddle_76840_streams_of_the_host(stream):
    """On the host a stream is an error, not ignored."""
    with pytest.raises(ValueError, match="stream"):
        FAMILIES["Array4_double"]().obj.__dlpack__(stream=stream)


def test_warpx_4347_4350_a_namespace_by_device_not_by_package(tmp_path):
    """With a package named cupy installed, host data still goes to NumPy; to_cupy without CuPy names the package."""
    (tmp_path / "cupy.py").write_text("raise RuntimeError('imported')\n")
    body = MAKE + "print(amr.xp.__name__, type(a.to_xp()).__module__)"
    assert clean(body, PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])) == "numpy numpy\n"
    if importlib.util.find_spec("cupy") is None:
        with pytest.raises(ImportError, match="cupy"):
            FAMILIES["Array4_double"]().obj.to_cupy()


@pytest.mark.parametrize("device", [(2, 0), (10, 0), (14, 0), (1, 7), (13, 0)])
def test_dlpack_132_numpy_30937_refusals_are_buffer_errors(family, device):
    """An export to a device out of reach is a BufferError that names both."""
    with pytest.raises(BufferError, match=rf"\({device[0]}, {device[1]}\)"):
        family().obj.__dlpack__(dl_device=device, max_version=(1, 0))
    with pytest.raises(TypeError, match="unexpected"):
        family().obj.__dlpack__(unknown=1)


# ---------------------------------------------------------------- copies and constness


def test_jax_40789_anndata_2561_read_only_and_legacy():
    """Read-only data: a flag for who asks by version, BufferError for the others unless they ask for a copy."""
    sample = FAMILIES["Array4_double_const"]()
    assert look(sample.obj.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    with pytest.raises(BufferError, match="copy=True"):
        sample.obj.__dlpack__()
    assert name_of(sample.obj.__dlpack__(copy=True)) == "dltensor"


def test_pytorch_5442_33615_torch_ignores_read_only():
    """The flag is set; torch writes through all the same, and copy=True is the safe way."""
    torch = pytest.importorskip("torch")
    sample = FAMILIES["Array4_double_const"]()
    shared = torch.from_dlpack(sample.obj)
    shared[0, 0, 0, 0] = 7.0
    assert sample.look(0) == 7.0
    safe = torch.from_dlpack(sample.obj, copy=True)
    safe[0, 0, 0, 0] = 8.0
    assert sample.look(0) == 7.0


def test_jax_4636_19123_30228_arrays_of_jax_are_read_only():
    """JAX's arrays are immutable: they are taken in read-only, or copied; copy=False never copies."""
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    x = jax.numpy.arange(24.0).reshape(2, 3, 4)
    jax.block_until_ready(x)
    with pytest.raises(BufferError, match="read-only"):
        amr.Array4_double(np.asarray(x))
    shown = amr.Array4_double_const(np.asarray(x))
    assert shown.to_numpy().ctypes.data == x.unsafe_buffer_pointer() and not shown.to_numpy().flags.writeable
    v = amr.PODVector_real_std.from_array(np.asarray(x).ravel())
    v.push_back(1.0)
    assert float(x[1, 2, 3]) == 23.0
    with pytest.raises(BufferError):
        amr.PODVector_real_std.from_array(np.asarray(x).ravel(), copy=False)


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (1, 1, 1, 5), (2, 1, 1, 5), (3, 1, 4, 1), (1, 4, 1, 5), (2, 4, 3, 1)])
def test_jax_24680_tensorflow_61184_numpy_20336_axes_of_length_one(shape):
    """Strides of axes of length 1 mean nothing: taken in, and shown to others, whatever they are."""
    base = aligned(shape, "f8")
    base[...] = np.arange(base.size).reshape(shape)
    odd = np.lib.stride_tricks.as_strided(
        base, shape, [s if n > 1 else 8 * 12345 for n, s in zip(shape, base.strides, strict=True)]
    )
    block = amr.Array4_double(odd)
    assert np.array_equal(np.from_dlpack(block), base)
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    assert np.array_equal(torch.from_dlpack(block).numpy(), base)
    if np.from_dlpack(block).flags.c_contiguous:
        assert np.array_equal(np.asarray(jax.numpy.asarray(block)), base)


def test_cupy_2095_mxnet_13663_cccl_7045_strides_may_be_null(family):
    """As a consumer NULL strides mean compact; as a producer they are always there."""
    base = aligned((5,), "f8")
    base[...] = np.arange(5)
    assert amr.PODVector_real_std.from_array(tensor_of(base, strides=False, calls=[])).to_numpy().tolist() == [
        0,
        1,
        2,
        3,
        4,
    ]
    block = aligned((2, 3, 4), "f8")
    block[...] = np.arange(24).reshape(2, 3, 4)
    assert np.array_equal(amr.Array4_double(tensor_of(block, strides=False, calls=[])).to_numpy(order="C")[0], block)
    assert look(family().obj.__dlpack__(max_version=(1, 0))).tensor.strides


def test_pytorch_98133_cuda_python_1396_pyamrex_88_size_zero():
    """Nothing is shape (0,) and a null pointer, and every library takes it."""
    for obj, shape in ((amr.PODVector_real_std(), (0,)), (amr.Vector_int(), (0,)), (amr.FArrayBox(), (0, 0, 0, 0))):
        assert np.from_dlpack(obj).shape == obj.to_numpy(order="C").shape == shape
        assert not look(obj.__dlpack__()).tensor.data
        assert not look(obj.__dlpack__(max_version=(1, 0))).tensor.data
    torch = pytest.importorskip("torch")
    assert tuple(torch.from_dlpack(amr.PODVector_real_std()).shape) == (0,)


@pytest.mark.parametrize("offset", [8, 64, 4096])
@pytest.mark.parametrize("versioned", [False, True])
def test_iree_21153_pytorch_168193_byte_offset_counts(offset, versioned):
    """A tensor may begin behind its data pointer."""
    base = aligned((5,), "f8")
    base[...] = np.arange(5)
    v = amr.PODVector_real_std.from_array(tensor_of(base, versioned=versioned, offset=offset, calls=[]), copy=False)
    gc.collect()  # there is no producer any more
    assert v.to_numpy().tolist() == [0, 1, 2, 3, 4] and v.to_numpy().ctypes.data == base.ctypes.data
    assert look(v.__dlpack__()).tensor.byte_offset == 0


def test_nanobind_487_strides_that_are_no_multiple_of_the_element():
    """A field of a record cannot be shown in place, but copied."""
    records = np.zeros(4, [("flag", "u1"), ("x", "<f8")])
    records["x"] = [1, 2, 3, 4]
    with pytest.raises(BufferError):
        amr.PODVector_real_std.from_array(records["x"], copy=False)
    with pytest.raises(BufferError):
        amr.Array4_double(records["x"].reshape(1, 2, 2))
    assert amr.PODVector_real_std.from_array(records["x"].copy()).to_numpy().tolist() == [1, 2, 3, 4]


# ---------------------------------------------------------------- element types


@pytest.mark.parametrize("make", [lambda: np.zeros(3, bool), lambda: np.zeros(3, "M8[s]"), lambda: np.zeros(3, "U3")])
def test_cupy_7307_numpy_19083_types_that_no_vector_has(make):
    """In place: a clear refusal that names the type. Bool is not taken for int8."""
    with pytest.raises((BufferError, TypeError)):
        amr.PODVector_int_std.from_array(make(), copy=False)
    with pytest.raises((BufferError, TypeError)):
        amr.Array4_int(np.zeros((1, 1, 3), make().dtype))


def test_numpy_19083_long_double_and_swapped_bytes():
    """long double has no DLPack type; swapped bytes are refused by name."""
    block = amr.Array4_longdouble(np.zeros((1, 2, 3), np.longdouble))
    for keywords in ({}, {"max_version": (1, 0)}, {"copy": True}):
        with pytest.raises(BufferError, match=r"long ?double"):
            block.__dlpack__(**keywords)
    with pytest.raises(BufferError, match=">f8"):
        amr.Array4_double(np.zeros((1, 2, 3), ">f8"))


# ---------------------------------------------------------------- speed, packaging, docs


def test_pytorch_162113_86665_exports_are_fast():
    """An export and a question for the device cost microseconds at most (budgets with room for a busy machine)."""
    block = FAMILIES["Array4_double"]().obj

    def best(call):
        times = []
        for _ in range(20):
            begin = time.perf_counter()
            for _ in range(200):
                call()
            times.append((time.perf_counter() - begin) / 200)
        return min(times)

    reference = best(np.zeros((2, 3, 4)).__dlpack__)
    assert best(block.__dlpack__) < 3 * reference
    assert best(block.__dlpack_device__) < 2 * reference


@pytest.mark.parametrize("name", ["space4d", "space0d"])
def test_pyamrex_326_489_a_dimension_that_is_not_there(name):
    """An ImportError at the import, not an AttributeError later."""
    with pytest.raises(ImportError, match=name):
        importlib.import_module(f"amrex.{name}")
    for dim in (1, 2, 3):
        assert importlib.import_module(f"amrex.space{dim}d").__version__ == _core.__version__


def test_pyamrex_463_252_207_one_package_says_what_it_is():
    """`python -m amrex` works from the installed package and names its version."""
    done = subprocess.run([sys.executable, "-m", "amrex"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and done.stdout.startswith("zerofab ") and "library: libzerofab" in done.stdout


def test_ducc_57_dali_6289_the_gil_of_a_free_threaded_build():
    """Exports and drops of one block from many threads; on a free-threaded Python, with the GIL still off."""
    if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
        assert clean("print(sys._is_gil_enabled())") == "False\n"
    body = (
        MAKE
        + """
import threading
def work():
    for n in range(2000): np.from_dlpack(a); a.__dlpack__(copy=True); a.to_numpy()
threads = [threading.Thread(target=work) for n in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
amr.finalize(); print(1)
"""
    )
    assert clean(body) == "1\n"


def test_pyamrex_370_438_477_warpx_4817_ghosts_have_their_own_words(amr3):
    """Valid cells and cells with ghosts are told apart, and agree with one global array, overlaps included."""
    made = field(ngrow=1)
    whole = np.random.default_rng(1).random((8, 8, 8))
    made[...] = whole[..., None] if made[...].ndim == 4 else whole
    assert np.array_equal(made[...], whole)
    made.fill_boundary(amr3.Periodicity(amr3.IntVect(8)))
    around = np.pad(whole, 1, mode="wrap")
    for step in made:
        low = [step.validbox().small_end[d] for d in range(3)]
        view = made.array(step).to_numpy()[..., 0]
        assert np.array_equal(view, around[tuple(slice(n, n + 6) for n in low)])
        assert step.fabbox() == step.validbox().grow(1)
    assert np.array_equal(made[()], around)


def test_tensors_of_other_versions():
    """A capsule of a future major version is refused, not read."""
    calls = []
    with pytest.raises(BufferError, match="DLPack 2"):
        amr.PODVector_real_std.from_array(tensor_of(aligned((5,), "f8"), versioned=True, version=(2, 0), calls=calls))
    assert ctypes.sizeof(Tensor) == 48 and len(calls) == 1
    calls = []
    with pytest.raises(BufferError):
        amr.PODVector_real_std.from_array(tensor_of(aligned((5,), "f8"), lanes=2, calls=calls))
    assert len(calls) == 1
