// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// StructOfArrays and ParticleTile.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/copies.hpp"
#include "particles/particles.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

template <class T>
nb::object component(const std::shared_ptr<PODVector<T>>& vector, VectorMemory memory) {
    if (memory == VectorMemory::std && !vector->arena().space().is_plain()) memory = VectorMemory::arena;
    switch (memory) {
        case VectorMemory::std:
            return nb::cast(PODVectorClass<T, VectorMemory::std>(vector));
        case VectorMemory::arena:
            return nb::cast(PODVectorClass<T, VectorMemory::arena>(vector));
        case VectorMemory::pinned:
            return nb::cast(PODVectorClass<T, VectorMemory::pinned>(vector));
        case VectorMemory::managed:
            return nb::cast(PODVectorClass<T, VectorMemory::managed>(vector));
        default:
            return nb::cast(PODVectorClass<T, VectorMemory::polymorphic>(vector));
    }
}

Long named(const std::vector<std::string>& names, const std::string& name) {
    const int index = component_index(names, name);
    if (index < 0) {
        std::string all;
        for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
        throw nb::key_error(
            ("no component is called '" + name + "': there are " + (all.empty() ? "none" : all)).c_str());
    }
    return index;
}

/// to_numpy and its kin of a struct of arrays: a named tuple of dicts.
nb::object arrays_of(nb::handle self, const char* converter, bool copy) {
    return nb::module_::import_("amrex._particles").attr("soa_arrays")(self, converter, copy);
}

