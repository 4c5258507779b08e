# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""PODVector: sequence, growth under views, input of any producer, arenas."""

import array
import copy
import gc
import itertools
import pickle

import amrex.space1d as amr1
import amrex.space3d as amr
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_versions import WRITABLE_FROM_DLPACK

WORDS = {"real": np.float64, "int": np.int32, "uint64": np.uint64}
PLACES = ("std", "arena", "pinned", "managed", "polymorphic")
CLASSES = [getattr(amr, f"PODVector_{word}_{place}") for word, place in itertools.product(WORDS, PLACES)]


def dtype_of(cls):
    return np.dtype(WORDS[cls.__name__.split("_")[1]])


@pytest.fixture(params=CLASSES, ids=lambda cls: cls.__name__)
def cls(request):
    return request.param


def test_fifteen_classes_shared_by_the_spaces():
    assert len(set(CLASSES)) == 15
    for cls in CLASSES:
        assert getattr(amr1, cls.__name__) is cls
        assert issubclass(cls, amr.PODVector)


@pytest.mark.parametrize("word", WORDS)
def test_aliases(word):
    places = {
        "arena": ("DeviceVector_", "NonManagedDeviceVector_", "AsyncVector_"),
        "managed": ("ManagedVector_", "ManagedDeviceVector_"),
        "pinned": ("PinnedVector_", "HostVector_"),
    }
    for place, names in places.items():
        for name in names:
            assert getattr(amr, name + word) is getattr(amr, f"PODVector_{word}_{place}")
    assert getattr(amr, f"PODVector_{word}_default") is getattr(amr, f"PODVector_{word}_arena")


def test_sequence(cls):
    v = cls()
    assert v.size() == len(v) == 0 and v.empty() and not v
    for n in range(20):
        v.push_back(n)
    assert v.size() == len(v) == 20 and not v.empty() and v.capacity() >= 20
    assert list(v) == list(range(20))
    assert [v[n] for n in range(-20, 20)] == list(range(20)) * 2
    v[3] = 30
    v[-1] = 40
    v.pop_back()
    assert v[3] == 30 and len(v) == 19
    v.assign(5)
    assert list(v) == [5] * 19
    v.resize(25)
    assert list(v) == [5] * 19 + [0] * 6
    v.resize(30, 7)
    assert list(v)[25:] == [7] * 5
    v.resize(2, strategy=amr.GrowthStrategy.Exact)
    assert list(v) == [5, 5]
    v.clear()
    assert list(v) == []
    assert type(cls(2)[0]) is (float if dtype_of(cls) == np.float64 else int)


def test_constructors(cls):
    assert list(cls(3)) == [0, 0, 0]
    assert list(cls(size=2)) == [0, 0]
    first = cls.from_array([1, 2])
    second = cls(first)
    first[0] = 9
    assert list(second) == [1, 2]
    assert list(cls(other=second)) == [1, 2]
    for other in CLASSES:
        if dtype_of(other) == dtype_of(cls):
            assert list(cls(other.from_array([4]))) == [4]
        else:
            with pytest.raises(TypeError):
                cls(other(2))


@pytest.mark.parametrize("bad", [10, 1000, 10**7, 10**30, -11, -(10**30)])
def test_index_out_of_range_changes_nothing(cls, bad):
    v = cls(10)
    v.assign(3)
    with pytest.raises(IndexError):
        v[bad]
    with pytest.raises(IndexError):
        v[bad] = 1
    assert list(v) == [3] * 10


