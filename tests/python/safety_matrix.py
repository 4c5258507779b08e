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
import tempfile

import amrex.space3d as amr
import numpy as np
from numpy_versions import OLD

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


# Particles: the object is what a tile or container shows, the container is what changes.


SHOWN = {
    "real": lambda tile: tile.get_struct_of_arrays().get_real_data(0),
    "int": lambda tile: tile.get_struct_of_arrays().get_int_data(0),
    "ids": lambda tile: tile.get_struct_of_arrays().get_idcpu_data(),
    "records": lambda tile: tile.get_array_of_structs(),
    "field": lambda tile: tile.get_array_of_structs().field("rdata_1"),
}


def records_of(aos):
    """Fill all fields of the records with 1, 2, 3 ..."""
    view = aos.to_numpy()
    for name in view.dtype.names:
        view[name] = np.arange(1, view.size + 1)


def tile(part):
    def make(cls, count):
        made = cls()
        made.resize(count)
        obj = SHOWN[part](made)
        (records_of if part == "records" else numbers)(obj)
        return made, obj

    return make


def components(cls, count):
    """A struct of arrays without a tile."""
    made = cls()
    made.resize(count)
    obj = made.get_real_data(0)
    numbers(obj)
    return made, obj


def records(cls, count):
    """An array of structs without a tile."""
    made = cls()
    made.setNumNeighbors(count)
    made.setNumNeighbors(0)
    for _ in range(min(count, 50)):
        made.push_back(PARTICLES[cls]())
    records_of(made)
    return made, made


def geometry():
    domain = amr.Box(amr.IntVect(0), amr.IntVect(7))
    return amr.Geometry(domain, amr.RealBox([0.0] * 3, [1.0] * 3), 0, [1] * 3)


def particles(part):
    def make(cls, count):
        """All in the tile of one box, some of which belong to other boxes, in an order that sorting changes."""
        boxes = amr.BoxArray(geometry().domain)
        boxes.max_size(4)
        made = cls(geometry(), amr.DistributionMapping(boxes), boxes)
        held = made.define_and_return_particle_tile(0, 0, 0)
        held.resize(count)
        soa = held.get_struct_of_arrays()
        fields = dict(zip("xyz", soa.get_real_data(), strict=False))
        if made.is_soa_particle:
            fields = {name: vector.to_numpy() for name, vector in fields.items()}
            ids = soa.get_idcpu_data().to_numpy()
        else:
            fields = held.get_array_of_structs().to_numpy()
            ids = fields["idcpu"]
        for d, name in enumerate("xyz"):
            fields[name][...] = (0.99 - 0.98 * np.arange(count) / count) ** (d + 1)
        ids[...] = 1 << 63
        amr.pack_ids(ids, np.arange(1, count + 1))
        return made, SHOWN[part](held)

    return make


def bytes_of(obj):
    """The values, without what lies between the fields of records."""
    array = obj.to_numpy(copy=True)
    return [array[name].tobytes() for name in array.dtype.names] if array.dtype.names else array.tobytes()


def contents(container):
    """Copies of everything that a container of particles holds."""
    tiles = [container]
    if isinstance(container, amr.ParticleContainer):
        tiles = list(container.get_particles(0).values())
    found = []
    for one in tiles:
        soa = one if isinstance(one, amr.StructOfArrays) else one.get_struct_of_arrays()
        vectors = [*soa.get_real_data(), *soa.get_int_data()] + ([soa.get_idcpu_data()] if soa.has_idcpu else [])
        found += [bytes_of(v) for v in vectors]
        if not soa.has_idcpu and not isinstance(one, amr.StructOfArrays):
            found.append(bytes_of(one.get_array_of_structs()))
    return found


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

PURE, LEGACY = "pureSoA_5_2", "2_1_3_1"
PLACES = ("default", "arena", "pinned", "managed", "polymorphic")


def of_places(family, kind):
    """The classes of a family of particle classes, one for each kind of memory."""
    return {f"{family}_{kind}_{place}": getattr(amr, f"{family}_{kind}_{place}") for place in PLACES}


