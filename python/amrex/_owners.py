# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Whether this package shares its folder with pyAMReX, which installs a package `amrex` too."""

import importlib
import os
import sys
from typing import Any

_THEIRS = ("extensions", "_module_api.py", "_dll.py")  # in amrex/, beside what both have


def is_shared(folder: str, space: str = "") -> bool:
    """Whether files of pyAMReX are in the folder of the package, or in that of a space."""
    if space:
        return any(name.startswith("amrex_") and name.endswith((".so", ".pyd", ".dylib")) for name in _names(space))
    return not _names(folder).isdisjoint(_THEIRS)


def _names(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:  # a zip file: nobody else can be in it
        return set()


def _distributions(folder: str) -> list[str]:
    """The distributions that say that they own files in this folder."""
    found = set()
    metadata: Any = importlib.import_module("importlib.metadata")  # slow to load: only where it is needed
    for distribution in metadata.distributions():
        mine = any(
            file.parts[0] == "amrex" and len(file.parts) > 1 and file.suffix in (".py", ".so", ".pyd")
            for file in distribution.files or ()
        )
        name = distribution.metadata["Name"]
        if mine and name and os.path.realpath(distribution.locate_file("amrex")) == os.path.realpath(folder):
            found.add(str(name))
    return sorted(found)


def refuse(folder: str) -> None:
    """ImportError that names both distributions and what to do."""
    try:
        names = _distributions(folder)
    except Exception:  # damaged metadata must not hide what is wrong
        names = []
    others = [name for name in names if name.lower() != "zerofab"]
    theirs = ", ".join(others) or "pyamrex, or a package that brings it such as impactx"
    remove = " ".join(["zerofab", *(others or ["pyamrex"])])
    raise ImportError(
        f"two distributions have installed a package 'amrex' into the same folder {folder}: zerofab and pyAMReX "
        f"({theirs}), so that each has overwritten files of the other. Uninstall both, "
        f"`{os.path.basename(sys.executable) or 'python'} -m pip uninstall {remove}`, then install the one that you "
        "want, or each in an environment of its own."
    )


def refuse_pyamrex(module: str) -> None:
    """ImportError for the import of pyAMReX's compiled module `amrex.space3d.amrex_3d_pybind` and its like."""
    space = os.path.dirname(os.path.abspath(sys.modules[module].__path__[0]))
    folder = os.path.dirname(space)
    if is_shared(folder) or is_shared(folder, space):
        refuse(folder)
    raise ImportError(f"{module} is a part of pyAMReX, and this package is zerofab: import {module.rpartition('.')[0]}")
