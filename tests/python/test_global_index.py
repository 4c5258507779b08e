# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Global indexing `mfab[...]` against a NumPy array of the whole domain, and the views of single boxes."""

import importlib
import itertools
import threading

import numpy as np
import pytest
from devices import assign, host, host_only
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy_versions import OLD

SPACES = {dim: importlib.import_module(f"amrex.space{dim}d") for dim in (1, 2, 3)}
START = ["amrex.verbose=0", "amrex.signal_handling=0"]
KINDS = {"MultiFab": np.float64, "iMultiFab": np.int32, "fMultiFab": np.float32}


@pytest.fixture(scope="module", autouse=True)
def running():
    SPACES[3].initialize(START)
    yield
    SPACES[3].finalize()


class Field:
    """A field and the array of all its cells, ghosts at the rim included, that it must equal."""

    def __init__(self, dim, low, size, cut, ncomp, ngrow, kind="MultiFab", nodal=False):
        amr = SPACES[dim]
        self.dim, self.ncomp, self.ngrow = dim, ncomp, ngrow
        self.low = list(low)[:dim]
        box = amr.Box(amr.IntVect(*self.low), amr.IntVect(*(lo + n - 1 for lo, n in zip(self.low, size, strict=False))))
        boxes = amr.BoxArray(box)
        boxes.max_size(cut)
        if nodal:
            boxes.surroundingNodes()
        self.size = [n + nodal for n in size[:dim]]
        self.mfab = getattr(amr, kind)(boxes, amr.DistributionMapping(boxes), ncomp, ngrow)
        shape = [n + 2 * ngrow for n in self.size] + [ncomp]
        self.array = np.arange(1, np.prod(shape) + 1).reshape(shape, order="F").astype(KINDS[kind])
        for here, mfi in self.boxes():
            fab = self.mfab.array(mfi)
            assign(fab, self.array[here].reshape(host(fab).shape, order="F"))

    def boxes(self):
        """For each box: where its cells, ghosts included, lie in the array, and the MFIter."""
        for mfi in self.mfab:
            box = mfi.fabbox()
            corners = zip(box.small_end, box.big_end, self.low, strict=True)
            yield tuple(slice(a - lo + self.ngrow, b - lo + self.ngrow + 1) for a, b, lo in corners), mfi

    def fab(self, mfi):
        """The values of a box with one axis per direction, then components."""
        array = host(self.mfab.array(mfi))
        return array.reshape(array.shape[: self.dim] + array.shape[3:], order="F") if self.dim < 3 else array

    def check(self):
        """Every copy of every cell has the value of the array."""
        for here, mfi in self.boxes():
            np.testing.assert_array_equal(self.fab(mfi), self.array[here])


@st.composite
def items(draw, low, high, ghosts):
    """One item of an index, and the positions (0 is the first ghost cell) that it means."""
    first, last = low - ghosts, high + ghosts
    kind = draw(st.sampled_from(("int", "back", "ghost", "slice", "down", "all", "ghosts")))
    if kind == "int":
        value = draw(st.integers(max(first, 0), max(last, 0)))
        assume(first <= value <= last)
        return draw(st.sampled_from((value, np.int64(value)))), [value - first]
    if kind == "back":
        value = draw(st.integers(low - high - 1, -1))
        return value, [high + 1 + value - first]
    if kind == "ghost":
        value = draw(st.integers(-ghosts, ghosts))
        return complex(0, value), [(low if value <= 0 else high) + value - first]
    if kind == "all":
        return slice(None), list(range(low - first, high - first + 1))
    if kind == "ghosts":
        return (), list(range(last - first + 1))
    step = draw(st.integers(1, 4)) * (1 if kind == "slice" else -1)
    start, stop = draw(st.integers(first, last)), draw(st.integers(first, last + 1))
    start_item = written(draw, start, low, high)
    stop_item = written(draw, stop, low, high)
    if draw(st.booleans()):
        start, start_item = (low if step > 0 else high), None
    if draw(st.booleans()):
        stop, stop_item = (high + 1 if step > 0 else low - 1), None
    assume(start_item is not Ellipsis and stop_item is not Ellipsis)
    return slice(start_item, stop_item, step), [i - first for i in range(start, stop, step)]


