// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Plotfiles and VisMF in Python.
#include "zerofab/io/plotfile.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <type_traits>

#include "base/copies.hpp"
#include "base/without_gil.hpp"
#include "memory/string_vector.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/io/parm_parse.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;
using Path = std::filesystem::path;

/// "double", "float", or what the parameter fab.format says; that of the numbers where it says nothing.
RealFormat format_of(const std::string& precision, bool single = false) {
    if (precision == "double") return RealFormat::native_double();
    if (precision == "float") return RealFormat::native_float();
    if (!precision.empty()) throw ValueError("the precision is 'double' or 'float', not '" + precision + "'");
    std::string name = single ? "NATIVE_32" : "NATIVE";
    ParmParse("fab").query("format", name);
    return real_format(name);
}

PlotFileOptions options_of(std::string version, std::string level_prefix, std::string mf_prefix,
                           std::vector<std::string> extra_dirs, RealFormat format, int nfiles) {
    return {std::move(version), std::move(level_prefix), std::move(mf_prefix), std::move(extra_dirs), format, nfiles};
}

constexpr const char* write_doc =
    "Write the valid cells of one MultiFab or fMultiFab per level as a plotfile, for yt, VisIt, ParaView and "
    "PlotFileData.\n\n"
    "The folder appears when all is written and on disk; an existing one is renamed to NAME.old.NNNNNNN.\n"
    "`precision` is \"double\", \"float\" or, if empty, what the parameter fab.format says, else that of the field;\n"
    "`nfiles` is the number of data files per level. ValueError if the arguments do not fit together, OSError with\n"
    "the path and the reason; after an error the older plotfile is as it was.\n"
    "Other Python threads run meanwhile.";

/// Field: a MultiFab or fMultiFab.
template <int D, class Field>
void register_writers(nb::module_& space) {
    static constexpr bool single = std::is_same_v<typename Field::value_type, float>;
    space.def(
        "write_single_level_plotfile",
        [](const Path& name, const Field& mf, const std::vector<std::string>& varnames, const Geometry<D>& geom,
           Real time, int level_step, std::string version, std::string level_prefix, std::string mf_prefix,
           std::vector<std::string> extra_dirs, const std::string& precision, int nfiles) {
            const PlotFileOptions options =
                options_of(std::move(version), std::move(level_prefix), std::move(mf_prefix), std::move(extra_dirs),
                           format_of(precision, single), nfiles);
            const std::vector<Lease<D>> held{mf.lease()};
            const std::vector<Geometry<D>> held_geom{geom};
            const WithoutGil released;
            write_plotfile<D>(name.string(), held, varnames, held_geom, time, {level_step}, {}, options);
        },
        "plotfilename"_a, "mf"_a, "varnames"_a, "geom"_a, "time"_a, "level_step"_a, "versionName"_a = "HyperCLaw-V1.1",
        "levelPrefix"_a = "Level_", "mfPrefix"_a = "Cell", "extra_dirs"_a = std::vector<std::string>(), nb::kw_only(),
        "precision"_a = "", "nfiles"_a = 1, write_doc);
    space.def(
        "write_multi_level_plotfile",
        [](const Path& name, const std::vector<Field>& mf, const std::vector<std::string>& varnames,
           const std::vector<Geometry<D>>& geom, Real time, const std::vector<int>& level_steps,
           const std::vector<IntVect<D>>& ref_ratio, std::string version, std::string level_prefix,
           std::string mf_prefix, std::vector<std::string> extra_dirs, const std::string& precision, int nfiles) {
            const PlotFileOptions options =
                options_of(std::move(version), std::move(level_prefix), std::move(mf_prefix), std::move(extra_dirs),
                           format_of(precision, single), nfiles);
            std::vector<Lease<D>> held;
            for (const Field& field : mf) held.push_back(field.lease());
            const WithoutGil released;
            write_plotfile<D>(name.string(), held, varnames, geom, time, level_steps, ref_ratio, options);
        },
        "plotfilename"_a, "mf"_a, "varnames"_a, "geom"_a, "time"_a, "level_steps"_a, "ref_ratio"_a,
        "versionName"_a = "HyperCLaw-V1.1", "levelPrefix"_a = "Level_", "mfPrefix"_a = "Cell",
        "extra_dirs"_a = std::vector<std::string>(), nb::kw_only(), "precision"_a = "", "nfiles"_a = 1, write_doc);
}

