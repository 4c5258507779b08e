# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Plotfiles and VisMF: round trips, files of the peer, yt, errors."""

import os
import pathlib
import resource
import shutil
import threading

import numpy as np
import pytest
from devices import DEVICE, assign, host
from test_particles import put

DATA = pathlib.Path(__file__).parents[1] / "data"


def dim(amr):
    return int(amr.__name__[-2])


def values(lo, shape, comps=(0, 1)):
    """What the tests put at global cell (i, j, k): one array per component, with index order i, j, k, n."""
    i, j, k = np.meshgrid(*[np.arange(n) + s for n, s in zip(shape, lo, strict=True)], indexing="ij")
    both = (i + 10.0 * j + 100 * k, i / 10 + j / 100 + k / 3)
    return np.stack([both[n] for n in comps], axis=-1)


def corner(amr, box, ngrow):
    return [box.small_end[d] - ngrow if d < dim(amr) else 0 for d in range(3)]


def make(amr, lo, hi, max_size, ngrow=0):
    d = dim(amr)
    ba = amr.BoxArray(amr.Box(amr.IntVect(*[lo] * d), amr.IntVect(*[hi] * d)))
    ba.max_size(max_size)
    mf = amr.MultiFab(ba, amr.DistributionMapping(ba), 2, ngrow)
    for mfi in mf:
        array = mf.array(mfi)
        assign(array, values(corner(amr, mfi.validbox(), ngrow), host(array).shape[:3]))
    return mf


def check(amr, mf, comps=(0, 1), rtol=0.0):
    ngrow = mf.n_grow_vect[0]
    boxes = 0
    for mfi in mf:
        array = host(mf.array(mfi))
        expected = values(corner(amr, mfi.validbox(), ngrow), array.shape[:3], comps)
        np.testing.assert_allclose(array, expected, rtol=rtol, atol=0)
        boxes += 1
    assert boxes == mf.box_array().size
    return True


def geometry(amr, cells):
    d = dim(amr)
    domain = amr.Box(amr.IntVect(*[0] * d), amr.IntVect(*[cells - 1] * d))
    return amr.Geometry(domain, amr.RealBox([-1.0, 0.0, 0.0][:d], [1.0, 1.0, 3.0][:d]), 0, [1, 0, 0][:d])


def write(amr, name, **options):
    levels = [make(amr, 0, 7, 4, 1), make(amr, 4, 11, 8)]
    ratio = [amr.IntVect(*[2] * dim(amr))]
    geoms = [geometry(amr, 8), geometry(amr, 16)]
    amr.write_multi_level_plotfile(name, levels, ["phi", "rest of it"], geoms, 0.1, [3, 6], ratio, **options)


@pytest.mark.parametrize(("precision", "rtol"), [("double", 0.0), ("float", 1e-7)])
@pytest.mark.parametrize("nfiles", [1, 3])
def test_round_trip(amr, tmp_path, precision, rtol, nfiles):
    name = tmp_path / "deep" / "plt00003"
    write(amr, name, precision=precision, nfiles=nfiles)
    d = dim(amr)
    plot = amr.PlotFileData(str(name))
    assert plot.spaceDim() == d
    assert plot.time() == 0.1
    assert plot.finestLevel() == 1
    assert plot.nComp() == 2
    assert plot.coordSys() == amr.CoordSys.cartesian
    assert list(plot.varNames()) == ["phi", "rest of it"]
    assert plot.varNames() == amr.Vector_string(["phi", "rest of it"])
    assert [plot.refRatio(0), plot.refRatio(1)] == [2, 0]
    assert [plot.levelStep(0), plot.levelStep(1)] == [3, 6]
    assert plot.probLo() == [-1.0, 0.0, 0.0][:d]
    assert plot.probHi() == [1.0, 1.0, 3.0][:d]
    assert plot.probSize() == [2.0, 1.0, 3.0][:d]
    assert plot.cellSize(1) == [0.125, 0.0625, 0.1875][:d]
    assert plot.probDomain(1) == geometry(amr, 16).domain
    assert plot.nGrowVect(0) == amr.IntVect(*[0] * d)
    assert plot.boxArray(0).size == 2**d
    assert plot.DistributionMap(0).size == 2**d
    for level in (0, 1):
        assert check(amr, plot.get(level), rtol=rtol)
        assert check(amr, plot.get(level, "rest of it"), comps=(1,), rtol=rtol)
    other = amr.PlotFileData(name)
    plot.syncDistributionMap(other)
    plot.syncDistributionMap(1, other)
    assert len(list((name / "Level_0").glob("Cell_D_*"))) == min(nfiles, 2**d)


