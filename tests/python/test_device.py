# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the run's device through every protocol: the same tests on the host and on each kind of device."""

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from amrex import _core
from devices import DEVICE, ON_HOST, device_only, host, host_only
from numpy_versions import needs_new_from_dlpack

ARENAS = ("The_Arena", "The_Device_Arena", "The_Async_Arena", "The_Managed_Arena", "The_Pinned_Arena", "The_Cpu_Arena")
REACHED = ("The_Managed_Arena", "The_Pinned_Arena", "The_Cpu_Arena")
KINDS = {"cuda": 2, "hip": 10, "sycl": 14, "cpu": 1}
sycl_only = pytest.mark.skipif(DEVICE != "sycl", reason="about SYCL")


def field(amr, arena, ncomp=2, ngrow=1, cells=6, chunk=None, kind="MultiFab"):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(cells - 1)))
    if chunk is not None:
        boxes.max_size(chunk)
    made = getattr(amr, kind)(
        boxes, amr.DistributionMapping(boxes), ncomp, ngrow, amr.MFInfo().set_arena(getattr(amr, arena)())
    )
    made.set_val(7)
    return made


def array_of(made):
    (found,) = [made.array(mfi) for mfi in made]
    return found


def vector(amr, arena, cls="PODVector_real_polymorphic"):
    made = getattr(amr, cls)(5, getattr(amr, arena)())
    made.assign(7)
    return made


MAKERS = {
    "MultiFab": lambda amr, arena: array_of(field(amr, arena)),
    "iMultiFab": lambda amr, arena: array_of(field(amr, arena, kind="iMultiFab")),
    "PODVector_real": vector,
    "PODVector_int": lambda amr, arena: vector(amr, arena, "PODVector_int_polymorphic"),
    "PODVector_uint64": lambda amr, arena: vector(amr, arena, "PODVector_uint64_polymorphic"),
}


@pytest.fixture(params=MAKERS)
def make(request):
    return MAKERS[request.param]


def device_of(obj):
    return obj.__dlpack_device__()


def reached(amr, arena):
    return ON_HOST or arena in REACHED


@pytest.mark.parametrize("arena", ARENAS)
def test_every_kind_of_memory_says_where_it_is(amr, make, arena):
    kind = device_of(make(amr, arena))[0]
    if arena == "The_Cpu_Arena" or ON_HOST:
        assert kind == 1
    elif DEVICE in ("cuda", "hip") and arena in ("The_Managed_Arena", "The_Pinned_Arena"):
        assert kind in (3, 11, 13, 10)
    else:
        assert kind == KINDS[DEVICE]


@pytest.mark.parametrize("arena", ARENAS)
def test_a_copy_for_the_host_is_finished_and_isolated(amr, make, arena):
    obj = make(amr, arena)
    copy = obj.to_numpy(copy=True)
    assert (copy == 7).all() and copy.flags.writeable
    copy[...] = 1
    assert (obj.to_numpy(copy=True) == 7).all()


@pytest.mark.parametrize("arena", ARENAS)
def test_a_view_of_the_host_or_advice(amr, make, arena):
    obj = make(amr, arena)
    if not reached(amr, arena):
        for call in (obj.to_numpy, lambda: np.asarray(obj), lambda: memoryview(obj), lambda: np.sin(obj)):
            with pytest.raises((BufferError, TypeError)):
                call()
        with pytest.raises(BufferError, match=r"to_xp\(\).*copy=True"):
            obj.to_numpy(copy=False)
        assert not hasattr(obj, "__array_interface__")
        return
    view = obj.to_numpy()
    view[...] = 8
    assert (obj.to_numpy(copy=True) == 8).all()
    assert np.shares_memory(np.asarray(obj), view)
    assert obj.__array_interface__["shape"] == np.asarray(obj).shape


@pytest.mark.parametrize("arena", ARENAS)
def test_xp_writes_in_place(amr, make, arena):
    obj = make(amr, arena)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", amr.StagedCopyWarning)
        array = obj.to_xp()
    assert type(array).__module__.partition(".")[0] == amr.xp.__name__
    array[...] = array + 1
    staged = arena == "The_Cpu_Arena" and not ON_HOST
    assert (obj.to_numpy(copy=True) == (7 if staged else 8)).all()
    copy = obj.to_xp(copy=True)
    copy[...] = 0
    assert (obj.to_numpy(copy=True) == (7 if staged else 8)).all()


