# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Particles: classes by name, tiles, containers, lifetimes, files, bad input."""

import gc
import inspect
import sys
import threading

import numpy as np
import pytest
from devices import ON_HOST, host, host_only
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy_versions import OLD

PURE, LEGACY = "pureSoA_4_1", "2_1_3_1"


def layout(amr, cells=8, size=4, periodic=0):
    dim = amr.Config.spacedim
    domain = amr.Box([0] * dim, [cells - 1] * dim)
    sides = amr.RealBox([-1.0] * dim, [1.0] * dim)
    boxes = amr.BoxArray(domain)
    boxes.max_size(size)
    return amr.Geometry(domain, sides, 0, [periodic] * dim), amr.DistributionMapping(boxes), boxes


def container(amr, kind=PURE, place="default", count=100, **options):
    geometry, owners, boxes = layout(amr, **options)
    made = getattr(amr, f"ParticleContainer_{kind}_{place}")(geometry, owners, boxes)
    start = getattr(amr, f"ParticleInitType_{kind}")()
    if count:
        made.init_random(count, 1, start, False, geometry.prob_domain)
    return made


def positions(pti):
    """The coordinates of a tile; views on the host."""
    return [host(pti[name]) for name in axes(pti)]


def axes(pti):
    columns = pti.particle_tile().exporters()
    return [name for name in "xyz" if name in columns]


def put(pti, name, values):
    """Overwrite a component of a tile."""
    array = pti[name]
    array[...] = values if ON_HOST else sys.modules["amrex.space3d"].xp.asarray(values)


def everything(pc):
    """All particles as rows: id word and position."""
    rows = []
    for pti in pc.iterator(level="all"):
        words = host(pti["idcpu"])
        rows += list(zip(words.tolist(), *(x.tolist() for x in positions(pti)), strict=True))
    return sorted(rows)


# ---- names


def test_classes_are_made_once_and_on_demand(amr):
    dim = amr.Config.spacedim
    name = f"ParticleContainer_pureSoA_{dim + 40}_3_pinned"
    assert name not in dir(amr)
    cls = getattr(amr, name)
    assert cls is getattr(amr, name) and cls.__name__ == name and cls.__module__ == amr.__name__
    assert (cls.num_array_real, cls.num_array_int, cls.is_soa_particle) == (dim + 40, 3, True)
    assert issubclass(cls, amr.ParticleContainer)
    assert issubclass(cls.Iterator, amr.MFIter) and cls.Iterator.__name__ == f"ParIter_pureSoA_{dim + 40}_3_pinned"


def test_dir_lists_classes_that_exist(amr):
    names = [name for name in dir(amr) if name.startswith(("Particle", "ParIter", "ParConst", "StructOf"))]
    assert len(names) > 100
    for name in names:
        value = getattr(amr, name)
        assert callable(value) or inspect.ismodule(value), name
        assert not inspect.isclass(value) or value.__name__ == name, name


@pytest.mark.parametrize(
    "name",
    [
        "ParticleTile_pureSoA_3_0",  # no kind of memory
        "ParticleTile_pureSoA_03_0_default",
        "ParticleTile_pureSoA_0_0_default",  # no position
        "ParticleTile_pureSoA_3_0_gpu",
        "ParticleTile_3_0_default",
        "Particle_3",
        "Particle_3_0_default",
        "Particle_3000_0",
        "Particle_3_0\n",
        "StructOfArrays_pureSoA_3_0_default",
        "ArrayOfStructs_2_1_idcpu_default",
        "ParticleContainer_-2_1_3_1_default",
    ],
)
def test_other_names_are_no_classes(amr, name):
    with pytest.raises(AttributeError):
        getattr(amr, name)


@pytest.mark.parametrize("base", ["Particle", "ParticleTile", "StructOfArrays", "ArrayOfStructs", "ParticleInitType"])
def test_base_classes_have_no_components(amr, base):
    with pytest.raises(TypeError, match="base class"):
        getattr(amr, base)()


# ---- ids


