// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ParticleContainer and the loops over its tiles.
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "copies.hpp"
#include "mesh_ghosts.hpp"
#include "mesh_mf_iter.hpp"
#include "particles.hpp"
#include "register.hpp"
#include "without_gil.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/io/particle_file.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;

/// A container that knows the kind of memory that its class names.
template <int D>
class PyContainer : public ParticleContainer<D> {
public:
    PyContainer(const ParticleKind& kind) : ParticleContainer<D>(kind.layout, arena_of(kind)), place(kind.place) {}

    ParticleKind kind() const { return {this->layout(), place}; }
    VectorPlace place;
};

// ---- loops

/// A place in a loop over tiles with particles. It holds the tiles: the container may change meanwhile.
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
        this->set_place(valid() ? static_cast<std::size_t>(body.layout->local_index(stop().key.first))
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
    const PySoA soa{stop.tile->share_soa(), self.loop().kind.place};
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

template <int D>
void register_iter(nb::module_& space) {
    using Iter = ParIter<D>;
    nb::class_<Iter, MFIter<D>> cls(
        space, "ParIter",
        "Base of the classes ParIter_* and ParConstIter_*: a place in a loop over the tiles that have particles.\n\n"
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
        .def_prop_ro("is_valid", &Iter::valid, "Whether the place is within the loop.")
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
                    throw IndexError("level " + std::to_string(level) + " does not exist");
                }
                return self.loop().geom[static_cast<std::size_t>(level)];
            },
            "level"_a, "The geometry of a level.")
        .def(
            "particle_tile", [](const Iter& self) { return wrap_tile(self.stop().tile, self.loop().kind.place); },
            nb::sig("def particle_tile(self) -> amrex._core.ParticleTile"), "The tile.")
        .def(
            "soa", [](const Iter& self) { return wrap_soa(*self.stop().tile, self.loop().kind.place); },
            nb::sig("def soa(self) -> amrex._core.StructOfArrays"), "The components of its particles.")
        .def(
            "aos", [](const Iter& self) { return wrap_aos(*self.stop().tile, self.loop().kind.place); },
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
            nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Self]"), "The steps from this place on.")
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

// ---- containers

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
            throw ValueError("level " + std::to_string(first) + " does not exist: the finest is " +
                             std::to_string(container.finest_level()));
        }
    } else {
        throw ValueError("a level is a number or \"all\"");
    }
    static_cast<void>(container.level(first));
    return make_instance(particle_class(family, container.kind()), ParIter<D>(container, first, last));
}

