// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vector_IntVect, Vector_Box and Vector_Geometry of one space.
#include "index_common.hpp"
#include "object_vector.hpp"
#include "zerofab/index/geometry.hpp"

namespace zerofab::python {

template <int D>
void register_index_vectors(nb::module_& space) {
    const std::string here = nb::cast<std::string>(space.attr("__name__")) + ".";
    const std::string int_vect = "amrex._core.IntVect" + std::to_string(D) + "D";
    register_object_vector<IntVect<D>>(space, "Vector_IntVect", int_vect,
                                       [](const IntVect<D>& a) { return to_string(a); });
    register_object_vector<Box<D>>(space, "Vector_Box", here + "Box", [](const Box<D>& b) { return to_string(b); });
    register_object_vector<Geometry<D>>(space, "Vector_Geometry", here + "Geometry",
                                        [](const Geometry<D>& g) { return to_string(g); });
}

template void register_index_vectors<1>(nb::module_&);
template void register_index_vectors<2>(nb::module_&);
template void register_index_vectors<3>(nb::module_&);

}  // namespace zerofab::python