def test_single_level_and_older_folder(amr, tmp_path):
    name = str(tmp_path / "plt")
    mf = make(amr, 0, 7, 4, 1)
    for step in (1, 2, 3):
        amr.write_single_level_plotfile(
            plotfilename=name,
            mf=mf,
            varnames=amr.Vector_string(["a", "b"]),
            geom=geometry(amr, 8),
            time=0.5 * step,
            level_step=step,
            versionName="HyperCLaw-V1.1",
            levelPrefix="L",
            mfPrefix="MF",
            extra_dirs=amr.Vector_string(["raw"]),
        )
    found = sorted(p.name for p in tmp_path.iterdir())
    assert len(found) == 3
    assert found[0] == "plt"
    assert all(old.startswith("plt.old.") and len(old) == 15 for old in found[1:])
    assert (tmp_path / "plt" / "raw" / "L0").is_dir()
    assert (tmp_path / "plt" / "L0" / "MF_H").is_file()
    steps = sorted(amr.PlotFileData(str(tmp_path / old)).levelStep(0) for old in found)
    assert steps == [1, 2, 3]
    assert check(amr, amr.PlotFileData(name).get(0))


def test_precision_from_parameters(amr, tmp_path):
    pp = amr.ParmParse("fab")
    mf = make(amr, 0, 7, 4)
    double = amr.VisMF.Write(mf, tmp_path / "double")
    pp.add("format", "IEEE32")
    try:
        assert amr.VisMF.Write(mf, tmp_path / "float") < 0.9 * double
        assert check(amr, amr.VisMF.Read(tmp_path / "float"), rtol=1e-7)
        pp.add("format", "ASCII")
        with pytest.raises(ValueError, match="ASCII"):
            amr.VisMF.Write(mf, tmp_path / "none")
    finally:
        pp.remove("format")


def test_vismf(amr, tmp_path):
    mf = make(amr, -2, 5, 4, 1)
    name = str(tmp_path / "mf")
    written = amr.VisMF.Write(mf, name)
    assert written == sum(p.stat().st_size for p in tmp_path.iterdir())
    back = amr.VisMF.Read(name=name)
    assert back.n_grow_vect == mf.n_grow_vect
    assert check(amr, back)
    for mfi in back:
        array = back.array(mfi)
        assign(array, 0.0)
    amr.VisMF.Read(name=name, mf=back)
    assert check(amr, back)
    assert host(array).any()
    empty = amr.MultiFab()
    amr.VisMF.Read(name, empty)
    assert check(amr, empty)
    other = make(amr, 0, 7, 4, 1)
    with pytest.raises(ValueError, match="other boxes"):
        amr.VisMF.Read(name, other)
    assert check(amr, other)


def test_files_of_the_peer(amr3):
    amr = amr3
    plot = amr.PlotFileData(str(DATA / "peer_plt00000"))
    assert list(plot.varNames()) == ["phi", "rest of it"]
    assert plot.time() == 0.1
    assert plot.levelStep(1) == 6
    for level in (0, 1):
        assert check(amr, plot.get(level))
    for name in ("ghosts", "v2", "v3", "v4", "NATIVE_32", "IEEE32"):
        mf = amr.VisMF.Read(str(DATA / "peer_vismf" / name))
        assert mf.n_grow_vect == amr.IntVect(1, 1, 1)
        arrays = [host(mf.array(mfi)) for mfi in mf]
        assert len(arrays) == 2
        for mfi in mf:
            inner = host(mf.array(mfi))[1:-1, 1:-1, 1:-1]
            expected = values(corner(amr, mfi.validbox(), 0), inner.shape[:3])
            np.testing.assert_allclose(inner, expected, rtol=1e-7 if name.endswith("32") else 0)
        assert (arrays[0][0] == -999).all()