/// Before anything has changed: a filter of warnings may make it an error.
void warn_of(const LostParticles& lost) {
    if (lost.count() == 0) return;
    std::string why;
    const auto add = [&why](Long count, const char* reason) {
        if (count > 0) why += (why.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
    };
    add(lost.without_id, "without an id (their idcpu is 0: give them ids with pack_ids)");
    add(lost.without_position, "with a position that is NaN or infinite");
    add(lost.without_box, "in the domain, but in no box");
    const std::string text =
        std::to_string(lost.count()) + (lost.count() == 1 ? " particle is" : " particles are") + " removed: " + why;
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

template <int D>
void redistribute(PyContainer<D>& self, int lev_min, int lev_max, const IntVect<D>& ngrow, bool remove_negative) {
    Redistribution<D> move(self, {lev_min, lev_max, ngrow, remove_negative});
    {
        const WithoutGil released;
        move.run();
    }
    warn_of(move.lost());
    move.install(self);
}

template <int D>
void add_at_level(PyContainer<D>& self, const ParticleTile& tile, int level) {
    std::vector<TileView> joining;
    joining.emplace_back(tile);
    Redistribution<D> move(self, std::move(joining), level);
    {
        const WithoutGil released;
        move.run();
    }
    warn_of(move.lost());
    move.install(self);
}

template <int D>
void sort(PyContainer<D>& self, const IntVect<D>& bin) {
    BinSort<D> sorting(self, bin);
    {
        const WithoutGil released;
        sorting.run();
    }
    sorting.install(self);
}

template <int D>
void restart(PyContainer<D>& self, const std::filesystem::path& dir, const std::string& file, bool add) {
    static_cast<void>(self.level(0));
    ParticleTile tile = self.fresh_tile(The_Cpu_Arena());
    const std::vector<std::string> real_names = self.real_names(), int_names = self.int_names();
    ParticleMatch match;
    {
        const WithoutGil released;
        if (add) {
            match = ParticleMatch::of(ParticleHeader::read(dir.string(), file), tile, true);
            std::vector<std::string> reals = real_names, ints = int_names;
            reals.insert(reals.end(), match.new_real.begin(), match.new_real.end());
            ints.insert(ints.end(), match.new_integer.begin(), match.new_integer.end());
            const ParticleLayout& layout = tile.layout();
            tile.define(static_cast<int>(reals.size()) - layout.array_real,
                        static_cast<int>(ints.size()) - layout.array_int, reals, ints, The_Cpu_Arena());
        }
        read_particles(dir.string(), file, tile);
    }
    // all is read and fits: only now does the container change
    if (self.real_names() != real_names || self.int_names() != int_names) {
        throw StateError("the components of these particles changed while others were being read");
    }
    for (const std::string& name : match.new_real) self.add_real_comp(name);
    for (const std::string& name : match.new_integer) self.add_int_comp(name);
    add_at_level(self, tile, self.finest_level());
}

template <int D>
void write(const PyContainer<D>& self, const std::filesystem::path& dir, const std::string& name,
           std::vector<std::string> real_names, std::vector<std::string> int_names, bool checkpoint) {
    const ParticleWriter<D> writer(self, std::move(real_names), std::move(int_names));
    const WithoutGil released;
    writer.write(dir.string(), name, checkpoint);
}

nb::list three(Long number) {
    nb::list all;
    for (int i = 0; i < 3; ++i) all.append(number);
    return all;
}

template <int D>
using Container = nb::class_<PyContainer<D>>;

template <int D>
void register_definition(Container<D>& cls) {
    using PC = PyContainer<D>;
    using Geometries = std::vector<Geometry<D>>;
    using Owners = std::vector<DistributionMapping>;
    using Boxes = std::vector<BoxArray<D>>;
    constexpr const char* levels_doc =
        "Several levels, the coarsest first; ref_ratio has no effect, the geometries say it.";
    refuse_arrays(cls,
                  "pc.to_df() gives all particles in a table, amr.exchange(library, pc) the components of all tiles as "
                  "tensors of any library");
    refuse_copies(cls, copies_of_particles);
    cls.def(
           "__init__", [](nb::pointer_and_handle<PC> self) { new (self.p) PC(particle_kind_of(self.h.type())); },
           "No levels: define() them.")
        .def(
            "__init__",
            [](nb::pointer_and_handle<PC> self, const Geometry<D>& geom, const DistributionMapping& dmap,
               const BoxArray<D>& ba) {
                PC made(particle_kind_of(self.h.type()));
                made.define(geom, dmap, ba);
                new (self.p) PC(std::move(made));
            },
            "geom"_a, "dmap"_a, "ba"_a, "One level, without particles.")
        .def(
            "__init__",
            [](nb::pointer_and_handle<PC> self, const Geometries& geom, const Owners& dmap, const Boxes& ba,
               nb::handle) {
                PC made(particle_kind_of(self.h.type()));
                made.define(geom, dmap, ba);
                new (self.p) PC(std::move(made));
            },
            "geom"_a, "dmap"_a, "ba"_a, "ref_ratio"_a = nb::none(), levels_doc)
        .def(
            "Define",
            [](PC& self, const Geometry<D>& geom, const DistributionMapping& dmap, const BoxArray<D>& ba) {
                self.define(geom, dmap, ba);
            },
            "geom"_a, "dmap"_a, "ba"_a, "One level, without particles.")
        .def(
            "Define",
            [](PC& self, const Geometries& geom, const Owners& dmap, const Boxes& ba, nb::handle) {
                self.define(geom, dmap, ba);
            },
            "geom"_a, "dmap"_a, "ba"_a, "ref_ratio"_a = nb::none(), levels_doc)
        .def(
            "make_alike",
            [](nb::pointer_and_handle<PC> self) {
                PC made(self.p->kind());
                made.define_like(*self.p);
                return make_instance(self.h.type(), std::move(made));
            },
            nb::sig("def make_alike(self) -> typing.Self"),
            "A container with the same levels and components, without particles.")
        .def_prop_rw(
            "arena", [](const PC& self) -> Arena& { return self.arena(); },
            [](PC& self, Arena& arena) { self.set_arena(arena); }, nb::rv_policy::reference,
            "Where the memory of particles comes from.")
        .def_prop_ro("finest_level", &PC::finest_level, "Number of the finest level.");
}

template <int D>
void register_components(Container<D>& cls) {
    using PC = PyContainer<D>;
    const auto index = [](const std::vector<std::string>& names, const std::string& name) {
        const int found = component_index(names, name);
        if (found < 0) throw ValueError("these particles have no component '" + name + "'");
        return found;
    };
    cls.def(
           "add_real_comp", [](PC& self, const std::string& name, int) { self.add_real_comp(name); }, "name"_a,
           "communicate"_a = 1, "A further real component, zero; ValueError if the name is taken.")
        .def(
            "add_real_comp", [](PC& self, int) { self.add_real_comp(); }, "communicate"_a = 1,
            "The same with a default name.")
        .def(
            "add_int_comp", [](PC& self, const std::string& name, int) { self.add_int_comp(name); }, "name"_a,
            "communicate"_a = 1, "A further int component, zero; ValueError if the name is taken.")
        .def(
            "add_int_comp", [](PC& self, int) { self.add_int_comp(); }, "communicate"_a = 1,
            "The same with a default name.")
        .def(
            "has_real_comp",
            [](const PC& self, const std::string& name) { return component_index(self.real_names(), name) >= 0; },
            "name"_a, "Whether a real component has this name.")
        .def(
            "has_int_comp",
            [](const PC& self, const std::string& name) { return component_index(self.int_names(), name) >= 0; },
            "name"_a, "Whether an int component has this name.")
        .def(
            "get_real_comp_index",
            [index](const PC& self, const std::string& name) { return index(self.real_names(), name); }, "name"_a,
            "The number of a real component; ValueError if there is none.")
        .def(
            "get_int_comp_index",
            [index](const PC& self, const std::string& name) { return index(self.int_names(), name); }, "name"_a,
            "The number of an int component; ValueError if there is none.")
        .def(
            "set_soa_compile_time_names",
            [](PC& self, std::vector<std::string> reals, std::vector<std::string> ints) {
                self.set_names(std::move(reals), std::move(ints));
            },
            "real_names"_a, "int_names"_a, "Name the components that the class has.")
        .def_prop_ro("real_soa_names", &PC::real_names, "Names of real components in arrays.")
        .def_prop_ro("int_soa_names", &PC::int_names, "Names of int components in arrays.")
        .def_prop_ro("num_real_comps", &PC::num_real, "Number of real components in arrays.")
        .def_prop_ro("num_int_comps", &PC::num_int, "Number of int components in arrays.")
        .def_prop_ro(
            "num_runtime_real_comps", [](const PC& self) { return self.num_real() - self.layout().array_real; },
            "Number of real components added at run time.")
        .def_prop_ro(
            "num_runtime_int_comps", [](const PC& self) { return self.num_int() - self.layout().array_int; },
            "Number of int components added at run time.")
        .def_prop_ro("num_position_components", [](const PC&) { return D; }, "Number of dimensions.");
}

template <int D>
void register_making(Container<D>& cls) {
    using PC = PyContainer<D>;
    cls.def(
           "init_random",
           [](PC& self, Long count, unsigned seed, const ParticleInit& init, bool, const RealBox<D>& region) {
               self.init_random(count, seed, init, region, warn_of);
           },
           "count"_a, "seed"_a, "init"_a, "serialize"_a, "region"_a,
           "Add particles at random in a region of the physical domain; the same for the same seed.")
        .def(
            "init_random_per_box",
            [](PC& self, Long count, unsigned seed, const ParticleInit& init) {
                self.init_random_per_box(count, seed, init, warn_of);
            },
            "count"_a, "seed"_a, "init"_a, "Add `count` particles at random in each box of level 0.")
        .def(
            "init_one_per_cell",
            [](PC& self, Real x, Real y, Real z, const ParticleInit& init) {
                const std::array<Real, 3> all{x, y, z};
                RealVect<D> offset;
                for (int d = 0; d < D; ++d) offset[d] = all[static_cast<std::size_t>(d)];
                self.init_one_per_cell(offset, init, warn_of);
            },
            "x_off"_a, "y_off"_a, "z_off"_a, "init"_a,
            "Add a particle in each cell of level 0, at these fractions of the cell; in fewer dimensions the last have "
            "no effect.")
        .def(
            "add_particles_at_level",
            [](PC& self, const PyTile& particles, int level, int) { add_at_level(self, *particles.tile, level); },
            "particles"_a, "level"_a, "ngrow"_a = 0,
            "Add copies of the valid particles of a tile, where they belong.\n\n"
            "They need ids (pack_ids). RuntimeWarning with their number if some have a position and no id, or a "
            "position\n"
            "that is not finite: they are left out.")
        .def(
            "add_particles", [](PC& self, const PC& other, bool local) { self.add_particles(other, local, warn_of); },
            "other"_a, "local"_a = false,
            "Add copies of the particles of another container, where they belong or (local) where they are there.\n\n"
            "RuntimeError, and nothing has changed, if another thread changes ours meanwhile.")
        .def(
            "clear_particles", [](PC& self) { self.clear(); }, "Remove all particles.")
        .def(
            "remove_particles_at_level", [](PC& self, int level) { self.clear_level(level); }, "level"_a,
            "Remove all particles of a level.")
        .def(
            "remove_particles_not_at_finestLevel",
            [](PC& self) {
                for (int lev = 0; lev < self.finest_level(); ++lev) self.clear_level(lev);
            },
            "Remove all particles but those of the finest level.")
        .def(
            "define_and_return_particle_tile",
            [](PC& self, int lev, int grid, int tile) {
                return wrap_tile(self.share_tile(lev, grid, tile), self.place);
            },
            "lev"_a, "grid"_a, "tile"_a,
            nb::sig("def define_and_return_particle_tile(self, lev: int, grid: int, tile: int) -> "
                    "amrex._core.ParticleTile"),
            "The tile of a box, made if there is none.")
        .def(
            "get_particles",
            [](const PC& self, int level) {
                nb::dict all;
                if (self.num_levels() == 0 && level == 0) return all;
                for (const auto& [key, tile] : self.level(level).tiles) {
                    all[nb::make_tuple(key.first, key.second)] = wrap_tile(tile, self.place);
                }
                return all;
            },
            "level"_a,
            nb::sig("def get_particles(self, level: int) -> dict[tuple[int, int], amrex._core.ParticleTile]"),
            "The tiles of a level, by box and tile number.")
        .def(
            "exporters",
            [](const PC& self) {
                nb::list levels;
                for (int lev = 0; lev < self.num_levels(); ++lev) {
                    nb::dict tiles;
                    for (const auto& [key, tile] : self.level(lev).tiles) {
                        tiles[nb::make_tuple(key.first, key.second)] = tile_exporters(*tile, self.place);
                    }
                    levels.append(tiles);
                }
                return levels;
            },
            nb::sig("def exporters(self) -> list[dict[tuple[int, int], dict[str, amrex._core.Exporter]]]"),
            "All components: for each level, by box and tile number, by name.")
        .def(
            "reserve_data", [](PC&) {}, "Nothing is left to do: tiles are made when they are needed.")
        .def(
            "resize_data", [](PC&) {}, "Nothing is left to do: tiles are made when they are needed.")
        .def(
            "shrink_t_fit", [](PC& self) { self.shrink_to_fit(); }, "Give up memory that no particle uses.")
        .def("shrink_to_fit", [](PC& self) { self.shrink_to_fit(); }, "Give up memory that no particle uses.");
}

template <int D>
void register_order(Container<D>& cls) {
    using PC = PyContainer<D>;
    constexpr const char* doc =
        "Put each particle into the finest box that holds its position.\n\n"
        "Positions in periodic directions are brought back into the domain. Particles that left it in other "
        "directions\n"
        "are removed (its upper end still belongs to it), and invalid ones unless remove_negative is False. With\n"
        "nGrow, particles so many cells outside their box stay. Views keep what they show.\n\n"
        "RuntimeWarning with their number if particles are removed that have a position and no id (idcpu 0), a\n"
        "position that is not finite, or one in the domain but in no box.\n\n"
        "Other Python threads run meanwhile. RuntimeError, and nothing has changed, if one of them changes particles\n"
        "that move: adds or removes some, or overwrites a whole one. What it writes into components may be lost.";
    cls.def(
           "redistribute",
           [](PC& self, int lev_min, int lev_max, const Ghosts<D>& ngrow, int, bool remove_negative) {
               redistribute(self, lev_min, lev_max, ngrow.n, remove_negative);
           },
           "lev_min"_a = 0, "lev_max"_a = -1, "nGrow"_a = Ghosts<D>{}, "local"_a = 0, "remove_negative"_a = true, doc)
        .def(
            "redistribute",
            [](PC& self, int lev_min, int lev_max, const Ghosts<D>& ngrow, bool, const Ghosts<D>&,
               bool remove_negative) { redistribute(self, lev_min, lev_max, ngrow.n, remove_negative); },
            "lev_min"_a = 0, "lev_max"_a = -1, "nGrow"_a = Ghosts<D>{}, "local"_a = false,
            "max_cells_moved"_a = Ghosts<D>{}, "remove_negative"_a = true)
        .def(
            "sort_particles_by_cell", [](PC& self) { sort(self, IntVect<D>(1)); },
            "Order the particles of each tile by cell, x fastest.\n\n"
            "Other Python threads run meanwhile; RuntimeError, and nothing has changed, if one of them changes the "
            "particles.")
        .def(
            "sort_particles_by_bin",
            [](PC& self, const IntVect<D>& bin_size) {
                if (bin_size != IntVect<D>(0)) sort(self, bin_size);
            },
            "bin_size"_a,
            "Order the particles of each tile by bins of so many cells, x fastest; bins of 0 cells: not at all.")
        .def(
            "OK",
            [](const PC& self, int lev_min, int lev_max, const Ghosts<D>& ngrow) {
                return self.ok(lev_min, lev_max, ngrow.n);
            },
            "lev_min"_a = 0, "lev_max"_a = -1, "nGrow"_a = Ghosts<D>{},
            "Whether each valid particle is in the box, grown by nGrow, that holds it.");
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
            "The same, for loops that only read.")
        .def(
            "to_df",
            [](nb::handle self, bool local, nb::handle comm, int root_rank) {
                return nb::module_::import_("amrex._particles").attr("to_df")(self, local, comm, root_rank);
            },
            "local"_a = true, "comm"_a = nb::none(), "root_rank"_a = 0,
            nb::sig("def to_df(self, local: bool = True, comm: typing.Any = None, root_rank: int = 0) -> typing.Any"),
            "A pandas.DataFrame with copies of all particles, or None if there are none; ImportError without "
            "pandas.\n\n"
            "Rows are numbered from 0: by level, box, tile and place in it; with local=False by rank first, on rank\n"
            "root_rank of comm (mpi4py's world if None), None on the others.");
}

template <int D>
void register_counts(Container<D>& cls) {
    using PC = PyContainer<D>;
    cls.def(
           "total_number_of_particles", [](const PC& self, bool only_valid, bool) { return self.count(only_valid); },
           "only_valid"_a = true, "only_local"_a = false, "Particles of all levels, neighbors not counted.")
        .def(
            "number_of_particles", [](const PC& self, bool) { return self.count(true); }, "only_local"_a = false,
            "Valid particles of all levels.")
        .def(
            "number_of_particles_at_level",
            [](const PC& self, int level, bool only_valid, bool) { return self.count_at_level(level, only_valid); },
            "level"_a, "only_valid"_a = true, "only_local"_a = false, "Particles of a level.")
        .def(
            "number_of_particles_in_grid",
            [](const PC& self, int level, bool only_valid, bool) {
                return nb::module_::import_("amrex._core")
                    .attr("Vector_Long")(nb::cast(self.count_in_grids(level, only_valid)));
            },
            "level"_a, "only_valid"_a = true, "only_local"_a = false,
            nb::sig("def number_of_particles_in_grid(self, level: int, only_valid: bool = True, only_local: bool = "
                    "False) -> amrex._core.Vector_Long"),
            "Particles of each box of a level.")
        .def(
            "num_local_tiles_at_level",
            [](const PC& self, int level) {
                return self.num_levels() == 0 && level == 0 ? 0 : self.level(level).tiles.size();
            },
            "level"_a, "Tiles of a level that there are on this rank.")
        .def_prop_ro(
            "size", [](const PC& self) { return self.count(false); }, "Particles of all levels.")
        .def_prop_ro(
            "byte_spread", [](const PC& self) { return three(self.bytes()); },
            nb::sig("def byte_spread(self, /) -> list[int]"), "Bytes of particles: least, most and sum over the ranks.")
        .def(
            "print_capacity",
            [](const PC& self) {
                nb::print(("particles hold " + std::to_string(self.capacity()) + " bytes").c_str());
                return three(self.capacity());
            },
            nb::sig("def print_capacity(self) -> list[int]"),
            "Print and return bytes held: least, most and sum over the ranks.")
        .def(
            "increment", [](const PC& self, MultiFab<D>& mf, int level) { self.increment(mf, level); }, "mf"_a,
            "level"_a, "Add to component 0 of each cell the number of valid particles of the level in it.")
        .def("__repr__", [](nb::pointer_and_handle<PC> self) {
            const PC& pc = *self.p;
            return "<amrex." + nb::cast<std::string>(self.h.type().attr("__name__")) + " with " +
                   std::to_string(pc.count(false)) + " particles on " + std::to_string(pc.num_levels()) +
                   (pc.num_levels() == 1 ? " level>" : " levels>");
        });
}

template <int D>
void register_files(Container<D>& cls) {
    using PC = PyContainer<D>;
    using Path = std::filesystem::path;
    using Names = std::vector<std::string>;
    constexpr const char* doc =
        "Write the valid particles into the folder `name` of a plotfile `dir`; an older folder is renamed.\n\n"
        "Names are for all components but the position; none: their own. Other Python threads run meanwhile.";
    cls.def(
           "write_plotfile",
           [](const PC& self, const Path& dir, const std::string& name, Names reals, Names ints) {
               write(self, dir, name, std::move(reals), std::move(ints), false);
           },
           "dir"_a, "name"_a, "real_comp_names"_a = Names(), "int_comp_names"_a = Names(), doc)
        .def(
            "checkpoint",
            [](const PC& self, const Path& dir, const std::string& name, Names reals, Names ints) {
                write(self, dir, name, std::move(reals), std::move(ints), true);
            },
            "dir"_a, "name"_a, "real_comp_names"_a = Names(), "int_comp_names"_a = Names(),
            "The same, with all bits of the ids.")
        .def(
            "restart", [](PC& self, const Path& dir, const std::string& file) { restart(self, dir, file, false); },
            "dir"_a, "file"_a,
            "Add the particles of the folder `file` of a plotfile or checkpoint, where they belong.\n\n"
            "Components are matched by name; by position where one side has only the names that nobody gave\n"
            "(real_comp0, rdata_0, int_comp0, ...). ValueError with the names that have no counterpart, OSError with\n"
            "path and reason; after an error nothing has changed. Other Python threads run meanwhile.")
        .def(
            "restart_checkpoint",
            [](PC& self, const Path& dir, const std::string& file, bool) { restart(self, dir, file, false); }, "dir"_a,
            "file"_a, "is_checkpoint"_a, "The same.")
        .def(
            "_read_particles",
            [](PC& self, const Path& dir, const std::string& file) { restart(self, dir, file, true); }, "dir"_a,
            "file"_a, "What read_particles does with a container.");
}

}  // namespace