def test_bad_arguments_change_nothing(cls):
    v = cls(3)
    v.assign(1)
    cases = [
        (ValueError, lambda: v.resize(-1)),
        (ValueError, lambda: v.reserve(-1)),
        (ValueError, lambda: cls(-1)),
        (MemoryError, lambda: v.resize(2**62)),
        (MemoryError, lambda: cls(2**62)),
        (TypeError, lambda: v.resize(2.5)),
        (TypeError, lambda: v.resize(5, "x")),
        (TypeError, lambda: v.push_back("x")),
        (TypeError, lambda: v.push_back(None)),
        (TypeError, lambda: v.assign(None)),
        (TypeError, lambda: v["a"]),
        (TypeError, lambda: v[0:2]),
        (TypeError, lambda: v.__delitem__(0)),
        (TypeError, lambda: v.__setitem__(0, "x")),
        (TypeError, lambda: cls([1, 2])),
        (TypeError, lambda: cls(None)),
        (TypeError, lambda: v.copy_from(None)),
        (TypeError, lambda: cls.from_array(None)),
        (TypeError, lambda: cls.from_array([1], copy="yes")),
        (ValueError, lambda: cls.from_array(np.zeros((2, 2)))),
        (ValueError, lambda: cls.from_array(np.zeros((2, 2)), copy=None)),
        (ValueError, lambda: cls.from_array(3.0)),
        (ValueError, lambda: v.copy_from([[1, 2]])),
        ((TypeError, ValueError), lambda: v.copy_from(["a"])),
        ((TypeError, ValueError), lambda: v.copy_from([1, object()])),
        (IndexError, lambda: v.copy_from([1] * 4)),
        (IndexError, lambda: v.copy_from([1], offset=3)),
        (IndexError, lambda: v.copy_from([1], offset=-1)),
        (IndexError, lambda: v.copy_from([], offset=4)),
        (IndexError, lambda: v.copy_from_podvector(cls(2), 2)),
        (IndexError, lambda: cls().pop_back()),
    ]
    for error, call in cases:
        with pytest.raises(error):
            call()
        assert list(v) == [1, 1, 1]


@pytest.mark.parametrize("word", ["int", "uint64"])
def test_integers_are_not_truncated(word):
    v = getattr(amr, f"PODVector_{word}_std")(1)
    for bad in (1.5, np.float64(2.0), "3"):
        with pytest.raises(TypeError):
            v.push_back(bad)
    for bad in (2**70, -(2**70)):
        with pytest.raises(OverflowError):
            v[0] = bad
    with pytest.raises(OverflowError):
        getattr(amr, f"PODVector_{word}_std").from_array([2**70])
    v[0] = np.int64(7)
    assert list(v) == [7]


def changes(v):
    """Everything that changes size or storage."""
    return {
        "resize up": lambda: v.resize(v.size() + 5000),
        "resize by one": lambda: v.resize(v.size() + 1),
        "resize with a value": lambda: v.resize(v.size() + 3, 9),
        "resize down": lambda: v.resize(v.size() - 1),
        "resize to nothing": lambda: v.resize(0),
        "push_back": lambda: v.push_back(9),
        "pop_back": lambda: v.pop_back(),
        "pop and push": lambda: (v.pop_back(), v.push_back(9)),
        "reserve": lambda: v.reserve(100000),
        "clear": lambda: v.clear(),
        "clear and fill": lambda: (v.clear(), v.resize(100, 9)),
        "shrink": lambda: (v.reserve(1000), v.shrink_to_fit()),
        "clear and shrink": lambda: (v.clear(), v.shrink_to_fit()),
    }


VIEWS = {
    "to_numpy": lambda v: v.to_numpy(),
    "asarray": np.asarray,
    **WRITABLE_FROM_DLPACK,
    "memoryview": lambda v: np.asarray(memoryview(v)),
    "interface": lambda v: np.array(type("W", (), {"__array_interface__": v.__array_interface__})(), copy=False),
}


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("reserved", [0, 200])
@pytest.mark.parametrize("what", changes(amr.PODVector_real_std()))
def test_spec_b6_views_keep_old_values(cls, how, reserved, what):
    v = cls(100)
    v.reserve(reserved)
    v.assign(3)
    view = VIEWS[how](v)
    changes(v)[what]()
    for n in range(v.size()):
        v[n] = 77
    assert view.shape == (100,) and (view == 3).all()
    view[...] = 5
    assert all(x == 77 for x in v)


def test_without_a_view_memory_stays(cls):
    v = cls(100)
    v.reserve(200)
    place = v.to_numpy().ctypes.data
    v.resize(150)
    v.push_back(1)
    v.pop_back()
    v.clear()
    v.resize(200)
    assert v.to_numpy().ctypes.data == place
    assert place % 64 == 0


@pytest.mark.parametrize("how", VIEWS)
def test_spec_b5_view_outlives_vector(cls, how):
    v = cls(1000)
    v.assign(4)
    view = VIEWS[how](v)
    del v
    gc.collect()
    junk = [cls(1000) for _ in range(20)]
    for other in junk:
        other.assign(8)
    assert (view == 4).all()


def test_views_write_through(cls):
    v = cls(5)
    views = [view(v) for view in VIEWS.values()]
    for n, view in enumerate(views):
        view[n] = n + 1
        assert v[n] == n + 1
        assert all(other[n] == n + 1 for other in views)
        assert view.dtype == dtype_of(cls)


