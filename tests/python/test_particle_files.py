# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Particles in plotfiles and checkpoints."""

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
