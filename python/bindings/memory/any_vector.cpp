// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/any_vector.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/shown.hpp"
#include "base/without_gil.hpp"
#include "exchange/element.hpp"
#include "exchange/importer.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

/// The at of a Python index; -1 with an exception set.
Py_ssize_t index_of(const AnyVector& vector, PyObject* index) noexcept {
    if (PyIndex_Check(index) == 0) {
        PyErr_Format(PyExc_TypeError, "a %s is indexed by an integer, not %s", vector.what(), Shown(index).text());
        return -1;
    }
    const Py_ssize_t asked = PyNumber_AsSsize_t(index, PyExc_IndexError);
    if (asked == -1 && PyErr_Occurred() != nullptr) {
        return -1;
    }
    const auto size = static_cast<Py_ssize_t>(vector.size());
    const Py_ssize_t at = asked < 0 ? asked + size : asked;
    if (at < 0 || at >= size) {
        PyErr_Format(PyExc_IndexError, "index %zd is outside of this %s with %zd elements", asked, vector.what(), size);
        return -1;
    }
    return at;
}

/// Whether the bytes of two views touch.
bool overlap(const TensorView& a, const TensorView& b) noexcept {
    const Extent x = byte_extent(a);
    const Extent y = byte_extent(b);
    const auto* p = static_cast<const char*>(a.data);
    const auto* q = static_cast<const char*>(b.data);
    return std::less<>()(p + x.low, q + y.high) && std::less<>()(q + y.low, p + x.high);
}

}  // namespace

ElementValue::ElementValue(const DType& dtype, nb::handle number) {
    if (element_from_python(bytes_, dtype, number.ptr()) < 0) {
        throw nb::python_error();
    }
}

std::size_t checked_count(nb::handle number, const char* name) {
    const Py_ssize_t count = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
    if (count == -1 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    if (count < 0) {
        throw ValueError(concat(name, " must not be negative, it is ", count));
    }
    return static_cast<std::size_t>(count);
}

TensorView import_vector(nb::handle source, const DType& dtype) {
    if (source.is_none()) {
        throw TypeError("None is no array: pass an array or a sequence of numbers");
    }
    TensorView view = import_or_copy(source, dtype, true);
    if (view.axes != 1) {
        throw ValueError(concat("a vector needs an array with 1 axis, not ", view.axes, ": pass e.g. x.ravel()"));
    }
    return view;
}

void copy_into(AnyVector& vector, const TensorView& from, Py_ssize_t offset) {
    const auto size = static_cast<Py_ssize_t>(vector.size());
    const auto count = static_cast<Py_ssize_t>(from.size());
    if (offset < 0 || offset > size || count > size - offset) {
        throw IndexError(concat(count, " elements at offset ", offset, " do not fit into this ", vector.what(),
                                " of size ", size, ": resize it first"));
    }
    if (count == 0) {
        return;
    }
    TensorView target;
    vector.describe(target);
    target.shape[0] = count;
    target.data = vector.element(static_cast<std::size_t>(offset));
    // The target owns a share of the memory: another thread that resizes the vector meanwhile leaves it as it is.
    const WithoutGilFor released(static_cast<std::size_t>(count) * target.dtype->size);
    if (overlap(target, from)) {
        copy_elements(target, copied(from));
    } else {
        copy_elements(target, from);
    }
}

bool elements_ready(const AnyVector& vector) noexcept {
    try {
        for (MemorySpace space = vector.space();; space = vector.space()) {
            ready_for_host(space, vector.what());
            if (vector.space() == space) {  // else another thread has moved it meanwhile
                return true;
            }
        }
    } catch (...) {
        set_python_error();
        return false;
    }
}

AnyVector* vector_of(PyObject* self) noexcept { return static_cast<AnyVector*>(exporter_of(self)); }

Py_ssize_t vector_length(PyObject* self) noexcept {
    const AnyVector* vector = vector_of(self);
    return vector != nullptr ? static_cast<Py_ssize_t>(vector->size()) : -1;
}

PyObject* vector_item(PyObject* self, Py_ssize_t at) noexcept {
    const AnyVector* vector = vector_of(self);
    if (vector == nullptr || !elements_ready(*vector)) {
        return nullptr;
    }
    if (static_cast<std::size_t>(at) >= vector->size()) {
        PyErr_Format(PyExc_IndexError, "index %zd is outside of this %s", at, vector->what());
        return nullptr;
    }
    return element_to_python(vector->element(static_cast<std::size_t>(at)), vector->dtype());
}

PyObject* vector_subscript(PyObject* self, PyObject* index) noexcept {
    const AnyVector* vector = vector_of(self);
    const Py_ssize_t at = vector != nullptr && elements_ready(*vector) ? index_of(*vector, index) : -1;
    return at >= 0 ? element_to_python(vector->element(static_cast<std::size_t>(at)), vector->dtype()) : nullptr;
}

int vector_assign(PyObject* self, PyObject* index, PyObject* value) noexcept {
    AnyVector* vector = vector_of(self);
    if (vector == nullptr) {
        return -1;
    }
    if (value == nullptr) {
        PyErr_Format(PyExc_TypeError, "elements of a %s cannot be deleted: use resize()", vector->what());
        return -1;
    }
    // Conversions run code of the caller, and waiting for a device lets other threads run, who may resize this vector:
    // the index is looked up last.
    alignas(16) unsigned char element[16];
    if (element_from_python(element, vector->dtype(), value) < 0) {
        return -1;
    }
    const Py_ssize_t at = elements_ready(*vector) ? index_of(*vector, index) : -1;
    if (at < 0) {
        return -1;
    }
    std::copy_n(element, vector->dtype().size,
                static_cast<unsigned char*>(vector->element(static_cast<std::size_t>(at))));
    return 0;
}

std::string vector_repr(const AnyVector& vector) {
    constexpr std::size_t most = 10;
    std::string text = std::string(vector.what()) + "([";
    if (!vector.space().host_reaches()) {
        return concat(text, vector.size(), " elements on a device])");
    }
    if (!elements_ready(vector)) {
        throw nb::python_error();
    }
    const std::size_t size = vector.size();
    for (std::size_t n = 0; n < size; ++n) {
        if (size > most && n == most / 2) {
            text += concat(", ... ", size - most, " more");
            n = size - most / 2;
        }
        const nb::object number = nb::steal(element_to_python(vector.element(n), vector.dtype()));
        text += (n > 0 ? ", " : "") + std::string(nb::repr(number).c_str());
    }
    return text + "])";
}

}  // namespace zerofab::python
