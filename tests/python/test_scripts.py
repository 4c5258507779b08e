# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts share: stages run beside one another, so what one of them uses no other may make anew."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def shell(tmp_path):
    """A function that runs commands after scripts/common.sh in a project of its own."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/common.sh", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    script = tmp_path / "scripts/script"

    def run(commands):
        script.write_text(
            f'set -euo pipefail\nsource "$(dirname "$0")/common.sh"\nPYTHON={sys.executable}\n{commands}\n'
        )
        done = subprocess.run(["bash", script], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.package
def test_an_environment_is_made_once_for_an_interpreter(shell, tmp_path):
    shell("make_venv a")
    mark = tmp_path / "build/a/mark"
    mark.touch()
    shell("make_venv a")
    assert mark.exists()
    # Another interpreter's, or one that broke, is made anew.
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\n[ "$1" = -c ] && echo "3.99.0 (other) /" && exit\nexec {sys.executable} "$@"\n')
    other.chmod(0o755)
    shell(f"make_venv a {other}")
    assert not mark.exists()
    mark.touch()
    (tmp_path / "build/a/bin/python").unlink()
    shell("make_venv a")
    assert not mark.exists() and (tmp_path / "build/a/bin/python").exists()


@pytest.mark.package
def test_versions_of_tools_are_read_from_pyproject(shell):
    assert shell("pinned nanobind").strip().count(".") == 2
