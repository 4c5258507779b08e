# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The lazy `xp` of the spaces: the array library that fits the device of the run."""

import importlib
import sys
import warnings
from typing import Any

from amrex import _core

SPACES = ("amrex.space1d", "amrex.space2d", "amrex.space3d")


def library() -> tuple[str, str]:
    """Module and package of the device in use; before initialize that of ZEROFAB_DEVICE, else of the CPU."""
    device = _core._run_device() or "cpu"
    found = _core._array_library(device)
    if found is None:
        raise ImportError(f"no array library is known for '{device}', which is no device of this library")
    return found


def load() -> Any:
    """Import the array library; ImportError names the package to install."""
    module, package = library()
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"xp is {module} in this run, which cannot be imported ({error}): install {package}"
        ) from error


def drop_stale() -> None:
    """Forget, with a warning, an `xp` of another device; `initialize` calls this when it has chosen the device."""
    wanted = library()[0]
    stale = []
    for name in SPACES:
        space = sys.modules.get(name)
        held = vars(space).get("xp") if space is not None else None
        if held is not None and held.__name__ != wanted:
            del vars(space)["xp"]
            stale.append(f"{name}.xp was {held.__name__}")
    if stale:
        warnings.warn(
            f"{', '.join(stale)}, but this run is on the device '{_core._run_device()}': it is {wanted} from now on",
            RuntimeWarning,
            stacklevel=2,
        )
