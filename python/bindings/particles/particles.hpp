// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles in Python: a few C++ types, and a Python class per number of components and kind of memory.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "exchange/exporter.hpp"
#include "memory/pod_vector.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/particles/particle_tile.hpp"

namespace zerofab::python {

/// What a class such as ParticleTile_pureSoA_7_0_polymorphic says in its name.
struct ParticleKind {
    ParticleLayout layout;
    VectorMemory memory = VectorMemory::std;
};

/// Where particles of a kind get memory: "default" means memory that arrays of the run show in place.
inline Arena& arena_of(const ParticleKind& kind) {
    const bool host = Runtime::run_device().backend == BackendKind::host;
    return arena_of(kind.memory == VectorMemory::std && !host ? VectorMemory::arena : kind.memory);
}

/// The kind of a Python class made by amrex._particles; TypeError for a base class, which has none.
ParticleKind particle_kind_of(nb::handle type);

/// The Python class "FAMILY_..." of this kind, made at the first call.
nb::handle particle_class(const char* family, const ParticleKind& kind);
/// "Particle_REALS_INTS"
nb::handle particle_record_class(int dim, int reals, int ints);

/// A new object of the Python class `cls`, derived from the one bound to T, around a value.
template <class T>
nb::object make_instance(nb::handle cls, T value) {
    nb::object object = nb::inst_alloc(cls);
    new (nb::inst_ptr<void>(object)) T(std::move(value));
    nb::inst_mark_ready(object);
    return object;
}

nb::object as_python(const Particle& particle);

/// Why refuse_copies.
inline constexpr const char* copies_of_particles =
    "make_alike() gives an empty container, to_numpy(copy=True) copies of components; to another process write them "
    "(write_plotfile, checkpoint) or send to_df()";

/// A struct of arrays, shared with its tile.
struct PySoA {
    std::shared_ptr<StructOfArrays> soa;
    VectorMemory memory;
};
nb::object real_component(const PySoA& self, Long component);
nb::object int_component(const PySoA& self, Long component);
nb::object idcpu_component(const PySoA& self);
/// All components by name: those of a struct of arrays, those of records, or both.
nb::dict soa_exporters(const PySoA& self);
nb::dict record_fields(const std::shared_ptr<ArrayOfStructs>& aos);
nb::dict tile_exporters(const ParticleTile& tile, VectorMemory memory);
/// Where the name is; -1 if it is none of them.
int component_index(const std::vector<std::string>& names, const std::string& name);

/// An array of structs, shared with its tile.
class PyAoS : public Exporter {
public:
    PyAoS(std::shared_ptr<ArrayOfStructs> aos_, VectorMemory memory_) : aos(std::move(aos_)), memory(memory_) {}
    void describe(TensorView& view) const override;

    std::shared_ptr<ArrayOfStructs> aos;
    VectorMemory memory;
};

/// A tile, shared with its container.
struct PyTile {
    std::shared_ptr<ParticleTile> tile;
    VectorMemory memory;
};
/// The same for what pyAMReX calls ParticleTileData.
struct PyTileData {
    std::shared_ptr<ParticleTile> tile;
};

nb::object wrap_tile(std::shared_ptr<ParticleTile> tile, VectorMemory memory);
nb::object wrap_soa(const ParticleTile& tile, VectorMemory memory);
nb::object wrap_aos(const ParticleTile& tile, VectorMemory memory);

void register_particle_types(nb::module_& m);
void register_particle_tiles(nb::module_& m);
void register_particle_records(nb::module_& m);
void register_particle_header(nb::module_& m);

}  // namespace zerofab::python
