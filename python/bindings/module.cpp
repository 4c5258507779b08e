// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The extension module amrex._core: a table of contents.
#include <set>

#include "call_errors.hpp"
#include "register.hpp"
#include "zerofab/base/error.hpp"

namespace nb = nanobind;

namespace zerofab::python {
namespace {

template <int D>
void register_space(nb::module_& space) {
    register_runtime_space<D>(space);
    register_config_space<D>(space);
    register_index_space<D>(space);
    register_layout_space<D>(space);
    register_vectors_space<D>(space);
    register_mesh_space<D>(space);
    register_io_space<D>(space);
    register_particles_space<D>(space);
    explain_calls(space);
}

}  // namespace
}  // namespace zerofab::python

NB_MODULE(_core, m) {
    using namespace zerofab::python;
    m.doc() = "Compiled core of amrex: types without a dimension, and the registration of each dimension.";
    nb::set_leak_warnings(false);

    register_errors(m);
    register_runtime(m);
    register_report(m);
    register_index(m);
    register_exchange(m);
    register_array4(m);
    register_arena(m);
    register_pod_vector(m);
    register_layout(m);
    register_vector(m);
    register_small_matrix(m);
    register_mesh(m);
    register_io(m);
    register_particles(m);

    m.def(
        "register_space",
        [](int dim, nb::module_ space) {
            static std::set<int> registered;
            if (dim >= 1 && dim <= 3 && !registered.insert(dim).second) {
                throw zerofab::StateError("the types of this dimension were registered before");
            }
            switch (dim) {
                case 1:
                    return register_space<1>(space);
                case 2:
                    return register_space<2>(space);
                case 3:
                    return register_space<3>(space);
                default:
                    throw nb::value_error("a space has 1, 2 or 3 dimensions");
            }
        },
        nb::arg("dim"), nb::arg("space"), "Put the types of one dimension into the module object `space`.");

    explain_calls(m);
}
