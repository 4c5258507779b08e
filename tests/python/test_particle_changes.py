# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Particles that change while others work on them, that would be lost in silence, and that are written by name."""

import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from devices import ON_HOST, host, host_only
from test_particles import LEGACY, PURE, container, everything, layout

# ---- threads

RACE = """
import threading, time
import numpy as np
import amrex.space3d as amr

amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])
domain = amr.Box([0, 0, 0], [15, 15, 15])
boxes = amr.BoxArray(domain)
boxes.max_size(8)
geometry = amr.Geometry(domain, amr.RealBox([0.0] * 3, [1.0] * 3), 0, [1, 1, 1])
pc = amr.ParticleContainer_{kind}_default(geometry, amr.DistributionMapping(boxes), boxes)
pc.init_random(60_000, 1, amr.ParticleInitType_{kind}(), False, geometry.prob_domain)
tile = pc.get_particles(0)[0, 0]
model = tile[0]
single = amr.ParticleTile_{kind}_default()
single.push_back(model)
first, done, refused, stop = pc.size, [0], 0, threading.Event()


def shrink():
    if tile.size < 2:
        raise RuntimeError
    tile.resize(tile.size - 1)


def act():
    {action}


def change():
    while not stop.is_set():
        try:
            act()
            done[0] += 1
        except RuntimeError:
            pass


thread = threading.Thread(target=change)
thread.start()
end = time.time() + 1.2
calls = 0
while time.time() < end or calls < 3:
    calls += 1
    for pti in pc.iterator(level=0):
        x = pti["x"]
        x[:] = (x + 0.37) % 1
    try:
        {operation}
    except RuntimeError as error:
        assert "changed by another thread" in str(error), error
        refused += 1
stop.set()
thread.join()
for pti in pc.iterator(level=0):  # components as long as each other
    assert len({{len(column) for column in pti.particle_tile().exporters().values()}}) == 1
expected = first + {sign} * done[0]
assert pc.size == expected, (pc.size, expected, refused)
pc.redistribute()
assert pc.size == expected and pc.OK()
amr.finalize()
print("done", done[0], "refused", refused)
"""


@host_only
@pytest.mark.parametrize("kind", [PURE, "2_1_0_0", LEGACY])
@pytest.mark.parametrize(
    ("operation", "action", "sign"),
    [
        ("pc.redistribute()", "tile.push_back(model)", 1),
        ("pc.redistribute()", "shrink()", -1),
        ("pc.redistribute()", "pc.add_particles_at_level(single, 0)", 1),
        ("pc.sort_particles_by_cell()", "tile.push_back(model)", 1),
        ("pc.sort_particles_by_bin(amr.IntVect(2))", "pc.add_particles_at_level(single, 0)", 1),
    ],
)
def test_what_other_threads_change_is_kept_or_refused(kind, operation, action, sign):
    """Particles that come or go while others move or are sorted are never lost, nor come back, in silence."""
    body = RACE.format(kind=kind, operation=operation, action=action, sign=sign)
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and done.stdout.startswith("done"), done.stdout + done.stderr


@host_only
def test_a_file_is_whole_while_other_threads_write_into_ids(amr3, tmp_path):
    """Integers and reals of a file are of the same particles, though some become invalid meanwhile."""
    pc = container(amr3, count=20_000)
    words, stop = [pti["idcpu"] for pti in pc.iterator(level=0)], threading.Event()
    for pti in pc.iterator(level=0):
        pti[pc.real_soa_names[3]] = amr3.unpack_ids(pti["idcpu"]).astype(float)

    def toggle():
        while not stop.is_set():
            for array in words:
                array[::3] ^= np.uint64(1 << 63)

    thread = threading.Thread(target=toggle)
    thread.start()
    try:
        for n in range(10):
            pc.checkpoint(tmp_path / f"chk{n}", "p")
    finally:
        stop.set()
        thread.join()
    for n in range(10):
        back = pc.make_alike()
        back.restart(tmp_path / f"chk{n}", "p")
        assert 13_000 < back.size <= 20_000
        for pti in back.iterator(level=0):
            assert (pti[pc.real_soa_names[3]] == amr3.unpack_ids(pti["idcpu"])).all()
    del pti


def test_a_tile_that_somebody_holds_survives_shrink_to_fit(amr):
    pc = container(amr, count=0)
    tile = pc.define_and_return_particle_tile(0, 0, 0)
    pc.define_and_return_particle_tile(0, 1, 0)
    pc.shrink_to_fit()
    assert list(pc.get_particles(0)) == [(0, 0)]
    tile.resize(3)
    assert pc.size == 3


