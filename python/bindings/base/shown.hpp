// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Shown: an object in the message of an error.
#pragma once

#include <Python.h>

#include <cstdio>

namespace zerofab::python {

/// What a message says of an object: its repr, cut after 100 bytes, or its type where repr fails. (%R of PyErr_Format
/// loses the whole message then, before Python 3.11.4.)
///
///     PyErr_Format(PyExc_TypeError, "copy must be True or False, not %s", Shown(copy).text());
class Shown {
public:
    explicit Shown(PyObject* object) noexcept {
        PyObject* repr = PyObject_Repr(object);
        const char* text = repr != nullptr ? PyUnicode_AsUTF8(repr) : nullptr;
        if (text == nullptr) PyErr_Clear();
        std::snprintf(text_, sizeof text_, "%.100s", text != nullptr ? text : Py_TYPE(object)->tp_name);
        Py_XDECREF(repr);
    }
    const char* text() const noexcept { return text_; }

private:
    char text_[104];
};

}  // namespace zerofab::python
