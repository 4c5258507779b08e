# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Whether a value fits the type of a parameter, and what to pass instead. Imported only for messages of errors."""

import math
import operator
import re
import sys
from typing import Any, NamedTuple

from amrex._signatures import PUBLIC, Wanted

_METHODS = ("nb_bound_method", "nb_method", "method", "builtin_function_or_method")
_INT_MOST = 2**31
_ITEMS = 1000  # of a list that are looked at
# (wanted, given): what to pass instead. Classes by name, without the digits of their space.
_INSTEAD = {
    ("Periodicity", "Geometry"): "pass its .periodicity()",
    ("Box", "Geometry"): "pass its .domain",
    ("RealBox", "Geometry"): "pass its .prob_domain",
    ("Box", "BoxArray"): "pass one of its boxes, or .minimal_box()",
    ("BoxArray", "Box"): "pass BoxArray(box)",
    ("BoxArray", "MultiFab"): "pass its .box_array()",
    ("BoxArray", "list"): "pass BoxArray(boxes)",
    ("DistributionMapping", "MultiFab"): "pass its .dm()",
    ("DistributionMapping", "BoxArray"): "pass DistributionMapping(box_array)",
    ("IndexType", "Box"): "pass its .ix_type",
    ("RealBox", "Box"): "a RealBox has lengths, a Box has cell numbers: RealBox(low, high)",
    ("Box", "RealBox"): "a Box has cell numbers, a RealBox lengths: Box(low, high)",
    ("IntVect", "RealVect"): "an IntVect has integers: IntVect(*map(int, v))",
    ("MultiFab", "FArrayBox"): "it is one block of memory: a MultiFab has one for each box",
    ("MultiFab", "Array4"): "it is one block of memory: a MultiFab has one for each box",
}
_NUMBERS = {"int": "an integer", "float": "a number", "complex": "a number"}


def _is(value: Any, cls: Any) -> bool:
    """isinstance() that asks nothing of the value."""
    return issubclass(type(value), cls)


class Where(NamedTuple):
    """Whose function it is: its module, dimensions (0: any), and the ids of arguments whose __init__ never ran."""

    module: str
    dim: int
    unmade: list[int]


class Verdict(NamedTuple):
    fits: bool
    reason: str = ""  # fits: why it may have been refused all the same; else what to pass instead
    same_kind: bool = False  # does not fit, but is what was meant: a Box of another dimension


_FITS = Verdict(True)
_NO = Verdict(False)


def article(noun: str) -> str:
    if noun.startswith(("Any", "object", "None")):
        return noun
    if noun.startswith("Literal["):
        return "one of " + noun[8:].rstrip("]")
    return f"{'an' if noun[:1] in 'AEIOUaeio' else 'a'} {noun.replace(' | ', ' or ')}"


def name_of(cls: type) -> str:
    return re.sub(r"^(?:builtins|amrex\._core|amrex\.space\dd)\.", "", f"{cls.__module__}.{cls.__qualname__}")


def describe(value: Any, with_space: bool = False) -> str:
    """What was given: "the str 'x'", "a Geometry", "an amrex.space2d.Box", "a numpy.ndarray of shape (3,)"."""
    cls = type(value)
    if value is None or value is NotImplemented or value is Ellipsis:
        return str(value)
    if _is(value, type):
        return f"the class {value.__name__}"
    if cls.__name__ in _METHODS:
        return f"the method {getattr(value, '__name__', '')}".rstrip()
    if cls in (int, float, complex, bool, str, bytes, tuple, list, slice, range):
        if cls in (list, tuple) and len(value) > 8:
            return f"a {cls.__name__} of {len(value)} items"
        try:
            text = ascii(value[:50] if cls in (str, bytes) else value)
        except Exception:
            text = ""
        text = text if len(text) <= 40 else f"{text[:36]}..."
        return f"the {cls.__name__} {text}" if text else f"a {cls.__name__}"
    shape = _shape(value)
    if shape is not None:
        return f"{article(name_of(cls))} of shape {shape}"
    space = cls.__module__.rpartition(".")[2]
    return article(f"amrex.{space}.{name_of(cls)}" if with_space and space.startswith("space") else name_of(cls))


