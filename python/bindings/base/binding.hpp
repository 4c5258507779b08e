// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What every file of the bindings needs; small, so that a change of one file compiles one file.
#pragma once

#include <nanobind/nanobind.h>

namespace zerofab::python {

namespace nb = nanobind;

}  // namespace zerofab::python
