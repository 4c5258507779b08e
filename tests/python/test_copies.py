# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""copy, deepcopy and pickle of every class: an equal object of its own, or a TypeError that says what to do instead.

Comparisons with what is foreign, and arrays of what is not one array, are here too: rules for every class.
"""

import contextlib
import copy
import enum
import importlib
import inspect
import operator
import pickle
import re
import subprocess
import sys

import amrex.space3d as amr3d
import numpy as np
import pytest
from devices import host_only

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def layout(amr, n=8, cut=4):
    dim = amr.Config.spacedim
    box = amr.Box(amr.IntVect(*[0] * dim), amr.IntVect(*[n - 1] * dim))
    boxes = amr.BoxArray(box)
    boxes.max_size(cut)
    return box, boxes, amr.DistributionMapping(boxes)


def geometry(amr):
    dim = amr.Config.spacedim
    box, _, _ = layout(amr)
    return amr.Geometry(box, amr.RealBox([0.0] * dim, [2.0] * dim), 0, [1] * dim)


def fab(cls, box):
    made = cls(box, 2)
    made.to_numpy()[...] = np.arange(made.size()).reshape(made.to_numpy().shape)
    return made


def values(amr):
    """(object, what it is): objects that copy and pickle make again; equal if what it is is equal."""
    dim = amr.Config.spacedim
    box, boxes, owners = layout(amr)
    nodal = amr.Box(box.small_end, box.big_end, amr.IntVect(*[1] * dim))

    def same(obj):
        return obj

    def numbers(obj):
        return obj.to_numpy(copy=True).tolist(), str(obj.to_numpy().dtype)

    def of_fab(obj):
        return (obj.box(), obj.n_comp(), *numbers(obj)) if obj.is_allocated() else None

    def of_particle(obj):
        return obj.idcpu, [obj.pos(d) for d in range(dim)], obj.get_rdata(), obj.get_idata()

    def of_init(obj):
        return obj.real_struct_data, obj.int_struct_data, obj.real_array_data, obj.int_array_data

    def of_info(obj):
        return obj.do_tiling, obj.dynamic, obj.device_sync, obj.num_streams, obj.tilesize

    word = amr.ParticleInitType_2_1_3_1()
    word.real_array_data = [0.5] * len(word.real_array_data)
    particle = amr.Particle_2_1(*[0.25] * dim, 1.5, 2.5, 7)
    particle.idcpu = 123456789
    info = amr.MFItInfo()
    info.do_tiling = True
    coordinates = amr.CoordSys()
    coordinates.SetCoord(amr.CoordSys.RZ)
    yield from (
        (amr.IntVect(*range(3, 3 + dim)), same), (amr.RealVect(*np.linspace(0.1, 1, dim)), same),
        (nodal.ix_type, same), (box, same), (nodal, same), (amr.Box(), same),
        (amr.RealBox([0.1] * dim, [0.7] * dim), same), (amr.RealBox(), lambda b: [list(b.lo()), list(b.hi())]),
        (geometry(amr), same), (geometry(amr), lambda g: (str(g), g.domain, g.periodicity())),
        (geometry(amr).periodicity(), same), (amr.Dim3(1, 2, 3), same), (amr.XDim3(1.5, 2, 3), same),
        (amr.CoordSys(), lambda c: c.CoordInt()), (coordinates, lambda c: c.CoordInt()),
        (amr.BCRec(), same), (boxes, same), (amr.BoxArray(), same), (owners, same),
        (amr.BoxArray(nodal), lambda b: (b[0], b.ix_type())), (owners, lambda d: list(d.ProcessorMap())),
        (amr.DistributionMapping(), same),
        (amr.Vector_BoxArray([boxes, amr.BoxArray()]), same), (amr.Vector_DistributionMapping([owners]), same),
        (amr.Vector_IntVect([amr.IntVect(*[1] * dim)]), same), (amr.Vector_Geometry([geometry(amr)]), len),
        (fab(amr.FArrayBox, box), of_fab), (fab(amr.IArrayBox, nodal), of_fab), (fab(amr.BaseFab_Real, box), of_fab),
        (amr.FArrayBox(), of_fab), (amr.Vector_Real([1.5, 2]), same), (amr.Vector_int([1, 2]), same),
        (amr.Vector_Long(), same), (amr.PODVector_real_std.from_array([1.5, 2]), numbers),
        (amr.PODVector_uint64_pinned.from_array([1, 2**64 - 1]), numbers), (amr.PODVector_int_polymorphic(), numbers),
        (amr.SmallMatrix_3x6_F_SI1_double(np.arange(18.0).reshape(3, 6)), numbers), (particle, of_particle),
        (amr.SmallMatrix_6x1_F_SI1_longdouble(), numbers), (amr.Particle_0_0(), of_particle), (word, of_init),
        (info, of_info), (amr.ParmParse("a.b"), lambda p: p.prefix), (amr.CoordSys.RZ, same),
        (amr.DistributionMapping.strategy(), same),
    )  # fmt: skip


def ways(obj):
    yield copy.copy(obj)
    yield copy.deepcopy(obj)
    for protocol in PROTOCOLS:
        yield pickle.loads(pickle.dumps(obj, protocol))


@host_only
def test_values_are_made_again(amr):
    for obj, what in values(amr):
        for again in ways(obj):
            assert type(again) is type(obj), obj
            assert what(again) == what(obj), obj
        together = {"a": [obj, obj]}
        made = copy.deepcopy(together)
        assert made["a"][0] is made["a"][1], obj


@host_only
def test_copies_are_independent(amr3):
    box, boxes, _owners = layout(amr3)
    made = fab(amr3.FArrayBox, box)
    for again in ways(made):
        again.to_numpy()[...] = -1
        assert made.to_numpy().min() == 0
        assert again.to_numpy().ctypes.data % 64 == 0
    for again in ways(boxes):
        again.refine(2)
        assert boxes.minimal_box() == box
    vector = amr3.PODVector_real_std.from_array([1.0])
    for again in ways(vector):
        again.push_back(2.0)
        assert len(vector) == 1


@host_only
@pytest.mark.parametrize("kind", ["MultiFab", "iMultiFab", "fMultiFab"])
def test_fields_are_copied_and_not_pickled(amr, kind):
    _, boxes, owners = layout(amr)
    made = getattr(amr, kind)(boxes, owners, 2, 1)
    made.set_val(3)
    made.note = ["kept"]
    for make in (copy.copy, copy.deepcopy):
        again = make(made)
        assert type(again) is type(made) and again.box_array() == boxes and again.n_grow_vect == made.n_grow_vect
        assert all((view == 3).all() for view in again.to_numpy())
        assert (again.note is made.note) == (make is copy.copy)
        again.set_val(4)
        assert made.max(0) == 3 == made.min(0)
    for protocol in PROTOCOLS:
        with pytest.raises(TypeError, match=rf"{kind}.*\.copy\(\).*VisMF"):
            pickle.dumps(made, protocol)

    class Mine(getattr(amr, kind)):
        pass

    mine = Mine(boxes, owners, 1, 0)
    mine.set_val(5)
    mine.x = 1
    again = copy.deepcopy(mine)
    assert type(again) is Mine and again.x == 1 and again.max(0) == 5
    empty = getattr(amr, kind)()
    with pytest.raises((RuntimeError, TypeError), match="empty|copy"):
        copy.copy(empty)


def classes(amr):
    found = {}
    for module in (amr, importlib.import_module("amrex._core")):
        for name, cls in vars(module).items():
            # not the classes of particles by name that other tests asked for: those below stand for them
            if isinstance(cls, type) and not issubclass(cls, BaseException) and not re.search(r"_\d+_\d+", name):
                found[cls] = None
    for name in ("ParticleContainer_pureSoA_{}_0_default", "ParticleTile_pureSoA_{}_0_default",
                 "ParticleContainer_2_1_0_0_default", "StructOfArrays_3_1_default", "ArrayOfStructs_2_1_default",
                 "ParticleTileData_2_1_0_0", "ParIter_2_1_0_0_default", "ParConstIter_2_1_0_0_default"):  # fmt: skip
        found[getattr(amr, name.format(amr.Config.spacedim))] = None
    return list(found)


def instances(amr):
    """An object of as many classes as can be: made without arguments, or given by another object."""
    made = [obj for obj, _ in values(amr)]
    _, boxes, owners = layout(amr)
    field = amr.MultiFab(boxes, owners, 1, 0)
    field.set_val(1)
    pc = amr.ParticleContainer_2_1_0_0_default(geometry(amr), owners, boxes)
    pc.init_random(20, 1, amr.ParticleInitType_2_1_0_0(), False, geometry(amr).prob_domain)
    tile = next(iter(pc.get_particles(0).values()))
    step = next(iter(field))
    made += [field, pc, tile, step, iter(field), iter(boxes[0]), field.array(step), field.const_array(step),
             tile.get_array_of_structs(), tile.get_struct_of_arrays(), tile.get_particle_tile_data(),
             tile.get_array_of_structs().field("x"), next(iter(pc.iterator(level=0))), amr.The_Arena(), field.factory,
             geometry(amr).data(), amr.MFInfo(), amr.AMReX.top(), next(iter(pc.const_iterator(level=0))),
             amr.iMultiFab(boxes, owners, 1, 0).factory, amr.fMultiFab(boxes, owners, 1, 0).factory]  # fmt: skip
    for cls in classes(amr):
        with contextlib.suppress(Exception):  # it may need arguments
            made.append(next(iter(cls)) if issubclass(cls, enum.Enum) else cls())
    return made


HELP = ("copy", "again", "another", "process", "send", "write", "take", "make")


@host_only
def test_every_class_is_made_again_or_says_what_to_do(amr):
    seen = set()
    for obj in instances(amr):
        seen.add(type(obj))
        for make in (copy.copy, copy.deepcopy, *(lambda o, p=p: pickle.loads(pickle.dumps(o, p)) for p in PROTOCOLS)):
            said = None
            try:
                again = make(obj)
            except TypeError as error:
                said = str(error)
            except RuntimeError as error:  # a field without a layout has nothing to copy
                assert "empty" in str(error)  # noqa: PT017
                continue
            if said is None:
                assert type(again) is type(obj)
            else:
                front, _, text = said.partition(":")
                assert type(obj).__name__ in front and any(word in text for word in HELP), (obj, said)
    left = [cls.__name__ for cls in classes(amr) if cls not in seen and not any(issubclass(s, cls) for s in seen)]
    assert set(left) <= {"PlotFileData", "VisMF", "Config", "Device", "MemoryBlock", "GridEntry"}, left


@host_only
def test_values_reach_another_process(amr3):
    box, boxes, owners = layout(amr3)
    sent = pickle.dumps((boxes, owners, fab(amr3.FArrayBox, box), amr3.SmallMatrix_6x6_F_SI1_double.identity()))
    text = (
        "import pickle, sys\n"
        "ba, dm, fab, m = pickle.loads(sys.stdin.buffer.read())\n"
        "print(ba.size, list(dm), fab.to_numpy().sum(), m.to_numpy().sum())\n"
    )
    done = subprocess.run([sys.executable, "-c", text], input=sent, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().split() == f"8 {list(owners)} {fab(amr3.FArrayBox, box).to_numpy().sum()} 6.0".split()


# ---------------------------------------------------------------- comparisons


class Anything:
    """Equal to all that leaves the comparison to it."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = None