@device_only
def test_plain_memory_is_staged_and_announced(amr, make):
    obj = make(amr, "The_Cpu_Arena")
    with pytest.warns(amr.StagedCopyWarning, match="writes do not reach the object; use to_numpy"):
        array = obj.to_xp()
    assert (host(array) == 7).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (host(obj.to_xp(copy=True)) == 7).all()


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("order", ["F", "C"])
def test_orders_of_xp(amr, arena, order):
    obj = array_of(field(amr, arena))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", amr.StagedCopyWarning)
        assert obj.to_xp(order=order).shape == obj.to_numpy(copy=True, order=order).shape
        assert obj.to_xp(copy=True, order=order).shape == obj.to_numpy(copy=True, order=order).shape


@needs_new_from_dlpack
@pytest.mark.parametrize("arena", ARENAS)
def test_dlpack_to_the_host(amr, make, arena):
    obj = make(amr, arena)
    if not reached(amr, arena):
        with pytest.raises(BufferError, match="copy"):
            obj.__dlpack__(dl_device=(1, 0), copy=False, max_version=(1, 0))
    else:
        obj.__dlpack__(dl_device=(1, 0), copy=False, max_version=(1, 0))
    shown = np.from_dlpack(obj, device="cpu")
    assert (shown == 7).all()
    shown[...] = 9
    assert (obj.to_numpy(copy=True) == (9 if reached(amr, arena) else 7)).all()
    with pytest.raises(BufferError, match="cannot be exported to device"):
        obj.__dlpack__(dl_device=(8, 0), max_version=(1, 0))


@pytest.mark.parametrize("arena", ARENAS)
def test_views_outlive_everything(amr, make, arena):
    obj = make(amr, arena)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", amr.StagedCopyWarning)
        array = obj.to_xp()
    del obj
    gc.collect()
    waste = [make(amr, arena) for _ in range(8)]
    assert (host(array) == 7).all() and waste


@pytest.mark.parametrize("arena", ARENAS)
def test_vectors_grow_past_their_views(amr, arena):
    made = vector(amr, arena)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", amr.StagedCopyWarning)
        before = made.to_xp()
    made.push_back(8)
    made.resize(9, 3.5)
    made.pop_back()
    assert made.to_numpy(copy=True).tolist() == [7, 7, 7, 7, 7, 8, 3.5, 3.5]
    assert host(before).tolist() == [7] * 5
    made.shrink_to_fit()
    made.copy_from([1, 2], 3)
    assert made.to_numpy(copy=True).tolist() == [7, 7, 7, 1, 2, 8, 3.5, 3.5]
    made.clear()
    assert made.to_numpy(copy=True).shape == (0,)
    assert device_of(made) == device_of(vector(amr, arena))


@pytest.mark.parametrize("arena", ARENAS)
@pytest.mark.parametrize("other", ARENAS)
def test_vectors_between_arenas(amr3, arena, other):
    source = vector(amr3, arena)
    copy = amr3.PODVector_real_polymorphic(source, getattr(amr3, other)())
    assert copy.to_numpy(copy=True).tolist() == [7] * 5
    source.assign(1)
    copy.copy_from_podvector(source)
    assert copy.to_numpy(copy=True).tolist() == [1] * 5
    source.set_arena(getattr(amr3, other)())
    assert source.to_numpy(copy=True).tolist() == [1] * 5


@pytest.mark.parametrize("arena", ARENAS)
def test_elements(amr, make, arena):
    obj = make(amr, arena)
    index = (0, 0, 0) if hasattr(obj, "nComp") else 0
    if not reached(amr, arena):
        with pytest.raises(BufferError, match=r"to_xp\(\)"):
            obj[index]
        with pytest.raises(BufferError, match=r"to_xp\(\)"):
            obj[index] = 3
        return
    obj[index] = 3
    assert obj[index] == 3
    assert repr(obj)


@pytest.mark.parametrize("arena", ARENAS)
def test_vectors_are_pickled_by_value(amr3, arena):
    again = pickle.loads(pickle.dumps(vector(amr3, arena)))
    assert again.to_numpy(copy=True).tolist() == [7] * 5


