# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""The signatures of our functions, read and written: parameters, the types that they want. Only for messages."""

import ast
import re
from functools import lru_cache
from typing import Any, NamedTuple

# What the public classes are called whose bases stand in signatures.
PUBLIC = {
    "FabArray_FArrayBox": "MultiFab",
    "FabArray_IArrayBox": "iMultiFab",
    "FabArray_float": "fMultiFab",
    "FabArrayBase": "MultiFab",
}
_NEAREST = 220  # of a signature in it


class Wanted(NamedTuple):
    """The type of a parameter: a name, a name with types in brackets, alternatives, one value, or anything."""

    kind: str  # "name", "generic", "or", "value", "any", "foreign": a class of a space that was not imported
    name: str = ""  # as it stands in the signature
    parts: tuple["Wanted", ...] = ()
    value: Any = None

    @property
    def shown(self) -> str:
        """As users write it: without modules, and by the name of the public class."""
        if self.kind == "generic":
            return f"{short(self.name)}[{', '.join(part.shown for part in self.parts)}]".replace(
                "PathLike[str]", "path"
            )
        if self.kind == "or":
            return " | ".join(part.shown for part in self.parts)
        return repr(self.value) if self.kind == "value" else short(self.name) or "something else"


_ANYTHING = Wanted("any")


@lru_cache(maxsize=1024)
def short(text: str) -> str:
    """The text of a type or value without the modules of its names, and with public classes."""
    text = re.sub(r"(?<![\w.'\"])(?:[a-z_]\w*\.)+(?=[A-Za-z_])", "", text)
    text = re.sub(r"FabArray\w+", lambda m: PUBLIC.get(m[0], m[0]), text)
    return re.sub(r"\bPathLike\b(\[str\])?", "path", text)


def read(node: ast.expr | None) -> Wanted:
    """The type that an annotation says."""
    if isinstance(node, ast.BinOp):
        left, right = read(node.left), read(node.right)
        return Wanted("or", parts=(*(left.parts if left.kind == "or" else [left]), right))
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            try:
                return read(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                name = re.sub(r"^zerofab::(\w+).*", r"\1", node.value)
                return Wanted("foreign", name)
        return Wanted("value", value=node.value)
    if isinstance(node, ast.Subscript):
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        name = ast.unparse(node.value)
        if name.endswith("Literal"):
            return Wanted("generic", name, tuple(Wanted("value", value=ast.literal_eval(e)) for e in inner))
        return Wanted("generic", name, tuple(read(e) for e in inner))
    if isinstance(node, ast.Name | ast.Attribute):
        return Wanted("name", ast.unparse(node))
    return _ANYTHING if node is None else Wanted("any", ast.unparse(node))


class Parameter(NamedTuple):
    name: str
    wanted: Wanted
    default: str | None  # None: it has to be given
    kind: str  # "place" only, "both", "name" only, "*", "**"


@lru_cache(maxsize=512)
def signatures(function: Any) -> list[list[Parameter]]:
    """The overloads of a function; those whose text cannot be read are left out."""
    found = []
    for text, _, defaults in function.__nb_signature__:
        try:
            found.append(_parse(text, defaults or ()))
        except (SyntaxError, IndexError, ValueError):
            continue
    return found


def _parse(text: str, defaults: tuple[Any, ...]) -> list[Parameter]:
    # \0 stands for the first of `defaults`, a value; \=0 for one that is the text of a value.
    text = re.sub(r"\\(=?)(\d+)", lambda m: f"_{'text' if m[1] else 'value'}_{m[2]}", text[text.rindex("def ") :])
    text = re.sub(r"^def\s*\(", "def _(", text).split(":\n")[0].rstrip(" :")
    node: Any = ast.parse(f"{text}: ...").body[0]

    def default(value: ast.expr | None) -> str | None:
        if value is None:
            return None
        found = re.fullmatch(r"_(text|value)_(\d+)", ast.unparse(value))
        if found is None:
            return short(ast.unparse(value))
        known = defaults[int(found[2])]
        return str(known) if found[1] == "text" else _short_repr(known)

    places = [*node.args.posonlyargs, *node.args.args]
    values = [None] * (len(places) - len(node.args.defaults)) + node.args.defaults
    found = []
    for i, (arg, value) in enumerate(zip(places, values, strict=True)):
        kind = "place" if i < len(node.args.posonlyargs) else "both"
        found.append(Parameter(arg.arg, read(arg.annotation), default(value), kind))
    if node.args.vararg:
        found.append(Parameter(node.args.vararg.arg, read(node.args.vararg.annotation), "", "*"))
    for arg, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        found.append(Parameter(arg.arg, read(arg.annotation), default(value), "name"))
    if node.args.kwarg:
        found.append(Parameter(node.args.kwarg.arg, read(node.args.kwarg.annotation), "", "**"))
    return found


def _short_repr(value: Any) -> str:
    text = short(repr(value))
    if text.startswith("<"):  # no text of Python: <amrex.IntVect3D(0,0,0)>
        text = re.sub(r"^<(\w+).*>$", r"\1(...)", re.sub(r"^<amrex\.", "<", text), flags=re.DOTALL)
    return text


def render(name: str, signature: list[Parameter]) -> str:
    """A signature as it is shown: `fill_boundary(period: Periodicity, cross: bool = False)`."""
    parts = []
    for p in signature:
        star = p.kind if p.kind in ("*", "**") else ""
        if p.kind == "name" and "*" not in [q.kind for q in signature] and "*" not in parts:
            parts.append("*")
        wanted = f": {p.wanted.shown}" if p.wanted != Wanted("any") else ""
        value = f" = {p.default}" if p.default and not star else ""
        parts.append(f"{star}{p.name}{wanted}{value}")
    full = f"{name}({', '.join(parts)})"
    if len(full) <= _NEAREST:
        return full
    needed = [part for part in parts if " = " not in part and part[0] != "*"]
    full = f"{name}({', '.join(needed)}, ...)"
    if len(full) <= _NEAREST and len(needed) < len(parts):
        return full
    names = [part.partition(":")[0] for part in parts]
    bare = f"{name}({', '.join(names)})"
    return bare if len(bare) <= _NEAREST else f"{bare[: _NEAREST - 4]}...)"
