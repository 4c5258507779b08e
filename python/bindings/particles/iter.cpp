// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Loops over the tiles of a particle container.
#include <nanobind/stl/string.h>

#include "base/copies.hpp"
#include "mesh/mf_iter.hpp"
#include "particles/container.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;

/// A memory in a loop over tiles with particles. It holds the tiles: the container may change meanwhile.
template <int D>
class ParIter : public MFIter<D> {
public:
    struct Stop {
        int level;
        TileKey key;
        std::shared_ptr<ParticleTile> tile;
    };
    struct Loop {
        ParticleKind kind;
        std::vector<Geometry<D>> geom;
        std::vector<std::shared_ptr<const FabLayout<D>>> layouts;
        std::vector<Stop> stops;
    };

    ParIter(const PyContainer<D>& container, int first, int last) {
        Loop loop{container.kind(), {}, {}, {}};
        for (int lev = 0; lev < container.num_levels(); ++lev) {
            loop.geom.push_back(container.level(lev).geom);
            loop.layouts.push_back(container.level(lev).layout);
        }
        for (int lev = first; lev <= last; ++lev) {
            for (const auto& [key, tile] : container.level(lev).tiles) {
                if (tile->size() > 0) loop.stops.push_back({lev, key, tile});
            }
        }
        loop_ = std::make_shared<const Loop>(std::move(loop));
        first_ = first;
        move_to(0);
    }

    const Loop& loop() const noexcept { return *loop_; }
    std::size_t at() const noexcept { return at_; }
    std::size_t stops() const noexcept { return loop_->stops.size(); }
    bool valid() const noexcept { return at_ < stops(); }
    int level() const noexcept { return valid() ? loop_->stops[at_].level : first_; }
    const Stop& stop() const {
        if (!valid()) throw IndexError("this iterator is past the end of its loop");
        return loop_->stops[at_];
    }
    void move_to(std::size_t at) {
        at_ = at;
        const auto lev = static_cast<std::size_t>(level());
        FabBody<D> body;
        body.layout = loop_->layouts[lev];
        static_cast<MFIter<D>&>(*this) = MFIter<D>(body);
        this->set_position(valid() ? static_cast<std::size_t>(body.layout->local_index(stop().key.first))
                                   : static_cast<std::size_t>(this->length()));
    }
    bool started = false;

private:
    std::shared_ptr<const Loop> loop_;
    std::size_t at_ = 0;
    int first_ = 0;
};

template <int D>
nb::object column_of(const ParIter<D>& self, const std::string& name) {
    const auto& stop = self.stop();
    const PySoA soa{stop.tile->share_soa(), self.loop().kind.memory};
    const auto as_array = [](const nb::object& vector) { return vector.attr("to_xp")(); };
    if (name == "idcpu" && soa.soa->has_idcpu()) return as_array(idcpu_component(soa));
    if (const int i = component_index(soa.soa->real_names(), name); i >= 0) return as_array(real_component(soa, i));
    if (const int i = component_index(soa.soa->int_names(), name); i >= 0) return as_array(int_component(soa, i));
    if (!soa.soa->has_idcpu()) {
        const nb::dict fields = record_fields(stop.tile->share_aos());
        if (fields.contains(name.c_str())) return as_array(fields[name.c_str()]);
    }
    throw nb::key_error(("these particles have no component '" + name + "'").c_str());
}

/// pc.iterator(level=...), as upstream with what it deprecates.
template <int D>
nb::object iterator_of(const char* family, const PyContainer<D>& container, const nb::args& args, nb::object level) {
    if (args.size() == 1 && PyLong_Check(nb::handle(args[0]).ptr()) && level.is_none()) {
        level = args[0];
    } else if (args.size() > 0) {
        if (PyErr_WarnEx(PyExc_DeprecationWarning, "positional arguments of iterator() have no effect: use level=...",
                         1) < 0) {
            throw nb::python_error();
        }
    }
    int first = 0, last = 0;
    if (level.is_none()) {
        if (container.finest_level() > 0) throw ValueError("there are several levels: say level=... or level=\"all\"");
    } else if (PyUnicode_Check(level.ptr()) && nb::cast<std::string>(level) == "all") {
        last = container.finest_level();
    } else if (PyLong_Check(level.ptr())) {
        first = last = nb::cast<int>(level);
        if (first < 0 || first > container.finest_level()) {
            throw ValueError(concat("level ", first, " does not exist: the finest is ", container.finest_level()));
        }
    } else {
        throw ValueError("a level is a number or \"all\"");
    }
    static_cast<void>(container.level(first));
    return make_instance(particle_class(family, container.kind()), ParIter<D>(container, first, last));
}

}  // namespace

