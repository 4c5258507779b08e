# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""One pool for several libraries in a program on CUDA or ROCm: CuPy and RMM on the memory of our arenas.

    cupy.cuda.set_allocator(amrex.pools.cupy_allocator)               # CuPy takes memory from our device arena
    rmm.mr.set_current_device_resource(amrex.pools.rmm_resource())    # RMM does

Memory that such a library gives back goes to others after its work there: after the stream that RMM names, and where
nobody names one, as with CuPy, after all work of the device.

The other way round, an arena takes memory from their pools by `Arena.use_allocator`:

    amr.The_Device_Arena().use_allocator(cupy.get_default_memory_pool().malloc)
"""

import contextlib
import importlib
import sys
from typing import Any

from amrex import _core


def cupy_allocator(nbytes: int) -> Any:
    """A `cupy.cuda.MemoryPointer` to memory of The_Device_Arena, for `cupy.cuda.set_allocator`.

    It is ready for CuPy's current stream, and given back when the last array on it is gone. MemoryError if there is
    none; RuntimeError in a run on the host, whose memory CuPy cannot use.
    """
    cuda = importlib.import_module("cupy").cuda
    current = getattr(cuda, "get_current_stream", None)
    block = _device_arena().allocate(nbytes, None if current is None else current())
    memory = cuda.UnownedMemory(block.ptr, nbytes, block, block.device_id)
    return cuda.MemoryPointer(memory, 0)


def rmm_resource() -> Any:
    """An `rmm.mr.CallbackMemoryResource` over The_Device_Arena, for `rmm.mr.set_current_device_resource`."""
    arena = _device_arena()
    blocks: dict[int, _core.MemoryBlock] = {}

    def allocate(nbytes: int, stream: Any = None) -> int:
        try:
            block = arena.allocate(nbytes, stream)
        except ValueError:  # the streams of an older RMM do not say their address: then nothing is left to wait for
            block = arena.allocate(nbytes)
            _core.synchronize()
        blocks[block.ptr] = block
        return block.ptr

    def deallocate(address: int, nbytes: int, stream: Any = None) -> None:
        block = blocks.pop(address)
        if stream is not None:
            with contextlib.suppress(ValueError):  # it then waits for all of the device
                block.used_on(stream)  # RMM frees in the order of this stream

    return importlib.import_module("rmm").mr.CallbackMemoryResource(allocate, deallocate)


def _stream_of_owner(owner: Any) -> Any:
    """The stream in whose order a library gave this memory; None, its default stream, if it does not say."""
    if type(owner).__module__.partition(".")[0] == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream()
    return getattr(owner, "stream", None)


def _device_arena() -> _core.Arena:
    arena = _core.The_Device_Arena()
    if not arena.is_device:
        raise RuntimeError("a run on the host has no memory of a device: initialize on a device first")
    return arena