for _kind, _parts in ((PURE, ("real", "int", "ids")), (LEGACY, ("real", "int", "records", "field"))):
    for _part in _parts:
        group(f"{_part} of a tile {_kind}", tile(_part), of_places("ParticleTile", _kind))
        group(f"{_part} of a container {_kind}", particles(_part), of_places("ParticleContainer", _kind))
group("records of a tile 16_4_0_0", tile("records"), of_places("ParticleTile", "16_4_0_0"))
group("StructOfArrays", components, of_places("StructOfArrays", "3_1"))
group("StructOfArrays with ids", components, of_places("StructOfArrays", "5_2_idcpu"))
PARTICLES = {}
for _records in ("2_1", "16_4"):
    _classes = of_places("ArrayOfStructs", _records)
    PARTICLES |= dict.fromkeys(_classes.values(), getattr(amr, f"Particle_{_records}"))
    group(f"ArrayOfStructs_{_records}", records, _classes)
OF_PARTICLES = (amr.ParticleTile, amr.ParticleContainer, amr.StructOfArrays, amr.ArrayOfStructs)


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
if OLD:  # it takes legacy capsules, and makes arrays of them read-only
    for name in ("from_dlpack", "legacy capsule", "versioned capsule", "copied capsule"):
        del PROTOCOLS[name]
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
    "delete": (None, ()),
    "finalize": (None, ()),
}


def swap(x):
    other = type(x)()
    other.resize(7)
    x.swap(other)
    SWAPPED.append(other)


def add(pc):
    other = pc.make_alike()
    other.add_particles(pc)
    pc.add_particles(other)


def add_local(pc):
    other = pc.make_alike()
    other.add_particles(pc)
    pc.add_particles(other, local=True)


def define_again(pc):
    boxes = amr.BoxArray(geometry().domain)
    pc.Define(geometry(), amr.DistributionMapping(boxes), boxes)


def written(checkpoint):
    def write_and_read(pc):
        with tempfile.TemporaryDirectory() as folder:
            getattr(pc, checkpoint)(folder, "particles")
            pc.restart(folder, "particles")

    return write_and_read


def change_vectors(method, *arguments):
    """Of the components, not of the tile."""

    def change(x):
        soa = x if isinstance(x, amr.StructOfArrays) else x.get_struct_of_arrays()
        for vector in [*soa.get_real_data(), *soa.get_int_data()] + ([soa.get_idcpu_data()] if soa.has_idcpu else []):
            getattr(vector, method)(*arguments)

    return change


def pushed_particles(times):
    def push(x):
        cls = PARTICLES.get(type(x))
        for _ in range(times):
            x.push_back(cls() if cls else x[0])

    return push


SWAPPED = []
# Of particles. The third member: whether what the container holds afterwards is certainly other memory.
OF_TILE, OF_CONTAINER = ("resize", "get_struct_of_arrays"), ("redistribute",)
PARTICLE_CHANGES = {
    "resize down": (call("resize", 2), ("resize",), True),
    "resize up": (call("resize", 9000), ("resize",), True),
    "resize to none": (call("resize", 0), ("resize",), True),
    "add neighbors": (call("set_num_neighbors", 900), ("set_num_neighbors",), True),
    "add and drop neighbors": (
        both(call("set_num_neighbors", 900), call("set_num_neighbors", 0)),
        ("set_num_neighbors",),
        True,
    ),
    "neighbors of records": (
        both(call("setNumNeighbors", 900), call("setNumNeighbors", 1)),
        ("setNumNeighbors",),
        True,
    ),
    "shrink": (both(call("resize", 2), call("shrink_to_fit")), OF_TILE, True),
    "push particles": (pushed_particles(400), OF_TILE, True),
    "push records": (pushed_particles(400), ("setNumNeighbors",), True),
    "pop records": (both(call("pop_back"), pushed_particles(1)), ("setNumNeighbors",), True),
    "swap": (swap, ("swap",), True),
    "more components": (call("define", 3, 3), OF_TILE, False),
    "vectors grow": (change_vectors("resize", 9000), ("get_struct_of_arrays",), False),
    "components grow": (change_vectors("resize", 9000), ("get_real_data",), True),
    "components are cleared": (
        both(change_vectors("clear"), change_vectors("shrink_to_fit")),
        ("get_real_data",),
        True,
    ),
    "clear particles": (call("clear_particles"), OF_CONTAINER, True),
    "remove a level": (call("remove_particles_at_level", 0), OF_CONTAINER, True),
    "sort by cell": (call("sort_particles_by_cell"), OF_CONTAINER, True),
    "sort by bin": (lambda pc: pc.sort_particles_by_bin(amr.IntVect(2)), OF_CONTAINER, True),
    "redistribute": (call("redistribute"), OF_CONTAINER, True),
    "redistribute twice": (both(call("redistribute"), call("redistribute")), OF_CONTAINER, True),
    "add particles": (add, OF_CONTAINER, True),
    "add particles in place": (add_local, OF_CONTAINER, True),
    "shrink container": (call("shrink_to_fit"), OF_CONTAINER, False),
    "new components": (both(call("add_real_comp", "new"), call("add_int_comp", "newer")), OF_CONTAINER, False),
    "names": (
        lambda pc: pc.set_soa_compile_time_names(
            [f"r{n}" for n in range(pc.num_array_real)], [f"i{n}" for n in range(pc.num_array_int)]
        ),
        OF_CONTAINER,
        False,
    ),
    "other arena": (lambda pc: setattr(pc, "arena", amr.The_Pinned_Arena()), OF_CONTAINER, False),
    "other boxes": (define_again, OF_CONTAINER, True),
    "tiles grow": (lambda pc: [t.resize(9000) for t in pc.get_particles(0).values()], OF_CONTAINER, True),
    "restart": (written("write_plotfile"), OF_CONTAINER, True),
    "restart from a checkpoint": (written("checkpoint"), OF_CONTAINER, True),
}


