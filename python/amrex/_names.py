# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The message for a name that a space does not have. Imported when needed."""

import difflib
import re
import sys

from amrex import _particles

# Names of pyAMReX that have no counterpart here, by pattern, and what to use.
_ABSENT = (
    (r"Amr(Core|Info|Mesh|ParGDB)|ParGDBBase|TagBox(Array)?", "refinement in levels is not there yet"),
    (
        r"(fill_domain_boundary|setBC|CpuBndryFuncFab|PhysBC\w*)",
        "boundary functions are not there yet: fill ghost cells outside the domain through field.array(mfi)",
    ),
    (r"EB\w+|makeEBFabFactory", "embedded boundaries are not there yet"),
    (r"MPMD_\w+|initialize_when_MPMD", "several programs in one MPI run are not supported"),
    (r"dtoh_memcpy|htod_memcpy", "copy with to_numpy(copy=True), and back with field[...] = array"),
)
_PLACES = "default, arena, pinned, managed or polymorphic"


def unknown_name(space: str, dim: int, name: str) -> str:
    """`module 'amrex.space3d' has no attribute 'Multifab'. Did you mean 'MultiFab'?`"""
    text = f"module '{space}' has no attribute '{name}'"
    if name.startswith("_"):
        return text
    for pattern, what in _ABSENT:
        if re.fullmatch(pattern, name):
            return f"{text}: {what}"
    if more := _particle_name(dim, name) or _elsewhere(dim, name):
        return f"{text}: {more}"
    near = _near(name, [known for known in dir(sys.modules[space]) if not known.startswith("_")])
    return f"{text}. Did you mean {' or '.join(repr(word) for word in near)}?" if near else text


def _plain(word: str) -> str:
    return word.replace("_", "").lower()


def _near(name: str, known: list[str]) -> list[str]:
    same = [word for word in known if _plain(word) == _plain(name)]
    if same:
        return same[:2]
    words = {_plain(word): word for word in known if abs(len(word) - len(name)) <= 3}
    near = [words[word] for word in difflib.get_close_matches(_plain(name), list(words), 2, 0.75)]
    if near or "_" not in name:
        return near
    parts = set(name.split("_"))
    whole = [word for word in known if parts <= set(word.split("_"))]  # write_plotfile
    family = [word for word in known if word.startswith(name.partition("_")[0] + "_")]  # PODVector_double
    return whole[:3] or difflib.get_close_matches(name, family, 3, 0.5)


def _elsewhere(dim: int, name: str) -> str:
    """Names of another space, and of classes that every space has under its own number."""
    for other in (1, 2, 3):
        module = sys.modules.get(f"amrex.space{other}d")
        if other != dim and module is not None and name in vars(module):
            return f"amrex.space{other}d has it"
    if name in ("space1d", "space2d", "space3d"):
        return f"import amrex.{name}"
    return ""


def _particle_name(dim: int, name: str) -> str:
    family = re.match(r"(ParticleContainer|ParticleTile|ParConstIter|ParIter|StructOfArrays|ArrayOfStructs)_", name)
    if family is None:
        return ""
    reals = re.fullmatch(r"\w+?_pureSoA_(\d+)_\d+_\w+", name)
    if reals and int(reals[1]) < dim:
        return f"particles of {dim} dimensions have at least {dim} real components, their positions"
    if any(re.fullmatch(rf"{name}_\w+", known) for known in _particles.known_names(dim)):
        return f"add where the memory is: {name}_default ({_PLACES})"
    form = {
        "StructOfArrays": "StructOfArrays_R_I_PLACE or StructOfArrays_R_I_idcpu_PLACE",
        "ArrayOfStructs": "ArrayOfStructs_R_I_PLACE",
    }.get(family[1], f"{family[1]}_pureSoA_R_I_PLACE or {family[1]}_R_I_R_I_PLACE")
    return f"such names are {form}, R reals and I ints, PLACE {_PLACES}"