void register_soa(nb::module_& m) {
    nb::class_<PySoA> cls(m, "StructOfArrays",
                          "Base of the classes StructOfArrays_*: components of particles, each a PODVector.\n\n"
                          "A component, and what shows it, stays valid whatever becomes of tile and container.\n\n"
                          "    soa = tile.get_struct_of_arrays()\n"
                          "    x = soa.get_real_data(\"x\").to_numpy()    # the same memory\n"
                          "    soa.to_numpy().real[\"x\"]                 # the same, all components by name");
    refuse_arrays(cls, "soa.to_numpy() and soa.to_xp() give all components by name, soa.get_real_data(name) one");
    refuse_copies(cls, copies_of_particles);
    cls.def(
           "__init__",
           [](nb::pointer_and_handle<PySoA> self) {
               const ParticleKind kind = particle_kind_of(self.h.type());
               new (self.p) PySoA{std::make_shared<StructOfArrays>(kind.layout, arena_of(kind)), kind.memory};
           },
           "No particles.")
        .def(
            "define",
            [](PySoA& s, int reals, int ints, std::vector<std::string> real_names, std::vector<std::string> int_names) {
                s.soa->define(reals, ints, std::move(real_names), std::move(int_names));
            },
            nb::arg("num_runtime_real"), nb::arg("num_runtime_int"), nb::arg("real_names") = std::vector<std::string>(),
            nb::arg("int_names") = std::vector<std::string>(),
            "Set the number of run-time components and the names of all, or default names.")
        .def(
            "__len__", [](const PySoA& s) { return s.soa->size(); }, "Number of particles, neighbors included.")
        .def_prop_ro(
            "size", [](const PySoA& s) { return s.soa->size(); }, "Number of particles, neighbors included.")
        .def_prop_ro(
            "num_particles", [](const PySoA& s) { return s.soa->num_particles(); }, "Without neighbors.")
        .def_prop_ro(
            "num_real_particles", [](const PySoA& s) { return s.soa->num_particles(); }, "Without neighbors.")
        .def_prop_ro(
            "num_total_particles", [](const PySoA& s) { return s.soa->size(); }, "With neighbors.")
        .def_prop_ro(
            "num_real_comps", [](const PySoA& s) { return s.soa->num_real(); }, "Number of real components.")
        .def_prop_ro(
            "num_int_comps", [](const PySoA& s) { return s.soa->num_int(); }, "Number of int components.")
        .def_prop_ro(
            "real_names", [](const PySoA& s) { return s.soa->real_names(); }, "Names of real components.")
        .def_prop_ro(
            "int_names", [](const PySoA& s) { return s.soa->int_names(); }, "Names of int components.")
        .def_prop_ro(
            "has_idcpu", [](const PySoA& s) { return s.soa->has_idcpu(); }, "Whether ids are here, not in records.")
        .def(
            "get_num_neighbors", [](const PySoA& s) { return s.soa->num_neighbors(); }, "Number of neighbors.")
        .def(
            "set_num_neighbors",
            [](PySoA& s, nb::handle n) { s.soa->set_num_neighbors(checked_count(n, "a number of neighbors")); },
            nb::arg("num_neighbors"), nb::sig("def set_num_neighbors(self, num_neighbors: int) -> None"),
            "Keep the particles, and make room for so many neighbors after them.")
        .def(
            "resize",
            [](PySoA& s, nb::handle size, GrowthStrategy strategy) {
                s.soa->resize(checked_count(size, "a size"), strategy);
            },
            nb::arg("new_size"), nb::arg("strategy") = GrowthStrategy::Poisson,
            nb::sig("def resize(self, new_size: int, strategy: GrowthStrategy = GrowthStrategy.Poisson) -> None"),
            "Change the number of particles; new ones are zero. Views keep what they show.")
        .def("get_idcpu_data", &idcpu_component, nb::sig("def get_idcpu_data(self) -> PODVector_uint64"),
             "The words of ids and ranks.");
    cls.def(
           "get_real_data",
           [](const PySoA& s) {
               nb::list all;
               for (int i = 0; i < s.soa->num_real(); ++i) all.append(real_component(s, i));
               return all;
           },
           nb::sig("def get_real_data(self) -> list[PODVector_real]"), "All real components.")
        .def(
            "get_real_data", [](const PySoA& s, Long index) { return real_component(s, index); }, nb::arg("index"),
            nb::sig("def get_real_data(self, index: int) -> PODVector_real"), "IndexError if there is none.")
        .def(
            "get_real_data",
            [](const PySoA& s, const std::string& name) { return real_component(s, named(s.soa->real_names(), name)); },
            nb::arg("name"), nb::sig("def get_real_data(self, name: str) -> PODVector_real"),
            "KeyError if there is none.")
        .def(
            "get_int_data",
            [](const PySoA& s) {
                nb::list all;
                for (int i = 0; i < s.soa->num_int(); ++i) all.append(int_component(s, i));
                return all;
            },
            nb::sig("def get_int_data(self) -> list[PODVector_int]"), "All int components.")
        .def(
            "get_int_data", [](const PySoA& s, Long index) { return int_component(s, index); }, nb::arg("index"),
            nb::sig("def get_int_data(self, index: int) -> PODVector_int"), "IndexError if there is none.")
        .def(
            "get_int_data",
            [](const PySoA& s, const std::string& name) { return int_component(s, named(s.soa->int_names(), name)); },
            nb::arg("name"), nb::sig("def get_int_data(self, name: str) -> PODVector_int"),
            "KeyError if there is none.");
    cls.def("exporters", &soa_exporters, nb::sig("def exporters(self) -> dict[str, Exporter]"),
            "All components by name.");
    constexpr const char* doc = "(real, int, idcpu): dicts of views by name, and the words or None; or of copies.";
    cls.def(
           "to_numpy", [](nb::handle self, bool copy) { return arrays_of(self, "to_numpy", copy); },
           nb::arg("copy") = false, nb::sig("def to_numpy(self, copy: bool = False) -> typing.Any"), doc)
        .def(
            "to_xp", [](nb::handle self, bool copy) { return arrays_of(self, "to_xp", copy); }, nb::arg("copy") = false,
            nb::sig("def to_xp(self, copy: bool = False) -> typing.Any"), doc)
        .def(
            "to_cupy", [](nb::handle self, bool copy) { return arrays_of(self, "to_cupy", copy); },
            nb::arg("copy") = false, nb::sig("def to_cupy(self, copy: bool = False) -> typing.Any"), doc)
        .def(
            "to_dpnp", [](nb::handle self, bool copy) { return arrays_of(self, "to_dpnp", copy); },
            nb::arg("copy") = false, nb::sig("def to_dpnp(self, copy: bool = False) -> typing.Any"), doc)
        .def("__repr__", [](const PySoA& s) {
            return concat("<amrex.StructOfArrays with ", s.soa->size(), " particles, ", s.soa->num_real(), " real and ",
                          s.soa->num_int(), " int components>");
        });
}

