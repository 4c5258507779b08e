# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Streams of a device and the objects behind them, on a driver of the tests' own that counts streams and events."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.partners  # needs a C compiler
SOURCE = pathlib.Path(__file__).parents[1] / "native" / "small_cuda.c"

HEAD = """
import ctypes, gc, os, threading, time, weakref
import amrex.space3d as amr

driver = ctypes.CDLL(os.environ["ZEROFAB_CUDA_LIBRARY"])
events, streams = driver.small_events, driver.small_streams
amr.initialize([], device="cuda")

class Stream:
    "Of another library: the driver's stream lives as long as this."
    def __init__(self):
        made = ctypes.c_void_p()
        assert driver.cuStreamCreate(ctypes.byref(made), 1) == 0
        self.ptr = made.value
    def __del__(self):
        assert driver.cuStreamDestroy_v2(ctypes.c_void_p(self.ptr)) == 0

class Shown:
    "Only the address of a stream."
    def __init__(self, ptr):
        self.ptr = ptr

def vector():
    made = amr.PODVector_real_arena(1000)
    made.assign(3)
    return made

def fails(name, call, work):
    driver.small_fail(name, call)
    try:
        work()
    except RuntimeError as error:
        assert "failed" in str(error), error
    else:
        raise AssertionError(f"{name} did not fail")
    finally:
        driver.small_fail(b"", 0)
"""