def test_empty(cls):
    v = cls()
    assert v.to_numpy().shape == (0,)
    assert np.asarray(v).shape == (0,)
    assert np.from_dlpack(v).shape == (0,)
    assert memoryview(v).shape == (0,)
    assert v.__array_interface__["shape"] == (0,)
    assert list(cls.from_array([])) == []
    assert list(cls.from_array(np.zeros(0, dtype_of(cls)), copy=False)) == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("push_back"), st.integers(0, 99)),
            st.tuples(st.just("resize"), st.integers(0, 40)),
            st.tuples(st.just("reserve"), st.integers(0, 80)),
            st.sampled_from([("pop_back",), ("clear",), ("shrink_to_fit",), ("view",), ("drop",)]),
        ),
        max_size=40,
    ),
    st.sampled_from(CLASSES),
)
def test_any_history_keeps_views(steps, cls):
    v, model, views = cls(), [], []
    for name, *arguments in steps:
        if name == "view":
            views.append((v.to_numpy(), list(model)))
        elif name == "drop":
            views.clear()
        elif name == "pop_back" and not model:
            with pytest.raises(IndexError):
                v.pop_back()
        else:
            getattr(v, name)(*arguments)
            if name == "push_back":
                model.append(arguments[0])
            elif name == "resize":
                model = model[: arguments[0]] + [0] * (arguments[0] - len(model))
            elif name == "pop_back":
                model.pop()
            elif name == "clear":
                model.clear()
        assert list(v) == model
        for view, values in views:
            assert view.tolist() == values


# ---------------------------------------------------------------- input


class OnlyInterface:
    def __init__(self, base):
        self.__array_interface__ = base.__array_interface__
        self.base = base


class OnlyDLPack:
    def __init__(self, base):
        self.base = base

    def __dlpack_device__(self):
        return self.base.__dlpack_device__()

    def __dlpack__(self, **keywords):
        return self.base.__dlpack__(**keywords)


PRODUCERS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "range-like": lambda x: [int(n) for n in x],
    "numpy": lambda x: x,
    "strided": lambda x: np.repeat(x, 2)[::2],
    "reversed": lambda x: x[::-1].copy()[::-1],
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype),
    "float32": lambda x: x.astype(np.float32),
    "float16": lambda x: x.astype(np.float16),
    "int64": lambda x: x.astype(np.int64),
    "int8": lambda x: x.astype(np.int8),
    "uint16": lambda x: x.astype(np.uint16),
    "bytearray": lambda x: bytearray(x.astype(np.uint8).tobytes()),
    "array.array": lambda x: array.array("d", x.tolist()),
    "memoryview": lambda x: memoryview(x.copy()),
    "interface": lambda x: OnlyInterface(x.copy()),
    "dlpack": lambda x: OnlyDLPack(x.copy()),
    "dlpack float32": lambda x: OnlyDLPack(x.astype(np.float32)),
    "dlpack int8": lambda x: OnlyDLPack(x.astype(np.int8)),
    "dlpack float16": lambda x: OnlyDLPack(x.astype(np.float16)),
    "podvector": lambda x: amr.PODVector_real_std.from_array(x),
    "podvector uint64": lambda x: amr.PODVector_uint64_pinned.from_array(x),
}


@pytest.mark.parametrize("producer", PRODUCERS)
def test_input_of_any_producer(cls, producer):
    want = np.arange(7).astype(dtype_of(cls))
    v = cls.from_array(PRODUCERS[producer](want))
    assert type(v) is cls and list(v) == list(range(7))
    assert v.to_numpy().ctypes.data % 64 == 0
    v.copy_from(PRODUCERS[producer](want[:3]), offset=2)
    assert list(v) == [0, 1, 0, 1, 2, 5, 6]
    v.copy_from_numpy(PRODUCERS[producer](want[:2]))
    assert list(v)[:2] == [0, 1]


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_input_of_libraries(cls, name):
    library = pytest.importorskip(name)
    if name == "torch":
        sources = [library.arange(5), library.arange(10.0)[::2] / 2, library.arange(5).to(library.bfloat16)]
    else:
        sources = [library.numpy.arange(5), library.numpy.arange(5.0)]
    for source in sources[:2]:
        assert list(cls.from_array(source)) == [0, 1, 2, 3, 4]


