# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic and reductions of MultiFabs against NumPy on their views, in one, two and three dimensions."""

import itertools
import math
import os
import signal
import threading
import warnings

import numpy as np
import pytest
from devices import host_only

# On a device: memory that the host reaches too, for these tests read and write fields as arrays of NumPy.
ARGUMENTS = ["amrex.the_arena_is_managed=1"]
ROUNDS = 12
SIDES = {1: 40, 2: 14, 3: 9}


class Case:
    """Random fields on one random layout, and the NumPy side of an operation on them."""

    def __init__(self, amr, seed, *, kind="MultiFab", nodal=False):
        self.amr, self.kind = amr, kind
        self.dim = len(amr.IntVect())
        self.random = np.random.default_rng(seed)
        side = SIDES[self.dim]
        box = amr.Box(amr.IntVect(-2), amr.IntVect([int(n) for n in self.random.integers(1, side, self.dim)]))
        boxes = amr.BoxArray(box)
        boxes.max_size(int(self.random.integers(2, 8)))
        if nodal:
            boxes.surrounding_nodes()
        self.boxes, self.owners = boxes, amr.DistributionMapping(boxes)
        self.ncomp = int(self.random.integers(1, 4))
        self.ngrow = int(self.random.integers(0, 3))
        self.nghost = int(self.random.integers(0, self.ngrow + 1))
        self.n = int(self.random.integers(0, self.ncomp + 1))
        self.comp, self.xcomp, self.ycomp = (int(c) for c in self.random.integers(0, self.ncomp - self.n + 1, 3))

    def field(self):
        field = getattr(self.amr, self.kind)(self.boxes, self.owners, self.ncomp, self.ngrow)
        for view in field.to_numpy():
            numbers = self.random.integers(1, 64, view.shape) * self.random.choice((-1, 1), view.shape)
            view[...] = numbers if self.kind == "iMultiFab" else numbers / 8
        return field

    def part(self, view, comp, n=None):
        """The components and points of a view that the operation is about."""
        cut = self.ngrow - self.nghost
        inside = tuple(slice(cut, size - cut) for size in view.shape[: self.dim])
        n = self.n if n is None else n
        return view[(*inside, *[slice(None)] * (3 - self.dim), slice(comp, comp + n))]

    def check(self, run, reference, *, alias=False):
        """`run(z, x, y)` must do to z what `reference(z, x, y)` computes, and nothing else anywhere."""
        z, x, y = self.field(), self.field(), self.field()
        if alias:
            x = y = z
        before = [np.array(view) for view in z.to_numpy()]
        others = [np.array(view) for view in x.to_numpy()]
        last = [np.array(view) for view in y.to_numpy()]
        run(z, x, y)
        for view, old, other, third in zip(z.to_numpy(), before, others, last, strict=True):
            expected = old.copy()
            self.part(expected, self.comp)[...] = reference(
                self.part(old, self.comp), self.part(other, self.xcomp), self.part(third, self.ycomp)
            )
            np.testing.assert_array_equal(view, expected)
        if not alias:
            for view, other in zip(x.to_numpy(), others, strict=True):
                np.testing.assert_array_equal(view, other)


def cases(amr, **options):
    for seed in range(ROUNDS):
        yield Case(amr, seed, nodal=seed % 3 == 2, **options)


SOURCE_OPERATIONS = {
    "copymf": lambda z, x: x,
    "add": lambda z, x: z + x,
    "subtract": lambda z, x: z - x,
    "multiply": lambda z, x: z * x,
    "divide": lambda z, x: z / x,
}


@pytest.mark.parametrize("alias", [False, True], ids=("two fields", "one field"))
@pytest.mark.parametrize("name", SOURCE_OPERATIONS)
def test_operations_with_a_source(amr, name, alias):
    for c in cases(amr):
        c.check(
            lambda z, x, y, c=c: getattr(z, name)(x, c.xcomp, c.comp, c.n, c.nghost),
            lambda z, x, y: SOURCE_OPERATIONS[name](z, x),
            alias=alias,
        )


