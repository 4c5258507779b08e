# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs files as AMReX codes have them, the space that reads them, options and parameters that nobody has read."""

import os
import pathlib
import subprocess
import sys

import amrex.space1d as amr1
import amrex.space2d as amr2
import amrex.space3d as amr3
import pytest

BRANCHES = """
#if (AMREX_SPACEDIM == 1)
n = 1
#elif (AMREX_SPACEDIM == 2)
n = 2 2
#else
n = 3 3 3
#endif
m = 7
"""
SPACES = {1: amr1, 2: amr2, 3: amr3}


@pytest.fixture(autouse=True)
def empty_table():
    def clear():
        table = amr3.ParmParse()
        for key in table.unused() + list(table.to_dict()):
            table.remove(key)

    clear()
    yield
    clear()


def read(path: pathlib.Path, text: str | bytes, **options) -> "amr3.ParmParse":
    path = path / "inputs"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    amr3.ParmParse.addfile(path, **options)
    return amr3.ParmParse()


def run(code: str, folder: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_branch_of_the_space_that_is_said(tmp_path, dim):
    pp = read(tmp_path, BRANCHES, dim=dim)
    assert pp.get_int_array("n") == [dim] * dim
    assert pp.get_int("m") == 7


def test_one_file_for_all_spaces_by_initialize(tmp_path):
    (tmp_path / "inputs").write_text(BRANCHES)
    for dim in (3, 1, 2, 3):
        space = SPACES[dim]
        space.initialize([str(tmp_path / "inputs"), "k=5"])
        try:
            pp = space.ParmParse()
            assert pp.get_int_array("n") == [dim] * dim
            assert pp.get_int("k") == 5
        finally:
            space.finalize()


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_only_space_that_is_imported_reads(tmp_path, dim):
    (tmp_path / "inputs").write_text(BRANCHES)
    done = run(
        f"import amrex.space{dim}d as amr\n"
        "amr.ParmParse.addfile('inputs')\n"
        f"assert amr.ParmParse('').get_int_array('n') == [{dim}] * {dim}\n",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_of_several_spaces_one_must_be_said(tmp_path):
    amr3.ParmParse().add("keep", 1)
    with pytest.raises(ValueError, match=r"line 2: .*AMREX_SPACEDIM.*dim="):
        read(tmp_path, BRANCHES)
    assert amr3.ParmParse().to_dict() == {"keep": 1}
    assert read(tmp_path, "#ifdef AMREX_SPACEDIM\nn = 5\n#endif\n").get_int("n") == 5  # no matter which
    for dim in (0, 4, -1):
        with pytest.raises(ValueError, match="1, 2 or 3"):
            read(tmp_path, "n = 1\n", dim=dim)
    with pytest.raises(TypeError):
        read(tmp_path, "n = 1\n", dim="2")


def test_the_device_is_known_in_a_run(tmp_path):
    text = "#if defined(AMREX_USE_GPU)\nn = 1\n#else\nn = 0\n#endif\n"
    with pytest.raises(ValueError, match=r"line 1: .*AMREX_USE_GPU.*initialize"):
        read(tmp_path, text)
    amr3.initialize([])
    try:
        assert bool(read(tmp_path, text).get_int("n")) == amr3.Config.have_gpu
    finally:
        amr3.finalize()


@pytest.mark.parametrize(
    ("text", "key", "values"),
    [
        ('k = ["a", "b c"]\n', "k", ["a", "b c"]),
        ("k = [1, # one\n 2]\nu = 5\n", "k", ["1", "2"]),
        ("k = {{1, 2}, # one\n {3, 4}}\nu = 5\n", "k", ["{{1,2},{3,4}}"]),
        ('k = """x + y"""\n', "k", ["x + y"]),
        ("k= = 10.0\n", "k", ["10.0"]),
        ('"k(x,y)" = 3.5\n', "k(x,y)", ["3.5"]),
        ("a = 1\n&probin\n  x = 1.d0 ! no / here\n/\nk = 2\n", "k", ["2"]),
        (b"\xef\xbb\xbfk\xc2\xa0= 3\xc2\xa04\r\n", "k", ["3", "4"]),
    ],
)
def test_forms_of_other_codes(tmp_path, text, key, values):
    pp = read(tmp_path, text)
    assert pp.get_str_array(key) == values
    if isinstance(text, str) and "u = 5" in text:
        assert pp.get_int("u") == 5
    written = pp.to_text()
    for name in ("a", "k", "u", key):
        pp.remove(name)
    assert read(tmp_path, written).get_str_array(key) == values


def test_an_expression_with_blanks(tmp_path):
    pp = read(tmp_path, "dt = 0.1 / (3.0*2.0)\nn = 2 * 3\na = 2 -3\nm = 1 2 * 3\nb = 2 * dt\n")
    assert pp.get_real("dt") == 0.1 / 6
    assert pp.get_int("n") == 6
    assert pp.get_int_array("n") == [6]
    assert pp.get_real("b") == 2 * (0.1 / 6)
    assert pp.get_int_array("a") == [2, -3]
    assert pp.get_str_array("n") == ["2", "*", "3"]
    assert pp.get_int("m") == 1
    for ival in (1, 2, 3):
        with pytest.raises(ValueError, match="'m' = '1 2 \\* 3'.*blanks"):
            pp.get_int("m", ival)
    with pytest.raises(ValueError, match="beside other values"):
        pp.get_real_array("m")
    with pytest.raises(IndexError):
        pp.get_int("n", 1)
    assert pp.to_dict()["dt"] == 0.1 / 6
    assert pp.to_dict()["m"] == ["1", "2", "*", "3"]


def test_numbers_that_are_none(tmp_path):
    pp = read(tmp_path, "f = FALSE;\nq = nan\ni = inf\nd = 7//2\nd2 = -7//2\nx = 3x\n")
    assert (pp.get_int("d"), pp.get_int("d2")) == (3, -4)
    for key, getters in {
        "f": (pp.get_int, pp.get_real, pp.get_bool),
        "q": (pp.get_int, pp.get_bool),
        "i": (pp.get_int, pp.get_bool),
        "x": (pp.get_int, pp.get_real, pp.get_bool),
    }.items():
        for get in getters:
            with pytest.raises(ValueError, match=f"'{key}'"):
                get(key)


@pytest.mark.parametrize("what", ["pipe", "folder", "huge", "socket", "device"])
def test_what_is_no_file(tmp_path, what):
    path = str(tmp_path / what)
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        os.mkdir(path)
    elif what == "huge":
        with open(path, "wb") as file:
            file.truncate(1 << 40)
    elif what == "socket":
        os.mknod(path, 0o140600)
    else:
        path = "/dev/zero"
    code = (
        "import amrex.space3d as amr\n"
        f"for call in (lambda: amr.ParmParse.addfile({path!r}), lambda: amr.initialize([{path!r}])):\n"
        "    try:\n        call()\n"
        f"    except OSError as error:\n        assert {path!r} in str(error), error\n"
        "    else:\n        raise SystemExit('it was read')\n"
        "    assert not amr.initialized()\n"
    )
    done = run(code, tmp_path)
    assert done.returncode == 0, done.stderr


def test_abort_on_unused_inputs(tmp_path):
    start = "import amrex.space3d as a\na.initialize(['amrex.abort_on_unused_inputs=1', 'typo.n=3', 'k=1'])\n"
    done = run(start + "a.ParmParse().get_int('k')\na.finalize()\n", tmp_path)
    assert done.returncode == 1
    assert "RuntimeError" in done.stderr
    assert "typo.n" in done.stderr
    assert " k" not in done.stderr.partition("nobody has read")[2].partition(".")[0]


def test_unused_inputs_leave_the_run_as_it_is():
    amr3.initialize(["amrex.abort_on_unused_inputs=1", "typo.n=3", "typo.m=4", "fab.other=1"])
    with pytest.raises(RuntimeError, match=r"typo\.m, typo\.n"):
        amr3.finalize()
    assert amr3.initialized()
    assert amr3.ParmParse("typo").get_int("n") == 3
    with pytest.raises(RuntimeError, match=r"read typo\.m\."):
        amr3.finalize()
    amr3.ParmParse("typo").remove("m")
    amr3.finalize()
    assert not amr3.initialized()
    amr3.initialize(["typo.n=3"])
    amr3.finalize()


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("amrex.abort_on_unused_input=1", "did you mean amrex.abort_on_unused_inputs"),
        ("amrex.something=1", "no option"),
        ("amrex.a.b=1 2", "no option"),
        ("amrex.fpe_trap_invalid=1", "no effect"),
        ("amrex.throw_exception=0", "no effect"),
        ("amrex.signal_handling=abc", "no effect"),
    ],
)
def test_unknown_options_are_said(argument, words):
    with pytest.warns(RuntimeWarning, match=argument.partition("=")[0] + ".*" + words):
        amr3.initialize([argument])
    amr3.finalize()
    amr3.ParmParse().add("keep", 2)
    with pytest.raises(RuntimeWarning):  # an error in this test's run: then nothing has started
        amr3.initialize([argument, "k=1"])
    assert not amr3.initialized()
    assert amr3.ParmParse().to_dict() == {"keep": 2}


def test_known_options_are_not_said():
    # the tests make an error of each warning
    amr3.initialize(
        [
            "amrex.v=0",
            "amrex.verbose=2",
            "amrex.throw_exception=1",
            "amrex.signal_handling=0",
            "amrex.abort_on_out_of_gpu_memory=1",
            "amrex.the_arena_is_managed=0",
            "amrex.the_arena_init_size=0",
            "amrex.use_gpu_aware_mpi=0",
            "amrex.abort_on_unused_inputs=1",
            "amrex.trace_exports=0",
            "tiny_profiler.enabled=0",
        ],
        device="cpu",
    )
    amr3.finalize()
    with pytest.raises(ValueError, match="abort_on_unused_inputs"):
        amr3.initialize(["amrex.abort_on_unused_inputs=maybe"])
    assert not amr3.initialized()


def test_options_that_come_too_late(tmp_path):
    amr3.initialize([])
    try:
        with pytest.warns(RuntimeWarning, match="amrex.trace_exports = 1 comes too late"):
            read(tmp_path, "amrex.trace_exports = 1\n")
    finally:
        amr3.finalize()