def test_casts_like_numpy_but_loses_nothing():
    assert list(amr.PODVector_int_std.from_array(np.array([1.0, -2.0]))) == [1, -2]
    with pytest.raises(ValueError, match=r"1\.5 is not a whole number"):
        amr.PODVector_int_std.from_array(np.array([1.5, -2.5]))
    assert list(amr.PODVector_real_std.from_array(np.array([True, False]))) == [1.0, 0.0]


@pytest.mark.parametrize("maker", ["from_numpy", "from_xp", "from_cupy", "from_dpnp"])
def test_other_makers(cls, maker):
    source = np.arange(4).astype(dtype_of(cls))
    v = getattr(cls, maker)(source)
    source[:] = 9
    assert type(v) is cls and list(v) == [0, 1, 2, 3]


def test_class_methods_make_subclasses():
    class Mine(amr.PODVector_real_std):
        pass

    assert type(Mine.from_array([1.0])) is Mine
    with pytest.raises(TypeError):
        amr.PODVector.from_array([1.0])


def test_copy_from_itself(cls):
    v = cls.from_array(range(10))
    v.copy_from(v.to_numpy()[::-1])
    assert list(v) == list(range(9, -1, -1))
    v.copy_from(v.to_numpy()[:5], offset=3)
    assert list(v) == [9, 8, 7, 9, 8, 7, 6, 5, 1, 0]
    v.copy_from_podvector(v)
    v.copy_from(memoryview(v)[5:], offset=0)
    assert list(v) == [7, 6, 5, 1, 0, 7, 6, 5, 1, 0]


def test_copy_from_podvector(cls):
    for other in CLASSES:
        if dtype_of(other) == dtype_of(cls):
            v = cls(4)
            v.copy_from_podvector(other.from_array([7, 8]), offset=1)
            assert list(v) == [0, 7, 8, 0]


def test_input_that_resizes_the_vector(cls):
    v = cls(5)

    class Evil:
        def __array__(self, dtype=None, copy=None):
            v.resize(1)
            return np.ones(5)

    with pytest.raises(IndexError):
        v.copy_from(Evil())
    assert list(v) == [0]

    class EvilIndex:
        def __index__(self):
            v.clear()
            return 0

    with pytest.raises(IndexError):
        v[EvilIndex()] = 1


# ---------------------------------------------------------------- in place


def test_adopted_memory(cls):
    base = np.arange(6).astype(dtype_of(cls))
    v = cls.from_array(base, copy=False)
    v[0] = 50
    assert base[0] == 50
    view = v.to_numpy()
    assert np.shares_memory(view, base)
    v.push_back(6)
    v[1] = 60
    assert base[1] == 1 and list(v)[2:] == [2, 3, 4, 5, 6]
    del base
    gc.collect()
    assert view[0] == 50


@pytest.mark.parametrize("what", changes(amr.PODVector_real_std()))
def test_adopted_memory_is_left_alone(cls, what):
    base = np.full(100, 3, dtype_of(cls))
    v = cls.from_array(base, copy=False)
    changes(v)[what]()
    for n in range(v.size()):
        v[n] = 9
    assert (base == 3).all()


def test_adopted_memory_lives_as_long_as_needed(cls):
    base = np.full(1000, 3, dtype_of(cls))
    flag = []
    import weakref

    weakref.finalize(base, flag.append, True)
    v = cls.from_array(base, copy=False)
    del base
    gc.collect()
    assert not flag and v[999] == 3
    v.push_back(1)
    gc.collect()
    assert flag and v[999] == 3


def test_what_cannot_be_adopted(cls):
    dtype = dtype_of(cls)
    read_only = np.zeros(3, dtype)
    read_only.flags.writeable = False
    other = np.float32 if dtype != np.float32 else np.float64
    for source in (read_only, np.zeros(6, dtype)[::2], np.zeros(3, dtype)[::-1], np.zeros(3, other), [1, 2], b"abc",
                   np.zeros((2, 2), dtype), np.zeros(3, dtype.newbyteorder())):  # fmt: skip
        with pytest.raises(BufferError, match="copy=True"):
            cls.from_array(source, copy=False)
    assert list(cls.from_array([1, 2], copy=None)) == [1, 2]
    base = np.zeros(3, dtype)
    assert np.shares_memory(cls.from_array(base, copy=None).to_numpy(), base)
    assert not np.shares_memory(cls.from_array(base).to_numpy(), base)


