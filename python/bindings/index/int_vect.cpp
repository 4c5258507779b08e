// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// IntVect1D, IntVect2D, IntVect3D: the same classes in all spaces.
#include <nanobind/ndarray.h>

#include "index/common.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::python {
namespace {

/// One hash with Python's int where all components are equal, for such a vector equals that int.
template <int D>
Py_hash_t int_vect_hash(const IntVect<D>& a) {
    if (a == IntVect<D>(a[0])) return nb::hash(nb::int_(a[0]));
    const auto h = static_cast<Py_hash_t>(hash_value(a));
    return h == -1 ? -2 : h;
}

/// `when_equal` if b is the same vector or an integer that all components equal, else its opposite; or NotImplemented.
template <int D>
nb::object equals(const IntVect<D>& a, nb::handle b, bool when_equal) {
    IntVect<D> vector;
    int all = 0;
    if (nb::try_cast(b, vector, false)) return nb::bool_((a == vector) == when_equal);
    if (nb::try_cast(b, all)) return nb::bool_((a == all) == when_equal);
    return nb::borrow(Py_NotImplemented);
}

template <int D, class Class>
void def_arithmetic(Class& c) {
    using IV = IntVect<D>;
    // clang-format off
    c.def("__add__", [](const IV& a, const IV& b) { return a + b; }, nb::is_operator(), "Sum by component; ValueError on overflow.")
     .def("__add__", [](const IV& a, int b) { return a + b; }, nb::is_operator())
     .def("__radd__", [](const IV& a, int b) { return b + a; }, nb::is_operator(), "Sum with an integer.")
     .def("__sub__", [](const IV& a, const IV& b) { return a - b; }, nb::is_operator(), "Difference by component.")
     .def("__sub__", [](const IV& a, int b) { return a - b; }, nb::is_operator())
     .def("__rsub__", [](const IV& a, int b) { return b - a; }, nb::is_operator(), "Difference with an integer.")
     .def("__mul__", [](const IV& a, const IV& b) { return a * b; }, nb::is_operator(), "Product by component.")
     .def("__mul__", [](const IV& a, int b) { return a * b; }, nb::is_operator())
     .def("__rmul__", [](const IV& a, int b) { return b * a; }, nb::is_operator(), "Product with an integer.")
     .def("__truediv__", [](const IV& a, const IV& b) { return a / b; }, nb::is_operator(), "Integer quotient, rounded towards zero.")
     .def("__truediv__", [](const IV& a, int b) { return a / b; }, nb::is_operator())
     .def("__floordiv__", [](const IV& a, const IV& b) { return coarsen(a, b); }, nb::is_operator(), "Integer quotient, rounded down; the divisor must be positive.")
     .def("__floordiv__", [](const IV& a, int b) { return coarsen(a, b); }, nb::is_operator())
     .def("__neg__", [](const IV& a) { return -a; }, "Minus each component.")
     .def("__pos__", [](const IV& a) { return a; }, "A copy.")
     .def("__iadd__", [](IV& a, const IV& b) -> IV& { return a += b; }, nb::is_operator(), nb::rv_policy::none, "Add in place.")
     .def("__iadd__", [](IV& a, int b) -> IV& { return a += b; }, nb::is_operator(), nb::rv_policy::none)
     .def("__isub__", [](IV& a, const IV& b) -> IV& { return a -= b; }, nb::is_operator(), nb::rv_policy::none, "Subtract in place.")
     .def("__isub__", [](IV& a, int b) -> IV& { return a -= b; }, nb::is_operator(), nb::rv_policy::none)
     .def("__imul__", [](IV& a, const IV& b) -> IV& { return a *= b; }, nb::is_operator(), nb::rv_policy::none, "Multiply in place.")
     .def("__imul__", [](IV& a, int b) -> IV& { return a *= b; }, nb::is_operator(), nb::rv_policy::none)
     .def("__itruediv__", [](IV& a, const IV& b) -> IV& { return a /= b; }, nb::is_operator(), nb::rv_policy::none, "Divide in place, rounded towards zero.")
     .def("__itruediv__", [](IV& a, int b) -> IV& { return a /= b; }, nb::is_operator(), nb::rv_policy::none)
     .def("__eq__", [](const IV& a, nb::handle b) { return equals(a, b, true); }, nb::arg().none(), nb::sig("def __eq__(self, arg: object, /) -> bool"), "All components equal (to the integer, if it is one).")
     .def("__ne__", [](const IV& a, nb::handle b) { return equals(a, b, false); }, nb::arg().none(), nb::sig("def __ne__(self, arg: object, /) -> bool"), "Not equal.")
     .def("__lt__", [](const IV& a, const IV& b) { return a.lex_less(b); }, nb::is_operator(), "Lexicographic order, the last component first.")
     .def("__le__", [](const IV& a, const IV& b) { return !b.lex_less(a); }, nb::is_operator(), "Lexicographic order, the last component first.")
     .def("__gt__", [](const IV& a, const IV& b) { return b.lex_less(a); }, nb::is_operator(), "Lexicographic order, the last component first.")
     .def("__ge__", [](const IV& a, const IV& b) { return !a.lex_less(b); }, nb::is_operator(), "Lexicographic order, the last component first.")
     .def("__hash__", &int_vect_hash<D>, "By value; do not change a vector while it is a key.");
    // clang-format on
}

template <int D, class Class>
void def_init(Class& c) {
    using IV = IntVect<D>;
    c.def(nb::init<>(), "All zero.");
    if constexpr (D == 2) c.def(nb::init<int, int>(), nb::arg("x"), nb::arg("y"), "One integer per direction.");
    if constexpr (D == 3) {
        c.def(nb::init<int, int, int>(), nb::arg("x"), nb::arg("y"), nb::arg("z"), "One integer per direction.");
    }
    c.def(nb::init<int>(), nb::arg("all"), "The same integer in every direction.")
        .def(nb::init<const IV&>(), nb::arg("other"), "A copy.")
        .def(nb::init<const std::array<int, D>&>(), nb::arg("values"),
             "From a sequence with one integer per direction.");
}

template <int D>
void register_int_vect(nb::module_& m, const char* name) {
    using IV = IntVect<D>;
    auto c = nb::class_<IV>(m, name, "A point of the index space: one 32-bit integer per direction, x first.");
    def_init<D>(c);
    def_arithmetic<D>(c);
    c.def_static("zero_vector", &IV::zero, "All zero.")
        .def_static("unit_vector", &IV::unit, "All one.")
        .def_static("cell_vector", &IV::zero, "All zero: the type of cells.")
        .def_static("node_vector", &IV::unit, "All one: the type of nodes.")
        .def_static("max_vector", &IV::max_vector, "The largest integer everywhere.")
        .def_static("min_vector", &IV::min_vector, "The smallest integer everywhere.")
        .def_prop_ro("sum", &IV::sum, "Sum of the components.")
        .def_prop_ro("max", nb::overload_cast<>(&IV::max, nb::const_), "The largest component.")
        .def_prop_ro("min", nb::overload_cast<>(&IV::min, nb::const_), "The smallest component.")
        .def(
            "dim3", [](const IV& a) { return to_dim3(a); }, "Three integers, 0 where the dimension has none.")
        .def(
            "numpy",
            [](const IV& a) {
                return nb::cast(nb::ndarray<nb::numpy, const int, nb::shape<D>>(a.data()), nb::rv_policy::copy);
            },
            nb::sig("def numpy(self) -> numpy.typing.NDArray[numpy.int32]"), "A copy as a NumPy array.")
        .def(
            "__len__", [](const IV&) { return D; }, "The dimension.")
        .def(
            "__getitem__", [](const IV& a, int i) { return a[checked_position(i, D)]; }, nb::arg("index"),
            "Component; negative ones count from the end.")
        .def(
            "__setitem__", [](IV& a, int i, int value) { a[checked_position(i, D)] = value; }, nb::arg("index"),
            nb::arg("value"), "Change a component.")
        .def(
            "__iter__", [](const IV& a) { return nb::iter(as_tuple(a.array())); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"), "Components, x first.")
        .def(
            "__repr__", [name](const IV& a) { return concat("<amrex.", name, a, ">"); }, "With its type.")
        .def(
            "__str", [](const IV& a) { return to_string(a); },
            "The text of str(self), under the name that pyAMReX has.")
        .def("__str__", [](const IV& a) { return to_string(a); }, "(x,y,z)");
    def_reduce(c, [](const IV& a) { return nb::make_tuple(as_tuple(a.array())); });
    nb::implicitly_convertible<nb::tuple, IV>();
    nb::implicitly_convertible<nb::list, IV>();
}

}  // namespace

void register_int_vects(nb::module_& m) {
    register_int_vect<1>(m, "IntVect1D");
    register_int_vect<2>(m, "IntVect2D");
    register_int_vect<3>(m, "IntVect3D");
}

}  // namespace zerofab::python
