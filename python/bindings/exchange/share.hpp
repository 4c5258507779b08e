// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The Python object that owns a share of an Allocation, for views that Python's own protocols make.
#pragma once

#include <Python.h>

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

/// Ready the type; once, at import.
void register_memory_share();

/// A new object that owns a share of the view's memory and, as a buffer, shows it as bytes from the lowest element on.
/// NumPy's arrays have it as `base`, buffers as `obj`: never the container, so that no cycle can arise.
PyObject* new_memory_share(TensorView& view) noexcept;

/// Fill `buffer` with the view, redirected to a new memory share; -1 with BufferError set if `flags` ask for what it is
/// not.
int fill_buffer(TensorView& view, Py_buffer* buffer, int flags) noexcept;

}  // namespace zerofab::python
