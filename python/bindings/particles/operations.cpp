// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What particle containers do and tell: moving, sorting, counting.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/without_gil.hpp"
#include "mesh/ghosts.hpp"
#include "particles/container.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;

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
void sort(PyContainer<D>& self, const IntVect<D>& bin) {
    BinSort<D> sorting(self, bin);
    {
        const WithoutGil released;
        sorting.run();
    }
    sorting.install(self);
}

nb::list three(Long number) {
    nb::list all;
    for (int i = 0; i < 3; ++i) all.append(number);
    return all;
}

}  // namespace

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
void register_particle_order(Container<D>& cls) {
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
}

template <int D>
void register_particle_counts(Container<D>& cls) {
    using PC = PyContainer<D>;
    cls.def(
           "to_df",
           [](nb::handle self, bool local, nb::handle comm, int root_rank) {
               return nb::module_::import_("amrex._particles").attr("to_df")(self, local, comm, root_rank);
           },
           "local"_a = true, "comm"_a = nb::none(), "root_rank"_a = 0,
           nb::sig("def to_df(self, local: bool = True, comm: typing.Any = None, root_rank: int = 0) -> typing.Any"),
           "A pandas.DataFrame with copies of all particles, or None if there are none; ImportError without "
           "pandas.\n\n"
           "Rows are numbered from 0: by level, box, tile and position in it; with local=False by rank first, on rank\n"
           "root_rank of comm (mpi4py's world if None), None on the others.")
        .def(
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
                nb::print((concat("particles hold ", self.capacity(), " bytes")).c_str());
                return three(self.capacity());
            },
            nb::sig("def print_capacity(self) -> list[int]"),
            "Print and return bytes held: least, most and sum over the ranks.")
        .def(
            "increment", [](const PC& self, MultiFab<D>& mf, int level) { self.increment(mf, level); }, "mf"_a,
            "level"_a,
            "Add to component 0 of each cell the number of valid particles of the level in it.\n\n"
            "The result does not depend on the number of threads. ValueError unless mf has the boxes of that level.")
        .def("__repr__", [](nb::pointer_and_handle<PC> self) {
            const PC& pc = *self.p;
            return concat("<amrex.", nb::cast<std::string>(self.h.type().attr("__name__")), " with ", pc.count(false),
                          " particles on ", pc.num_levels(), pc.num_levels() == 1 ? " level>" : " levels>");
        });
}

#define ZEROFAB_INSTANTIATE(D)                                             \
    template void add_at_level(PyContainer<D>&, const ParticleTile&, int); \
    template void register_particle_order<D>(Container<D>&);               \
    template void register_particle_counts<D>(Container<D>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
