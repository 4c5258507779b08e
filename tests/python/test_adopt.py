# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Memory of other libraries as the memory of fabs and FabArrays."""

import gc
import weakref

import numpy as np
import pytest
from devices import host

KINDS = {"MultiFab": "f8", "iMultiFab": "i4", "fMultiFab": "f4"}


def layout(amr, n=8, chunk=4):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(n - 1)))
    boxes.max_size(chunk)
    return boxes, amr.DistributionMapping(boxes)


def dim(amr):
    return amr.Config.spacedim


def shape(amr, ncomp, cells):
    return (ncomp, *(cells if d < dim(amr) else 1 for d in (2, 1, 0)))


def arrays(amr, ncomp=2, ngrow=1, dtype="f8"):
    count = len(layout(amr)[0])
    size = shape(amr, ncomp, 4 + 2 * ngrow)
    return [(np.arange(np.prod(size)).reshape(size) + 1000 * n).astype(dtype) for n in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_from_arrays_shares_memory(amr, kind):
    given = arrays(amr, dtype=KINDS[kind])
    made = getattr(amr, kind).from_arrays(*layout(amr), given, ncomp=2, ngrow=1)
    for array, view in zip(given, made.to_numpy(order="C"), strict=True):
        assert view.ctypes.data == array.ctypes.data
        assert (view == array).all()
    made.set_val(7)
    assert all((array == 7).all() for array in given)
    given[0][...] = 5
    for mfi in made:
        assert made.array(mfi).to_numpy().max() == (5 if mfi.index == 0 else 7)


def test_from_arrays_in_order_f(amr):
    given = [array.T for array in arrays(amr)]
    made = amr.MultiFab.from_arrays(*layout(amr), given, 2, 1, order="F")
    for array, view in zip(given, made.to_numpy(), strict=True):
        assert np.shares_memory(array, view)
        assert (array == view).all()


def test_halo_exchange_on_memory_of_others(amr):
    given = arrays(amr, ncomp=1)
    made = amr.MultiFab.from_arrays(*layout(amr), given, 1, amr.IntVect(1))
    other = amr.MultiFab(*layout(amr), 1, 1)
    for mfi, values in zip(other, given, strict=True):
        other.array(mfi).to_xp(order="C")[...] = amr.xp.asarray(values)
    del mfi
    period = amr.Periodicity(amr.IntVect(8))
    made.fill_boundary(period)
    other.fill_boundary(period)
    for mine, theirs in zip(other.to_numpy(copy=True, order="C"), given, strict=True):
        assert (mine == theirs).all()


def test_the_memory_lives_as_long_as_the_field(amr):
    given = arrays(amr)
    first = weakref.ref(given[0])
    made = amr.MultiFab.from_arrays(*layout(amr), given, 2, 1)
    want = [array.copy() for array in given]
    del given
    gc.collect()
    assert first() is not None
    views = made.to_numpy(order="C")
    made.clear()
    del made
    for view, array in zip(views, want, strict=True):
        assert (view == array).all()
    del views, view
    gc.collect()
    assert first() is None


def test_torch_tensors_as_memory(amr):
    torch = pytest.importorskip("torch")
    given = [torch.from_numpy(array) for array in arrays(amr)]
    made = amr.MultiFab.from_arrays(*layout(amr), given, 2, 1)
    made.mult(2.0, 0, 2, 1)
    for tensor, array in zip(given, arrays(amr), strict=True):
        assert (tensor.numpy() == 2 * array).all()


def test_axes_that_a_space_does_not_have_may_be_left_out(amr):
    given = [array.reshape([2, *[6] * dim(amr)]) for array in arrays(amr)]
    made = amr.MultiFab.from_arrays(*layout(amr), given, 2, 1)
    assert np.shares_memory(made.to_numpy()[0], given[0])
    single = [array[0].reshape([6] * dim(amr)) for array in arrays(amr, ncomp=1)]
    made = amr.MultiFab.from_arrays(*layout(amr), single, 1, 1)
    assert np.shares_memory(made.to_numpy()[0], single[0])


def test_a_copy_is_isolated_and_takes_any_layout(amr):
    wide = [np.repeat(array, 2, axis=-1) for array in arrays(amr)]
    for array in wide:
        array.flags.writeable = False
    given = [array[..., ::2] for array in wide]
    made = amr.MultiFab.from_arrays(*layout(amr), given, 2, 1, copy=True)
    for view, array in zip(made.to_numpy(copy=True, order="C"), arrays(amr), strict=True):
        assert (view == array).all()
        assert view.ctypes.data % 64 == 0
    integers = [array.astype("i4") for array in arrays(amr)]
    made = amr.MultiFab.from_arrays(*layout(amr), integers, 2, 1, copy=True)
    assert (made.to_numpy(copy=True, order="C")[0] == integers[0]).all()


def refusals(amr):
    good = arrays(amr)
    read_only = [array.copy() for array in good]
    read_only[-1].flags.writeable = False
    gaps = [np.repeat(array, 2, axis=-1)[..., ::2] for array in good]
    return {
        "one too few": (good[:-1], ValueError, "one array per local box"),
        "no sequence": (5, TypeError, "sequence"),
        "another shape": ([array[:, :, :, 1:] for array in good], ValueError, "needs an array of shape"),
        "another rank": ([array.ravel() for array in good], ValueError, "needs an array of shape"),
        "another type": ([array.astype("f4") for array in good], TypeError, "float"),
        "no array": ([None] * len(good), TypeError, "no memory"),
        "read-only": (read_only, BufferError, "copy=True"),
        "gaps": (gaps, BufferError, "copy=True"),
    }


@pytest.mark.parametrize(
    "case",
    ["one too few", "no sequence", "another shape", "another rank", "another type", "no array", "read-only", "gaps"],
)
def test_refusals(amr, case):
    given, error, text = refusals(amr)[case]
    with pytest.raises(error, match=text):
        amr.MultiFab.from_arrays(*layout(amr), given, 2, 1)


def test_a_fab_over_an_array(amr):
    box = amr.Box(amr.IntVect(2), amr.IntVect(5))
    array = np.zeros(shape(amr, 3, 4))
    fab = amr.FArrayBox(box, array)
    assert fab.n_comp() == 3
    assert fab.box() == box
    assert fab.n_bytes_owned() == 0
    fab.array()[(2,) * dim(amr) + (0,) * (3 - dim(amr)) + (1,)] = 9.0
    assert array[1].flat[0] == 9.0
    assert np.shares_memory(np.asarray(fab), array)
    whole = np.zeros(shape(amr, 1, 4), "i4").T
    assert np.shares_memory(np.asarray(amr.IArrayBox(box, whole, order="F")), whole)
    copied = amr.FArrayBox(box, array, copy=True)
    assert not np.shares_memory(host(copied), array)
    with pytest.raises(ValueError, match="shape"):
        amr.FArrayBox(box, np.zeros(shape(amr, 1, 5)))
    with pytest.raises(TypeError, match="int"):
        amr.FArrayBox(box, np.zeros(shape(amr, 1, 4), "i4"))
    array.flags.writeable = False
    with pytest.raises(BufferError, match="copy=True"):
        amr.FArrayBox(box, array)