def written(draw, index, low, high):
    """A way to write a global index; Ellipsis if there is none."""
    ways = []
    if index >= 0:
        ways.append(index)
    if low <= index <= high:
        ways.append(index - high - 1)
    if index <= low:
        ways.append(complex(0, index - low))
    if index > high:
        ways.append(complex(0, index - high))
    return draw(st.sampled_from(ways)) if ways else Ellipsis


@st.composite
def fields(draw):
    """The arguments of a Field."""
    return (
        draw(st.sampled_from((1, 2, 3))),
        draw(st.sampled_from(((0, 0, 0), (3, -4, 7), (-9, 2, -1)))),
        draw(st.sampled_from(((9, 6, 5), (8, 1, 4), (1, 7, 3)))),
        draw(st.sampled_from((2, 3, 100))),
        draw(st.integers(1, 3)),
        draw(st.integers(0, 2)),
        draw(st.sampled_from(tuple(KINDS))),
        draw(st.booleans()),
    )


@st.composite
def indexed(draw):
    key = draw(fields())
    dim, low, size, _, ncomp, ngrow, _, nodal = key
    index, positions = [], []
    for d in range(dim):
        item, where = draw(items(low[d], low[d] + size[d] - 1 + nodal, ngrow))
        index.append(item)
        positions.append(where)
    item, where = draw(items(0, ncomp - 1, 0))
    index.append(item)
    positions.append(where)
    return key, tuple(index), positions


@settings(max_examples=400, deadline=None)
@given(indexed())
def test_reads_equal_the_array(case):
    key, index, positions = case
    field = Field(*key)
    want = field.array[np.ix_(*positions)]
    got = field.mfab[index]
    if want.size == 1:
        assert np.ndim(got) == 0
        assert isinstance(got, KINDS[key[6]])
    else:
        assert got.dtype == KINDS[key[6]]
        assert got.shape == tuple(n for n in want.shape if n != 1)
    np.testing.assert_array_equal(np.reshape(got, want.shape, order="F"), want)


@settings(max_examples=400, deadline=None)
@given(indexed(), st.sampled_from(("scalar", "full", "squeezed", "cells", "repeat", "c_order")))
def test_writes_reach_every_copy(case, how):
    key, index, positions = case
    field = Field(*key)
    where = np.ix_(*positions)
    shape = field.array[where].shape
    value = -np.arange(1, np.prod(shape) + 1).reshape(shape, order="F")
    if how == "scalar":
        field.mfab[index] = -5
        field.array[where] = -5
    elif how == "full":
        field.mfab[index] = value
        field.array[where] = value
    elif how == "squeezed":
        field.mfab[index] = value.squeeze().astype(KINDS[key[6]])
        field.array[where] = value
    elif how == "c_order":
        field.mfab[index] = np.ascontiguousarray(value)
        field.array[where] = value
    elif how == "cells":  # no axis of components: all get the value
        field.mfab[index] = value[..., 0] if value.size else value
        if value.size:
            field.array[where] = value[..., :1]
    else:
        field.mfab[index] = value[:1] if value.size else value
        if value.size:
            field.array[where] = value[:1]
    field.check()


def field3(**changes):
    key = {"dim": 3, "low": (2, 3, 4), "size": (6, 5, 4), "cut": 3, "ncomp": 2, "ngrow": 2} | changes
    return Field(**key)


def test_whole_domain():
    field = field3()
    inner = field.array[2:-2, 2:-2, 2:-2]
    np.testing.assert_array_equal(field.mfab[...], inner)
    np.testing.assert_array_equal(field.mfab[:], inner)
    np.testing.assert_array_equal(field.mfab[()], field.array)
    np.testing.assert_array_equal(field.mfab[..., 1], inner[..., 1])
    np.testing.assert_array_equal(field.mfab[3], inner[1])
    np.testing.assert_array_equal(field.mfab[3, ...], inner[1])
    np.testing.assert_array_equal(field.mfab[3, ..., 0], inner[1, ..., 0])
    assert field.mfab[...].flags.f_contiguous
    assert field.mfab[...].flags.owndata


def test_spec_s28_read_and_write_by_global_index():
    field = field3(ncomp=1)
    field.mfab[-1j:2j, :, (), 0] = 42.0
    field.array[1:-1, 2:-2, :] = 42.0
    field.check()
    part = field.mfab[:, 1j, 5]
    field.mfab[:, -1, 5] = 2 * part
    field.array[2:-2, -3, 3] = 2 * field.array[2:-2, -2, 3]
    field.check()


