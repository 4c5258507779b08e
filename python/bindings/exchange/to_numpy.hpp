// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the bindings ask of NumPy beside views (those: exporter.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

/// What an ndarray shows; the caller must see to it that it lives.
struct NdarrayView {
    TensorView view;
};

[[nodiscard]] bool is_ndarray(nanobind::handle object);

/// BufferError for element types (records, bool, datetimes, other byte order) or strides that we cannot describe.
[[nodiscard]] NdarrayView look_at_ndarray(nanobind::handle array);

/// An aligned ndarray of native byte order from anything that NumPy understands, converted to `dtype` if given.
/// With `cast`, also where the conversion loses something.
[[nodiscard]] nanobind::object as_ndarray(nanobind::handle source, const DType* dtype, bool cast);

/// A new ndarray in NumPy's own memory, in Fortran order and not initialized; `data` gets the address of its elements.
[[nodiscard]] nanobind::object new_ndarray(const DType& dtype, int axes, const std::int64_t* shape, void** data);

/// A NumPy scalar (np.float64, ...) with the value at `data`; null with an error set. For raw slots.
[[nodiscard]] PyObject* new_scalar(const DType& dtype, void* data) noexcept;

/// The kind of an ndarray's elements in NumPy's letters: 'b', 'i', 'u', 'f', 'c', 'U', 'O', ...
[[nodiscard]] char kind_of(nanobind::handle array);

}  // namespace zerofab::python