SCALAR_OPERATIONS = {
    "plus": lambda z, a: z + a,
    "mult": lambda z, a: z * a,
    "invert": lambda z, a: a / z,
    "set_val": lambda z, a: a,
}


@pytest.mark.parametrize("name", SCALAR_OPERATIONS)
def test_operations_with_a_number(amr, name):
    for c in cases(amr):
        c.check(
            lambda z, x, y, c=c: getattr(z, name)(1.5, c.comp, c.n, c.nghost),
            lambda z, x, y: SCALAR_OPERATIONS[name](z, 1.5),
        )
        c.check(
            lambda z, x, y, c=c: getattr(z, name)(1.5, comp=c.comp, num_comp=c.n, nghost=amr.IntVect(c.nghost)),
            lambda z, x, y: SCALAR_OPERATIONS[name](z, 1.5),
        )


def check_combined(c, alias):
    n, g = c.n, c.nghost
    c.check(lambda z, x, y: z.saxpy(0.5, x, c.xcomp, c.comp, n, g), lambda z, x, y: z + 0.5 * x, alias=alias)
    c.check(lambda z, x, y: z.xpay(0.5, x, c.xcomp, c.comp, n, g), lambda z, x, y: x + 0.5 * z, alias=alias)
    if alias and (c.xcomp - c.comp) * (c.ycomp - c.comp) < 0:
        return  # sources on both sides of the destination: refused, see below
    c.check(
        lambda z, x, y: z.lin_comb(0.5, x, c.xcomp, -2.0, y, c.ycomp, c.comp, n, g),
        lambda z, x, y: 0.5 * x - 2.0 * y,
        alias=alias,
    )
    c.check(
        lambda z, x, y: z.add_product(x, c.xcomp, y, c.ycomp, c.comp, n, g),
        lambda z, x, y: z + x * y,
        alias=alias,
    )


@pytest.mark.parametrize("alias", [False, True], ids=("other fields", "one field"))
def test_combined_operations(amr, alias):
    for c in cases(amr):
        check_combined(c, alias)


def test_operations_of_one_field(amr):
    for c in cases(amr):
        c.check(lambda z, x, y, c=c: z.negate(c.comp, c.n, c.nghost), lambda z, x, y: -z)
        c.check(lambda z, x, y, c=c: z.abs(c.comp, c.n, c.nghost), lambda z, x, y: abs(z))


def test_operations_on_all_components(amr):
    for c in cases(amr):
        c.comp, c.n = 0, c.ncomp
        c.check(lambda z, x, y, c=c: z.plus(2.0, c.nghost), lambda z, x, y: z + 2)
        c.check(lambda z, x, y, c=c: z.mult(2.0, c.nghost), lambda z, x, y: z * 2)
        c.check(lambda z, x, y, c=c: z.negate(c.nghost), lambda z, x, y: -z)
        c.check(lambda z, x, y, c=c: z.invert(2.0, c.nghost), lambda z, x, y: 2 / z)
        c.xcomp = 0
        c.check(lambda z, x, y, c=c: z.plus(x, 0, c.ncomp, c.nghost), lambda z, x, y: z + x)
        c.check(lambda z, x, y, c=c: z.minus(x, 0, c.ncomp, c.nghost), lambda z, x, y: z - x)
        c.check(lambda z, x, y, c=c: z.divi(x, 0, c.ncomp, c.nghost), lambda z, x, y: z / x)
        c.nghost = c.ngrow
        c.check(lambda z, x, y: z.set_val(3.0), lambda z, x, y: 3.0)


def test_float_and_integer_fields(amr):
    for c in cases(amr, kind="fMultiFab"):
        c.check(
            lambda z, x, y, c=c: z.saxpy(0.5, x, c.xcomp, c.comp, c.n, c.nghost),
            lambda z, x, y: z + np.float32(0.5) * x,
        )
    for c in cases(amr, kind="iMultiFab"):
        c.check(lambda z, x, y, c=c: z.add(x, c.xcomp, c.comp, c.n, c.nghost), lambda z, x, y: z + x)
        c.check(lambda z, x, y, c=c: z.mult(-3, c.comp, c.n, c.nghost), lambda z, x, y: z * -3)
        c.check(
            lambda z, x, y, c=c: z.divide(x, c.xcomp, c.comp, c.n, c.nghost),
            lambda z, x, y: np.trunc(z / x).astype(z.dtype),
        )


