// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// One element of memory as a Python number, and back.
#pragma once

#include <Python.h>

#include "zerofab/base/types.hpp"

namespace zerofab::python {

/// A new int, float or complex; null with an exception set.
PyObject* element_to_python(const void* address, const DType& dtype) noexcept;

/// -1 with TypeError or OverflowError set, then nothing was written.
int element_from_python(void* address, const DType& dtype, PyObject* value) noexcept;

}  // namespace zerofab::python
