# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Particle classes by name: one Python class per number of components and kind of memory, made when it is asked for."""

import importlib
import itertools
import re
from collections import namedtuple
from collections.abc import Iterable
from typing import Any

_PLACES = {"default": 0, "arena": 1, "pinned": 2, "managed": 3, "polymorphic": 4}
_WORDS = {number: word for word, number in _PLACES.items()}
_MOST = 999  # components that a name may ask for
_NUMBERS = re.compile(r"(0|[1-9]\d{0,2})")
_ITERATORS = {
    "ParIterBase": None,
    "ParIter": "ParIterBase",
    "ParConstIterBase": None,
    "ParConstIter": "ParConstIterBase",
}
_FAMILIES = (
    "Particle", "StructOfArrays", "ArrayOfStructs", "ParticleTileData", "ParticleTile", "ParticleInitType",
    "ParticleContainer", *_ITERATORS,
)  # fmt: skip
_PLAIN = ("Particle", "ParticleTileData", "ParticleInitType")  # without a kind of memory
_NAME = re.compile(rf"({'|'.join(_FAMILIES)})_(pureSoA_)?((?:\d+_)*\d+)(_idcpu)?(?:_({'|'.join(_PLACES)}))?")
_SHOWN = ("2_1_3_1", "16_4_0_0")  # legacy layouts that dir() lists

Kind = tuple[int, int, int, int, int, int, int]
# Kept by _core, so that a class exists once even if this module is imported again.
_classes: dict[tuple[str, Kind], type] = importlib.import_module("amrex._core").__dict__.setdefault("_classes", {})


def class_of(family: str, kind: Kind) -> type:
    """The class of a family for a kind: (dim, pure, struct reals and ints, array reals and ints, place)."""
    found = _classes.get((family, kind))
    return found if found is not None else _classes.setdefault((family, kind), _make(family, kind))


def _name(family: str, kind: Kind) -> str:
    _, pure, struct_real, struct_int, array_real, array_int, place = kind
    records, arrays = f"{struct_real}_{struct_int}", f"{array_real}_{array_int}"
    end = "" if family in _PLAIN else "_" + _WORDS[place]
    if family == "Particle":
        return f"Particle_{records}"
    if family == "ArrayOfStructs":
        return f"ArrayOfStructs_{records}{end}"
    if family == "StructOfArrays":
        return f"StructOfArrays_{arrays}{'_idcpu' if pure else ''}{end}"
    return f"{family}_pureSoA_{arrays}{end}" if pure else f"{family}_{records}_{arrays}{end}"


def _make(family: str, kind: Kind) -> type:
    dim, pure, struct_real, struct_int, array_real, array_int, _ = kind
    space = importlib.import_module(f"amrex.space{dim}d")
    name = _name(family, kind)
    members: dict[str, Any] = {"_kind": kind, "__module__": space.__name__, "__qualname__": name, "__slots__": ()}
    if family == "Particle":
        members |= {"NReal": struct_real, "NInt": struct_int}
    elif family == "ParticleTile":
        members |= {"NAR": array_real, "NAI": array_int}
    elif family in _ITERATORS or family == "ParticleInitType":
        members |= {"is_soa_particle": bool(pure)}
    elif family == "ParticleContainer":
        members |= {
            "is_soa_particle": bool(pure),
            "num_struct_real": struct_real,
            "num_struct_int": struct_int,
            "num_array_real": array_real,
            "num_array_int": array_int,
            "Iterator": class_of("ParIter", kind),
            "ConstIterator": class_of("ParConstIter", kind),
        }
    if family in _ITERATORS:
        above = _ITERATORS[family]
        base = space.ParIter if above is None else class_of(above, kind)
    else:
        base = getattr(space, family)
    members["__doc__"] = (base.__doc__ or "").partition("\n")[0].replace("Base of the classes", "One of the classes")
    return type(base)(name, (base,), members)