def test_regions(amr):
    for seed in range(ROUNDS):
        c = Case(amr, seed)
        low = amr.IntVect([int(v) for v in c.random.integers(-4, 4, c.dim)])
        region = amr.Box(low, low + amr.IntVect([int(v) for v in c.random.integers(0, 8, c.dim)]))
        field = c.field()
        inside = [valid & region for valid in c.boxes]
        parts = []
        for view, valid, part in zip(field.to_numpy(), c.boxes, inside, strict=True):
            if part.is_empty:
                continue
            at = [
                slice(
                    part.small_end[d] - valid.small_end[d] + c.ngrow, part.big_end[d] - valid.small_end[d] + c.ngrow + 1
                )
                for d in range(c.dim)
            ]
            parts.append(view[(*at, *[slice(None)] * (3 - c.dim), slice(None))])
        assert field.sum(region, 0) == sum(part[..., 0].sum() for part in parts)
        if parts:
            assert field.min(region, 0) == min(part[..., 0].min() for part in parts)
            assert field.max(region, 0) == max(part[..., 0].max() for part in parts)
        expected = [part + 2.0 for part in parts]
        total = sum(np.array(view).sum() for view in field.to_numpy())
        field.plus(2.0, region)
        amr.synchronize()
        assert all((part == want).all() for part, want in zip(parts, expected, strict=True))
        points = sum(part.size for part in parts)
        assert sum(view.sum() for view in field.to_numpy()) == total + 2.0 * points
        field.set_val(9.0, region, 0, 1)
        amr.synchronize()
        assert all((part[..., 0] == 9.0).all() for part in parts)


def test_reductions(amr):
    for c in cases(amr):
        x, y = c.field(), c.field()
        ghosts = [c.part(view, 0, c.ncomp)[..., c.comp % c.ncomp] for view in x.to_numpy()]
        partner = [c.part(view, 0, c.ncomp)[..., 0] for view in y.to_numpy()]
        comp, g = c.comp % c.ncomp, c.nghost
        numbers = np.concatenate([part.ravel() for part in ghosts])
        assert x.min(comp, g) == numbers.min()
        assert x.max(comp, g) == numbers.max()
        assert x.norm0(comp, g, False, False) == abs(numbers).max() == x.norminf(comp, g, False, False)
        assert x.norm1(comp, g, False) == abs(numbers).sum()
        assert x.dot(comp, 1, g) == (numbers**2).sum()
        assert x.dot(comp, y, 0, 1, g) == sum((a * b).sum() for a, b in zip(ghosts, partner, strict=True))
        assert x.sum(comp, amr.IntVect(g), False) == numbers.sum()
        c.nghost = 0
        valid = np.concatenate([c.part(view, comp, 1).ravel() for view in x.to_numpy()])
        assert x.sum(comp) == valid.sum()
        assert x.norm2(comp) == pytest.approx(math.sqrt((valid**2).sum()), rel=1e-15)


def test_minimum_and_maximum_are_where_they_are_said_to_be(amr):
    for c in cases(amr):
        x = c.field()
        place = x.minIndex(0, c.nghost)
        values = []
        for view, valid in zip(x.to_numpy(), c.boxes, strict=True):
            at = tuple(place[d] - valid.small_end[d] + c.ngrow for d in range(c.dim))
            if all(0 <= i < size for i, size in zip(at, view.shape, strict=False)):
                values.append(view[(*at, *[0] * (3 - c.dim), 0)])
        assert x.min(0, c.nghost) in values
    x.set_val(1.0)
    assert x.minIndex(0, 0) == x.maxIndex(0, 0)


