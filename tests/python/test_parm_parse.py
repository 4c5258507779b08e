# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""ParmParse: the table of input parameters, before and without initialize()."""

import math

import amrex.space3d as amr
import pytest

PREFIX = "test_parm_parse"


@pytest.fixture
def pp():
    """A prefix of its own, empty before and after."""

    def clear():
        table = amr.ParmParse()
        for line in amr.ParmParse(PREFIX).to_text().splitlines():
            table.remove(line.split(" =")[0])

    clear()
    yield amr.ParmParse(PREFIX)
    clear()


def test_missing_parameter(pp):
    assert pp.query_int("nothing") == (False, 0)
    assert pp.query_real("nothing") == (False, 0.0)
    assert pp.query_str("nothing") == (False, "")
    assert pp.query_bool("nothing") == (False, False)
    assert pp.query_int_array("nothing") == (False, [])
    assert not pp.contains("nothing")
    assert pp.countval("nothing") == 0
    assert pp.remove("nothing") == 0
    for get in (pp.get_int, pp.get_real, pp.get_str, pp.get_bool, pp.get_int_array):
        with pytest.raises(RuntimeError, match=f"{PREFIX}.nothing"):
            get("nothing")


def test_file(pp, tmp_path):
    other = tmp_path / "other"
    other.write_text(f"{PREFIX}.last = 7\n")
    inputs = tmp_path / "inputs"
    inputs.write_text(
        f'# comment\n{PREFIX}.n = 1 2*2 3\n{PREFIX}.x = 2*pi\n{PREFIX}.s = "a b" c\n'
        f"{PREFIX}.on = True\nFILE = {other}\n"
    )
    amr.ParmParse.addfile(str(inputs))
    assert pp.get_int("n", 1) == 4
    assert pp.query_int("n", ival=2) == (True, 3)
    assert pp.get_int_array("n") == [1, 4, 3]
    assert pp.get_int_array("n", 1, 1) == [4]
    assert pp.get_real("x") == 2 * math.pi
    assert pp.get_str("s") == "a b"
    assert pp.query_str_array("s") == (True, ["a b", "c"])
    assert pp.get_bool("on") is True
    assert pp.unused() == [f"{PREFIX}.last"]
    assert pp.get_int("last") == 7
    pp.addfile(inputs)  # a path, through an instance
    with pytest.raises(OSError, match="absent"):
        pp.addfile(str(tmp_path / "absent"))
    with pytest.raises(OSError, match="irectory"):
        pp.addfile(tmp_path)
    inputs.write_text('a = "never closed')
    with pytest.raises(ValueError, match="line 1"):
        pp.addfile(inputs)
    inputs.write_text(f"FILE = {inputs}\n")
    with pytest.raises(ValueError, match="within each other"):
        pp.addfile(inputs)


def test_wrong_values(pp):
    pp.add("s", "abc")
    for get in (pp.get_int, pp.get_real, pp.get_bool, pp.query_int, pp.query_real_array):
        with pytest.raises(ValueError, match=f"'{PREFIX}.s' = 'abc'"):
            get("s")
    pp.add("n", 3)
    with pytest.raises(IndexError):
        pp.get_int("n", 1)
    with pytest.raises(IndexError):
        pp.get_int("n", -1)
    with pytest.raises(ValueError, match="64 bits"):
        pp.add("n", 2**63)
    with pytest.raises(ValueError, match="two words"):
        pp.add("two words", 1)
    for wrong in (None, [1], {}, object(), 1j):
        with pytest.raises(TypeError):
            pp.add("n", wrong)
        with pytest.raises(TypeError):
            pp.addarr("n", [wrong])
    with pytest.raises(TypeError):
        pp.addarr("n", "text")
    assert pp.get_int("n") == 3


def test_to_dict_has_types(pp, tmp_path):
    assert pp.to_dict() == {}
    pp.add("b", True)
    pp.add("i", 3)
    pp.add("big", 2**62)
    pp.add("r", 1 / 3)
    pp.add("r2", 1e300)
    pp.add("s", "a b")
    pp.addarr("ints", [1, 2])
    pp.addarr("mixed", [1, 2.5])
    pp.addarr("one", [5])
    pp.addarr("none", [])
    pp.addarr("strings", ["a b", "c"])
    pp.add("deep.er.value", 1)
    pp.add("deep.er", 2)
    inputs = tmp_path / "inputs"
    inputs.write_text(f"{PREFIX}.text = 7\n{PREFIX}.read = 7 8\n{PREFIX}.odd = 1 x\n")
    pp.addfile(inputs)
    pp.get_int("read")
    pp.get_int("odd")
    expected = {
        "b": True,
        "i": 3,
        "big": 2**62,
        "r": 1 / 3,
        "r2": 1e300,
        "s": "a b",
        "ints": [1, 2],
        "mixed": [1.0, 2.5],
        "one": 5,
        "none": [],
        "strings": ["a b", "c"],
        "deep": {"er": {"": 2, "value": 1}},
        "text": "7",
        "read": [7, 8],
        "odd": ["1", "x"],
    }
    assert pp.to_dict() == expected
    assert pp.to_dict()["b"] is True
    assert amr.ParmParse().to_dict()[PREFIX] == expected


def test_printed_table_is_an_inputs_file(pp, tmp_path, capsys):
    pp.add("s", "two words")
    pp.addarr("n", [1, 2])
    pp.pretty_print_table()
    text = capsys.readouterr().out
    assert text == f'{PREFIX}.n = 1 2\n{PREFIX}.s = "two words"\n'
    assert pp.remove("s") == 1
    assert pp.remove("n") == 1
    (tmp_path / "again").write_text(text)
    pp.addfile(tmp_path / "again")
    assert pp.to_dict() == {"n": ["1", "2"], "s": "two words"}


def test_bytes_that_are_no_utf8(pp, tmp_path):
    (tmp_path / "inputs").write_bytes(f"{PREFIX}.s = \xff".encode("latin-1"))
    pp.addfile(tmp_path / "inputs")
    assert pp.get_str("s") == "\udcff"
    assert pp.to_dict() == {"s": "\udcff"}
