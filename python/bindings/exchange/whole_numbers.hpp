// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Conversion of arrays to the numbers of a container, without a silent loss.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// An ndarray with elements of type `dtype` from anything that NumPy understands.
///
/// For integers each number must be whole and fit: OverflowError for one that does not fit, ValueError for one that is
/// not whole (NaN and infinities too).  Reals are rounded.  TypeError for what holds no real numbers.
[[nodiscard]] nb::object as_numbers(nb::handle source, const DType& dtype);

}  // namespace zerofab::python
