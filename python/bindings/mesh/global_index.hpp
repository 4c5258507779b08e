// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// `mfab[...]` for every Python class that is a FabArray.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/mesh/fab_array.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// mfab[key]; null with an error set.
template <int D>
PyObject* read_global(const FabArrayBase<D>& fab, PyObject* key) noexcept;

/// mfab[key] = value; -1 with an error set, and then nothing was written. A null value (del) is a TypeError.
template <int D>
int write_global(const FabArrayBase<D>& fab, PyObject* key, PyObject* value) noexcept;

/// Set RuntimeError: an object made without __init__.
void set_not_initialized() noexcept;

/// Slots for nb::type_slots of a class `Fab`, which derives from FabArrayBase<D>:
///
///     PyType_Slot slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(global_subscript<Fab>)},
///                            {Py_mp_ass_subscript, reinterpret_cast<void*>(global_ass_subscript<Fab>)}, {0, nullptr}};
template <class Fab>
PyObject* global_subscript(PyObject* self, PyObject* key) noexcept {
    if (!nb::inst_ready(self)) {
        set_not_initialized();
        return nullptr;
    }
    return read_global<Fab::dim>(*nb::inst_ptr<Fab>(self), key);
}
template <class Fab>
int global_ass_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept {
    if (!nb::inst_ready(self)) {
        set_not_initialized();
        return -1;
    }
    return write_global<Fab::dim>(*nb::inst_ptr<Fab>(self), key, value);
}

}  // namespace zerofab::python
