# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Imports that come again, in other interpreters, and beside another owner of the package: each in a process."""

import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import amrex
import pytest

WHOLE = """
def whole(amr):
    dim = amr.Config.spacedim
    if not amr.initialized():
        amr.initialize(["amrex.verbose=0"])
    box = amr.Box(amr.IntVect(*[0] * dim), amr.IntVect(*[7] * dim))
    ba = amr.BoxArray(box)
    ba.max_size(4)
    dm = amr.DistributionMapping(ba)
    mf = amr.MultiFab(ba, dm, 1, 1)
    mf.set_val(1.0)
    assert mf.sum(0) == 8.0**dim, mf.sum(0)
    assert (amr.IntVect(1) + amr.IntVect(2))[0] == 3
    geom = amr.Geometry(box, amr.RealBox([0.0] * dim, [1.0] * dim), 0, [1] * dim)
    pc = getattr(amr, f"ParticleContainer_pureSoA_{dim}_0_default")(geom, dm, ba)
    pc.init_random(10, 1, getattr(amr, f"ParticleInitType_pureSoA_{dim}_0")(), False, geom.prob_domain)
    pc.redistribute()
    assert pc.total_number_of_particles() == 10
    assert type(pc) is getattr(amr, type(pc).__name__)
    assert [type(step).__name__ for step in mf][0] == "MFIter"
    for view in mf.to_numpy():
        assert view.sum() > 0
"""


def run(text, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-c", WHOLE + textwrap.dedent(text)], capture_output=True, text=True, timeout=120, check=False,
        cwd=cwd, env={**os.environ, **environment},
    )  # fmt: skip


def clean(text, **environment):
    done = run(text, **environment)
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr[-2000:])
    return done.stdout


REMOVED = {
    "all": "lambda m: m.split('.')[0] == 'amrex'", "the package": "lambda m: m == 'amrex'",
    "_core": "lambda m: m.startswith('amrex._core')", "the space": "lambda m: m == 'amrex.space3d'",
    "Python modules": "lambda m: m.startswith('amrex._') and not m.startswith('amrex._core')",
    "all but the package": "lambda m: m.startswith('amrex.')",
    "all but _core": "lambda m: m in ('amrex', 'amrex.space3d')",
    "_particles": "lambda m: m == 'amrex._particles'",
}  # fmt: skip


@pytest.mark.parametrize("what", REMOVED)
def test_a_second_import_gives_the_first_modules(what):
    clean(f"""
    import sys, gc
    import amrex.space3d as first
    whole(first)
    for turn in range(3):
        for name in [m for m in sys.modules if ({REMOVED[what]})(m)]:
            del sys.modules[name]
        gc.collect()
        import amrex.space3d as again
        import amrex
        assert again is first and amrex.space3d is first and sys.modules["amrex.space3d"] is first
        whole(again)
        import amrex.space1d, amrex.space2d
        whole(amrex.space1d), whole(amrex.space2d)
        import amrex.__main__
    """)


def test_a_second_import_before_the_first_space():
    clean("""
    import sys
    import amrex._core
    for name in [m for m in sys.modules if m.split(".")[0] == "amrex"]:
        del sys.modules[name]
    import amrex.space2d as amr
    whole(amr)
    """)


@pytest.mark.parametrize(
    "order", list(itertools.permutations(("amrex", "amrex._core", "amrex.space3d", "amrex._particles"), 2))
)
def test_reload(order):
    clean(f"""
    import importlib, sys
    import amrex.space3d as first
    whole(first)
    for name in {order}:
        importlib.reload(sys.modules[name])
    import amrex.space3d as again
    assert again is first
    whole(first)
    import amrex.space2d
    whole(amrex.space2d)
    """)


def test_what_the_first_import_made_is_still_of_the_same_class():
    clean("""
    import sys, pickle
    import amrex.space3d as amr
    box, cls = amr.Box(amr.IntVect(0), amr.IntVect(3)), amr.ParticleTile_pureSoA_3_0_default
    for name in [m for m in sys.modules if m.split(".")[0] == "amrex"]:
        del sys.modules[name]
    import amrex.space3d as amr
    assert isinstance(box, amr.Box) and cls is amr.ParticleTile_pureSoA_3_0_default
    assert pickle.loads(pickle.dumps(box)) == box
    try:
        amr.MultiFab()
    except RuntimeError as error:
        assert "initialize" in str(error)
    """)


