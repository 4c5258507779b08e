// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// DLPack's C exchange table, and the deleters of our tensors.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

/// The capsule "dlpack_exchange_api" with the one table that serves every Exporter.
nanobind::object exchange_table();

/// Makes a container's array of a tensor, or an invalid object where none fits it.
using ArrayMaker = nanobind::object (*)(TensorView& view);
/// What tensors become that come back through the table; ndarrays without it.
void set_array_maker(ArrayMaker maker) noexcept;

void delete_legacy(void* managed) noexcept;
void delete_versioned(void* managed) noexcept;

}  // namespace zerofab::python
