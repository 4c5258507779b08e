# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Particles in plotfiles and checkpoints."""

import subprocess
import sys

import numpy as np
import pytest
from devices import host
from test_particles import LEGACY, PURE, container, everything, layout, put


@pytest.mark.parametrize("kind", [PURE, LEGACY])
@pytest.mark.parametrize("checkpoint", [False, True])
def test_files(amr, tmp_path, kind, checkpoint):
    pc = container(amr, kind)
    pc.add_int_comp("k")
    for pti in pc.iterator(level=0):
        put(pti, "k", (host(pti["idcpu"]).astype(np.int64) >> 24 & 0xFFFF).astype(np.int32))
    (pc.checkpoint if checkpoint else pc.write_plotfile)(tmp_path, "electrons")
    assert amr.list_particle_species(tmp_path) == ["electrons"]
    header = amr.ParticleHeader.read(tmp_path, "electrons")
    assert (header.dim, header.num_particles, header.num_int) == (amr.Config.spacedim, 100, 2 + (kind == LEGACY))
    assert header.int_comp_names[-1] == "k" and header.convert_ids == checkpoint
    assert sum(grid.count for level in header.grids for grid in level) == 100
    again = container(amr, kind, count=0, size=3)
    with pytest.raises(ValueError, match="components"):
        again.restart(tmp_path, "electrons")
    again.add_int_comp("k")
    again.restart(tmp_path, "electrons")
    assert everything(again) == everything(pc) and again.OK()
    for pti in again.iterator(level=0):
        assert (host(pti["k"]) == (host(pti["idcpu"]).astype(np.int64) >> 24 & 0xFFFF)).all()
    pc.write_plotfile(str(tmp_path), "electrons")
    assert len(list(tmp_path.iterdir())) == 2  # the older one has another name


def test_read_particles(amr, tmp_path):
    geometry, owners, boxes = layout(amr)
    field = amr.MultiFab(boxes, owners, 1, 0)
    field.set_val(0.0)
    plot = str(tmp_path / "plt00000")
    amr.write_single_level_plotfile(plot, field, ["rho"], geometry, 0.0, 0)
    pc = container(amr, "pureSoA_4_0")
    pc.write_plotfile(plot, "ions", [f"u{i}" for i in range(4 - amr.Config.spacedim)], [])
    read = amr.read_particles(plot, "ions")
    assert everything(read) == everything(pc)
    assert read.real_soa_names[amr.Config.spacedim :] == [f"u{i}" for i in range(4 - amr.Config.spacedim)]
    given_one = container(amr, f"pureSoA_{amr.Config.spacedim}_0", count=0)
    assert amr.read_particles(plot, "ions", container=given_one) is given_one
    assert everything(given_one) == everything(pc)
    for name in ("none", "Level_0", ""):
        with pytest.raises(OSError, match="Header"):
            amr.read_particles(plot, name)


def test_damaged_files(amr, tmp_path):
    pc = container(amr)
    pc.write_plotfile(tmp_path, "p")
    header, data = tmp_path / "p/Header", tmp_path / "p/Level_0/DATA_00000"
    text, numbers = header.read_text(), data.read_bytes()
    again = container(amr, count=0)
    random = np.random.default_rng(1)
    for _ in range(60):
        broken = text[: random.integers(len(text) - 1)]
        header.write_text(broken)
        with pytest.raises((OSError, ValueError)):
            again.restart(tmp_path, "p")
    header.write_text(text.replace(" 0\n", " 99999999999999\n", 1))
    with pytest.raises(OSError, match=r"p"):
        again.restart(tmp_path, "p")
    header.write_text(text)
    data.write_bytes(numbers[:-1])
    with pytest.raises(OSError, match="cut short"):
        again.restart(tmp_path, "p")
    assert again.size == 0
    data.write_bytes(numbers)
    again.restart(tmp_path, "p")
    assert everything(again) == everything(pc)
    for name in ("a/b", "..", ""):
        with pytest.raises(ValueError, match="no name of a folder"):
            pc.write_plotfile(tmp_path, name)
    with pytest.raises(ValueError, match="names"):
        pc.write_plotfile(tmp_path, "p", list("abcd"), [])


# ---- components are matched by name

KINDS = ["pureSoA_{}_2", "1_1_{}_1"]


