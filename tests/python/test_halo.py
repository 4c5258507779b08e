# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Ghost cells, sums and copies between layouts against NumPy arrays of the whole domain."""

import importlib
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SPACES = {dim: importlib.import_module(f"amrex.space{dim}d") for dim in (1, 2, 3)}
# On a device: memory that the host reaches too, for these tests read and write fields as arrays of NumPy.
START = ["amrex.verbose=0", "amrex.signal_handling=0", "amrex.the_arena_is_managed=1"]
KINDS = {"MultiFab": np.float64, "iMultiFab": np.int32, "fMultiFab": np.float32}


@pytest.fixture(scope="module", autouse=True)
def running():
    SPACES[3].initialize(START)
    yield
    SPACES[3].finalize()


def vect(amr, values):
    return amr.IntVect(*values)


def make(amr, size, cut, ncomp=1, ngrow=None, kind="MultiFab", nodal=None):
    """A field on a domain from 0, cut into boxes."""
    boxes = amr.BoxArray(amr.Box(vect(amr, [0] * len(size)), vect(amr, [n - 1 for n in size])))
    boxes.max_size(vect(amr, cut))
    if nodal is not None:
        boxes.convert(vect(amr, nodal))
    ngrow = ngrow or [0] * len(size)
    return getattr(amr, kind)(boxes, amr.DistributionMapping(boxes), ncomp, vect(amr, ngrow))


def fabs(field, box="validbox"):
    """For each box: its low corner, its points (valid, or with ghosts) as an array with one axis per direction."""
    for mfi in field:
        part, full = getattr(mfi, box)(), mfi.fabbox()
        low, dim = list(part.small_end), len(list(part.small_end))
        inner = tuple(slice(a - f, b - f + 1) for a, b, f in zip(low, part.big_end, full.small_end, strict=True))
        array = field.array(mfi).to_numpy()
        view = array[(slice(None),) * dim + (0,) * (3 - dim)]
        yield low, view[inner]


def put(field, array):
    """Write a global array (with components) to all valid points."""
    for low, fab in fabs(field):
        fab[...] = array[tuple(slice(lo, lo + n) for lo, n in zip(low, fab.shape[:-1], strict=True))]


@st.composite
def cases(draw):
    dim = draw(st.integers(1, 3))
    lists = lambda lo, hi: draw(st.lists(st.integers(lo, hi), min_size=dim, max_size=dim))  # noqa: E731
    return {
        "amr": SPACES[dim],
        "size": lists(1, 9),
        "cut": lists(2, 6),
        "ngrow": lists(0, 3),
        "periodic": lists(0, 1),
        "ncomp": draw(st.integers(1, 3)),
        "kind": draw(st.sampled_from(sorted(KINDS))),
        "seed": draw(st.integers(0, 999)),
    }


def field_of(case):
    amr, size = case["amr"], case["size"]
    field = make(amr, size, case["cut"], case["ncomp"], case["ngrow"], case["kind"])
    random = np.random.default_rng(case["seed"])
    whole = random.integers(-99, 99, [*size, case["ncomp"]]).astype(KINDS[case["kind"]])
    period = amr.Periodicity(vect(amr, [n * p for n, p in zip(size, case["periodic"], strict=True)]))
    return field, whole, period


def with_ghosts(whole, ngrow, periodic, outside):
    """The array with ghost layers: wrapped where periodic, else `outside`."""
    for axis, (n, wraps) in enumerate(zip(ngrow, periodic, strict=True)):
        pad = [(0, 0)] * whole.ndim
        pad[axis] = (n, n)
        kind = {"mode": "wrap"} if wraps else {"mode": "constant", "constant_values": outside}
        whole = np.pad(whole, pad, **kind)
    return whole


def window(low, shape, ngrow):
    return tuple(slice(lo + g, lo + g + n) for lo, g, n in zip(low, ngrow, shape, strict=False))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_fill_boundary_is_np_pad(case):
    field, whole, period = field_of(case)
    field.set_val(-7777)
    put(field, whole)
    field.fill_boundary(period)
    padded = with_ghosts(whole, case["ngrow"], case["periodic"], -7777)
    for low, fab in fabs(field, "fabbox"):
        np.testing.assert_array_equal(fab, padded[window(low, fab.shape[:-1], case["ngrow"])])