@given(st.integers(-(2**39) + 1, 2**39 - 1), st.integers(0, 2**24 - 1))
def test_words(id_, cpu):
    import amrex.space3d as amr

    word = np.zeros(1, np.uint64)
    amr.pack_ids(word, np.array([id_]))
    amr.pack_cpus(word, np.array([cpu], np.int32))
    assert amr.unpack_ids(word)[0] == id_ and amr.unpack_cpus(word)[0] == cpu
    assert amr.is_valid(int(word[0])) == (id_ >= 0)
    assert amr.unpack_ids(np.array([amr.make_invalid(int(word[0]))], np.uint64))[0] == -abs(id_)


def test_words_of_particles(amr):
    particle = amr.Particle_2_1()
    particle.idcpu = 0x8000000007000003
    assert (particle.id(), particle.cpu()) == (7, 3)
    assert amr.Particle_2_1.NextID() + 1 == particle.NextID()


@pytest.mark.parametrize(
    "call",
    [
        lambda amr: amr.pack_ids([0], [1]),
        lambda amr: amr.pack_ids(np.zeros(1), [1]),
        lambda amr: amr.pack_ids(np.zeros(1, np.uint64), [1.5]),
        lambda amr: amr.pack_ids(np.zeros(1, np.uint64), [2**39]),
        lambda amr: amr.pack_ids(np.zeros(2, np.uint64), [1, 2, 3]),
        lambda amr: amr.pack_cpus(np.zeros(1, np.uint64), [-1]),
        lambda amr: amr.unpack_ids([1.5]),
        lambda amr: amr.make_valid(-1),
        lambda amr: amr.is_valid("1"),
    ],
)
def test_bad_words(amr3, call):
    with pytest.raises((TypeError, ValueError)):
        call(amr3)


def test_words_in_place(amr):
    pc = container(amr)
    pti = next(pc.iterator(level=0))
    words, vector = pti["idcpu"], pti.soa().get_idcpu_data()
    ids = amr.unpack_ids(words)
    assert type(ids) is type(words) and host(amr.unpack_ids(vector)).tolist() == host(ids).tolist()
    amr.pack_ids(words, -ids)
    amr.pack_cpus(vector, 3)
    assert (amr.unpack_ids(words) == -ids).all() and (amr.unpack_cpus(vector) == 3).all()
    assert pc.number_of_particles() == 100 - pti.size
    amr.pack_ids(vector, host(ids).tolist())
    assert (amr.unpack_ids(vector) == ids).all()
    del words, ids


# ---- tiles


@pytest.mark.parametrize("place", ["default", "arena", "pinned", "managed", "polymorphic"])
def test_components_are_vectors_of_the_place(amr, place):
    tile = getattr(amr, f"ParticleTile_pureSoA_4_2_{place}")()
    tile.resize(5)
    soa = tile.get_struct_of_arrays()
    end = ("std" if ON_HOST else "arena") if place == "default" else place
    assert type(soa.get_real_data(0)) is getattr(amr, f"PODVector_real_{end}")
    assert type(soa.get_int_data(1)) is getattr(amr, f"PODVector_int_{end}")
    assert type(soa.get_idcpu_data()) is getattr(amr, f"PODVector_uint64_{end}")
    arrays = soa.to_xp()
    assert arrays.real["x"].shape == arrays.int["int_comp1"].shape == arrays.idcpu.shape == (5,)
    arrays.real["x"][2] = 7.0
    assert host(soa.get_real_data("x"))[2] == 7.0
    if soa.get_real_data(0).arena.is_host_accessible:
        assert soa.get_real_data("x")[2] == np.asarray(soa.get_real_data(0))[2] == 7.0
        assert soa.to_numpy().real["x"][2] == 7.0
    else:
        with pytest.raises(BufferError, match="to_xp"):
            soa.to_numpy()
        with pytest.raises(BufferError, match="to_xp"):
            _ = soa.get_real_data("x")[2]
    del arrays
    copy = soa.to_numpy(copy=True)
    copy.real["x"][2] = 8.0
    assert copy.idcpu.tolist() == [0] * 5 and host(soa.get_real_data("x"))[2] == 7.0


