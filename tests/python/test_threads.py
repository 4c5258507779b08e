# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Operations that release the GIL against structural changes in other threads: a result, or a clean exception.

In a process of its own for each pair, so that a crash is one failure.
"""

import os
import subprocess
import sys
import textwrap

import pytest
from said import of_ours

HEAD = """
import faulthandler, sys, threading, time
faulthandler.enable()
faulthandler.dump_traceback_later(60, exit=True)
sys.setswitchinterval(1e-5)
import amrex.space3d as amr
import numpy as np
amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])

def layout(n, chunk):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(n - 1)))
    boxes.max_size(chunk)
    return boxes, amr.DistributionMapping(boxes)

LAYOUTS = [layout(16, 8), layout(24, 8), layout(16, 16), layout(8, 4)]
period = amr.Periodicity(amr.IntVect(16))

def field(which=0, value=1.0):
    m = amr.MultiFab(*LAYOUTS[which], 2, 1)
    m.set_val(value)
    return m

m, other = field(), field(value=2.0)
geometry = amr.Geometry(amr.Box(amr.IntVect(0), amr.IntVect(15)), amr.RealBox([0.0] * 3, [1.0] * 3), 0, [1] * 3)
v = amr.PODVector_real_arena.from_array(np.full(20000, 1.0))
w = amr.PODVector_real_arena.from_array(np.full(20000, 2.0))
fab = amr.FArrayBox(amr.Box(amr.IntVect(0), amr.IntVect(31)), 1)
stop = time.monotonic() + 0.3
failures, done, refused = [], [0], [0]

def loop(function):
    def run():
        turn = 0
        while time.monotonic() < stop:
            try:
                function(turn)
                done[0] += 1
            except (ValueError, IndexError, RuntimeError, TypeError, BufferError, OSError):
                refused[0] += 1
            except BaseException as error:
                failures.append(repr(error))
                return
            turn += 1
    return run

def good(number, *allowed):
    if number not in allowed:
        raise AssertionError(f"{number} is none of {allowed}")
"""
WORK = {
    "fill_boundary": "m.fill_boundary(period)",
    "sum_boundary": "m.sum_boundary(period)",
    "sum": "good(type(m.sum(0)), float)",  # any value: define() leaves memory as it is until set_val()
    "set_val": "m.set_val(3.0)",
    "plus": "m.plus(other, 0, 1, 0)",
    "copy_mfab": "amr.copy_mfab(m, other, 0, 0, 1, 0)",
    "parallel_copy": "m.parallel_copy(other)",
    "read by index": "m[...]",
    "write by index": "m[0:8, 0:8, 0:8] = 3.0",
    "one cell": "m[1, 1, 1]",
    "norms": "m.norm0(0), m.norm2(0), m.min(0), m.max(0)",
    "views": "[a.sum() for a in m.to_numpy()]",
    "exports": "[np.from_dlpack(m.array(step)).sum() for step in m]",
    "copies": "[a.sum() for a in m.to_numpy(copy=True)]",
    "plotfile": "amr.write_single_level_plotfile(f'plt{threading.get_ident()}', m, ['a', 'b'], geometry, 0.0, t)",
    "copy_from": "v.copy_from(w)",
    "from_array": "amr.PODVector_real_arena.from_array(v)",
    "vector copy": "v.to_host(), v.to_numpy(copy=True).sum(), np.from_dlpack(v).sum()",
    "vector copies": "v.__dlpack__(copy=True), amr.PODVector_real_std(v), amr.PODVector_real_polymorphic(v)",
    "fab copy": "fab.to_numpy(copy=True).sum(), fab.__dlpack__(copy=True), fab.to_host()",
}
VECTOR_WORK = "copy_from", "from_array", "vector copy", "vector copies"
CHANGE = {
    "clear": "m.clear(); m.define(*LAYOUTS[0], 2, amr.IntVect(1)); m.set_val(1.0)",
    "define": "m.define(*LAYOUTS[t % 4], 1 + t % 2, amr.IntVect(t % 2 + 1)); m.set_val(1.0)",
    "swap": "globals().__setitem__('m', field(t % 4))",
    "regrid": "n = field(t % 4); n.parallel_copy(m); globals().__setitem__('m', n)",
    "both change": "m.set_val(5.0)",
}
VECTOR_CHANGE = {
    "clear": "v.clear(); v.resize(20000)",
    "resize": "v.resize(1 + t * 977 % 40000)",
    "grow": "v.push_back(1.0); w.pop_back(); w.resize(20000)",
    "shrink": "v.resize(10); v.shrink_to_fit(); v.resize(20000, 1.0)",
    "swap": "global v; v = amr.PODVector_real_arena(w)",
}
FAB_CHANGE = {
    "resize": "fab.resize(amr.Box(amr.IntVect(0), amr.IntVect(15 + t % 2 * 32)), 1 + t % 2)",
    "clear": "fab.clear(); fab.resize(amr.Box(amr.IntVect(0), amr.IntVect(31)))",
    "write": "fab.to_numpy()[...] = 2.0",
}


@pytest.mark.parametrize("work", WORK)
def test_changes_in_other_threads(work, tmp_path):
    changes = FAB_CHANGE if work == "fab copy" else VECTOR_CHANGE if work in VECTOR_WORK else CHANGE
    body = HEAD
    for number, (name, change) in enumerate(changes.items()):
        body += textwrap.dedent(
            f"""
            def work{number}(t):
                {WORK[work]}
            def change{number}(t):
                {change}
            stop = time.monotonic() + 0.25
            jobs = work{number}, work{number}, change{number}, change{number}
            threads = [threading.Thread(target=loop(job)) for job in jobs]
            [t.start() for t in threads]
            [t.join() for t in threads]
            assert not failures, ({name!r}, failures)
            """
        )
    body += "assert done[0] > 10, (done, refused)\namr.finalize()\nprint('END')\n"
    done = subprocess.run(
        [sys.executable, "-c", body], capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path,
        env={**os.environ, "MALLOC_PERTURB_": "165", "OMP_NUM_THREADS": "2"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "END\n"), done.stderr[-3000:]


DAEMONS = {
    "a field": "m.sum(0), m.fill_boundary(period)",
    "a file": "amr.VisMF.Write(m, folder + f'/m{number}')",
    "one field for all": "m.set_val(float(number)), m.saxpy(1.0, other, 0, 0, 2, 0)",
    "global indexing": "m[...]",
}


@pytest.mark.parametrize("work", DAEMONS)
def test_daemon_threads_at_the_end_of_the_interpreter(work, tmp_path):
    """They come back from work without the GIL when there is no interpreter any more: the process ends as it should."""
    script = f"""
folder = {str(tmp_path)!r}
def forever(number):
    while True:
        {DAEMONS[work]}
for number in range(4):
    threading.Thread(target=forever, args=(number,), daemon=True).start()
time.sleep(0.1)
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", HEAD + script], capture_output=True, text=True, timeout=100)
        assert done.returncode == 0 and not of_ours(done.stderr), done.stderr[-2000:]
