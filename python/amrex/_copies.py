# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""How objects are made again that copy and pickle take apart; called by the functions that `__reduce__` gives."""

from typing import Any


def fab(cls: Any, box: Any = None, array: Any = None) -> Any:
    """A fab with the numbers of an array with axes (component, k, j, i), in memory of its own."""
    return cls() if box is None else cls(box, array, copy=True)


def particle(cls: Any, idcpu: int, position: list[float], reals: list[float], integers: list[int]) -> Any:
    made = cls(*position)
    made.idcpu = idcpu
    if reals:
        made.set_rdata(reals)
    if integers:
        made.set_idata(integers)
    return made


def with_attributes(cls: Any, values: dict[str, Any]) -> Any:
    made = cls()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def coordinates(cls: Any, kind: int) -> Any:
    made = cls()
    if kind >= 0:
        made.SetCoord(made.CoordType(kind))
    return made