def test_masks(amr):
    for c in cases(amr):
        x, y = c.field(), c.field()
        mask = amr.iMultiFab(c.boxes, c.owners, 1, c.ngrow)
        for view in mask.to_numpy():
            view[...] = c.random.integers(0, 2, view.shape)
        keep = [c.part(view, 0, 1)[..., 0] != 0 for view in mask.to_numpy()]
        a = [c.part(view, 0, 1)[..., 0] for view in x.to_numpy()]
        b = [c.part(view, 0, 1)[..., 0] for view in y.to_numpy()]
        expected = sum((p * q)[k].sum() for p, q, k in zip(a, b, keep, strict=True))
        assert x.dot(mask, 0, y, 0, 1, c.nghost) == expected
        largest = max((abs(p[k]).max() for p, k in zip(a, keep, strict=True) if k.any()), default=0.0)
        assert x.norm0(mask, 0, c.nghost, False) == largest


def test_shared_points_count_once(amr):
    dim = len(amr.IntVect())
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7)))
    boxes.max_size(4)
    boxes.surrounding_nodes()
    x = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    x.set_val(1.0)
    assert x.sum(0) == 10.0**dim
    assert x.sum_unique(0) == 9.0**dim
    period = amr.Periodicity(amr.IntVect(8))
    assert x.sum_unique(0, False, period) == 8.0**dim
    assert x.norm1(0, period, False) == 8.0**dim
    assert x.norm2(0, period) ** 2 == pytest.approx(8.0**dim)
    region = amr.Box(amr.IntVect(2), amr.IntVect(5), amr.IntVect(1))
    assert x.sum_unique(region, 0) == 4.0**dim


def shared_points(amr, seed):
    """Boxes of a random type that share nodes, or overlap; a field; and for each box its corners and its numbers."""
    random = np.random.default_rng(seed)
    dim = len(amr.IntVect())
    types = amr.IntVect(*[int(t) for t in random.integers(0, 2, dim)])
    boxes = amr.BoxArray(amr.Box(amr.IntVect(-1), amr.IntVect(*[int(n) for n in random.integers(2, 6, dim)])))
    boxes.max_size(3)
    if seed % 3 == 0:
        low = random.integers(-2, 3, (4, dim))
        high = low + random.integers(0, 4, (4, dim))
        corners = zip(low.tolist(), high.tolist(), strict=True)
        boxes = amr.BoxArray([amr.Box(amr.IntVect(*a), amr.IntVect(*b)) for a, b in corners])
    boxes.convert(types)
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    parts = []
    for mfi in field:
        view = field.array(mfi).to_numpy()
        view[...] = random.integers(-40, 40, view.shape) / 8
        ends = [np.array(tuple(end)) for end in (mfi.validbox().small_end, mfi.validbox().big_end)]
        parts.append((*ends, np.array(view).reshape(view.shape[:dim], order="F")))
    return types, field, parts


def multiplicities(parts, period):
    """For each point of each box: how many boxes, or images of boxes one period away, have it."""
    shifts = list(itertools.product(*[(-p, 0, p) if p else (0,) for p in period]))
    result = []
    for low, high, _ in parts:
        count = np.zeros(high - low + 1)
        for (other_low, other_high, _), shift in itertools.product(parts, shifts):
            a, b = np.maximum(low, other_low + shift), np.minimum(high, other_high + shift)
            if (a <= b).all():
                count[tuple(slice(p - o, q - o + 1) for p, q, o in zip(a, b, low, strict=True))] += 1
        result.append(count)
    return result


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_norms_with_a_period_weigh_shared_points(amr, seed):
    types, field, parts = shared_points(amr, seed)
    low = np.min([p[0] for p in parts], axis=0)
    high = np.max([p[1] for p in parts], axis=0)
    for on in ([0] * len(low), [1] * len(low), [d % 2 for d in range(len(low))]):
        lengths = [int(n) for n in (high - low + 1 - np.array(tuple(types))) * on]
        if any(n == 0 for n, o in zip(lengths, on, strict=True) if o):
            continue  # a plane of nodes has no period
        period = amr.Periodicity(amr.IntVect(*lengths))
        counts = multiplicities(parts, lengths)
        absolute = sum((abs(p[2]) / c).sum() for p, c in zip(parts, counts, strict=True))
        squares = sum((p[2] ** 2 / c).sum() for p, c in zip(parts, counts, strict=True))
        assert field.norm1(0, period, False) == pytest.approx(absolute, rel=1e-13)
        assert field.norm2(0, period) == pytest.approx(math.sqrt(squares), rel=1e-13)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_sum_unique_of_cells_is_the_sum(amr, seed):
    _, field, _ = shared_points(amr, seed)
    boxes = field.box_array()
    boxes.convert(amr.IntVect(0))
    if any(box.is_empty for box in boxes):
        return
    cells = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    for view in cells.to_numpy():
        view[...] = np.arange(view.size).reshape(view.shape)
    expected = sum(view.sum() for view in cells.to_numpy())
    assert cells.sum_unique(0) == cells.sum(0) == expected
    assert cells.sum_unique(0, False, amr.Periodicity(amr.IntVect(3))) == expected
    region = amr.Box(amr.IntVect(0), amr.IntVect(2))
    assert cells.sum_unique(region, 0) == cells.sum(region, 0)


