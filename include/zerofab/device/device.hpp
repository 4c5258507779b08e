// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What a piece of memory or work belongs to: a device and a kind of memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace zerofab {

/// The backends that exist, each a folder below src/device; `added` is the first of a program's own (add_backend).
enum class BackendKind : std::uint8_t { host, cuda, hip, sycl, added };

/// One device of one backend.
struct Device {
    BackendKind backend = BackendKind::host;
    int id = 0;

    friend constexpr bool operator==(Device, Device) = default;
};

/// Who can reach memory.  In a run on the host every kind is the host's memory; the kind is what an Arena reports.
enum class MemoryKind : std::uint8_t {
    host,     ///< pageable memory of the host
    pinned,   ///< page-locked memory of the host that a device reaches too
    managed,  ///< memory that moves between host and device
    device,   ///< memory of a device
};

[[nodiscard]] constexpr std::string_view name_of(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::pinned:
            return "pinned";
        case MemoryKind::managed:
            return "managed";
        case MemoryKind::device:
            return "device";
        default:
            return "host";
    }
}

/// Where memory is.  Taken from an Allocation or an Arena, never asked of a driver.
struct MemorySpace {
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
    friend constexpr bool operator==(const MemorySpace&, const MemorySpace&) = default;
};

/// A stream of work of a device, as the vendor names it (a pointer or handle); the host has only this one, null.
struct Stream {
    void* handle = nullptr;
};

}  // namespace zerofab
