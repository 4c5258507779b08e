# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""BoxArray, DistributionMapping and ParallelDescriptor."""

import importlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

SPACES = {dim: importlib.import_module(f"amrex.space{dim}d") for dim in (1, 2, 3)}
DIMS = pytest.mark.parametrize("dim", [1, 2, 3])


def vect(dim, values):
    """An IntVect of the first `dim` values; one number stands for all."""
    numbers = [values] * dim if isinstance(values, int) else list(values)[:dim]
    return SPACES[dim].IntVect(*numbers)


def box(dim, lo, hi):
    return SPACES[dim].Box(vect(dim, lo), vect(dim, hi))


def ends(b):
    return tuple(b.small_end), tuple(b.big_end)


def grid(dim, cells=16, size=8):
    boxes = SPACES[dim].BoxArray(box(dim, 0, cells - 1))
    return boxes.max_size(size)


@st.composite
def box_lists(draw):
    dim = draw(st.sampled_from((1, 2, 3)))
    corner = st.lists(st.integers(-20, 20), min_size=dim, max_size=dim)
    length = st.lists(st.integers(0, 9), min_size=dim, max_size=dim)
    result = []
    for lo, n in draw(st.lists(st.tuples(corner, length), min_size=1, max_size=8)):
        result.append((tuple(lo), tuple(a + b for a, b in zip(lo, n, strict=True))))
    return dim, result


@given(box_lists(), st.integers(0, 3))
def test_intersections_are_those_of_a_scan(case, ngrow):
    dim, corners = case
    boxes = SPACES[dim].BoxArray([box(dim, *c) for c in corners])
    for lo, hi in corners:
        region = (tuple(x - 2 for x in lo), tuple(x + 1 for x in hi))
        want = []
        for i, (a, b) in enumerate(corners):
            low = tuple(max(p - ngrow, q) for p, q in zip(a, region[0], strict=True))
            high = tuple(min(p + ngrow, q) for p, q in zip(b, region[1], strict=True))
            if all(p <= q for p, q in zip(low, high, strict=True)):
                want.append((i, (low, high)))
        found = [(i, ends(part)) for i, part in boxes.intersections(box(dim, *region), ngrow)]
        assert found == want
        assert boxes.intersects(box(dim, *region), ngrow) == bool(want)


@given(box_lists())
def test_find_gives_the_first_box_with_the_point(case):
    dim, corners = case
    boxes = SPACES[dim].BoxArray([box(dim, *c) for c in corners])
    for point in itertools.product((-20, -3, 0, 5, 20), repeat=dim):
        inside = [
            i for i, (lo, hi) in enumerate(corners) if all(a <= p <= b for a, p, b in zip(lo, point, hi, strict=True))
        ]
        assert boxes.find(vect(dim, point)) == (inside[0] if inside else -1)
        assert (vect(dim, point) in boxes) == bool(inside)


@DIMS
def test_sequence(dim):
    boxes = grid(dim)
    n = 2**dim
    assert len(boxes) == boxes.size == n
    assert [ends(b) for b in boxes] == [ends(boxes[i]) for i in range(n)]
    assert ends(boxes[-1]) == ends(boxes[n - 1]) == ((8,) * dim, (15,) * dim)
    assert ends(boxes.get(0)) == ends(boxes[0])
    assert repr(boxes) == f"<amrex.BoxArray of size '{n}'>"
    for bad in (n, -n - 1, 10**9):
        with pytest.raises(IndexError, match="does not exist"):
            boxes[bad]
        with pytest.raises(RuntimeError):  # what upstream's tests ask for
            boxes[bad]
    with pytest.raises(TypeError):
        boxes["0"]
    with pytest.raises(TypeError):
        hash(boxes)


