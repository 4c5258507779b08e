// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What copy and pickle do with an object.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace zerofab::python {

namespace nb = nanobind;

inline constexpr const char* reduce_signature = "def __reduce__(self) -> tuple[typing.Any, ...]";

/// Copy and pickle by calling the (sub)class again with the tuple that `parts` gives; one docstring for all classes.
template <class Class, class Parts>
void def_reduce(Class& c, Parts parts) {
    using T = typename Class::Type;
    c.def(
        "__reduce__", [parts](const T& self) { return nb::make_tuple(nb::find(self).type(), parts(self)); },
        nb::sig(reduce_signature), "For copy and pickle.");
}

/// Copy and pickle by a function of amrex._copies and the tuple of its arguments, which `arguments` gives for an
/// object.
template <class Class, class Arguments>
void def_reduce_by(Class& c, const char* function, Arguments arguments) {
    c.def(
        "__reduce__",
        [function, arguments](nb::object self) {
            return nb::make_tuple(nb::module_::import_("amrex._copies").attr(function), arguments(self));
        },
        nb::sig(reduce_signature), "For copy and pickle.");
}

/// Neither copy nor pickle: TypeError with the name of the class and `instead`, what to do.
void refuse_copies(nb::handle cls, const char* instead);

/// No array as a whole: np.asarray and from_dlpack of any library raise TypeError that says `instead`.
void refuse_arrays(nb::handle cls, const char* instead);

}  // namespace zerofab::python
