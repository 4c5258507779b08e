// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Copies between tensors of any strides where at least one is in memory of a device.
#pragma once

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::detail {

/// Whether `device_copy` does it: both in memory of one device, or one of them in memory of the host.
[[nodiscard]] bool is_device_copy(const TensorView& to, const TensorView& from) noexcept;

/// As copy_elements.  Only the elements are written, never what lies between them, so that two threads may write
/// different elements of one memory.
void device_copy(const TensorView& to, const TensorView& from);

}  // namespace zerofab::detail
