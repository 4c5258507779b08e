# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""FabArrays, fabs and loops: structure, lifetime, mistakes."""

import gc
import itertools
import sys
import threading
import weakref

import numpy as np
import pytest
from devices import host, host_only
from numpy_versions import WRITABLE_FROM_DLPACK

# On a device: memory that the host reaches too, for these tests read and write fields as arrays of NumPy.
ARGUMENTS = ["amrex.the_arena_is_managed=1"]


def layout(amr, n=8, chunk=4):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(n - 1)))
    boxes.max_size(chunk)
    return boxes, amr.DistributionMapping(boxes)


def field(amr, value=3.0, ncomp=1, ngrow=0, n=8, chunk=4, kind="MultiFab"):
    made = getattr(amr, kind)(*layout(amr, n, chunk), ncomp, ngrow)
    made.set_val(value)
    return made


def dim(amr):
    return amr.Config.spacedim


def corners(loop):
    return [tuple(mfi.validbox().small_end) for mfi in loop]


# ---- loops


def test_a_loop_visits_every_box_in_order(amr):
    made = field(amr)
    want = [tuple(made.box_array()[n].small_end) for n in range(2 ** dim(amr))]
    assert corners(made) == want
    assert [mfi.index for mfi in made] == list(range(len(want)))
    assert iter(made).is_valid
    assert iter(made).length == len(made) == len(want)


def test_kept_iterators_are_objects_of_their_own(amr):
    made = field(amr)
    kept = list(made)
    assert len({id(mfi) for mfi in kept}) == len(made)
    assert [mfi.index for mfi in kept] == list(range(len(made)))
    pairs = [(a.index, b.index) for a, b in zip(made, made, strict=True)]
    assert pairs == [(n, n) for n in range(len(made))]


def test_a_plain_loop_reuses_two_objects(amr):
    made = field(amr, n=16, chunk=2)
    assert len({id(mfi) for mfi in made}) <= 2


def test_nested_loops(amr):
    made = field(amr)
    seen = [(a.index, b.index, a.index) for a in made for b in made]
    count = len(made)
    assert seen == [(a, b, a) for a in range(count) for b in range(count)]


def test_break_and_exceptions(amr):
    made = field(amr)
    for mfi in made:  # noqa: B007
        break
    assert corners(made)[0] == tuple(mfi.validbox().small_end)
    kept = []
    try:
        for mfi in made:
            raise KeyError(mfi.index)
    except KeyError as error:
        kept.append(error)
    assert len(corners(made)) == len(made)


def test_the_loop_variable_stays_at_the_last_box(amr):
    made = field(amr)
    for mfi in made:  # noqa: B007
        pass
    assert mfi.index == len(made) - 1
    assert made.array(mfi).size == 4 ** dim(amr)


def test_an_iterator_outlives_its_field(amr):
    made = field(amr)
    loop = iter(made)
    del made
    gc.collect()
    assert len([mfi.fabbox() for mfi in loop]) == 2 ** dim(amr)


