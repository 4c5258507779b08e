# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Index types in one, two and three dimensions, against plain Python; none of them needs initialize."""

import collections.abc
import copy
import importlib
import itertools
import math
import pickle
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

EXAMPLES = settings(max_examples=40, deadline=None)
TOP, BOTTOM = 2**31 - 1, -(2**31)


@pytest.fixture(scope="module", params=(1, 2, 3), ids=("1d", "2d", "3d"))
def amr(request):
    """A space; hypothesis wants a fixture that outlives one example."""
    return importlib.import_module(f"amrex.space{request.param}d")


def dim(amr):
    return len(amr.IntVect())


def vectors(amr, low=-1000, high=1000):
    numbers = st.lists(st.integers(low, high), min_size=dim(amr), max_size=dim(amr))
    return numbers.map(amr.IntVect)


def boxes(amr, *, empty=True):
    def make(low, size, types):
        return amr.Box(low, low + size - 1, types)

    return st.builds(make, vectors(amr, -9, 9), vectors(amr, 0 if empty else 1, 5), vectors(amr, 0, 1))


def points(box):
    ranges = [range(low, high + 1) for low, high in zip(box.small_end, box.big_end, strict=True)]
    return [tuple(reversed(p)) for p in itertools.product(*reversed(ranges))]


# ---- IntVect