@settings(max_examples=60, deadline=None)
@given(cases(), st.data())
def test_fill_boundary_of_some_ghosts_and_components(case, data):
    amr = case["amr"]
    field, whole, period = field_of(case)
    nghost = [data.draw(st.integers(0, n)) for n in case["ngrow"]]
    scomp = data.draw(st.integers(0, case["ncomp"] - 1))
    ncomp = data.draw(st.integers(1, case["ncomp"] - scomp))
    field.set_val(-7777)
    put(field, whole)
    field.fill_boundary(scomp=scomp, ncomp=ncomp, nghost=vect(amr, nghost), period=period)
    padded = with_ghosts(whole, case["ngrow"], case["periodic"], -7777)
    for (low, fab), (start, valid) in zip(fabs(field, "fabbox"), fabs(field), strict=True):
        want = np.full_like(fab, -7777)
        inner = window(
            [-n for n in nghost], [n + 2 * g for n, g in zip(valid.shape, nghost, strict=False)], case["ngrow"]
        )
        comps = slice(scomp, scomp + ncomp)
        source = padded[window(low, fab.shape[:-1], case["ngrow"])]
        want[(*inner, comps)] = source[(*inner, comps)]
        own = window([0] * len(start), valid.shape[:-1], case["ngrow"])
        want[own] = source[own]
        np.testing.assert_array_equal(fab, want)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_sum_boundary_adds_every_ghost_once(case):
    field, whole, period = field_of(case)
    random = np.random.default_rng(case["seed"])
    total = np.zeros_like(whole)
    for low, fab in fabs(field, "fabbox"):
        fab[...] = random.integers(-99, 99, fab.shape)
        index, keep = [], []
        for lo, n, size, wraps in zip(low, fab.shape, case["size"], case["periodic"], strict=False):
            i = np.arange(lo, lo + n)
            index.append(i % size)
            keep.append(np.ones(n, bool) if wraps else (i >= 0) & (i < size))
        kept = fab[np.ix_(*keep)]
        np.add.at(total, np.ix_(*(i[k] for i, k in zip(index, keep, strict=True))), kept)
    field.sum_boundary(period, deterministic=True)
    for low, fab in fabs(field):
        np.testing.assert_array_equal(fab, total[window(low, fab.shape[:-1], [0] * len(low))])


@settings(max_examples=100, deadline=None)
@given(cases(), st.data())
def test_parallel_copy_between_layouts(case, data):
    amr, dim = case["amr"], len(case["size"])
    source, whole, period = field_of(case)
    put(source, whole)
    cut = [data.draw(st.integers(2, 6)) for _ in range(dim)]
    target = make(amr, case["size"], cut, case["ncomp"], case["ngrow"], case["kind"])
    target.set_val(5)
    none, ghosts = vect(amr, [0] * dim), vect(amr, case["ngrow"])
    target.parallel_copy(source, 0, 0, case["ncomp"], none, ghosts, period)
    padded = with_ghosts(whole, case["ngrow"], case["periodic"], 5)
    for low, fab in fabs(target, "fabbox"):
        np.testing.assert_array_equal(fab, padded[window(low, fab.shape[:-1], case["ngrow"])])
    target.parallel_copy(source, op="add")
    for low, fab in fabs(target):
        np.testing.assert_array_equal(fab, 2 * whole[window(low, fab.shape[:-1], [0] * dim)])


def test_cross_leaves_out_corners():
    amr = SPACES[2]
    field = make(amr, (4, 4), (2, 2), ngrow=(1, 1))
    for cross in (False, True):
        field.set_val(-1.0)
        put(field, np.ones((4, 4, 1)))
        field.fill_boundary(amr.Periodicity(amr.IntVect(4, 4)), cross=cross)
        for _, fab in fabs(field, "fabbox"):
            corners = fab[::3, ::3, 0]
            assert (corners == (-1.0 if cross else 1.0)).all()
            assert fab.sum() == (12 - 4 if cross else 16)