def test_norm_of_integers_with_a_period_is_rounded_once(amr):
    dim = len(amr.IntVect())
    boxes = amr.BoxArray([amr.Box(amr.IntVect(0), amr.IntVect(2)), amr.Box(amr.IntVect(0), amr.IntVect(2))])
    x = amr.iMultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    for number, mfi in enumerate(x):
        x.array(mfi).to_numpy()[...] = 2**30 + number  # no two copies agree
    total = 3**dim * (2 * 2**30 + 1) / 2
    assert abs(x.norm1(0, amr.Periodicity(), False) - total) <= 0.5


def test_nan_and_infinity(amr):
    c = Case(amr, 3)
    x = amr.MultiFab(c.boxes, c.owners, 2, 1)
    x.set_val(2.0)
    assert not x.contains_nan()
    assert not x.contains_inf()
    x.set_val(math.nan, 1, 1, 1)
    x.set_val(2.0, 1, 1, 0)  # now only ghosts of component 1 are NaN
    assert x.contains_nan()
    assert not x.contains_inf()
    assert x.contains_nan(1, 1, 1)
    assert x.contains_nan(0, 2, amr.IntVect(1))
    assert not x.contains_nan(1, 1)
    assert not x.contains_nan(0, 1, 1)
    x.set_val(-math.inf, 0, 1, 0)
    assert x.contains_inf(0, 1)
    assert x.max(0) == -math.inf
    assert x.sum(0) == -math.inf
    x.set_val(math.nan, 0, 1, 0)
    assert math.isnan(x.sum(0))
    assert math.isnan(x.norm0(0, 0, False, False))
    assert math.isnan(x.norm2(0))
    with pytest.raises(ValueError, match="no number"):
        x.minIndex(0, 0)


def test_integer_sums_do_not_overflow(amr):
    c = Case(amr, 4)
    x = amr.iMultiFab(c.boxes, c.owners, 1, 0)
    x.set_val(2_000_000_000)
    points = c.boxes.numPts
    assert x.sum(0) == 2_000_000_000 * (points() if callable(points) else points)
    x.set_val(0)
    with pytest.raises(ValueError, match="divisor is 0"):
        x.invert(1, 0, 1)