void register_data(nb::module_& m) {
    nb::class_<PyTileData> cls(m, "ParticleTileData", "Base of the classes ParticleTileData_*: a tile, by particle.");
    refuse_copies(cls, copies_of_particles);
    cls.def(
           "__init__",
           [](nb::pointer_and_handle<PyTileData> self) {
               new (self.p) PyTileData{std::make_shared<ParticleTile>(particle_kind_of(self.h.type()).layout)};
           },
           "No particles.")
        .def_prop_ro(
            "m_size", [](const PyTileData& t) { return t.tile->size(); }, "Number of particles.")
        .def_prop_ro(
            "m_num_runtime_real",
            [](const PyTileData& t) { return t.tile->soa().num_real() - t.tile->layout().array_real; },
            "Number of real components added at run time.")
        .def_prop_ro(
            "m_num_runtime_int",
            [](const PyTileData& t) { return t.tile->soa().num_int() - t.tile->layout().array_int; },
            "Number of int components added at run time.")
        .def(
            "__getitem__", [](const PyTileData& t, Long index) { return as_python(t.tile->get(index)); },
            nb::arg("index"), nb::sig("def __getitem__(self, index: int, /) -> Particle"), "A copy of a particle.")
        .def(
            "__setitem__", [](PyTileData& t, Long index, const Particle& value) { t.tile->set(index, value); },
            nb::arg("index"), nb::arg("value"),
            nb::sig("def __setitem__(self, index: int, value: Particle, /) -> None"), "Overwrite a particle.")
        .def(
            "get_super_particle", [](const PyTileData& t, Long index) { return as_python(t.tile->get(index)); },
            nb::arg("index"), nb::sig("def get_super_particle(self, index: int) -> Particle"),
            "A copy of a particle with all components.")
        .def(
            "set_super_particle",
            [](PyTileData& t, const Particle& particle, Long index) { t.tile->set(index, particle); },
            nb::arg("particle"), nb::arg("index"), "Overwrite a particle.");
}

template <class T>
void check_values(const std::vector<T>& values, int count, const char* kind) {
    if (static_cast<int>(values.size()) != count) {
        throw ValueError(concat("there are ", count, " ", kind, " components, not ", values.size()));
    }
}

void register_appending(nb::class_<PyTile>& cls) {
    cls.def(
           "push_back", [](PyTile& t, const Particle& particle) { t.tile->push_back(particle); }, nb::arg("particle"),
           "Append a particle with all components, or a legacy one with those of its record only.")
        .def(
            "push_back_real",
            [](PyTile& t, Long comp, Real value) {
                const auto vector = t.tile->soa().share_real(comp);
                vector->push_back(value);
            },
            nb::arg("comp"), nb::arg("value"), "Append a value to one component.")
        .def(
            "push_back_real",
            [](PyTile& t, const std::vector<Real>& values) {
                check_values(values, t.tile->layout().array_real, "real");
                std::shared_ptr(t.tile->share_soa())->push_back_real(values);
            },
            nb::arg("values"), "Append one value to each component.")
        .def(
            "push_back_real",
            [](PyTile& t, Long comp, nb::handle count, Real value) {
                const std::size_t more = checked_count(count, "a count");
                const auto vector = t.tile->soa().share_real(comp);
                vector->resize(vector->size() + more, value);
            },
            nb::arg("comp"), nb::arg("count"), nb::arg("value"),
            nb::sig("def push_back_real(self, comp: int, count: int, value: float) -> None"),
            "Append a value several times.")
        .def(
            "push_back_int",
            [](PyTile& t, Long comp, int value) {
                const auto vector = t.tile->soa().share_int(comp);
                vector->push_back(value);
            },
            nb::arg("comp"), nb::arg("value"), "Append a value to one component.")
        .def(
            "push_back_int",
            [](PyTile& t, const std::vector<int>& values) {
                check_values(values, t.tile->layout().array_int, "int");
                std::shared_ptr(t.tile->share_soa())->push_back_int(values);
            },
            nb::arg("values"), "Append one value to each component.")
        .def(
            "push_back_int",
            [](PyTile& t, Long comp, nb::handle count, int value) {
                const std::size_t more = checked_count(count, "a count");
                const auto vector = t.tile->soa().share_int(comp);
                vector->resize(vector->size() + more, value);
            },
            nb::arg("comp"), nb::arg("count"), nb::arg("value"),
            nb::sig("def push_back_int(self, comp: int, count: int, value: int) -> None"),
            "Append a value several times.");
}