def named(amr, kind, reals, ints, count=0):
    """A container of `kind` with these names; components in records have none."""
    dim = amr.Config.spacedim
    pure = kind.startswith("pure")
    made = container(amr, kind.format(dim + len(reals) if pure else len(reals)), count=0)
    made.set_soa_compile_time_names([*("xyz"[:dim] if pure else ""), *reals], ints)
    if count:
        geometry = layout(amr)[0]
        init = getattr(amr, "ParticleInitType_" + kind.format(dim + len(reals) if pure else len(reals)))()
        made.init_random(count, 1, init, False, geometry.prob_domain)
        for pti in made.iterator(level=0):
            ids = host(pti["idcpu"]).astype(np.int64) >> 24 & 0xFFFF
            for n, name in enumerate((*reals, *ints)):
                put(pti, name, (ids * 10 + n).astype(host(pti[name]).dtype))
    return made


def components(pc, names):
    """By id, the values of these components."""
    found = {}
    for pti in pc.iterator(level=0):
        columns = [host(pti[name]).tolist() for name in names]
        for word, *values in zip(host(pti["idcpu"]).tolist(), *columns, strict=True):
            found[word] = values
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_names_match_in_any_order(amr, tmp_path, kind):
    pure = kind.startswith("pure")
    ints = ["k", "l"] if pure else ["k"]
    pc = named(amr, kind, ["w", "ux", "uy"], ints, count=40)
    pc.write_plotfile(tmp_path, "p")
    for reals in (["uy", "w", "ux"], ["w", "ux", "uy"]):
        again = named(amr, kind, reals, ints[::-1])
        again.restart(tmp_path, "p")
        names = ["w", "ux", "uy", *ints]
        assert components(again, names) == components(pc, names) and len(components(again, names)) == 40
        again = named(amr, kind, reals, ints[::-1])
        amr.read_particles(tmp_path, "p", container=again)
        assert components(again, names) == components(pc, names)


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_are_missing_are_named(amr, tmp_path, kind):
    ints = ["k", "l"] if kind.startswith("pure") else ["k"]
    named(amr, kind, ["w", "ux"], ints, count=10).write_plotfile(tmp_path, "p")
    for reals, missing in (
        (["w", "age"], r"real components .*missing in the file: 'age'; missing in the container: 'ux' \(add_real_comp"),
        (["w"], r"missing in the container: 'ux'"),
        (["w", "ux", "age"], r"missing in the file: 'age'"),
    ):
        other = named(amr, kind, reals, ints)
        with pytest.raises(ValueError, match=missing):
            other.restart(tmp_path, "p")
        assert other.size == 0 and list(other.real_soa_names)[-len(reals) :] == reals
    other = named(amr, kind, ["w", "ux"], [*ints[:-1], "age"])
    with pytest.raises(ValueError, match="int components .*missing in the file: 'age'"):
        other.restart(tmp_path, "p")
    assert other.size == 0


@pytest.mark.parametrize("kind", KINDS)
def test_position_counts_where_a_side_has_no_names(amr, tmp_path, kind):
    """As in files of the peer, whose components are called real_comp0, ..."""
    dim = amr.Config.spacedim
    pure = kind.startswith("pure")
    ints = ["k", "l"] if pure else ["k"]
    pc = named(amr, kind, ["w", "ux"], ints, count=40)
    others = 0 if pure else 1
    plain = [f"real_comp{i}" for i in range(others + 2)], [f"int_comp{i}" for i in range(2)]
    pc.write_plotfile(tmp_path, "unnamed", *plain)
    pc.write_plotfile(tmp_path, "named")
    expected = list(components(pc, ["w", "ux", *ints]).values())
    again = named(amr, kind, ["ux", "w"], ints)
    again.restart(tmp_path, "unnamed")
    assert list(components(again, ["ux", "w", *ints]).values()) == expected
    again = container(amr, kind.format(dim + 2 if pure else 2), count=0)  # no names
    again.restart(tmp_path, "named")
    assert list(components(again, [*plain[0][:2], *plain[1][: len(ints)]]).values()) == expected