def test_copies(amr):
    c = Case(amr, 5)
    x = c.field()
    y = x.copy()
    assert type(y) is amr.MultiFab
    for a, b in zip(x.to_numpy(), y.to_numpy(), strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.shares_memory(a, b)
    y.set_val(0.0)
    amr.copy_mfab(y, x, 0, 0, c.ncomp, c.ngrow)
    for a, b in zip(x.to_numpy(), y.to_numpy(), strict=True):
        np.testing.assert_array_equal(a, b)
    amr.copy_mfab(dst=y, src=x, srccomp=0, dstcomp=0, numcomp=c.ncomp, nghost=amr.IntVect(c.ngrow))


def test_swap(amr):
    for c in cases(amr):
        x, y = c.field(), c.field()
        before_x, before_y = ([np.array(v) for v in f.to_numpy()] for f in (x, y))
        x.swap(y, c.xcomp, c.comp, c.n, c.nghost)
        for a, b, old_a, old_b in zip(x.to_numpy(), y.to_numpy(), before_x, before_y, strict=True):
            expected_a, expected_b = old_a.copy(), old_b.copy()
            c.part(expected_a, c.comp)[...] = c.part(old_b, c.xcomp)
            c.part(expected_b, c.xcomp)[...] = c.part(old_a, c.comp)
            np.testing.assert_array_equal(a, expected_a)
            np.testing.assert_array_equal(b, expected_b)


def refusals(amr, z, other, few, nodal):
    return {
        "component too high": (IndexError, lambda: z.plus(1.0, 2, 1)),
        "component below 0": (IndexError, lambda: z.set_val(1.0, -1, 1)),
        "too many components": (IndexError, lambda: z.mult(2.0, 1, 2)),
        "negative count": (IndexError, lambda: z.mult(2.0, 0, -1)),
        "source component": (IndexError, lambda: z.add(other, 1, 0, 2, 0)),
        "too many ghosts": (ValueError, lambda: z.plus(1.0, 0, 1, 2)),
        "too many ghosts in one direction": (
            ValueError,
            lambda: z.add(other, 0, 0, 1, amr.IntVect(1) + amr.IntVect(1)),
        ),
        "negative ghosts": (ValueError, lambda: z.negate(-1)),
        "ghosts of the source": (ValueError, lambda: z.saxpy(1.0, few, 0, 0, 1, 1)),
        "other boxes": (ValueError, lambda: z.copymf(smaller(amr), 0, 0, 1, 0)),
        "other index type": (ValueError, lambda: z.swap(nodal, 0, 0, 1, 0)),
        "sum": (IndexError, lambda: z.sum(5)),
        "min": (IndexError, lambda: z.min(-1)),
        "norm0": (IndexError, lambda: z.norm0(3, 0, False, False)),
        "norm1": (ValueError, lambda: z.norm1(0, 4, False)),
        "norm2": (IndexError, lambda: z.norm2(3)),
        "dot": (ValueError, lambda: z.dot(0, smaller(amr), 0, 1, 0)),
        "mask": (ValueError, lambda: z.dot(amr.iMultiFab(few.box_array(), few.dm(), 1, 0), 0, z, 0, 1, 1)),
        "contains_nan": (IndexError, lambda: z.contains_nan(0, 3)),
        "minIndex": (IndexError, lambda: z.minIndex(2, 0)),
        "a region of nodes": (ValueError, lambda: z.plus(1.0, nodal.box_array()[0])),
        "empty field": (RuntimeError, lambda: amr.MultiFab().set_val(1.0)),
        "empty source": (RuntimeError, lambda: z.add(amr.MultiFab(), 0, 0, 1, 0)),
        "a string": (TypeError, lambda: z.plus("1", 0)),
        "a field of another type": (TypeError, lambda: z.add(amr.iMultiFab(z.box_array(), z.dm(), 2, 1), 0, 0, 1, 0)),
    }


def smaller(amr):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(1)))
    return amr.MultiFab(boxes, amr.DistributionMapping(boxes), 2, 1)


def test_refusals_change_nothing(amr):
    c = Case(amr, 6)
    c.ncomp, c.ngrow = 2, 1
    z, other = c.field(), c.field()
    few = amr.MultiFab(c.boxes, c.owners, 2, 0)
    nodes = amr.BoxArray(c.boxes)
    nodes.surrounding_nodes()
    nodal = amr.MultiFab(nodes, c.owners, 2, 1)
    before = [np.array(view) for view in z.to_numpy()]
    for what, (error, call) in refusals(amr, z, other, few, nodal).items():
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value), what
        for view, old in zip(z.to_numpy(), before, strict=True):
            np.testing.assert_array_equal(view, old, err_msg=what)


def test_sources_on_both_sides_are_refused(amr):
    c = Case(amr, 7)
    c.ncomp, c.ngrow = 4, 0
    z = c.field()
    with pytest.raises(ValueError, match="fewer components"):
        z.lin_comb(1.0, z, 0, 1.0, z, 2, 1, 2, 0)
    with pytest.raises(ValueError, match="overlap"):
        z.swap(z, 0, 1, 2, 0)