def find_class(dim: int, name: str) -> type | None:
    """The class of this name in a space, None if it is no name of a particle class."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    family, pure, text, idcpu, place = match.groups()
    counts = text.split("_")
    wanted = 2 if pure or family in ("Particle", "StructOfArrays", "ArrayOfStructs") else 4
    if len(counts) != wanted or not all(_NUMBERS.fullmatch(count) for count in counts):
        return None
    numbers = [int(count) for count in counts]
    pair = (0, 0)
    if family in ("Particle", "ArrayOfStructs", "StructOfArrays"):
        layout = (0, *pair, *numbers) if family == "StructOfArrays" else (0, *numbers, *pair)
        layout = (1, *layout[1:]) if idcpu else layout
    else:
        layout = (1, *pair, *numbers) if pure else (0, *numbers)
    if (place is None) != (family in _PLAIN) or (layout[0] and layout[3] < dim):
        return None
    kind: Any = (dim, *layout, _PLACES[place or "default"])
    made = class_of(family, kind)
    return made if made.__name__ == name else None


def known_names(dim: int) -> list[str]:
    """Names that dir() lists; there are many more."""
    names = {"Particle_2_1", "Particle_5_2", "Particle_16_4"}
    places = [place for place in _PLACES if place != "managed"]
    layouts = [f"pureSoA_{reals}_0" for reals in range(max(dim, 2), 12)] + list(_SHOWN)
    for layout in layouts:
        names |= {f"ParticleTileData_{layout}", f"ParticleInitType_{layout}"}
        for place in places:
            names |= {f"{family}_{layout}_{place}" for family in ("ParticleTile", "ParticleContainer", *_ITERATORS)}
    for place in places:
        names |= {f"StructOfArrays_{reals}_0_idcpu_{place}" for reals in range(max(dim, 2), 12)}
        names |= {f"StructOfArrays_{arrays}_{place}" for arrays in ("3_1", "0_0")}
        names |= {f"ArrayOfStructs_{records}_{place}" for records in ("2_1", "16_4")}
    names |= {f"Particle_{reals}_0" for reals in range(max(dim, 2), 12)}
    return sorted(names)


# ---- ids


def _library(array: Any) -> Any:
    """The module for an array of a device (cupy, dpnp), numpy for all else."""
    import numpy as np

    if isinstance(array, np.ndarray):
        return np
    name = type(array).__module__.partition(".")[0]
    return importlib.import_module(name) if name in ("cupy", "dpnp") else np


def _array(idcpus: Any) -> Any:
    """One of our own vectors as an array of the device where it is."""
    if isinstance(idcpus, importlib.import_module("amrex._core").Exporter):
        return idcpus.to_xp()
    return idcpus


def _words(idcpus: Any) -> tuple[Any, Any]:
    """The module for the words, and the words as uint64."""
    idcpus = _array(idcpus)
    xp = _library(idcpus)
    words = xp.asarray(idcpus)
    if words.dtype.kind not in "iu":
        raise TypeError(f"id words are an array of uint64, not of {words.dtype}")
    return xp, words.astype(xp.uint64, copy=False)


def unpack_ids(idcpus: Any) -> Any:
    xp, words = _words(idcpus)
    ids = ((words >> xp.uint64(24)) & xp.uint64((1 << 39) - 1)).astype(xp.int64)
    return xp.where(words >> xp.uint64(63) != 0, ids, -ids)


def unpack_cpus(idcpus: Any) -> Any:
    xp, words = _words(idcpus)
    return (words & xp.uint64((1 << 24) - 1)).astype(xp.int32)


def _pack(idcpus: Any, values: Any, limit: int, name: str) -> tuple[Any, Any, Any]:
    """The module for the words, the words, writable in place, and the values that go into them."""
    import numpy as np

    idcpus = _array(idcpus)
    xp = _library(idcpus)
    if xp is np and not isinstance(idcpus, np.ndarray):
        idcpus = np.asarray(idcpus) if hasattr(idcpus, "__array_interface__") else None
    if idcpus is None or idcpus.dtype != np.uint64:
        raise TypeError(f"{name} writes into an array of uint64")
    if not getattr(idcpus.flags, "writeable", True):
        raise ValueError(f"{name} needs an array that can be written")
    numbers = xp.asarray(values)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{name} needs integers, not {numbers.dtype}")
    if numbers.size and (abs(int(numbers.min())) > limit or int(numbers.max()) > limit):
        raise ValueError(f"{name} takes numbers up to {limit}")
    return xp, idcpus, xp.broadcast_to(numbers, idcpus.shape).astype(xp.int64)


def pack_ids(idcpus: Any, values: Any) -> None:
    xp, words, ids = _pack(idcpus, values, (1 << 39) - 1, "pack_ids")
    kept = words & xp.uint64((1 << 24) - 1)
    sign = (ids >= 0).astype(xp.uint64) << xp.uint64(63)
    words[...] = kept | xp.abs(ids).astype(xp.uint64) << xp.uint64(24) | sign


def pack_cpus(idcpus: Any, values: Any) -> None:
    xp, words, cpus = _pack(idcpus, values, (1 << 24) - 1, "pack_cpus")
    if cpus.size and int(cpus.min()) < 0:
        raise ValueError("pack_cpus takes ranks, which are not negative")
    words[...] = words & xp.uint64((1 << 64) - (1 << 24)) | cpus.astype(xp.uint64)


# ---- many components at once


class _Components(dict[str, Any]):
    """Arrays by name. Where no component is called so, "a", "b" of older scripts mean real_comp0, real_comp1."""

    def __missing__(self, key: object) -> Any:
        if isinstance(key, str) and len(key) == 1 and "a" <= key <= "w":
            name = f"real_comp{ord(key) - ord('a')}"
            if name in self:
                return self[name]
        raise KeyError(key)


def soa_arrays(soa: Any, converter: str, copy: bool) -> Any:
    """(real, int, idcpu) of a StructOfArrays: dicts of arrays by name, and the id words or None."""
    name = type(soa).__name__
    make: Any = namedtuple  # the name of the class follows that of the container, as upstream
    made: Any = make(f"{name}_{converter.removeprefix('to_')}", ["real", "int", "idcpu"])

    def convert(vector: Any) -> Any:
        return getattr(vector, converter)(copy=copy)

    real = _Components(zip(soa.real_names, map(convert, soa.get_real_data()), strict=True))
    integer = dict(zip(soa.int_names, map(convert, soa.get_int_data()), strict=True))
    return made(real, integer, convert(soa.get_idcpu_data()) if soa.has_idcpu else None)


def tile_arrays(tile: Any) -> dict[str, Any]:
    """All components of an iterator's tile as columns, which show its memory if the host reaches it."""
    try:
        soa = soa_arrays(tile.soa(), "to_numpy", False)
    except BufferError:
        soa = soa_arrays(tile.soa(), "to_numpy", True)
    if tile.is_soa_particle:
        return {"idcpu": soa.idcpu, **soa.real, **soa.int}
    try:
        records = tile.aos().to_numpy()
    except BufferError:
        records = tile.aos().to_numpy(copy=True)
    columns = {name: records[name] for name in records.dtype.names}
    return columns | {f"SoA_{name}": array for name, array in itertools.chain(soa.real.items(), soa.int.items())}


