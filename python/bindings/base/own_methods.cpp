// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "base/own_methods.hpp"

namespace zerofab::python {

void own_methods(nb::handle cls, std::initializer_list<const char*> methods) {
    for (const char* name : methods) {
        const nb::object inherited = cls.attr(name);
        auto* definition = reinterpret_cast<PyMethodDescrObject*>(inherited.ptr())->d_method;
        cls.attr(name) = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.ptr()), definition));
    }
}

}  // namespace zerofab::python