def test_all_boxes_at_once(amr):
    made = field(amr, "The_Arena", cells=8, chunk=4)
    arrays = made.to_xp()
    assert len(arrays) == len(made.box_array()) and all(type(a) is type(amr.xp.zeros(1)) for a in arrays)
    for array, one in zip(arrays, made.to_numpy(copy=True), strict=True):
        assert array.shape == one.shape and (one == 7).all()
        array[...] = 8
    assert made.min(0) == made.max(0) == 8
    assert all((host(copy) == 8).all() for copy in made.to_xp(copy=True, order="C"))


@needs_new_from_dlpack
def test_seed_two_loops(amr):
    """The script of the zero-copy document: what the first loop writes through xp, the second one reads."""
    made = field(amr, "The_Arena", ncomp=4)
    where = (3, *((2 if d < amr.Config.spacedim else 0) for d in (2, 1, 0)))
    for mfi in made:
        amr.xp.from_dlpack(made.array(mfi))[where] = 5
    for mfi in made:
        assert float(amr.xp.from_dlpack(made.array(mfi))[where]) == 5
    del mfi


def test_order_of_the_consumer_before_us(amr):
    made = field(amr, "The_Arena", ncomp=1, ngrow=0, cells={1: 1 << 18, 2: 512, 3: 64}[amr.Config.spacedim])
    array = array_of(made)
    cells = array.size
    for turn in range(1, 41):
        view = array.to_xp()
        amr.xp.multiply(view, 0.0, out=view)
        amr.xp.add(view, float(turn), out=view)
        assert made.sum(0) == turn * cells


def test_order_of_us_before_the_consumer(amr):
    made = field(amr, "The_Arena", ncomp=1, ngrow=0, cells={1: 1 << 18, 2: 512, 3: 64}[amr.Config.spacedim])
    array = array_of(made)
    for value in range(20):
        made.set_val(value)
        assert bool((amr.xp.from_dlpack(array) == value).all())


def test_heat_equation(amr):
    """A field advanced through xp and fill_boundary, against the same equation on one array of NumPy."""
    dim, cells, steps, factor = amr.Config.spacedim, 16, 12, 0.1
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(cells - 1)))
    boxes.max_size(8)
    owners = amr.DistributionMapping(boxes)
    old, new = (amr.MultiFab(boxes, owners, 1, 1) for _ in range(2))
    period = amr.Periodicity(amr.IntVect(cells))
    want = np.random.default_rng(5).random((cells,) * dim)

    def inner(d=None, shift=0):
        """The valid cells of a box with ghosts (i, j, k, component), moved by `shift` along d."""
        ends = [slice(1 + (shift if axis == d else 0), 9 + (shift if axis == d else 0)) for axis in range(dim)]
        return (*ends, *[0] * (3 - dim), 0)

    for mfi in old:
        low = mfi.validbox().small_end
        block = want[tuple(slice(low[d], low[d] + 8) for d in range(dim))]
        old.array(mfi).to_xp()[inner()] = amr.xp.asarray(block)
    for _ in range(steps):
        old.fill_boundary(period)
        for mfi in old:
            phi, out = old.array(mfi).to_xp(), new.array(mfi).to_xp()
            change = sum(phi[inner(d, 1)] + phi[inner(d, -1)] - 2 * phi[inner()] for d in range(dim))
            out[inner()] = phi[inner()] + factor * change
        amr.copy_mfab(old, new, 0, 0, 1, 0)
        change = sum(np.roll(want, 1, d) + np.roll(want, -1, d) - 2 * want for d in range(dim))
        want = want + factor * change
    for mfi in old:
        low = mfi.validbox().small_end
        block = want[tuple(slice(low[d], low[d] + 8) for d in range(dim))]
        assert np.allclose(old.array(mfi).to_numpy(copy=True)[inner()], block, rtol=1e-12, atol=0)
    assert abs(old.sum(0) - want.sum()) < 1e-12 * want.sum()
    del mfi, phi, out


def test_finalize_names_what_is_alive(amr3):
    held = amr3.xp.from_dlpack(vector(amr3, "The_Arena"))
    if ON_HOST:
        assert held.flags.owndata is False
    with pytest.raises(RuntimeError, match="PODVector_real_polymorphic"):
        amr3.finalize()
    assert amr3.initialized()
    del held
    amr3.finalize()


