# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What the three spaces have in common: one body for all of them."""

import os
import sys
from typing import Any

from amrex import _core, _owners, _particles, _xp
from amrex._convert import StagedCopyWarning
from amrex._exchange import exchange


def open_space(name: str, dim: int) -> None:
    """Fill the module `name` with the types of `dim` dimensions and those without a dimension.

    Where that was done before, the first module takes the place of `name`: its classes exist once in a process.
    """
    first = _core._spaces.get(dim)
    if first is not None:
        sys.modules[name] = first
        return
    module = sys.modules[name]
    folder = os.path.dirname(__file__)
    if _owners.is_shared(folder) or _owners.is_shared(folder, os.path.join(folder, f"space{dim}d")):
        _owners.refuse(folder)
    names = vars(module)
    for key, value in vars(_core).items():
        if not key.startswith("_") and key != "register_space":
            names[key] = value
    names["StagedCopyWarning"] = StagedCopyWarning
    names["exchange"] = exchange
    names["__version__"] = _core.__version__
    _core.register_space(dim, module)
    _core._spaces[dim] = module

    def __getattr__(key: str) -> Any:
        value: Any = _xp.load() if key == "xp" else _particles.find_class(dim, key)
        if value is None:
            from amrex._names import unknown_name  # only now: most programs never need it

            raise AttributeError(unknown_name(name, dim, key))
        names[key] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*names, *_particles.known_names(dim), "xp"})

    names.update(__getattr__=__getattr__, __dir__=__dir__)