FOREIGN = (None, object(), "text", "", b"", 1.5, 2**70, float("nan"), (), [], {}, set(), (None,), [None, None],
           ("a", "b", "c"), 1j, range(3), len, int)  # fmt: skip


@host_only
def test_nothing_equals_what_is_foreign(amr):
    dim = amr.Config.spacedim
    other = importlib.import_module(f"amrex.space{dim % 3 + 1}d")
    foreign = [*FOREIGN, other.Box(), other.RealVect(), other.BoxArray(), other.IntVect(7)]
    for obj in instances(amr):
        for x in foreign:
            if isinstance(x, (tuple, list)) and type(obj).__name__.startswith("Vector_"):
                continue  # equal to a list of the same elements
            assert (obj == x) is False and (x == obj) is False and (obj != x) is True and (x != obj) is True, (obj, x)
            assert operator.ne(x, obj)
        assert obj in [None, obj] and [None, obj].index(obj) == 1 and [obj].count(None) == 0
        assert (obj,) != (None,) and {1: obj} != {1: None}
        assert (obj == Anything()) is True or type(obj).__eq__ is object.__eq__ or obj == Anything(), obj


@host_only
def test_nothing_contains_what_is_foreign(amr):
    _, boxes, _ = layout(amr)
    big = amr.Box(amr.IntVect(0), amr.IntVect(10**6))  # no walk over its points
    containers = [boxes[0], big, boxes, amr.BoxArray(), amr.Vector_BoxArray([boxes]), amr.Vector_IntVect([big.big_end]),
                  amr.Vector_Real([1.5]), amr.PODVector_int_std.from_array([1])]  # fmt: skip
    for container in containers:
        for x in (None, object(), "text", 2**70, (), [None]):
            assert x not in container, (container, x)
    assert big.small_end in big and big.big_end in big and amr.IntVect(-1) not in big
    assert all(point in boxes[0] for point in boxes[0])


