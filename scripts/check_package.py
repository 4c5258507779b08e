#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Look into a wheel: what it must hold, what it links, and which systems it runs on (auditwheel's word)."""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

from elftools.elf.elffile import ELFFile

MUST_HOLD = (
    r"amrex/__init__\.py",
    r"amrex/py\.typed",
    r"amrex/_core/__init__\.pyi",
    r"amrex/space[123]d/__init__\.pyi",
    r"amrex/space[123]d/amrex_[123]d_pybind/__init__\.py",
    r"amrex/_core\..*\.so",
    r"amrex/lib/libzerofab\.so\.\d+",
    r"amrex/lib/cmake/zerofab/zerofabConfig\.cmake",
    r"amrex/lib/cmake/zerofab/zerofabTargets\.cmake",
    r"amrex/include/zerofab/base/export\.hpp",
    r"amrex/include/zerofab/mesh/fab_array\.hpp",
    r"zerofab-.*\.dist-info/licenses/LICENSE",
)
# Vendor libraries are opened at run time; nothing beyond these may be linked.
MAY_LINK = re.compile(r"^(libzerofab|libstdc\+\+|libm|libgcc_s|libc|libpthread|libdl|librt|ld-linux-x86-64)\.so\.\d+$")
RPATHS = {"_core": "$ORIGIN/lib", "libzerofab": ""}


def dynamic_tags(path: pathlib.Path) -> tuple[list[str], str, set[str]]:
    """The libraries that a shared object needs, its run path, and the versioned symbols that it asks for."""
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        needed, run_path = [], ""
        for tag in elf.get_section_by_name(".dynamic").iter_tags():
            if tag.entry.d_tag == "DT_NEEDED":
                needed.append(tag.needed)
            elif tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
                run_path = tag.rpath if tag.entry.d_tag == "DT_RPATH" else tag.runpath
        versions = set()
        section = elf.get_section_by_name(".gnu.version_r")
        for _, symbols in section.iter_versions() if section else ():
            versions |= {symbol.name for symbol in symbols}
    return needed, run_path, versions


def highest(versions: set[str], family: str) -> str:
    found = [tuple(map(int, v.split("_")[1].split("."))) for v in versions if re.fullmatch(family + r"_[\d.]+", v)]
    return family + "_" + ".".join(map(str, max(found))) if found else "none"


def main(wheel: str) -> int:
    wrong: list[str] = []
    versions: set[str] = set()
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as place:
        names = archive.namelist()
        wrong += [f"the wheel lacks {p}" for p in MUST_HOLD if not any(re.fullmatch(p, n) for n in names)]
        libraries = [n for n in names if re.search(r"\.so(\.\d+)*$", n)]
        if len(libraries) != 2:
            wrong.append(f"one module and one library are expected, not {libraries}")
        for name in libraries:
            needed, run_path, asked = dynamic_tags(pathlib.Path(archive.extract(name, place)))
            versions |= asked
            stem = pathlib.PurePath(name).name.partition(".")[0]
            wrong += [f"{name} links {library}" for library in needed if not MAY_LINK.match(library)]
            if run_path != RPATHS.get(stem):
                wrong.append(f"{name}: run path '{run_path}', expected '{RPATHS.get(stem)}'")
            print(f"{name}: links {', '.join(needed)}; run path '{run_path}'")
    audit = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=False
    )
    tag = re.search(r'"(manylinux_\d+_\d+_\w+)"', audit.stdout.replace("\n", " "))
    if audit.returncode or not tag:
        wrong.append(f"auditwheel refuses the wheel: {audit.stdout}{audit.stderr}")
    print(f"auditwheel: {tag[1] if tag else 'refused'}; {highest(versions, 'GLIBC')}, {highest(versions, 'GLIBCXX')}")
    print(f"{pathlib.Path(wheel).name}: {pathlib.Path(wheel).stat().st_size / 1e6:.1f} MB, {len(names)} files")
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