def in_space(shown: str, dimensions: int) -> str:
    """A class that each space has, as the one of this space."""
    single = re.fullmatch(r"[A-Z]\w*", shown) and not re.search(r"\dD$", shown)
    return f"amrex.space{dimensions}d.{shown}" if single and dimensions else shown


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of an array of another library."""
    if type(value).__module__.startswith("amrex"):
        return None
    try:
        if not hasattr(type(value), "__dlpack__") and not hasattr(value, "__array_interface__"):
            return None
        return tuple(int(n) for n in value.shape)
    except Exception:
        return None


def judge(wanted: Wanted, value: Any, where: Where) -> Verdict:
    """Whether `value` can be given where `wanted` stands; what cannot be told fits."""
    if wanted.kind == "or":
        verdicts = [judge(part, value, where) for part in wanted.parts]
        return min(verdicts, key=lambda v: (not v.fits, bool(v.reason) if v.fits else not v.reason))
    if wanted.kind == "value":
        return Verdict(type(value) is type(wanted.value) and value == wanted.value)
    if wanted.kind == "foreign":
        return _NO
    if wanted.kind == "generic":
        return _judge_generic(wanted, value, where)
    return _judge_name(wanted.name, value, where) if wanted.kind == "name" else _FITS


def _judge_name(wanted: str, value: Any, where: Where) -> Verdict:
    last = wanted.rpartition(".")[2]
    check = _CHECKS.get(last)
    if check is not None and ("." not in wanted or not wanted.startswith("amrex")):
        verdict: Verdict = check(value)
        return verdict
    cls = find_class(wanted, where.module)
    if cls is None:
        return Verdict(value is not None) if last not in ("object", "Any") else _FITS
    if issubclass(type(value), cls):
        if id(value) in where.unmade:
            return Verdict(True, "it was never made: call __init__ of its base class first")
        return _FITS
    return _judge_other(cls, value, where)


def is_open(wanted: Wanted, module: str) -> bool:
    """Whether a type says nothing that could be judged."""
    if wanted.kind == "generic":
        return any(is_open(part, module) for part in wanted.parts)
    last = wanted.name.rpartition(".")[2]
    known = last in _CHECKS and last not in ("object", "Any")
    return wanted.kind == "any" or (wanted.kind == "name" and not known and find_class(wanted.name, module) is None)


def find_class(wanted: str, module: str) -> type | None:
    """The class that a signature names, with its module or without."""
    parts = wanted.split(".")
    modules = [".".join(parts[:2])] if parts[0] == "amrex" else [module, "amrex._core"]
    rest = parts[2:] if parts[0] == "amrex" else parts
    for name in modules:
        found: Any = sys.modules.get(name)
        for part in rest:
            found = vars(found).get(part) if isinstance(found, type) or hasattr(found, "__name__") else None
        if isinstance(found, type):
            return found
    return None


def _judge_other(cls: type, value: Any, where: Where) -> Verdict:
    """An object that is no instance of one of our classes."""
    name = cls.__name__
    family = re.sub(r"\dD$", "", name)
    if type(value) in (tuple, list) and (family in ("IntVect", "RealVect") or name.startswith("Vector_")):
        if family in ("IntVect", "RealVect"):
            number = Wanted("name", "int" if family == "IntVect" else "float")
            found = _judge_each([number] * dimension(cls), value, where)
            return Verdict(found.fits, found.reason, not found.fits)
        try:
            cls(value)
        except Exception as error:
            return Verdict(False, str(error).partition("\n")[0][:120])
        return _FITS
    if family == re.sub(r"\dD$", "", type(value).__name__):
        own, theirs = dimension(cls), dimension(type(value))
        if own != theirs and own and theirs:
            count = f"{theirs} dimension{'s' if theirs > 1 else ''}"
            return Verdict(False, f"this one has {count}, {own} {'is' if own < 2 else 'are'} needed", True)
    return Verdict(False, _instead(cls, value))


def _instead(cls: type, value: Any) -> str:
    name, given = cls.__name__, type(value)
    family = re.sub(r"\dD$", "", name)
    if _is(value, type):
        return "pass an object of the class" if issubclass(value, cls) else ""
    for base in given.__mro__:
        key = (PUBLIC.get(family, family), re.sub(r"\dD$", "", PUBLIC.get(base.__name__, base.__name__)))
        key = (
            (key[0], "MultiFab")
            if key[1] in ("iMultiFab", "fMultiFab", "FabArrayBase") and key[0] != "MultiFab"
            else key
        )
        key = (key[0], "Array4") if key[1].startswith("Array4_") else key
        if key in _INSTEAD:
            return _INSTEAD[key]
    public = PUBLIC.get(name, name)
    if name in PUBLIC and any(base.__name__ in PUBLIC for base in given.__mro__):
        return f"its elements are of another type: copy it into {article(public)} through to_numpy()"
    if name in PUBLIC and _shape(value) is not None:
        return f"an array goes into a field by field[...] = array or {public}.from_arrays"
    if family in ("IntVect", "RealVect"):
        if _is(value, int | float) and not _is(value, bool) and math.isfinite(value):
            return f"pass {name}({int(value) if family == 'IntVect' else value})"
        if _shape(value) is not None:
            return f"pass {name}(*array.tolist())" if len(_shape(value) or ()) == 1 else ""
    if name.startswith("Vector_") and not _is(value, str | bytes) and hasattr(given, "__iter__"):
        return f"pass {name}(list(...))"
    members = getattr(cls, "__members__", None)
    if members:
        return f"pass one of {', '.join(f'{cls.__qualname__}.{m}' for m in list(members)[:4])}"
    return "call it, with ()" if given.__name__ in _METHODS else ""


def dimension(cls: type) -> int:
    found = re.search(r"(\d)D$", cls.__name__) or re.search(r"space(\d)d$", cls.__module__)
    return int(found[1]) if found else 0


# ---- types of Python


def _judge_generic(wanted: Wanted, value: Any, where: Where) -> Verdict:
    outer = wanted.name.rpartition(".")[2]
    if outer == "Literal":
        return Verdict(any(judge(part, value, where).fits for part in wanted.parts))
    if outer == "Callable":
        return Verdict(callable(value))
    if outer == "PathLike":
        return Verdict(hasattr(type(value), "__fspath__"))
    if outer == "Optional":
        return _FITS if value is None else judge(wanted.parts[0], value, where)
    if outer in ("Sequence", "Iterable", "list", "tuple", "Collection", "Iterator"):
        return _judge_items(outer, wanted.parts, value, where)
    return Verdict(value is not None)


def _judge_items(outer: str, parts: tuple[Wanted, ...], value: Any, where: Where) -> Verdict:
    inner = parts[0]
    method = "__iter__" if outer in ("Iterable", "Iterator") else "__getitem__"
    text = _is(value, str | bytes)
    if text or _is(value, dict) or not hasattr(type(value), method):
        return Verdict(False, "" if outer == "tuple" else _as_list(inner, value, where))
    if not _is(value, list | tuple):
        found = _judge_first(inner, value, where) if method == "__getitem__" else _FITS
        single = "" if found.fits else _as_list(inner, value, where)
        return Verdict(False, single) if single else found
    if outer == "tuple" and (len(parts) != 2 or parts[1] != Wanted("value", value=...)):
        return _judge_each(list(parts), value, where)
    found = _judge_each([inner] * len(value), value, where)
    if found == _FITS and where.dim and len(value) != where.dim:
        return Verdict(True, f"it has {len(value)} items, perhaps {where.dim} are needed")
    return found


def _as_list(inner: Wanted, value: Any, where: Where) -> str:
    """What to pass where one item was given for a list of them."""
    if value is None or not judge(inner, value, where).fits:
        return ""
    shown = ascii(value) if type(value) in (str, int, float, bool) else "it"
    shown = shown if len(shown) < 40 else "it"
    count = where.dim if inner.name in ("int", "float") else 1  # one number per direction
    return f"pass [{', '.join([shown] * max(count, 1))}]"


def _judge_first(kind: Wanted, value: Any, where: Where) -> Verdict:
    """A sequence of a class of its own: by its first item."""
    try:
        items = [value[0]] if len(value) else []
    except Exception:
        return _NO
    return _judge_each([kind] * len(items), items, where)


def _judge_each(kinds: list[Wanted], items: Any, where: Where) -> Verdict:
    if len(kinds) != len(items):
        return Verdict(False, f"it has {len(items)} items, {len(kinds)} are needed")
    for i, (kind, item) in enumerate(zip(kinds[:_ITEMS], items[:_ITEMS], strict=True)):
        verdict = judge(kind, item, where)
        if not verdict.fits:
            return Verdict(False, f"item {i} is {describe(item)}" + (f", {verdict.reason}" if verdict.reason else ""))
        if verdict.reason:
            return Verdict(True, f"item {i}: {verdict.reason}")
    return _FITS


def _number(kind: str, value: Any) -> Verdict:
    """What to pass where a number is needed."""
    shape = _shape(value)
    if shape is not None:
        size = math.prod(shape)
        return Verdict(False, "pass array.item()" if size == 1 else f"it has {size} elements: pass one number")
    if _is(value, str | bytes):
        return Verdict(False, f"pass {kind}(text)" if re.fullmatch(r"\s*[-+.\d][\w.+-]*\s*", str(value)) else "")
    if _is(value, float | complex) and kind == "int":
        return Verdict(False, "pass int(x) if the part after the point may go")
    if type(value).__name__ in _METHODS:
        return Verdict(False, "call it, with ()")
    if _is(value, list | tuple) and len(value) == 1:
        return Verdict(False, "pass its one item")
    return _NO


def _int(value: Any) -> Verdict:
    try:
        number = operator.index(value)
    except Exception:
        return _number("int", value)
    if not -_INT_MOST <= number < _INT_MOST:
        return Verdict(True, "it may be out of range")
    return Verdict(True, "it may have to be positive") if number < 0 else _FITS


def _float(value: Any) -> Verdict:
    if _is(value, str | bytes) or not (hasattr(type(value), "__float__") or hasattr(type(value), "__index__")):
        return _number("float", value)
    try:
        float(value)
    except OverflowError:
        return Verdict(True, "it is out of range")
    except Exception:
        return _number("float", value)
    return _FITS


def _complex(value: Any) -> Verdict:
    return _FITS if _is(value, complex) else _float(value)


def _bool(value: Any) -> Verdict:
    if value is True or value is False:
        return _FITS
    whole = _is(value, int) or type(value).__name__ in ("bool_", "bool")
    return Verdict(False, "pass bool(x)" if whole else "")


def _str(value: Any) -> Verdict:
    if _is(value, str):
        try:
            value.encode()
        except UnicodeError:
            return Verdict(True, "it has no UTF-8 form")
        return _FITS
    if _is(value, bytes):
        return Verdict(False, "pass its .decode()")
    return Verdict(False, "pass str(path)" if hasattr(type(value), "__fspath__") else "")


def _index(value: Any) -> Verdict:
    return Verdict(hasattr(type(value), "__index__"))


_CHECKS: dict[str, Any] = {
    "int": _int,
    "float": _float,
    "complex": _complex,
    "bool": _bool,
    "str": _str,
    "bytes": lambda value: Verdict(_is(value, bytes)),
    "slice": lambda value: Verdict(_is(value, slice)),
    "dict": lambda value: Verdict(_is(value, dict)),
    "list": lambda value: Verdict(_is(value, list)),
    "tuple": lambda value: Verdict(_is(value, tuple)),
    "SupportsIndex": _index,
    "EllipsisType": lambda value: Verdict(value is Ellipsis),
    "Callable": lambda value: Verdict(callable(value)),
    "ModuleType": lambda value: Verdict(isinstance(value, type(sys))),
    "object": lambda value: _FITS,
    "Any": lambda value: _FITS,
}
