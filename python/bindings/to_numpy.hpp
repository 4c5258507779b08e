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

}  // namespace zerofab::python