@pytest.mark.parametrize("ngrow", [0, 1, 2, 3])
def test_imaginary_ends_of_slices_stop_at_the_last_ghost_cell(ngrow):
    field = field3(ngrow=ngrow)
    low, high = (max(0, ngrow - n) for n in (2, 2))
    whole = field.array[low : field.array.shape[0] - high]
    cells = whole[:, ngrow : ngrow + 5, ngrow : ngrow + 4]
    np.testing.assert_array_equal(field.mfab[-2j:3j], cells)
    np.testing.assert_array_equal(field.mfab[2j:-3j:-1], cells[::-1])
    field.mfab[-2j:3j, :, (), 0] = 42.0
    whole[:, ngrow : ngrow + 5, :, 0] = 42.0
    field.check()


OUTSIDE = {
    "int": np.s_[10],
    "int_low": np.s_[-7],
    "far": np.s_[10**30],
    "ghost": np.s_[3j],
    "ghost_low": np.s_[:, -3j],
    "slice": np.s_[2:99],
    "component": np.s_[3, 4, 5, 2],
    "component_back": np.s_[3, 4, 5, -3],
    "component_ghost": np.s_[3, 4, 5, 1j],
    "many": np.s_[3, 4, 5, 0, 0],
    "dots": (Ellipsis, Ellipsis),
}
WRONG = {
    "none": None,
    "bool": True,
    "numpy_bool": np.True_,
    "mask": np.ones((6, 5, 4), dtype=bool),
    "list": [2, 3],
    "array": np.array([2, 3]),
    "float": 2.0,
    "text": "x",
    "step": np.s_[::1.5],
    "bound": np.s_[2.5:4],
    "half_ghost": 0.5j,
    "real_part": 1 + 1j,
    "inner_tuple": ((1, 2), 3),
}


@pytest.mark.parametrize(
    ("index", "error"),
    [(i, IndexError) for i in OUTSIDE.values()] + [(i, TypeError) for i in WRONG.values()] + [(np.s_[::0], ValueError)],
)
def test_bad_indices_change_nothing(index, error):
    field = field3()
    with pytest.raises(error):
        field.mfab[index]
    with pytest.raises(error):
        field.mfab[index] = 5.0
    field.check()


@pytest.mark.parametrize(
    ("index", "value", "error"),
    [
        (Ellipsis, np.zeros((5, 5)), ValueError),
        (Ellipsis, np.zeros((6, 5, 4, 3)), ValueError),
        (Ellipsis, np.zeros((6, 5, 3)), ValueError),
        (np.s_[:, 4, 5, 0], np.zeros(5), ValueError),
        (np.s_[3, 4, 5, 0], np.zeros(2), ValueError),
        (np.s_[3, 4, 5, 0], "a", TypeError),
        (np.s_[3, 4, 5, 0], None, TypeError),
        (np.s_[3, 4, 5, 0], 1j, TypeError),
        (Ellipsis, np.zeros((6, 5, 4), dtype="M8[s]"), TypeError),
        (Ellipsis, [[1.0], [1.0, 2.0]], ValueError),
    ],
)
def test_bad_values_change_nothing(index, value, error):
    field = field3()
    with pytest.raises(error):
        field.mfab[index] = value
    field.check()


def test_a_wrong_shape_is_named_with_the_right_one():
    with pytest.raises(ValueError, match=r"\(5, 5\).*\(6, 5, 4, 2\)"):
        field3().mfab[...] = np.zeros((5, 5))


def test_cells_cannot_be_deleted():
    with pytest.raises(TypeError, match="deleted"):
        del field3().mfab[3, 4, 5]


@pytest.mark.skipif(OLD, reason="NumPy before 2 wraps Python integers that do not fit, with a warning")
def test_integers_that_do_not_fit_are_refused():
    field = field3(kind="iMultiFab")
    with pytest.raises(OverflowError):
        field.mfab[3, 4, 5, 0] = 2**40
    field.check()


@host_only
def test_values_of_the_field_itself():
    field = field3(ncomp=1, cut=100)
    view = field.mfab.ghost_views()[0]
    field.mfab[()] = view[::-1]  # read and written in the same memory
    field.array = field.array[::-1].copy()
    field.check()
    field.mfab[...] = field.mfab[::-1]
    field.array[2:-2, 2:-2, 2:-2] = field.array[2:-2, 2:-2, 2:-2][::-1].copy()
    field.check()


