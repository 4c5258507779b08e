# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: it checks itself, so a wrong number is an exit code."""

import re
import subprocess
import sys
import zlib

import numpy as np
import pytest
from amrex import _demo

pytestmark = pytest.mark.partners


def demo(*arguments, cwd):
    command = [sys.executable, "-W", "error", "-m", "amrex", "demo", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@pytest.mark.parametrize(
    ("dim", "size", "grid", "steps"), [(1, 37, 8, 60), (2, 24, 8, 30), (2, 5, 64, 1), (3, 16, 8, 10), (3, 3, 2, 0)]
)
def test_the_demo_agrees_with_plain_numpy(dim, size, grid, steps, tmp_path):
    done = demo("--dim", dim, "--size", size, "--max-grid-size", grid, "--steps", steps, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Everything agrees." in done.stdout
    assert (tmp_path / "demo-output/plt_demo/Header").exists()
    assert (tmp_path / "demo-output/temperature.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    for library in ("numpy", "torch", "jax", "numba", "array_api_strict"):
        assert re.search(rf"^{library} .*same memory +seen", done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize("wrong", [("--size", 0), ("--dim", 4), ("--steps", -1), ("--size", "x"), ("--colour",)])
def test_the_demo_refuses_nonsense(wrong, tmp_path):
    done = demo(*wrong, cwd=tmp_path)
    assert done.returncode == 2
    assert "usage:" in done.stderr


def test_a_difference_is_an_exit_code(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(_demo, "reference", lambda size, dim, steps, r: np.zeros((size, size, 1)))
    code = _demo.main(["--dim", "2", "--size", "8", "--steps", "1", "--output", str(tmp_path)])
    assert code == 1
    assert "Something is wrong" in capsys.readouterr().out


def test_the_hand_written_png_holds_the_picture(tmp_path):
    image = np.arange(12.0).reshape(3, 4)
    _demo.write_png(tmp_path / "a.png", image)
    data = (tmp_path / "a.png").read_bytes()
    assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (32, 24)
    start = data.index(b"IDAT")
    length = int.from_bytes(data[start - 4 : start], "big")
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + length]), np.uint8).reshape(24, 33)
    assert (rows[:, 0] == 0).all()
    assert rows[0, 1] == 0 and rows[-1, -1] == 255
