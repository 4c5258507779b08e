# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Many tensors in one call: all boxes of several fields, all components of all particle tiles."""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from amrex import _convert, _core


class HasExporters(Protocol):
    """A container that lists its parts: nested lists and dicts of objects with data."""

    def exporters(self) -> Any: ...


Consumer = Callable[[Any], Any]


def exchange(library: str | ModuleType, *fields: HasExporters | _core.Exporter) -> Any:
    """All parts of `fields` as tensors of a library, in place wherever the library can read the memory.

    library: "numpy", "torch", "jax", "cupy", "dpnp", any other module that has `from_dlpack`, or the module itself.
    fields: FabArrays, containers, tiles or StructOfArrays of particles, or single objects such as Array4 and PODVector.

    Gives, for one field, what its `exporters()` gives with a tensor in place of each part:
    - a FabArray: a list, one tensor per local box, ghosts included, axes (component, k, j, i);
    - a particle container: a list of levels, each a dict {(box, tile): {component name: tensor}}; neighbors included;
    - a tile or StructOfArrays: a dict {component name: tensor};
    - a single object: a tensor.
    For several fields: a list of that; for none: an empty list.  The tensors own shares of the memory; those made by
    DLPack block finalize() while they live, NumPy's do not.  ImportError if the library is not installed, TypeError for
    what has no data, BufferError for what the library cannot show: torch has no negative strides.  Components of legacy
    records are strided, which JAX refuses.

        blocks = amr.exchange("torch", mf)      # blocks[0].mul_(2) changes box 0 of mf
        x = amr.exchange("numpy", pc)[0][0, 0]["x"]
    """
    consume = consumer(library)
    results = [_map(consume, _parts(field)) for field in fields]
    return results[0] if len(fields) == 1 else results


def _parts(field: Any) -> Any:
    if isinstance(field, _core.Exporter):
        return field
    if not hasattr(field, "exporters"):
        raise TypeError(
            f"exchange takes FabArrays, particles, and single objects with data such as Array4 or PODVector, "
            f"not {type(field).__name__}"
        )
    return field.exporters()


def consumer(library: str | ModuleType) -> Consumer:
    """The fastest public way of a library to take one object in."""
    name = library if isinstance(library, str) else library.__name__
    if name == "numpy":
        return lambda part: part.to_numpy(order="C")
    if name in ("cupy", "dpnp"):
        convert = {"cupy": _convert.to_cupy, "dpnp": _convert.to_dpnp}[name]
        return lambda part: convert(part, False, False)
    try:
        module: Any = importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"exchange with {name} needs it to be installed: {error}") from error
    if name == "torch":
        take = importlib.import_module("torch.utils.dlpack").from_dlpack
        # A capsule spares torch the questions about device and stream that memory of the host has no use for, and
        # this one refuses negative strides, at which torch would end the process.
        return lambda part: take(part._torch_capsule())
    if name in ("jax", "jax.numpy"):
        module = importlib.import_module("jax.dlpack")
    if not hasattr(module, "from_dlpack"):
        raise TypeError(f"{name} has no from_dlpack: exchange needs a library that speaks DLPack")
    from_dlpack: Consumer = module.from_dlpack
    return from_dlpack


def _map(consume: Consumer, parts: Any) -> Any:
    if isinstance(parts, _core.Exporter):
        return consume(parts)
    if isinstance(parts, dict):
        if parts and isinstance(next(iter(parts.values())), _core.Exporter):
            return {key: consume(part) for key, part in parts.items()}
        return {key: _map(consume, part) for key, part in parts.items()}
    if parts and isinstance(parts[0], _core.Exporter):
        return [consume(part) for part in parts]
    return [_map(consume, part) for part in parts]