@DIMS
def test_changes_are_in_place_and_return_self(dim):
    amr = SPACES[dim]
    boxes = amr.BoxArray(box(dim, 0, 15))
    other = amr.BoxArray(boxes)
    assert other.same_data(boxes)
    for change in (
        lambda: boxes.max_size(8),
        lambda: boxes.max_size(vect(dim, 4)),
        lambda: boxes.refine(2),
        lambda: boxes.refine(vect(dim, 2)),
        lambda: boxes.coarsen(2),
        lambda: boxes.coarsen(vect(dim, 2)),
        lambda: boxes.surroundingNodes(),
        lambda: boxes.enclosed_cells(),
        lambda: boxes.surroundingNodes(0),
        lambda: boxes.enclosed_cells(0),
        lambda: boxes.convert(vect(dim, 1)),
        lambda: boxes.convert(amr.IndexType()),
    ):
        assert change() is boxes
    assert boxes.size == 4**dim
    assert boxes.minimal_box() == box(dim, 0, 15)
    assert boxes.numPts == 16**dim
    assert boxes.d_numPts == float(16**dim)
    assert other.size == 1
    assert not other.same_data(boxes)
    assert boxes != other
    assert boxes == amr.BoxArray(list(boxes))


@DIMS
def test_index_types_share_the_cells(dim):
    cells = grid(dim)
    nodes = SPACES[dim].BoxArray(cells)
    nodes.surroundingNodes()
    assert nodes.same_data(cells)
    assert nodes.cell_equal(cells)
    assert nodes != cells
    assert nodes.ix_type().node_centered()
    assert nodes.numPts == 2**dim * 9**dim
    with pytest.raises(ValueError, match="type"):
        nodes.intersections(box(dim, 0, 3))
    with pytest.raises(ValueError, match="type"):
        SPACES[dim].BoxArray([cells[0], nodes[0]])


@DIMS
def test_coarsenable(dim):
    boxes = grid(dim)
    assert boxes.coarsenable(8)
    assert not boxes.coarsenable(16)
    assert boxes.coarsenable(4, 2)
    assert not boxes.coarsenable(8, 2)
    assert boxes.coarsenable(vect(dim, 2), vect(dim, 4))
    assert not boxes.coarsenable(vect(dim, 3), 1)


@DIMS
def test_none_and_empty(dim):
    amr = SPACES[dim]
    boxes = amr.BoxArray()
    assert boxes.empty
    assert len(boxes) == boxes.numPts == 0
    assert list(boxes) == []
    assert boxes.minimal_box().is_empty
    boxes.define(box(dim, 0, 3))
    boxes.resize(3)
    assert boxes.size == 3
    assert boxes.numPts == 4**dim
    boxes.clear()
    assert boxes.empty


@DIMS
def test_planes_of_nodes_are_boxes(dim):
    amr = SPACES[dim]
    for plane in range(dim):
        nodal = [int(d == plane) for d in range(dim)]
        low = amr.Box(vect(dim, 2), vect(dim, [2 if n else 5 for n in nodal]), vect(dim, nodal))
        high = amr.Box(vect(dim, [9 if n else 2 for n in nodal]), vect(dim, [9 if n else 5 for n in nodal]), low.type)
        boxes = amr.BoxArray([low, high])
        assert boxes.numPts == 2 * 4 ** (dim - 1)
        assert ends(boxes.minimal_box()) == ((2,) * dim, tuple(9 if n else 5 for n in nodal))
        assert boxes.find(high.small_end) == 1
        assert low.small_end in boxes
        assert vect(dim, [3 if n else 2 for n in nodal]) not in boxes
        assert [i for i, _ in boxes.intersections(low, 7)] == [0, 1]
        # with a ratio of 1 across it, it can be coarsened; with a ratio of 2 it has too few points
        along = vect(dim, [1 if n else 2 for n in nodal])
        assert boxes.coarsenable(along, 1) == all(x % r == 0 for x, r in zip(low.small_end, along, strict=True))
        assert not boxes.coarsenable(2, 1)
        cells = amr.BoxArray(boxes).enclosed_cells()
        assert cells.numPts == 0
        assert cells.minimal_box().is_empty
        assert cells.find(low.small_end) == -1


@DIMS
def test_coarsenable_counts_points(dim):
    amr = SPACES[dim]
    for ratio, width, length, nodal in itertools.product((1, 2, 3), (0, 1, 2), range(1, 8), (0, 1)):
        one = amr.Box(vect(dim, 6), vect(dim, 6 + length - 1), vect(dim, nodal))
        whole = (length - nodal) % ratio == 0
        assert amr.BoxArray(one).coarsenable(ratio, width) == (whole and length >= ratio * width)