def test_a_field_may_be_cleared_while_it_is_worked_on(amr3):
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(63)))
    boxes.max_size(32)
    owners = amr3.DistributionMapping(boxes)
    sums = []

    def work(field):
        for _ in range(50):
            try:
                sums.append(field.sum(0))
            except RuntimeError:
                return

    for _ in range(5):
        field = amr3.MultiFab(boxes, owners, 1, 0)
        field.set_val(1.0)
        threads = [threading.Thread(target=work, args=(field,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        field.clear()
        for thread in threads:
            thread.join()
    assert set(sums) <= {64.0**3}


def test_threads_at_once_are_right(amr3):
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(47)))
    boxes.max_size(16)
    owners = amr3.DistributionMapping(boxes)
    wrong = []

    def work(value):
        field = amr3.MultiFab(boxes, owners, 1, 1)
        for _ in range(20):
            field.set_val(value)
            field.plus(1.0)
            field.mult(2.0)
            if field.sum(0) != 48**3 * (value + 1) * 2:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@host_only  # drivers do not live on in a forked child
@pytest.mark.filterwarnings("ignore:os.fork", "ignore:This process")  # of JAX, and of Python 3.12
def test_a_forked_child_computes(amr3):
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(63)))
    boxes.max_size(16)
    field = amr3.MultiFab(boxes, amr3.DistributionMapping(boxes), 1, 0)
    field.set_val(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: the process has threads
        child = os.fork()
    if child == 0:
        signal.alarm(30)  # a hang becomes a death
        field.plus(1.0)
        os._exit(0 if field.sum(0) == 2 * 64.0**3 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert field.sum(0) == 64.0**3


def test_norms_of_several_components(amr):
    c = Case(amr, 8)
    c.ncomp, c.ngrow, c.nghost = 3, 1, 1
    x = c.field()
    for comps in ([2, 0], amr.Vector_int([2, 0])):
        assert list(x.norm1(comps, 1, False)) == [x.norm1(n, 1, False) for n in comps]
        assert list(x.norm2(comps)) == [x.norm2(n) for n in comps]
    assert type(x.norm2([1])) is amr.Vector_Real
    with pytest.raises(IndexError):
        x.norm2([0, 3])
    with pytest.raises(TypeError):
        x.norm2("0")


@host_only
@pytest.mark.parametrize("ghosts", [0, 1])
def test_fields_beyond_the_caches(amr3, ghosts):
    """There set_val, copies and lin_comb write past the caches; nothing is seen of it, also not by other threads."""
    box = amr3.Box(amr3.IntVect(0, 0, 0), amr3.IntVect(298, 150, 111))  # 40 MB in all
    boxes = amr3.BoxArray(box)
    boxes.max_size(150)
    owners = amr3.DistributionMapping(boxes)
    x, y, z = (amr3.MultiFab(boxes, owners, 1, ghosts) for _ in range(3))
    inner = (slice(ghosts, -ghosts or None),) * 3
    views = [[view[..., 0] for view in field.to_numpy()] for field in (x, y, z)]
    random = np.random.default_rng(3)
    for xs, ys, zs in zip(*views, strict=True):
        xs[...], ys[...] = random.random(xs.shape), random.random(ys.shape)
        zs[...] = -1.0

    def check(wanted):
        for xs, ys, zs in zip(*views, strict=True):
            assert (zs[inner] == wanted(xs[inner], ys[inner])).all()
            zs[inner] = -1.0
            assert (zs == -1.0).all()

    for value in (0.0, 2.5):
        z.set_val(value, 0, 1, 0)
        check(lambda xs, ys, value=value: value)
    amr3.copy_mfab(z, x, 0, 0, 1, 0)
    check(lambda xs, ys: xs)
    z.lin_comb(0.5, x, 0, -3.0, y, 0, 0, 1, 0)
    check(lambda xs, ys: 0.5 * xs + -3.0 * ys)
    amr3.copy_mfab(z, x, 0, 0, 1, 0)
    z.lin_comb(0.5, z, 0, 2.0, y, 0, 0, 1, 0)  # in place
    check(lambda xs, ys: 0.5 * xs + 2.0 * ys)