# ---- headers as other codes write them


def edit(folder, change, name="Header"):
    """Change the lines of a header."""
    lines = (folder / name).read_text().splitlines()
    change(lines)
    (folder / name).write_text("\n".join(lines) + "\n")


def line_of_domains(lines):
    return next(i for i, line in enumerate(lines) if line.startswith("(("))


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("more", [1, 3])
@pytest.mark.parametrize("point", [False, True])
def test_lists_longer_than_levels(amr, tmp_path, levels, more, point):
    d = dim(amr)
    if levels == 1:
        amr.write_single_level_plotfile(tmp_path / "plt", make(amr, 0, 7, 4), ["a", "b"], geometry(amr, 8), 0.5, 7)
    else:
        write(amr, tmp_path / "plt")

    def change(lines):
        at = line_of_domains(lines)
        ratio = "(" + ",".join("2" * d) + ")" if point else "2"
        lines[at - 1] = " ".join([ratio] * (levels - 1 + more))
        lines[at] += " " + " ".join([lines[at].split(" ((")[0]] * more)
        lines[at + 1] += " 0" * more

    edit(tmp_path / "plt", change)
    plot = amr.PlotFileData(tmp_path / "plt")
    assert plot.finestLevel() == levels - 1
    assert [plot.refRatio(i) for i in range(levels)] == [2, 0][2 - levels :]
    assert plot.levelStep(0) == (7 if levels == 1 else 3)
    assert plot.probDomain(0) == geometry(amr, 8).domain
    assert check(amr, plot.get(levels - 1))


def test_blanks_around_what_stands_in_a_line(amr, tmp_path):
    write(amr, tmp_path / "plt")

    def change(lines):
        lines[0] = " " + lines[0] + " \t"
        lines[1] = "  2  "
        lines[2] = "phi \t "
        lines[3] = " \trest of it\r"

    edit(tmp_path / "plt", change)
    plot = amr.PlotFileData(tmp_path / "plt")
    assert list(plot.varNames()) == ["phi", "rest of it"]
    assert check(amr, plot.get(0, "rest of it"), comps=(1,))


@pytest.mark.parametrize("first", [0, 5, -3])
def test_no_variables(amr, tmp_path, first):
    """A code that writes particles only: boxes in space, no MultiFabs."""
    d = dim(amr)
    domain = amr.Box(amr.IntVect(*[first] * d), amr.IntVect(*[first + 7] * d))
    geom = amr.Geometry(domain, amr.RealBox([-1.0] * d, [0.5] * d), 0, [0] * d)
    mf = make(amr, first, first + 7, 3)
    amr.write_single_level_plotfile(tmp_path / "plt", mf, ["a", "b"], geom, 0.0, 0)
    kind = f"pureSoA_{d}_0"
    pc = getattr(amr, f"ParticleContainer_{kind}_default")(geom, mf.dm(), mf.box_array())
    pc.init_random(30, 1, getattr(amr, f"ParticleInitType_{kind}")(), False, geom.prob_domain)
    pc.write_plotfile(tmp_path / "plt", "ions")
    edit(tmp_path / "plt", lambda lines: lines.__setitem__(slice(1, 4), ["0"]))
    for with_files in (True, False):
        plot = amr.PlotFileData(tmp_path / "plt")
        assert plot.nComp() == 0 and list(plot.varNames()) == []
        assert plot.boxArray(0) == mf.box_array()
        with pytest.raises(ValueError, match="no variables"):
            plot.get(0)
        with pytest.raises(ValueError, match="none"):
            plot.get(0, "a")
        with pytest.raises(IndexError):
            plot.get(1)
        read = amr.read_particles(tmp_path / "plt", "ions")
        assert read.total_number_of_particles() == 30 and read.OK()
        if with_files:
            for part in (tmp_path / "plt" / "Level_0").iterdir():
                part.unlink()
    edit(tmp_path / "plt", lambda lines: lines.__setitem__(len(lines) - 3, "0.1 -7"))
    with pytest.raises(OSError, match="enclose no cells"):
        amr.PlotFileData(tmp_path / "plt")