def test_loops_in_threads(amr):
    made = field(amr, n=16, chunk=4)
    want, problems = corners(made), []

    def walk():
        for _ in range(50):
            if corners(made) != want:
                problems.append("wrong boxes")

    threads = [threading.Thread(target=walk) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_tiles_partition_each_box(amr):
    made = field(amr, n=10, chunk=5, ngrow=1)
    info = amr.MFItInfo().enable_tiling(amr.IntVect(2))
    loop = amr.MFIter(made, info)
    cells = {}
    steps = 0
    while loop.is_valid:
        for point in loop.tilebox():
            cells.setdefault(loop.index, []).append(tuple(point))
        steps += 1
        loop._incr()
    assert steps == loop.length > len(made)
    for number in range(len(made)):
        assert sorted(cells[number]) == sorted(tuple(p) for p in made.box_array()[number])
    with pytest.raises(IndexError, match="past the end"):
        loop.tilebox()


def test_grown_and_nodal_tiles(amr):
    made = field(amr, ngrow=2)
    for mfi in made:
        valid = mfi.validbox()
        assert mfi.growntilebox() == mfi.fabbox()
        assert tuple(mfi.growntilebox(amr.IntVect(1)).small_end) == tuple(v - 1 for v in valid.small_end)
        nodal = mfi.nodaltilebox()
        assert tuple(nodal.big_end) == tuple(v + 1 for v in valid.big_end)
        assert mfi.nodaltilebox(0).big_end[0] == valid.big_end[0] + 1
        assert mfi.grownnodaltilebox(0, 1).small_end[0] == valid.small_end[0] - 1
        with pytest.raises(IndexError):
            mfi.nodaltilebox(dim(amr))


def test_nodal_tiles_are_nodal_in_one_direction_whatever_the_field(amr):
    n = dim(amr)
    for types in itertools.product((0, 1), repeat=n):
        boxes, owners = layout(amr)
        boxes.convert(amr.IntVect(*types))
        made = amr.MultiFab(boxes, owners, 1, 1)
        tiling = amr.MFItInfo().enable_tiling(amr.IntVect(3))
        for direction in (-1, *range(n)):
            want = [int(direction in (-1, d)) for d in range(n)]
            points = {}
            loop = amr.MFIter(made, tiling)
            while loop.is_valid:
                tile = loop.nodaltilebox(direction)
                assert list(tile.type) == want
                grown = loop.grownnodaltilebox(direction, 1)
                assert list(grown.type) == want
                assert all(grown.contains(p) for p in (tile.small_end, tile.big_end))
                points.setdefault(loop.index, []).extend(tuple(p) for p in tile)
                loop._incr()
            for number, found in points.items():  # the tiles of a box have all its points once
                whole = boxes[number].enclosed_cells().convert(amr.IntVect(*want))
                assert sorted(found) == sorted(tuple(p) for p in whole)


def test_a_field_on_planes_of_nodes(amr):
    n = dim(amr)
    for plane in range(n):
        types = amr.IntVect(*[int(d == plane) for d in range(n)])
        ends = [amr.IntVect(*[x if d == plane else y for d in range(n)]) for x, y in ((0, 0), (0, 4), (8, 0), (8, 4))]
        boxes = amr.BoxArray([amr.Box(ends[0], ends[1], types), amr.Box(ends[2], ends[3], types)])
        made = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 1)
        made.set_val(-1.0)
        for mfi in made:
            made.set_val(mfi.index + 1.0, mfi.validbox(), 0, 1)
            assert mfi.tilebox() == mfi.validbox() == boxes[mfi.index]
            shape = [1 if d == plane else 5 for d in range(n)] + [1] * (3 - n)
            assert host(made.array(mfi)).shape == (*[s + 2 * (d < n) for d, s in enumerate(shape)], 1)
        assert made.sum(0) == 3.0 * 5 ** (n - 1)
        assert made.sum_unique(0) == made.sum(0)
        read = np.moveaxis(made[...].reshape([9 if d == plane else 5 for d in range(n)], order="F"), plane, 0)
        expected = [1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 2.0]
        np.testing.assert_array_equal(read.reshape(9, -1), np.repeat(np.array(expected)[:, None], 5 ** (n - 1), axis=1))
    boxes.enclosed_cells()
    with pytest.raises(ValueError, match="no points"):
        amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)


def test_bounds_of_an_array4(amr):
    n = dim(amr)
    missing = [0] * (3 - n)
    low, high = [3, -2, 5][:n], [6, 1, 5][:n]
    for nodal in itertools.product((0, 1), repeat=n):
        box = amr.Box(amr.IntVect(*low), amr.IntVect(*high), amr.IntVect(*nodal))
        fab = amr.FArrayBox(box, 2, amr.The_Pinned_Arena())
        for array in (fab.array(), fab.const_array(), amr.Array4_double_const(fab.array())):
            assert amr.lbound(array) == amr.lbound(box) == amr.Dim3(*low, *missing)
            assert amr.ubound(array) == amr.ubound(box) == amr.Dim3(*high, *missing)
            assert amr.length(array) == amr.length(box)
            for at in itertools.product(*[range(a - 1, b + 2) for a, b in zip(low, high, strict=True)]):
                inside = all(a <= x <= b for a, x, b in zip(low, at, high, strict=True))
                cell = (*at, *missing)
                assert array.contains(*cell) == array.contains(amr.Dim3(*cell)) == inside
                assert array.contains(amr.IntVect(*at)) == inside
            if n < 3:
                assert not array.contains(*low, *[1] * (3 - n))
    taken = amr.Array4_int(np.zeros((2, 5, 3, 4), np.int32))  # component, k, j, i
    assert amr.lbound(taken) == amr.Dim3(0, 0, 0)
    assert amr.ubound(taken) == amr.Dim3(3, 2, 4)
    assert amr.length(taken) == amr.Dim3(4, 3, 5)
    empty = amr.Array4_double(np.zeros((0, 3, 4)))
    assert amr.length(empty) == amr.Dim3(4, 3, 0)
    assert amr.ubound(empty) == amr.Dim3(3, 2, -1)
    assert not empty.contains(0, 0, 0)
    with pytest.raises(TypeError):
        amr.lbound(np.zeros((2, 3, 4)))


