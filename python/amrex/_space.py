# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""What the three spaces have in common: one body for all of them."""

import sys

from amrex import _core


def open_space(name: str, dim: int) -> None:
    """Fill the module `name` with the types of `dim` dimensions and those without a dimension."""
    module = sys.modules[name]
    for key in dir(_core):
        if not key.startswith("_") and key != "register_space":
            setattr(module, key, getattr(_core, key))
    _core.register_space(dim, module)