def set_column(column: Any, values: Any, name: str) -> None:
    """Write numbers into all of a column, an array of the host or of a device; an error, and none, if one is unfit."""
    import numpy as np

    xp = _library(column)
    numbers = xp.asarray(_array(values))
    if numbers.dtype.kind not in ("iubf" if column.dtype.kind == "f" else "iub"):
        raise TypeError(f"component '{name}' holds {column.dtype}: {numbers.dtype} does not fit, convert it first")
    if numbers.shape not in ((), (1,), column.shape):
        raise ValueError(f"component '{name}' of {len(column)} particles cannot become values of shape {numbers.shape}")
    if column.dtype.kind in "iu" and numbers.dtype.kind in "iu" and numbers.size:
        limits = np.iinfo(column.dtype)
        low, high = int(numbers.min()), int(numbers.max())
        if low < limits.min or high > limits.max:
            worst = low if low < limits.min else high
            raise ValueError(f"component '{name}' holds {column.dtype}: {worst} does not fit")
    same = xp is np and numbers.dtype == column.dtype and numbers.shape == column.shape
    if same and numbers.ctypes.data == column.ctypes.data and numbers.strides == column.strides:
        return  # column += 1 has written already
    column[...] = numbers


def to_df(container: Any, local: bool = True, comm: Any = None, root_rank: int = 0) -> Any:
    """All particles as a pandas.DataFrame, a copy; None if there are none.

    Rows are numbered from 0, in the order of level, box, tile and place in the tile; gathered ones by rank first.
    """
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(f"to_df needs pandas, which cannot be imported ({error}): pip install pandas") from error
    frames = [
        pandas.DataFrame(tile_arrays(tile), copy=False)
        for level in range(container.finest_level + 1)
        for tile in container.const_iterator(level=level)
    ]
    if local or not importlib.import_module(f"amrex.space{container._kind[0]}d").Config.have_mpi:
        if len(frames) == 1:
            return frames[0].copy()
        # concat copies several frames, and not a single one
        return pandas.concat(frames, ignore_index=True) if frames else None
    if comm is None:
        comm = importlib.import_module("mpi4py.MPI").COMM_WORLD
    gathered: Iterable[Any] | None = comm.gather(frames, root=root_rank)
    if gathered is None:
        return None
    every = [frame for rank in gathered for frame in rank]
    return pandas.concat(every, ignore_index=True) if every else None


# ---- files


def read_particles(space: Any, plotfile: str, particle_dir: str, communicate: bool, container: Any) -> Any:
    """Read a species into `container`, or into a new one whose geometry the plotfile gives."""
    if container is None:
        space.ParticleHeader.read(plotfile, particle_dir)  # an error in it comes first
        container = _container_for(space, plotfile)
    container._read_particles(plotfile, particle_dir)
    return container


def _container_for(space: Any, plotfile: str) -> Any:
    try:
        plot = space.PlotFileData(plotfile)
    except OSError as error:
        raise type(error)(
            f"{error}; to read particles without a plotfile around them, give a container with a geometry"
        ) from error
    dim = plot.spaceDim()
    domain, box = plot.probDomain(0), space.RealBox(plot.probLo(), plot.probHi())
    geometry = space.Geometry(domain, box, plot.coordSys(), [0] * dim)
    made = getattr(space, f"ParticleContainer_pureSoA_{dim}_0_polymorphic")
    return made(geometry, plot.DistributionMap(0), plot.boxArray(0))