def test_use_of_an_mfi_elsewhere(amr):
    made, same, other = field(amr), field(amr, 5.0), field(amr, n=16)
    boxes, owners = layout(amr)
    nodal = amr.MultiFab(amr.BoxArray(boxes).convert(amr.IntVect(1)), owners, 1, 0)
    for mfi in made:
        assert same.array(mfi).to_numpy()[0, 0, 0, 0] == 5.0
        assert nodal.array(mfi).to_numpy().shape[0] == 5
        with pytest.raises(ValueError, match="another layout"):
            other.array(mfi)
        for bad in (None, 0, "x", made):
            with pytest.raises(TypeError):
                made.array(bad)
    made.clear()
    for mfi in same:
        with pytest.raises(RuntimeError, match="empty"):
            made.array(mfi)


# ---- memory


def test_array4_covers_the_box_with_ghosts(amr):
    made = field(amr, ncomp=2, ngrow=1)
    for mfi in made:
        array, box = made.array(mfi), mfi.fabbox()
        view = array.to_numpy()
        assert view.shape[: dim(amr)] == tuple(box.length())
        assert view.shape[dim(amr) :] == (1,) * (3 - dim(amr)) + (2,)
        low = [*box.small_end] + [0] * (3 - dim(amr))
        array[(*low, 1)] = 7.0
        assert view[0, 0, 0, 1] == 7.0
        with pytest.raises(IndexError):
            array[(*low, 2)]
        with pytest.raises(IndexError):
            array[(low[0] - 1, *low[1:], 0)]


@host_only  # NumPy takes no memory of a device by DLPack
@pytest.mark.parametrize("kind", ["MultiFab", "iMultiFab", "fMultiFab"])
def test_views_outlive_everything(amr, kind):
    dtype = {"MultiFab": "f8", "iMultiFab": "i4", "fMultiFab": "f4"}[kind]
    made = field(amr, 3, ngrow=1, kind=kind)
    arrays = [made.array(mfi) for mfi in made]
    views = [*made.to_numpy(), *map(np.asarray, arrays)]
    views += [view(array) for view in WRITABLE_FROM_DLPACK.values() for array in arrays]
    made.clear()
    assert not made.ok()
    del made, arrays
    gc.collect()
    waste = [np.full(400, -1, dtype) for _ in range(200)]
    for view in views:
        assert view.dtype == dtype
        assert (view == 3).all()
        view[...] = 3
    assert all((block == -1).all() for block in waste)


def test_every_memory_is_aligned_for_jax(amr):
    made = field(amr, n=7, chunk=3, ngrow=1)
    assert all(view.__array_interface__["data"][0] % 64 == 0 for view in made.to_numpy())


@host_only  # NumPy takes no memory of a device by DLPack
def test_a_subclass_with_its_own_view_is_collected(amr):
    class Field(amr.MultiFab):
        pass

    made = Field(*layout(amr), 1, 0)
    made.view = np.from_dlpack(next(map(made.array, made)))
    made.me = made
    gone = weakref.ref(made)
    del made
    gc.collect()
    assert gone() is None


