// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Where memory comes from: arenas of one device and one kind of memory each.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "zerofab/base/export.hpp"
#include "zerofab/memory/allocation.hpp"

namespace zerofab {

class MemoryPool;

/// What an arena has given out: bytes in use, the largest that has ever been, and how many blocks; and the bytes of
/// free memory that are kept for later, by all arenas of the host together or by this one of a device.
struct ArenaStatistics {
    std::size_t bytes = 0;
    std::size_t peak_bytes = 0;
    std::size_t blocks = 0;
    std::size_t kept_bytes = 0;
};

/// A source of memory at multiples of 64 bytes.
///
/// Arenas live as long as the process.  In a run on the host all of them give the host's memory, and report the kind
/// that they stand for.
///
/// What is freed is kept, and given out again as it is, not cleared.  The host keeps blocks of 4096 bytes and more, for
/// all of its arenas together, up to the release threshold (set_release_threshold); smaller ones are malloc's.  An
/// arena of a device keeps all of its own, and gives it out in the order of the device's work: a block that work on
/// another stream may still use is waited for by the stream, not by the host.  Where memory runs out, what is kept is
/// given back before MemoryError is thrown.
///
///     AllocationPtr memory = The_Pinned_Arena().allocate(1024);
///     memory->kind();   // MemoryKind::pinned
class ZEROFAB_API Arena {
public:
    Arena(const char* name, Device device, MemoryKind kind);
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// A block with this arena's kind, with one share held by the result; MemoryError if there is no memory.
    [[nodiscard]] AllocationPtr allocate(std::size_t bytes);

    [[nodiscard]] const char* name() const noexcept { return name_; }
    [[nodiscard]] Device device() const noexcept { return device_; }
    [[nodiscard]] MemoryKind kind() const noexcept { return kind_; }
    [[nodiscard]] MemorySpace space() const noexcept { return {device_, kind_}; }

    [[nodiscard]] bool is_host_accessible() const noexcept { return space().host_reaches(); }
    [[nodiscard]] bool is_device_accessible() const noexcept {
        return device_.backend == BackendKind::host || kind_ != MemoryKind::host;
    }

    [[nodiscard]] ArenaStatistics statistics() const noexcept;
    /// One line for people: name, bytes in use, peak, blocks.
    [[nodiscard]] std::string usage() const;

    /// Give the free memory that is kept back to the operating system (blocks below 128 KiB to malloc), or to the
    /// device after waiting for its work; returns how many bytes that were.
    std::size_t trim() noexcept;

private:
    struct Block;
    struct DeviceBlock;

    AllocationPtr count(Allocation* fresh) noexcept;
    void uncount(std::size_t bytes) noexcept;

    const char* name_;
    Device device_;
    MemoryKind kind_;
    MemoryPool* pool_;  ///< of a device's memory; never deleted. The host has a HostPool
    std::atomic<std::size_t> bytes_{0};
    std::atomic<std::size_t> peak_{0};
    std::atomic<std::size_t> blocks_{0};
};

/// The arena of containers that name none: memory of the run's device, or managed memory (see use_managed_memory).
ZEROFAB_API Arena& The_Arena();
/// Plain memory of the host in every kind of run.
ZEROFAB_API Arena& The_Cpu_Arena();
ZEROFAB_API Arena& The_Pinned_Arena();
ZEROFAB_API Arena& The_Managed_Arena();
ZEROFAB_API Arena& The_Device_Arena();
ZEROFAB_API Arena& The_Async_Arena();

/// The arena of memory in this memory space, in use or not.
[[nodiscard]] ZEROFAB_API Arena& arena_at(MemorySpace space);

/// The host keeps at most so many bytes of freed memory from now on; what is beyond goes back at once.  0: nothing is
/// kept; without a number, as at first: a quarter of the memory that this process may use.
ZEROFAB_API void set_release_threshold(std::optional<std::size_t> bytes) noexcept;

/// Whether The_Arena() of a device is managed memory from now on; at first it is not.  Memory that was given out is not
/// touched.
ZEROFAB_API void use_managed_memory(bool managed) noexcept;

}  // namespace zerofab