BODIES = {
    "many objects that show one stream": """
        own = Stream()
        seen = []
        for n in range(1000):
            shown = Shown(own.ptr)
            seen.append(weakref.ref(shown))
            amr.use_stream(shown)
            del shown
        assert sum(one() is not None for one in seen) <= 2
        amr.use_stream(None)
        assert not any(one() for one in seen)
        assert streams() == 1
    """,
    "a new stream at every step": """
        most = 0
        for n in range(300):
            amr.use_stream(Stream())
            made = vector()
            assert made.to_numpy(copy=True)[7] == 3
            most = max(most, streams())
        assert most <= 3, most  # this step's, that of the memory of the step before, and one that goes
        amr.use_stream(None)
        made = vector()
        amr.use_stream(None)
        del made
        assert streams() <= 1, streams()
    """,
    "a stream stays while memory that was taken for it does": """
        amr.use_stream(Stream())
        made = vector()
        amr.use_stream(None)
        gc.collect()
        assert streams() == 1
        assert made.to_numpy(copy=True)[7] == 3
        del made  # its block is kept for later, in the order of that stream
        made = vector()  # the same block, for the default stream
        amr.use_stream(None)
        assert streams() == 0
    """,
    "an owner stays, though a mere address came after it": """
        own = Stream()
        ptr = own.ptr
        for _ in range(5):
            amr.use_stream(own)
            amr.use_stream(Shown(ptr))
        del own
        gc.collect()
        assert streams() == 1
        made = vector()
        amr.use_stream(ptr)  # an integer holds nothing, and lets go of nothing
        assert streams() == 1
        del made
        amr.use_stream(None)
        made = vector()
        amr.use_stream(None)
        assert streams() == 0
    """,
    "an owner that comes after a mere address": """
        own = Stream()
        amr.use_stream(Shown(own.ptr))
        amr.use_stream(own)
        amr.use_stream(Shown(own.ptr))
        del own
        assert streams() == 1
        amr.use_stream(None)
        assert streams() == 0
    """,
    "threads that end let go of their streams": """
        def work():
            amr.use_stream(Stream())
            vector()
        for _ in range(50):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        made = vector()
        amr.use_stream(None)
        for _ in range(1000):  # join() returns before a thread's own destructors have run
            if streams() > 1:
                time.sleep(0.01)
        assert streams() <= 1, streams()
    """,
    "finalize lets go": """
        amr.use_stream(Stream())
        assert streams() == 1
        amr.finalize()
        assert streams() == 0
        amr.initialize([], device="cuda")
    """,
    "an object whose end uses a stream": """
        class Odd(Stream):
            def __del__(self):
                super().__del__()
                amr.use_stream(None)
        for _ in range(20):
            amr.use_stream(Odd())
        amr.use_stream(None)
        assert streams() == 0
    """,
    "an export whose order fails leaves no event": """
        own, made = Stream(), vector()
        for name in (b"cuEventCreate", b"cuEventRecord", b"cuStreamWaitEvent"):
            for _ in range(3):
                fails(name, 1, lambda: made.__dlpack__(stream=own.ptr, max_version=(1, 0)))
                assert events() == 0, (name, events())
        assert not amr.live_exports()
        bad = id(object())  # no stream
        for _ in range(3):
            try:
                made.__dlpack__(stream=bad - bad % 16 + 16, max_version=(1, 0))
            except RuntimeError:
                pass
            assert events() == 0
        made.__dlpack__(stream=own.ptr, max_version=(1, 0))
        assert events() == 0 and made.to_numpy(copy=True)[7] == 3
    """,
    "a change of stream that fails leaves no event, and no object": """
        own, made = Stream(), vector()
        seen = weakref.ref(own)
        for name in (b"cuEventCreate", b"cuEventRecord", b"cuStreamWaitEvent"):
            fails(name, 1, lambda: amr.use_stream(own))
            assert events() == 0, (name, events())
        del own
        assert seen() is None and streams() == 0
    """,
    "a thread's own stream is given away under the name of the shared one": """
        made, other = vector(), Stream()
        amr.use_stream(2)
        for own, told in ((2, 1), (other.ptr, other.ptr), (None, 1)):
            amr.use_stream(own)
            assert made.__cuda_array_interface__["stream"] == told, (own, told)
        amr.use_stream(2)
        fails(b"cuStreamWaitEvent", 1, lambda: made.__cuda_array_interface__)  # so it was ordered
        assert events() == 0
        made.__dlpack__(stream=2, max_version=(1, 0))
        amr.use_stream(None)
    """,
    "Python's other threads go on while a call of the driver waits": """
        import time
        kept = vector()
        steps = [
            (b"cuMemAlloc_v2", lambda: amr.PODVector_real_arena(100_000)),
            (b"cuMemcpyAsync", lambda: kept.to_numpy(copy=True)),
            (b"cuStreamSynchronize", lambda: kept.to_numpy(copy=True)),
            (b"cuMemsetD8Async", lambda: kept.assign(0)),
        ]
        for name, work in steps:
            gate = ctypes.c_int(0)
            def open_gate():
                time.sleep(0.02)
                gate.value = 1
            driver.small_gate(name, ctypes.byref(gate))
            thread = threading.Thread(target=open_gate)
            thread.start()
            work()
            assert gate.value == 1, name  # or the call was never made
            thread.join()
            driver.small_gate(b"", None)
    """,
    "memory that changes streams leaves no event, whichever wait fails": """
        own = Stream()
        for _ in range(5):
            amr.use_stream(own)
            del_me = vector()
            del del_me
            amr.use_stream(None)
            fails(b"cuStreamWaitEvent", 1, vector)
            vector()
        amr.use_stream(own)
        amr.use_stream(None)
        made = vector()
        assert events() == 0, events()
    """,
}


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """Path of the compiled tests/native/small_cuda.c."""
    path = tmp_path_factory.mktemp("driver") / "small_cuda.so"
    command = [
        "cc",
        "-std=gnu11",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fPIC",
        "-shared",
        str(SOURCE),
        "-o",
        str(path),
    ]
    subprocess.run(command, check=True)
    return path


@pytest.mark.parametrize("case", BODIES)
def test_streams(case, driver):
    body = HEAD + textwrap.dedent(BODIES[case]) + "\namr.finalize()\nprint('END')\n"
    done = subprocess.run(
        [sys.executable, "-c", body], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "ZEROFAB_CUDA_LIBRARY": str(driver), "ZEROFAB_NVRTC_LIBRARY": "/nowhere"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "END\n"), done.stderr[-3000:]
