# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Freed memory of the host that is kept for later: how much, for whom, and how it goes back."""

import pathlib
import subprocess
import sys
import threading

import amrex.space3d as amr
import numpy as np
import pytest
from devices import host_only

pytestmark = host_only
MIB = 1 << 20


@pytest.fixture
def run():
    """Start a run that keeps so many bytes."""

    def start(threshold):
        amr.initialize([f"amrex.the_arena_release_threshold={threshold}"])
        assert amr.The_Arena().kept_bytes == 0

    yield start
    if amr.initialized():
        amr.finalize()


def field(cells=64, box=32, value=None):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0, 0, 0), amr.IntVect(cells - 1, cells - 1, cells - 1)))
    boxes.max_size(box)
    made = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    if value is not None:
        made.set_val(value)
    return made


def addresses(made):
    return sorted(made.array(mfi).to_numpy().ctypes.data for mfi in made)


def test_a_field_gets_the_memory_of_the_one_before(run):
    run(64 * MIB)
    first = field(value=1.0)
    where, bytes_of = addresses(first), 8 * 64**3
    first.clear()
    kept = amr.The_Arena().kept_bytes
    assert bytes_of <= kept <= 1.2 * bytes_of
    assert amr.The_Pinned_Arena().kept_bytes == kept  # all arenas of the host together
    second = field(value=2.0)
    assert addresses(second) == where and amr.The_Arena().kept_bytes == 0
    assert f"{amr.The_Arena().kept_bytes} bytes kept" in amr.The_Arena().usage()


def test_views_keep_their_memory_from_the_next_one(run):
    run(64 * MIB)
    first = field(value=1.0)
    views = [first.array(mfi).to_numpy() for mfi in first]
    first.clear()
    assert amr.The_Arena().kept_bytes == 0
    second = field(value=2.0)
    assert all((view == 1.0).all() for view in views) and second.max(0) == second.min(0) == 2.0
    assert not {view.ctypes.data for view in views} & set(addresses(second))
    views.clear()
    assert amr.The_Arena().kept_bytes >= 8 * 64**3


def test_trim_says_what_it_gave_back(run):
    run(64 * MIB)
    field(value=1.0).clear()
    kept = amr.The_Arena().kept_bytes
    before = resident()
    assert amr.The_Managed_Arena().trim() == kept > 2 * MIB
    assert amr.The_Arena().kept_bytes == 0 and amr.The_Arena().trim() == 0
    assert resident() < before - kept // 2


def resident():
    """Bytes of this process in memory."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("threshold", [0, MIB, 3 * MIB, 2**62])
def test_the_threshold_bounds_what_is_kept(run, threshold):
    run(threshold)
    rng = np.random.default_rng(threshold % 97)
    alive = []
    for size in rng.integers(1, 200_000, 200):
        alive.append(amr.PODVector_real_std(int(size)))
        if len(alive) > 5:
            alive.pop(int(rng.integers(5)))
        assert amr.The_Arena().kept_bytes <= threshold
    alive.clear()
    assert (amr.The_Arena().kept_bytes > 0) == (threshold > 0)


def test_finalize_gives_all_back(run):
    run(64 * MIB)
    made = field(value=3.0)
    view = next(made.array(mfi).to_numpy() for mfi in made)
    made.clear()
    assert amr.The_Arena().kept_bytes > 0
    amr.finalize()
    assert amr.The_Arena().kept_bytes == 0 and (view == 3.0).all()


@pytest.mark.parametrize("text", ["-1", "many", "1.5"])
def test_a_threshold_that_is_none(text):
    with pytest.raises(ValueError, match="the_arena_release_threshold"):
        amr.initialize([f"amrex.the_arena_release_threshold={text}"])
    assert not amr.initialized()


def test_threads_make_fields_of_the_same_sizes(run):
    run(32 * MIB)
    wrong = []

    def work(value):
        for _ in range(30):
            made = field(cells=32, box=16, value=value)
            if made.min(0) != value or made.max(0) != value:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(float(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [] and 0 < amr.The_Arena().kept_bytes <= 32 * MIB


def child(body):
    return subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False, timeout=120)


def test_a_forked_child_uses_what_was_kept():
    done = child("""
import os, amrex.space3d as amr
amr.initialize(["amrex.the_arena_release_threshold=100000000"])
vector = amr.PODVector_real_std(1_000_000)
vector.assign(1.0)
amr.PODVector_real_std(1_000_000)
if (pid := os.fork()) == 0:
    own = amr.PODVector_real_std(1_000_000)
    own.assign(2.0)
    ok = amr.The_Arena().kept_bytes == 0 and vector[999_999] == 1.0 and own[0] == 2.0
    del own
    os._exit(0 if ok and amr.The_Arena().trim() > 0 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert amr.The_Arena().kept_bytes > 0 and vector[0] == 1.0
""")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif("asan" in pathlib.Path("/proc/self/maps").read_text(), reason="needs a bounded address space")
def test_what_is_kept_is_given_back_before_a_memory_error():
    done = child("""
import resource, amrex.space3d as amr
amr.initialize(["amrex.the_arena_release_threshold=4000000000"])
for megabytes in range(20, 52, 4):
    amr.PODVector_real_std(megabytes * 131072)
kept = amr.The_Arena().kept_bytes
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (32 << 20),) * 2)
large = amr.PODVector_real_std(200 * 131072)
assert kept > 250 << 20 and amr.The_Arena().kept_bytes == 0 and large.size() == 200 * 131072
try:
    amr.PODVector_real_std(400 * 131072)
except MemoryError:
    print("refused")
""")
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


@pytest.mark.skipif("asan" in pathlib.Path("/proc/self/maps").read_text(), reason="keeps nothing by itself there")
def test_memory_that_comes_again_faults_no_pages(run):
    import resource

    run(1 << 30)
    made = [amr.PODVector_real_std(200_000) for _ in range(20)]
    for vector in made:
        vector.assign(1.0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        del made[:]
        made = [amr.PODVector_real_std(200_000) for _ in range(20)]
        for vector in made:
            vector.assign(2.0)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000  # each time 8000 without the pool
