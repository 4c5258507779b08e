# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""{containers} x {protocols} x {changes} x {read, write}, as a program: `python safety_matrix.py GROUP START`.

A view is made, its container is changed, the heap is churned: the view must show the old values, and what is written
to it must land nowhere else. Each case is printed before it runs; a failure is printed with a leading "FAILED".
Used by test_safety_matrix.py.
"""

import contextlib
import faulthandler
import gc
import sys

import amrex.space3d as amr
import numpy as np

OTHER = -77  # what the churn writes
COUNT = (5, 3000)  # elements: a small block, a larger one


# ---------------------------------------------------------------- containers: name -> function(count) -> (keep, object)


def concrete(base):
    """The classes below a base that have no classes below them, by name."""
    names = {c.__name__: c for c in vars(amr).values() if isinstance(c, type) and issubclass(c, base)}
    return {n: c for n, c in names.items() if not any(issubclass(o, c) and o is not c for o in names.values())}


def box(cells):
    """A box of so many cells, in three directions when they are many."""
    return amr.Box(amr.IntVect(0), amr.IntVect(cells - 1, 0, 0) if cells < 100 else amr.IntVect(9, 9, cells // 100 - 1))


def vector(cls, count):
    made = cls.from_array(range(1, count + 1)) if issubclass(cls, amr.PODVector) else cls(range(1, count + 1))
    return made, made


def matrix(cls, count):
    made = cls()
    numbers(made)
    return made, made


def numbers(obj):
    view = obj.to_numpy(order="C")
    view[...] = np.arange(1, view.size + 1).reshape(view.shape)


def fab(cls, count):
    made = cls(box(count), 1)
    numbers(made)
    return made, made


def fab_array(cls, count):
    boxes = amr.BoxArray(box(count))
    made = cls(boxes, amr.DistributionMapping(boxes), 2, 1)
    for step in made:
        numbers(made.array(step))
        view = made.array(step)
    return made, view


def const_array(cls, count):
    made, _ = fab_array(cls, count)
    return made, next(made.const_array(step) for step in made)


def own_fab(cls, count):
    """An Array4 of a fab."""
    made, _ = fab(cls, count)
    return made, made.array()


def foreign(cls, count):
    """An Array4 of NumPy's memory."""
    for code in "fdgFDhilqHILQ":
        base = np.arange(1, count + 1).astype(code).reshape(1, 1, count)
        try:
            return base, cls(base)
        except TypeError:
            pass
    raise TypeError(f"no element type for {cls}")


def tile(component):
    def make(cls, count):
        made = cls()
        made.define(0, 0)
        made.resize(count)
        view = component(made)
        if view.to_numpy().dtype.names is None:
            numbers(view)
        return made, view

    return make


GROUPS = {}


def group(name, make, classes):
    if classes:
        GROUPS[name] = {f"{name} {n}": (make, c) for n, c in sorted(classes.items())}


for _type in ("real", "int", "uint64"):
    group(f"PODVector_{_type}", vector, concrete(getattr(amr, f"PODVector_{_type}")))
group("Vector", vector, concrete(amr.NumberVector))
group("SmallMatrix", matrix, concrete(amr.SmallMatrix))
group("fab", fab, {n: getattr(amr, n) for n in ("BaseFab_Real", "BaseFab_int", "FArrayBox", "IArrayBox")})
group("array of a fab", own_fab, {n: getattr(amr, n) for n in ("FArrayBox", "IArrayBox")})
_fabs = {n: getattr(amr, n) for n in ("MultiFab", "iMultiFab", "fMultiFab")}
group("FabArray", fab_array, _fabs)
group("const FabArray", const_array, _fabs)
group("Array4", foreign, concrete(amr.Array4))
_tiles = concrete(amr.ParticleTile) if hasattr(amr, "ParticleTile") else {}
_tiles = {n: c for n, c in _tiles.items() if "pureSoA" in n or "_0_0_" in n or "2_1" in n}
_soa = lambda t: (getattr(t, "get_struct_of_arrays", None) or t.GetStructOfArrays)()  # noqa: E731
group("SoA", tile(lambda t: _soa(t).get_real_data(0)), {n: c for n, c in _tiles.items() if "pureSoA" in n})
group(
    "AoS",
    tile(lambda t: (getattr(t, "get_array_of_structs", None) or t.GetArrayOfStructs)()),
    {n: c for n, c in _tiles.items() if "pureSoA" not in n},
)