def test_period_shorter_than_the_ghosts_wraps_often():
    amr = SPACES[1]
    field = make(amr, (2,), (2,), ngrow=(7,))
    put(field, np.array([[3.0], [4.0]]))
    field.fill_boundary(amr.Periodicity(amr.IntVect(2)))
    [(_, fab)] = fabs(field, "fabbox")
    assert fab[:, 0].tolist() == [4, 3] * 8


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_shared_nodes(dim, kind):
    amr = SPACES[dim]
    field = make(amr, [6] * dim, [2] * dim, 2, [1] * dim, kind, nodal=[1] * dim)
    period = amr.Periodicity(amr.IntVect(6))
    for number, (_, fab) in enumerate(fabs(field)):
        fab[...] = number + 1
    before = [fab.copy() for _, fab in fabs(field)]
    owners = field.owner_mask(period)
    assert type(owners) is amr.iMultiFab
    assert owners.sum(0, amr.IntVect(0), False) == 6**dim

    count = field.overlap_mask(period)
    assert type(count) is getattr(amr, kind)
    assert [fab.sum() for _, fab in fabs(count)] == [(2 + 1 + 2) ** dim] * 3**dim  # the middle node is in one box

    other = make(amr, [6] * dim, [2] * dim, 2, [1] * dim, kind, nodal=[1] * dim)
    other.parallel_copy(field, 0, 0, 2, dst_nghost=amr.IntVect(1))
    for (_, fab), old in zip(fabs(other), before, strict=True):
        fab[...] = old
    field.override_sync(period)
    other.override_sync(owners, period)
    whole = np.zeros([6] * dim)
    for low, fab in reversed(list(fabs(field))):
        index = np.ix_(*(np.arange(lo, lo + 3) % 6 for lo in low))
        whole[index] = fab[..., 0]
    for (low, fab), (_, also) in zip(fabs(field), fabs(other), strict=True):
        index = np.ix_(*(np.arange(lo, lo + 3) % 6 for lo in low))
        assert (fab[..., 0] == whole[index]).all()
        assert (also == fab).all()


def test_average_and_weighted_sync():
    amr = SPACES[1]
    field = make(amr, (4,), (2,), nodal=(1,))
    (_, left), (_, right) = fabs(field)
    left[:, 0], right[:, 0] = (1, 2, 3), (5, 6, 7)
    field.average_sync(amr.Periodicity(amr.IntVect(4)))
    amr.synchronize()
    assert left[:, 0].tolist() == [4, 2, 4]
    assert right[:, 0].tolist() == [4, 6, 4]
    weight = make(amr, (4,), (2,), nodal=(1,))
    weight.set_val(0.25)
    field.weighted_sync(weight, amr.Periodicity(amr.IntVect(0)))
    amr.synchronize()
    assert left[:, 0].tolist() == [1, 0.5, 2]
    assert right[:, 0].tolist() == [2, 1.5, 1]