def test_adopting_another_vector(cls):
    first = cls.from_array([1, 2, 3])
    second = cls.from_array(first, copy=False)
    second[0] = 9
    assert first[0] == 9
    first.push_back(4)
    second.push_back(5)
    assert list(first) == [9, 2, 3, 4] and list(second) == [9, 2, 3, 5]


# ---------------------------------------------------------------- places


def test_arenas():
    want = {
        "std": amr.The_Cpu_Arena(), "arena": amr.The_Arena(), "pinned": amr.The_Pinned_Arena(),
        "managed": amr.The_Managed_Arena(), "polymorphic": amr.The_Arena(),
    }  # fmt: skip
    for word, (place, arena) in itertools.product(WORDS, want.items()):
        assert getattr(amr, f"PODVector_{word}_{place}")(2).arena is arena


def test_polymorphic():
    pinned = amr.The_Pinned_Arena()
    gc.collect()
    before = pinned.bytes
    v = amr.PODVector_real_polymorphic(1000, arena=pinned)
    assert v.arena is pinned and pinned.bytes == before + 8000
    v.assign(2.0)
    view = v.to_numpy()
    v.set_arena(amr.The_Cpu_Arena())
    assert v.arena is amr.The_Cpu_Arena() and v[999] == 2.0
    v[0] = 5.0
    assert view[0] == 2.0 and pinned.bytes == before + 8000
    del view
    gc.collect()
    assert pinned.bytes == before
    assert amr.PODVector_real_polymorphic(amr.PODVector_real_std(2)).arena is amr.The_Cpu_Arena()
    assert amr.PODVector_real_polymorphic(v, arena=pinned).arena is pinned


def test_to_host_and_to_device(cls):
    v = cls.from_array([1, 2, 3])
    word = cls.__name__.split("_")[1]
    for moved, place in ((v.to_host(), "pinned"), (v.to_device(), "arena")):
        assert type(moved) is getattr(amr, f"PODVector_{word}_{place}")
        moved[0] = 9
        assert list(v) == [1, 2, 3] and list(moved) == [9, 2, 3]


def test_copies_and_pickles(cls):
    v = cls.from_array([1, 2, 3])
    for other in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert type(other) is cls
        other[0] = 9
        assert list(v) == [1, 2, 3] and list(other) == [9, 2, 3]


def test_repr(cls):
    assert repr(cls()) == f"{cls.__name__}([])"
    text = repr(cls.from_array(range(1000)))
    assert text.startswith(cls.__name__) and "990 more" in text and len(text) < 200
    assert text == str(cls.from_array(range(1000)))


def test_not_initialized_object():
    v = amr.PODVector_real_std.__new__(amr.PODVector_real_std)
    for call in (len, list, lambda v: v[0], np.asarray, lambda v: v.to_numpy(), lambda v: v.__dlpack__()):
        with pytest.raises((RuntimeError, TypeError, BufferError)):
            call(v)


def test_growth_strategy():
    assert [s.name for s in amr.GrowthStrategy] == ["Poisson", "Exact", "Geometric"]
    v = amr.PODVector_int_std()
    v.resize(100, amr.GrowthStrategy.Exact)
    assert v.capacity() == 100
    v.reserve(150, amr.GrowthStrategy.Exact)
    assert v.capacity() == 150
    v.resize(7, strategy=amr.GrowthStrategy.Exact)
    v.shrink_to_fit()
    assert v.capacity() == 7


def test_arena_class(capsys, tmp_path):
    arenas = [getattr(amr, f"The_{name}Arena")() for name in ("", "Async_", "Cpu_", "Device_", "Managed_", "Pinned_")]
    assert len(set(map(id, arenas))) == 6
    for arena in arenas:
        assert arena.is_host_accessible and arena.has_free_device_memory(100)
        assert not (arena.is_device or arena.is_managed or arena.is_pinned or arena.is_device_accessible)
        assert arena.name in repr(arena) and arena.peak_bytes >= arena.bytes >= 0 and arena.blocks >= 0
    amr.Arena.initialize(False)
    amr.Arena.print_usage(False)
    printed = capsys.readouterr().out
    assert all(arena.name in printed for arena in arenas)
    amr.Arena.print_usage_to_files(str(tmp_path / "usage"), "after step 7")
    assert "after step 7" in (tmp_path / "usage.0").read_text()
    with pytest.raises(OSError, match="cannot write"):
        amr.Arena.print_usage_to_files(str(tmp_path / "nothing" / "usage"), "x")
    amr.Arena.finalize()
    assert amr.PODVector_real_arena(3).size() == 3
