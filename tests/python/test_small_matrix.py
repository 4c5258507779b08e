# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""SmallMatrix: elements counted from 1, algebra against NumPy, one shape in every protocol."""

import copy
import gc
import itertools
import operator
import pickle

import amrex.space1d as amr1
import amrex.space3d as amr
import numpy as np
import pytest
from amrex import _core
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_versions import WRITABLE_FROM_DLPACK

SHAPES = ((6, 6), (6, 1), (1, 6), (3, 1), (1, 3), (3, 6), (6, 3))
TYPES = {"float": np.float32, "double": np.float64, "longdouble": np.longdouble}


def class_of(shape, word="double"):
    return getattr(amr, f"SmallMatrix_{shape[0]}x{shape[1]}_F_SI1_{word}")


CASES = [(class_of(shape, word), shape, TYPES[word]) for shape, word in itertools.product(SHAPES, TYPES)]


@pytest.fixture(params=CASES, ids=lambda case: case[0].__name__)
def case(request):
    return request.param


def filled(cls, shape, values=None):
    """The matrix and the same as an ndarray, set element by element."""
    want = np.arange(1.0, shape[0] * shape[1] + 1).reshape(shape) if values is None else values
    m = cls()
    for i, j in np.ndindex(*shape):
        m[i + 1, j + 1] = float(want[i, j])
    return m, want


def test_names(case):
    cls, (rows, columns), _ = case
    m = cls()
    assert getattr(amr1, cls.__name__) is cls
    assert (m.row_size, m.column_size, m.size, m.order, m.starting_index) == (rows, columns, rows * columns, "F", 1)


def test_elements_and_views(case):
    cls, shape, dtype = case
    m, want = filled(cls, shape)
    views = [m.to_numpy(), m.to_numpy(order="C"), m.to_xp(), np.asarray(m), np.asarray(memoryview(m))]
    if dtype is not np.longdouble:
        views.extend(view(m) for view in WRITABLE_FROM_DLPACK.values())
    for view in views:
        assert view.shape == shape and view.dtype == dtype
        assert view.strides == (view.itemsize, view.itemsize * shape[0])
        assert (view == want).all()
        assert view.ctypes.data % 64 == 0
    for n, view in enumerate(views):
        view[-1, 0] = 100 + n
        assert m[shape[0], 1] == 100 + n
    assert (m.to_numpy(copy=True) == m.to_numpy()).all()
    m.to_numpy(copy=True)[0, 0] = -1
    assert m[1, 1] != -1
    assert m[[1, 1]] == m[(1, 1)] == m[np.int64(1), np.int8(1)]


def test_spec_b4_long_double_has_no_dlpack():
    m = class_of((6, 6), "longdouble").identity()
    for keywords in ({}, {"max_version": (1, 0)}, {"copy": True}):
        with pytest.raises(BufferError, match="long double"):
            m.__dlpack__(**keywords)
    assert np.asarray(m).dtype == np.longdouble
    assert m.__array_interface__["typestr"] == "<f16"


def test_rows_and_columns_have_one_index(case):
    cls, shape, _ = case
    m, want = filled(cls, shape)
    if 1 in shape:
        for n, x in enumerate(want.ravel()):
            assert m[n + 1] == x
        m[2] = 50.0
        assert m.to_numpy().ravel()[1] == 50.0
        with pytest.raises(IndexError):
            m[0]
    else:
        with pytest.raises(TypeError):
            m[1]


def test_bad_index_changes_nothing(case):
    cls, (rows, columns), _ = case
    m, want = filled(cls, (rows, columns))
    for bad in ((0, 1), (1, 0), (rows + 1, 1), (1, columns + 1), (-1, 1), (1, -1), (10**30, 1)):
        for error in (IndexError, RuntimeError, _core.IndexRangeError):
            with pytest.raises(error):
                m[bad]
            with pytest.raises(error):
                m[bad] = 7
    for bad in ((1, 1, 1), (1.0, 1), "ab", None, (), slice(0, 1), (slice(0, 1), 1)):
        with pytest.raises(TypeError):
            m[bad]
        with pytest.raises(TypeError):
            m[bad] = 7
    with pytest.raises(TypeError):
        m[1, 1] = "x"
    with pytest.raises(TypeError):
        del m[1, 1]
    assert (m.to_numpy() == want).all()


