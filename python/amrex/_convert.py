# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of device libraries from memory that those cannot read: finished copies, announced as such."""

import importlib
import warnings
from typing import Any


class StagedCopyWarning(UserWarning):
    """An array was copied to another memory: writes to it do not reach the object that it was made from."""


def _stage(obj: Any, module: str, package: str, copy: bool, order: str) -> Any:
    """A copy of `obj` made by the library `module`, in the memory order that `order` asks for."""
    try:
        library = importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"to_{module} needs {module}, which cannot be imported ({error}): install {package}"
        ) from error
    if not copy:
        warnings.warn(
            f"{type(obj).__name__}.to_{module}(): this memory is the host's, so the array is a staged copy: writes do "
            "not reach the object; use to_numpy() (or copy=True if a copy is what you want)",
            StagedCopyWarning,
            stacklevel=3,
        )
    return library.array(obj.to_numpy(order=order), order="K")


def to_cupy(obj: Any, copy: bool, order: str) -> Any:
    """A CuPy array with a finished copy of host memory, on CuPy's current device."""
    array = _stage(obj, "cupy", "cupy-cuda12x, cupy-cuda13x or CuPy for ROCm", copy, order)
    array.device.synchronize()
    return array


def to_dpnp(obj: Any, copy: bool, order: str) -> Any:
    """A dpnp array with a finished copy of host memory, on dpnp's default device."""
    array = _stage(obj, "dpnp", "dpnp", copy, order)
    array.sycl_queue.wait()
    return array
