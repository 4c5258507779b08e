// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Taking in memory of other libraries.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// A view of the memory of any producer, without a copy: one of our own objects, DLPack (versioned or legacy), or
/// NumPy's protocols (array interface, buffer).  It keeps the producer's memory alive.
/// TypeError if the object is no producer, BufferError if its memory cannot be described.
TensorView import_view(nb::handle source);

/// As import_view where that works and the elements are of this type; otherwise a converted, isolated copy through
/// NumPy (a list, another element type, foreign byte order, device memory).  With `cast`, also to a type that
/// cannot hold all numbers of the other one, as as_numbers does.  TypeError if it cannot be converted.
TensorView import_or_copy(nb::handle source, const DType& dtype, bool cast);

/// Release a Python object that owned memory; from any thread, with or without Python's lock or the interpreter.
void release_object(void* object) noexcept;

/// Whether both describe the same elements (long and long long do).
bool same_elements(const DType& a, const DType& b) noexcept;

/// Whether the object has the buffer protocol or NumPy's array interface.
bool has_numpy_protocol(nb::handle source);

/// A view of an ndarray's memory that keeps it alive.
TensorView view_of_ndarray(nb::handle array);

}  // namespace zerofab::python
