// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// C++ exceptions as Python's, where nanobind does not do it: in raw methods and C callbacks.
#pragma once

namespace zerofab::python {

/// Within a catch (...): raise Python's exception for the C++ exception in flight.
void set_python_error() noexcept;

}  // namespace zerofab::python
