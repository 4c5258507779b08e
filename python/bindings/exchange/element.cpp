// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/element.hpp"

#include <complex>
#include <concepts>
#include <limits>

#include "base/shown.hpp"

namespace zerofab::python {
namespace {

template <class T>
PyObject* to_python(const void* address) noexcept {
    const T value = *static_cast<const T*>(address);
    if constexpr (std::floating_point<T>) {
        return PyFloat_FromDouble(static_cast<double>(value));
    } else if constexpr (std::signed_integral<T>) {
        return PyLong_FromLongLong(value);
    } else if constexpr (std::unsigned_integral<T>) {
        return PyLong_FromUnsignedLongLong(value);
    } else {
        return PyComplex_FromDoubles(static_cast<double>(value.real()), static_cast<double>(value.imag()));
    }
}

template <class T>
int from_python(void* address, PyObject* value) noexcept {
    if constexpr (std::floating_point<T>) {
        const double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred() != nullptr) {
            return -1;
        }
        *static_cast<T*>(address) = static_cast<T>(number);
    } else if constexpr (std::integral<T>) {
        PyObject* whole = PyNumber_Index(value);  // no silent truncation of floats
        if (whole == nullptr) {
            return -1;
        }
        using Wide = std::conditional_t<std::signed_integral<T>, long long, unsigned long long>;
        Wide number;
        if constexpr (std::signed_integral<T>) {
            number = PyLong_AsLongLong(whole);
        } else {
            number = PyLong_AsUnsignedLongLong(whole);
        }
        Py_DECREF(whole);
        if (number == static_cast<Wide>(-1) && PyErr_Occurred() != nullptr) {
            return -1;
        }
        if (number > static_cast<Wide>(std::numeric_limits<T>::max()) ||
            number < static_cast<Wide>(std::numeric_limits<T>::lowest())) {
            PyErr_Format(PyExc_OverflowError, "%s does not fit an element of this type", Shown(value).text());
            return -1;
        }
        *static_cast<T*>(address) = static_cast<T>(number);
    } else {
        const Py_complex number = PyComplex_AsCComplex(value);
        if (number.real == -1.0 && PyErr_Occurred() != nullptr) {
            return -1;
        }
        using Part = typename T::value_type;
        *static_cast<T*>(address) = T(static_cast<Part>(number.real), static_cast<Part>(number.imag));
    }
    return 0;
}

/// Call `body` with a null pointer of the element's type.
template <class Body>
auto with_type(const DType& dtype, Body body) noexcept {
    switch (*dtype.format) {
        case 'd':
            return body(static_cast<double*>(nullptr));
        case 'f':
            return body(static_cast<float*>(nullptr));
        case 'g':
            return body(static_cast<long double*>(nullptr));
        case 'i':
            return body(static_cast<int*>(nullptr));
        case 'h':
            return body(static_cast<short*>(nullptr));
        case 'l':
            return body(static_cast<long*>(nullptr));
        case 'q':
            return body(static_cast<long long*>(nullptr));
        case 'H':
            return body(static_cast<unsigned short*>(nullptr));
        case 'I':
            return body(static_cast<unsigned int*>(nullptr));
        case 'L':
            return body(static_cast<unsigned long*>(nullptr));
        case 'Q':
            return body(static_cast<unsigned long long*>(nullptr));
        default:
            return dtype.size == 8 ? body(static_cast<std::complex<float>*>(nullptr))
                                   : body(static_cast<std::complex<double>*>(nullptr));
    }
}

}  // namespace

PyObject* element_to_python(const void* address, const DType& dtype) noexcept {
    return with_type(dtype, [address]<class T>(T*) { return to_python<T>(address); });
}

int element_from_python(void* address, const DType& dtype, PyObject* value) noexcept {
    return with_type(dtype, [address, value]<class T>(T*) { return from_python<T>(address, value); });
}

}  // namespace zerofab::python
