// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vector_Real, Vector_int, Vector_Long, whose memory arrays can show, and vectors of layouts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/typing.h>

#include <algorithm>
#include <cstring>

#include "exchange/element.hpp"
#include "exchange/importer.hpp"
#include "exchange/to_numpy.hpp"
#include "memory/number_sequence.hpp"
#include "memory/object_vector.hpp"
#include "register.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/mesh/box_array.hpp"
#include "zerofab/mesh/distribution_mapping.hpp"

namespace zerofab::python {
namespace {

/// An array of any library as an ndarray, whose elements are numbers; anything else is itself.
nb::object with_numbers(nb::handle source) {
    const bool foreign = exporter_if(source.ptr()) == nullptr && !is_ndarray(source) &&
                         (nb::hasattr(source, "__dlpack__") || nb::hasattr(source, "__array_interface__"));
    if (!foreign) return nb::borrow(source);
    try {
        TensorView view = import_view(source);
        return to_ndarray(view, false, false);
    } catch (const ElementTypeError&) {  // that has no name here: number by number
        if (!nb::hasattr(source, "__iter__") && !nb::hasattr(source, "__getitem__")) {
            throw;
        }
        return nb::borrow(source);
    }
}

/// Whether `source` shows one axis of elements of this type, side by side: then in `view`.
bool import_same(nb::handle source, const DType& dtype, TensorView& view) {
    if (exporter_if(source.ptr()) == nullptr && !is_ndarray(source)) {
        return false;
    }
    try {
        view = import_view(source);
    } catch (const ElementTypeError&) {  // that has no name here: number by number
        return false;
    }
    if (view.axes != 1) {
        throw TypeError(concat("a vector needs an array with 1 axis, not ", view.axes, ": pass e.g. x.ravel()"));
    }
    return same_elements(*view.dtype, dtype) && (view.strides[0] == 1 || view.shape[0] <= 1);
}

}  // namespace

nb::object NumberVector::get(std::size_t index) const {
    PyObject* number = element_to_python(element(index), dtype());
    if (number == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(number);
}

namespace {

/// One more number at the end; Python's TypeError or OverflowError.
void append(NewNumbers& fresh, const DType& dtype, nb::handle number) {
    const std::size_t at = fresh.bytes.size();
    fresh.bytes.resize(at + dtype.size);
    if (element_from_python(fresh.bytes.data() + at, dtype, number.ptr()) < 0) {
        throw nb::python_error();
    }
    ++fresh.count;
}

}  // namespace

std::unique_ptr<NewNumbers> NumberVector::parse(nb::handle source) const {
    auto fresh = std::make_unique<NewNumbers>();
    if (PyList_CheckExact(source.ptr()) != 0 || PyTuple_CheckExact(source.ptr()) != 0) {
        // As a tuple, for conversions of elements are code of others, which may change a list.
        const nb::object items = nb::steal(PySequence_Tuple(source.ptr()));
        if (!items.is_valid()) {
            throw nb::python_error();
        }
        const Py_ssize_t count = PyTuple_GET_SIZE(items.ptr());
        fresh->bytes.reserve(static_cast<std::size_t>(count) * dtype().size);
        for (Py_ssize_t n = 0; n < count; ++n) {
            append(*fresh, dtype(), PyTuple_GET_ITEM(items.ptr(), n));
        }
        return fresh;
    }
    const nb::object iterable = with_numbers(source);
    if (import_same(iterable, dtype(), fresh->view)) {
        fresh->count = static_cast<std::size_t>(fresh->view.shape[0]);
        fresh->in_view = true;
        return fresh;
    }
    fresh->view.owner.reset();
    for (const nb::handle number : nb::borrow<nb::iterable>(iterable)) {
        append(*fresh, dtype(), number);
    }
    return fresh;
}

void NumberVector::splice(std::size_t first, std::size_t last, const NewNumbers* items, std::size_t from,
                          std::size_t count) {
    if (items == nullptr || count == 0) {
        splice(first, last, static_cast<const void*>(nullptr), 0);
        return;
    }
    const auto* data = static_cast<const unsigned char*>(items->data());
    splice(first, last, data + from * dtype().size, count);
}

bool NumberVector::equals(const NumberVector& other) const {
    if (size() != other.size()) {
        return false;
    }
    if (dtype().code == DTypeCode::real) {
        const auto* a = static_cast<const double*>(data());
        return std::equal(a, a + size(), static_cast<const double*>(other.data()));
    }
    return size() == 0 || std::memcmp(data(), other.data(), size() * dtype().size) == 0;
}

namespace {

template <class T>
void register_numbers(nb::module_& m, const char* element) {
    using Class = NumberVectorOf<T>;
    const std::string name = Class().what();
    const std::string words(element);
    nb::class_<Class, NumberVector> cls(m, name.c_str(),
                                        nb::sig(("class " + name + "(NumberVector[" + words + "])").c_str()),
                                        "A list of numbers, with data in plain memory of the host.");
    cls.def(nb::init<>(), "An empty vector.");
    cls.def(
        "__init__",
        [](Class* self, nb::handle iterable) {
            Class fresh;
            NumberSequence::extend(fresh, iterable);
            new (self) Class(std::move(fresh));
        },
        nb::arg("iterable"),
        nb::sig(("def __init__(self, iterable: collections.abc.Iterable[" + words + "]) -> None").c_str()),
        "The numbers of an iterable or array; TypeError if one is of another type.");
}

}  // namespace

void register_vector(nb::module_& m) {
    m.attr("Element") = nb::type_var("Element");
    nb::class_<NumberVector, Exporter> numbers(
        m, "NumberVector", nb::is_generic(), nb::sig("class NumberVector(Exporter, typing.Generic[Element])"),
        nb::type_slots(NumberSequence::slots()),
        "Base of the vectors of numbers: a list whose memory arrays can show.\n\n"
        "    v = amr.Vector_Real([1.0, 2.0])\n"
        "    x = v.to_numpy()   # the same memory\n"
        "    v.append(3.0)      # v moves to new memory, x keeps the old");
    NumberSequence::bind(numbers);
    register_numbers<double>(m, "float");
    register_numbers<int>(m, "int");
    register_numbers<Long>(m, "int");
    register_object_vector<DistributionMapping>(
        m, "Vector_DistributionMapping", "DistributionMapping",
        [](const DistributionMapping& dm) { return concat(dm.size(), " owners"); });
}

template <int D>
void register_vectors_space(nb::module_& space) {
    const std::string here = nb::cast<std::string>(space.attr("__name__")) + ".";
    register_object_vector<BoxArray<D>>(space, "Vector_BoxArray", here + "BoxArray",
                                        [](const BoxArray<D>& boxes) { return concat(boxes.size(), " boxes"); });
}

#define ZEROFAB_INSTANTIATE(D) template void register_vectors_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
