// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/whole_numbers.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <optional>

#include "exchange/element.hpp"
#include "exchange/to_numpy.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

/// The value as T; `fits` becomes false if that is another number.
template <std::integral T, class S>
T converted(S value, bool& fits) noexcept {
    if constexpr (std::integral<S>) {
        const T result = static_cast<T>(value);
        fits = fits && static_cast<S>(result) == value && (result < T{}) == (value < S{});
        return result;
    } else {
        constexpr S high = S{2} * static_cast<S>(T{1} << (std::numeric_limits<T>::digits - 1));
        constexpr S low = std::signed_integral<T> ? -high : S{0};
        const bool inside = value >= low && value < high;  // false for NaN
        const T result = static_cast<T>(inside ? value : S{0});
        fits = fits && inside && static_cast<S>(result) == value;
        return result;
    }
}

/// The number of the first element that does not fit, or nothing.
template <std::integral T, class S>
std::optional<std::int64_t> convert(const TensorView& from, const TensorView& to) noexcept {
    const auto* in = static_cast<const S*>(from.data);
    auto* out = static_cast<T*>(to.data);
    const std::int64_t size = from.size();
    bool all = true;
    for (std::int64_t n = 0; n < size; ++n) out[n] = converted<T>(in[n], all);
    for (std::int64_t n = 0; !all && n < size; ++n) {
        bool fits = true;
        converted<T>(in[n], fits);
        if (!fits) return n;
    }
    return std::nullopt;
}

template <std::integral T>
std::optional<std::int64_t> convert_from(const TensorView& from, const TensorView& to) noexcept {
    switch (*from.dtype->format) {
        case 'd':
            return convert<T, double>(from, to);
        case 'g':
            return convert<T, long double>(from, to);
        case 'Q':
        case 'L':
            return convert<T, unsigned long long>(from, to);
        default:
            return convert<T, long long>(from, to);
    }
}

std::optional<std::int64_t> convert_any(const TensorView& from, const TensorView& to) {
    switch (*to.dtype->format) {
        case 'h':
            return convert_from<short>(from, to);
        case 'H':
            return convert_from<unsigned short>(from, to);
        case 'i':
            return convert_from<int>(from, to);
        case 'I':
            return convert_from<unsigned int>(from, to);
        case 'l':
        case 'q':
            return convert_from<long long>(from, to);
        default:
            return convert_from<unsigned long long>(from, to);
    }
}

[[noreturn]] void throw_misfit(nb::handle number, const DType& dtype) {
    const std::string text = nb::cast<std::string>(nb::str(number));
    if (PyLong_Check(number.ptr()) == 0) {
        const double value = nb::cast<double>(nb::float_(number));
        if (!std::isfinite(value) || std::trunc(value) != value) {
            throw ValueError(text + " is not a whole number: elements of type " + dtype.name +
                             " take only those; round first, e.g. with np.rint");
        }
    }
    PyErr_Format(PyExc_OverflowError, "%s does not fit an element of type %s", text.c_str(), dtype.name);
    throw nb::python_error();
}

/// The same elements side by side.
TensorView look_at_compact(nb::object& array) {
    try {
        TensorView view = look_at_ndarray(array).view;
        if (is_compact(view, 'K')) return view;
    } catch (const BufferError&) {  // strides that are no multiple of the element
    }
    array = array.attr("copy")("K");
    return look_at_ndarray(array).view;
}

/// From Python's own numbers, which may have any size.
void convert_objects(nb::handle array, const TensorView& to) {
    auto* address = static_cast<char*>(to.data);
    for (const nb::handle number : array.attr("ravel")("K")) {
        nb::object whole = nb::borrow(number);
        if (PyIndex_Check(number.ptr()) == 0 && nb::hasattr(number, "__float__")) {
            const double value = nb::cast<double>(nb::float_(number));
            if (std::trunc(value) != value || !std::isfinite(value)) throw_misfit(number, *to.dtype);
            whole = nb::steal(PyLong_FromDouble(value));
        }
        if (element_from_python(address, *to.dtype, whole.ptr()) < 0) throw nb::python_error();
        address += to.dtype->size;
    }
}

nb::object as_whole_numbers(nb::object array, const DType& dtype, char kind) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    if (kind == 'O') {
        nb::object result = numpy.attr("empty")(array.attr("shape"), dtype.typestr);
        array = numpy.attr("ascontiguousarray")(array);
        convert_objects(array, look_at_ndarray(result).view);
        return result;
    }
    const bool is_long_double = kind == 'f' && nb::cast<int>(array.attr("itemsize")) > 8;
    const DType& wide = kind == 'i'      ? dtype_of<long long>
                        : kind == 'u'    ? dtype_of<unsigned long long>
                        : is_long_double ? dtype_of<long double>
                                         : dtype_of<double>;
    array = as_ndarray(array, &wide, true);
    const TensorView from = look_at_compact(array);
    nb::object result = numpy.attr("empty_like")(array, dtype.typestr);
    const TensorView to = look_at_compact(result);
    if (const auto misfit = convert_any(from, to)) {
        throw_misfit(array.attr("ravel")("K").attr("item")(*misfit), dtype);
    }
    return result;
}

}  // namespace

nb::object as_numbers(nb::handle source, const DType& dtype) {
    const bool is_list = PyList_Check(source.ptr()) != 0 || PyTuple_Check(source.ptr()) != 0;
    nb::object array = is_ndarray(source) ? nb::borrow(source) : as_ndarray(source, nullptr, false);
    char kind = kind_of(array);
    if (kind == 'c' && dtype.code != DTypeCode::complex) {
        throw TypeError("complex numbers cannot be written as real ones: take .real or .imag first");
    }
    if (kind != 'b' && kind != 'i' && kind != 'u' && kind != 'f' && kind != 'c' && kind != 'O') {
        throw TypeError(concat(Py_TYPE(source.ptr())->tp_name, " (dtype kind '", kind, "') does not hold numbers"));
    }
    const bool whole = dtype.code == DTypeCode::integer || dtype.code == DTypeCode::unsigned_integer;
    if (!whole || kind == 'b' || array.attr("dtype").equal(nb::str(dtype.typestr))) {
        return as_ndarray(array, &dtype, true);
    }
    if (is_list && kind == 'f') {  // a list of large and of negative integers is one of floats to NumPy
        array = nb::module_::import_("numpy").attr("asarray")(source, "O");
        kind = 'O';
    }
    return as_whole_numbers(std::move(array), dtype, kind);
}

}  // namespace zerofab::python
