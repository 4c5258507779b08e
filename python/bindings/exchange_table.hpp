// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// DLPack's C exchange table, and the deleters of our tensors.
#pragma once

#include <nanobind/nanobind.h>

namespace zerofab::python {

/// The capsule "dlpack_exchange_api" with the one table that serves every Exporter.
nanobind::object exchange_table();

void delete_legacy(void* managed) noexcept;
void delete_versioned(void* managed) noexcept;

}  // namespace zerofab::python
