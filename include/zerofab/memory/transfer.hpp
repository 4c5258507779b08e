// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Moving bytes between memories of any kind, and reaching memory of a device from the host.
#pragma once

#include <cstddef>

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

/// Copy bytes; the ranges must not overlap.  Ordered after all work that this thread has given the device.  Finished
/// when it returns if either side is the host's own memory, else ordered on the thread's stream.  Allocations that hold
/// the addresses note their use (see Allocation::used_on); they must live until it returns.
ZEROFAB_API void copy_bytes(void* to, MemorySpace to_space, const void* from, MemorySpace from_space,
                            std::size_t bytes);

/// Set bytes; ordered as copy_bytes.
ZEROFAB_API void fill_bytes(void* to, MemorySpace space, unsigned char byte, std::size_t bytes);

/// `count` elements of `size` bytes (1 to 16) each become `*value`; ordered as copy_bytes.
ZEROFAB_API void fill_elements(void* to, MemorySpace space, const void* value, std::size_t size, std::size_t count);

/// Before plain instructions of the host touch memory that a device reaches too: wait for the device's work.  Costs
/// nothing for the host's own memory; BufferError, naming `what`, for memory that the host cannot reach.
ZEROFAB_API void ready_for_host(MemorySpace space, const char* what);

}  // namespace zerofab
