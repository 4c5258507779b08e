# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Views stay valid whatever happens to their containers: every container, protocol and change (see safety_matrix.py).

One process per group of containers, started anew behind a case that killed it.
"""

import os
import pathlib
import subprocess
import sys

import amrex.space3d as amr
import pytest
import safety_matrix
from said import of_ours

WORKER = pathlib.Path(safety_matrix.__file__)


def process(*arguments):
    return subprocess.run(
        [sys.executable, str(WORKER), *arguments],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "MALLOC_PERTURB_": "165"},
    )  # fmt: skip


@pytest.mark.parametrize("group", safety_matrix.GROUPS)
def test_views_stay_valid(group):
    wrong, begin = [], 0
    for _ in range(5):
        done = process(group, str(begin))
        lines = done.stdout.splitlines()
        wrong += [line for line in lines if line.startswith("FAILED")]
        numbered = [line for line in lines if line[:1].isdigit()]
        if "END" in lines and done.returncode == 0:
            break
        wrong.append(
            f"status {done.returncode} at or after {numbered[-1] if numbered else 'start'}: {done.stderr[-1500:]}"
        )
        if not numbered or "END" in lines:
            break
        begin = int(numbered[-1].split()[0]) + 1
    assert not wrong, f"{len(wrong)} wrong:\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("group", safety_matrix.GROUPS)
def test_interpreter_exit(group):
    done = process(group, "leave")
    assert (done.returncode, done.stdout, of_ours(done.stderr)) == (0, "END\n", "")


def test_every_exporter_is_in_the_matrix(amr3):
    made = {type(make(cls, 5)[1]) for group in safety_matrix.GROUPS.values() for make, cls in group.values()}
    missing = [n for n, c in safety_matrix.concrete(amr.Exporter).items() if not any(issubclass(m, c) for m in made)]
    assert not missing, f"no case makes an object of {missing}: add them to safety_matrix.py"


def test_every_family_of_particles_is_in_the_matrix():
    made = {cls for group in safety_matrix.GROUPS.values() for _, cls in group.values()}
    for family in ("ParticleTile", "ParticleContainer", "StructOfArrays", "ArrayOfStructs"):
        names = [cls.__name__ for cls in made if issubclass(cls, getattr(amr, family))]
        for place in safety_matrix.PLACES:
            assert any(name.endswith(place) for name in names), f"no {family} in {place} memory"