def test_letters_name_components_of_older_scripts(amr3):
    tile = amr3.ParticleTile_pureSoA_5_0_default()
    tile.resize(1)
    real = tile.get_struct_of_arrays().to_xp().real
    assert list(real) == ["x", "y", "z", "real_comp0", "real_comp1"]
    assert real["b"] is real["real_comp1"]
    for key in ("c", "ab", 1, "X"):
        with pytest.raises(KeyError):
            real[key]


@pytest.mark.parametrize("kind", [PURE, LEGACY])
@pytest.mark.parametrize("place", ["default", "arena"])
@pytest.mark.parametrize("action", ["resize", "grow", "shrink", "swap", "define", "neighbors", "delete"])
def test_views_keep_their_values(amr, kind, place, action):
    cls = getattr(amr, f"ParticleTile_{kind}_{place}")
    tile, other = cls(), cls()
    tile.resize(1000)
    component = tile.get_struct_of_arrays().get_real_data(1)
    component.assign(3.0)
    views = [component.to_xp()]
    if ON_HOST:
        views += [np.asarray(component), np.asarray(memoryview(component))]
        views += [] if OLD else [np.from_dlpack(component)]
    if kind == LEGACY:
        views += [tile.get_array_of_structs().field("x").to_xp()]
        views[-1][:] = 3.0
    if kind == LEGACY and ON_HOST:
        records = tile.get_array_of_structs().to_numpy()
        records["x"] = 3.0
        views += [records["x"], np.asarray(tile.get_array_of_structs())["x"]]
    if action == "resize":
        tile.resize(100_000)
    elif action == "grow":
        tile.push_back(tile[0])
    elif action == "shrink":
        tile.resize(1)
        tile.shrink_to_fit()
    elif action == "swap":
        tile.swap(other)
        assert tile.size == 0 and other.size == 1000
    elif action == "define":
        tile.define(1, 1)
    elif action == "neighbors":
        tile.set_num_neighbors(17)
    else:
        del tile, other, component
        gc.collect()
    waste = [amr.xp.full(1000, -1.0) for _ in range(50)]
    for view in views:
        assert (view == 3.0).all()
    for view in views:
        view[0] = 4.0
    assert all((w == -1.0).all() for w in waste)
    del view, views, waste


def test_component_outlives_its_tile(amr):
    tile = amr.ParticleTile_pureSoA_4_1_default()
    tile.resize(10)
    component = tile.get_struct_of_arrays().get_real_data(0)
    component.assign(2.0)
    del tile
    gc.collect()
    assert host(component).tolist() == [2.0] * 10
    component.push_back(1.0)
    assert component.size() == 11


@pytest.mark.filterwarnings("ignore:nanobind. attempted to access an uninitialized")
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda tile: tile.resize(-1), ValueError),
        (lambda tile: tile.resize(2**62), MemoryError),
        (lambda tile: tile.resize(2.5), TypeError),
        (lambda tile: tile.set_num_neighbors(-1), ValueError),
        (lambda tile: tile.define(-1, 0), ValueError),
        (lambda tile: tile.define(0, 0, ["a"], []), ValueError),
        (lambda tile: tile[99], IndexError),
        (lambda tile: tile[-1], IndexError),
        (lambda tile: tile.push_back(None), TypeError),
        (lambda tile: tile.push_back_real(9, 1.0), IndexError),
        (lambda tile: tile.push_back_real([1.0]), ValueError),
        (lambda tile: tile.push_back_int(0, -3, 1), ValueError),
        (lambda tile: tile.get_struct_of_arrays().get_real_data(99), IndexError),
        (lambda tile: tile.get_struct_of_arrays().get_real_data(-1), IndexError),
        (lambda tile: tile.get_struct_of_arrays().get_real_data("none"), KeyError),
        (lambda tile: tile.swap(tile.get_struct_of_arrays()), TypeError),
        (lambda tile: type(tile).__new__(type(tile)).resize(1), TypeError),
    ],
)
@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_bad_input_of_tiles(amr, kind, call, error):
    tile = getattr(amr, f"ParticleTile_{kind}_default")()
    tile.resize(3)
    with pytest.raises(error):
        call(tile)
    assert tile.size == len(tile.get_struct_of_arrays()) == 3
    assert tile.get_struct_of_arrays().num_real_comps == tile.num_real_comps == type(tile).NAR