# ---------------------------------------------------------------- protocols: object -> function() -> array


class Capsule:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **keywords):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


class Interface:
    def __init__(self, obj):
        self.__array_interface__ = obj.__array_interface__


def at_once(make):
    def protocol(obj):
        array = make(obj)
        return lambda: array

    return protocol


def later(hold, make):
    """The consumer takes what the object gave only after the change."""

    def protocol(obj):
        held = hold(obj)
        return lambda: make(held)

    return protocol


PROTOCOLS = {
    "from_dlpack": at_once(np.from_dlpack),
    "legacy capsule": later(lambda o: Capsule(o.__dlpack__()), np.from_dlpack),
    "versioned capsule": later(lambda o: Capsule(o.__dlpack__(max_version=(1, 0))), np.from_dlpack),
    "copied capsule": later(lambda o: Capsule(o.__dlpack__(copy=True)), np.from_dlpack),
    "asarray": at_once(np.asarray),
    "array interface": later(Interface, np.asarray),
    "memoryview": later(memoryview, np.asarray),
    "to_numpy F": at_once(lambda o: o.to_numpy()),
    "to_numpy C": at_once(lambda o: o.to_numpy(order="C")),
    "to_xp": at_once(lambda o: o.to_xp()),
    "to_numpy copy": at_once(lambda o: o.to_numpy(copy=True)),
    "to_xp copy": at_once(lambda o: o.to_xp(copy=True)),
    "slice": at_once(lambda o: o.to_numpy(order="C")[..., ::2]),
}
BLOCKS_FINALIZE = ("from_dlpack", "legacy capsule", "versioned capsule", "copied capsule")


# ---------------------------------------------------------------- changes: name -> function(container)


def define(m):
    boxes = amr.BoxArray(amr.Box(amr.IntVect(0), amr.IntVect(6)))
    m.define(boxes, amr.DistributionMapping(boxes), 1, amr.IntVect(2))
    m.set_val(8)


def del_slice(v):
    del v[1:3]


def grow_slice(v):
    v[1:2] = [8] * (len(v) + 10)


def pushed(times):
    def push(v):
        for _ in range(times):
            v.push_back(8)

    return push


def both(first, second):
    def change(x):
        first(x)
        second(x)

    return change


def call(name, *arguments):
    return lambda x: getattr(x, name)(*arguments)


CHANGES = {
    "nothing": (lambda x: None, ()),
    "clear": (call("clear"), ("clear",)),
    "resize to 0": (call("resize", 0), ("push_back",)),
    "resize down": (call("resize", 3), ("push_back",)),
    "resize to the same": (lambda v: v.resize(v.size()), ("push_back",)),
    "resize within": (both(call("reserve", 9000), call("resize", 8000)), ("push_back", "reserve")),
    "resize beyond": (call("resize", 20000, 8), ("push_back",)),
    "reserve": (call("reserve", 50000), ("reserve",)),
    "push_back": (pushed(1), ("push_back",)),
    "push_back often": (pushed(4000), ("push_back",)),
    "pop_back": (call("pop_back"), ("pop_back",)),
    "pop_back and push_back": (both(call("pop_back"), pushed(1)), ("pop_back", "push_back")),
    "clear and shrink": (both(call("clear"), call("shrink_to_fit")), ("shrink_to_fit",)),
    "pop and shrink": (both(call("pop_back"), call("shrink_to_fit")), ("shrink_to_fit", "pop_back")),
    "set_arena": (lambda v: v.set_arena(amr.The_Pinned_Arena()), ("set_arena",)),
    "append": (call("append", 8), ("append",)),
    "extend": (call("extend", [8] * 5000), ("extend",)),
    "insert": (call("insert", 1, 8), ("insert",)),
    "pop": (call("pop", 0), ("pop",)),
    "remove": (call("remove", 2), ("append", "remove")),
    "del slice": (del_slice, ("append",)),
    "grow slice": (grow_slice, ("append",)),
    "resize fab down": (lambda f: f.resize(box(3)), ("is_allocated",)),
    "resize fab up": (lambda f: f.resize(box(6000), 3), ("is_allocated",)),
    "clear and resize fab": (both(call("clear"), lambda f: f.resize(box(COUNT[0]))), ("is_allocated",)),
    "define": (define, ("define", "box_array")),
    "clear and define": (both(call("clear"), define), ("define", "box_array")),
    "resize tile down": (call("resize", 2), ("get_struct_of_arrays",)),
    "resize tile up": (call("resize", 9000), ("get_struct_of_arrays",)),
    "delete": (None, ()),
    "finalize": (None, ()),
}