template <int D>
void register_plot_file_data(nb::module_& space) {
    using Plot = PlotFileData<D>;
    nb::class_<Plot> cls(space, "PlotFileData",
                         "A plotfile, open for reading.\n\n"
                         "Headers are read and checked when it is made, numbers when they are asked for.\n"
                         "OSError for a folder that is no plotfile, is damaged, cut short or of another dimension.\n\n"
                         "    plot = PlotFileData(\"plt00100\")\n"
                         "    density = plot.get(0, \"density\")\n");
    refuse_copies(cls, "open the plotfile again by its name");
    cls.def(
        "__init__",
        [](Plot* self, const Path& name) {
            const WithoutGil released;
            new (self) Plot(name.string());
        },
        "plotfilename"_a, "Open a plotfile.");
    cls.def("spaceDim", &Plot::space_dim, "The number of dimensions.");
    cls.def("time", &Plot::time, "The time.");
    cls.def("finestLevel", &Plot::finest_level, "The number of the finest level; the coarsest is 0.");
    cls.def("refRatio", &Plot::ref_ratio, "level"_a, "The ratio to the next finer level; 0 for the finest.");
    cls.def("levelStep", &Plot::level_step, "level"_a, "The step of a level.");
    cls.def("boxArray", &Plot::box_array, "level"_a, nb::rv_policy::copy, "The boxes of a level.");
    cls.def("DistributionMap", &Plot::distribution_map, "level"_a, "The owners of the boxes that get() returns.");
    cls.def("syncDistributionMap", nb::overload_cast<Plot&>(&Plot::sync_distribution_map), "src"_a,
            "Take the owners of another plotfile on the levels where both have the same boxes.");
    cls.def("syncDistributionMap", nb::overload_cast<int, Plot&>(&Plot::sync_distribution_map), "level"_a, "src"_a,
            "The same for one level.");
    cls.def("coordSys", &Plot::coord_sys, "The kind of coordinates, comparable to CoordSys.CoordType.");
    cls.def("probDomain", &Plot::prob_domain, "level"_a, nb::rv_policy::copy, "The index domain of a level.");
    cls.def("probSize", &Plot::prob_size, "The size of the physical domain.");
    cls.def("probLo", &Plot::prob_lo, "The low end of the physical domain.");
    cls.def("probHi", &Plot::prob_hi, "The high end of the physical domain.");
    cls.def("cellSize", &Plot::cell_size, "level"_a, "The cell size of a level.");
    cls.def("nComp", &Plot::n_comp, "The number of variables.");
    cls.def("nGrowVect", &Plot::n_grow_vect, "level"_a, nb::rv_policy::copy, "Ghost cells in the file, most often 0.");
    cls.def("varNames", [](const Plot& plot) { return StringVector{plot.var_names()}; }, "The names of the variables.");
    cls.def(
        "get",
        [](Plot& plot, int level) {
            const WithoutGil released;
            return plot.get(level);
        },
        "level"_a, "All variables of a level, read now.");
    cls.def(
        "get",
        [](Plot& plot, int level, const std::string& varname) {
            const WithoutGil released;
            return plot.get(level, varname);
        },
        "level"_a, "varname"_a, "One variable of a level, read now; ValueError if there is none of that name.");
}

/// Only a name for its functions, as upstream.
template <int D>
struct VisMFNames {};

template <int D, class T>
void register_vismf_write(nb::class_<VisMFNames<D>>& cls, const char* doc) {
    cls.def_static(
        "Write",
        [](const FabArray<D, T>& mf, const Path& name, const std::string& precision, int nfiles) {
            const VisMFOptions options{format_of(precision, std::is_same_v<T, float>), nfiles, true};
            const Lease<D> held = mf.lease();
            const WithoutGil released;
            return write_body<D>(held, name.string(), options);
        },
        "mf"_a, "name"_a, nb::kw_only(), "precision"_a = "", "nfiles"_a = 1, doc);
}

template <int D>
void register_vismf(nb::module_& space) {
    nb::class_<VisMFNames<D>> cls(space, "VisMF",
                                  "MultiFabs in files: NAME_H with the boxes, NAME_D_00000, ... with the numbers.");
    constexpr const char* write =
        "Write a MultiFab or fMultiFab with its ghost cells; returns the bytes written.\n\n"
        "Older files of that name are replaced when all is written. `precision` and `nfiles` as for plotfiles.";
    register_vismf_write<D, Real>(cls, write);
    register_vismf_write<D, float>(cls, write);
    cls.def_static(
        "Read",
        [](const Path& name) {
            const WithoutGil released;
            return read_vismf<D>(name.string());
        },
        "name"_a, "Read a MultiFab with its ghost cells.");
    cls.def_static(
        "Read",
        [](const Path& name, MultiFab<D>& mf) {
            MultiFab<D> held = mf;
            {
                const WithoutGil released;
                read_vismf(name.string(), held);
            }
            if (!mf.ok()) mf = held;
        },
        "name"_a, "mf"_a,
        "Read into the memory of a MultiFab with the same boxes and components, or define an empty one.");
}

}  // namespace

template <int D>
void register_io_space(nb::module_& space) {
    register_writers<D, MultiFab<D>>(space);
    register_writers<D, fMultiFab<D>>(space);
    register_plot_file_data<D>(space);
    register_vismf<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_io_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
