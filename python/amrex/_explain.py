# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The message of a call that fits no overload: the wrong argument and the nearest right call. Imported when needed."""

import difflib
import re
from typing import Any, NamedTuple

from amrex import _fits
from amrex._fits import article, describe
from amrex._signatures import Parameter, render, signatures

_LONGEST = 560  # characters of a message
_NONE = object()  # no receiver, or none that fits
# How much a fault counts against an overload: the one with the least is what was meant.
_WRONG, _NEAR, _SAME_KIND, _SUSPECT = 1.0, 0.6, 0.3, 0.1
_MISSING, _SURPLUS, _MISSPELT, _SWAPPED = 0.9, 1.05, 0.4, 0.7


class Fault(NamedTuple):
    weight: float
    where: tuple[int, str]  # position from 1 (0: by name), name
    text: str
    wanted: str = ""  # the type, where a value of another one was given
    hint: str = ""


class Match(NamedTuple):
    """One overload and what in a call does not fit it."""

    signature: list[Parameter]
    faults: list[Fault]

    @property
    def weight(self) -> float:
        return sum(fault.weight for fault in self.faults)


# ---- one overload


def match(signature: list[Parameter], args: list[Any], keywords: dict[str, Any], where: _fits.Where) -> Match:
    """What in this call does not fit this overload."""
    faults: list[Fault] = []
    places = [p for p in signature if p.kind in ("place", "both")]
    rest = next((p for p in signature if p.kind == "*"), None)
    named = {p.name: p for p in signature if p.kind in ("both", "name")}
    filled = set()
    for i, value in enumerate(args):
        if i < len(places):
            filled.add(places[i].name)
            faults += _value_fault(places[i], (i + 1, places[i].name), value, where)
        elif rest is not None:
            faults += _value_fault(rest, (i + 1, rest.name), value, where)
        else:
            count = f"{len(places)} argument{'s' if len(places) != 1 else ''}" if places else "no arguments"
            text = f"argument {i + 1} ({describe(value)}) is one too many: it takes {count}"
            faults.append(Fault(_SURPLUS * (len(args) - i), (i + 1, ""), text))
            break
    for key, value in keywords.items():
        if key in named and key in filled:
            text = f"argument {_position(places, key)} ({key}) is given twice, by position and by name"
            faults.append(Fault(_WRONG, (0, key), text))
        elif key in named:
            filled.add(key)
            faults += _value_fault(named[key], (0, key), value, where)
        elif not any(p.kind == "**" for p in signature):
            free = [name for name in named if name not in filled and name not in keywords]
            near = _near(key, free)
            text = f"there is no argument '{key}'" + (f", did you mean '{near}'" if near else "")
            faults.append(Fault(_MISSPELT if near else _MISSING, (0, key), text))
            if near:
                filled.add(near)
    for i, p in enumerate(places + [p for p in signature if p.kind == "name"]):
        if p.default is None and p.name not in filled:
            label = f"argument {i + 1} ({p.name})" if p.kind != "name" else f"the keyword argument '{p.name}'"
            faults.append(Fault(_MISSING, (i + 1, p.name), f"{label} is missing"))
    faults = _swapped(places, args, _renamed(faults), where)
    certain = [fault for fault in faults if fault.weight > _SUSPECT]
    return Match(signature, certain or faults)


def _renamed(faults: list[Fault]) -> list[Fault]:
    """One unknown keyword and one missing argument: its name was meant."""
    unknown = [f for f in faults if f.text == f"there is no argument '{f.where[1]}'"]
    missing = [f for f in faults if f.text.endswith("is missing")]
    if len(unknown) != 1 or len(missing) != 1:
        return faults
    text = f"{unknown[0].text}, did you mean '{missing[0].where[1]}'"
    return [f for f in faults if f not in (*unknown, *missing)] + [Fault(_MISSPELT, unknown[0].where, text)]