void register_tile(nb::module_& m) {
    nb::class_<PyTile> cls(m, "ParticleTile",
                           "Base of the classes ParticleTile_*: the particles of one box.\n\n"
                           "    tile = amr.ParticleTile_pureSoA_3_0_default()\n"
                           "    tile.resize(100)\n"
                           "    x = tile.get_struct_of_arrays().get_real_data(0).to_numpy()");
    refuse_arrays(cls,
                  "tile.get_struct_of_arrays().to_numpy() gives all components by name, amr.exchange(library, tile) "
                  "tensors of any library");
    refuse_copies(cls, copies_of_particles);
    cls.def(
           "__init__",
           [](nb::pointer_and_handle<PyTile> self) {
               const ParticleKind kind = particle_kind_of(self.h.type());
               new (self.p) PyTile{std::make_shared<ParticleTile>(kind.layout, arena_of(kind)), kind.memory};
           },
           "No particles.")
        .def(
            "define",
            [](PyTile& t, int reals, int ints, std::vector<std::string> real_names, std::vector<std::string> int_names,
               Arena* arena) {
                t.tile->define(
                    reals, ints, std::move(real_names), std::move(int_names),
                    arena != nullptr && t.memory == VectorMemory::polymorphic ? *arena : t.tile->soa().arena());
            },
            nb::arg("num_runtime_real"), nb::arg("num_runtime_int"), nb::arg("real_names") = std::vector<std::string>(),
            nb::arg("int_names") = std::vector<std::string>(), nb::arg("arena") = nb::none(),
            "Set the number of run-time components and the names of all. Only polymorphic tiles take another arena.")
        .def(
            "get_struct_of_arrays", [](const PyTile& t) { return wrap_soa(*t.tile, t.memory); },
            nb::sig("def get_struct_of_arrays(self) -> StructOfArrays"), "The components.")
        .def(
            "get_array_of_structs", [](const PyTile& t) { return wrap_aos(*t.tile, t.memory); },
            nb::sig("def get_array_of_structs(self) -> ArrayOfStructs"),
            "The records of legacy particles; RuntimeError for others.")
        .def(
            "exporters", [](const PyTile& t) { return tile_exporters(*t.tile, t.memory); },
            nb::sig("def exporters(self) -> dict[str, Exporter]"),
            "All components by name, those of records too; names as those of the columns of to_df().")
        .def(
            "get_particle_tile_data",
            [](const PyTile& t) {
                return make_instance(particle_class("ParticleTileData", {t.tile->layout(), VectorMemory::std}),
                                     PyTileData{t.tile});
            },
            nb::sig("def get_particle_tile_data(self) -> ParticleTileData"), "This tile, by particle.")
        .def(
            "__getitem__", [](const PyTile& t, Long index) { return as_python(t.tile->get(index)); }, nb::arg("index"),
            nb::sig("def __getitem__(self, index: int, /) -> Particle"), "A copy of a particle with all components.")
        .def(
            "__setitem__", [](PyTile& t, Long index, const Particle& value) { t.tile->set(index, value); },
            nb::arg("index"), nb::arg("value"),
            nb::sig("def __setitem__(self, index: int, value: Particle, /) -> None"), "Overwrite a particle.")
        .def(
            "resize",
            [](PyTile& t, nb::handle count, GrowthStrategy strategy) {
                t.tile->resize(checked_count(count, "a size"), strategy);
            },
            nb::arg("count"), nb::arg("strategy") = GrowthStrategy::Poisson,
            nb::sig("def resize(self, count: int, strategy: GrowthStrategy = GrowthStrategy.Poisson) -> None"),
            "Change the number of particles; new ones are zero. Views keep what they show.")
        .def(
            "set_num_neighbors",
            [](PyTile& t, nb::handle n) { t.tile->set_num_neighbors(checked_count(n, "a number of neighbors")); },
            nb::arg("num_neighbors"), nb::sig("def set_num_neighbors(self, num_neighbors: int) -> None"),
            "Keep the particles, and make room for so many neighbors after them.")
        .def(
            "get_num_neighbors", [](const PyTile& t) { return t.tile->num_neighbors(); }, "Number of neighbors.")
        .def(
            "capacity", [](const PyTile& t) { return t.tile->capacity(); }, "Bytes of memory held.")
        .def(
            "shrink_to_fit", [](PyTile& t) { t.tile->shrink_to_fit(); }, "Give up memory that no particle uses.")
        .def(
            "swap",
            [](PyTile& t, PyTile& other) {
                if (t.tile->layout() != other.tile->layout())
                    throw ValueError("tiles of different particles cannot swap");
                if (t.tile != other.tile) t.tile->swap(*other.tile);
            },
            nb::arg("other"), "Exchange all particles with those of another tile.")
        .def_prop_ro(
            "empty", [](const PyTile& t) { return t.tile->size() == 0; }, "Whether there are no particles.")
        .def_prop_ro(
            "size", [](const PyTile& t) { return t.tile->size(); }, "Number of particles, neighbors included.")
        .def_prop_ro(
            "num_particles", [](const PyTile& t) { return t.tile->num_particles(); }, "Without neighbors.")
        .def_prop_ro(
            "num_real_particles", [](const PyTile& t) { return t.tile->num_particles(); }, "Without neighbors.")
        .def_prop_ro(
            "num_neighbor_particles", [](const PyTile& t) { return t.tile->num_neighbors(); }, "Neighbors.")
        .def_prop_ro(
            "num_total_particles", [](const PyTile& t) { return t.tile->size(); }, "With neighbors.")
        .def_prop_ro(
            "num_real_comps", [](const PyTile& t) { return t.tile->soa().num_real(); },
            "Number of real components in arrays.")
        .def_prop_ro(
            "num_int_comps", [](const PyTile& t) { return t.tile->soa().num_int(); },
            "Number of int components in arrays.")
        .def_prop_ro(
            "num_runtime_real_comps",
            [](const PyTile& t) { return t.tile->soa().num_real() - t.tile->layout().array_real; },
            "Number of real components added at run time.")
        .def_prop_ro(
            "num_runtime_int_comps",
            [](const PyTile& t) { return t.tile->soa().num_int() - t.tile->layout().array_int; },
            "Number of int components added at run time.")
        .def(
            "__len__", [](const PyTile& t) { return t.tile->size(); }, "Number of particles, neighbors included.")
        .def("__repr__", [](const PyTile& t) {
            return concat("<amrex.ParticleTile with ", t.tile->size(), " particles ", t.tile->layout().name(), ">");
        });
    register_appending(cls);
}

}  // namespace

