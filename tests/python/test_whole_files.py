# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What is written is there as a whole or not at all: after errors of the system, kills, leftovers of others."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest

SOURCE = pathlib.Path(__file__).parents[1] / "native" / "file_calls.c"
HEAD = """
import ctypes, os, pathlib, re, shutil, sys
import amrex.space2d as amr
amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])
domain = amr.Box(amr.IntVect(0, 0), amr.IntVect(7, 7))
ba = amr.BoxArray(domain).max_size(4)
dm = amr.DistributionMapping(ba)
geom = amr.Geometry(domain, amr.RealBox([0.0, 0.0], [1.0, 1.0]), 0, [0, 0])
mf = amr.MultiFab(ba, dm, 1, 0)
pc = amr.ParticleContainer_pureSoA_2_0_default(geom, dm, ba)
pc.init_random(20, 1, amr.ParticleInitType_pureSoA_2_0(), False, geom.prob_domain)
base = sys.argv[1]
def plotfile(value):
    mf.set_val(value)
    amr.write_single_level_plotfile(base + "/plt", mf, ["a"], geom, value, 0)
def multifab(value):
    mf.set_val(value)
    amr.VisMF.Write(mf, base + "/mf", nfiles=2)
def particles(value):
    more = pc.make_alike()
    for _ in range(int(value)):
        more.add_particles(pc)
    more.write_plotfile(base + "/plt", "ions")
def seen():
    'What a reader finds under each name, None for nothing.'
    plt, ions, mf = (os.path.join(base, name) for name in ("plt", "plt/ions", "mf"))
    found = [amr.PlotFileData(plt).get(0).max(0) if os.path.exists(plt + "/Header") else None]
    field = amr.VisMF.Read(mf) if os.path.exists(mf + "_H") else None
    found.append(field and (field.min(0), field.max(0)))
    found.append(amr.ParticleHeader.read(plt, "ions").num_particles if os.path.exists(ions) else None)
    return found
def names():
    return sorted(str(p.relative_to(base)) for p in pathlib.Path(base).rglob("*"))
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """Path of the compiled tests/native/file_calls.c."""
    path = tmp_path_factory.mktemp("native") / "file_calls.so"
    command = ["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    subprocess.run([*command, str(SOURCE), "-o", str(path), "-ldl"], check=True)
    return path


def run(text, folder, library=None):
    environment = dict(os.environ) | ({"LD_PRELOAD": str(library)} if library else {})
    more = (
        f"\ncalls = ctypes.CDLL({str(library)!r})\ncalls.file_calls_stop.restype = ctypes.c_char_p\n" if library else ""
    )
    done = subprocess.run(
        [sys.executable, "-c", HEAD + more + textwrap.dedent(text), str(folder)],
        capture_output=True, text=True, timeout=300, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_on_disk_before_it_has_its_name(tmp_path, library):
    out = run(
        """
        for value in (1.0, 2.0):
            calls.file_calls_start(base.encode(), -1, 1)
            plotfile(value)
            multifab(value)
            particles(value)
            print(calls.file_calls_stop().decode(), end="")
            print("again")
        """,
        tmp_path,
        library,
    )
    first, second, rest = out.split("again\n")
    assert rest == ""
    for text in (first, second):
        synced, named = set(), 0
        for line in text.splitlines():
            what, path, to = line.split("\t")
            assert what != "unsafe", line
            if what == "create":
                assert re.search(r"\.part[0-9a-f]{16}$", path), path
            elif what == "write":
                synced.discard(path)
            elif what == "sync":
                synced.add(path)
            elif ".part" in path.rpartition("/")[2] and ".part" not in to.rpartition("/")[2] and ".old." not in to:
                named += 1
                assert path in synced, (path, text)  # a folder too: with all its entries
                if not path.endswith(tuple("0123456789abcdef")):
                    continue
                if to.endswith("/plt"):
                    assert path + "/Level_0" in synced
        assert named >= 8
    temporary = [set(re.findall(r"\.part([0-9a-f]{16})", text)) for text in (first, second)]
    assert not temporary[0] & temporary[1]
    assert not [name for name in os.listdir(tmp_path) if ".part" in name]


@pytest.mark.parametrize("exchange", [1, 0])
@pytest.mark.parametrize("kind", ["plotfile", "multifab", "particles"])
def test_each_failure_leaves_what_was_there(tmp_path, library, kind, exchange):
    """One call after the other fails: a reader finds all of the older files, and nothing is left beside them."""
    out = run(
        f"""
        write = {kind}
        failed = 0
        for older in (False, True):
            if older:
                plotfile(1.0), multifab(1.0), particles(1.0)
            elif write is particles:
                plotfile(1.0)
            for number in range(200):
                before, there = seen(), names()
                calls.file_calls_start(base.encode(), number, {exchange})
                try:
                    write(3.0)
                except OSError as error:
                    calls.file_calls_stop()
                    assert base in str(error), error
                    assert seen() == before and names() == there, (number, seen(), before, names(), there)
                    failed += 1
                    continue
                done = calls.file_calls_stop().decode().count("\\n")
                assert not [name for name in names() if ".part" in name], (number, names())
                assert seen() != before
                shutil.rmtree(base), os.mkdir(base)
                if older or write is particles:
                    plotfile(1.0)
                if older:
                    multifab(1.0), particles(1.0)
                if done <= number:
                    break
            else:
                raise AssertionError("never without a failure")
        print(failed)
        """,
        tmp_path,
        library,
    )
    assert int(out) > 10


def test_leftovers_of_others_block_nothing(tmp_path):
    out = run(
        """
        for name in ("plt", "mf_H", "mf_D_00000", "plt/ions"):
            other = f"{base}/{name}.part{os.getpid()}"
            os.makedirs(os.path.dirname(other), exist_ok=True)
            if name.startswith("mf"):
                os.symlink(base + "/elsewhere", other)
            else:
                os.makedirs(other + "/Level_0")
        plotfile(2.0), multifab(2.0), particles(2.0)
        print(seen(), os.path.exists(base + "/elsewhere"))
        """,
        tmp_path,
    )
    assert out.strip() == "[2.0, (2.0, 2.0), 40] False"


def test_killed_at_any_time(tmp_path):
    """Under its name there is always a whole plotfile."""
    run("plotfile(1.0)", tmp_path)
    for round_ in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", HEAD + "\nprint('on', flush=True)\nwhile True: plotfile(2.0)", str(tmp_path)],
            stdout=subprocess.PIPE,
        ) as process:
            process.stdout.readline()
            time.sleep(0.02 + 0.013 * round_)
            process.send_signal(signal.SIGKILL)
        assert run("print(seen()[0])", tmp_path).strip() in ("1.0", "2.0")
    run("plotfile(3.0)\nassert seen()[0] == 3.0", tmp_path)


def test_long_names(amr, tmp_path):
    """A name as long as the system allows leaves no room for an ending."""
    dim = amr.Config.spacedim
    ba = amr.BoxArray(amr.Box(amr.IntVect(*[0] * dim), amr.IntVect(*[3] * dim)))
    mf = amr.MultiFab(ba, amr.DistributionMapping(ba), 1, 0)
    mf.set_val(1.0)
    name = tmp_path / ("n" * 247)
    amr.VisMF.Write(mf, name)
    assert amr.VisMF.Read(name).max(0) == 1.0
    amr.VisMF.Write(mf, name)
    assert sorted(p.name[247:] for p in tmp_path.iterdir()) == ["_D_00000", "_H"]
    with pytest.raises(OSError, match="too long"):
        amr.VisMF.Write(mf, tmp_path / ("n" * 250))
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_in_the_way(amr, tmp_path):
    """What is no file is not moved away for one."""
    dim = amr.Config.spacedim
    ba = amr.BoxArray(amr.Box(amr.IntVect(*[0] * dim), amr.IntVect(*[3] * dim)))
    mf = amr.MultiFab(ba, amr.DistributionMapping(ba), 1, 0)
    mf.set_val(1.0)
    for part in ("mf_H", "mf_D_00000"):
        (tmp_path / part).mkdir()
        with pytest.raises(OSError, match=part):
            amr.VisMF.Write(mf, tmp_path / "mf")
        assert [p.name for p in tmp_path.iterdir()] == [part]
        (tmp_path / part).rmdir()
