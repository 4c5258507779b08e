// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arenas and the pools of other libraries.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/memory/arena.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// Arena.allocate and Arena.use_allocator.
void add_pool_methods(nb::class_<Arena>& arena, nb::module_& m);

}  // namespace zerofab::python