nb::object real_component(const PySoA& self, Long component_) {
    return component(self.soa->share_real(component_), self.memory);
}
nb::object int_component(const PySoA& self, Long component_) {
    return component(self.soa->share_int(component_), self.memory);
}
nb::object idcpu_component(const PySoA& self) { return component(self.soa->share_idcpu(), self.memory); }

nb::dict soa_exporters(const PySoA& self) {
    nb::dict all;
    if (self.soa->has_idcpu()) all["idcpu"] = idcpu_component(self);
    for (int i = 0; i < self.soa->num_real(); ++i) {
        all[self.soa->real_names()[static_cast<std::size_t>(i)].c_str()] = real_component(self, i);
    }
    for (int i = 0; i < self.soa->num_int(); ++i) {
        all[self.soa->int_names()[static_cast<std::size_t>(i)].c_str()] = int_component(self, i);
    }
    return all;
}

nb::dict tile_exporters(const ParticleTile& tile, VectorMemory memory) {
    const nb::dict arrays = soa_exporters({tile.share_soa(), memory});
    if (tile.layout().pure_soa) return arrays;
    nb::dict all = record_fields(tile.share_aos());
    for (const auto& [name, vector] : arrays) {
        all[nb::str(("SoA_" + nb::cast<std::string>(name)).c_str())] = vector;
    }
    return all;
}

int component_index(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

nb::object wrap_tile(std::shared_ptr<ParticleTile> tile, VectorMemory memory) {
    const nb::handle cls = particle_class("ParticleTile", {tile->layout(), memory});
    return make_instance(cls, PyTile{std::move(tile), memory});
}

nb::object wrap_soa(const ParticleTile& tile, VectorMemory memory) {
    ParticleLayout layout = tile.layout();
    layout.struct_real = layout.struct_int = 0;  // the name does not say it
    return make_instance(particle_class("StructOfArrays", {layout, memory}), PySoA{tile.share_soa(), memory});
}

void register_particle_tiles(nb::module_& m) {
    register_soa(m);
    register_data(m);
    register_tile(m);
}

}  // namespace zerofab::python
