# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""initialize, finalize, the handle, and the guard of live exports."""

import gc
import importlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from devices import DEVICE, host_only
from said import of_ours


def run(body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A program in an interpreter of its own."""
    head = "import amrex.space3d as amr, numpy as np, gc, sys\n"
    return subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(body)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )


def clean(body: str, **environment: str) -> str:
    """What the program prints; it must end with status 0, and nothing on stderr is of ours."""
    done = run(body, **environment)
    assert done.returncode == 0, done.stderr
    assert not of_ours(done.stderr)
    return done.stdout


def field(amr, ngrow=1):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7)))
    boxes.max_size(4)
    made = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, ngrow)
    made.set_val(3.0)
    return made


def first(made):
    return next(array for array in map(made.array, made))


def test_one_runtime_for_all_spaces():
    one, two, three = (importlib.import_module(f"amrex.space{d}d") for d in (1, 2, 3))
    two.initialize([])
    try:
        assert one.initialized()
        assert three.initialized()
        with pytest.raises(RuntimeError, match="already"):
            one.initialize([])
    finally:
        three.finalize()
    assert not two.initialized()


def test_types_without_a_dimension_are_the_same_objects():
    one, three = (importlib.import_module(f"amrex.space{d}d") for d in (1, 3))
    for name in ("Array4_double", "ParmParse", "DLDeviceType", "IntVect2D", "PODVector_real_std", "Vector_Real"):
        assert getattr(one, name) is getattr(three, name)
    assert one.IntVect is three.IntVect1D
    assert three.IntVect is three.IntVect3D


def test_a_box_of_another_dimension_names_both(amr3):
    two = importlib.import_module("amrex.space2d")
    with pytest.raises(TypeError, match=r"space3d.*space2d") as caught:
        amr3.BoxArray(two.Box(two.IntVect(0), two.IntVect(3)))
    assert "space2d.Box" in str(caught.value)


def test_states():
    amr = importlib.import_module("amrex.space3d")
    with pytest.raises(RuntimeError, match="initialize"):
        amr.finalize()
    handle = amr.initialize(["amrex.verbose=0"])
    assert handle == amr.AMReX.top()
    assert (amr.AMReX.size(), amr.AMReX.empty()) == (1, False)
    amr.finalize(handle)
    assert (amr.AMReX.size(), amr.AMReX.empty()) == (0, True)
    with pytest.raises(RuntimeError, match="initialize"):
        amr.AMReX.top()
    amr.initialize([])
    with pytest.raises(RuntimeError, match="handle"):
        amr.finalize(handle)
    amr.AMReX.erase(amr.AMReX.top())
    assert not amr.initialized()


@pytest.mark.parametrize("bad", ["abc", None, [1], [None], b"x=1", 7])
def test_malformed_arguments_start_nothing(bad):
    amr = importlib.import_module("amrex.space3d")
    with pytest.raises(TypeError):
        amr.initialize(bad)
    assert not amr.initialized()


@pytest.mark.parametrize(
    ("device", "error", "said"),
    [
        ("quantum", ValueError, "quantum.*cpu, cuda, rocm, sycl"),
        ("cpu:1", ValueError, "cpu:1.*beyond"),
        ("cpu:x", ValueError, "cpu:x.*number"),
        ("cuda:99", (RuntimeError, ValueError), "cuda:99"),
        ("rocm:99", (RuntimeError, ValueError), "rocm:99"),
    ],
)
def test_an_unknown_device_is_refused(device, error, said):
    amr = importlib.import_module("amrex.space3d")
    with pytest.raises(error, match=said):
        amr.initialize([], device=device)
    with pytest.raises(error, match=said):
        amr.initialize([f"amrex.device={device}"])
    with pytest.raises(ValueError, match="stream"):
        amr.initialize([], stream=1)
    assert not amr.initialized()
    amr.initialize([], device=DEVICE)
    amr.finalize()


@pytest.mark.parametrize("name", ["MultiFab", "iMultiFab", "fMultiFab"])
def test_before_initialize(name):
    amr = importlib.import_module("amrex.space3d")
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7)))
    with pytest.raises(RuntimeError, match="initialize"):
        getattr(amr, name)()
    with pytest.raises(RuntimeError, match="initialize"):
        amr.DistributionMapping(boxes)


@host_only
def test_finalize_says_what_is_alive(amr):
    made = field(amr)
    held = [np.from_dlpack(first(made)), first(made).__dlpack__(), first(made).__dlpack__(copy=True)]
    with pytest.raises(RuntimeError) as caught:
        amr.finalize()
    text = str(caught.value)
    assert "3 of them" in text
    assert text.count("Array4_double double") == 3
    assert "a copy" in text
    assert "trace_exports=1" in text
    assert [one["what"] for one in amr.live_exports()] == ["Array4_double"] * 3
    assert amr.initialized()
    assert made.sum(0) == 3.0 * 8 ** (len(made.shape) - 1)
    held.clear()
    amr.finalize()
    assert not amr.initialized()


@host_only
def test_trace_says_where():
    amr = importlib.import_module("amrex.space3d")
    amr.initialize(["amrex.trace_exports=1"])
    try:
        array = np.from_dlpack(first(field(amr)))  # the place to be named
        with pytest.raises(RuntimeError, match=r"test_runtime\.py:\d+") as caught:
            amr.finalize()
        assert "trace_exports" not in str(caught.value)
        del array
    finally:
        amr.finalize()


@host_only
def test_a_cycle_is_collected_first(amr):
    class Node:
        pass

    gc.disable()
    try:
        node = Node()
        node.me, node.view = node, np.from_dlpack(first(field(amr)))
        del node
        amr.finalize()
    finally:
        gc.enable()


def test_finalize_waits_for_consumers_that_free_in_threads_of_their_own(amr):
    """As dpnp and JAX do, once the kernel that reads a tensor is done."""
    made = field(amr)
    held = [first(made).__dlpack__()]
    later = threading.Timer(0.02, held.clear)
    later.start()
    amr.finalize()
    assert held == [] and not amr.initialized()
    later.join()


@host_only
def test_views_do_not_block_finalize_and_stay(amr):
    made = field(amr)
    views = [*made.to_numpy(), np.asarray(first(made)), np.array(memoryview(first(made)), copy=False)]
    del made
    amr.finalize()
    waste = [np.full(1000, -1.0) for _ in range(50)]
    for view in views:
        assert (view == 3.0).all()
        view[...] = 3.0
    assert all((block == -1.0).all() for block in waste)


@host_only
def test_many_cycles():
    amr = importlib.import_module("amrex.space2d")
    for turn in range(200):
        amr.initialize([f"turn={turn}"])
        assert amr.ParmParse().get_int("turn") == turn
        array = np.from_dlpack(first(field(amr)))
        assert array[0, 0, 0, 0] == 3.0
        del array
        amr.finalize()


EXITS = {
    "nothing": "",
    "array": "keep = np.from_dlpack(a)",
    "capsules": "keep = a.__dlpack__(), a.__dlpack__(max_version=(1, 0))",
    "in numpy": "np.keep = np.from_dlpack(a), m, a",
    "inside a loop": "it = iter(m); q = next(it); keep = m.array(q)",
    "views": "keep = m.to_numpy()",
    "after finalize": "keep = m.to_numpy(); amr.finalize()",
    "in a cycle": "class N: pass\nn = N(); n.n = n; n.v = np.from_dlpack(a)",
}


@host_only
@pytest.mark.parametrize("body", EXITS.values(), ids=EXITS.keys())
def test_interpreter_exit(body):
    preamble = """
amr.initialize([])
b = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7))); b.max_size(4)
m = amr.MultiFab(b, amr.DistributionMapping(b), 1, 1); m.set_val(1.0)
for mfi in m: a = m.array(mfi)
"""
    assert clean(preamble + body + "\nprint('END')").endswith("END\n")


@host_only
def test_keyboard_interrupt():
    amr = importlib.import_module("amrex.space3d")
    amr.initialize([])
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        assert field(amr).sum(0) == 3.0 * 512
    finally:
        signal.signal(signal.SIGINT, old)
        amr.finalize()


@host_only
def test_fork_with_a_live_view():
    body = """
