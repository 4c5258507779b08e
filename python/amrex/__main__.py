# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""``python -m amrex``: what is installed here, and on which devices it can run; ``python -m amrex demo`` shows it."""

import argparse
import importlib
import importlib.metadata
import pathlib
import platform
import sys

PACKAGE = pathlib.Path(__file__).absolute().parent
# What a device needs beside this package; the search itself belongs to the device backends.
LIBRARIES = ("numpy", "torch", "jax", "numba", "cupy", "dpnp", "mpi4py")


def version() -> str:
    try:
        return importlib.metadata.version("zerofab")
    except importlib.metadata.PackageNotFoundError:
        return "unknown (not installed by pip)"


def library_line(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def report() -> str:
    """Version, build, devices found or why not, and the array libraries beside us."""
    from amrex import _core

    lines = [
        f"zerofab {version()}, Python {platform.python_version()}, {platform.machine()}, {PACKAGE}",
        f"library: {next((p.name for p in sorted(PACKAGE.glob('lib/libzerofab.so*'))), 'not found')}",
    ]
    lines += [f"build:   {line}" for line in _core._build_info()]
    lines += [f"device:  {line}" for line in _core._device_report()]
    lines += [f"{name + ':':<9}{library_line(name)}" for name in LIBRARIES]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["demo"]:
        from amrex import _demo

        return _demo.main(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m amrex", description=__doc__)
    parser.add_argument("--version", action="store_true", help="the version alone")
    parser.add_argument("--cmake-dir", action="store_true", help="the folder of the installed CMake package")
    parser.add_argument("--include-dir", action="store_true", help="the folder of the installed C++ headers")
    parser.add_argument("command", nargs="?", choices=["demo"], help="demo: the heat equation (demo --help says more)")
    given = parser.parse_args(arguments)
    if given.version:
        print(version())
    elif given.cmake_dir:
        print(PACKAGE / "lib" / "cmake" / "zerofab")
    elif given.include_dir:
        print(PACKAGE / "include")
    else:
        print(report())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