def test_memory_of_an_earlier_run_keeps_its_device(amr3):
    made = vector(amr3, "The_Arena")
    kind = device_of(made)
    amr3.finalize()
    assert device_of(made) == kind
    assert made.to_numpy(copy=True).tolist() == [7] * 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # that amr.xp is another one now
        amr3.initialize([], device="cpu")
    made.push_back(1)
    assert made.to_numpy(copy=True).tolist() == [7] * 5 + [1]
    assert device_of(amr3.PODVector_real_arena(3)) == (1, 0)


@device_only
def test_arrays_of_xp_become_ours_in_place(amr3):
    array = amr3.xp.arange(5.0)
    made = amr3.PODVector_real_arena.from_array(array, copy=False)
    assert device_of(made) == array.__dlpack_device__()
    array[...] = 3
    assert made.to_numpy(copy=True).tolist() == [3] * 5
    made.assign(4)
    assert host(array).tolist() == [4] * 5
    del array
    gc.collect()
    made.push_back(5)
    assert made.to_numpy(copy=True).tolist() == [4] * 4 + [4, 5]
    assert amr3.PODVector_real_std.from_xp(amr3.xp.arange(3.0)).to_numpy().tolist() == [0, 1, 2]


@device_only
def test_a_field_over_arrays_of_xp(amr):
    shape = tuple(4 if d < amr.Config.spacedim else 1 for d in (2, 1, 0))
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7)))
    boxes.max_size(4)
    given = [amr.xp.full((1, *shape), float(n)) for n in range(len(boxes))]
    made = amr.MultiFab.from_arrays(boxes, amr.DistributionMapping(boxes), given, 1, 0)
    assert made.max(0) == len(boxes) - 1
    made.plus(1.0, 0, 1, 0)
    assert [float(array.max()) for array in given] == [n + 1.0 for n in range(len(boxes))]
    del made
    given[0] = np.zeros((1, *shape))
    with pytest.raises(ValueError, match="box 1 is in memory of another kind or device"):
        amr.MultiFab.from_arrays(boxes, amr.DistributionMapping(boxes), given, 1, 0)


def test_arenas(amr3):
    for name in ARENAS:
        arena = getattr(amr3, name)()
        assert arena.is_host_accessible == reached(amr3, name)
        assert arena.is_device == (not reached(amr3, name))
        before = arena.bytes
        held = vector(amr3, name)
        assert arena.bytes >= before + 40
        del held
        assert arena.bytes == before


