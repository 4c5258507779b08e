// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Where exports are made: the debug switch amrex.trace_exports=1.
#pragma once

#include <string>

namespace zerofab::python {

/// Whether every export notes its origin in the Python source; off unless initialize() was told so.
[[nodiscard]] bool tracing_exports() noexcept;
void trace_exports(bool on) noexcept;

/// "file:line" of the Python code that runs now; a look-up costs more than an export.
[[nodiscard]] std::string python_location();

}  // namespace zerofab::python