def test_tiles_of_other_particles_do_not_fit(amr):
    tile = amr.ParticleTile_pureSoA_4_1_default()
    with pytest.raises(ValueError, match="swap"):
        tile.swap(amr.ParticleTile_pureSoA_5_1_default())
    with pytest.raises(ValueError, match="does not fit"):
        tile.push_back(amr.Particle_2_1())
    with pytest.raises(RuntimeError, match="array of structs"):
        tile.get_array_of_structs()


# ---- records


def records_of(amr, count=3):
    structs = amr.ArrayOfStructs_2_1_default()
    for n in range(count):
        particle = amr.Particle_2_1(x=float(n), rdata_1=n + 0.5, idata_0=n)
        structs.push_back(particle)
    return structs


def test_records_of_any_memory(amr):
    structs = records_of(amr)
    assert [structs[n].get_rdata(1) for n in range(3)] == [0.5, 1.5, 2.5] and structs.back().x == 2.0
    structs[1] = amr.Particle_2_1(x=9.0, idata_0=5)
    copy = structs.to_numpy(copy=True)
    assert copy["x"].tolist() == [0.0, 9.0, 2.0] and copy["idata_0"].tolist() == [0, 5, 2]
    x = structs.field("x").to_xp()
    x[0] = 7.0
    assert structs[0].x == 7.0 and host(x).tolist() == [7.0, 9.0, 2.0]
    moved = structs.to_host()
    assert moved[0].x == 7.0 and moved.to_numpy()["x"].tolist() == [7.0, 9.0, 2.0]
    structs.pop_back()
    assert len(structs) == 2 and len(moved) == 3 and structs[-1].x == 9.0
    if not ON_HOST:
        assert not hasattr(structs, "__array_interface__")
        for call in (structs.to_numpy, structs.to_xp, lambda: np.asarray(structs)):
            with pytest.raises(BufferError, match="field"):
                call()
        with pytest.raises(BufferError):
            memoryview(structs)
    del x


@host_only
def test_records_are_shown_in_place(amr):
    structs = records_of(amr)
    for array in (
        structs.to_numpy(),
        structs.to_xp(),
        np.asarray(structs),
        np.array(structs, copy=False if OLD else None),
    ):
        assert array.dtype.names[-3:] == ("rdata_1", "idcpu", "idata_0") and array.shape == (3,)
        assert array["rdata_1"].tolist() == [0.5, 1.5, 2.5]
        array["x"][1] = 9.0
        assert structs[1].x == 9.0
        structs[1] = amr.Particle_2_1(x=1.0, rdata_1=1.5)
        assert array["x"][1] == 1.0
    copy = structs.to_numpy(copy=True)
    copy["x"] = -1.0
    assert structs[2].x == 2.0
    assert structs.to_host()[2].x == 2.0
    assert amr.ArrayOfStructs_2_1_pinned().to_numpy().shape == (0,)


@host_only
def test_array_interface_of_records(amr):
    structs = records_of(amr)
    interface = structs.__array_interface__

    class Plain:
        __array_interface__ = interface

    array = np.asarray(Plain())
    del structs
    gc.collect()
    assert array["idata_0"].tolist() == [0, 1, 2]
    array["x"] = 5.0
    assert array["x"].tolist() == [5.0] * 3


def test_records_have_no_dlpack(amr):
    structs = records_of(amr)
    for options in ({}, {"max_version": (1, 0)}, {"copy": True}):
        with pytest.raises(BufferError, match="particle record"):
            structs.__dlpack__(**options)
    with pytest.raises(BufferError):
        np.from_dlpack(structs)
    assert not hasattr(structs, "__cuda_array_interface__")