def _swapped(places: list[Parameter], args: list[Any], faults: list[Fault], where: _fits.Where) -> list[Fault]:
    """Two wrong arguments that would fit each in the place of the other."""
    wrong = [f for f in faults if f.wanted and f.where[0]]
    if len(wrong) != 2 or wrong[1].where[0] > len(places):
        return faults
    i, j = (fault.where[0] - 1 for fault in wrong)
    if not (_fits.judge(places[i].wanted, args[j], where).fits and _fits.judge(places[j].wanted, args[i], where).fits):
        return faults
    text = f"arguments {i + 1} ({places[i].name}) and {j + 1} ({places[j].name}) are in the wrong order"
    return [f for f in faults if f not in wrong] + [Fault(_SWAPPED, wrong[0].where, text)]


def _position(places: list[Parameter], name: str) -> int:
    return next((i + 1 for i, p in enumerate(places) if p.name == name), 0)


def _near(word: str, words: list[str]) -> str | None:
    plain = {re.sub(r"_", "", w).lower(): w for w in words}
    close = difflib.get_close_matches(re.sub(r"_", "", word).lower(), list(plain), 1, 0.6)
    return plain[close[0]] if close else None


def _label(where: tuple[int, str]) -> str:
    place, name = where
    if not place:
        return f"argument '{name}'"
    return f"argument {place}" if re.fullmatch(r"(arg|args)\d*|", name) else f"argument {place} ({name})"


def _value_fault(p: Parameter, where: tuple[int, str], value: Any, context: _fits.Where) -> list[Fault]:
    verdict = _fits.judge(p.wanted, value, context)
    if verdict.fits and not verdict.reason:
        return []
    if verdict.fits:  # of the right type, but perhaps not of the right value
        return [Fault(_SUSPECT, where, f"{_label(where)} is {describe(value)}: {verdict.reason}")]
    wanted = _fits.in_space(p.wanted.shown, context.dim) if verdict.same_kind else p.wanted.shown
    text = f"{_label(where)} must be {article(wanted)}, not {describe(value, verdict.same_kind)}"
    weight = _SAME_KIND if verdict.same_kind else _NEAR if verdict.reason else _WRONG
    return [Fault(weight, where, text, p.wanted.shown, verdict.reason)]


# ---- the message


def explain(function: Any, args: list[Any], keywords: dict[str, Any], unmade: list[Any], found: str = "") -> str | None:
    """The message for a call of `function` that fits none of its overloads; `unmade`: objects without __init__.

    `found`: what was said where an overload was found and an argument is no number: None if it cannot be said which.
    """
    name, args, receiver = _caller(function, args)
    is_property = _is_method(function) and not function.__name__
    called = name if is_property else f"{name}()"
    module = function.__module__ or next((c.__module__ for c in type(receiver).__mro__ if _is_ours(c)), "amrex._core")
    context = _fits.Where(module, _fits.dimension(type(receiver)), [id(x) for x in unmade])
    if receiver is _NONE:
        given = f", not on {describe(args[0], True)}" if args else ""
        return f"{called} is a method: call it on {article(name.rpartition('.')[0])}{given}"
    if id(receiver) in context.unmade and function.__name__ not in ("__init__", "__setstate__"):
        return f"{called}: this {type(receiver).__name__} was never made: call __init__ of its base class first"
    matches = [match(_own(function, s), args, keywords, context) for s in signatures(function)]
    if not matches:
        return f"{called}: no overload takes these arguments: {_types(args, keywords)}"
    best = min(matches, key=lambda m: m.weight)
    if found and not best.faults:
        free = [(i, p) for i, p in enumerate(best.signature[: len(args)]) if _fits.is_open(p.wanted, module)]
        return f"{called}: {_label((free[0][0] + 1, free[0][1].name))}: {found}" if len(free) == 1 else None
    text = f"{called}: {_reason(best, matches, args, keywords)}"
    if is_property:
        return _shortened(text.replace("argument 1", "the value"), "")
    return _shortened(text, _ending(name, best, len(matches)))