def test_no_variables_in_a_multifab(amr, tmp_path):
    write(amr, tmp_path / "plt")
    edit(tmp_path / "plt", lambda lines: lines.__setitem__(slice(1, 4), ["0"]))
    for level in (0, 1):
        text = (tmp_path / "plt" / f"Level_{level}" / "Cell_H").read_text().splitlines()
        end = next(i for i, line in enumerate(text) if i > 4 and "," in line and not line.startswith("("))
        text[2] = "0"
        boxes = text[end].split(",")[0]
        text[end:] = ([boxes + ",0"] + [""] * int(boxes) + [""]) * 2
        (tmp_path / "plt" / f"Level_{level}" / "Cell_H").write_text("\n".join(text) + "\n")
    plot = amr.PlotFileData(tmp_path / "plt")
    assert plot.boxArray(0).size == 2 ** dim(amr) and plot.nComp() == 0
    with pytest.raises(OSError, match="no components"):
        amr.VisMF.Read(tmp_path / "plt" / "Level_0" / "Cell")


@pytest.mark.parametrize(
    "text",
    [
        "Checkpoint file for AmrCoreAdv\n0\n1 \n1.0 \n0.5 \n(1 0\n((0,0) (7,7) (0,0))\n)\n",
        "CheckPointVersion_1.0\n3\n0.5\n1\n0\n0 0 0 1 1 1\n",
        "state of my code\n1\n10 10 \n1e-3 5e-4 \n0.5 0.5 \n(8 0\n((0,0,0) (7,7,7) (0,0,0))\n",
        "my checkpoint\n",
    ],
)
def test_a_checkpoint_is_named_as_such(amr, tmp_path, text):
    (tmp_path / "chk" / "Level_0").mkdir(parents=True)
    (tmp_path / "chk" / "Header").write_text(text)
    with pytest.raises(OSError, match="this is a checkpoint, not a plotfile: VisMF.Read") as error:
        amr.PlotFileData(tmp_path / "chk")
    assert "space" not in str(error.value)


def test_what_else_a_folder_is(amr, tmp_path):
    (tmp_path / "chk" / "Level_0").mkdir(parents=True)
    with pytest.raises(OSError, match="no Header; if it is a checkpoint"):
        amr.PlotFileData(tmp_path / "chk")
    d = dim(amr)
    geom, mf = geometry(amr, 8), make(amr, 0, 7, 4)
    pc = getattr(amr, f"ParticleContainer_pureSoA_{d}_0_default")(geom, mf.dm(), mf.box_array())
    pc.checkpoint(tmp_path / "run", "ions")
    with pytest.raises(OSError, match=r"no Header, but particles: a container's restart\(\) reads 'ions'"):
        amr.PlotFileData(tmp_path / "run")
    with pytest.raises(OSError, match=r"holds particles: a container's restart\(\)"):
        amr.PlotFileData(tmp_path / "run" / "ions")
    amr.VisMF.Write(mf, tmp_path / "field")
    with pytest.raises(OSError, match="VisMF.Read"):
        amr.PlotFileData(tmp_path / "field")
    assert not (tmp_path / "run" / "job_info").exists()  # no plotfile


def test_a_name_with_checkpoint_in_it(amr, tmp_path):
    amr.write_single_level_plotfile(
        tmp_path / "plt", make(amr, 0, 7, 4), ["a", "b"], geometry(amr, 8), 0.0, 0, versionName="Checkpoint-V1"
    )
    assert amr.PlotFileData(tmp_path / "plt").nComp() == 2


def test_a_header_of_zeros_takes_no_memory(amr, tmp_path):
    for name in ("Header", "mf_H"):
        (tmp_path / name).touch()
        os.truncate(tmp_path / name, 1 << 40)
    with pytest.raises(OSError, match="no file of text"):
        amr.PlotFileData(tmp_path)
    with pytest.raises(OSError, match="no file of text"):
        amr.VisMF.Read(tmp_path / "mf")


