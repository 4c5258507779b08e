// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What module.cpp calls: one function per module for types without a dimension, one template per module for the others.
#pragma once

#include "base/binding.hpp"

namespace zerofab::python {

void register_errors(nb::module_& m);
void register_exchange(nb::module_& m);
void register_runtime(nb::module_& m);
void register_report(nb::module_& m);
void register_memory(nb::module_& m);
void register_arena(nb::module_& m);
void register_pod_vector(nb::module_& m);
void register_vector(nb::module_& m);
void register_small_matrix(nb::module_& m);
void register_array4(nb::module_& m);
void register_index(nb::module_& m);
void register_layout(nb::module_& m);
void register_mesh(nb::module_& m);
void register_io(nb::module_& m);
void register_particles(nb::module_& m);

// Instantiated for D = 1, 2, 3 in the .cpp files; `space` is the module amrex.space{D}d.
template <int D>
void register_runtime_space(nb::module_& space);
template <int D>
void register_config_space(nb::module_& space);
template <int D>
void register_index_space(nb::module_& space);
template <int D>
void register_layout_space(nb::module_& space);
void register_array4_space(nb::module_& space);
void register_vectors_space(nb::module_& space);
template <int D>
void register_fab_space(nb::module_& space);
template <int D>
void register_mesh_space(nb::module_& space);
template <int D>
void register_io_space(nb::module_& space);
template <int D>
void register_particles_space(nb::module_& space);
template <int D>
void register_vectors_space(nb::module_& space);

}  // namespace zerofab::python
