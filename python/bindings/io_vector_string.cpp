// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vector_string: a list of names.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "io_common.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

using namespace nb::literals;
using Strings = std::vector<std::string>;

std::size_t position(const StringVector& v, Py_ssize_t i) {
    const auto n = static_cast<Py_ssize_t>(v.values.size());
    if (i < -n || i >= n) {
        throw IndexError("there is no string " + std::to_string(i) + ": this Vector_string has " + std::to_string(n));
    }
    return static_cast<std::size_t>(i < 0 ? i + n : i);
}

// Slices are lists' business: work on a list and take the result over.
nb::object as_list(const StringVector& v) { return nb::cast(v.values); }

void take_over(StringVector& v, const nb::object& list) { v.values = nb::cast<Strings>(list); }

}  // namespace

void register_vector_string(nb::module_& m) {
    using V = StringVector;
    nb::class_<V> cls(m, "Vector_string", "A list of strings, such as the names of variables.");
    cls.def(nb::init<>(), "No strings.");
    cls.def(nb::init<const V&>(), "other"_a, "A copy.");
    cls.def(
        "__init__",
        [](V* self, const nb::iterable& strings) {
            V made;
            for (const nb::handle string : strings) made.values.push_back(nb::cast<std::string>(string));
            new (self) V(std::move(made));
        },
        "strings"_a, nb::sig("def __init__(self, strings: collections.abc.Iterable[str]) -> None"), "These strings.");
    cls.def("__len__", [](const V& v) { return v.values.size(); }, "How many strings.");
    cls.def("size", [](const V& v) { return v.values.size(); }, "How many strings.");
    cls.def("__bool__", [](const V& v) { return !v.values.empty(); }, "Whether there are strings.");
    cls.def(
        "__repr__",
        [](const V& v) {
            std::string text = "Vector_string[";
            for (std::size_t i = 0; i < v.values.size(); ++i) text.append(i > 0 ? ", " : "").append(v.values[i]);
            return text + "]";
        },
        "Like a list.");
    cls.def("__getitem__", [](const V& v, Py_ssize_t i) { return v.values[position(v, i)]; }, "index"_a, "One string.");
    cls.def(
        "__getitem__", [](const V& v, const nb::slice& slice) { return V{nb::cast<Strings>(as_list(v)[slice])}; },
        "index"_a, "Several strings.");
    cls.def(
        "__setitem__", [](V& v, Py_ssize_t i, std::string value) { v.values[position(v, i)] = std::move(value); },
        "index"_a, "value"_a, "Replace one string.");
    cls.def(
        "__setitem__",
        [](V& v, const nb::slice& slice, const Strings& values) {
            const nb::object list = as_list(v);
            list[slice] = nb::cast(values);
            take_over(v, list);
        },
        "index"_a, "value"_a, "Replace several strings.");
    cls.def(
        "__delitem__",
        [](V& v, Py_ssize_t i) { v.values.erase(v.values.begin() + static_cast<std::ptrdiff_t>(position(v, i))); },
        "index"_a, "Remove one string.");
    cls.def(
        "__delitem__",
        [](V& v, const nb::slice& slice) {
            const nb::object list = as_list(v);
            nb::del(list[slice]);
            take_over(v, list);
        },
        "index"_a, "Remove several strings.");
    cls.def(
        "__iter__", [](const V& v) { return nb::iter(as_list(v)); },
        nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"), "Over the strings as they are now.");
    cls.def(
        "__contains__",
        [](const V& v, nb::handle x) {
            std::string text;
            return nb::try_cast(x, text) && std::find(v.values.begin(), v.values.end(), text) != v.values.end();
        },
        "x"_a, nb::sig("def __contains__(self, x: object) -> bool"), "Whether one of the strings is `x`.");
    cls.def(
        "__eq__",
        [](const V& v, nb::handle other) -> nb::object {
            if (nb::isinstance<V>(other)) return nb::bool_(v.values == nb::cast<const V&>(other).values);
            if (PyList_Check(other.ptr())) return nb::bool_(as_list(v).equal(other));
            return nb::borrow(Py_NotImplemented);
        },
        "other"_a, nb::sig("def __eq__(self, other: object, /) -> bool"), "The same strings, here or in a list.");
    cls.attr("__hash__") = nb::none();
    cls.def("append", [](V& v, std::string x) { v.values.push_back(std::move(x)); }, "x"_a, "Add one string.");
    cls.def(
        "extend", [](V& v, const Strings& strings) { v.values.insert(v.values.end(), strings.begin(), strings.end()); },
        "strings"_a, "Add several strings.");
    cls.def(
        "insert",
        [](V& v, Py_ssize_t i, std::string x) {
            const auto n = static_cast<Py_ssize_t>(v.values.size());
            const Py_ssize_t at = std::clamp<Py_ssize_t>(i < 0 ? i + n : i, 0, n);
            v.values.insert(v.values.begin() + at, std::move(x));
        },
        "i"_a, "x"_a, "Add a string before number `i`.");
    cls.def(
        "pop",
        [](V& v, Py_ssize_t i) {
            const std::size_t at = position(v, i);
            std::string value = std::move(v.values[at]);
            v.values.erase(v.values.begin() + static_cast<std::ptrdiff_t>(at));
            return value;
        },
        "i"_a = -1, "Remove a string and return it.");
    cls.def(
        "remove",
        [](V& v, const std::string& x) {
            const auto found = std::find(v.values.begin(), v.values.end(), x);
            if (found == v.values.end()) throw ValueError("'" + x + "' is not in this Vector_string");
            v.values.erase(found);
        },
        "x"_a, "Remove the first string that is `x`; ValueError if there is none.");
    cls.def(
        "count", [](const V& v, const std::string& x) { return std::count(v.values.begin(), v.values.end(), x); },
        "x"_a, "How many of the strings are `x`.");
    cls.def("clear", [](V& v) { v.values.clear(); }, "Remove all strings.");
}

}  // namespace zerofab::python