@pytest.mark.parametrize("first", [0, 3, -5])
def test_places_are_relative_to_the_domain(amr, tmp_path, first):
    d = dim(amr)
    domain = amr.Box(amr.IntVect(*[first] * d), amr.IntVect(*[first + 7] * d))
    geom = amr.Geometry(domain, amr.RealBox([-1.0] * d, [1.0] * d), 0, [0] * d)
    amr.write_single_level_plotfile(tmp_path / "plt", make(amr, first, first + 7, 4), ["a", "b"], geom, 0.0, 0)
    lines = (tmp_path / "plt" / "Header").read_text().splitlines()
    places = lines[-1 - d * 2**d : -1]
    assert set(places) == {"-1 0", "0 1"}
    assert places.count("-1 0") == places.count("0 1") == d * 2**d // 2


@pytest.mark.partners
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("precision", "rtol"), [("double", 0.0), ("float", 1e-7)])
def test_yt_reads_ours(amr, tmp_path, precision, rtol):
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    write(amr, tmp_path / "plt", precision=precision, nfiles=2)
    data = yt.load(str(tmp_path / "plt"))
    assert float(data.current_time) == 0.1
    assert data.index.max_level == 1
    cells = 0
    for grid in data.index.grids:
        start = [int(s) if d < dim(amr) else 0 for d, s in enumerate(grid.get_global_startindex())]
        for n, name in enumerate(("phi", "rest of it")):
            found = grid["boxlib", name].d
            np.testing.assert_allclose(found, values(start, found.shape, (n,))[..., 0], rtol=rtol, atol=0)
            cells += found.size
    assert cells == 2 * 2 * 8 ** dim(amr)


@pytest.mark.partners
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", [0, 4, -6])
def test_yt_places_boxes_and_particles(amr, tmp_path, first):
    """Of a domain that begins anywhere; the particles of all species, with their numbers."""
    yt = pytest.importorskip("yt")
    yt.set_log_level("error")
    d = dim(amr)
    domain = amr.Box(amr.IntVect(*[first] * d), amr.IntVect(*[first + 7] * d))
    geom = amr.Geometry(domain, amr.RealBox([-1.0] * d, [1.0] * d), 0, [0] * d)
    mf = make(amr, first, first + 7, 4)
    amr.write_single_level_plotfile(tmp_path / "plt", mf, ["a", "b"], geom, 0.0, 0)
    assert not (tmp_path / "plt" / "job_info").exists()
    kind = f"pureSoA_{d + 1}_1"
    pc = getattr(amr, f"ParticleContainer_{kind}_default")(geom, mf.dm(), mf.box_array())
    pc.set_soa_compile_time_names([*"xyz"[:d], "w"], ["k"])
    pc.init_random(50, 1, getattr(amr, f"ParticleInitType_{kind}")(), False, geom.prob_domain)
    for pti in pc.iterator(level=0):
        put(pti, "w", host(pti["x"]) * 2)
        put(pti, "k", (host(pti["x"]) * 100).astype(np.int32))
    for species in ("ions", "electrons"):
        pc.write_plotfile(tmp_path / "plt", species)
    data = yt.load(str(tmp_path / "plt"))
    assert sorted(data.particle_types_raw) == ["electrons", "ions"]
    for grid in data.index.grids:
        start = grid.get_global_startindex()[:d] - first
        np.testing.assert_allclose(grid.LeftEdge.d[:d], -1 + start * 0.25)
        np.testing.assert_allclose(grid.RightEdge.d[:d], -1 + (start + 4) * 0.25)
    x = np.sort(np.concatenate([host(pti["x"]) for pti in pc.iterator(level=0)]))
    every = data.all_data()
    for species in ("ions", "electrons"):
        found = every[species, "particle_position_x"].d
        assert found.size == 50
        np.testing.assert_array_equal(np.sort(found), x)
        np.testing.assert_array_equal(every[species, "particle_w"].d, found * 2)
        np.testing.assert_array_equal(every[species, "particle_k"].d, (found * 100).astype(np.int32))


