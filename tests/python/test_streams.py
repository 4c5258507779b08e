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
import ctypes, gc, os, sys, threading, time, weakref
from types import SimpleNamespace
import amrex.pools
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

def late(block, byte, stream=None):
    "Work on a stream that nobody has waited for."
    address, size = ctypes.c_uint64(block.ptr), ctypes.c_size_t(block.size)
    assert driver.cuMemsetD8Async(address, byte, size, ctypes.c_void_p(stream and stream.ptr)) == 0

def stays(block, byte, stream=None):
    "Whether what is written now is there at once, and still when all that was late has come."
    late(block, byte, stream)
    driver.cuStreamSynchronize(ctypes.c_void_p(stream and stream.ptr))
    now = ctypes.string_at(block.ptr, block.size)
    driver.cuCtxSynchronize()
    return now == ctypes.string_at(block.ptr, block.size) == bytes([byte]) * block.size

arena = amr.The_Device_Arena()
waits_for_all = driver.small_waits_for_all

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
        amr.use_stream(None)
        for _ in range(1000):  # join() returns before a thread's own destructors have run
            made = [vector() for _ in range(8)]  # takes the threads' memory, which is theirs until somebody does
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
    "memory that RMM gives back comes after the stream that it names": """
        resource = SimpleNamespace(CallbackMemoryResource=lambda *given: given)
        sys.modules["rmm"] = SimpleNamespace(mr=resource)
        allocate, deallocate = amrex.pools.rmm_resource()
        own, theirs, released = Stream(), Stream(), Stream()
        for named in (theirs, theirs.ptr, Shown(theirs.ptr)):
            for ours in (None, own):
                amr.use_stream(ours)
                address = allocate(8000, released)
                late(SimpleNamespace(ptr=address, size=8000), 7, theirs)
                deallocate(address, 8000, named)
                before = waits_for_all()
                block = arena.allocate(8000, ours)
                assert block.ptr == address and waits_for_all() == before  # nobody waits for the device
                assert stays(block, 2, ours)
                block.used_on(ours)
                del block
        amr.use_stream(None)
        for unknown in (None, object(), "stream"):  # any stream
            address = allocate(8000, unknown)
            late(SimpleNamespace(ptr=address, size=8000), 7, theirs)
            deallocate(address, 8000, unknown)
        blocks = [arena.allocate(8000) for _ in range(8)]
        assert all(stays(block, 2) for block in blocks)
        assert events() == 0 and arena.blocks == len(blocks)
    """,
    "memory that CuPy gives back comes after all streams": """
        own, theirs, current = Stream(), Stream(), [None]
        sys.modules["cupy"] = SimpleNamespace(cuda=SimpleNamespace(
            UnownedMemory=lambda ptr, size, owner, device: owner, MemoryPointer=lambda memory, offset: memory,
            get_current_stream=lambda: current[0]))
        before, places = waits_for_all(), set()
        for n in range(256):
            current[0] = (None, own)[n % 2]
            block = amrex.pools.cupy_allocator(8000)
            places.add(block.ptr)
            late(block, 7, theirs)  # not its current stream
            del block
        assert waits_for_all() - before <= 8 and len(places) <= 128
        blocks = [arena.allocate(8000) for _ in range(len(places) + 64)]
        assert places & {block.ptr for block in blocks}
        for block in blocks:
            late(block, 2)
        driver.cuStreamSynchronize(None)
        driver.cuCtxSynchronize()
        assert all(ctypes.string_at(block.ptr, 8000) == bytes([2]) * 8000 for block in blocks)
    """,
    "memory for CuPy comes after what was done with it": """
        own, theirs = Stream(), Stream()
        sys.modules["cupy"] = SimpleNamespace(cuda=SimpleNamespace(
            UnownedMemory=lambda ptr, size, owner, device: owner, MemoryPointer=lambda memory, offset: memory,
            get_current_stream=lambda: theirs))
        for ours in (None, own):
            amr.use_stream(ours)
            arena.allocate(8000)
            amr.PODVector_real_arena(1000)  # its zeros are written late
            block = amrex.pools.cupy_allocator(8000)
            assert stays(block, 5, theirs)
        amr.use_stream(None)
        assert events() <= 1
    """,
    "a block says which streams use it": """
        own = Stream()
        block = arena.allocate(8000)
        block.used_on(own)
        late(block, 7, own)
        ptr = block.ptr
        seen = weakref.ref(own)
        del own
        assert seen() is not None and streams() == 1  # it will be asked
        del block
        assert streams() == 0
        block = arena.allocate(8000)
        assert block.ptr == ptr and stays(block, 2)
        block.used_on(None)
        for bad in ("here", object(), 1.5, True):
            try:
                block.used_on(bad)
            except ValueError:
                continue
            raise AssertionError(bad)
        del block
        before = waits_for_all()
        assert arena.allocate(8000).ptr == ptr and waits_for_all() == before
    """,
    "our work on memory of a pool comes after its owner's": """
        own, theirs, kept = Stream(), Stream(), []
        class Owner:
            def __init__(self, nbytes):
                self.memory = (ctypes.c_char * (nbytes + 64))()
                self.ptr = (ctypes.addressof(self.memory) + 63) // 64 * 64
                self.size, self.stream = nbytes, theirs
                kept.append(self.ptr)
                late(self, 9, theirs)
        class Mute(Owner):
            def __init__(self, nbytes):
                super().__init__(nbytes)
                self.stream = "none of CUDA's"
                driver.cuCtxSynchronize()
        for ours in (None, own):
            for pool in (Owner, Mute):
                amr.use_stream(ours)
                arena.use_allocator(pool)
                made = amr.PODVector_real_arena(1000)
                assert (made.to_numpy(copy=True) == 0).all()
                driver.cuCtxSynchronize()
                assert (made.to_numpy(copy=True) == 0).all()
                assert made.__cuda_array_interface__["data"][0] == kept[-1]
                del made
        arena.use_allocator(None)
        amr.use_stream(None)
    """,
    "memory of a pool goes back after the work of all our threads": """
        own, seen = Stream(), []
        class Owner:
            def __init__(self, nbytes):
                self.memory = (ctypes.c_char * (nbytes + 64))()
                self.ptr, self.size = (ctypes.addressof(self.memory) + 63) // 64 * 64, nbytes
            def __del__(self):
                seen.append(ctypes.string_at(self.ptr, self.size) == bytes(self.size))
        arena.use_allocator(Owner)
        def work(stream):
            amr.use_stream(stream)
            made.assign(0)
        for stream in (own, None):
            made = amr.PODVector_real_arena(1000)
            made.assign(3)
            thread = threading.Thread(target=work, args=(stream,))
            thread.start()
            thread.join()
            amr.use_stream((None, own)[stream is None])
            del made
            amr.use_stream(None)
        arena.use_allocator(None)
        assert seen == [True, True], seen
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
