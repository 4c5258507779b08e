// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// RealVect and RealBox of one space.
#include "index/common.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/index/real_box.hpp"

namespace zerofab::python {
namespace {

template <int D>
RealVect<D> from_xdim3(const XDim3& a) {
    const std::array<Real, 3> all{a.x, a.y, a.z};
    RealVect<D> v;
    for (int d = 0; d < D; ++d) v[d] = all[static_cast<std::size_t>(d)];
    return v;
}

template <int D, class Class>
void def_arithmetic(Class& c) {
    using RV = RealVect<D>;
    constexpr auto same = nb::rv_policy::none;
    // clang-format off
    c.def("__add__", [](const RV& a, const RV& b) { return a + b; }, nb::is_operator(), "Sum by component.")
     .def("__add__", [](const RV& a, Real b) { return a + b; }, nb::is_operator())
     .def("__radd__", [](const RV& a, Real b) { return b + a; }, nb::is_operator(), "Sum with a number.")
     .def("__sub__", [](const RV& a, const RV& b) { return a - b; }, nb::is_operator(), "Difference by component.")
     .def("__sub__", [](const RV& a, Real b) { return a - b; }, nb::is_operator())
     .def("__rsub__", [](const RV& a, Real b) { return b - a; }, nb::is_operator(), "Difference with a number.")
     .def("__mul__", [](const RV& a, const RV& b) { return a * b; }, nb::is_operator(), "Product by component.")
     .def("__mul__", [](const RV& a, Real b) { return a * b; }, nb::is_operator())
     .def("__rmul__", [](const RV& a, Real b) { return b * a; }, nb::is_operator(), "Product with a number.")
     .def("__truediv__", [](const RV& a, const RV& b) { return a / b; }, nb::is_operator(), "Quotient by component; infinite or NaN where the divisor is 0.")
     .def("__truediv__", [](const RV& a, Real b) { return a / b; }, nb::is_operator())
     .def("__rtruediv__", [](const RV& a, Real b) { return b / a; }, nb::is_operator(), "Quotient of a number and each component.")
     .def("__neg__", [](const RV& a) { return -a; }, "Minus each component.")
     .def("__pos__", [](const RV& a) { return a; }, "A copy.")
     .def("__iadd__", [](RV& a, const RV& b) -> RV& { return a += b; }, nb::is_operator(), same, "Add in place.")
     .def("__iadd__", [](RV& a, Real b) -> RV& { return a += b; }, nb::is_operator(), same)
     .def("__isub__", [](RV& a, const RV& b) -> RV& { return a -= b; }, nb::is_operator(), same, "Subtract in place.")
     .def("__isub__", [](RV& a, Real b) -> RV& { return a -= b; }, nb::is_operator(), same)
     .def("__imul__", [](RV& a, const RV& b) -> RV& { return a *= b; }, nb::is_operator(), same, "Multiply in place.")
     .def("__imul__", [](RV& a, Real b) -> RV& { return a *= b; }, nb::is_operator(), same)
     .def("__itruediv__", [](RV& a, const RV& b) -> RV& { return a /= b; }, nb::is_operator(), same, "Divide in place.")
     .def("__itruediv__", [](RV& a, Real b) -> RV& { return a /= b; }, nb::is_operator(), same)
     .def("__eq__", [](const RV& a, const RV& b) { return a == b; }, nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"), "All components equal.")
     .def("__ne__", [](const RV& a, const RV& b) { return !(a == b); }, nb::is_operator(), nb::sig("def __ne__(self, arg: object, /) -> bool"), "Not equal.")
     .def("__lt__", [](const RV& a, const RV& b) { return a.all_lt(b); }, nb::is_operator(), "Whether all components are less.")
     .def("__le__", [](const RV& a, const RV& b) { return a.all_le(b); }, nb::is_operator(), "Whether all components are less or equal.")
     .def("__gt__", [](const RV& a, const RV& b) { return a.all_gt(b); }, nb::is_operator(), "Whether all components are greater.")
     .def("__ge__", [](const RV& a, const RV& b) { return a.all_ge(b); }, nb::is_operator(), "Whether all components are greater or equal.")
     .def("__hash__", [](const RV& a) { return nb::hash(as_tuple(a.array())); }, "By value; do not change a vector while it is a key.");
    // clang-format on
}

template <int D>
void register_real_vect(nb::module_& space) {
    using RV = RealVect<D>;
    constexpr auto same = nb::rv_policy::none;
    auto c = nb::class_<RV>(space, "RealVect", "A point of physical space: one real per direction, x first.");
    c.def(nb::init<>(), "All zero.");
    if constexpr (D == 2) c.def(nb::init<Real, Real>(), nb::arg("x"), nb::arg("y"), "One real per direction.");
    if constexpr (D == 3) {
        c.def(nb::init<Real, Real, Real>(), nb::arg("x"), nb::arg("y"), nb::arg("z"), "One real per direction.");
    }
    c.def(nb::init<const RV&>(), nb::arg("other"), "A copy.")
        .def(nb::init<const IntVect<D>&>(), nb::arg("iv"), "From integers.")
        .def(nb::init<Real>(), nb::arg("all"), "The same real in every direction.")
        .def(nb::init<const std::array<Real, D>&>(), nb::arg("values"), "From a sequence with one real per direction.");
    def_arithmetic<D>(c);
    c.def_static("zero_vector", &RV::zero, "All zero.")
        .def_static("unit_vector", &RV::unit, "All one.")
        .def_static(
            "BASISREALV", [](int dir) { return RV::basis(checked_direction<D>(dir)); }, nb::arg("dir"),
            "One in direction dir, zero elsewhere.")
        .def_prop_ro("sum", &RV::sum, "Sum of the components.")
        .def_prop_ro("product", &RV::product, "Product of the components.")
        .def_prop_ro("vectorLength", &RV::vector_length, "Euclidean length.")
        .def_prop_ro("radSquared", &RV::rad_squared, "Square of the Euclidean length.")
        .def("dotProduct", &RV::dot, nb::arg("other"), "Scalar product.")
        .def("minDir", &RV::min_dir, nb::arg("a_doAbs"), "Direction of the smallest component, or magnitude if True.")
        .def("maxDir", &RV::max_dir, nb::arg("a_doAbs"), "Direction of the largest component, or magnitude if True.")
        .def(
            "scale", [](RV& a, Real s) -> RV& { return a *= s; }, nb::arg("s"), same,
            "Multiply in place; returns self.")
        .def(
            "min", [](RV& a, const RV& b) -> RV& { return a = min(a, b); }, nb::arg("other"), same,
            "Take the smaller of each pair of components, in place; returns self.")
        .def(
            "max", [](RV& a, const RV& b) -> RV& { return a = max(a, b); }, nb::arg("other"), same,
            "Take the larger of each pair of components, in place; returns self.")
        .def("floor", &RV::floor, "Rounded down; ValueError where the result is no 32-bit integer.")
        .def("ceil", &RV::ceil, "Rounded up; ValueError where the result is no 32-bit integer.")
        .def("round", &RV::round, "The nearest integers, halves away from zero; ValueError where they have no 32 bits.")
        .def(
            "__len__", [](const RV&) { return D; }, "The dimension.")
        .def(
            "__getitem__", [](const RV& a, int i) { return a[checked_position(i, D)]; }, nb::arg("index"),
            "Component; negative ones count from the end.")
        .def(
            "__setitem__", [](RV& a, int i, Real x) { a[checked_position(i, D)] = x; }, nb::arg("index"),
            nb::arg("value"), "Change a component.")
        .def(
            "__iter__", [](const RV& a) { return nb::iter(as_tuple(a.array())); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[float]"), "Components, x first.")
        .def(
            "__repr__", [](const RV& a) { return concat("<amrex.RealVect ", a, ">"); }, "With its type.")
        .def(
            "__str", [](const RV& a) { return to_string(a); },
            "The text of str(self), under the name that pyAMReX has.")
        .def("__str__", [](const RV& a) { return to_string(a); }, "(x,y,z)");
    if constexpr (D == 3) {
        c.def("crossProduct", [](const RV& a, const RV& b) { return a.cross(b); }, nb::arg("other"), "Vector product.");
    }
    def_reduce(c, [](const RV& a) { return nb::make_tuple(as_tuple(a.array())); });
    nb::implicitly_convertible<nb::tuple, RV>();
    nb::implicitly_convertible<nb::list, RV>();
}

template <int D, class Class>
void def_real_box_init(Class& c) {
    using RB = RealBox<D>;
    using Reals = std::array<Real, D>;
    c.def(nb::init<>(), "Not ok: from 0 to -1.").def(nb::init<const RB&>(), nb::arg("other"), "A copy.");
    auto make = [&c](auto function, auto... names) {
        c.def("__init__", function, nb::arg(names)..., "Low ends, then high ends.");
    };
    using R = Real;
    using V = RealVect<D>;
    if constexpr (D == 1) make([](RB* self, R a, R b) { new (self) RB(V(a), V(b)); }, "x_lo", "x_hi");
    if constexpr (D == 2) {
        make([](RB* self, R a, R b, R e, R f) { new (self) RB(V(a, b), V(e, f)); }, "x_lo", "y_lo", "x_hi", "y_hi");
    }
    if constexpr (D == 3) {
        make([](RB* self, R a, R b, R c, R e, R f, R g) { new (self) RB(V(a, b, c), V(e, f, g)); }, "x_lo", "y_lo",
             "z_lo", "x_hi", "y_hi", "z_hi");
    }
    c.def(
         "__init__", [](RB* self, const Reals& lo, const Reals& hi) { new (self) RB(V(lo), V(hi)); }, nb::arg("a_lo"),
         nb::arg("a_hi"), "Low ends and high ends.")
        .def(
            "__init__",
            [](RB* self, const Box<D>& bx, const Reals& dx, const Reals& base) { new (self) RB(bx, V(dx), V(base)); },
            nb::arg("bx"), nb::arg("dx"), nb::arg("base"), "What a box covers, with cells dx wide and cell 0 at base.");
}

template <int D>
void register_real_box(nb::module_& space) {
    using RB = RealBox<D>;
    using RV = RealVect<D>;
    using Reals = std::array<Real, D>;
    auto c = nb::class_<RB>(space, "RealBox", "A rectangle of physical space, ends included.");
    def_real_box_init<D>(c);
    c.def("ok", &RB::ok, "Whether no high end is below its low end.")
        .def("volume", &RB::volume, "Area or volume; 0 if not ok.")
        .def(
            "length", [](const RB& b, int dir) { return b.length(checked_direction<D>(dir)); }, nb::arg("dir"),
            "Length in one direction.")
        .def(
            "lo", [](const RB& b, int dir) { return b.lo(checked_direction<D>(dir)); }, nb::arg("dir"),
            "Low end, in one direction or all.")
        .def("lo", [](const RB& b) { return b.lo().array(); })
        .def(
            "hi", [](const RB& b, int dir) { return b.hi(checked_direction<D>(dir)); }, nb::arg("dir"),
            "High end, in one direction or all.")
        .def("hi", [](const RB& b) { return b.hi().array(); })
        .def_prop_ro(
            "xlo", [](const RB& b) { return b.lo().array(); }, "Low ends.")
        .def_prop_ro(
            "xhi", [](const RB& b) { return b.hi().array(); }, "High ends.")
        .def(
            "setLo", [](RB& b, const Reals& x) { b.set_lo(RV(x)); }, nb::arg("lo"),
            "Change the low end, in all directions or one.")
        .def(
            "setLo", [](RB& b, int dir, Real x) { b.set_lo(checked_direction<D>(dir), x); }, nb::arg("dir"),
            nb::arg("lo"))
        .def(
            "setHi", [](RB& b, const Reals& x) { b.set_hi(RV(x)); }, nb::arg("hi"),
            "Change the high end, in all directions or one.")
        .def(
            "setHi", [](RB& b, int dir, Real x) { b.set_hi(checked_direction<D>(dir), x); }, nb::arg("dir"),
            nb::arg("hi"))
        .def(
            "contains", [](const RB& b, const XDim3& x, Real eps) { return b.contains(from_xdim3<D>(x), eps); },
            nb::arg("rb"), nb::arg("eps") = 0.0, "Whether a point or a RealBox is inside, or outside by at most eps.")
        .def(
            "contains", [](const RB& b, const RV& x, Real eps) { return b.contains(x, eps); }, nb::arg("rb"),
            nb::arg("eps") = 0.0)
        .def(
            "contains", [](const RB& b, const RB& rb, Real eps) { return b.contains(rb, eps); }, nb::arg("rb"),
            nb::arg("eps") = 0.0)
        .def(
            "contains", [](const RB& b, const Reals& x, Real eps) { return b.contains(RV(x), eps); }, nb::arg("rb"),
            nb::arg("eps") = 0.0)
        .def("intersects", &RB::intersects, nb::arg("rb"), "Whether there is a common point; the rim counts.")
        .def(
            "__eq__", [](const RB& a, const RB& b) { return a == b; }, nb::is_operator(),
            nb::sig("def __eq__(self, arg: object, /) -> bool"), "Same ends.")
        .def(
            "__hash__",
            [](const RB& b) { return nb::hash(nb::make_tuple(as_tuple(b.lo().array()), as_tuple(b.hi().array()))); },
            "By value; do not change a box while it is a key.")
        .def(
            "__repr__", [](const RB& b) { return concat("<amrex.RealBox ", b, ">"); }, "With its type.")
        .def(
            "__str", [](const RB& b) { return to_string(b); },
            "The text of str(self), under the name that pyAMReX has.")
        .def("__str__", [](const RB& b) { return to_string(b); }, "(RealBox xlo xhi ylo yhi ...)");
    def_reduce(c, [](const RB& b) { return nb::make_tuple(as_tuple(b.lo().array()), as_tuple(b.hi().array())); });
    space.def("AlmostEqual", &almost_equal<D>, nb::arg("rb1"), nb::arg("rb2"), nb::arg("eps") = 0.0,
              "Whether all ends differ by at most eps.");
}

}  // namespace

template <int D>
void register_real(nb::module_& space) {
    register_real_vect<D>(space);
    register_real_box<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_real<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
