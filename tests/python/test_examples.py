# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Every example runs, small, in a new interpreter: its numbers are right and its picture is there."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.partners

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# example: (libraries that it needs, arguments for a small run)
SMALL = {
    "torch_in_place": (("torch", "matplotlib"), ("--steps", 40, "--size", 24, "--block", 9)),
    "numba_stencil": (("numba", "matplotlib"), ("--steps", 5, "--size", 20, "--block", 8)),
    "jax_step": (("jax", "matplotlib"), ("--steps", 30, "--size", 24, "--block", 10)),
    "particle_histograms": (
        ("pandas", "matplotlib"),
        ("--steps", 90, "--size", 32, "--block", 10, "--particles", 4000),
    ),
    "plotfile_slice_yt": (("yt",), ("--steps", 3, "--size", 16, "--block", 8)),
    "global_index_steering": (("matplotlib",), ("--steps", 400, "--size", 80, "--block", 30)),
}


def run(name, *arguments, out, **environment):
    for library in SMALL[name][0]:
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"the example {name} needs {library}, which is not installed")
    command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *map(str, arguments), "--out", str(out)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=out.parent, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    picture = (out / f"{name}.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert len(picture) > 3000
    return done.stdout


@pytest.fixture
def small(tmp_path):
    """Run an example with its small arguments; returns what it printed."""
    return lambda name, **environment: run(name, *SMALL[name][1], out=tmp_path / "out", **environment)


def number(pattern, printed):
    found = re.search(pattern, printed)
    assert found, printed
    return float(found[1])


def test_every_example_is_tested_and_shown_with_its_picture():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == set(SMALL)
    page = (ROOT / "docs/examples.md").read_text()
    for name in names:
        assert f"../examples/{name}.py" in page and f"](images/{name}.png)" in page, name
        assert (ROOT / f"docs/images/{name}.png").stat().st_size < 60_000, name


def test_every_example_can_be_read_at_a_sitting():
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text()
        assert 60 <= len(text.splitlines()) <= 150, path.name
        assert "amr.finalize()" in text and "del " in text, path.name


def test_torch_learns_in_place(small):
    printed = small("torch_in_place")
    assert "at the field's own address: 9 of 9" in printed  # 24 cells in blocks of at most 9: 3 x 3
    first = number(r"loss: (\S+) at first", printed)
    last = number(r"at first, (\S+) at last", printed)
    assert last < 0.2 * first
    error = number(r"mean difference to the exact run: (\S+)", printed)
    moved = number(r"moved by ([^)\s]+)", printed)
    assert 0 < error < 0.5 * moved  # the network ran, and did better than to do nothing
    assert "finalize: finalize() is not possible while DLPack tensors" in printed
    assert "18 of them" in printed
    assert printed.rstrip().endswith("finalize: done")


def test_numba_agrees_with_numpy(small):
    printed = small("numba_stencil")
    assert "at the field's own address: 27 of 27" in printed
    assert number(r"largest difference: (\S+);", printed) < 1e-12
    assert number(r"at the blocks' edges: (\S+)", printed) < 1e-12
    assert number(r"NumPy \S+ s: (\S+) times", printed) > 0


def test_jax_agrees_with_numpy(small):
    printed = small("jax_step")
    assert "at the field's own address: 9 of 9" in printed
    assert "the array in place has 7.0, the copy 1.0" in printed
    assert number(r"after 30 steps: (\S+)", printed) < 1e-12


def test_particles_are_pushed_in_place(small):
    printed = small("particle_histograms")
    assert "at one address by every way: 8 of 8" in printed  # 2 components in each of 4 boxes
    assert "particles: 4000 at first, 4000 at last, each in its box: True" in printed
    assert number(r"at first, (\S+) at most", printed) > 5 * number(r"field energy: (\S+) at first", printed)
    assert number(r"mean velocity changed by (\S+)", printed) < 1e-12
    counts = re.findall(r"^\d +(\d+) ", printed, re.MULTILINE)  # the table that pandas prints
    assert len(counts) == 4 and sum(map(int, counts)) == 4000


def test_yt_cuts_what_was_written(small, tmp_path):
    printed = small("plotfile_slice_yt")
    assert "filled 8 blocks in place" in printed
    assert "yt reads 8 grids" in printed
    assert "equal to the field in memory: True" in printed
    assert (tmp_path / "out/plt00003/Header").exists()


def test_global_indices_steer(small):
    printed = small("global_index_steering")
    assert "9 boxes, all used in place" in printed
    two = number(r"light on the screen: (\S+) with two", printed)
    one = number(r"two slits, (\S+) with one", printed)
    assert 0 < one < two


def test_an_example_needs_no_progress_bar(tmp_path):
    """Without tqdm it is a plain loop: nothing on stderr, the same numbers."""
    (tmp_path / "tqdm.py").write_text("raise ImportError('as if it were not installed')\n")
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    plain = run("global_index_steering", "--steps", 40, "--size", 32, out=tmp_path / "a", PYTHONPATH=paths)
    bar = run("global_index_steering", "--steps", 40, "--size", 32, out=tmp_path / "b")
    assert plain.splitlines()[:3] == bar.splitlines()[:3]


@pytest.mark.parametrize("name", sorted(SMALL))
def test_one_step_is_no_special_case(name, tmp_path):
    _, arguments = SMALL[name]
    run(name, *arguments, "--steps", 1, out=tmp_path / "out")  # the last --steps counts