template <int D>
void register_particle_iter(nb::module_& space) {
    using Iter = ParIter<D>;
    nb::class_<Iter, MFIter<D>> cls(
        space, "ParIter",
        "Base of the classes ParIter_* and ParConstIter_*: a position in a loop over the tiles that have particles.\n\n"
        "It holds the tiles: particles may be moved, or the container deleted, meanwhile.\n\n"
        "    for pti in pc.iterator(level=0):\n"
        "        pti[\"x\"] += 0.1                # in place, of a view");
    refuse_arrays(cls, "pti[name] gives a component, pti.soa().to_numpy() all by name");
    cls.def(
           "__init__",
           [](Iter* self, const PyContainer<D>& particle_container, int level) {
               static_cast<void>(particle_container.level(level));
               new (self) Iter(particle_container, level, level);
           },
           "particle_container"_a, "level"_a, "The first tile of a level.")
        .def_prop_ro("is_valid", &Iter::valid, "Whether the position is within the loop.")
        .def_prop_ro("length", &Iter::stops, "Steps of the whole loop.")
        .def_prop_ro("level", &Iter::level, "The level of the tile.")
        .def_prop_ro(
            "pair_index",
            [](const Iter& self) { return nb::make_tuple(self.stop().key.first, self.stop().key.second); },
            nb::sig("def pair_index(self, /) -> tuple[int, int]"), "Number of the box, and of the tile in it.")
        .def_prop_ro(
            "size", [](const Iter& self) { return self.stop().tile->size(); },
            "Number of particles, neighbors included.")
        .def_prop_ro(
            "num_particles", [](const Iter& self) { return self.stop().tile->num_particles(); },
            "Number of particles without neighbors.")
        .def_prop_ro(
            "num_real_particles", [](const Iter& self) { return self.stop().tile->num_particles(); },
            "Number of particles without neighbors.")
        .def_prop_ro(
            "num_neighbor_particles", [](const Iter& self) { return self.stop().tile->num_neighbors(); },
            "Number of neighbors.")
        .def(
            "geom",
            [](const Iter& self, int level) -> Geometry<D> {
                if (level < 0 || level >= static_cast<int>(self.loop().geom.size())) {
                    throw IndexError(concat("level ", level, " does not exist"));
                }
                return self.loop().geom[static_cast<std::size_t>(level)];
            },
            "level"_a, "The geometry of a level.")
        .def(
            "particle_tile", [](const Iter& self) { return wrap_tile(self.stop().tile, self.loop().kind.memory); },
            nb::sig("def particle_tile(self) -> amrex._core.ParticleTile"), "The tile.")
        .def(
            "soa", [](const Iter& self) { return wrap_soa(*self.stop().tile, self.loop().kind.memory); },
            nb::sig("def soa(self) -> amrex._core.StructOfArrays"), "The components of its particles.")
        .def(
            "aos", [](const Iter& self) { return wrap_aos(*self.stop().tile, self.loop().kind.memory); },
            nb::sig("def aos(self) -> amrex._core.ArrayOfStructs"), "The records of legacy particles.")
        .def("__getitem__", &column_of<D>, "name"_a, nb::sig("def __getitem__(self, name: str, /) -> typing.Any"),
             "A component by name, as an array of amr.xp that shows it; KeyError if there is none.")
        .def(
            "__setitem__",
            [](const Iter& self, const std::string& name, nb::handle values) {
                nb::module_::import_("amrex._particles").attr("set_column")(column_of(self, name), values, name);
            },
            "name"_a, "values"_a, nb::sig("def __setitem__(self, name: str, values: typing.Any, /) -> None"),
            "Write all of a component, as in pti[\"x\"] += 0.1: a number, or an array of its length.\n\n"
            "Ahead of any change: KeyError if there is none, ValueError for another length or numbers that do not fit.")
        .def(
            "_incr", [](Iter& self) { static_cast<void>(self.stop()), self.move_to(self.at() + 1); },
            "Step to the next tile.")
        .def(
            "finalize", [](Iter& self) { self.move_to(self.stops()); }, "End the loop.")
        .def(
            "__iter__",
            [](nb::pointer_and_handle<Iter> self) {
                const Iter& iter = *self.p;
                nb::list all;
                for (std::size_t at = iter.at(); at < iter.stops(); ++at) {
                    Iter step = iter;
                    step.move_to(at);
                    step.started = true;
                    all.append(make_instance(self.h.type(), std::move(step)));
                }
                return nb::iter(all);
            },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Self]"), "The steps from this position on.")
        .def(
            "__next__",
            [](nb::pointer_and_handle<Iter> self) {
                Iter& iter = *self.p;
                if (iter.started && iter.valid()) iter.move_to(iter.at() + 1);
                iter.started = true;
                if (!iter.valid()) throw nb::stop_iteration();
                return nb::borrow(self.h);
            },
            nb::sig("def __next__(self) -> typing.Self"),
            "This object at the next tile, at first at the first one; StopIteration at the end.")
        .def("__repr__", [](nb::pointer_and_handle<Iter> self) {
            return "<amrex." + nb::cast<std::string>(self.h.type().attr("__name__")) +
                   (self.p->valid() ? " (valid)>" : " (past the end)>");
        });
}

template <int D>
void register_particle_loops(Container<D>& cls) {
    using PC = PyContainer<D>;
    cls.def(
           "iterator",
           [](const PC& self, const nb::args& args, nb::object level) {
               return iterator_of("ParIter", self, args, level);
           },
           "args"_a, "level"_a = nb::none(),
           nb::sig("def iterator(self, *args: typing.Any, level: int | str | None = None) -> ParIter"),
           "A loop over the tiles with particles of a level, or of level=\"all\".")
        .def(
            "const_iterator",
            [](const PC& self, const nb::args& args, nb::object level) {
                return iterator_of("ParConstIter", self, args, level);
            },
            "args"_a, "level"_a = nb::none(),
            nb::sig("def const_iterator(self, *args: typing.Any, level: int | str | None = None) -> ParIter"),
            "The same, for loops that only read.");
}

#define ZEROFAB_INSTANTIATE(D)                             \
    template void register_particle_iter<D>(nb::module_&); \
    template void register_particle_loops<D>(Container<D>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