# ---------------------------------------------------------------- the cases


def churn(cls, make, nbytes):
    cells = max(1, nbytes // 8)
    blocks = [np.full(cells + extra, OTHER, "i8") for extra in (0, 0, 1, 8) for _ in range(4)]
    return blocks, [make(cls, COUNT[0]) for _ in range(3)]


def start():
    amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])


def run_case(make, cls, count, protocol, change, write):
    container, obj = make(cls, count)
    try:
        take = PROTOCOLS[protocol](obj)
    except BufferError:
        if getattr(obj, "__array_interface__", None) is not None and (
            memoryview(obj).readonly or obj.to_numpy().dtype.names or obj.to_numpy().dtype.char in "gG"
        ):
            return None  # const in a legacy capsule; a type that DLPack lacks
        raise
    want = obj.to_numpy(
        copy=True, order="F" if protocol in ("to_numpy F", "to_xp", "to_numpy copy", "to_xp copy") else "C"
    )
    if protocol == "slice":
        want = want[..., ::2]
    own = obj is container
    if not own or change in ("delete", "finalize"):
        obj = None
    if change == "delete":
        container = None
    elif change == "finalize":
        container = None
        blocked = False
        try:
            amr.finalize()
        except RuntimeError:
            blocked = True
        if blocked != (protocol in BLOCKS_FINALIZE):
            return f"finalize {'refused' if blocked else 'passed'}"
        if not blocked:
            start()
    else:
        CHANGES[change][0](container)
    blocks, others = churn(cls, make, want.nbytes)
    array = take()
    if not np.array_equal(array, want):
        return "the view shows other values"
    if not write or not array.flags.writeable:
        return None
    moved = (
        change not in ("nothing", "resize to the same")
        and container is not None
        and hasattr(container, "to_numpy")
        and own
    )
    before = container.to_numpy(copy=True) if moved else None
    array[...] = np.zeros((), array.dtype)
    if any((b != OTHER).any() for b in blocks):
        return "a write landed in other memory"
    if moved and not np.array_equal(before, container.to_numpy()):
        return "a write landed in the changed container"
    del others
    return None


def cases(name):
    for label, (make, cls) in GROUPS[name].items():
        container, _ = make(cls, COUNT[0])
        first = label == next(iter(GROUPS[name]))
        for change, (_, wanted) in CHANGES.items():
            if not all(hasattr(container, w) for w in wanted) or (change == "finalize" and not first):
                continue
            for protocol in PROTOCOLS:
                for count in COUNT:
                    for write in (False, True):
                        yield label, make, cls, count, protocol, change, write


def main(name, begin):
    start()
    for number, (label, make, cls, count, protocol, change, write) in enumerate(cases(name)):
        if number < begin:
            continue
        text = f"{number} {label}, {count} elements, {protocol}, {change}, {'write' if write else 'read'}"
        print(text, flush=number % 16 == 0)
        CURRENT[0] = text
        try:
            wrong = run_case(make, cls, count, protocol, change, write)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        if wrong:
            print("FAILED", text, wrong, flush=True)
    print("END", flush=True)


CURRENT = [""]


def leave(name):
    """Interpreter exit with views of every protocol in places that are torn down at different times."""
    start()
    for make, cls in GROUPS[name].values():
        container, obj = make(cls, COUNT[0])
        held = []
        for protocol in PROTOCOLS.values():
            with contextlib.suppress(BufferError):
                held.append(protocol(obj))
        cycle = [container, obj, *held]
        cycle.append(cycle)
        HELD.append((container, obj, held))
        np.__dict__.setdefault("held_by_a_test", []).append(held)
        sys.modules.setdefault("held_by_a_test", type(sys)("held")).held = held
        del container, obj, held, cycle
    print("END", flush=True)


HELD = []

if __name__ == "__main__":
    faulthandler.enable()
    gc.disable()
    if sys.argv[2] == "leave":
        leave(sys.argv[1])
    else:
        main(sys.argv[1], int(sys.argv[2]))
        gc.collect()
        if amr.live_exports():
            print("FAILED exports are left", amr.live_exports())
        amr.finalize()
