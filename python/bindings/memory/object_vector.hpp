// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vector_Box and its like: a list whose elements are objects of one C++ type.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// The elements; a type of its own, so that functions with std::vector still take and give Python lists.
template <class T>
struct ObjectVector {
    std::vector<T> values;
};

/// The C++ elements of any iterable; TypeError, naming the class, if one is of another type.
template <class T>
ObjectVector<T> collect(nb::handle items, const char* name) {
    ObjectVector<T> made;
    for (const nb::handle item : items) {
        T value;
        if (!nb::try_cast(item, value)) {
            throw TypeError(
                concat("a ", name, " cannot hold an object of type ", nb::cast<std::string>(nb::str(item.type()))));
        }
        made.values.push_back(std::move(value));
    }
    return made;
}

namespace detail {

/// Where element i is, negative ones counted from the end; IndexError if it does not exist.
template <class T>
auto at(ObjectVector<T>& v, Py_ssize_t i, const char* name) {
    const auto n = static_cast<Py_ssize_t>(v.values.size());
    if (i < -n || i >= n) {
        throw IndexError(concat("element ", i, " does not exist: this ", name, " has ", n));
    }
    return v.values.begin() + (i < 0 ? i + n : i);
}

template <class T>
nb::object as_list(const ObjectVector<T>& v) {
    nb::list list;
    for (const T& value : v.values) list.append(nb::cast(value));
    return list;
}

/// What only makes sense where elements can be compared.
template <class T, class Class>
void def_search(Class& c, const char* name) {
    using V = ObjectVector<T>;
    const auto find = [name](V& v, const T& x) {
        const auto found = std::ranges::find(v.values, x);
        if (found == v.values.end()) throw ValueError(std::string("no such element is in this ") + name);
        return found;
    };
    c.def(
         "__eq__", [](const V& a, const V& b) { return a.values == b.values; }, nb::is_operator(),
         nb::sig("def __eq__(self, other: object, /) -> bool"), "The same elements.")
        .def(
            "__ne__", [](const V& a, const V& b) { return !(a.values == b.values); }, nb::is_operator(),
            nb::sig("def __ne__(self, other: object, /) -> bool"), "Not the same elements.")
        .def(
            "__contains__", [](const V& v, const T& x) { return std::ranges::count(v.values, x) > 0; }, nb::arg("x"),
            "Whether an element equals x.")
        .def(
            "__contains__", [](const V&, nb::handle) { return false; }, nb::arg("x").none())
        .def(
            "count", [](const V& v, const T& x) { return std::ranges::count(v.values, x); }, nb::arg("x"),
            "How many elements equal x.")
        .def(
            "remove", [find](V& v, const T& x) { v.values.erase(find(v, x)); }, nb::arg("x"),
            "Remove the first element that equals x; ValueError if there is none.")
        .def(
            "index", [find](V& v, const T& x) { return find(v, x) - v.values.begin(); }, nb::arg("x"),
            "The number of the first element that equals x; ValueError if there is none.");
    c.attr("__hash__") = nb::none();
}

}  // namespace detail