@DIMS
def test_bad_input_changes_nothing(dim):
    boxes = grid(dim)
    before = SPACES[dim].BoxArray(boxes)
    for bad in (
        lambda: boxes.max_size(0),
        lambda: boxes.max_size(-3),
        lambda: boxes.refine(0),
        lambda: boxes.refine(2**30),
        lambda: boxes.coarsen(-2),
        lambda: boxes.resize(-1),
    ):
        with pytest.raises(ValueError, match="size|ratio|fit|boxes"):
            bad()
    with pytest.raises(IndexError):
        boxes.surroundingNodes(dim)
    for wrong in (lambda: boxes.max_size("4"), lambda: boxes.max_size(1.5), lambda: boxes.define(None)):
        with pytest.raises(TypeError):
            wrong()
    assert boxes == before


@DIMS
def test_coverage(dim):
    boxes = grid(dim)
    assert boxes.contains(box(dim, 0, 15))
    assert box(dim, 3, 12) in boxes
    assert not boxes.contains(box(dim, 0, 16))
    assert boxes.is_disjoint()
    rest = boxes.complement_in(box(dim, 8, 16))
    assert sum(b.numPts() for b in rest) == 9**dim - 8**dim
    boxes.grow(1)
    assert not boxes.is_disjoint()


@DIMS
def test_drawing(dim):
    boxes = grid(dim)
    text = boxes._repr_html_()
    assert f"{2**dim} boxes" in text
    assert "<svg" in text
    assert "<svg" in SPACES[dim].BoxArray()._repr_html_()
    many = SPACES[dim].BoxArray(box(dim, 0, 8**4 - 1 if dim == 1 else 63)).max_size(4 if dim == 3 else 2)
    assert "first 400" in many._repr_html_()


def test_distribution_mapping(amr):
    boxes = grid(int(amr.__name__[-2]))
    owners = amr.DistributionMapping(boxes)
    assert len(owners) == owners.size == boxes.size
    assert list(owners) == list(owners.ProcessorMap()) == [0] * boxes.size
    assert owners[0] == owners[-1] == 0
    with pytest.raises(IndexError):
        owners[boxes.size]
    assert owners.link_count == 1
    copy = amr.DistributionMapping(owners)
    assert owners.link_count == 2
    assert copy == owners
    assert amr.DistributionMapping(boxes, 4) == owners  # a run of one rank has one owner
    copy.define([0, 0])
    assert copy.size == 2
    assert owners.size == boxes.size
    assert amr.DistributionMapping().empty
    for bad in ([-1], [0, -5]):
        with pytest.raises(ValueError, match="rank"):
            amr.DistributionMapping(bad)
    with pytest.raises(ValueError, match="nprocs"):
        amr.DistributionMapping(boxes, -1)
    assert repr(owners) == f"<amrex.DistributionMapping of size '{boxes.size}'>"


def test_strategies(amr3):
    kinds = amr3.DistributionMapping.Strategy
    assert amr3.DistributionMapping.strategy() == kinds.SFC
    try:
        for kind in (kinds.ROUNDROBIN, kinds.KNAPSACK, kinds.SFC):
            amr3.DistributionMapping.set_strategy(kind)
            assert amr3.DistributionMapping.strategy() == kind
            assert amr3.DistributionMapping(grid(3)).size == 8
    finally:
        amr3.DistributionMapping.set_strategy(kinds.SFC)


@DIMS
def test_distribution_mapping_needs_initialize(dim):
    assert not SPACES[dim].initialized()
    with pytest.raises(RuntimeError, match="initialize"):
        SPACES[dim].DistributionMapping(grid(dim))
    assert SPACES[dim].DistributionMapping([0, 0]).size == 2  # no rank is asked


def test_ranks(amr):
    ranks = amr.ParallelDescriptor
    assert ranks.NProcs() == 1
    assert ranks.MyProc() == ranks.IOProcessorNumber() == 0
    assert ranks.IOProcessor() is True
    ranks.Barrier()