# ---------------------------------------------------------------- what is not one array


@host_only
def test_a_whole_field_is_not_one_array(amr):
    _, boxes, owners = layout(amr)
    kinds = [amr.MultiFab, amr.iMultiFab, amr.fMultiFab]
    pc = amr.ParticleContainer_2_1_0_0_default(geometry(amr), owners, boxes)
    pc.init_random(20, 1, amr.ParticleInitType_2_1_0_0(), False, geometry(amr).prob_domain)
    tile = next(iter(pc.get_particles(0).values()))
    several = [(kind(boxes, owners, 1, 0), r"\[\.\.\.\].*to_numpy\(\).*exchange") for kind in kinds]
    several += [(pc, "to_df.*exchange"), (tile, "to_numpy.*exchange"), (tile.get_struct_of_arrays(), "to_numpy"),
                (next(iter(pc.iterator(level=0))), "pti")]  # fmt: skip
    for obj, words in several:
        takers = [np.asarray, np.array, lambda o: np.asarray(o, dtype=float), lambda o: np.add(o, 1.0)]
        if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            takers += [lambda o: np.asarray(o, copy=False), lambda o: np.array(o, copy=None)]
        for take in takers:
            with pytest.raises(TypeError, match=words):
                take(obj)
        with pytest.raises((TypeError, RuntimeError)):
            np.from_dlpack(obj)
        with pytest.raises(TypeError, match=words):
            obj.__dlpack__(max_version=(1, 0))


@host_only
@pytest.mark.partners
def test_other_libraries_are_told_what_to_do_with_a_whole_field(amr3):
    _, boxes, owners = layout(amr3)
    field = amr3.MultiFab(boxes, owners, 1, 0)
    torch = pytest.importorskip("torch")
    jax = pytest.importorskip("jax")
    pandas = pytest.importorskip("pandas")
    for take in (torch.from_dlpack, torch.utils.dlpack.from_dlpack, jax.dlpack.from_dlpack, jax.numpy.asarray,
                 pandas.DataFrame, pandas.Series):  # fmt: skip
        with pytest.raises(TypeError, match="exchange"):
            take(field)


def test_signatures_of_copies_have_docstrings():
    for cls in classes(amr3d):
        if "__reduce__" in vars(cls):
            assert inspect.getdoc(cls.__reduce__)
