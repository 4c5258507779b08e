// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Python's list interface of the vectors of numbers.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "base/errors.hpp"
#include "base/text.hpp"
#include "memory/number_vector.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// The methods of a list, on a NumberVector.
struct NumberSequence {
    using Base = NumberVector;

    static Base& of(nb::handle self) {
        if (!nb::inst_ready(self)) {
            throw StateError("this object was not initialized: call __init__ of its base class first");
        }
        return *nb::inst_ptr<Base>(self);
    }

    static Py_ssize_t size(const Base& v) { return static_cast<Py_ssize_t>(v.size()); }

    static std::size_t checked(const Base& v, Py_ssize_t index) {
        const Py_ssize_t at = index < 0 ? index + size(v) : index;
        if (at < 0 || at >= size(v)) {
            throw IndexError(concat("index ", index, " is outside of this ", v.what(), " with ", size(v), " elements"));
        }
        return static_cast<std::size_t>(at);
    }

    static Py_ssize_t integer(const Base& v, nb::handle index) {
        if (PyIndex_Check(index.ptr()) == 0) {
            throw TypeError(concat("a ", v.what(), " is indexed by an integer or a slice, not ", repr_of(index)));
        }
        const Py_ssize_t at = PyNumber_AsSsize_t(index.ptr(), PyExc_IndexError);
        if (at == -1 && PyErr_Occurred() != nullptr) {
            throw nb::python_error();
        }
        return at;
    }

    struct Range {
        Py_ssize_t start, stop, step, count;
    };
    static Range range(const Base& v, nb::handle slice) {
        Range r{};
        if (PySlice_Unpack(slice.ptr(), &r.start, &r.stop, &r.step) < 0) {
            throw nb::python_error();
        }
        r.count = PySlice_AdjustIndices(size(v), &r.start, &r.stop, r.step);
        return r;
    }

    static bool slice_has_step(nb::handle slice) {
        Py_ssize_t start = 0;
        Py_ssize_t stop = 0;
        Py_ssize_t step = 0;
        if (PySlice_Unpack(slice.ptr(), &start, &stop, &step) < 0) {
            throw nb::python_error();
        }
        return step != 1;
    }

    static nb::list items(const Base& v) {
        nb::list list;
        for (std::size_t n = 0; n < v.size(); ++n) {
            list.append(v.get(n));
        }
        return list;
    }

    static nb::object get_item(nb::handle self, nb::handle index) {
        const Base& v = of(self);
        if (PySlice_Check(index.ptr()) == 0) {
            const Py_ssize_t asked = integer(v, index);
            return v.get(checked(v, asked));
        }
        const Range r = range(v, index);
        nb::list list;
        for (Py_ssize_t n = 0; n < r.count; ++n) {
            list.append(v.get(static_cast<std::size_t>(r.start + n * r.step)));
        }
        return self.type()(list);
    }

    /// Replace the elements of a slice, or remove them (null value).
    static void set_slice(Base& v, nb::handle slice, const NewNumbers* value) {
        Range r = range(v, slice);
        const auto fresh = static_cast<Py_ssize_t>(value != nullptr ? value->count : 0);
        if (r.step == 1) {
            const auto first = static_cast<std::size_t>(r.start);
            v.splice(first, first + static_cast<std::size_t>(r.count), value, 0, value != nullptr ? value->count : 0);
            return;
        }
        if (value != nullptr) {
            if (fresh != r.count) {
                throw ValueError(concat("cannot assign ", fresh, " elements to a slice of ", r.count));
            }
            for (Py_ssize_t n = 0; n < r.count; ++n) {
                const auto at = static_cast<std::size_t>(r.start + n * r.step);
                v.splice(at, at + 1, value, static_cast<std::size_t>(n), 1);
            }
            return;
        }
        for (Py_ssize_t n = 0; n < r.count; ++n) {  // from the end, so that positions stay valid
            const Py_ssize_t k = r.step > 0 ? r.count - 1 - n : n;
            const auto at = static_cast<std::size_t>(r.start + k * r.step);
            v.splice(at, at + 1, nullptr, 0, 0);
        }
    }