def test_too_much_memory(amr3):
    huge = 1 << 58
    for name in ARENAS:
        with pytest.raises(MemoryError):
            amr3.PODVector_real_polymorphic(huge // 8, getattr(amr3, name)())
    assert vector(amr3, "The_Arena").to_numpy(copy=True).tolist() == [7] * 5


def test_threads_share_the_device(amr3):
    problems = []

    def work(number):
        try:
            for turn in range(50):
                made = vector(amr3, "The_Arena")
                made.assign(number * 1000 + turn)
                made.resize(100, -1)
                assert made.to_numpy(copy=True)[:5].tolist() == [number * 1000 + turn] * 5
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


@pytest.mark.parametrize("arena", ARENAS)
def test_numbers_beyond_every_device_and_stream(amr3, make, arena):
    obj = make(amr3, arena)
    for device in ((1 + 2**32, 0), (1, 2**32), (2**31, 0)):
        with pytest.raises(BufferError):
            obj.__dlpack__(dl_device=device, max_version=(1, 0))
    for stream in (2**70, -(2**70), 2**63):
        with pytest.raises((ValueError, OverflowError)):
            obj.__dlpack__(stream=stream, max_version=(1, 0))


@sycl_only
def test_usm_ndarray_of_dpctl(amr):
    array = array_of(field(amr, "The_Arena"))
    usm = array.to_dpctl(order="C")
    assert type(usm).__name__ == "usm_ndarray" and usm.shape == array.to_numpy(copy=True, order="C").shape
    usm[...] = 3
    assert (array.to_numpy(copy=True) == 3).all()


@sycl_only
def test_queues_of_dpctl(amr3):
    import dpctl

    array = array_of(field(amr3, "The_Arena"))
    queue = amr3.xp.from_dlpack(array).sycl_queue
    array.__dlpack__(stream=queue, max_version=(1, 0))
    for bad in (0, 1, -1, "x", 1.5):
        with pytest.raises(ValueError, match="SyclQueue"):
            array.__dlpack__(stream=bad, max_version=(1, 0))
    other = dpctl.SyclQueue(queue.sycl_device, property="in_order")
    amr3.use_stream(other)
    made = field(amr3, "The_Arena")
    made.set_val(3.0)
    amr3.use_stream(None)
    assert made.max(0) == 3.0
    with pytest.raises(ValueError, match="SyclQueue"):
        amr3.use_stream(1)


@sycl_only
def test_managed_memory_by_parameter():
    import amrex.space3d as amr

    amr.initialize(["amrex.the_arena_is_managed=1"])
    try:
        assert amr.The_Arena().is_managed and amr.The_Arena().is_host_accessible
        made = amr.PODVector_real_arena(3)
        made[1] = 5
        assert made.to_numpy().tolist() == [0, 5, 0]
        assert device_of(made)[0] == KINDS[DEVICE]
    finally:
        del made
        amr.finalize()


@device_only
def test_memory_is_reserved_at_the_start():
    import amrex.space3d as amr

    amr.initialize([f"amrex.the_arena_init_size={1 << 20}"])
    try:
        assert "bytes kept" in amr.The_Arena().usage()
    finally:
        amr.finalize()


@host_only
def test_a_run_on_the_host_opens_no_driver():
    body = (
        "import amrex.space3d as amr; amr.initialize([]); v = amr.PODVector_real_arena(3); v.to_xp(); amr.finalize();"
        "print([w for w in ('libcuda', 'amdhip', 'libDPCTL', 'libsycl') if w in open('/proc/self/maps').read()])"
    )
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stdout + done.stderr


@device_only
def test_exit_with_live_views_and_no_finalize():
    body = (
        "import amrex.space3d as amr; amr.initialize([]); v = amr.PODVector_real_arena(1000); x = v.to_xp(); x += 1;"
        "y = v.to_xp(); c = v.__dlpack__(max_version=(1, 0)); print(float(y.sum()))"
    )
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1000.0\n"), done.stderr


@sycl_only
def test_a_forked_child_is_told():
    body = """
import os, amrex.space3d as amr
amr.initialize([])
v = amr.PODVector_real_arena(3)
v.assign(1)
if (child := os.fork()) == 0:
    try:
        v.assign(2)
        code = 1
    except RuntimeError as error:
        code = 0 if "fork" in str(error) else 2
    os._exit(code)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


@device_only
def test_the_demonstration_runs_on_the_device(tmp_path):
    command = [sys.executable, "-m", "amrex", "demo", "--size", "16", "--max-grid-size", "8", "--steps", "3"]
    done = subprocess.run([*command, "--output", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Everything agrees" in done.stdout, done.stdout + done.stderr
    assert "same memory" in done.stdout and (tmp_path / "plt_demo/Header").exists()


def test_the_report_names_every_backend():
    done = subprocess.run([sys.executable, "-m", "amrex"], capture_output=True, text=True, check=True)
    for name in ("cpu", "cuda", "rocm", "sycl"):
        (line,) = [one for one in done.stdout.splitlines() if one.startswith(f"device:  {name}: ")]
        assert "none: " not in line or any(word in line for word in ("install", "driver", "is there")), line


@pytest.mark.parametrize("name", ["cuda", "rocm", "sycl"])
def test_a_missing_driver_is_explained(name):
    variables = {f"ZEROFAB_{word}_LIBRARY": "/nowhere/lib.so" for word in ("CUDA", "HIP", "SYCL")}
    body = f"import amrex.space3d as amr; amr.initialize([], device={name!r})"
    done = subprocess.run(
        [sys.executable, "-c", body], capture_output=True, text=True, check=False, env={**os.environ, **variables}
    )
    assert done.returncode == 1
    assert "RuntimeError: no device for" in done.stderr and "/nowhere/lib.so" in done.stderr


def test_live_exports_of_device_memory(amr3):
    capsule = vector(amr3, "The_Arena").__dlpack__(max_version=(1, 0))
    (live,) = _core.live_exports()
    assert live["what"] == "PODVector_real_polymorphic" and not live["copied"]
    assert ctypes.pythonapi.PyCapsule_IsValid(ctypes.py_object(capsule), b"dltensor_versioned")
    del capsule
    assert _core.live_exports() == []
