// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ParticleContainer: its definition and components, and how it gets particles.
#include "particles/container.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/copies.hpp"
#include "register.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;

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
                return wrap_tile(self.share_tile(lev, grid, tile), self.memory);
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
                    all[nb::make_tuple(key.first, key.second)] = wrap_tile(tile, self.memory);
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
                        tiles[nb::make_tuple(key.first, key.second)] = tile_exporters(*tile, self.memory);
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

}  // namespace

void warn_of(const LostParticles& lost) {
    if (lost.count() == 0) return;
    std::string why;
    const auto add = [&why](Long count, const char* reason) {
        if (count > 0) why += concat(why.empty() ? "" : ", ", count, " ", reason);
    };
    add(lost.without_id, "without an id (their idcpu is 0: give them ids with pack_ids)");
    add(lost.without_position, "with a position that is NaN or infinite");
    add(lost.without_box, "in the domain, but in no box");
    const std::string text =
        concat(lost.count(), lost.count() == 1 ? " particle is" : " particles are", " removed: ", why);
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) throw nb::python_error();
}

template <int D>
void register_particles_space(nb::module_& space) {
    register_particle_iter<D>(space);
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
    register_particle_order<D>(cls);
    register_particle_loops<D>(cls);
    register_particle_counts<D>(cls);
    register_particle_files<D>(cls);
    register_read_particles<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_particles_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
