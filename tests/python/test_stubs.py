# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The type stubs: they are those of this build, and a strict type checker sees real signatures in them."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys

import amrex
import pytest

pytestmark = pytest.mark.partners

ROOT = pathlib.Path(__file__).resolve().parents[2]
PINNED = re.search(r'"nanobind==([\d.]+)"', (ROOT / "pyproject.toml").read_text())[1]

CLIENT = """
from typing import Any

import amrex.space{dim}d as amr
import numpy as np
import numpy.typing as npt

amr.initialize([])
array: amr.Array4_double = amr.Array4_double(np.zeros((3, 4, 5)))
capsule = array.__dlpack__(stream=None, max_version=(1, 0), dl_device=(1, 0), copy=None)
device: tuple[int, int] = array.__dlpack_device__()
view: npt.NDArray[np.float64] = array.to_numpy(copy=True, order="C")
bytes_of: memoryview = memoryview(array)
same: npt.NDArray[Any] = np.from_dlpack(array)
vector: amr.PODVector_real_std = amr.PODVector_real_std(5)
vector.resize(7)
box: amr.Box = amr.Box(amr.IntVect(*amr.d_decl(0, 0, 0)), amr.IntVect(*amr.d_decl(7, 7, 7)))
layout: amr.BoxArray = amr.BoxArray(box)
field: amr.MultiFab = amr.MultiFab(layout, amr.DistributionMapping(layout), 1, 0)
for mfi in field:
    amr.xp.sin(field.array(mfi).to_xp())
total: float = field.sum(0)
kind: amr.DLDeviceType = amr.kDLCPU
amr.finalize()
"""

WRONG = [
    "array.__dlpack__(1)",
    "array.__dlpack__(max_version=1)",
    "amr.no_such_name",
    "array.to_numpy(copy='yes')",
    "array.to_numpy(order='K')",
    "array.to_numpy(colour=True)",
    "vector.resize('7')",
    "text: str = field.sum(0)",
    "number: int = array.__dlpack__()",
    "amr.Box('a')",
    "np.from_dlpack(field)",  # a whole field is no array
]


def test_spec_s29_stubs_and_marker_are_installed():
    folder = pathlib.Path(amrex.__file__).parent
    assert (folder / "py.typed").exists()
    for name in ("_core", "space1d", "space2d", "space3d"):
        assert (folder / name / "__init__.pyi").exists()


def test_spec_s29_stubs_are_of_this_build():
    if importlib.metadata.version("nanobind") != PINNED:
        pytest.fail(f"the stubs are compared with nanobind {PINNED} (extra [dev]) installed")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/stubs"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def mypy(place: pathlib.Path, text: str) -> tuple[set[int], str]:
    """The lines of the client with errors, and all output."""
    (place / "client.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "client.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=place, check=False)
    return {int(n) for n in re.findall(r"client\.py:(\d+): error", done.stdout)}, done.stdout + done.stderr


@pytest.mark.types
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_spec_s29_a_typed_client_passes(dim, tmp_path):
    wrong, output = mypy(tmp_path, CLIENT.format(dim=dim))
    assert not wrong and "error" not in output, output


@pytest.mark.types
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_spec_s29_wrong_calls_do_not_pass(dim, tmp_path):
    client = CLIENT.format(dim=dim)
    wrong, _ = mypy(tmp_path, client + "\n".join(WRONG) + "\n")
    first = client.count("\n") + 1
    assert [line for n, line in enumerate(WRONG) if first + n not in wrong] == []


@pytest.mark.types
def test_the_package_is_strictly_typed(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", str(ROOT / "python/amrex"), "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "python", check=False)
    assert done.returncode == 0, done.stdout