def test_input_is_read_in_memory_order(case):
    cls, shape, _dtype = case
    numbers = np.arange(1.0, shape[0] * shape[1] + 1)
    want = numbers.reshape(shape, order="F")
    nested = numbers.reshape(shape).tolist()
    if 1 in shape:
        assert (cls(numbers).to_numpy() == want).all()
        assert (cls(numbers.tolist()).to_numpy() == want).all()
    for source in (nested, numbers.reshape(shape), numbers.reshape(shape[::-1]), np.asfortranarray(want),
                   numbers.reshape(shape).astype(np.float32), numbers.reshape(shape).astype(int)):  # fmt: skip
        assert (cls(source).to_numpy() == want).all()
    m = cls(want)
    for other in (cls(m), cls(m.to_numpy()), copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert type(other) is cls
        other.set_val(0.0)
        assert (m.to_numpy() == want).all()


def test_bad_input(case):
    cls, shape, _ = case
    for bad in (np.zeros((2, 2)), np.zeros((7, 6)), np.zeros(37), np.zeros((1, *shape)), 3.0, []):
        with pytest.raises(ValueError, match="needs"):
            cls(bad)
    if 1 not in shape:
        with pytest.raises(ValueError, match="needs"):
            cls(np.zeros(shape[0] * shape[1]))
    for bad in (None, [["a"] * shape[1]] * shape[0], object()):
        with pytest.raises((TypeError, ValueError)):
            cls(bad)


def test_algebra(case):
    cls, shape, dtype = case
    m, x = filled(cls, shape)
    other, y = filled(cls, shape, np.linspace(-2.0, 3.0, shape[0] * shape[1]).reshape(shape).astype(dtype))
    close = {"rtol": 1e-5} if dtype is np.float32 else {"rtol": 1e-13}
    for got, want in ((m + other, x + y), (m - other, x - y), (-m, -x), (m * 2, x * 2), (2.5 * m, x * 2.5)):
        assert type(got) is cls
        np.testing.assert_allclose(got.to_numpy().astype(float), want.astype(float), **close)
    assert m.sum() == x.sum()
    assert m.dot(other) == pytest.approx(float((x * y).sum()), rel=1e-5)
    assert other.prod() == pytest.approx(float(y.prod()), rel=1e-4)
    assert (m.T.to_numpy() == x.T).all() and type(m.T).__name__ == f"SmallMatrix_{shape[1]}x{shape[0]}" + (
        cls.__name__[len("SmallMatrix_6x6") :]
    )
    assert m.set_val(4.0) is m and (m.to_numpy() == 4.0).all()
    assert (cls.zero().to_numpy() == 0.0).all() and (cls().to_numpy() == 0.0).all()
    if shape[0] == shape[1]:
        m, x = filled(cls, shape)
        assert (cls.identity().to_numpy() == np.eye(6)).all()
        assert m.trace() == np.trace(x)
        assert m.transpose_in_place() is m and (m.to_numpy() == x.T).all()
    else:
        assert not hasattr(m, "trace") and not hasattr(m, "identity") and not hasattr(m, "transpose_in_place")
    for operation in (operator.add, operator.sub, operator.mul):
        for bad in ("x", None, [1], class_of((6, 3) if shape == (3, 6) else (3, 6), "double")()):
            if operation is operator.mul and hasattr(bad, "row_size") and cls.__name__.endswith("_double"):
                continue
            with pytest.raises(TypeError):
                operation(m, bad)


@pytest.mark.parametrize("word", TYPES)
def test_products(word):
    done = 0
    for a, b in itertools.product(SHAPES, SHAPES):
        m, x = filled(class_of(a, word), a)
        n, y = filled(class_of(b, word), b)
        if a[1] == b[0] and (a[0], b[1]) in SHAPES:
            product = m * n
            assert type(product) is class_of((a[0], b[1]), word)
            np.testing.assert_allclose(product.to_numpy().astype(float), x @ y)
            done += 1
        else:
            with pytest.raises(TypeError):
                m * n
    assert done == 13


def test_spec_b5_views_outlive_the_matrix(case):
    cls, shape, dtype = case
    makers = [lambda m: m.to_numpy(), np.asarray, lambda m: np.asarray(memoryview(m))]
    if dtype is not np.longdouble:
        makers.append(np.from_dlpack)
    for make in makers:
        m, want = filled(cls, shape)
        view, doubled, transposed = make(m), make(m * 2.0), make(m.T)
        del m
        gc.collect()
        junk = [cls().set_val(7.0) for _ in range(100)]
        assert (view == want).all() and (doubled == 2 * want).all() and (transposed == want.T).all()
        assert len(junk) == 100


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=36, max_size=36), st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6))
def test_algebra_of_any_numbers(numbers, vector):
    a = np.array(numbers).reshape(6, 6)
    m = class_of((6, 6))(np.asfortranarray(a))
    v = class_of((6, 1))(vector)
    np.testing.assert_allclose((m * v).to_numpy().ravel(), a @ np.array(vector), atol=1e-6)
    np.testing.assert_allclose((v.T * m).to_numpy().ravel(), np.array(vector) @ a, atol=1e-6)
    np.testing.assert_allclose((m * m).to_numpy(), a @ a, atol=1e-6)
    assert (m.T.T.to_numpy() == a).all()
    assert (m + m - m).to_numpy() == pytest.approx(a, abs=1e-9)


def test_repr_and_not_initialized():
    m = class_of((3, 1)).zero()
    m[2] = 1.5
    assert repr(m) == "SmallMatrix_3x1_F_SI1_double([[0.0], [1.5], [0.0]])"
    raw = class_of((6, 6)).__new__(class_of((6, 6)))
    for call in (lambda m: m[1, 1], np.asarray, lambda m: m.to_numpy()):
        with pytest.raises((RuntimeError, TypeError, BufferError)):
            call(raw)