import os, warnings
warnings.filterwarnings("ignore", "This process", DeprecationWarning)  # of Python 3.12: it has threads
amr.initialize([])
b = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7))); b.max_size(4)
m = amr.MultiFab(b, amr.DistributionMapping(b), 1, 1); m.set_val(3.0)
view = np.from_dlpack(next(m.array(mfi) for mfi in m))
child = os.fork()
if child == 0:
    good = view[0, 0, 0, 0] == 3.0 and m.sum(0) == 3.0 * 512
    del view
    os._exit(0 if good else 9)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), m.sum(0), view[0, 0, 0, 0])
"""
    assert clean(body) == "0 1536.0 3.0\n"


def test_import_loads_no_gpu_library():
    names = ("cupy", "dpnp", "dpctl", "torch", "jax", "numba", "cuda")
    libraries = ("libcuda.so", "libamdhip64", "libsycl", "libOpenCL")
    body = (
        f"print([n for n in {names} if n in sys.modules], "
        f"[w for w in {libraries} if w in open('/proc/self/maps').read()])"
    )
    assert clean(body) == "[] []\n"


def test_device_types():
    amr = importlib.import_module("amrex.space1d")
    assert amr.kDLCPU == 1
    assert amr.DLDeviceType(13) is amr.kDLCUDAManaged
    assert issubclass(amr.DLDeviceType, int)


@host_only
def test_streams_of_the_host():
    amr = importlib.import_module("amrex.space3d")
    amr.synchronize()
    amr.use_stream(None)
    with pytest.raises(ValueError, match="no streams"):
        amr.use_stream(1)


def test_environment_names_the_device():
    body = "amr.initialize([]); print(amr.Config.have_gpu, amr.Config.gpu_backend)"
    assert clean(body, ZEROFAB_DEVICE="cpu") == "False None\n"
    done = run(body, ZEROFAB_DEVICE="nonsense")
    assert done.returncode == 1
    assert "ValueError: there is no device 'nonsense'" in done.stderr
