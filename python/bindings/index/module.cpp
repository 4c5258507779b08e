// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Index types without a dimension, and the table of contents of the index module.
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <limits>

#include "index/common.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/index/coord_sys.hpp"

namespace zerofab::python {
namespace {

void register_dim3(nb::module_& m) {
    nb::enum_<Direction>(m, "Direction", nb::is_arithmetic(), "The axes by name; usable wherever a direction is asked.")
        .value("x", Direction::x, "The first axis.")
        .value("y", Direction::y, "The second axis.")
        .value("z", Direction::z, "The third axis.");

    auto dim3 = nb::class_<Dim3>(m, "Dim3", "Three integers, whatever the dimension: bounds of an Array4.")
                    .def(nb::init<int, int, int>(), nb::arg("x"), nb::arg("y"), nb::arg("z"), "Three integers.")
                    .def_rw("x", &Dim3::x, "Along the first axis.")
                    .def_rw("y", &Dim3::y, "Along the second axis.")
                    .def_rw("z", &Dim3::z, "Along the third axis.")
                    .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"), "All equal.")
                    .def(
                        "__hash__", [](const Dim3& a) { return hash_value(IntVect<3>(a.x, a.y, a.z)); }, "By value.")
                    .def(
                        "__repr__", [](const Dim3& a) { return concat("<amrex.Dim3 '", a, "'>"); }, "With its type.")
                    .def("__str__", [](const Dim3& a) { return to_string(a); }, "(x,y,z)");
    def_reduce(dim3, [](const Dim3& a) { return nb::make_tuple(a.x, a.y, a.z); });

    auto xdim3 =
        nb::class_<XDim3>(m, "XDim3", "Three reals, whatever the dimension.")
            .def(nb::init<Real, Real, Real>(), nb::arg("x"), nb::arg("y"), nb::arg("z"), "Three reals.")
            .def_rw("x", &XDim3::x, "Along the first axis.")
            .def_rw("y", &XDim3::y, "Along the second axis.")
            .def_rw("z", &XDim3::z, "Along the third axis.")
            .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"), "All equal.")
            .def(
                "__hash__", [](const XDim3& a) { return nb::hash(nb::make_tuple(a.x, a.y, a.z)); }, "By value.")
            .def(
                "__repr__", [](const XDim3& a) { return concat("<amrex.XDim3 '", a, "'>"); }, "With its type.")
            .def("__str__", [](const XDim3& a) { return to_string(a); }, "(x,y,z)");
    def_reduce(xdim3, [](const XDim3& a) { return nb::make_tuple(a.x, a.y, a.z); });
}

void register_coord_sys(nb::module_& m) {
    nb::class_<CoordSys> coord(m, "CoordSys", "A kind of coordinates: undefined at first.");
    nb::enum_<CoordType>(coord, "CoordType", nb::is_arithmetic(), "The kinds of coordinates.")
        .value("undef", CoordType::undef, "Not known.")
        .value("cartesian", CoordType::cartesian, "x, y, z.")
        .value("RZ", CoordType::rz, "Radius and height.")
        .value("SPHERICAL", CoordType::spherical, "Radius and angles.")
        .export_values();
    def_reduce_by(coord, "coordinates", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::cast<const CoordSys&>(self).coord_int());
    });
    coord.def(nb::init<>(), "Undefined coordinates.")
        .def(nb::init<const CoordSys&>(), nb::arg("other"), "The coordinates of another object.")
        .def("ok", &CoordSys::ok,
             "Whether the size of the cells is known, as in a Geometry with both domains. The kind does not matter.")
        .def("Coord", &CoordSys::coord, "The kind.")
        .def("CoordInt", &CoordSys::coord_int, "The kind as an integer, -1 if undefined.")
        .def("SetCoord", &CoordSys::set_coord, nb::arg("coord"), "Change the kind.")
        .def("IsCartesian", &CoordSys::is_cartesian, "Whether the coordinates are Cartesian.")
        .def("IsRZ", &CoordSys::is_rz, "Whether the coordinates are radius and height.")
        .def("IsSPHERICAL", &CoordSys::is_spherical, "Whether the coordinates are spherical.")
        .def("__repr__", [](const CoordSys&) { return "<amrex.CoordSys>"; }, "The type only.");
}

/// Whether x and y differ by at most `ulp` units in the last place of their sum.
bool close(Real x, Real y, int ulp) {
    const Real gap = std::fabs(x - y);
    return gap <= std::numeric_limits<Real>::epsilon() * std::fabs(x + y) * ulp ||
           gap < std::numeric_limits<Real>::min();
}

}  // namespace

void register_index(nb::module_& m) {
    nb::set_implicit_cast_warnings(false);  // a tuple of the wrong length is the caller's TypeError, nothing more
    register_dim3(m);
    register_int_vects(m);
    register_coord_sys(m);
    register_bc_type(m);
    m.def("almost_equal", &close, nb::arg("x"), nb::arg("y"), nb::arg("ulp") = 2,
          "Whether two reals differ by no more than a few units in the last place.");
}

template <int D>
void register_index_space(nb::module_& space) {
    space.attr("IntVect") = nb::type<IntVect<D>>();
    register_index_types<D>(space);
    register_boxes<D>(space);
    register_real<D>(space);
    register_geometry<D>(space);
    register_bc_rec<D>(space);
    register_index_vectors<D>(space);
    register_index_functions<D>(space);
    space.def(
        "d_decl",
        [](nb::object x, nb::object y, nb::object z) {
            const std::array<nb::object, 3> all{std::move(x), std::move(y), std::move(z)};
            nb::list kept;
            for (std::size_t d = 0; d < D; ++d) kept.append(all[d]);
            return nb::tuple(kept);
        },
        nb::arg("x"), nb::arg("y"), nb::arg("z"),
        nb::sig("def d_decl(x: object, y: object, z: object) -> tuple[typing.Any, ...]"),
        "As many of the arguments as the space has dimensions.");
}

#define ZEROFAB_INSTANTIATE(D) template void register_index_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
