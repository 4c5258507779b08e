# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The installed package seen from outside: a C++ program of somebody else's, and the sdist."""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

CMAKE = """
cmake_minimum_required(VERSION 3.24)
project(downstream LANGUAGES CXX)
find_package(zerofab 0.1 CONFIG REQUIRED)
add_executable(downstream main.cpp)
target_link_libraries(downstream PRIVATE zerofab::zerofab)
"""

PROGRAM = """
#include <iostream>
#include "zerofab/device/runtime.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/memory/pod_vector.hpp"
#include "zerofab/mesh/fab_array.hpp"

int main() {
    zerofab::Runtime::initialize();
    const zerofab::Box<3> box({0, 0, 0}, {3, 4, 5});
    std::cout << box.num_pts() << '\\n';
    zerofab::Runtime::finalize();
}
"""


def run(*command, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.package
def test_a_downstream_project_builds_against_the_installed_library(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "main.cpp").write_text(PROGRAM)
    folder = run(sys.executable, "-m", "amrex", "--cmake-dir").strip()
    configured = run("cmake", "-G", "Ninja", "-B", "build", f"-Dzerofab_ROOT={folder}", cwd=tmp_path)
    assert "Warning" not in configured
    run("cmake", "--build", "build", cwd=tmp_path)
    assert run(tmp_path / "build/downstream").strip() == "120"


@pytest.mark.package
def test_the_sdist_holds_what_a_build_and_a_reader_need(tmp_path):
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, ROOT)
    (archive,) = tmp_path.glob("zerofab-*.tar.gz")
    with tarfile.open(archive) as sdist:
        names = {pathlib.PurePosixPath(*pathlib.PurePosixPath(n).parts[1:]).as_posix() for n in sdist.getnames()}
    for name in (
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "scripts/test",
        "tests/python/conftest.py",
        "docs/zero-copy.md",
    ):
        assert name in names
    assert not [name for name in names if name.startswith((".ci", "build", "benchmarks/results"))]
