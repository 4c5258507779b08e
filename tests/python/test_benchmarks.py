# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks run: every case that run.py lists is measured without an error."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

# Rows compare with NumPy's own versioned export, and with partners.
pytestmark = pytest.mark.partners

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"
GROUPS = ("exports", "exchange_table", "loops", "indexing", "arithmetic", "halo", "vectors", "particles", "startup")


def run(*arguments: str) -> str:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=FOLDER, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("group", GROUPS)
def test_every_row_is_measured(group: str) -> None:
    listed = f"import json, run; print(json.dumps([row.name for row in run.ROWS if row.group == {group!r}]))"
    names = set(json.loads(run("-c", listed)))
    lines = [json.loads(line) for line in run("cases.py", group, "--rounds=2", "--seconds=1e-5").splitlines()]
    measured = {line["name"]: line for line in lines}
    if importlib.util.find_spec("torch") is None:
        names.discard("torch.from_dlpack(arr4)")
    assert names <= set(measured)
    assert not [line for line in lines if "error" in line]


def test_a_row_is_shown_with_its_target() -> None:
    table = run("run.py", "--quick", "--markdown", "--only", "mf[i, j, k]")
    assert "| mf[i, j, k], 512 boxes | 1 |" in table
    assert "2 us" in table
    assert "of 1 targets met" in table
