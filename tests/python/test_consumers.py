# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/consumers.md is true: every call of its rows, with every kind of object in memory of the host."""

import importlib
import importlib.util
import pathlib
import re
import warnings

import numpy as np
import pytest

pytestmark = pytest.mark.partners

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/consumers.md"
KINDS = ("mesh", "const", "vector", "matrix", "records", "field")
LIBRARIES = {"jnp": "jax.numpy", "njit": "numba"}  # names of the table that are not those of modules
ROW = re.compile(r"^\| `(?P<call>[^`]+)` \| (?P<cells>.+) \|$", re.MULTILINE)
ROWS = {
    m["call"]: [re.sub(r" \[\d\]$", "", c) for c in m["cells"].split(" | ")] for m in ROW.finditer(PAGE.read_text())
}


def objects(amr):
    """Objects of every kind with at least two elements, which are 1."""
    one, last = amr.IntVect(1), amr.IntVect(4)
    boxes = amr.BoxArray(amr.Box(one, last))
    field = amr.MultiFab(boxes, amr.DistributionMapping(boxes), 2, 1)
    integers = amr.iMultiFab(boxes, amr.DistributionMapping(boxes), 1, 0)
    field.set_val(1.0)
    integers.set_val(1)
    fab = amr.FArrayBox(amr.Box(one, last), 3)
    fab.to_numpy()[...] = 1
    vectors = [name for name in dir(amr) if re.fullmatch(r"PODVector_(real|int|uint64)_[a-z]+", name)]
    assert len(vectors) >= 15
    kinds = {
        "mesh": [field.array(next(iter(field))), integers.array(next(iter(integers))), fab],
        "const": [field.const_array(next(iter(field))), fab.const_array()],
        "vector": [getattr(amr, name).from_array([1, 1, 1]) for name in vectors],
        "matrix": [amr.SmallMatrix_6x3_F_SI1_double.zero(), amr.SmallMatrix_6x6_F_SI1_float.zero()],
    }
    tile = getattr(amr, f"ParticleTile_pureSoA_{amr.Config.spacedim}_1_default")()
    tile.resize(2)
    kinds["vector"] += tile.exporters().values()
    legacy = amr.ParticleTile_2_1_3_1_default()
    legacy.resize(2)
    for part in (tile, legacy):
        for array in amr.exchange("numpy", part).values():
            array[...] = 1
    kinds["records"] = [legacy.get_array_of_structs()]
    kinds["field"] = [legacy.get_array_of_structs().field(name) for name in ("x", "rdata_1", "idcpu", "idata_0")]
    kinds["vector"] += [amr.Vector_Real([1.0, 1.0]), amr.Vector_int([1, 1]), amr.Vector_Long([1, 1])]
    return kinds


def address(result):
    """Where the first element of an array of any library lies."""
    module = type(result).__module__.partition(".")[0]
    if module == "pandas":
        return result.to_numpy().ctypes.data
    if module == "pyarrow":
        return result.address if hasattr(result, "address") else result.buffers()[1].address
    if module in ("torch", "tvm_ffi"):
        return int(result.data_ptr())
    if module.startswith("jax"):
        return result.unsafe_buffer_pointer()
    if module == "array_api_strict":
        return result._array.ctypes.data
    if isinstance(result, bytes):
        return None  # an object of its own, always a copy
    return np.asarray(result).ctypes.data


def namespace(call):
    """What the call names; skips if the library is not installed."""
    name = re.match(r"[a-z_]+", call)[0]
    names = {"np": np}
    if name in ("x", "np", "memoryview", "bytes"):
        return names
    library = LIBRARIES.get(name, name)
    module = pytest.importorskip(library, reason=f"docs/consumers.md: {library} is not installed")
    if library == "jax.numpy":
        importlib.import_module("jax").config.update("jax_enable_x64", True)
    return names | {name: module.njit(lambda array: array) if name == "njit" else module}


def outcome(call, names, x):
    here = x.to_numpy().ctypes.data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's, about read-only memory
        try:
            result = eval(call, dict(names), {"x": x})
        except Exception as error:
            return type(error).__name__
    return "zero-copy" if address(result) == here else "copy"


@pytest.mark.parametrize("call", ROWS)
def test_a_row_of_the_table_is_true(call, amr):
    names = namespace(call)
    for package in ("cupy", "dpnp"):
        if call == f"x.to_{package}()" and importlib.util.find_spec(package):
            pytest.skip(f"{package} is installed: the table tells of its absence")
    found = {kind: {(type(x).__name__, outcome(call, names, x)) for x in some} for kind, some in objects(amr).items()}
    wrong = {
        (kind, *case) for kind, said in zip(KINDS, ROWS[call], strict=False) for case in found[kind] if case[1] != said
    }
    assert not wrong, f"the table says {ROWS[call][: len(KINDS)]}"


def test_the_table_names_each_consumer_and_claims_nothing_about_devices():
    calls = " ".join(ROWS)
    for consumer in ("np.", "torch.", "jnp.", "njit", "array_api_strict", "tvm_ffi", "pandas", "memoryview", "pyarrow"):
        assert consumer in calls
    for call, cells in ROWS.items():
        assert len(cells) == len(KINDS) + 2, call
        assert cells[len(KINDS) :] == ["not run here"] * 2, call


@pytest.mark.parametrize("call", [call for call, cells in ROWS.items() if cells[0] == "zero-copy"])
def test_zero_copy_means_that_writes_are_seen(call, amr3):
    names = namespace(call)
    fab = amr3.FArrayBox(amr3.Box(amr3.IntVect(0), amr3.IntVect(3)), 1)
    fab.to_numpy()[...] = 1.0
    result = eval(call, names, {"x": fab})
    fab.to_numpy()[...] = 4.0
    shown = result.to_pybytes() if "pyarrow" in call else result
    values = np.frombuffer(shown) if isinstance(shown, bytes) else np.from_dlpack(shown) if "tvm" in call else shown
    assert (np.asarray(values) == 4.0).all()
    del result, shown, values