def test_local_particles_are_added_to_all_boxes_or_to_none(amr):
    pc, more = container(amr), container(amr, count=50)
    coarse = amr.BoxArray(amr.Box([0] * amr.Config.spacedim, [3] * amr.Config.spacedim))  # the first box alone
    few = type(pc)(layout(amr)[0], amr.DistributionMapping(coarse), coarse)
    with pytest.raises(IndexError):
        few.add_particles(more, local=True)
    assert few.size == 0 and few.num_local_tiles_at_level(0) == 0
    pc.add_particles(more, local=True)
    pc.add_particles(pc, local=True)
    assert pc.size == 300 and pc.OK()


# ---- particles that would be lost in silence


def filled(amr, pc, positions, words):
    """A tile for the container with these particles; the same number for all coordinates."""
    kind = type(pc).__name__.removeprefix("ParticleContainer_")
    tile = getattr(amr, f"ParticleTile_{kind}")()
    tile.resize(len(positions))
    columns = tile.exporters()
    for name, values in [(x, positions) for x in "xyz"[: amr.Config.spacedim]] + [("idcpu", words)]:
        array = columns[name].to_xp()
        array[:] = amr.xp.asarray(values)
    return tile


def word(amr, number):
    words = np.zeros(1, np.uint64)
    amr.pack_ids(words, number)
    return int(words[0])


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_particles_without_an_id_or_a_place_are_counted(amr, kind):
    pc = container(amr, kind, count=0)
    good, bad = word(amr, 5), amr.make_invalid(word(amr, 6))
    positions = np.array([0.5, 0.25, 0.5, -0.5, 0.0, np.nan, np.inf, -np.inf, 0.5, 1.5])
    words = np.array([good, 0, 0, 7, 0, good, good, good, bad, good], np.uint64)
    tile = filled(amr, pc, positions, words)
    with pytest.warns(RuntimeWarning, match=r"6 particles.*3 without an id.*pack_ids.*3 with a position") as told:
        pc.add_particles_at_level(tile, 0)
    assert len(told) == 1 and told[0].filename == __file__
    assert pc.size == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            pc.add_particles_at_level(tile, 0)  # an error if the user says so; and then nothing was added
    assert pc.size == 1
    pc.define_and_return_particle_tile(0, 0, 0).swap(tile)
    assert pc.size >= len(positions)
    with pytest.warns(RuntimeWarning, match=r"6 particles"):
        pc.redistribute()
    pc.redistribute()  # no more


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_what_is_to_go_goes_in_silence(amr, kind):
    """Invalid particles, those that left the domain, and rows that nobody has filled."""
    pc = container(amr, kind, count=0)
    bad = amr.make_invalid(word(amr, 6))
    pc.define_and_return_particle_tile(0, 0, 0).swap(
        filled(amr, pc, np.array([0.5, np.nan, 9.0, 0.0]), np.array([bad, bad, word(amr, 5), 0], np.uint64))
    )
    pc.redistribute()
    assert pc.size == 0


def test_particles_in_no_box_are_counted(amr):
    geometry, _, _ = layout(amr)
    dim = amr.Config.spacedim
    half = amr.BoxArray(amr.Box([0] * dim, [3] + [7] * (dim - 1)))
    pc = amr.ParticleContainer_pureSoA_4_1_default(geometry, amr.DistributionMapping(half), half)
    with pytest.warns(RuntimeWarning, match="in the domain, but in no box"):
        pc.init_random(100, 1, amr.ParticleInitType_pureSoA_4_1(), False, geometry.prob_domain)
    assert 0 < pc.size < 100


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_the_upper_end_of_a_domain(amr, kind):
    """It belongs to the domain where that is not periodic, and is its lower end where it is."""
    for periodic in (0, 1):
        pc = container(amr, kind, count=0, periodic=periodic)
        beyond = np.nextafter(1.0, 2.0)
        ids = np.array([word(amr, n + 1) for n in range(3)], np.uint64)
        pc.add_particles_at_level(filled(amr, pc, np.array([1.0, -1.0, beyond]), ids), 0)
        assert pc.size == 2 + periodic and pc.OK()
        assert {row[1] for row in everything(pc)} == ({-1.0, -1.0 + (beyond - 1.0)} if periodic else {-1.0, 1.0})
        pc.redistribute()
        pc.sort_particles_by_cell()
        assert pc.size == 2 + periodic and pc.OK()
        _, owners, boxes = layout(amr)
        counts = amr.MultiFab(boxes, owners, 1, 0)
        counts.set_val(0.0)
        pc.increment(counts, 0)
        assert counts.sum(0) == 2 + periodic


