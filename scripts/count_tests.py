#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Add up the JUnit reports of a folder, name what was skipped or failed, close with 'N passed, N failed, N skipped'."""

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
    failures: list[str] = []
    for report in sorted(folder.glob("*.xml")):
        counts: Counter[str] = Counter()
        for case in ET.parse(report).iter("testcase"):
            counts[outcome(case)] += 1
            if outcome(case) == "failed":
                why = [part.get("message") or part.text or "" for part in case if part.tag in ("failure", "error")]
                failures.append(f"failed in {report.stem}: {case.get('name')}: {' '.join(' '.join(why).split())[:300]}")
            elif (reason := case.find("skipped")) is not None:
                name = f"{case.get('classname')}::{(case.get('name') or '').partition('[')[0]}"
                skipped[report.stem, name, reason.get("message", "")] += 1
        print(f"{report.stem + ':':15}" + ", ".join(f"{counts[k]} {k}" for k in ("passed", "failed", "skipped")))
        total += counts
    for (stage, name, text), count in sorted(skipped.items()):
        print(f"skipped in {stage}: {count} of {name}: {text}")
    print(*failures, sep="\n", end="\n" if failures else "")
    print("{} passed, {} failed, {} skipped".format(*(total[k] for k in ("passed", "failed", "skipped"))))
    return 0 if total["passed"] and not total["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
