// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Free functions on index types: coarsen, refine, min, max, and bounds of a box.
#include "index/common.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/index/real_vect.hpp"

namespace zerofab::python {
namespace {

/// For vectors of all dimensions, in every space.
template <int D>
void def_vectors(nb::module_& space) {
    using IV = IntVect<D>;
    space
        .def(
            "coarsen", [](const IV& a, const IV& ratio) { return coarsen(a, ratio); }, nb::arg("fine"),
            nb::arg("ratio"),
            "Division by a ratio, rounded down; of a box: the smallest coarse box that covers it, as a new box.")
        .def(
            "coarsen", [](const IV& a, int ratio) { return coarsen(a, ratio); }, nb::arg("fine"), nb::arg("ratio"))
        .def(
            "coarsen", [](const Dim3& a, const IV& ratio) { return coarsen(a, ratio); }, nb::arg("fine"),
            nb::arg("ratio"))
        .def(
            "refine", [](const Dim3& a, const IV& ratio) { return refine(a, ratio); }, nb::arg("coarse"),
            nb::arg("ratio"), "Multiplication by a ratio; of a box: ratio cells for each cell, as a new box.")
        .def(
            "refine", [](const IV& a, const IV& ratio) { return a * ratio; }, nb::arg("coarse"), nb::arg("ratio"))
        .def(
            "refine", [](const IV& a, int ratio) { return a * ratio; }, nb::arg("coarse"), nb::arg("ratio"))
        .def(
            "min", [](const IV& a, const IV& b) { return min(a, b); }, nb::arg("a"), nb::arg("b"),
            "The smaller of each pair of components.")
        .def(
            "max", [](const IV& a, const IV& b) { return max(a, b); }, nb::arg("a"), nb::arg("b"),
            "The larger of each pair of components.");
}

}  // namespace

template <int D>
void register_index_functions(nb::module_& space) {
    using B = Box<D>;
    using IV = IntVect<D>;
    using RV = RealVect<D>;
    def_vectors<1>(space);
    def_vectors<2>(space);
    def_vectors<3>(space);
    space
        .def(
            "coarsen", [](const B& b, const IV& ratio) { return coarsen(b, ratio); }, nb::arg("fine"), nb::arg("ratio"))
        .def(
            "coarsen", [](const B& b, int ratio) { return coarsen(b, ratio); }, nb::arg("fine"), nb::arg("ratio"))
        .def(
            "refine", [](const B& b, const IV& ratio) { return refine(b, ratio); }, nb::arg("coarse"), nb::arg("ratio"))
        .def(
            "refine", [](const B& b, int ratio) { return refine(b, ratio); }, nb::arg("coarse"), nb::arg("ratio"))
        .def(
            "min", [](const RV& a, const RV& b) { return min(a, b); }, nb::arg("a"), nb::arg("b"))
        .def(
            "max", [](const RV& a, const RV& b) { return max(a, b); }, nb::arg("a"), nb::arg("b"))
        .def(
            "lbound", [](const B& b) { return lbound(b); }, nb::arg("box"),
            "The low end of a box, or of the cells of an Array4, ghosts included; 0 in missing directions.")
        .def(
            "ubound", [](const B& b) { return ubound(b); }, nb::arg("box"),
            "The high end of a box, or of the cells of an Array4, included; 0 in missing directions.")
        .def(
            "begin", [](const B& b) { return begin(b); }, nb::arg("box"), "Where loops start: the low end.")
        .def(
            "end", [](const B& b) { return end(b); }, nb::arg("box"), "Where loops stop, not included.")
        .def(
            "length", [](const B& b) { return length(b); }, nb::arg("box"),
            "Points of a box, or of an Array4, in each direction; 1 in missing ones.");
}

#define ZEROFAB_INSTANTIATE(D) template void register_index_functions<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
