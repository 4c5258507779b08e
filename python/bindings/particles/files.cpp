// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles in files: plotfiles, checkpoints, and what reads them.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/without_gil.hpp"
#include "particles/container.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/io/particle_file.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;

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

}  // namespace

template <int D>
void register_particle_files(Container<D>& cls) {
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

template <int D>
void register_read_particles(nb::module_& space) {
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

#define ZEROFAB_INSTANTIATE(D)                               \
    template void register_particle_files<D>(Container<D>&); \
    template void register_read_particles<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
