// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// IndexType of one space.
#include "index/common.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

/// The enum that Python sees, one type per space because it lives inside that space's IndexType.
template <int D>
struct Kinds {
    enum class CellIndex : int { cell = 0, node = 1 };
};

template <int D>
using Kind = typename Kinds<D>::CellIndex;

template <int D>
Kind<D> kind(const IndexType<D>& t, int d) {
    return static_cast<Kind<D>>(t.type(d));
}

template <int D, class... K>
IndexType<D> from_kinds(K... kinds) {
    IndexType<D> t;
    int d = 0;
    (t.set_type(d++, static_cast<CellIndex>(kinds)), ...);
    return t;
}

}  // namespace

template <int D>
void register_index_types(nb::module_& space) {
    using IT = IndexType<D>;
    auto at = [](int i) { return checked_position(i, D); };
    auto c = nb::class_<IT>(space, "IndexType", "Cell or node in each direction; all cell at first.");
    using K = Kind<D>;
    nb::enum_<K>(c, "CellIndex", nb::is_arithmetic(), "Where values sit in one direction.")
        .value("CELL", K::cell, "At the centres of cells.")
        .value("NODE", K::node, "On the nodes between cells.")
        .export_values();
    c.def(nb::init<>(), "All cell.").def(nb::init<const IT&>(), nb::arg("other"), "A copy.");
    auto make = [&c](auto function, auto... names) {
        c.def("__init__", function, nb::arg(names)..., "One CellIndex per direction.");
    };
    if constexpr (D == 1) make([](IT* self, K i) { new (self) IT(from_kinds<D>(i)); }, "i");
    if constexpr (D == 2) {
        make([](IT* self, K i, K j) { new (self) IT(from_kinds<D>(i, j)); }, "i", "j");
    }
    if constexpr (D == 3) {
        make([](IT* self, K i, K j, K k) { new (self) IT(from_kinds<D>(i, j, k)); }, "i", "j", "k");
    }
    c.def(
         "__len__", [](const IT&) { return D; }, "The dimension.")
        .def(
            "__getitem__", [at](const IT& t, int i) { return t.node_centered(at(i)) ? 1 : 0; }, nb::arg("index"),
            "1 where nodal, else 0.")
        .def(
            "__eq__", [](IT a, IT b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, arg: object, /) -> bool"), "Same in all directions.")
        .def(
            "__ne__", [](IT a, IT b) { return !(a == b); }, nb::is_operator(),
            nb::sig("def __ne__(self, arg: object, /) -> bool"), "Not the same.")
        .def(
            "__lt__", [](IT a, IT b) { return a < b; }, nb::is_operator(), "An order: by bits, x the lowest.")
        .def(
            "__hash__", [](IT t) { return int{t.bits()}; }, "By value.")
        .def(
            "__repr__", [](IT t) { return concat("<amrex.IndexType ", t, ">"); }, "With its type.")
        .def(
            "__str", [](IT t) { return to_string(t); }, "The text of str(self), under the name that pyAMReX has.")
        .def(
            "__str__", [](IT t) { return to_string(t); }, "(C,N,C)")
        .def_static("cell_type", &IT::cell, "Cell in every direction.")
        .def_static("node_type", &IT::node, "Node in every direction.")
        .def(
            "set", [at](IT& t, int i) { t.set(at(i)); }, nb::arg("dir"), "Make a direction nodal.")
        .def(
            "unset", [at](IT& t, int i) { t.unset(at(i)); }, nb::arg("dir"), "Make a direction cell-centred.")
        .def(
            "flip", [at](IT& t, int i) { t.flip(at(i)); }, nb::arg("dir"), "Change a direction to the other kind.")
        .def(
            "setall", [](IT& t) { t = IT::node(); }, "Make every direction nodal.")
        .def(
            "clear", [](IT& t) { t = IT::cell(); }, "Make every direction cell-centred.")
        .def(
            "set_type", [at](IT& t, int i, K type) { t.set_type(at(i), static_cast<CellIndex>(type)); }, nb::arg("dir"),
            nb::arg("type"), "Set the kind of a direction.")
        .def(
            "test", [at](IT t, int i) { return t.node_centered(at(i)); }, nb::arg("dir"),
            "Whether a direction is nodal.")
        .def("any", &IT::any, "Whether at least one direction is nodal.")
        .def(
            "ok", [](IT) { return true; }, "True: a type cannot be invalid here.")
        .def(
            "cell_centered", [](IT t) { return t.cell_centered(); }, "Whether every direction is cell-centred.")
        .def(
            "cell_centered", [at](IT t, int i) { return t.cell_centered(at(i)); }, nb::arg("dir"))
        .def(
            "node_centered", [](IT t) { return t.node_centered(); }, "Whether every direction is nodal.")
        .def(
            "node_centered", [at](IT t, int i) { return t.node_centered(at(i)); }, nb::arg("dir"))
        .def("ix_type", &IT::to_int_vect, "1 where nodal, else 0; or the kind of one direction.")
        .def(
            "ix_type", [at](IT t, int i) { return kind(t, at(i)); }, nb::arg("dir"))
        .def("to_IntVect", &IT::to_int_vect, "1 where nodal, else 0.");
    def_reduce(c, [](const IT& t) {
        nb::list kinds;
        for (int d = 0; d < D; ++d) kinds.append(kind(t, d));
        return nb::tuple(kinds);
    });
}

#define ZEROFAB_INSTANTIATE(D) template void register_index_types<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