def test_job_info_of_the_user_is_kept(amr, tmp_path):
    d = dim(amr)
    mf, geom = make(amr, 0, 7, 4), geometry(amr, 8)
    pc = getattr(amr, f"ParticleContainer_pureSoA_{d}_0_default")(geom, mf.dm(), mf.box_array())
    amr.write_single_level_plotfile(tmp_path / "plt", mf, ["a", "b"], geom, 0.0, 0)
    pc.write_plotfile(tmp_path / "plt", "ions")
    assert "amrex" in (tmp_path / "plt" / "job_info").read_text().lower()
    (tmp_path / "plt" / "job_info").write_text("mine")
    pc.write_plotfile(tmp_path / "plt", "others")
    assert (tmp_path / "plt" / "job_info").read_text() == "mine"


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("nfiles", [1, 2])
def test_single_precision(amr, tmp_path, levels, nfiles):
    """An fMultiFab: floats as they are by default; exact as doubles too."""
    d = dim(amr)
    mf = make(amr, 0, 7, 4, 1)
    single = amr.fMultiFab(mf.box_array(), mf.dm(), 2, 1)
    for mfi in single:
        assign(single.array(mfi), host(mf.array(mfi)).astype(np.float32))
    sizes = {}
    for precision in ("", "float", "double"):
        name = tmp_path / f"plt{precision}"
        if levels == 1:
            amr.write_single_level_plotfile(
                name, single, ["a", "b"], geometry(amr, 8), 0.5, 3, precision=precision, nfiles=nfiles
            )
        else:
            ratio = [amr.IntVect(*[2] * d)]
            geoms = [geometry(amr, 8), geometry(amr, 16)]
            amr.write_multi_level_plotfile(
                name, [single, single], ["a", "b"], geoms, 0.5, [3, 6], ratio, precision=precision, nfiles=nfiles
            )
        plot = amr.PlotFileData(name)
        for level in range(levels):
            back = plot.get(level)
            for mfi in back:
                inner = host(single.array(mfi))[tuple(slice(1, -1) if n < d else slice(None) for n in range(3))]
                np.testing.assert_array_equal(host(back.array(mfi)), inner.astype(np.float64))
        sizes[precision] = sum(p.stat().st_size for p in name.rglob("Cell_D_*"))
    assert sizes[""] == sizes["float"] < 0.75 * sizes["double"]
    bytes_ = amr.VisMF.Write(single, tmp_path / "vis", nfiles=nfiles)
    assert bytes_ == sum(p.stat().st_size for p in tmp_path.glob("vis_*"))
    back = amr.VisMF.Read(tmp_path / "vis")
    for mfi in back:
        np.testing.assert_array_equal(host(back.array(mfi)), host(single.array(mfi)).astype(np.float64))


def test_arguments_that_do_not_fit(amr, tmp_path):
    mf = make(amr, 0, 7, 4)
    geom = geometry(amr, 8)

    def single(names=("a", "b"), time=0.0, **options):
        amr.write_single_level_plotfile(str(tmp_path / "plt"), mf, list(names), geom, time, 0, **options)

    for match, call in {
        "names": lambda: single(["a"]),
        "one line": lambda: single(["a", "b\nc"]),
        "finite": lambda: single(time=float("nan")),
        "mfPrefix": lambda: single(mfPrefix="../x"),
        "levelPrefix": lambda: single(levelPrefix="/x"),
        "extra_dirs": lambda: single(extra_dirs=["../x"]),
        "precision": lambda: single(precision="half"),
        "at least one file": lambda: single(nfiles=0),
        "at least one level": lambda: amr.write_multi_level_plotfile(tmp_path / "plt", [], [], [], 0.0, [], []),
        "levels need": lambda: amr.write_multi_level_plotfile(
            tmp_path / "plt", [mf, mf], ["a", "b"], [geom, geom], 0.0, [0, 0], []
        ),
    }.items():
        with pytest.raises(ValueError, match=match):
            call()
    with pytest.raises(TypeError):
        single("ab", names=3)
    with pytest.raises(TypeError):
        amr.write_single_level_plotfile(str(tmp_path / "plt"), mf, "ab", geom, 0.0, 0)
    with pytest.raises(RuntimeError, match="empty"):
        amr.VisMF.Write(amr.MultiFab(), tmp_path / "mf")
    assert list(tmp_path.iterdir()) == []


