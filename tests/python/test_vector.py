# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Vector_*: lists of one type; those of numbers show their memory."""

import collections.abc
import copy
import gc
import pickle

import amrex.space1d as amr1
import amrex.space2d as amr2
import amrex.space3d as amr
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_versions import WRITABLE_FROM_DLPACK

NUMBERS = {amr.Vector_Real: np.float64, amr.Vector_int: np.int32, amr.Vector_Long: np.int64}
SPACES = (amr1, amr2, amr)


ALL = [(cls, [1, 2, 3, 4]) for cls in NUMBERS]


@pytest.fixture(params=ALL, ids=lambda pair: pair[0].__name__)
def case(request):
    return request.param


def test_list_interface(case):
    cls, (a, b, c, d) = case
    v = cls()
    assert len(v) == v.size() == 0 and not v and list(v) == []
    v.append(a)
    v.extend([b, c])
    v.extend(x for x in (d,))
    assert list(v) == [a, b, c, d] and len(v) == v.size() == 4 and v
    assert v[0] == v[-4] == a and v[3] == v[-1] == d
    v[1] = d
    v[-4] = c
    assert list(v) == [c, d, c, d]
    assert v.count(c) == 2 and v.count(a) == 0 and c in v and a not in v and v.index(d) == 1
    v.remove(c)
    assert list(v) == [d, c, d]
    v.insert(0, a)
    v.insert(4, b)
    v.insert(-1, a)
    assert list(v) == [a, d, c, d, a, b]
    assert v.pop() == b and v.pop(0) == a and v.pop(-1) == a
    assert list(v) == [d, c, d]
    del v[1]
    assert list(v) == [d, d]
    v.clear()
    assert list(v) == []
    assert isinstance(v, collections.abc.MutableSequence)


def test_equality_and_hash(case):
    cls, (a, b, *_) = case
    assert cls([a, b]) == cls([a, b]) and cls([a, b]) == cls([a, b])
    assert cls([a, b]) != cls([b, a]) and cls([a]) != cls([a, b])
    assert cls([a]) == [a] == cls([a]) and cls([a]) == (a,) and cls([a]) != [b] and cls([a]) != [a, a]
    assert cls([a]) != amr.Vector_string(["1"]) and cls([a]) != 3 and cls([a]) != None  # noqa: E711
    with pytest.raises(TypeError):
        hash(cls())


def test_slices(case):
    cls, (a, b, c, d) = case
    v = cls([a, b, c, d])
    assert type(v[1:]) is cls
    for start in (None, -9, -2, 0, 1, 3, 9):
        for stop in (None, -9, -1, 2, 9):
            for step in (None, 1, 2, -1, -3):
                part = slice(start, stop, step)
                model = [a, b, c, d]
                assert list(v[part]) == model[part]
                w = cls(model)
                del w[part]
                del model[part]
                assert list(w) == model
                w, model = cls([a, b, c, d]), [a, b, c, d]
                fresh = [d] * len(model[part])
                w[part] = fresh
                model[part] = fresh
                assert list(w) == model
    v[1:3] = [d, d, d]
    assert list(v) == [a, d, d, d, d]
    v[1:] = []
    v[:0] = cls([b])
    assert list(v) == [b, a]
    with pytest.raises(ValueError, match="cannot assign 3"):
        v[::2] = [a, b, c]
    with pytest.raises(ValueError, match="zero"):
        v[::0]
    assert list(v) == [b, a]


def test_aliases(case):
    cls, (a, b, c, _) = case
    v = cls([a, b])
    v.extend(v)
    assert list(v) == [a, b, a, b]
    v.append(v[0])
    v[1:1] = v
    assert list(v) == [a, a, b, a, b, a, b, a, b, a]
    v = cls([a, b, c])
    v[:] = v
    v[::-1] = v
    assert list(v) == [c, b, a]
    for n, x in enumerate(v):
        if n < 50:
            v.append(x)
    assert len(v) == 53


