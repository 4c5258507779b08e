#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Make a folder hold what an sdist holds, rewriting only files that differ, so that a build in it is incremental."""

import pathlib
import sys
import tarfile


def main(archive: str, folder: pathlib.Path) -> int:
    wanted: set[pathlib.Path] = set()
    changed = 0
    with tarfile.open(archive) as sdist:
        for member in sdist:
            name = pathlib.PurePosixPath(member.name)
            if not member.isfile() or ".." in name.parts:
                continue
            path = folder.joinpath(*name.parts[1:])
            wanted.add(path)
            stream = sdist.extractfile(member)
            data = stream.read() if stream else b""
            if not path.exists() or path.read_bytes() != data:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                changed += 1
    stale = [path for path in folder.rglob("*") if path.is_file() and path not in wanted]
    for path in stale:
        path.unlink()
    print(f"{len(wanted)} files in the sdist, {changed} changed, {len(stale)} removed")
    return 0 if wanted else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