    static void set_item(nb::handle self, nb::handle index, nb::handle value) {
        Base& v = of(self);
        if (PySlice_Check(index.ptr()) != 0) {
            nb::object items = nb::borrow(value);
            if (value.is_valid() && slice_has_step(index)) {  // written one by one: it must not show this vector
                items = nb::steal(PySequence_List(value.ptr()));
                if (!items.is_valid()) {
                    throw nb::python_error();
                }
            }
            const auto fresh = value.is_valid() ? v.parse(items) : nullptr;
            set_slice(v, index, fresh.get());
            return;
        }
        const auto fresh = value.is_valid() ? v.parse(nb::make_tuple(value)) : nullptr;
        const Py_ssize_t asked = integer(v, index);
        const std::size_t at = checked(v, asked);
        v.splice(at, at + 1, fresh.get(), 0, fresh ? 1 : 0);
    }

    static void extend(Base& v, nb::handle iterable) {
        const auto fresh = v.parse(iterable);
        v.splice(v.size(), v.size(), fresh.get(), 0, fresh->count);
    }

    static void insert(Base& v, Py_ssize_t index, nb::handle value) {
        const auto fresh = v.parse(nb::make_tuple(value));
        const Py_ssize_t at = index < 0 ? index + size(v) : index;
        if (at < 0 || at > size(v)) {
            throw IndexError(
                concat("position ", index, " is outside of this ", v.what(), " with ", size(v), " elements"));
        }
        v.splice(static_cast<std::size_t>(at), static_cast<std::size_t>(at), fresh.get(), 0, 1);
    }

    static nb::object pop(Base& v, Py_ssize_t index) {
        if (v.size() == 0) {
            throw IndexError(std::string("pop from an empty ") + v.what());
        }
        const std::size_t at = checked(v, index);
        nb::object result = v.get(at);
        v.splice(at, at + 1, nullptr, 0, 0);
        return result;
    }

    /// The first at with an element that equals x; -1 if there is none.
    static Py_ssize_t find(const Base& v, nb::handle x) {
        for (std::size_t n = 0; n < v.size(); ++n) {
            if (v.get(n).equal(x)) {
                return static_cast<Py_ssize_t>(n);
            }
        }
        return -1;
    }
    static Py_ssize_t must_find(const Base& v, nb::handle x) {
        const Py_ssize_t at = find(v, x);
        if (at < 0) {
            throw ValueError(repr_of(x) + " is not in this " + v.what());
        }
        return at;
    }
    static Py_ssize_t count(const Base& v, nb::handle x) {
        Py_ssize_t found = 0;
        for (std::size_t n = 0; n < v.size(); ++n) {
            found += v.get(n).equal(x) ? 1 : 0;
        }
        return found;
    }

    // ---- raw slots

    template <class F>
    static auto raw(F body, decltype(body()) failure) noexcept {
        try {
            return body();
        } catch (...) {
            set_python_error();
            return failure;
        }
    }
    static Py_ssize_t length_slot(PyObject* self) noexcept {
        return raw([&] { return size(of(self)); }, -1);
    }
    static PyObject* item_slot(PyObject* self, Py_ssize_t at) noexcept {
        return raw([&] { return of(self).get(checked(of(self), at)).release().ptr(); }, nullptr);
    }
    static PyObject* subscript_slot(PyObject* self, PyObject* index) noexcept {
        return raw([&] { return get_item(self, index).release().ptr(); }, nullptr);
    }
    static int assign_slot(PyObject* self, PyObject* index, PyObject* value) noexcept {
        return raw(
            [&] {
                set_item(self, index, value);
                return 0;
            },
            -1);
    }
    static int contains_slot(PyObject* self, PyObject* value) noexcept {
        return raw([&] { return find(of(self), value) >= 0 ? 1 : 0; }, -1);
    }

    static PyObject* extend_slot(PyObject* self, PyObject* iterable) noexcept {
        return raw(
            [&] {
                extend(of(self), iterable);
                return Py_NewRef(self);
            },
            nullptr);
    }