/// Bind ObjectVector<T>; `element_name` as stubs write it, `text` gives one element's text.
///
/// Elements come out as copies: change one and assign it back. A loop may change the vector that it walks.
template <class T, class Text>
void register_object_vector(nb::module_& scope, const char* name, const std::string& element_name, Text text) {
    using V = ObjectVector<T>;
    const std::string doc = concat("A list of ", element_name, ".");
    const std::string many = "collections.abc.Iterable[" + element_name + "]";
    auto made_from = [&many](const char* head) { return concat(head, many, ") -> None"); };
    nb::class_<V> c(scope, name, nb::dynamic_attr(), doc.c_str());
    c.def(nb::init<>(), "No elements.").def(nb::init<const V&>(), nb::arg("other"), "A copy.");
    c.def(
        "__init__", [name](V* self, const nb::iterable& items) { new (self) V(collect<T>(items, name)); },
        nb::arg("items"), nb::sig(made_from("def __init__(self, items: ").c_str()), "The elements of an iterable.");
    c.def(
         "__len__", [](const V& v) { return v.values.size(); }, "How many elements.")
        .def(
            "size", [](const V& v) { return v.values.size(); }, "How many elements.")
        .def(
            "__iter__", [](nb::handle self) { return nb::steal(PySeqIter_New(self.ptr())); },
            nb::sig(("def __iter__(self) -> collections.abc.Iterator[" + element_name + "]").c_str()),
            "Copies of the elements.")
        .def(
            "__bool__", [](const V& v) { return !v.values.empty(); }, "Whether there are elements.")
        .def(
            "__getitem__", [name](V& v, Py_ssize_t i) -> const T& { return *detail::at(v, i, name); }, nb::arg("index"),
            "A copy of an element, or a vector of several.")
        .def(
            "__getitem__",
            [name](const V& v, const nb::slice& s) { return collect<T>(nb::object(detail::as_list(v)[s]), name); },
            nb::arg("index"))
        .def(
            "__setitem__", [name](V& v, Py_ssize_t i, const T& x) { *detail::at(v, i, name) = x; }, nb::arg("index"),
            nb::arg("value"), "Replace an element, or several.")
        .def(
            "__setitem__",
            [name](V& v, const nb::slice& s, const V& values) {
                nb::object list = detail::as_list(v);
                list[s] = detail::as_list(values);
                v = collect<T>(list, name);
            },
            nb::arg("index"), nb::arg("value"))
        .def(
            "__delitem__", [name](V& v, Py_ssize_t i) { v.values.erase(detail::at(v, i, name)); }, nb::arg("index"),
            "Remove an element, or several.")
        .def(
            "__delitem__",
            [name](V& v, const nb::slice& s) {
                nb::object list = detail::as_list(v);
                nb::del(list[s]);
                v = collect<T>(list, name);
            },
            nb::arg("index"))
        .def(
            "append", [](V& v, const T& x) { v.values.push_back(x); }, nb::arg("x"), "Add an element at the end.")
        .def(
            "extend",
            [name](V& v, const nb::iterable& items) {
                for (T& x : collect<T>(items, name).values) v.values.push_back(std::move(x));
            },
            nb::arg("items"), nb::sig(made_from("def extend(self, items: ").c_str()), "Add elements at the end.")
        .def(
            "insert",
            [name](V& v, Py_ssize_t i, const T& x) {
                const auto n = static_cast<Py_ssize_t>(v.values.size());
                v.values.insert(i == n ? v.values.end() : detail::at(v, i, name), x);
            },
            nb::arg("i"), nb::arg("x"), "Insert an element before position i.")
        .def(
            "pop",
            [name](V& v, Py_ssize_t i) {
                const auto at = detail::at(v, i, name);
                T taken = std::move(*at);
                v.values.erase(at);
                return taken;
            },
            nb::arg("i") = -1, "Remove and return an element, the last one by default.")
        .def(
            "clear", [](V& v) { v.values.clear(); }, "Remove all elements.")
        .def(
            "reverse", [](V& v) { std::ranges::reverse(v.values); }, "Turn the order round.")
        .def(
            "__iadd__",
            [name](nb::pointer_and_handle<V> self, const nb::iterable& items) {
                for (T& x : collect<T>(items, name).values) self.p->values.push_back(std::move(x));
                return nb::borrow(self.h);
            },
            nb::arg("items"), nb::is_operator(),
            nb::sig(("def __iadd__(self, items: " + many + ", /) -> typing.Self").c_str()), "Add elements at the end.")
        .def(
            "__repr__",
            [name, text](const V& v) {
                std::string s = std::string(name) + "[";
                for (std::size_t i = 0; i < v.values.size(); ++i) s.append(i > 0 ? ", " : "").append(text(v.values[i]));
                return s + "]";
            },
            "Like a list.")
        .def(
            "__reduce__",
            [](const V& v) { return nb::make_tuple(nb::find(v).type(), nb::make_tuple(detail::as_list(v))); },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "For copy and pickle.");
    if constexpr (std::equality_comparable<T>) detail::def_search<T>(c, name);
    nb::module_::import_("collections.abc").attr("MutableSequence").attr("register")(c);
    nb::implicitly_convertible<nb::list, V>();
    nb::implicitly_convertible<nb::tuple, V>();
}

}  // namespace zerofab::python
