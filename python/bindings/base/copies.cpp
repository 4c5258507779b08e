// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "base/copies.hpp"

#include <nanobind/stl/string.h>

#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

std::string name_of(nb::handle self) { return nb::cast<std::string>(self.type().attr("__name__")); }

}  // namespace

void refuse_copies(nb::handle cls, const char* instead) {
    nb::cpp_function_def(
        [instead](nb::handle self) -> nb::object {
            throw TypeError(name_of(self) + " cannot be copied by copy or sent by pickle: " + instead);
        },
        nb::scope(cls), nb::name("__reduce__"), nb::is_method(), nb::sig(reduce_signature),
        "TypeError: neither copied by copy nor sent by pickle.");
}

void refuse_arrays(nb::handle cls, const char* instead) {
    // The stubs leave these out: to a type checker such an object is no array.
    for (const char* name : {"__array__", "__dlpack__", "__dlpack_device__"}) {
        nb::cpp_function_def(
            [instead](nb::handle self, const nb::args&, const nb::kwargs&) -> nb::object {
                throw TypeError(name_of(self) + " is not one array: " + instead);
            },
            nb::scope(cls), nb::name(name), nb::is_method(), "TypeError: as a whole this is not one array.");
    }
}

}  // namespace zerofab::python