@pytest.mark.parametrize(
    "call",
    [
        lambda amr: amr.Particle_2_1(*range(7)),
        lambda amr: amr.Particle_2_1(rdata_2=1.0),
        lambda amr: amr.Particle_2_1(w=1.0),
        lambda amr: amr.Particle_2_1().set_rdata([1.0]),
        lambda amr: amr.Particle_2_1().set_rdata(2, 1.0),
        lambda amr: amr.Particle_2_1().get_idata(-1),
        lambda amr: amr.Particle_2_1().pos(3),
        lambda amr: amr.Particle_2_1().setPos([1.0] * 4),
        lambda amr: amr.Particle_2_1.NextID(0),
        lambda amr: records_of(amr).push_back(amr.Particle_3_0()),
        lambda amr: setattr(amr.ParticleInitType_2_1_3_1(), "real_array_data", [1.0]),
    ],
)
def test_bad_particles(amr, call):
    with pytest.raises(ValueError, match=r"."):
        call(amr)


# ---- containers


@settings(max_examples=15, deadline=None)
@given(
    dim=st.integers(1, 3),
    kind=st.sampled_from([PURE, LEGACY]),
    periodic=st.booleans(),
    count=st.integers(0, 300),
    size=st.integers(1, 8),
    seed=st.integers(0, 2**32 - 1),
)
def test_redistribute_keeps_particles_and_puts_them_into_their_boxes(dim, kind, periodic, count, size, seed):
    amr = sys.modules.get(f"amrex.space{dim}d") or __import__(f"amrex.space{dim}d", fromlist=["x"])
    amr.initialize(["amrex.verbose=0"])
    try:
        pc = container(amr, kind, count=count, size=size, periodic=int(periodic))
        assert pc.total_number_of_particles() == count and pc.OK()
        pc.add_real_comp("tag")
        random = np.random.default_rng(seed)
        expected = {}
        for pti in pc.iterator(level=0):
            for name in axes(pti):
                x = host(pti[name])
                put(pti, name, x + random.normal(0.0, 1.0, x.shape))
            put(pti, "tag", random.normal(size=pti.size))
            inside = np.all([(x >= -1.0) & (x < 1.0) for x in positions(pti)], axis=0) | periodic
            words = host(pti["idcpu"])[inside].tolist()
            expected |= dict(zip(words, host(pti["tag"])[inside].tolist(), strict=True))
        pc.redistribute()
        found = {}
        for pti in pc.iterator(level=0):
            found |= dict(zip(host(pti["idcpu"]).tolist(), host(pti["tag"]).tolist(), strict=True))
            box = pti.validbox()
            for d, x in enumerate(positions(pti)):
                cells = np.floor((x + 1.0) * 4.0)
                assert ((box.small_end[d] <= cells) & (cells <= box.big_end[d])).all()
        assert found == expected
        assert pc.OK() and pc.total_number_of_particles() == len(expected)
        assert sum(pc.number_of_particles_in_grid(0)) == len(expected)
        pc.sort_particles_by_cell()
        assert pc.OK() and len(everything(pc)) == len(expected)
        del pti
    except UnboundLocalError:
        assert count == 0 or not expected
    finally:
        gc.collect()
        amr.finalize()


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_loops(amr, kind):
    pc = container(amr, kind)
    tiles = list(pc.iterator(level=0))
    assert len({id(t) for t in tiles}) == len(tiles) == pc.num_local_tiles_at_level(0) == len(pc.get_particles(0))
    assert sum(t.num_particles for t in tiles) == pc.size == 100
    assert [t.pair_index for t in tiles] == sorted(pc.get_particles(0))
    assert [t.index for t in tiles] == [t.pair_index[0] for t in tiles]
    step = pc.iterator(level=0)
    assert next(step) is step and step.pair_index == tiles[0].pair_index
    assert step.length == len(tiles) and len(list(step)) == len(tiles)
    step.finalize()
    assert not step.is_valid and list(step) == []
    for call in (lambda: step.size, lambda: step.soa(), lambda: step["x"], lambda: step.index, step._incr):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(StopIteration):
        next(step)
    assert [t.level for t in pc.const_iterator(level="all")] == [0] * len(tiles)
    with pytest.raises(KeyError):
        tiles[0]["none"]
    for level in (1, -1, "some", 0.5):
        with pytest.raises(ValueError, match="level"):
            pc.iterator(level=level)
    with pytest.warns(DeprecationWarning, match="positional"):
        pc.iterator(pc, level=0)
    clear = tiles[0]["x"].copy()
    pc.clear_particles()
    del pc
    gc.collect()
    assert (tiles[0]["x"] == clear).all()


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_views_keep_their_values_through_a_redistribution(amr, kind):
    pc = container(amr, kind, count=500, periodic=1)
    kept = []
    for pti in pc.iterator(level=0):
        x = pti["x"]
        x[:] = amr.xp.where(x < 0, x + 1.0, x - 1.0)
        kept.append((x, x.copy()))
    before = everything(pc)
    pc.redistribute()
    assert everything(pc) == before
    for view, values in kept:
        assert (view == values).all()
        view[:] = 0.0
    assert everything(pc) == before
    del x, view, values, kept