template <int D>
void register_particles_space(nb::module_& space) {
    register_iter<D>(space);
    Container<D> cls(space, "ParticleContainer",
                     "Base of the classes ParticleContainer_*: particles on the boxes of all levels.\n\n"
                     "    pc = amr.ParticleContainer_pureSoA_3_0_polymorphic(geom, dm, ba)\n"
                     "    init = amr.ParticleInitType_pureSoA_3_0()\n"
                     "    pc.init_random(1000, 1, init, False, geom.prob_domain)\n"
                     "    for pti in pc.iterator(level=0):\n"
                     "        pti[\"x\"][:] += 0.1\n"
                     "    pc.redistribute()");
    register_definition<D>(cls);
    register_components<D>(cls);
    register_making<D>(cls);
    register_order<D>(cls);
    register_counts<D>(cls);
    register_files<D>(cls);
    space.def(
        "read_particles",
        [space_name = nb::cast<std::string>(space.attr("__name__"))](nb::handle plotfile, nb::handle particle_dir,
                                                                     nb::handle communicate, nb::handle container) {
            const nb::module_ here = nb::module_::import_(space_name.c_str());
            return nb::module_::import_("amrex._particles")
                .attr("read_particles")(here, plotfile, particle_dir, communicate, container);
        },
        "plotfile"_a, "particle_dir"_a = "particles", "communicate"_a = true, "container"_a = nb::none(),
        nb::sig("def read_particles(plotfile: str | os.PathLike[str], particle_dir: str = 'particles', communicate: "
                "bool = True, "
                "container: ParticleContainer | None = None) -> ParticleContainer"),
        "Read a species of a plotfile or checkpoint into a container, adding the components that it has not.\n\n"
        "Components are matched as by restart(). After an error the container is as it was.\n"
        "Without a container, into a new one with all components in arrays on the boxes of the plotfile's level 0,\n"
        "not periodic.");
}

template void register_particles_space<1>(nb::module_&);
template void register_particles_space<2>(nb::module_&);
template void register_particles_space<3>(nb::module_&);

}  // namespace zerofab::python