    static PyType_Slot* slots() {
        static PyType_Slot result[] = {{Py_sq_length, reinterpret_cast<void*>(length_slot)},
                                       {Py_mp_length, reinterpret_cast<void*>(length_slot)},
                                       {Py_sq_item, reinterpret_cast<void*>(item_slot)},
                                       {Py_sq_contains, reinterpret_cast<void*>(contains_slot)},
                                       {Py_sq_inplace_concat, reinterpret_cast<void*>(extend_slot)},
                                       {Py_nb_inplace_add, reinterpret_cast<void*>(extend_slot)},
                                       {Py_mp_subscript, reinterpret_cast<void*>(subscript_slot)},
                                       {Py_mp_ass_subscript, reinterpret_cast<void*>(assign_slot)},
                                       {0, nullptr}};
        return result;
    }

    /// The methods, on the base class; Element is the type variable of the elements.
    static void bind(nb::class_<Base, Exporter>& cls) {
        cls.def(
               "size", [](const Base& v) { return v.size(); }, "Number of elements.")
            .def(
                "append", [](Base& v, nb::handle x) { extend(v, nb::make_tuple(x)); }, nb::arg("x").none(),
                nb::sig("def append(self, x: Element) -> None"), "Add an element at the end.")
            .def("extend", &extend, nb::arg("L"),
                 nb::sig("def extend(self, L: collections.abc.Iterable[Element]) -> None"),
                 "Add elements at the end; none if one cannot be converted.")
            .def("insert", &insert, nb::arg("i"), nb::arg("x").none(),
                 nb::sig("def insert(self, i: int, x: Element) -> None"), "Add an element before index i.")
            .def("pop", &pop, nb::arg("i") = -1, nb::sig("def pop(self, i: int = -1) -> Element"),
                 "Remove the element at index i, first the last one, and return it.")
            .def(
                "remove", [](Base& v, nb::handle x) { pop(v, must_find(v, x)); }, nb::arg("x").none(),
                nb::sig("def remove(self, x: Element) -> None"),
                "Remove the first element that equals x; ValueError if none.")
            .def("index", &must_find, nb::arg("x").none(), nb::sig("def index(self, x: Element) -> int"),
                 "The index of the first element that equals x; ValueError if none.")
            .def("count", &count, nb::arg("x").none(), nb::sig("def count(self, x: Element) -> int"),
                 "How many elements equal x.")
            .def(
                "reverse",
                [](Base& v) {
                    nb::list turned = items(v);
                    turned.attr("reverse")();
                    const auto fresh = v.parse(turned);
                    v.splice(0, v.size(), fresh.get(), 0, fresh->count);
                },
                "Turn the order round.")
            .def(
                "clear", [](Base& v) { v.splice(0, v.size(), nullptr, 0, 0); }, "Remove all elements.")
            .def(
                "__eq__",
                [](nb::handle self, nb::handle other) -> nb::object {
                    if (PyList_Check(other.ptr()) != 0 || PyTuple_Check(other.ptr()) != 0) {
                        return nb::bool_(items(of(self)).equal(nb::list(nb::borrow(other))));
                    }
                    if (!nb::isinstance<Base>(other) || &of(self).dtype() != &of(other).dtype()) {
                        return nb::borrow(Py_NotImplemented);
                    }
                    return nb::bool_(of(self).equals(of(other)));
                },
                nb::arg("other").none(), nb::sig("def __eq__(self, other: object, /) -> bool"),
                "Equal elements, in a vector of the same class, a list or a tuple.")
            .def(
                "__repr__", [](const Base& v) { return nb::str("{}({!r})").format(v.what(), items(v)); },
                nb::sig("def __repr__(self) -> str"))
            .def(
                "__reduce__",
                [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(items(of(self)))); },
                nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickled and copied by value.");
        cls.attr("__hash__") = nb::none();
        nb::module_::import_("collections.abc").attr("MutableSequence").attr("register")(cls);
    }
};

}  // namespace zerofab::python