def _is_ours(cls: type) -> bool:
    return cls.__module__.startswith("amrex.")


def _shortened(text: str, ending: str) -> str:
    room = _LONGEST - len(ending)
    return (text if len(text) <= room else f"{text[: room - 3]}...") + ending


def _reason(best: Match, matches: list[Match], args: list[Any], keywords: dict[str, Any]) -> str:
    faults = best.faults
    if not faults:
        return f"the arguments do not fit together in any of its overloads: {_types(args, keywords)}"
    if len(faults) == 1 and faults[0].wanted and not faults[0].hint:
        # Overloads that are as near and differ in what they want there.
        other = [m.faults[0] for m in matches if len(m.faults) == 1 and m.weight == best.weight]
        place = faults[0].where
        wanted = list(
            dict.fromkeys(f.wanted for f in other if f.wanted and (f.where[0] or f.where) == (place[0] or place))
        )
        if len(wanted) > 1:
            head, _, tail = faults[0].text.partition(" must be ")
            name = _label((place[0], "")) if place[0] else head
            return f"{name} must be {_either(wanted)}, not {tail.rpartition(', not ')[2]}"
    missing = [f.where[1] for f in faults if f.text.endswith("is missing")]
    if len(missing) > 1:
        kept = [f.text for f in faults if not f.text.endswith("is missing")]
        return "; ".join([*kept, f"arguments are missing: {', '.join(missing)}"])
    faults = sorted(faults, key=lambda f: -f.weight)[:3] if len(faults) > 3 else faults
    return "; ".join(f.text + (f": {f.hint}" if f.hint else "") for f in faults)


def _either(wanted: list[str]) -> str:
    words = [article(w) for w in wanted[:5]]
    return ", ".join(words[:-1]) + " or " + words[-1]


def _ending(name: str, best: Match, count: int) -> str:
    shown = render(name.rpartition(".")[2], best.signature)
    return f". Nearest call: {shown}" if count > 1 else f". The call is: {shown}"


def _types(args: list[Any], keywords: dict[str, Any]) -> str:
    words = [f"argument {i + 1} is {describe(value)}" for i, value in enumerate(args)]
    words += [f"argument '{key}' is {describe(value)}" for key, value in keywords.items()]
    return ", ".join(words) or "none were given"


def _is_method(function: Any) -> bool:
    return type(function).__name__ == "nb_method"


def _own(function: Any, signature: list[Parameter]) -> list[Parameter]:
    """Without self or cls."""
    bound = _is_method(function) or (bool(signature) and signature[0].name == "cls")
    return signature[1:] if bound else signature


def _caller(function: Any, args: list[Any]) -> tuple[str, list[Any], Any]:
    """The name to show, the arguments without self, and self."""
    own = function.__name__
    above = (getattr(function, "__qualname__", None) or "").rpartition(".")[0]
    if not _is_method(function):
        takes_class = (
            bool(args) and isinstance(args[0], type) and any(s[:1] and s[0].name == "cls" for s in signatures(function))
        )
        if takes_class:
            return f"{args[0].__name__}.{own}".replace(".__new__", ""), args[1:], None
        return f"{above}.{own}" if above else own, args, None
    receiver = args[0] if args else _NONE
    cls = type(receiver)
    owner = _fits.find_class(above, function.__module__)
    if receiver is _NONE or (owner is not None and not issubclass(cls, owner)):
        return f"{above}.{own}" if own else above, args, _NONE
    if not own:
        return f"{cls.__name__}.{_property_of(cls, function)}", args[1:], receiver
    if own == "__init__":
        return cls.__name__, args[1:], receiver
    return f"{cls.__name__}.{own}", args[1:], receiver


def _property_of(cls: type, function: Any) -> str:
    for base in cls.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, property) and (member.fset is function or member.fget is function):
                return name
    return ""
