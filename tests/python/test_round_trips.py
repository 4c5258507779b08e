# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Every class with data goes out to every library and comes back, in place, in one, two and three dimensions.

The classes are those that the modules have: a new one without a way to make it here fails test_each_class_is_made_here.
"""

import gc
import importlib

import numpy as np
import pytest
from amrex import _core
from numpy_versions import needs_new_from_dlpack
from settled import live_exports

SPACES = {dim: importlib.import_module(f"amrex.space{dim}d") for dim in (1, 2, 3)}
PLACES = ("default", "arena", "pinned", "managed", "polymorphic")
NO_DLPACK = "gGV"  # element types that DLPack cannot describe


class Sample:
    """An object with data, its class of elements, and how an array becomes such an object again (None: never)."""

    def __init__(self, obj, back=None, shares=True, keep=None):
        self.obj, self.back, self.shares, self.keep = obj, back, shares, keep
        self.array = np.asarray(obj)
        self.const = memoryview(obj).readonly
        self.code = self.array.dtype.char


def numbered(obj):
    view = obj.to_numpy(order="C")
    view[...] = np.arange(1, view.size + 1).reshape(view.shape)
    return obj


def box(amr):
    return amr.Box(amr.IntVect(-1), amr.IntVect(3))


def array4(amr, cls):
    fab_shape = numbered(amr.FArrayBox(box(amr), 2)).to_numpy(order="C").shape
    writable = getattr(amr, cls.__name__.removesuffix("_const"))
    for code in "fdFDhilqHILQgG":
        memory = np.arange(1, np.prod(fab_shape) + 65).astype(code)
        start = -memory.ctypes.data % 64 // memory.itemsize
        base = memory[start : start + np.prod(fab_shape)].reshape(fab_shape)
        try:
            writable(base)
        except TypeError:
            continue
        return Sample(cls(base), cls, keep=base)
    raise AssertionError(f"no element type for {cls}")


def fab(amr, cls):
    made = numbered(cls(box(amr), 2))
    return Sample(made, lambda x: cls(box(amr), x))


def pod_vector(amr, cls):
    return Sample(cls.from_array(range(1, 8)), lambda x: cls.from_array(x, copy=False))


def number_vector(amr, cls):
    return Sample(cls(range(1, 8)), cls, shares=False)


def small_matrix(amr, cls):
    return Sample(numbered(cls()), cls, shares=False)


def records(amr, cls):
    made = cls()
    made.setNumNeighbors(7)
    view = made.to_numpy()
    for name in view.dtype.names:
        view[name] = np.arange(1, 8)
    return Sample(made)


def record_field(amr, cls):
    return Sample(records(amr, amr.ArrayOfStructs_2_1_default).obj.field("rdata_1"))


MAKERS = {
    "Array4": array4, "BaseFab_Real": fab, "BaseFab_int": fab, "PODVector": pod_vector, "NumberVector": number_vector,
    "SmallMatrix": small_matrix, "ArrayOfStructs": records, "RecordField": record_field,
}  # fmt: skip


def makers():
    """(dimension, name) -> function() -> Sample, for all classes of the modules and the parts of containers."""
    found = {}

    def add(dim, name, make, *arguments):
        found[dim, name] = lambda: make(SPACES[dim], *arguments)

    for dim, amr in SPACES.items():
        classes = {c.__name__: c for c in vars(amr).values() if isinstance(c, type) and issubclass(c, _core.Exporter)}
        classes |= {f"ArrayOfStructs_2_1_{p}": getattr(amr, f"ArrayOfStructs_2_1_{p}") for p in PLACES}
        for name, cls in classes.items():
            below = [c for c in classes.values() if issubclass(c, cls) and c is not cls]
            if not below or name.startswith("BaseFab"):
                base = next((b for b in MAKERS if issubclass(cls, getattr(amr, b, _core.Exporter))), None)
                found[dim, name] = None
                if base is not None:
                    add(dim, name, MAKERS[base], cls)
        for name in ("MultiFab", "iMultiFab", "fMultiFab"):
            add(dim, f"a box of {name}", box_of, name, "array")
            add(dim, f"a const box of {name}", box_of, name, "const_array")
        for place in PLACES:
            for part in ("x", "int_comp0", "idcpu"):
                add(dim, f"{part} of StructOfArrays in {place}", component, place, part)
    return found


def box_of(amr, name, how):
    boxes = amr.BoxArray(box(amr))
    owners = amr.DistributionMapping(boxes)
    made = getattr(amr, name)(boxes, owners, 2, 1)
    for mfi in made:
        numbered(made.array(mfi))
        obj = getattr(made, how)(mfi)
    if how == "const_array":
        return Sample(obj)

    def back(x):
        again = getattr(amr, name).from_arrays(boxes, owners, [x], 2, 1)
        return next(again.array(mfi) for mfi in again)

    return Sample(obj, back)


def component(amr, place, part):
    soa = getattr(amr, f"StructOfArrays_{amr.Config.spacedim}_1_idcpu_{place}")()
    soa.resize(7)
    vector = soa.exporters()[part]
    return Sample(numbered(vector), lambda x: type(vector).from_array(x, copy=False))


ALL = makers()


@pytest.fixture(scope="module")
def running():
    """All spaces, for they share one run."""
    SPACES[3].initialize(["amrex.verbose=0", "amrex.signal_handling=0"])
    yield
    gc.collect()
    SPACES[3].finalize()


@pytest.fixture(params=ALL, ids=lambda key: f"{key[0]}d {key[1]}")
def sample(request, running):
    make = ALL[request.param]
    if make is None:
        pytest.skip("fails in test_each_class_is_made_here")
    yield make()
    assert live_exports() == []


def test_each_class_is_made_here():
    assert not [key for key, make in ALL.items() if make is None], "add a maker to test_round_trips.py"
    assert len(ALL) > 3 * 70


# ---------------------------------------------------------------- libraries


def torch_of(obj):
    torch = pytest.importorskip("torch")
    return torch.from_dlpack(obj)


def jax_of(obj):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.dlpack.from_dlpack(obj)


def through_the_table(obj):
    """A function behind the C exchange table gives its argument back."""
    tvm_ffi = pytest.importorskip("tvm_ffi")
    return tvm_ffi.get_global_func("testing.echo")(obj)


def tensor_of_tvm_ffi(obj):
    tvm_ffi = pytest.importorskip("tvm_ffi")
    return tvm_ffi.from_dlpack(obj)


def look(tensor):
    """What any library shows, as a NumPy array."""
    kind = type(tensor).__module__.partition(".")[0]
    if kind == "torch":
        return tensor.numpy() if not tensor.is_conj() else tensor.resolve_conj().numpy()
    return np.from_dlpack(tensor) if kind == "tvm_ffi" else np.asarray(tensor)


def address(tensor, seen):
    """Where a tensor of any library begins; `seen` is what NumPy shows of it."""
    if hasattr(tensor, "unsafe_buffer_pointer"):  # NumPy may show a copy of JAX's
        return tensor.unsafe_buffer_pointer()
    return seen.ctypes.data


LIBRARIES = {
    "numpy": np.from_dlpack, "torch": torch_of, "jax": jax_of, "tvm_ffi": tensor_of_tvm_ffi,
    "exchange table": through_the_table,
}  # fmt: skip


def refusal(library, sample):
    """The exception that is right, if any."""
    if sample.code in NO_DLPACK:
        return BufferError
    if library == "jax" and sample.const:
        return BufferError  # asks for a legacy capsule, which cannot say read-only
    if library == "jax" and sample.array.ndim == 1 and sample.array.strides[0] != sample.array.itemsize:
        return RuntimeError  # compact memory only
    return None


@needs_new_from_dlpack
@pytest.mark.parametrize("library", LIBRARIES)
def test_out_and_in_again(library, sample):
    take = LIBRARIES[library]
    wrong = refusal(library, sample)
    if wrong is not None:
        with pytest.raises(wrong):
            take(sample.obj)
        return
    tensor = take(sample.obj)
    seen = look(tensor)
    assert seen.shape == sample.array.shape and seen.dtype == sample.array.dtype
    assert np.array_equal(seen, sample.array)
    assert address(tensor, seen) == sample.array.ctypes.data, "a copy"
    if sample.back is not None:
        again = sample.back(tensor)
        assert type(again) is type(sample.obj)
        there = np.asarray(again)
        assert np.array_equal(there.reshape(seen.shape), sample.array)
        assert (there.ctypes.data == sample.array.ctypes.data) == sample.shares
        if sample.shares and not sample.const:
            there[...] = 1
            assert (sample.array == 1).all()
        del again, there
    del tensor, seen


def test_out_and_in_again_by_the_array_interface(sample):
    class Interface:
        __array_interface__ = sample.obj.__array_interface__

    seen = np.asarray(Interface())
    assert seen.ctypes.data == sample.array.ctypes.data and seen.flags.writeable == (not sample.const)
    assert seen.dtype.itemsize == sample.array.dtype.itemsize and seen.strides == sample.array.strides
    for name in sample.array.dtype.names or [...]:
        assert np.array_equal(seen[name], sample.array[name])
    if sample.back is not None:
        again = np.asarray(sample.back(Interface()))
        assert np.array_equal(again.reshape(seen.shape), seen)
        assert (again.ctypes.data == seen.ctypes.data) == sample.shares
