// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Moving bytes between memories of any kind, and reaching memory of a device from the host.
#pragma once

#include <cstddef>

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

/// Where memory is.  Taken from an Allocation or an Arena, never asked of a driver.
struct Place {
    Device device{};
    MemoryKind kind = MemoryKind::host;

    /// Whether the host may read and write it with plain instructions (after waiting for the device's work).
    [[nodiscard]] constexpr bool host_reaches() const noexcept {
        return device.backend == BackendKind::host || kind != MemoryKind::device;
    }
    /// Whether it is the host's own: nothing is ever pending there.
    [[nodiscard]] constexpr bool is_plain() const noexcept {
        return device.backend == BackendKind::host || kind == MemoryKind::host;
    }
    friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// Copy bytes; the ranges must not overlap.  Ordered after all work that this thread has given the device.  Finished
/// when it returns if either side is the host's own memory, else ordered on the thread's stream.
ZEROFAB_API void copy_bytes(void* to, Place to_place, const void* from, Place from_place, std::size_t bytes);

/// Set bytes; ordered as copy_bytes.
ZEROFAB_API void fill_bytes(void* to, Place place, unsigned char byte, std::size_t bytes);

/// Before plain instructions of the host touch memory that a device reaches too: wait for the device's work.  Costs
/// nothing for the host's own memory; BufferError, naming `what`, for memory that the host cannot reach.
ZEROFAB_API void ready_for_host(Place place, const char* what);

}  // namespace zerofab
