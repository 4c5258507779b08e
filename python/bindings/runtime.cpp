// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// initialize, finalize and what is asked about the run.
#include "zerofab/device/runtime.hpp"

#include <nanobind/stl/string.h>

#include "register.hpp"

namespace zerofab::python {

void register_runtime(nb::module_& m) {
    m.def("initialized", &Runtime::initialized, "Whether the library is running: after initialize, before finalize.");
}

}  // namespace zerofab::python
