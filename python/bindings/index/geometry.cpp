// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Periodicity, Geometry and GeometryData of one space.
#include "zerofab/index/geometry.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "index/common.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

template <int D>
void register_periodicity(nb::module_& space) {
    using P = Periodicity<D>;
    auto c = nb::class_<P>(space, "Periodicity", "The period of each direction in points, 0 where it does not repeat.");
    c.def(nb::init<>(), "Nothing repeats.")
        .def(nb::init<const IntVect<D>&>(), nb::arg("period"), "Periods, 0 where a direction does not repeat.")
        .def_static("non_periodic", &P::non_periodic, "Nothing repeats.")
        .def_prop_ro("is_any_periodic", &P::is_any_periodic, "Whether a direction repeats.")
        .def_prop_ro("is_all_periodic", &P::is_all_periodic, "Whether every direction repeats.")
        .def(
            "is_periodic", [](const P& p, int dir) { return p.is_periodic(checked_direction<D>(dir)); }, nb::arg("dir"),
            "Whether a direction repeats.")
        .def(
            "__getitem__", [](const P& p, int dir) { return p.is_periodic(checked_position(dir, D)); }, nb::arg("dir"),
            "Whether a direction repeats; negative ones count from the end.")
        .def_prop_ro("domain", &P::domain, "The box of one period; other directions span nearly all integers.")
        .def_prop_ro(
            "shift_IntVect", [](const P& p) { return p.shift_int_vects(); },
            "The shifts to all neighbouring images, zero included, x fastest.")
        .def(
            "__eq__", [](const P& a, const P& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, arg: object, /) -> bool"), "Same periods.")
        .def(
            "__hash__", [](const P& p) { return static_cast<Py_hash_t>(hash_value(p.period()) >> 1); }, "By value.")
        .def(
            "__repr__", [](const P& p) { return concat("<amrex.Periodicity per direction '", p, "'>"); },
            "Which directions repeat.");
    def_reduce(c, [](const P& p) { return nb::make_tuple(p.period()); });
}

template <int D>
void register_geometry_data(nb::module_& space) {
    using GD = GeometryData<D>;
    constexpr auto copy = nb::rv_policy::copy;
    auto flag = [](const GD& g, int dir) { return g.is_periodic[static_cast<std::size_t>(checked_direction<D>(dir))]; };
    nb::class_<GD> cls(space, "GeometryData", "The numbers of a Geometry at the time of the call, read-only.");
    refuse_copies(cls, "copy or send the Geometry that it came from");
    cls.def(nb::init<>(), "Empty domains, zero cell size.")
        .def_prop_ro(
            "prob_domain", [](const GD& g) { return g.prob_domain; }, "A copy of the physical domain.")
        .def_prop_ro(
            "domain", [](const GD& g) { return g.domain; }, "A copy of the index domain.")
        .def_prop_ro(
            "dx", [](const GD& g) { return g.dx.array(); }, "Cell sizes.")
        .def_prop_ro(
            "is_periodic", [](const GD& g) { return g.is_periodic; }, "1 where periodic, else 0.")
        .def_prop_ro(
            "coord", [](const GD& g) { return g.coord; }, "The coordinates, as an integer.")
        .def(
            "CellSize", [](const GD& g) { return g.dx.array(); }, "Cell sizes, or the one of a direction.")
        .def(
            "CellSize", [](const GD& g, int dir) { return g.dx[checked_direction<D>(dir)]; }, nb::arg("dir"))
        .def(
            "ProbLo", [](const GD& g) { return g.prob_domain.lo().array(); },
            "Low ends of the physical domain, or one of them.")
        .def(
            "ProbLo", [](const GD& g, int dir) { return g.prob_domain.lo(checked_direction<D>(dir)); }, nb::arg("dir"))
        .def(
            "ProbHi", [](const GD& g) { return g.prob_domain.hi().array(); },
            "High ends of the physical domain, or one of them.")
        .def(
            "ProbHi", [](const GD& g, int dir) { return g.prob_domain.hi(checked_direction<D>(dir)); }, nb::arg("dir"))
        .def(
            "Domain", [](const GD& g) { return g.domain; }, copy, "A copy of the index domain.")
        .def(
            "isPeriodic", [](const GD& g) { return g.is_periodic; },
            "1 where periodic, else 0; or the one of a direction.")
        .def("isPeriodic", flag, nb::arg("dir"))
        .def(
            "Coord", [](const GD& g) { return g.coord; }, "The coordinates, as an integer.")
        .def("__repr__", [](const GD&) { return "<amrex.GeometryData>"; }, "The type only.");
}

template <int D, class Class>
void def_geometry_domain(Class& c) {
    using G = Geometry<D>;
    using IV = IntVect<D>;
    c.def_prop_rw(
         "domain", [](const G& g) { return g.domain(); }, &G::set_domain,
         "A copy of the index domain; assigning one changes the cell size.")
        .def_prop_rw(
            "prob_domain", [](const G& g) { return g.prob_domain(); }, &G::set_prob_domain,
            "A copy of the physical domain; assigning one changes the cell size.")
        .def(
            "Domain", [](const G& g) { return g.domain(); }, "A copy of the index domain.")
        .def(
            "CellSize", [](const G& g) { return g.cell_size().array(); }, "Cell sizes, or the one of a direction.")
        .def(
            "CellSize", [](const G& g, int dir) { return g.cell_size(checked_direction<D>(dir)); }, nb::arg("dir"))
        .def(
            "ProbLo", [](const G& g, int dir) { return g.prob_lo(checked_direction<D>(dir)); }, nb::arg("dir"),
            "Low ends of the physical domain, or one of them.")
        .def("ProbLo", [](const G& g) { return g.prob_lo().array(); })
        .def(
            "ProbHi", [](const G& g, int dir) { return g.prob_hi(checked_direction<D>(dir)); }, nb::arg("dir"),
            "High ends of the physical domain, or one of them.")
        .def("ProbHi", [](const G& g) { return g.prob_hi().array(); })
        .def(
            "ProbLength", [](const G& g, int dir) { return g.prob_length(checked_direction<D>(dir)); }, nb::arg("dir"),
            "Length of the physical domain in one direction.")
        .def("ProbSize", &G::prob_size, "Area or volume of the physical domain.")
        .def("growPeriodicDomain", &G::grow_periodic_domain, nb::arg("ngrow"), "The domain grown where periodic.")
        .def(
            "growPeriodicDomain", [](const G& g, int n) { return g.grow_periodic_domain(IV(n)); }, nb::arg("ngrow"))
        .def("growNonPeriodicDomain", &G::grow_non_periodic_domain, nb::arg("ngrow"),
             "The domain grown where not periodic.")
        .def(
            "growNonPeriodicDomain", [](const G& g, int n) { return g.grow_non_periodic_domain(IV(n)); },
            nb::arg("ngrow"))
        .def("refine", &G::refine, nb::arg("rr"), "Finer cells on the same physical domain, in place.")
        .def("coarsen", &G::coarsen, nb::arg("rr"), "Coarser cells on the same physical domain, in place.");
    auto points = [&c](auto inside, auto outside, auto... names) {
        c.def("insideRoundOffDomain", inside, nb::arg(names)...,
              "Whether the cell of a point, as computed in floating point, lies in the domain.")
            .def("outsideRoundOffDomain", outside, nb::arg(names)...,
                 "Whether the cell of a point, as computed in floating point, lies outside the domain.");
    };
    using R = Real;
    using V = RealVect<D>;
    if constexpr (D == 1) {
        points([](const G& g, R x) { return g.inside_roundoff_domain(V(x)); },
               [](const G& g, R x) { return g.outside_roundoff_domain(V(x)); }, "x");
    }
    if constexpr (D == 2) {
        points([](const G& g, R x, R y) { return g.inside_roundoff_domain(V(x, y)); },
               [](const G& g, R x, R y) { return g.outside_roundoff_domain(V(x, y)); }, "x", "y");
    }
    if constexpr (D == 3) {
        points([](const G& g, R x, R y, R z) { return g.inside_roundoff_domain(V(x, y, z)); },
               [](const G& g, R x, R y, R z) { return g.outside_roundoff_domain(V(x, y, z)); }, "x", "y", "z");
    }
}

template <int D, class Class>
void def_geometry_periods(Class& c) {
    using G = Geometry<D>;
    using Flags = std::array<int, D>;
    c.def(
         "isPeriodic", [](const G& g, int dir) { return g.is_periodic(checked_direction<D>(dir)); }, nb::arg("dir"),
         "Whether a direction is periodic; for all: 1 where periodic, else 0.")
        .def("isPeriodic", [](const G& g) { return g.is_periodic(); })
        .def("isAnyPeriodic", &G::is_any_periodic, "Whether a direction is periodic.")
        .def("isAllPeriodic", &G::is_all_periodic, "Whether every direction is periodic.")
        .def("setPeriodicity", &G::set_periodicity, nb::arg("period"),
             "Non-zero: periodic. Returns what was set before.")
        .def(
            "period", [](const G& g, int dir) { return g.period(checked_direction<D>(dir)); }, nb::arg("dir"),
            "Length of the domain in a periodic direction; RuntimeError in another one.")
        .def(
            "periodicity", [](const G& g) { return g.periodicity(); },
            "The lengths of the domain, or of a box, where periodic.")
        .def(
            "periodicity", [](const G& g, const Box<D>& b) { return g.periodicity(b); }, nb::arg("b"))
        .def_static("ResetDefaultProbDomain", &G::reset_default_prob_domain, nb::arg("rb"),
                    "The physical domain that Geometry() has from now on.")
        .def_static(
            "ResetDefaultPeriodicity", [](const Flags& f) { G::reset_default_periodicity(f); }, nb::arg("is_per"),
            "The periodicity that Geometry() has from now on.")
        .def_static(
            "ResetDefaultCoord", [](int coord) { G::reset_default_coord(coord_type(coord)); }, nb::arg("coord"),
            "The coordinates that Geometry() has from now on.");
}

template <int D>
void register_geometry_class(nb::module_& space) {
    using G = Geometry<D>;
    using Flags = std::array<int, D>;
    auto c = nb::class_<G, CoordSys>(
        space, "Geometry", "How the index space of one level lies in physical space; works before initialize.");
    c.def(nb::init<>(), "Default physical domain, periodicity and coordinates; an empty index domain.")
        .def(nb::init<const G&>(), nb::arg("other"), "A copy.")
        .def(
            "__init__",
            [](G* self, const Box<D>& dom, const RealBox<D>& rb, int coord, const Flags& is_per) {
                new (self) G(dom, rb, coord_type(coord), is_per);
            },
            nb::arg("dom"), nb::arg("rb"), nb::arg("coord"), nb::arg("is_per"), "See define.")
        .def(
            "define",
            [](G& g, const Box<D>& dom, const RealBox<D>& rb, int coord, const Flags& is_per) {
                g.define(dom, rb, coord_type(coord), is_per);
            },
            nb::arg("dom"), nb::arg("rb"), nb::arg("coord"), nb::arg("is_per"),
            "Index domain, physical domain, coordinates (0 Cartesian, 1 RZ, 2 spherical, -1 the default) and "
            "periodicity (non-zero: periodic).")
        .def("data", &G::data, "The numbers, as they are now.")
        .def(
            "__repr__", [](const G& g) { return concat("<amrex.Geometry ", g, ">"); }, "With its type.")
        .def("__str__", [](const G& g) { return to_string(g); }, "Coordinates, domains and periodicity.");
    def_geometry_domain<D>(c);
    def_geometry_periods<D>(c);
    using State = std::tuple<Box<D>, RealBox<D>, int, Flags>;
    c.def(
         "__getstate__", [](const G& g) { return State(g.domain(), g.prob_domain(), g.coord_int(), g.is_periodic()); },
         nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"), "For copy and pickle.")
        .def(
            "__reduce__",
            [](nb::object self) {
                const nb::object make = nb::module_::import_("copyreg").attr("__newobj__");
                return nb::make_tuple(make, nb::make_tuple(self.type()), self.attr("__getstate__")());
            },
            nb::sig(reduce_signature), "For copy and pickle.")
        .def(
            "__setstate__",
            [](G* self, const State& state) {
                const auto& [domain, prob_domain, coord, is_periodic] = state;
                G made;
                made.set_coord(coord_type(coord));
                made.set_periodicity(is_periodic);
                if (prob_domain.ok()) made.set_prob_domain(prob_domain);
                if (domain.ok()) made.set_domain(domain);
                new (self) G(made);
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...], /) -> None"), "For copy and pickle.")
        .def(
            "__eq__", [](const G& a, const G& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, arg: object, /) -> bool"), "Same domains, periodicity and coordinates.")
        .def(
            "__hash__", [](const G& g) { return static_cast<Py_hash_t>(std::hash<Box<D>>()(g.domain()) >> 1); },
            "By value; do not change a geometry while it is a key.");
}

}  // namespace

template <int D>
void register_geometry(nb::module_& space) {
    register_periodicity<D>(space);
    register_geometry_data<D>(space);
    register_geometry_class<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_geometry<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
