# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of wrong calls: which argument, what is wrong with it, the nearest right call; and names that are not there.

That every public call has such messages is shown by test_bad_calls.py.
"""

import importlib
import pickle
import subprocess
import sys

import amrex.space1d
import amrex.space2d
import amrex.space3d
import numpy as np
import pytest

SPACES = [amrex.space1d, amrex.space2d, amrex.space3d]


class World:
    """A space with some objects of it."""

    def __init__(self, amr):
        self.amr, self.dim = amr, amr.Config.spacedim
        self.domain = amr.Box(amr.IntVect(0), amr.IntVect(15))
        self.ba = amr.BoxArray(self.domain)
        self.ba.max_size(8)
        self.dm = amr.DistributionMapping(self.ba)
        self.real_box = amr.RealBox([0.0] * self.dim, [1.0] * self.dim)
        self.geom = amr.Geometry(self.domain, self.real_box, 0, [1] * self.dim)
        self.mf = amr.MultiFab(self.ba, self.dm, 1, 1)
        self.imf = amr.iMultiFab(self.ba, self.dm, 1, 1)


@pytest.fixture(params=SPACES, ids=["1d", "2d", "3d"])
def w(request):
    amr = request.param
    amr.initialize(["amrex.verbose=0"])
    yield World(amr)
    amr.finalize()


def message(function, *args, error=TypeError, **keywords):
    with pytest.raises(error) as caught:
        function(*args, **keywords)
    assert type(caught.value) is error
    text = str(caught.value)
    assert len(text) <= 600 and "\n" not in text and "incompatible function arguments" not in text
    return text


def test_a_geometry_where_a_periodicity_is_needed(w):
    text = message(w.mf.fill_boundary, w.geom)
    assert text == (
        "MultiFab.fill_boundary(): argument 1 (period) must be a Periodicity, not a Geometry: pass its .periodicity(). "
        "Nearest call: fill_boundary(period: Periodicity, cross: bool = False)"
    )
    assert "argument 3 (period)" in message(w.mf.fill_boundary, 0, 1, w.geom)
    assert "argument 'period'" in message(w.mf.fill_boundary, period=w.geom)


def test_missing_arguments_are_named(w):
    assert "arguments are missing: srccomp, comp, numcomp, nghost." in message(w.mf.saxpy, 2.0, w.mf)
    text = message(w.amr.MultiFab, w.ba, w.dm, 1)
    assert text.startswith("MultiFab(): argument 4 (ngrow) is missing. Nearest call: MultiFab(")
    assert "argument 1 (val) is missing" in message(w.mf.plus)
    write = w.amr.write_single_level_plotfile
    assert "argument 6 (level_step) is missing" in message(write, "x", w.mf, ["phi"], w.geom, 0.0)


def test_surplus_and_misspelt_arguments(w):
    text = message(w.mf.n_grow_vect, 3) if callable(w.mf.n_grow_vect) else message(w.mf.copy, 3)
    assert "argument 1 (the int 3) is one too many: it takes no arguments" in text
    assert "no argument 'priod', did you mean 'period'" in message(w.mf.fill_boundary, priod=w.geom.periodicity())
    assert "no argument 'Cross', did you mean 'cross'" in message(w.mf.fill_boundary, Cross=True)
    assert "no argument 'colour'" in message(w.mf.fill_boundary, colour=True)
    assert "argument 1 (val) is given twice" in message(w.mf.plus, 1.0, val=2.0)


def test_objects_of_another_space(w):
    other = SPACES[w.dim % 3]
    box, vector = other.Box(other.IntVect(0), other.IntVect(3)), other.IntVect(1)
    dims = f"this one has {other.Config.spacedim} dimension"
    for call, argument in ((w.amr.BoxArray, box), (w.domain.contains, box), (w.ba.intersects, box)):
        text = message(call, argument)
        assert "argument 1" in text and dims in text and f"not an amrex.space{other.Config.spacedim}d." in text
    text = message(w.domain.grow, vector)
    assert f"not an IntVect{other.Config.spacedim}D" in text and dims in text
    assert dims in message(w.mf.fill_boundary, other.Periodicity())
    text = message(w.amr.Box.grow, box, 1)
    assert text.startswith("Box.grow() is a method: call it on a Box, not on an amrex.space")


def test_related_classes_say_what_to_pass(w):
    amr = w.amr
    assert "in the wrong order" in message(amr.MultiFab, w.dm, w.ba, 1, 0)
    assert "not an iMultiFab" in message(w.mf.parallel_copy, w.imf)
    assert "pass DistributionMapping(box_array)" in message(amr.MultiFab, w.ba, w.ba, 1, 0)
    assert "pass BoxArray(box)" in message(amr.MultiFab, w.domain, w.dm, 1, 0)
    assert "argument 2 (rb) must be a RealBox, not a Box" in message(amr.Geometry, w.domain, w.domain, 0, [1] * w.dim)
    assert "must be a float, not the method max: call it" in message(w.mf.set_val, w.mf.max)
    assert "not the class Box" in message(amr.BoxArray, amr.Box)


def test_what_is_said_to_pass_is_right(w):
    """The hints that are code, run on an object of the class that was given."""
    fits = importlib.import_module("amrex._fits")
    samples = {"Geometry": w.geom, "Box": w.domain, "MultiFab": w.mf, "BoxArray": w.ba}
    names = {"box": w.domain, "box_array": w.ba, "boxes": [w.domain], **vars(w.amr)}
    tried = 0
    for (wanted, given), hint in fits._INSTEAD.items():
        if "pass " in hint and given in samples and "one of its boxes" not in hint:
            code = hint.replace("pass its ", "given").replace("pass ", "")
            assert isinstance(eval(code, {**names, "given": samples[given]}), getattr(w.amr, wanted)), hint
            tried += 1
    assert tried >= 8


def test_numbers(w):
    assert "pass float(text)" in message(w.mf.set_val, "3")
    assert "of shape (3,): it has 3 elements" in message(w.mf.set_val, np.ones(3))
    assert "argument 1 (block_size) must be an int, not the float 4.5" in message(w.ba.max_size, 4.5)
    text = message(w.mf.set_val, 1.0, 2**40, 1)
    assert "argument 2 (comp) is the int 1099511627776: it may be out of range" in text
    with pytest.raises(TypeError, match=r"^Box.small_end: the value must be an IntVect\dD, not the str 'x'$"):
        w.domain.small_end = "x"


def test_tuples_and_lists(w):
    short, mixed = (1,) * (w.dim + 1), (1.5,) * w.dim
    assert f"it has {w.dim + 1} items, {w.dim} are needed" in message(w.domain.grow, short)
    assert "item 0 is the float 1.5" in message(w.domain.grow, mixed)
    assert "argument 1 (values)" in message(w.amr.IntVect, [1] * (w.dim + 1))
    write = w.amr.write_single_level_plotfile
    assert "must be a Sequence[str], not the str 'phi': pass ['phi']" in message(
        write, "x", w.mf, "phi", w.geom, 0.0, 0
    )


def test_objects_that_were_never_made(w):
    box = w.amr.Box.__new__(w.amr.Box)
    with pytest.warns(RuntimeWarning, match="uninitialized"):
        assert "was never made" in message(w.domain.contains, box)
    with pytest.warns(RuntimeWarning, match="uninitialized"):
        assert "this Box was never made" in message(box.grow, 1)


def test_what_an_implementation_raises_passes_as_it_is(w):
    class Refuses:
        def __dlpack__(self, **_):
            raise TypeError("__init__(): incompatible function arguments. of mine")

        def __dlpack_device__(self):
            return 1, 0

    with pytest.raises(TypeError, match="of mine$"):
        w.amr.Array4_double(Refuses())
    with pytest.raises(ValueError, match="compon"):
        w.amr.MultiFab(w.ba, w.dm, -1, 0)
    assert w.domain.__add__("x") is NotImplemented
    with pytest.raises(TypeError, match="unsupported operand"):
        w.domain + "x"


def test_a_failure_of_the_explanation_leaves_the_first_error(w, monkeypatch):
    explain = importlib.import_module("amrex._explain")

    def broken(*_):
        raise ValueError("broken")

    monkeypatch.setattr(explain, "explain", broken)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        w.mf.fill_boundary(w.geom)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(explain, "explain", interrupted)
    with pytest.raises(KeyboardInterrupt):
        w.mf.fill_boundary(w.geom)


def test_an_argument_that_fails_when_looked_at(w):
    class Hostile:
        def __repr__(self):
            raise RuntimeError("no")

        __str__ = __len__ = __getitem__ = __index__ = __float__ = __iter__ = __repr__

        @property
        def __class__(self):
            raise RuntimeError("no")

    assert "argument 1 (val) must be a float" in message(w.mf.set_val, Hostile())
    assert "argument 1" in message(w.amr.BoxArray, Hostile())


def test_errors_can_be_pickled(w):
    with pytest.raises(TypeError) as caught:
        w.mf.fill_boundary(w.geom)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_right_calls_stay(w):
    """The entry in front of each function passes everything on: keywords, many arguments, subclasses."""

    class Mine(w.amr.Box):
        pass

    box = Mine(small=w.amr.IntVect(0), big=w.amr.IntVect(3))
    assert box.num_pts == 4**w.dim and type(box) is Mine
    w.mf.set_val(val=1.0, comp=0, num_comp=1, nghost=w.amr.IntVect(1))
    w.mf.saxpy(2.0, w.mf, srccomp=0, comp=0, numcomp=1, nghost=0)
    assert w.mf.min(0) == 3.0
    w.mf.fill_boundary(period=w.geom.periodicity(), cross=True)


@pytest.mark.parametrize("amr", SPACES, ids=["1d", "2d", "3d"])
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Multifab", "MultiFab"), ("multi_fab", "MultiFab"), ("BoxArry", "BoxArray"), ("initialise", "initialize"),
        ("write_plotfile", "write_single_level_plotfile"), ("PODVector_double", "PODVector_"), ("realbox", "RealBox"),
    ],
)  # fmt: skip
def test_names_that_are_nearly_right(amr, name, near):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'.*Did you mean .*{near}"):
        getattr(amr, name)
    assert not hasattr(amr, name)


@pytest.mark.parametrize("amr", SPACES, ids=["1d", "2d", "3d"])
def test_names_that_are_not_there_yet(amr):
    names = {"AmrCore": "levels", "EBSupport": "embedded", "PhysBCFunctUser": "boundary", "MPMD_MyProc": "MPI"}
    for name, word in {**names, "dtoh_memcpy": "to_numpy"}.items():
        if name not in vars(amr):
            with pytest.raises(AttributeError, match=f"'{name}': .*{word}"):
                getattr(amr, name)


def test_names_of_particles():
    amr = amrex.space3d
    with pytest.raises(AttributeError, match="ParticleContainer_pureSoA_8_0_default"):
        amr.ParticleContainer_pureSoA_8_0  # noqa: B018
    with pytest.raises(AttributeError, match="at least 3 real components"):
        amr.ParticleContainer_pureSoA_2_0_default  # noqa: B018
    with pytest.raises(AttributeError, match="ParticleTile_pureSoA_R_I_PLACE"):
        amr.ParticleTile_1_2  # noqa: B018


def test_private_names_are_not_guessed():
    for name in ("__wrapped__", "_ipython_display_", "_MultiFab"):
        with pytest.raises(AttributeError, match=f"^module 'amrex.space3d' has no attribute '{name}'$"):
            getattr(amrex.space3d, name)


def test_every_overload_can_be_read():
    """A signature that the parser cannot read would be left out of the choice."""
    explain = importlib.import_module("amrex._explain")
    read = 0
    for space in [*SPACES, importlib.import_module("amrex._core")]:
        for thing in list(vars(space).values()):
            members = vars(thing).values() if isinstance(thing, type) else [thing]
            for member in members:
                if hasattr(type(member), "__nb_signature__"):
                    assert len(explain.signatures(member)) == len(member.__nb_signature__), member
                    read += 1
    assert read > 1000


def test_an_import_loads_none_of_it():
    code = "import sys, amrex.space3d; print({'amrex._explain', 'amrex._fits', 'amrex._names'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


class Unshown:
    def __repr__(self):
        raise KeyError("asked")


def test_a_value_whose_repr_fails_is_named_by_its_type(w):
    fab = w.amr.FArrayBox(w.domain, 1)
    for call in (lambda v: fab.to_numpy(copy=v), lambda v: fab.to_xp(order=v), lambda v: fab.__dlpack__(copy=v),
                 lambda v: fab.__dlpack__(max_version=v), lambda v: fab.array()[v], w.mf.array):  # fmt: skip
        with pytest.raises(TypeError, match="Unshown"):
            call(Unshown())
