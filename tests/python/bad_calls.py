# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Every public call with bad arguments, in a process of its own: `python bad_calls.py DIM STATE START FD`.

Which calls there are is read from the type stubs. Reports go to descriptor FD: one line `n label` before each group of
calls, one JSON object for everything wrong. Used by test_bad_calls.py, which starts it anew after a crash.
"""

import ast
import faulthandler
import functools
import gc
import importlib
import json
import os
import pathlib
import re
import resource
import sys
import types

import amrex
import numpy as np

STUBS = pathlib.Path(amrex.__path__[0])
STATES = ("running", "before", "after")
FEW = ("None", "-1", "2**63", "a text", "huge Box", "uninitialized Box")
LIMIT_S = 60  # per group of calls: bad calls of one name with one receiver
ITEMS = ("__getitem__", "__setitem__", "__array__")  # x[i] = value: their messages speak of indices and values
# Messages of implementations that say well enough what they are about.
SAID = (
    "was never made", r"initialize\(\) takes", r"initialize\(\) must be", "object is not iterable", "a parameter is",
    "is no array", "__dlpack__ did not", "holds elements of", "__index__ returned", "is not one array: ",
    "does not hold numbers", "complex numbers cannot be written",
)  # fmt: skip
OF_CXX = re.compile(r"std::|_M_|basic_string|\bvector::|bad_alloc")
MESSAGE = 600  # characters that a message of a TypeError has at most
MEMORY = 3 << 30  # what asks for more must get MemoryError
CLEAN = (
    TypeError, ValueError, IndexError, KeyError, BufferError, RuntimeError, OSError, MemoryError, OverflowError,
    AttributeError, ImportError, StopIteration,
)  # fmt: skip

# Not called with arguments that would be right, for what they do; their refusals are tested in test_runtime.py and
# test_pools.py.
NOT_CALLED = {
    "Arena.use_allocator": "leaves the calls after it without memory",
    "initialize": "changes the state of all calls after it",
    "finalize": "changes the state of all calls after it",
    "AMReX.erase": "changes the state of all calls after it",
    "register_space": "binds the types of a dimension a second time",
}


# ---------------------------------------------------------------- what there is to call


def is_decorated(node, name):
    return any(ast.unparse(d).split(".")[-1] == name for d in node.decorator_list)


class Call:
    """A function, method, property or setter, with one list of parameters (name, annotation) per overload."""

    def __init__(self, owner, name, kind):
        self.owner, self.name, self.kind, self.overloads = owner, name, kind, []

    @property
    def label(self):
        return f"{self.owner}.{self.name}" if self.owner else self.name

    def add(self, node):
        skip = 0 if self.kind in ("function", "static") else 1
        parameters = [*node.args.posonlyargs, *node.args.args][skip:] + node.args.kwonlyargs
        self.overloads.append([(p.arg, ast.unparse(p.annotation) if p.annotation else "object") for p in parameters])
        self.keyword_only = {p.arg for p in node.args.kwonlyargs}


def read_calls(path):
    """All calls of a stub file, in its order."""
    calls = {}

    def note(owner, node):
        if is_decorated(node, "property"):
            kind = "property"
        elif is_decorated(node, "setter"):
            kind = "setter"
        elif owner is None or is_decorated(node, "staticmethod"):
            kind = "static" if owner else "function"
        else:
            kind = "class" if is_decorated(node, "classmethod") else "method"
        calls.setdefault((owner, node.name, kind), Call(owner, node.name, kind)).add(node)

    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            note(None, node)
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    note(node.name, inner)
                elif isinstance(inner, ast.AnnAssign) and "MethodDescriptorType" in ast.unparse(inner.annotation):
                    call = Call(node.name, inner.target.id, "method")
                    call.overloads.append([("mfi", "MFIter")])
                    call.keyword_only = set()
                    calls[node.name, inner.target.id, "method"] = call
    return [c for c in calls.values() if not (c.name.startswith("_") and not c.name.startswith("__"))]


def alike(calls):
    """The calls that differ from an earlier one by the element type or shape only: fewer arguments are enough."""

    def strip(text, owner):
        return re.sub(r"_(const|c?[a-z]+\d*|\dx\d)(?=_|$)", "", text.replace(owner, "X"))

    seen, found = set(), set()
    for call in calls:
        if call.owner is None or "_" not in call.owner:
            continue
        family = call.owner.split("_")[0]
        key = (
            family,
            call.name,
            call.kind,
            tuple(tuple((n, strip(a, call.owner)) for n, a in o) for o in call.overloads),
        )
        found |= {call} if key in seen else set()
        seen.add(key)
    return found


# ---------------------------------------------------------------- objects to call with


class Maker:
    """Makes an object of a class or for an annotation of the stubs."""

    def __init__(self, space, dim):
        self.amr, self.dim = space, dim
        self.constructors = {}
        self.depth = 0

    def boxes(self, n=8):
        boxes = self.amr.BoxArray(self.amr.Box(self.amr.IntVect(0), self.amr.IntVect(n - 1)))
        boxes.max_size(4)
        return boxes

    def layout(self, n=8):
        boxes = self.boxes(n)
        return boxes, self.amr.DistributionMapping(boxes)

    def field(self, cls, ncomp=2, n=8):
        made = cls(*self.layout(n), ncomp, 1)
        made.set_val(3)
        return made

    def __call__(self, name):
        """An object of the class of this name; None if there is no way known."""
        amr = self.amr
        cls = getattr(amr, name, None)
        if not isinstance(cls, type):
            return None
        box = lambda: amr.Box(amr.IntVect(0), amr.IntVect(7))  # noqa: E731
        if name == "Box":
            return box()
        if name == "BoxArray":
            return self.boxes()
        if name == "DistributionMapping":
            return self.layout()[1]
        if name in ("MultiFab", "FabArray_FArrayBox", "FabArrayBase"):
            return self.field(amr.MultiFab)
        if name in ("iMultiFab", "FabArray_IArrayBox"):
            return self.field(amr.iMultiFab)
        if name in ("fMultiFab", "FabArray_float"):
            return self.field(amr.fMultiFab)
        if name in ("MFIter", "MFLoop"):
            loop = iter(self.field(amr.MultiFab))
            return next(loop) if name == "MFIter" else loop
        if name in ("BaseFab_Real", "FArrayBox"):
            return amr.FArrayBox(box(), 2)
        if name in ("BaseFab_int", "IArrayBox"):
            return amr.IArrayBox(box(), 2)
        if name == "IntVect":
            return amr.IntVect(1)
        if name in ("Array4", "Exporter"):
            return amr.Array4_double(np.zeros((2, 3, 4)))
        if name.startswith("Array4_"):
            for code in "fdFDhilqHILQgG":
                try:
                    return cls(np.zeros((2, 3, 4), code))
                except TypeError:
                    pass
        if name in ("SmallMatrix", "PODVector", "PODVector_real", "NumberVector", "PODVector_int", "PODVector_uint64"):
            other = {"SmallMatrix": "SmallMatrix_3x6_F_SI1_double", "NumberVector": "Vector_Real"}
            cls = getattr(amr, other.get(name, "PODVector_real_std" if name == "PODVector" else name + "_std"))
        if issubclass(cls, amr.PODVector):
            return cls.from_array(range(1, 6))
        if issubclass(cls, amr.NumberVector):
            return cls(range(1, 6))
        if name == "PlotFileData":
            if not os.path.exists("plt"):
                geometry = amr.Geometry(box(), amr.RealBox([0.0] * self.dim, [1.0] * self.dim), 0, [1] * self.dim)
                amr.write_single_level_plotfile("plt", self.field(amr.MultiFab), ["a", "b"], geometry, 0.5, 3)
            return cls("plt")
        if name == "Arena":
            return amr.The_Arena()
        if name == "AMReX":
            return amr.AMReX.top() if amr.initialized() else None
        if hasattr(cls, "__members__"):
            return next(iter(cls))
        return self.construct(cls)

    def construct(self, cls):
        """By the richest constructor of the stubs that works with plain arguments."""
        if self.depth > 4:
            return None
        self.depth += 1
        try:
            overloads = self.constructors.get(cls.__name__, [[]])
            for parameters in sorted(overloads, key=len, reverse=True):
                try:
                    return cls(*[self.good(annotation) for _, annotation in parameters])
                except Exception:
                    continue
            return None
        finally:
            self.depth -= 1

    def good(self, annotation):
        """A value that fits an annotation."""
        text = annotation.replace("amrex._core.", "").replace("collections.abc.", "").replace("typing.", "")
        text = re.sub(r"amrex\.space\dd\.", "", text)
        first = re.split(r" \| (?![^\[]*\])", text)[0].strip()
        plain = {
            "int": 1, "float": 1.5, "bool": True, "str": "name", "object": 1, "Any": np.arange(3.0), "bytes": b"x",
            "ArrayLike": np.arange(3.0), "SupportsIndex": 0, "SupportsInt": 1, "complex": 1j, "slice": slice(None),
            "EllipsisType": ..., "None": None, "Element": 1, "ModuleType": types.ModuleType("scratch"),
            "types.ModuleType": types.ModuleType("scratch"),
        }  # fmt: skip
        if first in plain:
            return plain[first]
        if found := re.match(r"(Sequence|Iterable|list|Iterator|Annotated)\[(.*)\]$", first):
            return [self.good(found[2]) for _ in range(self.dim if "int" in found[2] or "float" in found[2] else 1)]
        if first.startswith("tuple"):
            inner = re.match(r"tuple\[(.*)\]$", first)
            parts = inner[1].split(", ") if inner else ["int"]
            parts = [parts[0]] * 3 if parts[-1] == "..." else parts
            return tuple(self.good(p) for p in parts)
        if first.startswith("Literal"):
            return ast.literal_eval(first[8:-1].split(",")[0])
        if first.startswith("dict"):
            return {"a": 1}
        if "PathLike" in first:
            return "name"
        if "ndarray" in first or "NDArray" in first or "ArrayLike" in first:
            return np.arange(3.0)
        made = self(first)
        return 1 if made is None else made


class Bad:
    """Values that no parameter, or hardly one, can take."""

    def __init__(self, make):
        amr, dim = make.amr, make.dim
        other = importlib.import_module(f"amrex.space{dim % 3 + 1}d")
        self.values = {
            "an object": object(), "None": None, "a text": "text", "an empty text": "", "a NUL": "a\0b",
            "a surrogate": "\udc80", "bytes": b"x", "a list": [], "[None]": [None], "ragged": [[1, 2], [3]],
            "a dict": {}, "a set": {1}, "a class": int, "a module": np, "a function": len, "True": True,
            "-1": -1, "-2": -2, "-10**6": -(10**6), "10**6": 10**6, "2**31-1": 2**31 - 1, "2**31": 2**31,
            "-2**31": -(2**31), "2**63-1": 2**63 - 1, "2**63": 2**63, "10**30": 10**30, "nan": float("nan"),
            "inf": float("inf"), "-1e300": -1e300, "1e300": 1e300, "1.5": 1.5, "1j": 1j, "np.int8": np.int8(-3),
            "an empty array": np.zeros(0), "an object array": np.array([object()]), "read-only": readonly(),
            "axes": np.zeros((1, 2, 3, 4, 5)), "a text array": np.array(["x"]), "strided": np.arange(9.0)[::-2],
            "slice": slice(2**63, -(2**63), -1), "slice 0": slice(0, 3, 0), "slice of texts": slice("a", "b"),
            "...": ..., "a tuple": (1, 2, 3, 4, 5, 6, 7),
            "huge tuple": (2**40,) * dim, "nan tuple": (float("nan"),) * dim,
            "other IntVect": other.IntVect(1), "other Box": other.Box(other.IntVect(0), other.IntVect(3)),
            "other BoxArray": other.BoxArray(other.Box(other.IntVect(0), other.IntVect(3))),
            "other RealBox": other.RealBox([0.0] * other.Config.spacedim, [1.0] * other.Config.spacedim),
            "IntVect -1": amr.IntVect(-1), "IntVect max": amr.IntVect(2**31 - 1), "IntVect min": amr.IntVect(-(2**31)),
            "empty Box": amr.Box(amr.IntVect(1), amr.IntVect(0)), "no boxes": amr.BoxArray(),
            "huge Box": amr.Box(amr.IntVect(-(2**31)), amr.IntVect(2**31 - 1)), "an iterator": iter([1]),
            "liar": Liar(), "thrower": Thrower(), "nameless": Nameless(), "itself": [], "no vector": amr.Vector_Real(),
            "no PODVector": amr.PODVector_real_std(), "no Array4": amr.Array4_double(), "no fab": amr.FArrayBox(),
        }  # fmt: skip
        self.values["itself"].append(self.values["itself"])
        if amr.initialized():
            cleared = make("MultiFab")
            cleared.clear()
            self.values |= {
                "cleared": cleared, "undefined": amr.MultiFab(), "another layout": make.field(amr.MultiFab, n=12),
                "another type": make("iMultiFab"), "one component": make.field(amr.MultiFab, 1),
                "undefined owners": amr.DistributionMapping(), "an ended loop": ended(make),
            }  # fmt: skip
        for name in (
            "Box", "BoxArray", "IntVect", "MultiFab", "Geometry", "DistributionMapping", "Vector_Real", "Arena",
            "PODVector_real_std", "Array4_double", "MFIter", "FArrayBox", "ParmParse", "SmallMatrix_6x6_F_SI1_double",
        ):  # fmt: skip
            cls = getattr(amr, name)
            self.values[f"uninitialized {name}"] = cls.__new__(cls)
        self.every = tuple(self.values)


def readonly():
    array = np.arange(4.0)
    array.flags.writeable = False
    return array


def ended(make):
    loop = iter(make("MultiFab"))
    for step in loop:  # noqa: B007
        pass
    return step


class Liar:
    """Says that it is a sequence, an array and an integer, and is none."""

    def __len__(self):
        return 2**62

    def __getitem__(self, key):
        if key == 3:
            raise IndexError
        return self

    def __index__(self):
        return "no"

    def __dlpack__(self, **keywords):
        return "no capsule"

    def __dlpack_device__(self):
        return 1, 0

    @property
    def __array_interface__(self):
        return {"version": 3, "shape": (2**40,), "typestr": "<f8", "data": (16, False)}


class Thrower:
    """Raises KeyError whatever is asked of it."""

    def _raise(self, *args, **keywords):
        raise KeyError("asked")

    __len__ = __getitem__ = __index__ = __float__ = __iter__ = __dlpack__ = __dlpack_device__ = __bool__ = _raise
    __array__ = __complex__ = __fspath__ = __str__ = __int__ = __eq__ = __repr__ = _raise
    __array_interface__ = property(_raise)
    __hash__ = None


class Nameless:
    """Has a repr that is no valid text."""

    def __repr__(self):
        return "\udc80"


# ---------------------------------------------------------------- calls


def fingerprint(value):
    """What can be seen of an object, for a comparison."""
    parts = []
    try:
        if hasattr(type(value), "box_array") and hasattr(value, "to_numpy"):
            parts.append([a.tobytes() for a in value.to_numpy()])
            parts.append(repr(value.box_array()))
        elif hasattr(type(value), "__dlpack__"):
            array = value.to_numpy()
            parts.append((array.shape, array.tobytes()))
        elif type(value).__module__.startswith("amrex"):
            names = PROPERTIES.get(type(value).__name__, ())
            parts += [property_text(value, name) for name in names]
            if hasattr(value, "to_dict"):
                parts.append(repr(value.to_dict()))
        if not isinstance(value, np.ndarray):
            parts.append(repr(value))
    except CLEAN as error:
        parts.append(repr(error))
    return parts


PROPERTIES = {}


@functools.cache
def said(names):
    """A pattern that finds any of these in a message."""
    return re.compile(rf"\b(?:{'|'.join(names)})\b")


def property_text(value, name):
    try:
        return repr(getattr(value, name))
    except CLEAN as error:
        return repr(error)


class Runner:
    def __init__(self, dim, state):
        self.amr = importlib.import_module(f"amrex.space{dim}d")
        self.state = state
        self.out = os.fdopen(int(sys.argv[4]), "w", buffering=1)
        self.make = Maker(self.amr, dim)
        calls = read_calls(STUBS / f"space{dim}d" / "__init__.pyi")
        if dim == 3:
            for name in sorted(p.name for p in (STUBS / "_core").glob("*.pyi")):
                more = read_calls(STUBS / "_core" / name)
                if name != "__init__.pyi":
                    for call in more:
                        call.owner = name[:-4] if call.owner is None else call.owner
                        call.kind = "static"
                calls += more
        for call in read_calls(STUBS / f"space{dim}d" / "__init__.pyi") + read_calls(STUBS / "_core" / "__init__.pyi"):
            if call.name == "__init__":
                self.make.constructors[call.owner] = call.overloads
            if call.kind == "property" and not call.name.startswith("_"):
                PROPERTIES.setdefault(call.owner, []).append(call.name)
        self.calls = calls
        self.like_others = alike(calls)
        if state != "before":
            self.amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])
        self.receivers = {}
        for call in calls:
            if call.owner and call.owner not in self.receivers:
                self.receivers[call.owner] = self.receiver(call.owner)
        self.bad = Bad(self.make)
        if state == "after":
            gc.collect()
            self.amr.finalize()

    def receiver(self, owner):
        try:
            return self.make(owner)
        except RuntimeError:
            return None  # needs a running library

    def wrong(self, label, what, **more):
        self.out.write(json.dumps({"call": label, "wrong": what, **more}) + "\n")

    def do(self, label, what, function, watched, names=()):
        """One call; True if it raised. `names`: what the message of a TypeError calls the argument that is wrong."""
        try:
            function()
        except CLEAN as error:
            try:
                text = str(error)
            except Exception:
                text = ""
            if isinstance(error, SystemError) or type(error) is Exception:
                self.wrong(label, f"{type(error).__name__}: {text}", arguments=what)
            if OF_CXX.search(text):
                self.wrong(label, f"unclear message: {text}", arguments=what)
            if "incompatible function arguments" in text or "has more entries" in text:
                self.wrong(label, f"all signatures: {text}", arguments=what)
            if isinstance(error, TypeError) and len(text) > MESSAGE:
                self.wrong(label, f"message of {len(text)} characters: {text}", arguments=what)
            if isinstance(error, TypeError) and names and not said(names).search(text):
                self.wrong(label, f"names no argument: {text}", arguments=what)
            for thing, before in watched:
                if fingerprint(thing) != before:
                    self.wrong(label, f"changed although {type(error).__name__}: {text}", arguments=what)
                    return False
            return True
        except BaseException as error:
            self.wrong(label, f"{type(error).__name__}: {error}", arguments=what)
            return True
        return False

    def target(self, call, receiver):
        if call.kind == "function":
            return getattr(self.amr, call.name, None) or getattr(amrex._core, call.name)
        holder = getattr(self.amr, call.owner, None) or getattr(amrex._core, call.owner)
        if call.kind in ("static", "class"):
            return getattr(holder, call.name)
        if call.kind == "property":
            return lambda: getattr(receiver, call.name)
        if call.kind == "setter":
            return lambda value: setattr(receiver, call.name, value)
        if call.name == "__init__":
            return type(receiver) if isinstance(receiver, holder) and receiver is not None else holder
        return lambda *a, **k: getattr(holder, call.name)(receiver, *a, **k)

    def group(self, call, kind):
        """All bad calls of one name with a receiver of one kind."""
        label = f"{call.label} on {kind}"
        bound = call.kind in ("method", "property", "setter")

        def fresh():
            if not bound:
                return None
            if kind == "uninitialized":
                cls = getattr(self.amr, call.owner)
                return cls.__new__(cls)
            made = self.receiver(call.owner)
            if made is None and self.state == "after":
                made = self.receivers[call.owner]
            if kind == "cleared" and made is not None:
                made.clear()
            return made

        try:
            receiver = fresh()
        except (TypeError, RuntimeError):
            return
        if bound and receiver is None and call.name != "__init__":
            return
        state = None
        parameters_done = set()
        for parameters in call.overloads:
            arguments = None
            cases, plain = [(None, None)], False  # plain: whether the call without anything bad fails
            for place, (name, annotation) in enumerate(parameters):
                # An iterable of 2**32 cells and more
                endless = (
                    "huge Box" if any("Iterable" in a or "Sequence" in a for o in call.overloads for _, a in o) else ""
                )
                key = (place, name, annotation, len(parameters))
                if kind == "good" and key not in parameters_done and call not in self.like_others:
                    parameters_done.add(key)
                    cases += [(place, bad) for bad in self.bad.every if bad != endless]
                elif key not in parameters_done:
                    parameters_done.add(key)
                    cases += [(place, bad) for bad in FEW if bad != endless]
            if call.label in NOT_CALLED:
                cases = [] if self.state == "after" else cases[1:]
            for place, bad in cases:
                if state is None:
                    receiver = fresh()
                    try:
                        arguments = [self.make.good(annotation) for _, annotation in parameters]
                    except (RuntimeError, TypeError):
                        arguments = [1 for _ in parameters]
                    state = []
                    for thing in [receiver, *arguments]:
                        if type(thing).__module__.startswith("amrex") and type(thing).__name__ != "Arena":
                            state.append((thing, fingerprint(thing)))
                if arguments is None:
                    try:
                        arguments = [self.make.good(annotation) for _, annotation in parameters]
                    except (RuntimeError, TypeError):
                        arguments = [1 for _ in parameters]
                given = list(arguments)
                if place is not None:
                    given[place] = self.bad.values[bad]
                keywords = {n: v for (n, _), v in zip(parameters, given, strict=True) if n in call.keyword_only}
                positional = [v for (n, _), v in zip(parameters, given, strict=True) if n not in call.keyword_only]
                function = self.target(call, receiver)
                what = f"argument {place + 1} = {bad}" if place is not None else "plain arguments"
                names = self.names_of(call, place) if place is not None and kind == "good" and not plain else ()
                raised = self.do(label, what, lambda f=function, p=positional, k=keywords: f(*p, **k), state, names)
                plain = plain or (raised and place is None)
                if not raised:
                    state = None
                if call.label == "Arena.use_allocator" and kind == "good":
                    receiver.use_allocator(None)  # a function of Python's may be among the bad values
        if call.kind != "property" and call.kind != "setter" and call.label not in NOT_CALLED:
            function = self.target(call, fresh())
            self.do(label, "20 arguments", lambda: function(*range(20)), [])
            self.do(label, "an unknown keyword", lambda: function(unknown_keyword=1), [])

    def names_of(self, call, place):
        """What a message may call the argument at a place: its number, or a name that an overload has for it."""
        if call.kind == "setter":
            return "value", call.name
        if max(map(len, call.overloads)) < 2 or call.name in ITEMS:
            return ()
        names = {o[place][0] for o in call.overloads if place < len(o)} - {"arg", "self", "other"}
        return f"arguments? {place + 1}", f"and {place + 1}", *SAID, *sorted(names)

    def run(self, start):
        groups = [
            (call, kind)
            for call in self.calls
            for kind in ("good", "uninitialized", "cleared")
            if kind == "good" or (call.kind in ("method", "property", "setter") and call.name != "__init__")
            if kind != "cleared" or hasattr(getattr(self.amr, call.owner, None), "clear")
            if self.state != "after" or kind == "good"
        ]
        for number, (call, kind) in enumerate(groups):
            if number < start:
                continue
            self.out.write(f"{number} {call.label} on {kind}\n")
            faulthandler.dump_traceback_later(LIMIT_S, exit=True, file=self.out)
            self.group(call, kind)
        faulthandler.cancel_dump_traceback_later()
        self.out.write(f"{len(groups)} end\n")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    runner = Runner(int(sys.argv[1]), sys.argv[2])
    faulthandler.enable(runner.out)
    runner.run(int(sys.argv[3]))
    runner.out.flush()
    os._exit(0)