def test_errors_of_reading(amr, tmp_path):
    with pytest.raises(OSError, match="absent"):
        amr.PlotFileData(str(tmp_path / "absent"))
    with pytest.raises(OSError, match="absent"):
        amr.VisMF.Read(str(tmp_path / "absent"))
    write(amr, tmp_path / "plt")
    plot = amr.PlotFileData(tmp_path / "plt")
    with pytest.raises(ValueError, match="'rest of it'"):
        plot.get(0, "nothing")
    for level in (-1, 2):
        for method in ("get", "refRatio", "levelStep", "boxArray", "cellSize", "probDomain", "nGrowVect"):
            with pytest.raises(IndexError):
                getattr(plot, method)(level)
    other = dim(amr) % 3 + 1
    space = pytest.importorskip(f"amrex.space{other}d")
    with pytest.raises(OSError, match=f"space{dim(amr)}d"):
        space.PlotFileData(tmp_path / "plt")
    header = tmp_path / "plt" / "Level_0" / "Cell_H"
    good = header.read_text()
    header.write_text(good.replace("FabOnDisk: Cell_D", "FabOnDisk: ../Cell_D"))
    with pytest.raises(OSError, match="not beside the header"):
        amr.PlotFileData(tmp_path / "plt")
    header.write_text(good)
    shutil.rmtree(tmp_path / "plt" / "Level_1")
    with pytest.raises(OSError, match="cannot open"):
        amr.PlotFileData(tmp_path / "plt")


@pytest.mark.skipif(DEVICE == "sycl", reason="Intel's compiler ends the process when it cannot write its own files")
def test_a_full_disk_keeps_the_older_plotfile(amr, tmp_path):
    write(amr, tmp_path / "plt")
    before = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # writes beyond fail with EFBIG
    try:
        with pytest.raises(OSError, match="cannot write"):
            write(amr, tmp_path / "plt")
        with pytest.raises(OSError, match="cannot write"):
            amr.VisMF.Write(make(amr, 0, 7, 4), tmp_path / "mf")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*")) == before
    assert check(amr, amr.PlotFileData(tmp_path / "plt").get(0))


def test_several_threads_write_and_clear(amr3, tmp_path):
    """The numbers that are written are held, whatever happens to the MultiFab meanwhile."""
    errors = []

    def work(number):
        try:
            for round_ in range(10):
                mf = make(amr3, 0, 15, 8)
                name = tmp_path / f"t{number}_{round_}"
                writer = threading.Thread(target=amr3.VisMF.Write, args=(mf, name))
                writer.start()
                writer.join(0.0005)
                mf.clear()
                writer.join()
                if (tmp_path / f"{name.name}_H").exists():
                    check(amr3, amr3.VisMF.Read(name))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_concatenate(amr):
    assert amr.concatenate("plt", 5) == "plt00005"
    assert amr.concatenate(root="plt", num=123456, mindigits=3) == "plt123456"
    assert amr.concatenate("plt", 5, 0) == "plt5"
    with pytest.raises(ValueError, match="digits"):
        amr.concatenate("plt", 5, -1)


def test_vector_string(amr3):
    v = amr3.Vector_string(["a", "b", "c"])
    plain = ["a", "b", "c"]
    assert repr(v) == "Vector_string[a, b, c]"
    assert v == plain
    assert v != ["a"]
    assert v == amr3.Vector_string(v)
    assert v != 3
    assert len(v) == v.size() == 3
    assert list(v) == plain
    assert v[0] == "a"
    assert v[-1] == "c"
    assert list(v[::2]) == ["a", "c"]
    assert "b" in v
    assert 3 not in v
    v[1] = "x"
    v[2:] = ["y", "z"]
    v.append("b")
    v.extend(["a", "a"])
    v.insert(0, "first")
    assert list(v) == ["first", "a", "x", "y", "z", "b", "a", "a"]
    assert v.count("a") == 3
    assert v.pop() == "a"
    assert v.pop(0) == "first"
    v.remove("x")
    del v[0]
    del v[1:]
    assert list(v) == ["y"]
    for bad in (lambda: v[1], lambda: v[-2], lambda: v.pop(5)):
        with pytest.raises(IndexError):
            bad()
    with pytest.raises(ValueError, match="no such element"):
        v.remove("absent")
    with pytest.raises(TypeError):
        v.append(3)
    with pytest.raises(TypeError):
        hash(v)
    v.clear()
    assert not v
