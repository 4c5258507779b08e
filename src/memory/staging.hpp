// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The way of small tables to a device, on which nobody waits.
#pragma once

#include <cstddef>

#include "zerofab/device/device.hpp"

namespace zerofab::detail {

/// Copy bytes of the host to memory of a device, in the order of the stream's work; the host's are free again on
/// return.
///
/// They go by way of pinned memory of the process, of which a few blocks are kept for each device.  False, and nothing
/// was done, where they are more than such a block, all blocks are on their way, or the stream is being captured.
[[nodiscard]] bool copy_staged(Device device, void* to, const void* from, std::size_t bytes, Stream stream);

/// Give what the device keeps for this, and no work uses, back to it.
void trim_staging(Device device) noexcept;

}  // namespace zerofab::detail