@host_only  # NumPy takes no memory of a device by DLPack
def test_reference_counts_return(amr):
    made = field(amr)
    array = next(map(made.array, made))
    before = sys.getrefcount(array), sys.getrefcount(made)
    for _ in range(1000):
        np.from_dlpack(array)
        np.asarray(array)
        array.to_numpy()
        array.__dlpack__(copy=True)
        made.to_numpy()
        for _mfi in made:
            pass
    assert (sys.getrefcount(array), sys.getrefcount(made)) == before


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized")
def test_a_class_without_init_is_refused(amr):
    class Bad(amr.MultiFab):
        def __init__(self):
            pass

    bad = Bad()
    for use in (lambda: bad.array(None), lambda: iter(bad), lambda: bad.sum(0), lambda: bad.to_numpy()):
        with pytest.raises((RuntimeError, TypeError)):
            use()
    raw = amr.Array4_double.__new__(amr.Array4_double)
    for use in (raw.__dlpack__, raw.__dlpack_device__, raw.to_numpy, lambda: raw[0, 0, 0], lambda: memoryview(raw)):
        with pytest.raises((RuntimeError, BufferError, TypeError)):
            use()


def test_bad_sizes(amr):
    boxes, owners = layout(amr)
    for ncomp, ngrow in ((-1, 0), (0, 0), (1, -1)):
        with pytest.raises(ValueError, match="component|ghost"):
            amr.MultiFab(boxes, owners, ncomp, ngrow)
    with pytest.raises(ValueError, match="owner|box"):
        amr.MultiFab(amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(3))), owners, 1, 0)
    with pytest.raises((MemoryError, ValueError, OverflowError)):
        amr.MultiFab(boxes, owners, 2**30, 2**20)


def test_attributes_of_classes_and_instances(amr):
    made = field(amr)
    made.level = 3
    amr.MultiFab.name = "field"
    try:
        assert (made.level, made.name) == (3, "field")
    finally:
        del amr.MultiFab.name


def test_shape_and_mesh(amr):
    made = field(amr, ncomp=2, ngrow=2)
    assert made.shape == (8,) * dim(amr) + (2,)
    assert made.shape_with_ghosts == (12,) * dim(amr) + (2,)
    assert (made.imesh(0) == np.arange(8) + 0.5).all()
    assert (made.imesh(0, include_ghosts=True) == np.arange(-2, 10) + 0.5).all()
    with pytest.raises(IndexError):
        made.imesh(dim(amr))


# ---- fabs


def box(amr, n=4, low=0):
    return amr.Box(amr.IntVect(low), amr.IntVect(low + n - 1))


@host_only  # NumPy takes no memory of a device by DLPack
def test_fab_views_keep_their_memory(amr):
    for action in ("clear", "resize", "delete"):
        fab = amr.FArrayBox(box(amr), 2)
        np.asarray(fab)[...] = 5.0
        views = [np.asarray(fab), fab.array().to_numpy(), fab.to_numpy()]
        views += [view(fab) for view in WRITABLE_FROM_DLPACK.values()]
        array = fab.array()
        if action == "clear":
            fab.clear()
            assert not fab.is_allocated()
        elif action == "resize":
            fab.resize(box(amr, 6), 1)
            assert fab.num_pts() == 6 ** dim(amr)
        del fab
        waste = [np.full(2 * 4 ** dim(amr), -1.0) for _ in range(100)]
        for view in views:
            assert (view == 5.0).all()
            view[...] = 5.0
        assert array[0, 0, 0] == 5.0
        assert all((block == -1.0).all() for block in waste)


def test_a_fab_over_an_array4_is_an_alias(amr):
    made = field(amr, ngrow=1)
    array = next(map(made.array, made))
    alias = amr.FArrayBox(array)
    assert alias.n_bytes_owned() == 0
    assert tuple(alias.box().small_end) == (-1,) * dim(amr)
    alias.to_numpy()[...] = 9.0
    assert array.to_numpy().max() == 9.0
    alias.clear()
    assert array.to_numpy().max() == 9.0
    with pytest.raises(BufferError):
        amr.FArrayBox(next(map(made.const_array, made)))
    with pytest.raises(TypeError):
        amr.IArrayBox(array)


def test_strided_memory_cannot_become_a_fab(amr):
    array = amr.Array4_double(np.zeros((1, 1, 8))[:, :, ::2])
    with pytest.raises(BufferError, match="copy"):
        amr.FArrayBox(array)


