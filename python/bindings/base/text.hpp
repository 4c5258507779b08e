// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Texts of Python in C++: lone surrogates have no UTF-8, and a null pointer is no string.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace zerofab::python {

/// A str as UTF-8; UnicodeEncodeError if it has none.
inline std::string text_of(nanobind::handle text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) {
        throw nanobind::python_error();
    }
    return {data, static_cast<std::size_t>(size)};
}

/// repr() for a message: in ASCII, and cut after 100 characters.
inline std::string repr_of(nanobind::handle object) {
    const auto text = nanobind::steal(PyObject_ASCII(object.ptr()));
    if (!text.is_valid()) {
        throw nanobind::python_error();
    }
    const std::string whole = text_of(text);
    return whole.size() > 100 ? whole.substr(0, 97) + "..." : whole;
}

}  // namespace zerofab::python