BAD = {
    "component": (IndexError, lambda amr, m, p: m.fill_boundary(2, 1, p)),
    "components": (IndexError, lambda amr, m, p: m.fill_boundary(0, 3, p)),
    "negative component": (IndexError, lambda amr, m, p: m.fill_boundary(-1, 1, p)),
    "negative count": (IndexError, lambda amr, m, p: m.sum_boundary(0, -1, p)),
    "too many ghosts": (ValueError, lambda amr, m, p: m.fill_boundary(0, 1, amr.IntVect(2, 1), p)),
    "negative ghosts": (ValueError, lambda amr, m, p: m.fill_boundary(amr.IntVect(-1, 0), p)),
    "sum ghosts": (ValueError, lambda amr, m, p: m.sum_boundary(0, 1, amr.IntVect(1, 4), p)),
    "sum source ghosts": (ValueError, lambda amr, m, p: m.sum_boundary(0, 1, amr.IntVect(9, 0), amr.IntVect(0, 0), p)),
    "copy component": (IndexError, lambda amr, m, p: m.parallel_copy(m, 0, 1, 2)),
    "copy op": (ValueError, lambda amr, m, p: m.parallel_copy(m, op="max")),
    "copy components": (ValueError, lambda amr, m, p: m.parallel_copy(make(amr, (8, 8), (4, 4), 1))),
    "copy index type": (ValueError, lambda amr, m, p: m.parallel_copy(make(amr, (8, 8), (4, 4), 2, nodal=(1, 0)))),
    "copy element type": (TypeError, lambda amr, m, p: m.parallel_copy(make(amr, (8, 8), (4, 4), 2, kind="iMultiFab"))),
    "other space": (TypeError, lambda amr, m, p: m.fill_boundary(SPACES[3].Periodicity(SPACES[3].IntVect(8)))),
    "override component": (IndexError, lambda amr, m, p: m.override_sync(1, 2, p)),
    "mask": (ValueError, lambda amr, m, p: m.override_sync(make(amr, (8, 8), (8, 8), kind="iMultiFab"), p)),
    "weight": (ValueError, lambda amr, m, p: m.weighted_sync(make(amr, (8, 8), (8, 8)), p)),
}


@pytest.mark.parametrize("what", BAD)
def test_errors_change_nothing(what):
    amr = SPACES[2]
    error, call = BAD[what]
    field = make(amr, (8, 8), (4, 4), 2, (1, 1))
    for number, (_, fab) in enumerate(fabs(field, "fabbox")):
        fab[...] = np.arange(fab.size).reshape(fab.shape) + 1000 * number
    before = [fab.copy() for _, fab in fabs(field, "fabbox")]
    with pytest.raises(error):
        call(amr, field, amr.Periodicity(amr.IntVect(8, 8)))
    for (_, fab), old in zip(fabs(field, "fabbox"), before, strict=True):
        np.testing.assert_array_equal(fab, old)


@pytest.mark.parametrize("empty", ["never defined", "cleared", "without memory"])
def test_a_field_without_memory_is_refused(empty):
    amr = SPACES[2]
    field = amr.MultiFab() if empty == "never defined" else make(amr, (8, 8), (4, 4), 1, (1, 1))
    if empty == "cleared":
        field.clear()
    if empty == "without memory":
        boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0), amr.IntVect(7, 7)))
        field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 1, amr.MFInfo().set_alloc(False))
    period = amr.Periodicity(amr.IntVect(8, 8))
    for call in (
        lambda: field.fill_boundary(period),
        lambda: field.sum_boundary(period),
        lambda: field.override_sync(period),
        lambda: field.average_sync(period),
        lambda: make(amr, (8, 8), (4, 4)).parallel_copy(field, 0, 0, 1),
    ):
        with pytest.raises(RuntimeError):
            call()


def test_clear_while_other_threads_fill():
    amr = SPACES[3]
    period = amr.Periodicity(amr.IntVect(16))
    for _ in range(20):
        field = make(amr, (16, 16, 16), (4, 4, 4), 2, (2, 2, 2))
        field.set_val(1.0)

        def work(field=field):
            try:
                while True:
                    field.fill_boundary(period)
                    field.sum_boundary(period)
            except RuntimeError:
                pass  # cleared

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        field.clear()
        for thread in threads:
            thread.join()
        assert not field.ok()


def test_plans_are_shared_and_cheap():
    """A second field over the same boxes uses the plan of the first: no time to build it again."""
    import time

    amr = SPACES[3]
    first = make(amr, (64, 64, 64), (4, 4, 4), 1, (1, 1, 1))
    second = amr.MultiFab(first.box_array(), first.dm(), 1, 1)
    period = amr.Periodicity(amr.IntVect(64))
    first.set_val(0.0)
    second.set_val(0.0)

    def seconds(field):
        start = time.process_time()
        field.fill_boundary(period)
        return time.process_time() - start

    build = seconds(first)
    again = min(seconds(second) for _ in range(5))
    assert again < build