def test_failed_resize_changes_nothing(amr):
    fab = amr.FArrayBox(box(amr), 1)
    np.asarray(fab)[...] = 5.0
    for ncomp in (-1, 2**31 - 1):
        with pytest.raises((ValueError, MemoryError)):
            fab.resize(amr.Box(amr.IntVect(0), amr.IntVect(2**20)), ncomp)
    assert fab.num_pts() == 4 ** dim(amr)
    assert (np.asarray(fab) == 5.0).all()


# ---- Array4 over memory of others


def test_array4_takes_any_layout_in_place():
    amr = __import__("amrex.space3d", fromlist=["x"])
    base = np.arange(4 * 6 * 8.0).reshape(4, 6, 8)
    for view in (base, base[::2], base[:, ::-1], base[:, :, ::3], np.asfortranarray(base), base[None]):
        array = amr.Array4_double(view)
        k, j, i = (min(2, n - 1) for n in view.shape[-3:])
        assert array[i, j, k] == view[..., k, j, i].item()
        assert np.shares_memory(np.asarray(array), view)
        assert (np.from_dlpack(array).reshape(view.shape) == view).all()


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (1, 1, 1, 1, 1)])
def test_array4_needs_three_or_four_axes(shape):
    amr = __import__("amrex.space3d", fromlist=["x"])
    with pytest.raises(ValueError, match="axes"):
        amr.Array4_double(np.zeros(shape))


@pytest.mark.parametrize(
    "value",
    [[[[1.0]]], None, "text", 5.0, np.zeros((2, 2, 2), "f4"), np.zeros((2, 2, 2), ">f8"), np.zeros((2, 2, 2), "O")],
    ids=["list", "None", "text", "number", "float32", "big-endian", "object"],
)
def test_array4_refuses_what_it_would_have_to_convert(value):
    amr = __import__("amrex.space3d", fromlist=["x"])
    with pytest.raises((TypeError, BufferError)):
        amr.Array4_double(value)


def test_read_only_memory_needs_a_const_array4():
    amr = __import__("amrex.space3d", fromlist=["x"])
    base = np.zeros((2, 3, 4))
    base.flags.writeable = False
    with pytest.raises(BufferError, match="_const"):
        amr.Array4_double(base)
    array = amr.Array4_double_const(base)
    with pytest.raises(TypeError, match="read-only"):
        array[0, 0, 0] = 1.0
    assert not array.to_numpy().flags.writeable


def test_components(amr):
    made = field(amr, ncomp=3)
    whole = next(map(made.array, made))
    whole.to_numpy()[..., 2] = 8.0
    part = amr.Array4_double(whole, 2)
    assert (part.nComp, part.to_numpy().max()) == (1, 8.0)
    assert amr.Array4_double(whole, 1, 1).nComp == 1
    for start, count in ((4, -1), (-1, 1), (2, 2)):
        with pytest.raises(IndexError):
            amr.Array4_double(whole, start, count)
    with pytest.raises(TypeError):
        amr.Array4_int(whole)


@pytest.mark.parametrize("name", ["short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong"])
def test_integer_elements_do_not_wrap(name):
    amr = __import__("amrex.space3d", fromlist=["x"])
    dtype = {"short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8"}.get(name, "")
    dtype = dtype or ("q" if name == "longlong" else "Q")
    base = np.zeros((1, 1, 1), dtype)
    array = getattr(amr, f"Array4_{name}")(base)
    limits = np.iinfo(dtype)
    for good in (limits.min, limits.max, np.int64(1)):
        array[0, 0, 0] = good
        assert array[0, 0, 0] == good
    for bad in (limits.min - 1, limits.max + 1):
        with pytest.raises(OverflowError):
            array[0, 0, 0] = bad
    with pytest.raises(TypeError):
        array[0, 0, 0] = 0.5
    assert base[0, 0, 0] == 1


@pytest.mark.parametrize("kind", ["MultiFab", "iMultiFab", "fMultiFab"])
def test_notebook_display(amr, kind):
    made = field(amr, 1, kind=kind)
    html = made._repr_html_()
    assert f"{kind} with 1 component on {len(made)} boxes" in html
    assert html.count("<polygon") >= len(made)
    made.clear()
    assert "0 boxes" in made._repr_html_()
