# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Every public function and method of the stubs with bad arguments: a clean exception, or success; nothing changed.

The work is done by bad_calls.py in other processes, so that a crash or a hang is one failure and the rest goes on.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys

import pytest

WORKER = pathlib.Path(__file__).with_name("bad_calls.py")
RUNS = [("3", "running"), ("2", "running"), ("1", "running"), ("3", "before"), ("3", "after")]
CRASHES = 20


def one_process(dim, state, start, folder):
    """(number of the last group, its label, what is wrong, how it ended) of one process."""
    report = folder / "report"
    with report.open("w") as out, (folder / "stderr").open("w") as errors:
        command = [sys.executable, "-W", "ignore", str(WORKER), dim, state, str(start), str(out.fileno())]
        done = subprocess.run(
            command, pass_fds=[out.fileno()], cwd=folder, env={**os.environ, "MALLOC_PERTURB_": "165"}, timeout=600,
            stdout=subprocess.DEVNULL, stderr=errors, check=False,
        )  # fmt: skip
    number, label, wrong, rest = -1, "", [], []
    for line in report.read_text(errors="replace").splitlines():
        if line.startswith("{"):
            wrong.append(json.loads(line))
        elif line[:1].isdigit():
            number, label, rest = int(line.split()[0]), line.split(" ", 1)[1], []
        else:
            rest.append(line)
    told = [*rest[:8], (folder / "stderr").read_text(errors="replace")[-1000:]]
    return number, label, wrong, f"exit status {done.returncode}: " + " | ".join(told)


@pytest.mark.parametrize(("dim", "state"), RUNS)
def test_bad_calls(dim, state, tmp_path):
    start, problems, groups = 0, [], 0
    for turn in range(CRASHES):
        folder = tmp_path / str(turn)
        folder.mkdir()
        groups, label, wrong, end = one_process(dim, state, start, folder)
        problems += [(w["call"], w["wrong"], w.get("arguments", "")) for w in wrong]
        if label == "end":
            break
        problems.append((label, end, ""))
        if groups < start:
            break
        start = groups + 1
    by_kind = collections.defaultdict(list)
    for call, what, arguments in problems:
        by_kind[call, what.splitlines()[0][:300]].append(arguments)
    assert not by_kind, "\n".join(f"{call}: {what} ({', '.join(a[:5])})" for (call, what), a in by_kind.items())
    assert groups > (300 if dim != "3" else 1000)