SUBINTERPRETER = """
try:
    import _interpreters as subs
except ImportError:
    import _xxsubinterpreters as subs
def in_another(text):
    one = subs.create()
    try:
        return subs.run_string(one, text)   # from 3.13 on an exception is given back, not raised
    except Exception as error:
        return error
    finally:
        subs.destroy(one)
def refused(text):
    rest = "\\nexcept ImportError as e:\\n    print(e)\\nelse:\\n    print('no error')"
    got = in_another("try:\\n    " + text + rest)
    assert got is None, got
"""


@pytest.mark.parametrize("text", ["import amrex.space2d", "import amrex._core", "import amrex.space3d"])
@pytest.mark.parametrize("before", [True, False])
def test_another_interpreter_gets_an_import_error(text, before):
    out = clean(SUBINTERPRETER + f"""
if {before}:
    import amrex.space3d as amr
    whole(amr)
for _ in range(3):
    refused({text!r})
import amrex.space3d as amr
import amrex.space2d
whole(amr)
whole(amrex.space2d)
amr.finalize()
""")  # fmt: skip
    lines = out.splitlines()
    assert len(lines) == 3 and all("interpreter" in line for line in lines), out


# ---------------------------------------------------------------- two owners of one package


def package(folder, theirs, ours_last):
    """A folder with this package and files as pyAMReX installs them; what comes last overwrites."""
    ours = pathlib.Path(amrex.__file__).parent
    site = folder / "site"
    target = site / "amrex"

    def install_ours():
        walk = os.walk(ours, followlinks=True)
        for source in (pathlib.Path(where, name) for where, _, names in walk for name in names if "__pyc" not in where):
            place = target / source.relative_to(ours)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.unlink(missing_ok=True)
            if source.suffix == ".so" or ".so." in source.name:
                place.symlink_to(source)
            else:
                shutil.copy(source, place)

    def install_theirs():
        for name, text in theirs.items():
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

    for install in (install_theirs, install_ours) if ours_last else (install_ours, install_theirs):
        install()
    return site


def metadata(site, name, files):
    info = site / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def peer(dims=(1, 2, 3), old=False):
    """Files as a wheel of pyAMReX has them: a compiled module per space that is found by its name only."""
    files = {"__init__.py": "", "extensions/__init__.py": ""}
    if not old:
        files |= {
            "_dll.py": "def add_windows_dll_directories(file): pass\n",
            "_module_api.py": "def setup_module(*a): pass\n",
        }
    for d in dims:
        files[f"space{d}d/__init__.py"] = (
            f"from . import amrex_{d}d_pybind\nfrom .amrex_{d}d_pybind import *\n"
            if old
            else "from .._dll import add_windows_dll_directories\nadd_windows_dll_directories(__file__)\n"
            f"from .._module_api import setup_module\nfrom . import amrex_{d}d_pybind\n"
            f"from .amrex_{d}d_pybind import *\nsetup_module(globals(), amrex_{d}d_pybind)\n"
        )
        files[f"space{d}d/amrex_{d}d_pybind.cpython-{sys.version_info[0]}{sys.version_info[1]}-x86_64-linux-gnu.so"] = (
            ""
        )
        files[f"space{d}d/amrex_{d}d_pybind/__init__.pyi"] = ""
    return files


@pytest.mark.parametrize("ours_last", [True, False])
@pytest.mark.parametrize(
    "files", [peer(), peer(old=True), peer((3,)), peer((3,), old=True)], ids=["all", "old", "3d", "old 3d"]
)
@pytest.mark.parametrize("known", [True, False])
def test_two_owners_of_the_package_are_named(tmp_path, ours_last, files, known):
    site = package(tmp_path, files, ours_last)
    if known:
        metadata(site, "zerofab", ["amrex/_core.so", "amrex/_space.py"])
        metadata(site, "impactx-noacc", [f"amrex/{name}" for name in files])
        metadata(site, "unrelated", ["other/amrex.py"])
    for dim in (1, 2, 3):
        done = run(f"import amrex.space{dim}d", PYTHONPATH=str(site))
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        assert done.returncode == 1 and last.startswith("ImportError"), (done.returncode, done.stderr[-1500:])
        names = ["zerofab", "impactx-noacc"] if known else ["zerofab", "pyamrex"]
        assert f"pip uninstall {' '.join(names)}" in last and "pyAMReX" in last and str(site) in last, last
        assert "unrelated" not in last


def test_this_package_alone_is_no_suspect(tmp_path):
    site = package(tmp_path, {}, True)
    done = run("import amrex.space1d, amrex.space2d, amrex.space3d as amr\nwhole(amr)", PYTHONPATH=str(site))
    assert done.returncode == 0, done.stderr
    done = run("import amrex.space3d.amrex_3d_pybind", PYTHONPATH=str(site))
    assert done.returncode == 1 and "import amrex.space3d" in done.stderr.splitlines()[-1]
