# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that memory of integers cannot hold: refused, and nothing is changed; those that it can are stored."""

import math
import time

import amrex.space3d as amr3d
import numpy as np
import pytest
from devices import host_only

LIMITS = {"i4": (-(2**31), 2**31 - 1), "i8": (-(2**63), 2**63 - 1), "u8": (0, 2**64 - 1)}
BEFORE = 7


def field(amr, n=6, ncomp=2):
    dim = amr.Config.spacedim
    boxes = amr.BoxArray(amr.Box(amr.IntVect(*[0] * dim), amr.IntVect(*[n - 1] * dim)))
    boxes.max_size(3)
    made = amr.iMultiFab(boxes, amr.DistributionMapping(boxes), ncomp, 1)
    made.set_val(BEFORE)
    return made


def bad_values(low, high):
    """(what, value): each holds one number that does not fit."""
    yield "above", high + 1
    yield "below", low - 1
    yield "far above", 2**200
    yield "fraction", 2.5
    yield "small fraction", -0.5
    for number in (math.nan, math.inf, -math.inf, 1e300):
        yield f"float {number}", number
    for code in ("f2", "f4", "f8", "g"):
        yield f"{code} fraction", np.asarray(1.5, code)
        yield f"{code} nan", np.asarray(math.nan, code)
        yield f"{code} inf", np.asarray(math.inf, code)
    yield "f8 just above", np.float64(high) + 2 ** max(0, int(high).bit_length() - 52)
    if high < 2**63 - 1:
        yield "i8 above", np.int64(high + 1)
        yield "u8 above", np.uint64(high + 1)
        yield "u4 above", np.uint32(2**32 - 1)
    if high < 2**64 - 1:
        yield "u8 max", np.uint64(2**64 - 1)
    if low == 0:
        yield "i1 negative", np.int8(-1)
        yield "i8 negative", np.int64(-1)
    yield "complex", 1j
    yield "text", "7"
    yield "none", None


def arrays_with(value, shape):
    """Arrays and lists of a shape whose last element alone is `value`, in several layouts."""
    if isinstance(value, (np.ndarray, np.generic)):
        dtype = np.asarray(value).dtype
    else:
        dtype = object if isinstance(value, (str, type(None))) else None
    plain = np.ones(shape, dtype if dtype is not None else np.asarray(value).dtype)
    plain[(-1,) * len(shape)] = value
    yield plain
    yield np.asfortranarray(plain)
    yield plain[(slice(None, None, -1),) * len(shape)]
    wide = np.ones([2 * n for n in shape], plain.dtype)
    wide[(slice(None, None, 2),) * len(shape)] = plain
    yield wide[(slice(None, None, 2),) * len(shape)]
    yield plain.tolist()
    if plain.dtype.kind in "iuf":
        yield plain.astype(plain.dtype.newbyteorder())


def test_a_field_refuses_what_does_not_fit(amr):
    made, dim = field(amr), amr.Config.spacedim
    shape = (4,) * dim
    for what, value in bad_values(*LIMITS["i4"]):
        for array in [value, *arrays_with(value, shape)]:
            for key in ((slice(0, 4),) * dim, (slice(0, 4),) * dim + (1,)):
                with pytest.raises((ValueError, OverflowError, TypeError)):
                    made[key] = array
                assert made.min(0) == made.max(0) == made.min(1) == made.max(1) == BEFORE, what
        with pytest.raises((ValueError, OverflowError, TypeError)):
            made[(0,) * (dim + 1)] = value
        with pytest.raises((ValueError, OverflowError, TypeError)):
            made.set_val(value)
        assert made.min(0) == made.max(0) == BEFORE, what


