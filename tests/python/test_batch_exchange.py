# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""amr.exchange: all parts of fields and particles in one call."""

import gc

import numpy as np
import pytest

LIBRARIES = ("numpy", "torch", "jax", "tvm_ffi")


def layout(amr):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(7)))
    boxes.max_size(4)
    return boxes, amr.DistributionMapping(boxes)


def field(amr, kind="MultiFab"):
    made = getattr(amr, kind)(*layout(amr), 2, 1)
    made.set_val(3)
    return made


def particles(amr, kind, levels=1):
    dim = amr.Config.spacedim
    sides = amr.RealBox([0.0] * dim, [1.0] * dim)
    geometries, owners, boxes = [], [], []
    for level in range(levels):
        cells = 8 * 2**level
        domain = amr.Box(amr.IntVect(0), amr.IntVect(cells - 1))
        boxes.append(amr.BoxArray(domain if level == 0 else amr.Box(amr.IntVect(0), amr.IntVect(cells // 2 - 1))))
        boxes[-1].max_size(4)
        owners.append(amr.DistributionMapping(boxes[-1]))
        geometries.append(amr.Geometry(domain, sides, 0, [0] * dim))
    made = getattr(amr, f"ParticleContainer_{kind}_default")(geometries, owners, boxes)
    made.init_random(200, 1, getattr(amr, f"ParticleInitType_{kind}")(), False, sides)
    return made


def library(name):
    module = pytest.importorskip(name)
    if name == "jax":
        module.config.update("jax_enable_x64", True)
    return module


def address(tensor):
    if hasattr(tensor, "unsafe_buffer_pointer"):
        return tensor.unsafe_buffer_pointer()
    return tensor.ctypes.data if isinstance(tensor, np.ndarray) else tensor.data_ptr()


@pytest.mark.parametrize("name", LIBRARIES)
def test_fields(amr, name):
    library(name)
    one, two = field(amr), field(amr, "iMultiFab")
    blocks, more = amr.exchange(name, one, two)
    for made, tensors in ((one, blocks), (two, more)):
        assert [address(t) for t in tensors] == [a.ctypes.data for a in made.to_numpy(order="C")]
    assert amr.exchange(name) == []
    del blocks, more, tensors
    gc.collect()


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("kind", ["pureSoA_4_1", "2_1_3_1"])
@pytest.mark.parametrize("name", LIBRARIES)
def test_particles(amr, name, kind, levels):
    library(name)
    pc = particles(amr, kind, levels)
    if name == "jax" and "pure" not in kind:
        with pytest.raises(RuntimeError, match="compact"):  # the fields of records
            amr.exchange(name, pc)
        return
    given = amr.exchange(name, pc)
    assert len(given) == levels and type(given) is list
    columns = list(pc.to_df().columns)
    for level, tiles in enumerate(given):
        assert tiles.keys() == pc.get_particles(level).keys()
        for pti in pc.iterator(level=level):
            tensors = tiles[pti.pair_index]
            assert sorted(tensors) == sorted(columns)
            for column, tensor in tensors.items():
                mine = pti[column.removeprefix("SoA_")]
                assert address(tensor) == mine.ctypes.data
                assert tuple(tensor.shape) == mine.shape == (pti.size,)
    assert sum(len(t["x"]) if name != "tvm_ffi" else t["x"].shape[0] for tiles in given for t in tiles.values()) == 200
    before = given[0][next(iter(given[0]))]["x"]
    kept = np.array(np.from_dlpack(before))
    pc.clear_particles()
    assert np.array_equal(np.from_dlpack(before), kept)
    del given, tiles, tensors, tensor, before
    gc.collect()


def test_parts_of_particles(amr):
    pc = particles(amr, "2_1_3_1")
    pti = next(iter(pc.iterator(level=0)))
    tile = amr.exchange("numpy", pti.particle_tile())
    arrays = amr.exchange("numpy", pti.soa())
    assert {f"SoA_{name}" for name in arrays} < set(tile)
    tile["rdata_1"][:] = 5.0
    assert (pti["rdata_1"] == 5.0).all() and (pti.aos().to_numpy()["rdata_1"] == 5.0).all()
    x, records = amr.exchange("numpy", pti.aos().field("x"), pti.aos())
    assert np.shares_memory(x, records) and (records["x"] == x).all()
    with pytest.raises(BufferError, match="record"):
        amr.exchange("array_api_strict" if pytest.importorskip("array_api_strict") else "", pti.aos())
    with pytest.raises(KeyError, match="rdata_0"):
        pti.aos().field("none")


@pytest.mark.parametrize("name", LIBRARIES)
def test_single_objects(amr, name):
    library(name)
    made = field(amr)
    cells = next(made.array(mfi) for mfi in made)
    vector = amr.PODVector_real_pinned.from_array([1, 2, 3])
    for obj in (cells, vector, amr.Vector_int([1, 2]), amr.FArrayBox(amr.Box(amr.IntVect(0), amr.IntVect(1)), 1)):
        tensor = amr.exchange(name, obj)
        assert address(tensor) == obj.to_numpy().ctypes.data
        del tensor
    gc.collect()


@pytest.mark.parametrize("wrong", [None, 3, "text", [1, 2], np.zeros(3), object()])
def test_what_has_no_data(amr3, wrong):
    with pytest.raises(TypeError, match=type(wrong).__name__):
        amr3.exchange("numpy", wrong)


def test_libraries(amr3):
    with pytest.raises(ImportError, match="no_such_library"):
        amr3.exchange("no_such_library", field(amr3))
    with pytest.raises(TypeError, match="from_dlpack"):
        amr3.exchange("json", field(amr3))
    assert len(amr3.exchange(np, field(amr3))) == 8