@pytest.mark.parametrize("damage", ["cut", "missing", "int"])
def test_a_failed_read_adds_nothing(amr, tmp_path, damage):
    dim = amr.Config.spacedim
    named(amr, "pureSoA_{}_2", ["w", "ux"], ["k", "l"], count=10).write_plotfile(tmp_path, "p")
    q = container(amr, f"pureSoA_{dim}_0", count=5)
    before = everything(q)
    if damage == "cut":
        data = tmp_path / "p/Level_0/DATA_00000"
        data.write_bytes(data.read_bytes()[:-1])
    elif damage == "missing":
        q.add_real_comp("age")
    else:
        q.add_int_comp("ux")
    reals, ints = list(q.real_soa_names), list(q.int_soa_names)
    with pytest.raises((OSError, ValueError)):
        amr.read_particles(tmp_path, "p", container=q)
    assert (list(q.real_soa_names), list(q.int_soa_names)) == (reals, ints)
    assert everything(q) == before


def test_read_adds_what_is_missing(amr, tmp_path):
    dim = amr.Config.spacedim
    pc = named(amr, "pureSoA_{}_2", ["w", "ux"], ["k", "l"], count=10)
    pc.write_plotfile(tmp_path, "p")
    q = container(amr, f"pureSoA_{dim}_0", count=0)
    q.add_real_comp("ux")
    assert amr.read_particles(tmp_path, "p", container=q) is q
    assert list(q.real_soa_names)[dim:] == ["ux", "w"] and list(q.int_soa_names) == ["k", "l"]
    names = ["w", "ux", "k", "l"]
    assert components(q, names) == components(pc, names)


def test_names_with_blanks(amr, tmp_path):
    """Blanks around a name are none of it; names may be lines with blanks in them, or words."""
    pc = named(amr, "pureSoA_{}_2", ["w", "ux"], ["k", "l"], count=10)
    pc.write_plotfile(tmp_path, "p")
    header = tmp_path / "p/Header"
    text = header.read_text()
    for new, reals in (
        ("\n  2 \n w  \n\tux \n 2\nk\nl\n", ["w", "ux"]),
        ("\n2\nweight of it\nux\n2\nk\nl\n", ["weight of it", "ux"]),
        ("\n2 w ux\n2 k l\n", ["w", "ux"]),
        ("\n2\nw ux\n2\nk l\n", ["w", "ux"]),
    ):
        assert "\n2\nw\nux\n2\nk\nl\n" in text
        header.write_text(text.replace("\n2\nw\nux\n2\nk\nl\n", new))
        read = amr.ParticleHeader.read(tmp_path, "p")
        assert list(read.real_comp_names) == reals and list(read.int_comp_names) == ["k", "l"]


# ---- what a header claims

BOUND = """
import resource, sys
import amrex.space{dim}d as amr
amr.initialize(["amrex.verbose=0"])
domain = amr.Box(amr.IntVect(*[0] * {dim}), amr.IntVect(*[7] * {dim}))
ba = amr.BoxArray(domain)
geom = amr.Geometry(domain, amr.RealBox([0.0] * {dim}, [1.0] * {dim}), 0, [0] * {dim})
pc = amr.ParticleContainer_{kind}_default(geom, amr.DistributionMapping(ba), ba)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    pc.restart(sys.argv[1], "p")
except OSError as error:
    assert "all boxes together" in str(error), error
else:
    raise AssertionError("read")
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert pc.size == 0 and grown < 20_000, grown
"""


@pytest.mark.parametrize(("kind", "reals"), [("pureSoA_{}_0", 0), ("0_0_0_0", 0)])
@pytest.mark.parametrize("levels", [1, 3])
def test_all_boxes_together_do_not_claim_more_than_the_file(tmp_path, kind, reals, levels):
    """Each box fits by itself: 3,000,000 particles in files of 100 kB."""
    dim = 2
    row = 2 * 4 + dim * 8
    count, boxes = 2500, 1200
    folder = tmp_path / "p"
    for level in range(levels):
        (folder / f"Level_{level}").mkdir(parents=True)
        (folder / f"Level_{level}" / "DATA_00000").write_bytes(bytes(count * row))
    grids = f"0 {count} 0\n" * (boxes * levels)
    sizes = f"{boxes}\n" * levels
    total = count * boxes * levels
    (folder / "Header").write_text(
        f"Version_Two_Dot_Zero_double\n{dim}\n{reals}\n0\n1\n{total}\n1\n{levels - 1}\n{sizes}{grids}"
    )
    script = BOUND.format(dim=dim, kind=kind.format(dim))
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
