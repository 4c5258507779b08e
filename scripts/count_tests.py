#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Add up the JUnit reports of a folder, name what was skipped, and close with 'N passed, N failed, N skipped'."""

import pathlib
import sys
import xml.etree.ElementTree as ET
from collections import Counter


def outcome(case: ET.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def main(folder: pathlib.Path) -> int:
    total: Counter[str] = Counter()
    skipped: Counter[tuple[str, str, str]] = Counter()
    for report in sorted(folder.glob("*.xml")):
        counts: Counter[str] = Counter()
        for case in ET.parse(report).iter("testcase"):
            counts[outcome(case)] += 1
            reason = case.find("skipped")
            if reason is not None:
                name = f"{case.get('classname')}::{(case.get('name') or '').partition('[')[0]}"
                skipped[report.stem, name, reason.get("message", "")] += 1
        print(f"{report.stem + ':':15}" + ", ".join(f"{counts[k]} {k}" for k in ("passed", "failed", "skipped")))
        total += counts
    for (stage, name, reason), count in sorted(skipped.items()):
        print(f"skipped in {stage}: {count} of {name}: {reason}")
    print("{} passed, {} failed, {} skipped".format(*(total[k] for k in ("passed", "failed", "skipped"))))
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