def test_levels(amr):
    geometry, owners, boxes = layout(amr)
    dim = amr.Config.spacedim
    fine = amr.Geometry(amr.Box([0] * dim, [15] * dim), geometry.prob_domain, 0, [0] * dim)
    middle = amr.BoxArray(amr.Box([4] * dim, [11] * dim))
    pc = amr.ParticleContainer_pureSoA_4_1_polymorphic(
        [geometry, fine], [owners, amr.DistributionMapping(middle)], [boxes, middle], [2]
    )
    start = amr.ParticleInitType_pureSoA_4_1()
    pc.init_random(400, 1, start, False, geometry.prob_domain)
    assert pc.finest_level == 1 and pc.OK()
    assert pc.number_of_particles_at_level(0) + pc.number_of_particles_at_level(1) == 400
    for pti in pc.iterator(level="all"):
        inside = np.all([np.abs(x) < 0.5 for x in positions(pti)], axis=0)
        assert inside.all() if pti.level == 1 else not inside.any()
        assert pti.validbox() in (middle if pti.level == 1 else boxes)
    with pytest.raises(ValueError, match="several levels"):
        pc.iterator()
    pc.remove_particles_not_at_finestLevel()
    assert pc.number_of_particles_at_level(0) == 0 < pc.number_of_particles()
    pc.redistribute(0, 0)
    pc.redistribute(lev_min=1, nGrow=1, remove_negative=False)
    with pytest.raises(IndexError):
        pc.redistribute(0, 2)
    with pytest.raises(IndexError):
        pc.number_of_particles_at_level(2)


def test_components_at_run_time(amr):
    pc = container(amr, "pureSoA_4_0")
    pc.add_real_comp()
    pc.add_real_comp("w", 0)
    pc.add_int_comp(True)
    pc.add_int_comp("k")
    dim = amr.Config.spacedim
    names = ["x", "y", "z"][:dim] + [f"real_comp{i}" for i in range(5 - dim)] + ["w"]
    assert pc.real_soa_names == names and pc.int_soa_names == ["int_comp0", "k"]
    assert (pc.num_real_comps, pc.num_runtime_real_comps, pc.num_runtime_int_comps) == (6, 2, 2)
    assert pc.has_real_comp("w") and not pc.has_real_comp("k") and pc.get_int_comp_index("k") == 1
    for call in (lambda: pc.add_real_comp("w"), lambda: pc.add_int_comp("x"), lambda: pc.get_real_comp_index("none")):
        with pytest.raises(ValueError, match="component"):
            call()
    for pti in pc.iterator(level=0):
        assert (pti["w"] == 0).all() and pti["k"].dtype == np.int32
    pc.set_soa_compile_time_names(["x", "y", "z", "ux"], [])
    assert pc.real_soa_names[3] == "ux" and pti["ux"].shape == pti["x"].shape
    alike = pc.make_alike()
    assert type(alike) is type(pc) and alike.size == 0 and alike.real_soa_names == pc.real_soa_names
    alike.add_particles(pc)
    alike.add_particles(pc, local=True)
    assert alike.size == 2 * pc.size and alike.OK()
    with pytest.raises(ValueError, match="cannot join"):
        pc.add_particles(container(amr, "pureSoA_4_0"))
    names = (pc.real_soa_names, pc.int_soa_names)
    alike.add_real_comp("of one only")
    alike.add_int_comp()
    alike.arena = amr.The_Pinned_Arena()
    assert (pc.real_soa_names, pc.int_soa_names) == names and pc.arena is not alike.arena
    pc.redistribute()
    alike.redistribute()
    assert alike.OK() and pc.OK()


