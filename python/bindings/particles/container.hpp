// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of ParticleContainer share: the class, and a function per group of its methods.
#pragma once

#include "particles/particles.hpp"
#include "zerofab/particles/particle_container.hpp"

namespace zerofab::python {

/// A container that knows the kind of memory that its class names.
template <int D>
class PyContainer : public ParticleContainer<D> {
public:
    PyContainer(const ParticleKind& kind) : ParticleContainer<D>(kind.layout, arena_of(kind)), memory(kind.memory) {}

    ParticleKind kind() const { return {this->layout(), memory}; }
    VectorMemory memory;
};

/// RuntimeWarning of particles that are about to be removed although nobody said so: before anything has changed, for a
/// filter of warnings may make it an error.
void warn_of(const LostParticles& lost);

/// Add copies of the particles of a tile; other Python threads run meanwhile.
template <int D>
void add_at_level(PyContainer<D>& self, const ParticleTile& tile, int level);

template <int D>
using Container = nb::class_<PyContainer<D>>;

// In the order in which the stubs list them.
template <int D>
void register_particle_iter(nb::module_& space);
template <int D>
void register_particle_order(Container<D>& cls);
template <int D>
void register_particle_loops(Container<D>& cls);
template <int D>
void register_particle_counts(Container<D>& cls);
template <int D>
void register_particle_files(Container<D>& cls);
template <int D>
void register_read_particles(nb::module_& space);

}  // namespace zerofab::python
