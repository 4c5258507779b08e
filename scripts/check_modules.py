#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Enforce the order of the modules: an include goes to a module above, Python and macros stay where they belong.

Rules, for include/zerofab/MODULE, src/MODULE, tests/cpp/MODULE and python/bindings/MODULE:
  1. a file of a module includes only modules before it in MODULES (tests: all); bindings include all modules,
     and of each other those that stand before them in BINDING_MODULES;
  2. Python.h, nanobind and NumPy's headers are included below python/bindings only;
  3. #define stands in base/export.hpp, base/instantiate.hpp and in the kernel layer only (and as ZEROFAB_INSTANTIATE at
     the end of a .cpp);
  4. no file is longer than 800 lines, and each opens with the two SPDX lines.
"""

import pathlib
import re
import sys

MODULES = ("base", "index", "device", "memory", "exchange", "comm", "mesh", "halo", "amr", "particles", "io")
BINDING_MODULES = ("base", "exchange", "memory", "index", "mesh", "halo", "particles", "io", "run")
LONGEST = 800
MACRO_HOMES = re.compile(
    r"^(include/zerofab/base/(export|instantiate)\.hpp|kernels/.*|src/device/(host|cuda|hip|sycl)/.*|tests/cpp/main\.cpp)$"
)
BINDINGS = "python/bindings/"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)")
PYTHON_HEADER = re.compile(r"^(Python\.h|nanobind/|numpy/|pybind11/)")
# What a C library asks to be defined before its header is included.
OUTSIDE_SWITCHES = {
    "NPY_NO_DEPRECATED_API",
    "NPY_TARGET_VERSION",
    "NO_IMPORT_ARRAY",
    "PY_ARRAY_UNIQUE_SYMBOL",
    "PY_SSIZE_T_CLEAN",
}


def module_of(path: str) -> str | None:
    """The module whose order binds this file, or None where all modules are open."""
    parts = path.split("/")
    if parts[:2] == ["include", "zerofab"]:
        return parts[2]
    return parts[1] if parts[0] == "src" else None


def binding_room_of(path: str) -> str | None:
    """The folder of bindings that this file is in, or None for other files and those above the folders."""
    parts = path.removeprefix(BINDINGS).split("/")
    return parts[0] if path.startswith(BINDINGS) and len(parts) > 1 else None


def instantiates(path: str, macro: str) -> bool:
    """Whether this macro is the list of explicit instantiations that a .cpp of the library may end with."""
    return macro == "ZEROFAB_INSTANTIATE" and path.startswith(("src/", BINDINGS)) and path.endswith(".cpp")


def before(module: str | None, target: str | None, order: tuple[str, ...]) -> bool:
    """Whether both are in the order, and `module` comes before `target`, which it may therefore not include."""
    return module in order and target in order and order.index(module) < order.index(target)


def violations(path: str, text: str) -> list[str]:
    """Everything wrong with one file, as 'line: what'."""
    found = []
    lines = text.splitlines()
    module = module_of(path)
    if module is not None and module not in MODULES:
        found.append(f"1: no module '{module}': {', '.join(MODULES)}")
        module = None
    binding = binding_room_of(path)
    if binding is not None and binding not in BINDING_MODULES:
        found.append(f"1: no folder '{binding}' of bindings: {', '.join(BINDING_MODULES)}")
        binding = None
    if not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in lines[:3]):
        found.append("1: does not open with the two SPDX lines")
    if len(lines) > LONGEST:
        found.append(f"{len(lines)}: more than {LONGEST} lines")
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include:
            header = include[1]
            folders = header.removeprefix("zerofab/").split("/")
            target = folders[0] if len(folders) > 1 else None
            if before(module, target, MODULES):
                found.append(f"{number}: module {module} includes {header}, of the lower module {target}")
            if not header.startswith("zerofab/") and before(binding, target, BINDING_MODULES):
                found.append(f"{number}: bindings of {binding} include {header}, of the lower {target}")
            if PYTHON_HEADER.match(header) and not path.startswith(BINDINGS):
                found.append(f"{number}: {header} belongs to {BINDINGS}")
        define = DEFINE.match(line)
        if (
            define
            and not MACRO_HOMES.match(path)
            and define[1] not in OUTSIDE_SWITCHES
            and not instantiates(path, define[1])
        ):
            found.append(f"{number}: macro {define[1]}: write a function or a constant")
    return found


def sources(root: pathlib.Path) -> list[pathlib.Path]:
    folders = ("include", "src", "kernels", "python/bindings", "tests/cpp", "benchmarks")
    return [
        p for f in folders for p in sorted((root / f).rglob("*")) if p.suffix in (".hpp", ".cpp", ".h", ".cl", ".inc")
    ]


def python_sources(root: pathlib.Path) -> list[pathlib.Path]:
    folders = ("python/amrex", "tests/python", "benchmarks", "scripts")
    return [p for f in folders for p in sorted((root / f).rglob("*.py"))]


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    count, wrong = 0, 0
    for path in sources(root) + python_sources(root):
        count += 1
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        for message in violations(name, text):
            wrong += 1
            print(f"{name}:{message}")
    print(f"modules: {count} files, {wrong} violations")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