@EXAMPLES
@given(data=st.data())
def test_int_vect_arithmetic(amr, data):
    a, b = data.draw(vectors(amr)), data.draw(vectors(amr))
    n = data.draw(st.integers(1, 9))
    assert list(a + b) == [x + y for x, y in zip(a, b, strict=True)]
    assert list(a - b) == [x - y for x, y in zip(a, b, strict=True)]
    assert list(a * b) == [x * y for x, y in zip(a, b, strict=True)]
    assert list(a / n) == [int(x / n) for x in a]
    assert list(a // n) == list(amr.coarsen(a, n)) == [x // n for x in a]
    assert list(n - a) == [n - x for x in a]
    assert list(-a) == [-x for x in a]
    assert (a.min, a.max, a.sum) == (min(a), max(a), sum(a))
    assert (a < b, a <= b, a > b, a >= b) == tuple(
        op(list(a)[::-1], list(b)[::-1]) for op in (list.__lt__, list.__le__, list.__gt__, list.__ge__)
    )
    assert list(amr.max(a, b)) == list(np.maximum(a.numpy(), b.numpy()))
    c = copy.copy(a)
    same = c
    c += b
    c -= b
    assert c is same
    assert c == a


@EXAMPLES
@given(data=st.data())
def test_equal_vectors_have_equal_hashes(amr, data):
    a, b = data.draw(vectors(amr, -2, 2)), data.draw(vectors(amr, -2, 2))
    assert (a == b) == (list(a) == list(b))
    if a == b:
        assert hash(a) == hash(b)
    for number in range(-2, 3):
        assert (a == number) == all(x == number for x in a)
        if a == number:
            assert hash(a) == hash(number)
    assert a != "text"
    assert a != list(a)
    assert a is not None


@EXAMPLES
@given(data=st.data())
def test_copies_are_equal_and_separate(amr, data):
    for original in (data.draw(vectors(amr)), data.draw(boxes(amr))):
        for made in (copy.copy(original), copy.deepcopy(original), pickle.loads(pickle.dumps(original))):
            assert made == original
            assert type(made) is type(original)
            assert hash(made) == hash(original)
            made += amr.IntVect.unit_vector()
            assert made != original


def test_vectors_are_the_same_classes_in_all_spaces(amr):
    other = importlib.import_module("amrex.space2d")
    for name in ("IntVect1D", "IntVect2D", "IntVect3D", "Dim3", "XDim3", "CoordSys"):
        assert getattr(amr, name) is getattr(other, name)
    assert amr.IntVect is getattr(amr, f"IntVect{dim(amr)}D")


@pytest.mark.parametrize("bad", [1.5, 2**40, "1", None, np.float64(1), [1.0], [1] * 4, object()])
def test_int_vect_refuses(amr, bad):
    with pytest.raises(TypeError):
        amr.IntVect(bad)


def test_int_vect_overflow_is_an_error(amr):
    top, bottom = amr.IntVect.max_vector(), amr.IntVect.min_vector()
    assert (top[0], bottom[0]) == (TOP, BOTTOM)
    for call in (
        lambda: top + 1,
        lambda: bottom - 1,
        lambda: top * 2,
        lambda: -bottom,
        lambda: bottom / -1,
        lambda: top / 0,
        lambda: top // 0,
        lambda: amr.coarsen(top, 0),
    ):
        with pytest.raises(ValueError, match=r"overflow|not allowed"):
            call()
    with pytest.raises(ValueError, match="overflow"):
        top += 1
    assert top == TOP


def test_int_vect_items(amr):
    n = dim(amr)
    iv = amr.IntVect(range(n))
    assert [iv[i] for i in range(-n, n)] == [*range(n), *range(n)]
    for i in (-n - 1, n):
        with pytest.raises(IndexError):
            iv[i]
        with pytest.raises(IndexError):
            iv[i] = 0
    iv[np.int64(0)] = np.int32(7)
    assert iv[0] == 7
    array = iv.numpy()
    array[0] = 8  # a copy
    assert array.dtype == np.int32
    assert array.shape == (n,)
    assert iv[0] == 7
    assert str(iv) == "(" + ",".join(map(str, iv)) + ")"
    assert getattr(iv, "__str")() == str(iv)
    assert repr(iv) == f"<amrex.IntVect{n}D{iv}>"
    assert [iv.dim3().x, iv.dim3().y, iv.dim3().z] == list(iv) + [0] * (3 - n)


# ---- Box


@EXAMPLES
@given(data=st.data())
def test_a_box_is_the_set_of_its_points(amr, data):
    a, b = data.draw(boxes(amr)), data.draw(boxes(amr))
    b.type = a.ix_type
    inside = points(a)
    assert [tuple(p) for p in a] == inside
    assert a.num_pts == a.numPts() == a.d_num_pts == len(inside)
    assert a.is_empty == (not inside)
    assert a.ok == (not a.is_empty)
    common = [p for p in inside if p in points(b)]
    assert [tuple(p) for p in a & b] == common
    assert a.intersects(b) == bool(common)
    assert a.contains(b) == (len(common) == b.num_pts)
    p = data.draw(vectors(amr, -10, 15))
    assert a.contains(p) == (tuple(p) in inside)
    shrunk = copy.copy(a)
    shrunk.grow(-1)
    assert a.strictly_contains(p) == (tuple(p) in points(shrunk))


@EXAMPLES
@given(data=st.data())
def test_changes_happen_in_place(amr, data):
    box = data.draw(boxes(amr))
    before = copy.copy(box)
    n, ratio = data.draw(vectors(amr, -3, 3)), data.draw(vectors(amr, 1, 4))
    d = data.draw(st.integers(0, dim(amr) - 1))
    assert box.grow(n) is box
    assert list(box.small_end) == list(before.small_end - n)
    assert box.grow(-n) == before
    assert box.grow_low(d, 2).grow_high(d) is box
    assert box.length(d) == before.length(d) + 3
    assert box.grow_low(d, -2).grow_high(idir=d, n_cell=-1) == before
    assert box.shift(n) is box
    assert box.length() == before.length()
    assert box.shift(d, 5) == before + n + amr.IntVect([5 if i == d else 0 for i in range(dim(amr))])
    box -= n
    assert box.shift(d, -5) == before
    assert box.refine(ratio) is box
    assert box.coarsen(ratio) is box
    assert box == before
    if box.cell_centered:
        assert amr.refine(box, ratio).num_pts == box.num_pts * math.prod(ratio)
    if not box.is_empty:
        cover = amr.refine(amr.coarsen(box, ratio), ratio)
        assert cover.contains(box)
        assert all(cover.length(i) < box.length(i) + 2 * ratio[i] for i in range(dim(amr)))
        assert box.coarsenable(ratio) == (
            cover == box and all(p >= r for p, r in zip(box.length(), ratio, strict=True))
        )


@EXAMPLES
@given(data=st.data())
def test_cells_and_nodes(amr, data):
    box = data.draw(boxes(amr, empty=False))
    cells = copy.copy(box).enclosed_cells()
    nodes = copy.copy(box).surrounding_nodes()
    assert cells.cell_centered
    assert nodes.ix_type == amr.IndexType.node_type()
    assert nodes.big_end == cells.big_end + 1
    assert nodes.small_end == cells.small_end == box.small_end
    assert box.volume == cells.num_pts == nodes.volume
    by_direction = copy.copy(box)
    for d in range(dim(amr)):
        by_direction.surrounding_nodes(dir=d)
    assert by_direction == nodes
    assert copy.copy(cells).convert(amr.IntVect(1)) == nodes
    assume(box.ix_type != amr.IndexType())
    with pytest.raises(ValueError, match="index types"):
        box & cells
    assert not box.same_type(cells)


def test_ends_are_copies(amr):
    box = amr.Box(amr.IntVect(0), amr.IntVect(7))
    low = box.small_end
    low[0] = 5
    assert box.small_end == 0
    box.small_end = low
    assert box.small_end == low == box.lo_vect
    box.hi_vect = [9] * dim(amr)
    assert box.big_end == 9
    assert str(box) == f"({low} {box.big_end} {amr.IntVect(0)})"
    assert repr(box) == f"<amrex.Box of size '{box.length()}'>"


@EXAMPLES
@given(data=st.data())
def test_normalize_gives_a_point_to_directions_of_length_0(amr, data):
    n = dim(amr)
    numbers = st.lists(st.integers(-3, 3), min_size=n, max_size=n)
    low, high, types = data.draw(numbers), data.draw(numbers), data.draw(numbers)
    box = amr.Box(amr.IntVect(*low), amr.IntVect(*high), amr.IntVect(*[t % 2 for t in types]))
    assert box.normalize() is None
    assert tuple(box.small_end) == tuple(low)
    assert tuple(box.big_end) == tuple(a if b == a - 1 else b for a, b in zip(low, high, strict=True))
    assert tuple(box.type) == tuple(t % 2 for t in types)


def test_box_errors_change_nothing(amr):
    box = amr.Box(amr.IntVect(0), amr.IntVect(TOP))
    before = copy.copy(box)
    for call in (
        lambda: box.grow(1),
        lambda: box.shift(0, 1),
        lambda: box.refine(2),
        lambda: box.refine(0),
        lambda: box.coarsen(-1),
        lambda: box.surrounding_nodes(),
        lambda: box.length(),
    ):
        with pytest.raises(ValueError, match=r"overflow|not allowed"):
            call()
        assert box == before
    for call in (
        lambda: box.shift(dim(amr), 1),
        lambda: box.grow(-1, 1),
        lambda: box.length(7),
        lambda: box.surrounding_nodes(dim(amr)),
        lambda: box.make_slab(9, 0),
    ):
        with pytest.raises(IndexError):
            call()
        assert box == before
    assert repr(box)
    assert box._repr_html_()


def test_direction_names(amr):
    box = amr.Box(amr.IntVect(0), amr.IntVect(3))
    assert box.grow(d=amr.Direction.x, n_cell=1).small_end[0] == -1
    assert box.length(amr.Direction.x) == 6
    if dim(amr) < 3:
        with pytest.raises(IndexError):
            box.grow(amr.Direction.z, 1)


def test_another_dimension_is_named(amr):
    other = importlib.import_module(f"amrex.space{dim(amr) % 3 + 1}d")
    box = amr.Box(amr.IntVect(0), amr.IntVect(3))
    stranger = other.Box(other.IntVect(0), other.IntVect(3))
    for call in (lambda: box.intersects(stranger), lambda: box.contains(other.IntVect(1))):
        with pytest.raises(TypeError) as caught:
            call()
        for space in (amr, other):
            assert re.search(rf"amrex\.space{dim(space)}d\.Box|IntVect{dim(space)}D", str(caught.value))
    assert box != stranger


def test_a_loop_keeps_the_box_it_began_with(amr):
    box = amr.Box(amr.IntVect(0), amr.IntVect(1))
    seen = []
    for p in box:
        seen.append(tuple(p))
        box.grow(1)
    assert seen == points(amr.Box(amr.IntVect(0), amr.IntVect(1)))
    walk = iter(box)
    assert iter(walk) is walk
    assert len(list(walk)) == box.num_pts


@EXAMPLES
@given(data=st.data())
def test_bounds(amr, data):
    box = data.draw(boxes(amr))
    missing = 3 - dim(amr)
    for function, fill, expected in (
        (amr.lbound, 0, box.small_end),
        (amr.begin, 0, box.small_end),
        (amr.ubound, 0, box.big_end),
        (amr.end, 1, box.big_end + 1),
        (amr.length, 1, box.length()),
    ):
        found = function(box)
        assert [found.x, found.y, found.z] == list(expected) + [fill] * missing


def test_drawing(amr):
    box = amr.Box(amr.IntVect(0), amr.IntVect(3))
    html = box._repr_html_()
    assert html.count("<polygon") == (1, 1, 3)[dim(amr) - 1]
    assert str(box) in html
    assert "<polygon" not in amr.Box()._repr_html_()


def test_box_from_any_sequences(amr):
    n = dim(amr)
    expected = amr.Box(amr.IntVect(0), amr.IntVect(2))
    for low, high in (((0,) * n, [2] * n), (np.zeros(n, int), np.full(n, 2)), (amr.IntVect(0), (2,) * n)):
        assert amr.Box(low, high) == expected
        assert amr.Box(small=low, big=high, t=amr.IndexType()) == expected
    for bad in ((0,) * (n + 1), np.zeros(n), "000"[:n]):
        with pytest.raises(TypeError):
            amr.Box(bad, bad)


@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")
def test_objects_made_without_init_are_refused(amr):
    for cls in (amr.IntVect, amr.Box, amr.IndexType, amr.RealVect, amr.Geometry, amr.Vector_Box):
        empty = cls.__new__(cls)
        for call in (repr, copy.copy, hash):
            if cls is amr.Vector_Box and call is hash:
                continue
            with pytest.raises(TypeError):
                call(empty)


def test_subclasses_stay_themselves(amr):
    class Mine(amr.Box):
        pass

    box = Mine(amr.IntVect(0), amr.IntVect(1))
    assert type(copy.copy(box)) is Mine
    assert box.grow(1) is box


# ---- vectors of objects


@EXAMPLES
@given(data=st.data())
def test_a_vector_of_boxes_is_a_list(amr, data):
    model = data.draw(st.lists(boxes(amr), max_size=5))
    vector = amr.Vector_Box(model)
    assert list(vector) == model
    for step in data.draw(st.lists(st.sampled_from(["append", "pop", "insert", "slice", "delete", "set"]), max_size=6)):
        box, i = data.draw(boxes(amr)), data.draw(st.integers(-3, 3))
        part = slice(i, data.draw(st.integers(-3, 6)), data.draw(st.sampled_from([1, 2, -1])))
        exists = -len(model) <= i < len(model)
        if step == "append":
            model.append(box)
            vector.append(box)
        elif step == "slice":
            assert list(vector[part]) == model[part]
        elif step == "delete":
            del model[part]
            del vector[part]
        elif exists and step == "pop":
            assert vector.pop(i) == model.pop(i)
        elif exists and step == "insert":
            model.insert(i, box)
            vector.insert(i, box)
        elif exists and step == "set":
            model[i] = vector[i] = box
        elif not exists:
            with pytest.raises(IndexError):
                vector[i]
        assert list(vector) == model
    assert vector == amr.Vector_Box(model)
    assert vector == pickle.loads(pickle.dumps(vector))
    assert (len(vector), vector.size(), bool(vector)) == (len(model), len(model), bool(model))


def test_a_vector_may_change_while_it_is_walked(amr):
    vector = amr.Vector_IntVect([amr.IntVect(1), amr.IntVect(2)])
    for iv in vector:
        if len(vector) < 100:
            vector.append(iv)
    assert len(vector) == 100
    for _ in vector:
        vector.clear()
    assert not vector
    first = amr.Vector_IntVect([amr.IntVect(1)])[0]
    first += 1  # an element is a copy
    assert first == 2


def test_vectors_refuse(amr):
    for cls, good in ((amr.Vector_IntVect, amr.IntVect(1)), (amr.Vector_Geometry, make_geometry(amr))):
        vector = cls([good])
        for bad in (3, None, "x"):
            with pytest.raises(TypeError):
                vector.append(bad)
            with pytest.raises(TypeError):
                cls([good, bad])
            with pytest.raises(TypeError):
                vector.extend([good, bad])
        assert len(vector) == 1
        with pytest.raises(ValueError, match="no such element"):
            cls().remove(good)
        assert good in vector
        assert vector.count(good) == 1


# ---- IndexType


def test_index_type(amr):
    cell, node = amr.IndexType.CELL, amr.IndexType.NODE
    assert amr.IndexType.CellIndex.NODE is node
    for kinds in itertools.product((cell, node), repeat=dim(amr)):
        t = amr.IndexType(*kinds)
        assert list(t) == [int(k) for k in kinds]
        assert len(t) == dim(amr)
        assert [t.ix_type(i) for i in range(dim(amr))] == list(kinds)
        assert t.any() == (node in kinds)
        assert t.cell_centered() == (node not in kinds)
        assert t.node_centered() == (cell not in kinds)
        assert t.ix_type() == t.to_IntVect() == amr.IntVect([int(k) for k in kinds])
        assert pickle.loads(pickle.dumps(t)) == t
        assert hash(copy.copy(t)) == hash(t)
        t.flip(-1)
        assert t.test(-1) != bool(kinds[-1])
    with pytest.raises(IndexError):
        amr.IndexType().set(dim(amr))


# ---- physical space


def real_vectors(amr):
    numbers = st.floats(-1e6, 1e6)
    return st.lists(numbers, min_size=dim(amr), max_size=dim(amr)).map(amr.RealVect)


@EXAMPLES
@given(data=st.data())
def test_real_vect(amr, data):
    a, b = data.draw(real_vectors(amr)), data.draw(real_vectors(amr))
    x, y = np.array(list(a)), np.array(list(b))
    np.testing.assert_array_equal(list(a + b), x + y)
    np.testing.assert_array_equal(list(a * b), x * y)
    np.testing.assert_array_equal(list(2.5 - a), 2.5 - x)
    assert (a < b) == bool((x < y).all())
    assert (a >= b) == bool((x >= y).all())
    assert a.dotProduct(b) == pytest.approx(float(x @ y))
    assert list(a.floor()) == list(np.floor(x))
    assert list(a.ceil()) == list(np.ceil(x))
    assert list(amr.min(a, b)) == list(np.minimum(x, y))
    assert a.minDir(True) == int(np.argmin(np.abs(x)))
    assert pickle.loads(pickle.dumps(a)) == a
    c = copy.copy(a)
    assert c.max(b) is c
    assert list(c) == list(np.maximum(x, y))
    assert c.scale(2.0) is c


def test_real_vect_refuses(amr):
    for bad in (float("nan"), 3e9, -1e300):
        with pytest.raises(ValueError, match="range of an index"):
            amr.RealVect(bad).floor()
    with pytest.raises(IndexError):
        amr.RealVect()[dim(amr)]
    with pytest.raises(IndexError):
        amr.RealVect.BASISREALV(-1)
    for bad in ("text", [0.0] * 4, None):
        with pytest.raises(TypeError):
            amr.RealVect(bad)


def test_real_box(amr):
    n = dim(amr)
    rb = amr.RealBox([0.0] * n, [2.0] * n)
    assert rb == amr.RealBox(*[0.0] * n, *[2.0] * n)
    assert rb.volume() == 2.0**n
    assert rb.xlo == [0.0] * n
    assert rb.hi() == [2.0] * n
    assert rb.contains([2.0] * n)
    assert not rb.contains([2.5] * n)
    assert rb.contains([2.5] * n, eps=0.5)
    assert rb.contains(amr.RealVect(1.0))
    assert rb.contains(amr.XDim3(1, 1, 1))
    assert rb.contains(rb)
    for bad in ([0.0] * (n + 1), []):
        with pytest.raises(TypeError):
            rb.setLo(bad)
    with pytest.raises(IndexError):
        rb.setHi(n, 1.0)
    rb.setHi(0, -1.0)
    assert not rb.ok()
    assert rb.volume() == 0
    assert pickle.loads(pickle.dumps(rb)) == rb


def make_geometry(amr, cells=8, periodic=None):
    n = dim(amr)
    domain = amr.Box(amr.IntVect(0), amr.IntVect(cells - 1))
    return amr.Geometry(domain, amr.RealBox([0.0] * n, [2.0] * n), 0, periodic or [0] * n)


def test_geometry(amr):
    n = dim(amr)
    geom = make_geometry(amr, periodic=[1] + [0] * (n - 1))
    data = geom.data()
    assert data.CellSize() == data.dx == [0.25] * n
    assert data.CellSize(0) == 0.25
    assert geom.ProbLo() == [0.0] * n
    assert geom.ProbHi(0) == 2.0
    assert geom.ProbSize() == 2.0**n
    assert geom.isPeriodic() == [1] + [0] * (n - 1)
    assert geom.isPeriodic(0) is True
    assert geom.period(0) == 8
    assert geom.periodicity().domain.length(0) == 8
    assert len(geom.periodicity().shift_IntVect) == 3
    geom.refine(amr.IntVect(2))
    assert geom.data().dx == [0.125] * n
    assert data.dx == [0.25] * n
    geom.prob_domain = amr.RealBox([0.0] * n, [4.0] * n)
    assert geom.data().dx == [0.25] * n
    geom.domain.grow(1)  # a copy
    assert geom.domain.length(0) == 16
    assert isinstance(geom, amr.CoordSys)
    assert geom.Coord() == amr.CoordSys.CoordType.cartesian
    again = pickle.loads(pickle.dumps(geom))
    assert str(again) == str(geom)
    if n > 1:
        with pytest.raises(RuntimeError, match="not periodic"):
            geom.period(1)


def test_a_geometry_is_ok_once_it_has_cells(amr):
    n = dim(amr)
    kinds = amr.CoordSys.CoordType
    lone = amr.CoordSys()
    for kind in (kinds.undef, kinds.cartesian, kinds.RZ, kinds.SPHERICAL):
        geom = make_geometry(amr)
        geom.SetCoord(kind)
        assert geom.ok()
        assert amr.CoordSys(geom).ok()
        assert copy.copy(geom).ok()
        assert pickle.loads(pickle.dumps(geom)).ok()
        assert geom.Coord() == kind
        lone.SetCoord(kind)
        assert not lone.ok()
    empty = amr.Geometry()
    empty.domain = amr.Box(amr.IntVect(0), amr.IntVect(7))
    assert not empty.ok()
    empty.prob_domain = amr.RealBox([0.0] * n, [1.0] * n)
    assert empty.ok()


def test_geometry_refuses(amr):
    n = dim(amr)
    geom = make_geometry(amr)
    text = str(geom)
    for call in (
        lambda: geom.refine(amr.IntVect(0)),
        lambda: geom.coarsen(amr.IntVect(-1)),
        lambda: geom.define(amr.Box(), geom.prob_domain, 0, [0] * n),
        lambda: geom.define(geom.domain, amr.RealBox(), 0, [0] * n),
        lambda: geom.define(geom.domain, geom.prob_domain, 7, [0] * n),
        lambda: setattr(geom, "prob_domain", amr.RealBox([0.0] * n, [float("nan")] * n)),
    ):
        with pytest.raises(ValueError, match=r"not allowed|empty|no volume|not known"):
            call()
        assert str(geom) == text
    for call in (lambda: geom.ProbLo(n), lambda: geom.isPeriodic(-1), lambda: geom.data().CellSize(n)):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(TypeError):
        amr.Geometry(geom.domain, geom.prob_domain, 0, [0] * (n + 1))


@EXAMPLES
@given(data=st.data())
def test_points_of_the_round_off_domain_have_a_cell(amr, data):
    n = dim(amr)
    cells = data.draw(st.integers(1, 1000))
    low = data.draw(st.floats(-10, 10))
    length = data.draw(st.floats(0.01, 10))
    domain = amr.Box(amr.IntVect(0), amr.IntVect(cells - 1))
    geom = amr.Geometry(domain, amr.RealBox([low] * n, [low + length] * n), 0, [0] * n)
    dx = geom.data().CellSize(0)
    x = data.draw(st.floats(low - 1, low + length + 1) | st.sampled_from([low, low + length]))
    x = np.nextafter(x, data.draw(st.sampled_from([-np.inf, x, np.inf])))
    inside = geom.insideRoundOffDomain(*[x] * n)
    assert geom.outsideRoundOffDomain(*[x] * n) is not inside
    if inside:
        assert 0 <= np.floor((x - geom.ProbLo(0)) * (1.0 / dx)) < cells
    if low <= x < low + length - 1e-12 * max(1, abs(low), length):
        assert inside
    if x == low + length:  # inside where the cell that it falls into, as computed, is the last
        assert inside == (np.floor((x - low) * (1.0 / dx)) < cells)
    if not low <= x <= low + length:
        assert not inside


def test_the_upper_end_is_inside_where_it_rounds_down(amr):
    n = dim(amr)
    domain = amr.Box(amr.IntVect(0), amr.IntVect(14))
    geom = amr.Geometry(domain, amr.RealBox([-5.0] * n, [1.5] * n), 0, [0] * n)
    assert np.floor((1.5 - -5.0) * (1.0 / (6.5 / 15))) == 14  # not 15
    assert geom.insideRoundOffDomain(*[1.5] * n)
    assert geom.outsideRoundOffDomain(*[np.nextafter(1.5, 2)] * n)
    geom = amr.Geometry(amr.Box(amr.IntVect(0), amr.IntVect(15)), amr.RealBox([0.0] * n, [1.0] * n), 0, [0] * n)
    assert geom.outsideRoundOffDomain(*[1.0] * n)


def test_defaults(amr):
    n = dim(amr)
    try:
        amr.Geometry.ResetDefaultProbDomain(amr.RealBox([1.0] * n, [3.0] * n))
        amr.Geometry.ResetDefaultPeriodicity([1] * n)
        amr.Geometry.ResetDefaultCoord(1)
        geom = amr.Geometry()
        assert geom.ProbLength(0) == 2.0
        assert geom.isAllPeriodic()
        assert geom.IsRZ()
        with pytest.raises(ValueError, match="not known"):
            amr.Geometry.ResetDefaultCoord(5)
        with pytest.raises(ValueError, match="empty"):
            amr.Geometry.ResetDefaultProbDomain(amr.RealBox())
    finally:
        amr.Geometry.ResetDefaultPeriodicity([0] * n)
        amr.Geometry.ResetDefaultCoord(-1)


def test_d_decl(amr):
    assert amr.d_decl("x", "y", "z") == ("x", "y", "z")[: dim(amr)]
    assert amr.IntVect(amr.d_decl(1, 2, 3))[-1] == dim(amr)


# ---- boundaries


def test_boundaries_of_boxes(amr):
    dim = amr.Config.spacedim
    domain = amr.Box(amr.IntVect(0), amr.IntVect(7))
    bc = amr.BCRec()
    assert bc.lo() == bc.hi() == [amr.BCType.bogus] * dim and bc == amr.BCRec()
    for d in range(dim):
        bc.set_lo(d, amr.BCType.ext_dir)
        bc.set_hi(d, d + 1)
    assert bc.data() == bc.vect() == [3] * dim + [1, 2, 3][:dim] and bc.lo(0) == 3 and bc.hi(dim - 1) == dim
    assert bc == amr.BCRec([3] * dim, [1, 2, 3][:dim]) != amr.BCRec()
    inner = amr.BCRec(amr.Box(amr.IntVect(0), amr.IntVect(3)), domain, bc)
    assert inner.lo() == bc.lo() and inner.hi() == [amr.BCType.int_dir] * dim
    assert copy.copy(bc) == pickle.loads(pickle.dumps(bc)) == bc
    assert repr(amr.BCRec([1] * dim, [2] * dim)) == f"<amrex.BCRec ({','.join('1' * dim)}) ({','.join('2' * dim)})>"
    for bad in (-1, dim, 7):
        for call in (bc.lo, bc.hi, lambda d: bc.set_lo(d, 1), lambda d: bc.set_hi(d, 1)):
            with pytest.raises(IndexError, match="direction"):
                call(bad)
    with pytest.raises(TypeError):
        amr.BCRec([1] * (dim + 1), [1] * dim)
    with pytest.raises(TypeError):
        hash(bc)


def test_elements_of_a_vector_of_boundaries_can_be_changed(amr):
    dim = amr.Config.spacedim
    bc = amr.BCRec([1] * dim, [2] * dim)
    vector = amr.Vector_BCRec([bc, bc])
    vector[0].set_lo(0, 7)
    assert vector[0].lo(0) == 7 and vector[1] == bc and bc.lo(0) == 1
    held = vector[1]
    vector.clear()
    held.set_hi(0, 9)
    assert held.hi(0) == 9 and not vector
    vector.append(held)
    held.set_hi(0, 10)
    assert vector[0].hi(0) == 9
    other = amr.Vector_BCRec(vector)
    other[0].set_lo(0, 5)
    assert vector != other and vector.index(amr.BCRec(vector[0].lo(), vector[0].hi())) == 0
    assert pickle.loads(pickle.dumps(other)) == other


def test_vectors_are_sequences(amr):
    dim = amr.Config.spacedim
    vectors = (
        amr.Vector_IntVect([amr.IntVect(n) for n in range(4)]),
        amr.Vector_string(["a", "b", "c", "d"]),
        amr.Vector_BCRec([amr.BCRec([n] * dim, [0] * dim) for n in range(4)]),
        amr.Vector_Real([1.0, 2.0, 3.0, 4.0]),
    )
    for vector in vectors:
        assert isinstance(vector, collections.abc.MutableSequence)
        model = list(vector)
        assert list(reversed(vector)) == model[::-1] and vector.index(model[2]) == 2
        vector.reverse()
        vector += [model[0]]
        vector.extend(x for x in model[1:3])
        assert list(vector) == model[::-1] + model[:3] and vector == pickle.loads(pickle.dumps(vector))
        with pytest.raises(ValueError, match="element|not in|no "):
            type(vector)().index(model[0])
        with pytest.raises(TypeError):
            vector += [object()]
        assert len(vector) == 7
