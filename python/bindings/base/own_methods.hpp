// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Inherited raw methods that must be fast.
#pragma once

#include <initializer_list>

#include "base/binding.hpp"

namespace zerofab::python {

/// Give `cls` its own entries for raw methods that it inherits.
///
/// From 3.11 on CPython specializes a call `object.method()` only if the class of the object itself, not a base, has
/// the method; measured for `__dlpack__()`: 0.83 of the time.
void own_methods(nb::handle cls, std::initializer_list<const char*> methods);

/// The same for the exports of a subclass of Exporter.
inline void own_exports(nb::handle cls) { own_methods(cls, {"__dlpack__", "to_numpy", "to_xp"}); }

}  // namespace zerofab::python