def test_bad_input_changes_nothing(case):
    cls, (a, b, c, d) = case
    v = cls([a, b, c])
    bad = object()
    cases = [
        (IndexError, lambda: v[3]), (IndexError, lambda: v[-4]), (IndexError, lambda: v[10**30]),
        (IndexError, lambda: v.__setitem__(3, a)), (IndexError, lambda: v.__delitem__(9)),
        (IndexError, lambda: v.pop(3)), (IndexError, lambda: v.pop(-4)), (IndexError, lambda: cls().pop()),
        (IndexError, lambda: v.insert(9, a)), (IndexError, lambda: v.insert(-9, a)),
        (TypeError, lambda: v["a"]), (TypeError, lambda: v[1.0]), (TypeError, lambda: v.append(bad)),
        (TypeError, lambda: v.append(None)), (TypeError, lambda: v.extend([a, bad])), (TypeError, lambda: v.extend(3)),
        (TypeError, lambda: v.extend(None)), (TypeError, lambda: v.insert(0, bad)), (TypeError, lambda: v.extend(bad)),
        (TypeError, lambda: v.__setitem__(0, bad)), (TypeError, lambda: v.__setitem__(slice(0, 2), [a, bad])),
        (TypeError, lambda: cls([bad])), (TypeError, lambda: cls(3)), (ValueError, lambda: v.remove(d)),
        (ValueError, lambda: v.index(bad)), (ZeroDivisionError, lambda: v.extend(1 / n for n in (1, 0))),
    ]  # fmt: skip
    for error, call in cases:
        if error is ZeroDivisionError and cls is not amr.Vector_Real:
            error = (ZeroDivisionError, TypeError)
        with pytest.raises(error):
            call()
        assert list(v) == [a, b, c]
    assert v.count(bad) == 0 and bad not in v


def test_iterable_that_changes_the_vector(case):
    cls, (a, b, c, _) = case
    v = cls([a, b, c])

    def evil():
        yield a
        v.clear()
        yield b

    v[1:3] = evil()
    assert list(v) == [a, b]


def test_numbers_that_change_their_list(case):
    cls, (a, b, c, _) = case

    class Evil:
        def __init__(self, items):
            self.items = items

        def __index__(self):
            self.items.clear()
            v.clear()
            return 7

        __float__ = __index__ if cls is not amr.Vector_Real else lambda self: float(Evil.__index__(self))

    v = cls([a])
    items = [a, b]
    items.extend([Evil(items), c, *range(1000)])
    expected = [a, b, 7, c, *range(1000)]
    assert list(cls(items)) == expected and items == [] and list(v) == []
    items.extend([Evil(items), c])
    v.append(a)
    v.extend(items)
    assert list(v) == [7, c]
    assert list(cls((a, b))) == list(cls([a, b])) == list(cls(iter([a, b]))) == [a, b] and list(cls(())) == []

    class Half(list):  # a list's own length and elements are not those that it shows
        def __iter__(self):
            return iter([a])

    assert list(cls(Half([a, b, c]))) == [a]


def test_copies(case):
    cls, (a, b, *_) = case
    v = cls([a, b])
    for other in (cls(v), copy.copy(v), copy.deepcopy(v)):
        other.append(a)
        assert list(v) == [a, b] and list(other) == [a, b, a]
    assert pickle.loads(pickle.dumps(v)) == v


def test_repr_and_not_initialized(case):
    cls, (a, b, *_) = case
    assert repr(cls([a, b])) == f"{cls.__name__}({[cls([a])[0], cls([b])[0]]})"
    v = cls.__new__(cls)
    for call in (len, list, lambda v: v[0]):
        with pytest.raises((RuntimeError, TypeError)):
            call(v)


def test_vectors_of_layouts():
    for dim, space in enumerate(SPACES, 1):
        boxes = space.BoxArray(space.Box(space.IntVect(0), space.IntVect(7)))
        v = space.Vector_BoxArray([boxes])
        v.append(boxes)
        first = v[0]
        first.max_size(4)
        assert v[0].size == 1 and first.size == 2**dim
        assert v.size() == len(v) == 2 and v == space.Vector_BoxArray([boxes, boxes])
        with pytest.raises(TypeError):
            v.append(3)
        with pytest.raises(IndexError):
            v[2]
    v = amr.Vector_DistributionMapping([amr.DistributionMapping([0, 0]), amr.DistributionMapping([0])])
    assert [len(dm) for dm in v] == [2, 1] and amr1.Vector_DistributionMapping is amr.Vector_DistributionMapping


# ---------------------------------------------------------------- numbers


@pytest.fixture(params=NUMBERS, ids=lambda cls: cls.__name__)
def numbers(request):
    return request.param