def changes_of(container):
    """The changes that make sense for it: name -> (function, whether the container then has other memory)."""
    of_particles = isinstance(container, OF_PARTICLES)
    always = ("nothing", "delete", "finalize")
    if of_particles:
        found = {n: (f, replaced) for n, (f, wanted, replaced) in PARTICLE_CHANGES.items() if has(container, wanted)}
        return {n: (CHANGES[n][0], False) for n in always} | found
    kept = (*always, "resize to the same")
    return {n: (f, n not in kept) for n, (f, wanted) in CHANGES.items() if has(container, wanted)}


def has(container, names):
    return all(hasattr(container, name) for name in names)


# ---------------------------------------------------------------- the cases


def churn(cls, make, nbytes):
    cells = max(1, nbytes // 8)
    blocks = [np.full(cells + extra, OTHER, "i8") for extra in (0, 0, 1, 8) for _ in range(4)]
    return blocks, [make(cls, COUNT[0]) for _ in range(3)]


def start():
    amr.initialize(["amrex.verbose=0", "amrex.signal_handling=0"])


def data_of(container, obj):
    """What a changed container holds, where that can be told."""
    if isinstance(container, (amr.ParticleTile, amr.ParticleContainer, amr.StructOfArrays)):
        return contents(container)
    return bytes_of(container) if obj is container else None


def run_case(make, cls, count, protocol, change, write):
    container, obj = make(cls, count)
    apply, replaced = changes_of(container)[change]
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
        apply(container)
    blocks, others = churn(cls, make, want.nbytes)
    array = take()
    fields = want.dtype.names or [...]  # through the array interface NumPy shows padding as one field more
    if not all(np.array_equal(array[name], want[name]) for name in fields):
        return "the view shows other values"
    if not write or not array.flags.writeable:
        return None
    before = data_of(container, obj) if replaced and container is not None else None
    array[...] = np.zeros((), array.dtype)
    if any((b != OTHER).any() for b in blocks):
        return "a write landed in other memory"
    if before is not None and before != data_of(container, obj):
        return "a write landed in the changed container"
    del others
    return None


def cases(name):
    """All of changes x protocols x sizes x {read, write} for the first class of a group. The others differ from it in
    the element type or the kind of memory: for each of them every change meets every third protocol, another third with
    each class and change, so that any two of class, change and protocol meet."""
    for turn, (label, (make, cls)) in enumerate(GROUPS[name].items()):
        container, _ = make(cls, COUNT[0])
        for at, change in enumerate(changes_of(container)):
            if change == "finalize" and turn:
                continue
            for number, protocol in enumerate(PROTOCOLS):
                if turn and (number + at + turn) % 3:
                    continue
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