# ---- by name


@pytest.mark.parametrize("kind", [PURE, LEGACY])
def test_components_of_a_loop_are_written_by_name(amr, kind):
    pc = container(amr, kind)
    for pti in pc.iterator(level=0):
        columns = pti.particle_tile().exporters()
        real = "x"
        integer = next(name for name in columns if name not in ("idcpu",) and host(pti[plain(name)]).dtype == np.int32)
        integer = plain(integer)
        view, before = pti[real], host(pti[real]).copy()
        pti[real] += 1.0
        assert (host(pti[real]) == before + 1.0).all() and (host(view) == before + 1.0).all()
        pti[real] *= 2
        pti[real] = host(pti[real]).copy() - 2.0
        assert (host(pti[real]) == 2.0 * before).all()
        pti[real] = 3
        assert (host(pti[real]) == 3.0).all()
        pti[real] = before
        pti[integer] = 7
        pti[integer] += 1
        assert (host(pti[integer]) == 8).all()
        pti["idcpu"] = host(pti["idcpu"]).copy()
        for name, values, error in (
            ("none", 1.0, KeyError),
            (real, np.zeros(pti.size + 1), ValueError),
            (real, np.zeros((pti.size, 2)), ValueError),
            (real, "text", TypeError),
            (real, None, TypeError),
            (real, 1j, TypeError),
            (integer, 2**40, ValueError),
            (integer, np.full(pti.size, -(2**40)), ValueError),
            (integer, 0.5, TypeError),
            ("idcpu", -1, ValueError),
        ):
            with pytest.raises(error):
                pti[name] = values
            assert (host(pti[integer]) == 8).all() and (host(pti[real]) == before).all()
        del view


def plain(name):
    """The name that a loop knows a component of legacy particles by."""
    return name.removeprefix("SoA_")


@pytest.mark.partners
@pytest.mark.parametrize("kind", [PURE, LEGACY])
@pytest.mark.parametrize("local", [True, False])
def test_a_frame_has_one_label_a_row(amr, kind, local):
    pc = container(amr, kind)
    frame = pc.to_df(local=local)
    assert list(frame.index) == list(range(100))
    # By level, box, tile and place in it.
    words = np.concatenate([host(pti["idcpu"]) for pti in pc.iterator(level="all")])
    assert frame["idcpu"].tolist() == words.tolist()
    right = frame[frame.x > 0.5]
    assert 0 < len(right) < 100 and len(frame.drop(right.index)) == 100 - len(right)
    assert frame.loc[99, "idcpu"] == words[-1]
    pc.clear_particles()
    assert pc.to_df(local=local) is None


# ---- the box of an Array4


def test_an_array4_tells_its_box(amr):
    dim = amr.Config.spacedim
    _, owners, boxes = layout(amr)
    pc = container(amr)
    for ghosts in (0, 2):
        field = amr.MultiFab(boxes, owners, 1, ghosts)
        field.set_val(0.0)
        for loop in (field, pc.iterator(level=0)):
            for place in loop:
                array4 = field.array(place)
                assert array4.box == amr.Box(place.validbox()).grow(ghosts)
                assert array4.begin == array4.box.small_end
                assert array4.end == array4.box.big_end + amr.IntVect(1)
                assert tuple(n + 1 for n in array4.box.big_end) == tuple(array4.end)
                assert host(array4).shape[:dim] == tuple(array4.box.length())
                if ON_HOST:  # elements of a device are out of reach
                    array4[(*array4.begin, *[0] * (3 - dim))] = 1.0
                    assert array4.to_numpy()[0, 0, 0, 0] == 1.0
                assert type(array4)(array4, 0, 1).box == array4.box
                del array4
    nodes = amr.BoxArray(boxes)
    nodes.surroundingNodes()
    nodal = amr.MultiFab(nodes, owners, 1, 1)
    for mfi in nodal:
        assert nodal.array(mfi).box == mfi.fabbox() and nodal.const_array(mfi).box.ix_type == nodes.ix_type()
    fab = amr.FArrayBox(amr.Box([-3] * dim, [4] * dim), 2)
    assert fab.array().box == fab.const_array().box == fab.box()


def test_the_box_of_a_foreign_array4(amr3):
    array4 = amr3.Array4_double(np.zeros((2, 5, 4, 3)))
    assert array4.begin == amr3.IntVect(0, 0, 0) and array4.end == amr3.IntVect(3, 4, 5)
    assert array4.box == amr3.Box([0, 0, 0], [2, 3, 4])
    assert amr3.Array4_double().box.is_empty
