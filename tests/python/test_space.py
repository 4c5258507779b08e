# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The spaces as modules: what they share, the lazy xp, and what an import does not do."""

import os
import subprocess
import sys
import warnings

import amrex._xp
import numpy as np
import pytest
from devices import host_only

SPACES = ("amrex.space1d", "amrex.space2d", "amrex.space3d")


def fresh(code: str, **environment: str) -> str:
    """What `code` prints in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_spec_s1_types_without_a_dimension_are_shared():
    code = """
import amrex.space1d as one, amrex.space2d as two, amrex.space3d as three
for name in ("Array4_double", "ParmParse", "StagedCopyWarning", "finalize"):
    assert getattr(one, name) is getattr(two, name) is getattr(three, name), name
for name in ("Box", "MultiFab"):
    assert getattr(one, name) is not getattr(two, name), name
one.initialize([])
assert two.initialized() and three.initialized()
three.finalize()
assert not one.initialized()
print("right")
"""
    assert fresh(code) == "right"


@pytest.mark.parametrize("space", SPACES)
def test_spec_s10_import_loads_no_gpu_library(space):
    code = f"""
import sys, {space}
print([m for m in ("cupy", "dpnp", "dpctl", "torch", "jax", "numba", "mpi4py") if m in sys.modules])
"""
    assert fresh(code) == "[]"


@host_only
@pytest.mark.parametrize("space", SPACES)
def test_spec_s9_xp_is_lazy_then_cached(space):
    code = f"""
import {space} as amr, numpy
assert "xp" in dir(amr) and "xp" not in vars(amr)
assert amr.xp is numpy
assert vars(amr)["xp"] is numpy and "xp" in dir(amr)
print("right")
"""
    assert fresh(code) == "right"


def test_spec_s9_unknown_attribute_is_named():
    code = """
import amrex.space3d as amr
try:
    amr.no_such_name
except AttributeError as error:
    print(error)
assert not hasattr(amr, "no_such_name")
"""
    assert fresh(code) == "module 'amrex.space3d' has no attribute 'no_such_name'"


@pytest.mark.parametrize(("device", "package"), [("cuda", "cupy"), ("rocm", "cupy"), ("sycl:1", "dpnp")])
def test_spec_s9_a_missing_library_is_named(monkeypatch, device, package):
    monkeypatch.setattr(amrex._xp._core, "_run_device", lambda: device)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=package):
        amrex._xp.load()


def test_spec_s9_an_unknown_device_is_named(monkeypatch):
    monkeypatch.setattr(amrex._xp._core, "_run_device", lambda: "abacus")
    with pytest.raises(ImportError, match="abacus"):
        amrex._xp.load()


@host_only
def test_spec_s9_a_stale_xp_is_dropped_with_a_warning(monkeypatch):
    import amrex.space2d as amr

    for name in SPACES:  # others may have theirs from other tests
        vars(sys.modules.get(name, amr)).pop("xp", None)
    held = amr.xp
    assert amrex._xp.drop_stale() is None and vars(amr)["xp"] is held
    monkeypatch.setattr(amrex._xp._core, "_run_device", lambda: "sycl")
    with pytest.warns(RuntimeWarning, match=r"space2d.xp was numpy.*dpnp"):
        amrex._xp.drop_stale()
    assert "xp" not in vars(amr) and "xp" in dir(amr)
    monkeypatch.undo()
    assert amr.xp is held


@host_only
def test_spec_s9_where_that_warning_is_an_error_nothing_has_started(monkeypatch):
    import amrex.space2d as amr

    monkeypatch.setitem(vars(amr), "xp", Library("another"))
    with pytest.raises(RuntimeWarning, match="another"):
        amr.initialize([])
    assert not amr.initialized()
    amr.initialize([])
    amr.finalize()


class Library:
    """Stands in for a device library: records what it was given."""

    def __init__(self, name):
        self.__name__ = name
        self.finished = 0

    def array(self, source, order, device=None):
        copy = np.array(source, order=order).view(FakeArray)
        copy.library = self
        return copy


class FakeArray(np.ndarray):
    library: Library

    @property
    def device(self):
        return self

    sycl_queue = device

    def synchronize(self):
        self.library.finished += 1

    wait = synchronize


@pytest.mark.parametrize("name", ["cupy", "dpnp"])
def test_spec_s8_host_memory_is_staged_and_announced(monkeypatch, name):
    import amrex.space3d as amr

    library = Library(name)
    monkeypatch.setitem(sys.modules, name, library)
    source = np.arange(24.0).reshape(2, 3, 4)
    array = amr.Array4_double(source)
    convert = getattr(array, "to_" + name)
    with pytest.warns(amr.StagedCopyWarning, match="writes do not reach the object; use to_numpy"):
        staged = convert()
    assert library.finished == 1
    assert staged.shape == array.to_numpy().shape and (staged == array.to_numpy()).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c_order = convert(copy=True, order="C")
    assert c_order.shape == array.to_numpy(order="C").shape
    staged[...] = -1
    assert (array.to_numpy() >= 0).all()


@pytest.mark.parametrize(("name", "package"), [("cupy", "cupy-cuda12x"), ("dpnp", "dpnp")])
def test_spec_s5_s6_a_missing_library_is_named(monkeypatch, name, package):
    import amrex.space3d as amr

    monkeypatch.setitem(sys.modules, name, None)
    array = amr.Array4_double(np.zeros((2, 3, 4)))
    with pytest.raises(ImportError, match=f"install {package}"):
        getattr(array, "to_" + name)()


@pytest.mark.parametrize("arguments", [[], ["--version"], ["--cmake-dir"], ["--include-dir"], ["--help"]])
def test_python_m_amrex(arguments):
    done = subprocess.run([sys.executable, "-m", "amrex", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    if not arguments:
        for word in ("zerofab", "compiler", "cpu: ", "cuda: ", "rocm: ", "sycl: ", "numpy:"):
            assert word in done.stdout


def test_python_m_amrex_refuses_nonsense():
    done = subprocess.run([sys.executable, "-m", "amrex", "--nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "nonsense" in done.stderr
