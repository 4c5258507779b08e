# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The device that the tests run on: the one that ZEROFAB_DEVICE names, else the host."""

import importlib
import os
from typing import Any

import numpy as np
import pytest

DEVICE = os.environ.get("ZEROFAB_DEVICE", "").partition(":")[0] or "cpu"
ON_HOST = DEVICE == "cpu"
# For what is about the host's own memory; counted as skipped on a device.
host_only = pytest.mark.skipif(not ON_HOST, reason="about memory of the host")
device_only = pytest.mark.skipif(ON_HOST, reason="about memory of a device")


def host(obj: Any, order: str = "F") -> np.ndarray:
    """The values of an object of ours, or of an array of `xp`: on the host a view, on a device a finished copy."""
    if hasattr(obj, "to_numpy"):
        return obj.to_numpy(copy=not ON_HOST, order=order)
    if DEVICE == "sycl" and not isinstance(obj, np.ndarray):
        import dpnp

        return dpnp.asnumpy(obj)
    return obj.get() if hasattr(obj, "get") else np.asarray(obj)


def assign(obj: Any, values: Any) -> None:
    """Write `values` into an object of ours, on a device through its array of `xp`."""
    if ON_HOST:
        obj.to_numpy()[...] = values
    else:
        array = obj.to_xp()
        array[...] = importlib.import_module(type(array).__module__.partition(".")[0]).asarray(values)
