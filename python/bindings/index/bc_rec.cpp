// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BCType and BCRec.
#include "zerofab/index/bc_rec.hpp"

#include "index/common.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {

void register_bc_type(nb::module_& m) {
    nb::enum_<BCType>(m, "BCType", nb::is_arithmetic(), "Kinds of boundaries; usable wherever a number is asked.")
        .value("bogus", BCType::bogus, "not set")
        .value("reflect_odd", BCType::reflect_odd, "mirrored, with the other sign")
        .value("int_dir", BCType::int_dir, "inside the domain, or periodic")
        .value("reflect_even", BCType::reflect_even, "mirrored")
        .value("foextrap", BCType::foextrap, "the value of the last cell")
        .value("ext_dir", BCType::ext_dir, "given values on the face")
        .value("hoextrap", BCType::hoextrap, "linear from the last cells, to the face")
        .value("hoextrapcc", BCType::hoextrapcc, "linear from the last cells, to the centers of cells")
        .value("ext_dir_cc", BCType::ext_dir_cc, "given values in the cells outside")
        .value("direction_dependent", BCType::direction_dependent, "depends on the direction of the flow")
        .value("user_1", BCType::user_1, "of the user")
        .value("user_2", BCType::user_2, "of the user")
        .value("user_3", BCType::user_3, "of the user");
}

template <int D>
void register_bc_rec(nb::module_& space) {
    using BC = BCRec<D>;
    using Side = std::array<int, D>;
    const auto low = [](const BC& bc) {
        Side side{};
        for (int d = 0; d < D; ++d) side[static_cast<std::size_t>(d)] = bc.lo(d);
        return side;
    };
    const auto high = [](const BC& bc) {
        Side side{};
        for (int d = 0; d < D; ++d) side[static_cast<std::size_t>(d)] = bc.hi(d);
        return side;
    };
    nb::class_<BC> cls(space, "BCRec",
                       "The kind of boundary on each side of a box: a number per side, usually a BCType.\n\n"
                       "    bc = amr.BCRec()\n"
                       "    bc.set_lo(0, amr.BCType.ext_dir)");
    cls.def(nb::init<>(), "BCType.bogus on all sides.")
        .def(nb::init<const Side&, const Side&>(), nb::arg("lo"), nb::arg("hi"), "The low sides and the high ones.")
        .def(nb::init<const Box<D>&, const Box<D>&, const BC&>(), nb::arg("bx"), nb::arg("domain"),
             nb::arg("bc_domain"), "Of a box in a domain: int_dir where it does not touch the domain's rim.")
        .def("lo", low, "All low sides.")
        .def(
            "lo", [](const BC& bc, int dir) { return bc.lo(checked_direction<D>(dir)); }, nb::arg("dir"),
            "The low side of a direction.")
        .def("hi", high, "All high sides.")
        .def(
            "hi", [](const BC& bc, int dir) { return bc.hi(checked_direction<D>(dir)); }, nb::arg("dir"),
            "The high side of a direction.")
        .def(
            "set_lo", [](BC& bc, int dir, int type) { bc.set_lo(checked_direction<D>(dir), type); }, nb::arg("dir"),
            nb::arg("bc_type"), "Set the low side of a direction.")
        .def(
            "set_hi", [](BC& bc, int dir, int type) { bc.set_hi(checked_direction<D>(dir), type); }, nb::arg("dir"),
            nb::arg("bc_type"), "Set the high side of a direction.")
        .def("data", &BC::sides, "All low sides, then all high ones.")
        .def("vect", &BC::sides, "All low sides, then all high ones.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"), "The same sides.")
        .def(nb::self != nb::self, nb::sig("def __ne__(self, other: object, /) -> bool"), "Not the same sides.")
        .def("__repr__", [low, high](const BC& bc) {
            return "<amrex.BCRec " + to_string(IntVect<D>(low(bc))) + " " + to_string(IntVect<D>(high(bc))) + ">";
        });
    cls.attr("__hash__") = nb::none();
    def_reduce(cls, [low, high](const BC& bc) { return nb::make_tuple(low(bc), high(bc)); });
}

#define ZEROFAB_INSTANTIATE(D) template void register_bc_rec<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