def test_unaligned_and_foreign_values():
    field = field3(ncomp=1)
    inner = (slice(2, -2),) * 3
    packed = np.zeros((6, 5, 4), dtype=np.dtype([("a", "i4"), ("b", "f8")]))
    packed["b"] = np.arange(120).reshape(6, 5, 4)
    for value in (
        packed["b"],
        packed["b"].astype(">f8"),
        packed["b"].astype("f2"),
        packed["b"].tolist(),
        packed["b"] > 7,
    ):
        field.mfab[...] = value
        field.array[(*inner, 0)] = value
        field.check()


def layouts_with_holes(dim):
    """Boxes, as corners, that do not fill what is around them; some overlap, some are planes of nodes."""
    far = [0] * (dim - 1)
    yield [([0, *far], [1, *[3] * (dim - 1)]), ([4, *far], [5, *[3] * (dim - 1)])], [0] * dim
    yield [([9, *far], [9, *far]), ([4, *far], [5, *far]), ([0, *far], [1, *far])], [0] * dim
    yield [([0, *far], [0, *[4] * (dim - 1)]), ([5, *far], [5, *[4] * (dim - 1)])], [1] * dim
    yield [([0, *far], [3, *far]), ([2, *far], [4, *far]), ([8, *far], [9, *far])], [0] * dim
    if dim > 1:
        one = [0] * (dim - 2)
        yield [([0, 0, *one], [1, 1, *one]), ([2, 0, *one], [3, 1, *one]), ([0, 2, *one], [1, 3, *one])], [0] * dim


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("ngrow", [0, 1, 2])
@pytest.mark.parametrize("order", [1, -1])
def test_cells_between_boxes_are_those_of_the_last_box_with_ghosts_there(dim, ngrow, order):
    amr = SPACES[dim]
    for corners, types in layouts_with_holes(dim):
        corners = corners[::order]
        boxes = amr.BoxArray([amr.Box(amr.IntVect(*a), amr.IntVect(*b), amr.IntVect(*types)) for a, b in corners])
        mfab = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, ngrow)
        low = np.min([a for a, _ in corners], axis=0)
        high = np.max([b for _, b in corners], axis=0)
        expected = np.zeros(high - low + 1 + 2 * ngrow)
        held = np.zeros(expected.shape, bool)
        for number, mfi in enumerate(mfab):
            assign(mfab.array(mfi), float(number + 1))
        for number, (a, b) in enumerate(corners):  # ghost cells, wherever they are
            here = tuple(slice(x - lo, y - lo + 1 + 2 * ngrow) for x, y, lo in zip(a, b, low, strict=True))
            expected[here] = number + 1
            held[here] = True
        for number, (a, b) in enumerate(corners):  # valid cells, and the ghosts beyond the rim of the domain
            sides = zip(a, b, low, high, strict=True)
            here = [(x - lo + ngrow * (x != lo), y - lo + 1 + ngrow * (1 + (y == hi))) for x, y, lo, hi in sides]
            expected[tuple(slice(p, q) for p, q in here)] = number + 1
        whole = mfab[()].reshape(expected.shape, order="F")
        np.testing.assert_array_equal(whole, expected)
        for at in np.ndindex(expected.shape):  # one cell at a time; -1j is the first ghost cell below
            cell = [int(x) + int(lo) - ngrow for x, lo in zip(at, low, strict=True)]
            key = tuple(complex(0, c) if c < 0 else c for c in cell)
            if held[at]:
                assert mfab[key] == expected[at]
                mfab[key] = 100.0 + expected[at]
                assert mfab[key] == 100.0 + expected[at]
                mfab[key] = expected[at]
            else:
                with pytest.raises(IndexError, match="no box"):
                    mfab[key]
        values = np.arange(1.0, expected.size + 1).reshape(expected.shape, order="F")
        mfab[()] = values  # what was written is read again, wherever a box has the cell
        np.testing.assert_array_equal(mfab[()].reshape(expected.shape, order="F"), np.where(held, values, 0.0))


