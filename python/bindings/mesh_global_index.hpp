// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// `mfab[...]` for every Python class that is a FabArray.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "zerofab/mesh/fab_array.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// mfab[key]; null with an error set.
template <int D>
PyObject* read_global(const FabArrayBase<D>& fab, PyObject* key) noexcept;

/// mfab[key] = value; -1 with an error set, and then nothing was written. A null value (del) is a TypeError.
template <int D>
int write_global(const FabArrayBase<D>& fab, PyObject* key, PyObject* value) noexcept;

/// One ndarray per local box that shows its memory, axes (i, j, k, n) or, with order "C", reversed.
template <int D>
nb::list box_views(const FabArrayBase<D>& fab, bool with_ghosts, const std::string& order);

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

/// The methods beside the slots: views of single boxes.
template <class Fab, class Class>
void add_box_views(Class& cls) {
    cls.def(
           "valid_views",
           [](const Fab& fab, const std::string& order) { return box_views<Fab::dim>(fab, false, order); },
           nb::arg("order") = "F", nb::sig("def valid_views(self, order: str = 'F') -> list[numpy.ndarray]"),
           "The valid cells of each local box as an array that shows the memory, without ghost cells: (i, j, k, n).")
        .def(
            "ghost_views",
            [](const Fab& fab, const std::string& order) { return box_views<Fab::dim>(fab, true, order); },
            nb::arg("order") = "F", nb::sig("def ghost_views(self, order: str = 'F') -> list[numpy.ndarray]"),
            "The cells of each local box, ghost cells included, as an array that shows the memory: (i, j, k, n).");
}

}  // namespace zerofab::python
