# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Arenas on memory of other libraries' pools, and the other way round."""

import gc
import sys
import threading
from types import SimpleNamespace

import amrex.pools
import numpy as np
import pytest
from devices import DEVICE, ON_HOST, device_only, host, host_only

sycl_only = pytest.mark.skipif(DEVICE != "sycl", reason="about SYCL")


class Pool:
    """Memory of NumPy as a pool gives it, and what is alive of it."""

    def __init__(self):
        self.alive = []

    def __call__(self, nbytes):
        block = Block(self, nbytes)
        self.alive.append(block.ptr)
        return block


class Block:
    def __init__(self, pool, nbytes):
        self.pool = pool
        self.memory = np.zeros(nbytes + 64, "u1")
        self.ptr = (self.memory.ctypes.data + 63) // 64 * 64

    def __del__(self):
        self.pool.alive.remove(self.ptr)


@pytest.fixture
def arena(amr3):
    """The host's arena for pinned memory, with its own pool again after the test."""
    found = amr3.The_Pinned_Arena() if ON_HOST else amr3.The_Cpu_Arena()
    yield found
    found.use_allocator(None)


def test_vectors_in_the_memory_of_a_pool(amr3, arena):
    pool = Pool()
    arena.use_allocator(pool)
    vector = amr3.PODVector_real_polymorphic(5, arena)
    assert len(pool.alive) == 1 and vector.to_numpy().ctypes.data == pool.alive[0]
    view = vector.to_numpy()
    vector.resize(500, 2.0)
    assert len(pool.alive) == 2 and (view == 0).all() and vector[499] == 2.0
    del view
    gc.collect()
    assert len(pool.alive) == 1
    arena.use_allocator(None)
    vector.resize(5000, 2.0)
    assert pool.alive == [] and vector[499] == 2.0


def test_fields_in_the_memory_of_a_pool(amr3, arena):
    pool = Pool()
    arena.use_allocator(pool)
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(7)))
    boxes.max_size(4)
    field = amr3.MultiFab(boxes, amr3.DistributionMapping(boxes), 1, 1, amr3.MFInfo().set_arena(arena))
    field.set_val(3.0)
    assert len(pool.alive) == 8 and field.sum(0) == 3.0 * 512
    arrays = field.to_numpy()
    del field
    arena.use_allocator(None)
    assert len(pool.alive) == 8 and all((array == 3).all() for array in arrays)
    del arrays
    gc.collect()
    assert pool.alive == []


def test_operations_take_nothing_from_a_pool(amr3):
    arena, pool = amr3.The_Cpu_Arena(), Pool()
    boxes = amr3.BoxArray(amr3.Box(amr3.IntVect(0), amr3.IntVect(7)))
    boxes.max_size(4)
    field = amr3.MultiFab(boxes, amr3.DistributionMapping(boxes), 1, 1, amr3.MFInfo().set_arena(arena))
    blocks = arena.blocks
    arena.use_allocator(pool)
    try:
        field.set_val(3.0)
        field.plus(1.0, 0, 1, 0)
        assert field.sum(0) == 4.0 * 512 and not field.contains_nan()
        assert pool.alive == [] and arena.blocks == blocks
    finally:
        arena.use_allocator(None)


def failing(_):
    raise ValueError("the pool is closed")


@pytest.mark.parametrize(
    ("allocate", "said"),
    [
        (failing, "the pool is closed"),
        (lambda nbytes: None, "ptr"),
        (lambda nbytes: SimpleNamespace(ptr="here"), "address|invalid literal"),
        (lambda nbytes: SimpleNamespace(ptr=0), "multiple of 64"),
        (lambda nbytes: SimpleNamespace(ptr=4096 + 8), "multiple of 64"),
    ],
)
def test_a_pool_that_gives_nothing(amr3, arena, allocate, said):
    vector = amr3.PODVector_real_polymorphic(5, arena)
    arena.use_allocator(allocate)
    with pytest.raises(MemoryError, match=said):
        vector.resize(1000)
    assert vector.to_numpy().tolist() == [0] * 5


def test_bad_allocators(arena):
    for bad in (1, "malloc", object()):
        with pytest.raises(TypeError, match="function of a size"):
            arena.use_allocator(bad)


def test_threads_take_from_a_pool(amr3, arena):
    pool = Pool()
    arena.use_allocator(pool)

    def work():
        for _ in range(50):
            amr3.PODVector_int_polymorphic(100, arena).push_back(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert pool.alive == []


def test_blocks_for_others(amr3):
    arena = amr3.The_Device_Arena()
    before = arena.bytes
    block = arena.allocate(1000)
    assert block.ptr % 64 == 0 and block.size == 1000 and arena.bytes == before + 1000
    del block
    assert arena.bytes == before
    with pytest.raises(MemoryError):
        arena.allocate(1 << 60)
    block = arena.allocate(10, None)
    block.used_on(None)
    for bad in ("here", object(), 1.5):
        with pytest.raises(ValueError, match="stream"):
            block.used_on(bad)
        with pytest.raises(ValueError, match="stream"):
            arena.allocate(10, stream=bad)
    del block
    assert arena.bytes == before


@sycl_only
def test_usm_of_dpctl_as_the_memory_of_an_arena(amr3):
    memory = pytest.importorskip("dpctl.memory")
    queue = amr3.xp.zeros(1).sycl_queue

    class Usm:
        def __init__(self, nbytes):
            self.memory = memory.MemoryUSMDevice(nbytes, alignment=64, queue=queue)
            self.ptr = self.memory._pointer

    arena = amr3.The_Device_Arena()
    arena.use_allocator(Usm)
    try:
        vector = amr3.PODVector_real_polymorphic(5, arena)
        vector.assign(3.0)
        array = vector.to_xp()
        array[...] = array + 1
        vector.push_back(7.0)
        assert vector.to_numpy(copy=True).tolist() == [4] * 5 + [7] and host(array).tolist() == [4] * 5
    finally:
        arena.use_allocator(None)


@device_only
def test_cupy_and_rmm_take_our_memory(amr3, monkeypatch):
    """With stand-ins that show what CuPy and RMM are given; neither runs here."""
    cuda = SimpleNamespace(UnownedMemory=lambda *given: given, MemoryPointer=lambda *given: given)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    mr = SimpleNamespace(CallbackMemoryResource=lambda *given: given)
    monkeypatch.setitem(sys.modules, "rmm", SimpleNamespace(mr=mr))
    arena = amr3.The_Device_Arena()
    before = arena.bytes
    (address, size, block, device), offset = amrex.pools.cupy_allocator(100)
    assert (address, size, device, offset) == (block.ptr, 100, 0, 0) and arena.bytes == before + 100
    allocate, deallocate = amrex.pools.rmm_resource()
    given = allocate(200, None)
    assert arena.bytes == before + 300
    deallocate(given, 200, None)
    del block
    assert arena.bytes == before


@host_only
def test_the_host_has_no_memory_for_cupy(amr3, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=None))
    with pytest.raises(RuntimeError, match="run on the host"):
        amrex.pools.cupy_allocator(100)
    with pytest.raises(RuntimeError, match="run on the host"):
        amrex.pools.rmm_resource()