def test_invalid_particles_go(amr):
    pc = container(amr)
    pti = next(pc.iterator(level=0))
    words = pti["idcpu"]
    words[0] = amr.make_invalid(int(words[0]))
    assert pc.number_of_particles() == 99 and pc.total_number_of_particles(only_valid=False) == 100
    pc.redistribute(remove_negative=False)
    assert pc.size == 100
    pc.redistribute()
    assert pc.size == 99


def test_one_per_cell_and_deposit(amr):
    dim = amr.Config.spacedim
    pc = container(amr, count=0)
    geometry, owners, boxes = layout(amr)
    pc.init_one_per_cell(0.5, 0.25, 0.75, amr.ParticleInitType_pureSoA_4_1())
    assert pc.size == 8**dim
    counts = amr.MultiFab(boxes, owners, 1, 0)
    counts.set_val(0.0)
    pc.increment(counts, 0)
    pc.increment(counts, 0)
    assert counts.min(0) == counts.max(0) == 2.0
    with pytest.raises(ValueError, match="boxes"):
        pc.increment(amr.MultiFab(amr.BoxArray(geometry.domain), amr.DistributionMapping([0]), 1, 0), 0)
    with pytest.raises(ValueError, match="offset"):
        pc.init_one_per_cell(1.0, 0.0, 0.0, amr.ParticleInitType_pureSoA_4_1())
    pc.clear_particles()
    pc.init_random_per_box(2, 1, amr.ParticleInitType_pureSoA_4_1())
    assert list(pc.number_of_particles_in_grid(0)) == [2] * len(boxes)
    assert f"{pc.size} particles" in repr(pc) and pc.byte_spread[0] > 0 and len(pc.print_capacity()) == 3


def test_a_container_without_levels(amr):
    pc = amr.ParticleContainer_pureSoA_4_1_default()
    assert pc.OK() and pc.size == 0 and pc.number_of_particles_at_level(0) == 0 and len(pc.get_particles(0)) == 0
    pc.redistribute()
    for call in (
        lambda: pc.iterator(level=0),
        lambda: pc.define_and_return_particle_tile(0, 0, 0),
        lambda: pc.init_random_per_box(1, 1, amr.ParticleInitType_pureSoA_4_1()),
        lambda: pc.write_plotfile("none", "p"),
    ):
        with pytest.raises(RuntimeError, match="no levels"):
            call()


def test_bad_input_of_containers(amr):
    geometry, owners, boxes = layout(amr)
    dim = amr.Config.spacedim
    pc = container(amr)
    start = amr.ParticleInitType_pureSoA_4_1()
    outside = amr.RealBox([0.0] * dim, [5.0] * dim)
    for call, error in (
        (lambda: pc.init_random(-1, 1, start, False, geometry.prob_domain), ValueError),
        (lambda: pc.init_random(1, 1, start, False, outside), ValueError),
        (lambda: pc.init_random(1, 1, amr.ParticleInitType_2_1_3_1(), False, geometry.prob_domain), ValueError),
        (lambda: pc.init_random(1, 1, None, False, geometry.prob_domain), TypeError),
        (lambda: pc.define_and_return_particle_tile(0, 10**6, 0), IndexError),
        (lambda: pc.define_and_return_particle_tile(1, 0, 0), IndexError),
        (lambda: pc.add_particles_at_level(amr.ParticleTile_2_1_3_1_default(), 0), ValueError),
        (lambda: pc.add_particles_at_level(amr.ParticleTile_pureSoA_4_1_default(), 1), IndexError),
        (lambda: pc.sort_particles_by_bin(amr.IntVect(-1)), ValueError),
        (lambda: type(pc)(amr.Geometry(), owners, boxes), ValueError),
        (lambda: type(pc)([geometry], [owners], []), ValueError),
        (lambda: pc.redistribute(nGrow=-1), ValueError),
        (lambda: setattr(pc, "arena", None), TypeError),
    ):
        with pytest.raises(error):
            call()
        assert pc.size == 100 and pc.OK()


