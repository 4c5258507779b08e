# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What takes long lets other Python threads run meanwhile: copies of much memory, particles on their way to boxes."""

import copy
import pickle
import sys
import threading
import time

import numpy as np
import pytest
from devices import host_only

pytestmark = host_only
MANY = 1 << 21


def others_run_during(work, seconds=20.0):
    """Whether another thread runs before `work` has returned, though this one never offers the lock by itself.

    On a busy machine it may wake too late: then once more.
    """
    interval = sys.getswitchinterval()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        gate, ran = threading.Lock(), []

        def other(gate=gate, ran=ran):
            with gate:
                ran.append(True)

        gate.acquire()
        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.005)  # it waits at the gate
        try:
            sys.setswitchinterval(1000.0)
            gate.release()
            work()
            seen = bool(ran)
        finally:
            sys.setswitchinterval(interval)
        thread.join()
        if seen:
            return True
    return False


@pytest.fixture
def vector(amr3):
    return amr3.PODVector_real_std.from_array(np.arange(float(MANY)))


COPIES = {
    "to_numpy": lambda amr, v: v.to_numpy(copy=True),
    "to_xp": lambda amr, v: v.to_xp(copy=True),
    "dlpack": lambda amr, v: v.__dlpack__(copy=True),
    "versioned dlpack": lambda amr, v: v.__dlpack__(copy=True, max_version=(1, 0)),
    "array": lambda amr, v: v.__array__(copy=True),
    "copy": lambda amr, v: copy.copy(v),
    "from_array": lambda amr, v: amr.PODVector_real_std.from_array(v),
    "copy_from": lambda amr, v: v.copy_from(v),
    "to_host": lambda amr, v: v.to_host(),
    "to_device": lambda amr, v: v.to_device(),
    "another vector": lambda amr, v: amr.PODVector_real_polymorphic(v),
}


@pytest.mark.parametrize("work", COPIES)
def test_copies_of_a_vector(amr3, vector, work):
    assert others_run_during(lambda: COPIES[work](amr3, vector))
    small = amr3.PODVector_real_std.from_array([1.0, 2.0])
    assert not others_run_during(lambda: COPIES[work](amr3, small), seconds=0.05)  # not worth while


def test_copies_of_fields(amr):
    n = {1: 1 << 21, 2: 1 << 11, 3: 1 << 7}[amr.Config.spacedim]
    domain = amr.Box(amr.IntVect(0), amr.IntVect(n - 1))
    boxes = amr.BoxArray(domain)
    boxes.max_size(n // 4)  # each a smaller copy
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    field.set_val(3.0)
    assert others_run_during(lambda: field.to_numpy(copy=True))
    assert all((a == 3).all() for a in field.to_numpy(copy=True))
    fab = amr.FArrayBox(domain, 1)
    fab.to_numpy()[...] = 4.0
    for take in (lambda: fab.to_numpy(copy=True), lambda: fab.array().to_numpy(copy=True), lambda: fab.to_host(),
                 lambda: fab.array().__dlpack__(copy=True), lambda: pickle.dumps(fab, 5)):  # fmt: skip
        assert others_run_during(take)
    assert (fab.to_host().to_numpy() == 4).all()


def test_a_copy_is_of_the_memory_that_the_vector_had(amr3, vector):
    """Another thread resizes the vector while it is being copied: the copy has all elements of one of its states."""
    stop = threading.Event()

    def resize():
        while not stop.is_set():
            vector.resize(5)
            vector.shrink_to_fit()
            vector.resize(MANY, 1.0)

    thread = threading.Thread(target=resize)
    thread.start()
    try:
        for _ in range(40):
            for made in (vector.to_numpy(copy=True), vector.to_host().to_numpy()):
                assert made.size in (5, MANY)
                assert made[:5].tolist() == [0, 1, 2, 3, 4]
                assert made[5:].size == 0 or (made[5:] == 1).all() or (made[5:] == np.arange(5.0, MANY)).all()
    finally:
        stop.set()
        thread.join()


def test_particles_on_their_way_to_boxes(amr, tmp_path):
    dim = amr.Config.spacedim
    box = amr.Box(amr.IntVect(0), amr.IntVect(15))
    geometry = amr.Geometry(box, amr.RealBox([0.0] * dim, [1.0] * dim), 0, [1] * dim)
    boxes = amr.BoxArray(box)
    boxes.max_size(4)
    kind = getattr(amr, f"ParticleContainer_pureSoA_{dim}_0_default")
    made = kind(geometry, amr.DistributionMapping(boxes), boxes)
    init = getattr(amr, f"ParticleInitType_pureSoA_{dim}_0")()
    made.init_random(100_000, 1, init, False, geometry.prob_domain)
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    field.set_val(0.0)
    name = str(tmp_path / "plt")
    amr.write_single_level_plotfile(name, field, ["a"], geometry, 0.0, 0)
    made.write_plotfile(name, "p")

    def fresh():
        return kind(geometry, amr.DistributionMapping(boxes), boxes)

    again = fresh()
    again.restart(name, "p")
    assert again.total_number_of_particles() == 100_000
    tile = next(iter(made.get_particles(0).values()))
    for work in (lambda: fresh().restart(name, "p"), lambda: fresh().add_particles_at_level(tile, 0)):
        assert others_run_during(work)