def test_holes_read_as_zero():
    amr = SPACES[2]
    boxes = amr.BoxArray([amr.Box(amr.IntVect(0, 0), amr.IntVect(1, 1)), amr.Box(amr.IntVect(4, 0), amr.IntVect(5, 1))])
    mfab = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    mfab[...] = 7.0
    np.testing.assert_array_equal(mfab[:, 0], [7, 7, 0, 0, 7, 7])
    with pytest.raises(IndexError, match="no box"):
        mfab[2, 0]
    with pytest.raises(IndexError, match="no box"):
        mfab[2, 0] = 1.0
    mfab[1:5, 1] = [1, 2, 3, 4]
    np.testing.assert_array_equal(mfab[:, 1], [7, 1, 0, 0, 4, 7])


def test_where_boxes_overlap_the_last_one_is_read_and_all_are_written():
    field = field3(ncomp=1, ngrow=0, nodal=True)
    for number, mfi in enumerate(field.mfab):
        assign(field.mfab.array(mfi), float(number))
    assert field.mfab[5, 3, 4] == 1.0  # node between box 0 and box 1
    assert field.mfab[:, 3, 4][3] == 1.0
    field.mfab[5, 3, 4] = -1.0
    holding = [mfi.index for mfi in field.mfab if (host(field.mfab.array(mfi)) == -1.0).any()]
    assert len(holding) == 2


@host_only
@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("order", ["F", "C"])
def test_views_of_boxes(dim, order):
    field = Field(dim, (2, 3, 4), (6, 5, 4), 3, 2, 1)
    valid, ghosts = field.mfab.valid_views(order), field.mfab.ghost_views(order)
    assert len(valid) == len(ghosts) == field.mfab.size
    for view, whole, (here, mfi) in zip(valid, ghosts, field.boxes(), strict=True):
        if order == "C":
            view, whole = view.T, whole.T
        assert view.ndim == whole.ndim == 4
        inner = tuple(slice(1, -1) if d < dim else slice(None) for d in range(3))
        assert np.shares_memory(view, whole)
        np.testing.assert_array_equal(view, whole[inner])
        np.testing.assert_array_equal(whole, field.mfab.array(mfi).to_numpy())
        np.testing.assert_array_equal(whole.reshape(field.array[here].shape, order="F"), field.array[here])
        view[...] = -1.0
        assert (whole[inner] == -1.0).all()
    del mfi
    kept = valid[0]
    field.mfab.clear()
    assert (kept == -1.0).all()
    with pytest.raises(ValueError, match="order"):
        Field(dim, (2, 3, 4), (6, 5, 4), 3, 1, 1).mfab.valid_views("K")


def test_a_cleared_field_is_refused():
    field = field3()
    field.mfab.clear()
    for index in (Ellipsis, (3, 4, 5)):
        with pytest.raises(RuntimeError):
            field.mfab[index]
        with pytest.raises(RuntimeError):
            field.mfab[index] = 1.0


def test_an_object_without_init_is_refused():
    bare = SPACES[3].MultiFab.__new__(SPACES[3].MultiFab)
    with pytest.raises(RuntimeError):
        bare[...]
    with pytest.raises(RuntimeError):
        bare[...] = 1.0


def test_subclasses_and_many_threads():
    class Named(SPACES[3].MultiFab):
        pass

    amr = SPACES[3]
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(31, 31, 31)))
    boxes.max_size(8)
    mfab = Named(boxes, amr.DistributionMapping(boxes), 1, 1)
    mfab[()] = 0.0
    want = np.arange(32.0**3).reshape(32, 32, 32)
    problems = []

    def work(k):
        for _ in range(20):
            mfab[:, :, 4 * k : 4 * k + 4] = want[:, :, 4 * k : 4 * k + 4]
            if not np.array_equal(mfab[:, :, 4 * k : 4 * k + 4], want[:, :, 4 * k : 4 * k + 4]):
                problems.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    np.testing.assert_array_equal(mfab[...], want)


def test_one_cell_among_many_boxes():
    amr = SPACES[2]
    boxes = amr.BoxArray(amr.Box(amr.IntVect(-64, -64), amr.IntVect(63, 63)))
    boxes.max_size(2)
    mfab = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    assert boxes.size == 4096
    want = np.arange(128.0 * 128).reshape(128, 128)
    mfab[...] = want
    for i, j in itertools.product(range(0, 64, 9), repeat=2):
        assert mfab[i, j] == want[i + 64, j + 64]
        assert mfab[-1 - i, -1 - j] == want[127 - i, 127 - j]
    for i, j in itertools.product(range(0, 64, 9), repeat=2):
        mfab[i, j] = -3.0
        assert mfab[i, j] == -3.0