@pytest.mark.parametrize("code", ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", "O"])
def test_a_field_takes_what_fits(amr, code):
    made, dim = field(amr), amr.Config.spacedim
    key = (slice(0, 4),) * dim
    rng = np.random.default_rng(3)
    values = rng.integers(0, 2, (4,) * dim) if code == "b1" else rng.integers(0, 100, (4,) * dim)
    if code in ("i4", "i8", "f8", "g", "O"):
        values.flat[0], values.flat[-1] = LIMITS["i4"]
    array = values.astype(code)
    for given in (array, np.asfortranarray(array), array[::-1][::-1], np.broadcast_to(array, array.shape)):
        made.set_val(0)
        made[key] = given
        got = made[(*key, 0)]
        assert got.dtype == np.int32 and np.array_equal(got, values)
    made[key] = array.flat[0]
    assert (made[key] == values.flat[0]).all()


def test_the_message_says_the_number_and_what_to_do(amr3):
    made = field(amr3)
    with pytest.raises(OverflowError, match=str(2**40)):
        made[...] = np.full((6, 6, 6), 2**40)
    with pytest.raises(ValueError, match=r"2\.5 is not a whole number.*np\.rint"):
        made[...] = np.full((6, 6, 6), 2.5)
    with pytest.raises(ValueError, match="nan"):
        made[...] = np.nan
    with pytest.raises(TypeError, match=r"parallel_copy.*f\[\.\.\.\] = g\[\.\.\.\]"):
        made[...] = field(amr3)


VECTORS = {
    "i4": ("PODVector_int_std", "PODVector_int_polymorphic", "Vector_int"),
    "i8": ("Vector_Long",),
    "u8": ("PODVector_uint64_std", "PODVector_uint64_arena"),
}


@host_only
@pytest.mark.parametrize(("code", "name"), [(c, n) for c, names in VECTORS.items() for n in names])
def test_vectors_refuse_what_does_not_fit(code, name):
    cls = getattr(amr3d, name)
    errors = (ValueError, OverflowError, TypeError)
    is_pod = issubclass(cls, amr3d.PODVector)
    made = cls.from_array([1, 2, 3]) if is_pod else cls([1, 2, 3])
    for what, value in bad_values(*LIMITS[code]):
        for array in arrays_with(value, (3,)):
            with pytest.raises(errors):
                cls.from_array(array) if is_pod else cls(array)
            with pytest.raises(errors):
                made.copy_from(array) if is_pod else made.extend(array)
            assert list(made) == [1, 2, 3], what
        changes = [lambda v: made.__setitem__(0, v)]
        changes += [made.push_back, made.assign, lambda v: made.resize(9, v)] if is_pod else [made.append]
        for change in changes:
            with pytest.raises(errors):
                change(value)
            assert list(made) == [1, 2, 3], what
    low, high = LIMITS[code]
    for good in ([low, high], np.array([low, high], code)):
        assert list(cls.from_array(good) if is_pod else cls(good)) == [low, high]


@pytest.mark.parametrize("copy", [True, False])
def test_fabs_and_fields_from_arrays_refuse_what_does_not_fit(amr, copy):
    dim = amr.Config.spacedim
    box = amr.Box(amr.IntVect(*[0] * dim), amr.IntVect(*[1] * dim))
    boxes = amr.BoxArray(box)
    owners = amr.DistributionMapping(boxes)
    shape = (1,) * (4 - dim) + (2,) * dim
    for what, value in bad_values(*LIMITS["i4"]):
        for array in arrays_with(value, shape):
            with pytest.raises((ValueError, OverflowError, TypeError, BufferError)):
                amr.IArrayBox(box, array, copy=copy)
            with pytest.raises((ValueError, OverflowError, TypeError, BufferError)):
                amr.iMultiFab.from_arrays(boxes, owners, [array], copy=copy)
            assert what


def test_a_later_box_that_does_not_fit_makes_nothing(amr3):
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(7)))
    boxes.max_size(4)
    owners = amr3.DistributionMapping(boxes)
    before = amr3.The_Arena().bytes
    arrays = [np.ones((1, 4, 4, 4), "i4").tolist() for _ in range(7)] + [np.full((1, 4, 4, 4), 2**40).tolist()]
    with pytest.raises(OverflowError):
        amr3.iMultiFab.from_arrays(boxes, owners, arrays, copy=True)
    assert amr3.The_Arena().bytes == before


def test_random_arrays_are_stored_as_numpy_converts_them_or_refused(amr3):
    rng = np.random.default_rng(11)
    made = field(amr3, n=4, ncomp=1)
    for _ in range(300):
        code = rng.choice(["i2", "i4", "i8", "u4", "u8", "f4", "f8"])
        scale = 2.0 ** rng.integers(0, 66)
        values = rng.uniform(-1, 1, (4, 4, 4)) * scale
        with np.errstate(all="ignore"):
            array = values.astype(code) if code[0] == "f" else np.abs(values).astype("u8").astype(code)
            if rng.random() < 0.5:
                array = np.trunc(array).astype(code)
            fits = bool(((array == array.astype("i4")) & (array >= -(2.0**31)) & (array < 2.0**31)).all())
        made.set_val(BEFORE)
        if fits:
            made[...] = array
            assert np.array_equal(made[...], array.astype("i4"))
        else:
            with pytest.raises((OverflowError, ValueError)):
                made[...] = array
            assert made.min(0) == made.max(0) == BEFORE


def test_particles_take_whole_numbers_only():
    for bad in (2**40, 1e300, math.inf, 2.5):
        with pytest.raises((TypeError, ValueError, RuntimeError, OverflowError)):
            amr3d.Particle_0_1(0.0, 0.0, 0.0, bad)
    with pytest.raises((TypeError, ValueError, RuntimeError, OverflowError)):
        amr3d.Particle_0_1(0.0, 0.0, 0.0, math.nan)
    assert amr3d.Particle_0_1(0.0, 0.0, 0.0, 3.0).get_idata(0) == 3


@host_only
def test_the_good_case_is_as_fast_as_a_conversion(amr3):
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(63)))
    made = amr3.iMultiFab(boxes, amr3.DistributionMapping(boxes), 1, 0)
    array = np.asfortranarray(np.arange(64**3).reshape(64, 64, 64))

    def best(f):
        times = []
        for _ in range(7):
            start = time.perf_counter()
            f()
            times.append(time.perf_counter() - start)
        return min(times)

    made[...] = array
    assert np.array_equal(made[...], array)
    assert best(lambda: made.__setitem__(..., array)) < 8 * best(lambda: array.astype("i4")) + 1e-3
