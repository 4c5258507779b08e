// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/memory/arena.hpp"

#include <limits>
#include <new>

#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab {

// On the host the record of a block stands in the 64 bytes before its data: one call to the C library per block.
// So the data of all big blocks begins 64 bytes into a page, on purpose: a loop that reads some blocks and writes
// another never loads, modulo 4096 bytes, from behind what it has just stored. Offsets that differ from block to block
// were measured at up to twice the time (lin_comb), and gained nothing anywhere.
struct alignas(64) Arena::Block final : Allocation {
    Block(Arena& from, void* data, std::size_t size) noexcept
        : Allocation(data, size, from.device_, from.kind_, &Arena::free_block), arena(&from) {}

    Arena* arena;
};

AllocationPtr Arena::allocate(std::size_t bytes) {
    static_assert(sizeof(Block) == 64);
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - 2 * sizeof(Block)) {
        throw MemoryError(std::to_string(bytes) + " bytes are more than any memory holds");
    }
    void* raw = backend(device_.backend).allocate(kind_, sizeof(Block) + bytes, device_.id);
    auto* block = new (raw) Block(*this, static_cast<char*>(raw) + sizeof(Block), bytes);
    const std::size_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    blocks_.fetch_add(1, std::memory_order_relaxed);
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return AllocationPtr::take(block);
}

void Arena::free_block(Allocation* self) noexcept {
    auto* block = static_cast<Block*>(self);
    Arena& arena = *block->arena;
    const std::size_t bytes = block->bytes();
    arena.bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    arena.blocks_.fetch_sub(1, std::memory_order_relaxed);
    block->~Block();
    backend(arena.device_.backend).deallocate(arena.kind_, block, sizeof(Block) + bytes, arena.device_.id);
}

bool Arena::is_host_accessible() const noexcept {
    return device_.backend == BackendKind::host || kind_ != MemoryKind::device;
}

bool Arena::is_device_accessible() const noexcept {
    return device_.backend == BackendKind::host || kind_ != MemoryKind::host;
}

ArenaStatistics Arena::statistics() const noexcept {
    return {bytes_.load(std::memory_order_relaxed), peak_.load(std::memory_order_relaxed),
            blocks_.load(std::memory_order_relaxed)};
}

std::string Arena::usage() const {
    const ArenaStatistics now = statistics();
    return std::string(name_) + ": " + std::to_string(now.bytes) + " bytes in " + std::to_string(now.blocks) +
           " blocks, at most " + std::to_string(now.peak_bytes) + " bytes so far";
}

// Arenas are never destroyed: blocks are freed after static destructors have run.
// clang-format off
Arena& The_Arena() { static auto& arena = *new Arena("The_Arena", {}, MemoryKind::host); return arena; }
Arena& The_Cpu_Arena() { static auto& arena = *new Arena("The_Cpu_Arena", {}, MemoryKind::host); return arena; }
Arena& The_Pinned_Arena() { static auto& arena = *new Arena("The_Pinned_Arena", {}, MemoryKind::pinned); return arena; }
Arena& The_Managed_Arena() { static auto& arena = *new Arena("The_Managed_Arena", {}, MemoryKind::managed); return arena; }
Arena& The_Device_Arena() { static auto& arena = *new Arena("The_Device_Arena", {}, MemoryKind::device); return arena; }
Arena& The_Async_Arena() { static auto& arena = *new Arena("The_Async_Arena", {}, MemoryKind::device); return arena; }
// clang-format on

}  // namespace zerofab
