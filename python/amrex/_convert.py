# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of device libraries: views of memory that those reach, finished copies of other memory, announced as such."""

import importlib
import warnings
from typing import Any

from amrex import _core

CUPY = "cupy-cuda12x, cupy-cuda13x or CuPy for ROCm"
CPU = 1  # the host's device type in DLPack


class StagedCopyWarning(UserWarning):
    """An array was copied to another memory: writes to it do not reach the object that it was made from."""


class _OnDevice:
    """An exporter whose pinned or managed memory is shown as its device's, for consumers that know only that."""

    def __init__(self, obj: Any, device: tuple[int, int]) -> None:
        self.obj = obj
        self.device = device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.obj.__dlpack__(**{**keywords, "dl_device": self.device})


def _load(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"to_{module} needs {module}, which cannot be imported ({error}): install {package}"
        ) from error


def _warn(obj: Any, module: str) -> None:
    warnings.warn(
        f"{type(obj).__name__}.to_{module}(): this memory is not of its device, so the array is a staged copy: writes "
        "do not reach the object; use to_numpy() (or copy=True if a copy is what you want)",
        StagedCopyWarning,
        stacklevel=4,
    )


def _on_host(obj: Any, reversed_axes: bool, copy: bool) -> Any:
    return obj.to_numpy(copy=copy, order="F" if reversed_axes else "C")


def to_cupy(obj: Any, copy: bool, reversed_axes: bool) -> Any:
    """A CuPy array of CUDA or ROCm memory, pinned and managed memory included; else a staged copy."""
    cupy = _load("cupy", CUPY)
    kind, number = obj.__dlpack_device__()
    own = _core._device_type(kind, "cupy")
    if own is not None:
        array = cupy.from_dlpack(obj if kind == own else _OnDevice(obj, (own, number)))
        if copy:
            array = array.copy(order="K")
            cupy.cuda.get_current_stream().synchronize()
        return array.transpose() if reversed_axes else array
    if not copy:
        _warn(obj, "cupy")
    array = cupy.array(_on_host(obj, reversed_axes, kind != CPU), order="K")
    array.device.synchronize()
    return array


def to_dpnp(obj: Any, copy: bool, reversed_axes: bool) -> Any:
    """A dpnp array of SYCL memory of any kind; else a staged copy on the run's device or the default one."""
    dpnp = _load("dpnp", "dpnp")
    kind, _ = obj.__dlpack_device__()
    if _core._device_type(kind, "dpnp") is not None:
        array = dpnp.from_dlpack(obj, copy=True) if copy else dpnp.from_dlpack(obj)
        return array.transpose() if reversed_axes else array
    if not copy:
        _warn(obj, "dpnp")
    device = _core._device_number("dpnp")
    where = {} if device is None else {"device": str(device)}  # else dpnp's default
    array = dpnp.array(_on_host(obj, reversed_axes, kind != CPU), order="K", **where)
    array.sycl_queue.wait()
    return array


def to_dpctl(obj: Any, copy: bool, reversed_axes: bool) -> Any:
    """The usm_ndarray behind the array of to_dpnp."""
    return to_dpnp(obj, copy, reversed_axes).get_array()