def test_arena_at_run_time(amr):
    pc = container(amr, place="polymorphic")
    before = everything(pc)
    view = next(pc.iterator(level=0))["x"]
    values = view.copy()
    pc.arena = amr.The_Pinned_Arena()
    next(pc.iterator(level=0)).soa().get_real_data(0).to_numpy()
    assert pc.arena is amr.The_Pinned_Arena() or pc.arena.name == amr.The_Pinned_Arena().name
    assert everything(pc) == before and (view == values).all()
    assert next(pc.iterator(level=0)).soa().get_real_data(0).arena.name == amr.The_Pinned_Arena().name


def test_threads(amr3):
    """Moving without the GIL against everything else: no crash, no garbage, exceptions that say what happened."""
    xp = amr3.xp
    pc = container(amr3, count=20_000, periodic=1)
    stop = threading.Event()
    errors = []

    def work(action):
        while not stop.is_set():
            try:
                action()
            except (RuntimeError, IndexError):  # the particles changed meanwhile
                pass
            except RuntimeWarning as warning:  # rows of resize() have no id; those that write() moved are spoken of
                if "without an id" not in str(warning):
                    errors.append(warning)
            except BaseException as error:
                errors.append(error)
                return

    def write():
        for pti in pc.iterator(level=0):
            view = pti["x"]
            view += 0.3
            assert xp.isfinite(view).all()

    start = amr3.ParticleInitType_pureSoA_4_1()
    actions = (
        pc.redistribute,
        pc.sort_particles_by_cell,
        pc.clear_particles,
        lambda: pc.init_random(2000, 1, start, False, amr3.RealBox([-1.0] * 3, [1.0] * 3)),
        lambda: [pti.particle_tile().resize(10) for pti in pc.iterator(level=0)],
        lambda: pc.add_real_comp() if pc.num_real_comps < 20 else None,
    )
    threads = [threading.Thread(target=work, args=(action,)) for action in (*actions, write)]
    for thread in threads:
        thread.start()
    stop.wait(1.0)
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors


# ---- tables and files


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_to_df(amr, kind):
    pandas = pytest.importorskip("pandas")
    pc = container(amr, kind)
    table = pc.to_df()
    assert isinstance(table, pandas.DataFrame) and len(table) == 100 and "idcpu" in table.columns
    assert set(table["x"]) == {row[1] for row in everything(pc)}
    assert len(table.columns) == (6 if kind == PURE else amr.Config.spacedim + 4 + 4)
    table["x"] = 0.0
    assert set(pc.to_df()["x"]) != {0.0}
    pc.clear_particles()
    assert pc.to_df() is None


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_columns_of_tables(amr, kind):
    tile_arrays = __import__("amrex._particles", fromlist=["x"]).tile_arrays
    pc = container(amr, kind)
    tables = [tile_arrays(pti) for pti in pc.iterator(level=0)]
    assert all(type(column) is np.ndarray for table in tables for column in table.values())
    rows = []
    for table in tables:
        rows += zip(table["idcpu"].tolist(), *(table[x].tolist() for x in "xyz" if x in table), strict=True)
    assert sorted(rows) == everything(pc)
    assert ("SoA_real_comp0" in tables[0]) == (kind == LEGACY)


def test_to_df_without_pandas(amr, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pandas"):
        container(amr).to_df()
