// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What files say about the particles in them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/copies.hpp"
#include "base/without_gil.hpp"
#include "memory/string_vector.hpp"
#include "particles/particles.hpp"
#include "register.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/io/particle_file.hpp"

namespace zerofab::python {

void register_particle_header(nb::module_& m) {
    using Header = ParticleHeader;
    nb::class_<Header> cls(m, "ParticleHeader",
                           "What the header of a species in a plotfile or checkpoint says.\n\n"
                           "    header = amr.ParticleHeader.read(\"plt00000\", \"particles\")\n"
                           "    header.num_particles, list(header.real_comp_names)");
    refuse_copies(cls, "read it again");
    nb::class_<Header::Grid> grid_cls(cls, "GridEntry", "Where the particles of one box are.");
    refuse_copies(grid_cls, "read the header again");
    grid_cls.def_ro("which", &Header::Grid::which, "Number of the file.")
        .def_ro("count", &Header::Grid::count, "Number of particles.")
        .def_ro("where", &Header::Grid::where, "Byte where they begin.")
        .def("__repr__", [](const Header::Grid& grid) {
            return concat("<amrex.ParticleHeader.GridEntry: file ", grid.which, ", ", grid.count,
                          " particles from byte ", grid.where, ">");
        });
    cls.def(nb::init<>(), "No particles.")
        .def_static(
            "read",
            [](const std::filesystem::path& dir, const std::string& file) {
                const WithoutGil released;
                return Header::read(dir.string(), file);
            },
            nb::arg("dir"), nb::arg("file"), "Read the header of a species; OSError if it is not there or damaged.")
        .def_rw("version", &Header::version, "The version of the format.")
        .def_rw("how", &Header::how, "\"double\" or \"single\".")
        .def_rw("convert_ids", &Header::convert_ids, "Whether ids and ranks are words of 64 bits.")
        .def_rw("dim", &Header::dim, "Number of dimensions.")
        .def_rw("is_checkpoint", &Header::is_checkpoint, "Whether everything was written.")
        .def_rw("num_particles", &Header::num_particles, "Number of particles.")
        .def_rw("next_id", &Header::next_id, "The id after all that are in use.")
        .def_rw("finest_level", &Header::finest_level, "Number of the finest level.")
        .def_prop_rw(
            "num_real", [](const Header& h) { return h.real_comp_names.size(); },
            [](Header& h, std::size_t n) { h.real_comp_names.resize(n); },
            "Number of real components but the position.")
        .def_prop_rw(
            "num_int", [](const Header& h) { return h.int_comp_names.size(); },
            [](Header& h, std::size_t n) { h.int_comp_names.resize(n); }, "Number of int components.")
        .def_prop_rw(
            "real_comp_names", [](const Header& h) { return StringVector{h.real_comp_names}; },
            [](Header& h, std::vector<std::string> names) { h.real_comp_names = std::move(names); },
            nb::for_getter(nb::sig("def real_comp_names(self, /) -> Vector_string")),
            nb::for_setter(nb::sig("def real_comp_names(self, names: collections.abc.Sequence[str], /) -> None")),
            "Names of real components but the position.")
        .def_prop_rw(
            "int_comp_names", [](const Header& h) { return StringVector{h.int_comp_names}; },
            [](Header& h, std::vector<std::string> names) { h.int_comp_names = std::move(names); },
            nb::for_getter(nb::sig("def int_comp_names(self, /) -> Vector_string")),
            nb::for_setter(nb::sig("def int_comp_names(self, names: collections.abc.Sequence[str], /) -> None")),
            "Names of int components.")
        .def_ro("grids", &Header::grids, "Where the particles of each box are, by level.")
        .def("__repr__", [](const Header& h) {
            return concat("<amrex.ParticleHeader: ", h.num_particles, " particles, ", h.real_comp_names.size(),
                          " real + ", h.int_comp_names.size(), " int comps", h.is_checkpoint ? ", checkpoint>" : ">");
        });
    m.def(
        "list_particle_species",
        [](const std::filesystem::path& plotfile) {
            const WithoutGil released;
            return list_particle_species(plotfile.string());
        },
        nb::arg("plotfile"), "The names of the folders of a plotfile or checkpoint that hold particles, sorted.");
}

void register_particles(nb::module_& m) {
    register_particle_types(m);
    register_particle_tiles(m);
    register_particle_records(m);
    register_particle_header(m);
}

}  // namespace zerofab::python