def test_no_truncation(numbers):
    v = numbers([1])
    if numbers is not amr.Vector_Real:
        for bad in (1.5, np.float64(2)):
            with pytest.raises(TypeError):
                v.append(bad)
            with pytest.raises(TypeError):
                numbers(np.array([bad]))
        with pytest.raises(OverflowError):
            v.append(2**64)
    v.extend(np.arange(3))
    v.extend(np.arange(3, dtype=np.int16)[::-1])
    v.extend(numbers([7]))
    v.extend(amr.PODVector_int_std.from_array([8, 9]))
    assert list(v) == [1, 0, 1, 2, 2, 1, 0, 7, 8, 9]
    torch = pytest.importorskip("torch")
    v[1:] = torch.arange(3, dtype=torch.int64)
    v += torch.arange(3, dtype=torch.int16)
    assert list(v) == [1, 0, 1, 2, 0, 1, 2]
    with pytest.raises(TypeError):
        v.extend(torch.zeros(2, 2, dtype=torch.int64))
    assert len(v) == 7
    assert numbers(np.arange(4).astype(NUMBERS[numbers])) == numbers([0, 1, 2, 3])


CHANGES = {
    "append": lambda v: v.append(9),
    "many": lambda v: [v.append(9) for _ in range(5000)],
    "extend": lambda v: v.extend([9] * 3000),
    "extend by itself": lambda v: v.extend(v),
    "insert": lambda v: v.insert(0, 9),
    "pop": lambda v: v.pop(),
    "pop and append": lambda v: (v.pop(), v.append(9)),
    "remove": lambda v: v.remove(3),
    "del": lambda v: v.__delitem__(slice(10, 20)),
    "slice": lambda v: v.__setitem__(slice(0, 2), [9] * 5),
    "clear": lambda v: v.clear(),
    "clear and extend": lambda v: (v.clear(), v.extend([9] * 100)),
}
VIEWS = {"to_numpy": lambda v: v.to_numpy(), "asarray": np.asarray, **WRITABLE_FROM_DLPACK}


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("what", CHANGES)
def test_spec_b6_views_keep_old_values(numbers, what, how):
    v = numbers([3] * 100)
    view = VIEWS[how](v)
    CHANGES[what](v)
    for n in range(len(v)):
        v[n] = 77
    assert view.shape == (100,) and view.dtype == NUMBERS[numbers] and (view == 3).all()
    del v
    gc.collect()
    assert (view == 3).all()


def test_views_write_through(numbers):
    v = numbers([0] * 5)
    for n, how in enumerate(VIEWS.values()):
        how(v)[n] = n + 1
        assert v[n] == n + 1
    v[1:3] = [7, 8]
    view = v.to_numpy()
    v[1:3] = v.to_numpy()[2:4]
    assert view.tolist() == list(v) == [1, 8, 0, 0, 0]
    assert view.ctypes.data % 64 == 0
    assert numbers().to_numpy().shape == np.from_dlpack(numbers()).shape == (0,)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["append", "extend", "insert", "pop", "set", "delete", "view", "slice"]),
            st.integers(-12, 12),
            st.lists(st.integers(0, 99), max_size=4),
        ),
        max_size=30,
    ),
    st.sampled_from(list(NUMBERS)),
)
def test_any_history_is_a_list_and_keeps_views(steps, cls):
    v, model, views = cls(), [], []
    for name, place, values in steps:
        before = list(model)
        if name == "append":
            v.append(place)
            model.append(place)
        elif name == "extend":
            v.extend(values)
            model.extend(values)
        elif name == "insert" and -len(model) <= place <= len(model):
            v.insert(place, 5)
            model.insert(place, 5)
        elif name == "pop" and -len(model) <= place < len(model):
            assert v.pop(place) == model.pop(place)
        elif name == "delete":
            del v[place : place + 3]
            del model[place : place + 3]
        elif name == "slice":
            v[place : place + 2] = values
            model[place : place + 2] = values
        elif name == "set" and -len(model) <= place < len(model):
            v[place] = 1
            model[place] = 1
        elif name == "view":
            views.append((v.to_numpy(), list(model)))
        if len(model) == len(before):  # written in place: the newest view may see it
            views = []
        assert list(v) == model
        for view, shown in views:
            assert view.tolist() == shown
