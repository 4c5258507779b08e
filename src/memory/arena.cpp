// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/memory/arena.hpp"

#include <limits>
#include <map>
#include <mutex>
#include <new>

#include "memory/address_index.hpp"
#include "memory/host_pool.hpp"
#include "memory/pool.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena_source.hpp"

namespace zerofab {

// On the host the record of a block stands in the 64 bytes before its data: one call to the pool per block.
// So the data of all big blocks begins 64 bytes into a page, on purpose: a loop that reads some blocks and writes
// another never loads, modulo 4096 bytes, from behind what it has just stored. Offsets that differ from block to block
// were measured at up to twice the time (lin_comb), and gained nothing anywhere.
struct alignas(64) Arena::Block final : Allocation {
    Block(Arena& from, void* data, std::size_t size) noexcept
        : Allocation(data, size, from.device_, from.kind_, &free), arena(&from) {}

    static void free(Allocation* self) noexcept {
        auto* block = static_cast<Block*>(self);
        Arena& arena = *block->arena;
        const std::size_t bytes = block->bytes();
        arena.uncount(bytes);
        block->~Block();
        HostPool::get().put(block, sizeof(Block) + bytes);
    }

    Arena* arena;
};

// A device's memory is not the host's to write: the record stands apart.
struct Arena::DeviceBlock final : Allocation {
    DeviceBlock(Arena& from, PoolBlock&& memory, std::size_t size) noexcept
        : Allocation(memory.data, size, from.device_, from.kind_, &free, &note),
          arena(&from),
          block(std::move(memory)) {}

    static void free(Allocation* self) noexcept {
        auto* record = static_cast<DeviceBlock*>(self);
        detail::own_addresses().remove(*record);
        record->arena->uncount(record->bytes());
        record->arena->pool_->put(std::move(record->block));
        delete record;
    }
    static void note(Allocation* self, const Stream* stream) noexcept {
        auto* record = static_cast<DeviceBlock*>(self);
        record->arena->pool_->note(record->block, stream);
    }

    Arena* arena;
    PoolBlock block;
};

Arena::Arena(const char* name, Device device, MemoryKind kind)
    : name_(name),
      device_(device),
      kind_(kind),
      pool_(device.backend == BackendKind::host ? nullptr : new MemoryPool(device, kind)) {}

namespace {

// Beside the arenas, for hardly any has one: an allocation asks only whether there are any at all.
constinit std::atomic<bool> has_sources{false};
std::mutex sources_mutex;

std::map<const Arena*, std::shared_ptr<ArenaSource>>& sources() {
    static auto& all = *new std::map<const Arena*, std::shared_ptr<ArenaSource>>;
    return all;
}

std::shared_ptr<ArenaSource> source_of(const Arena& arena) {
    const std::lock_guard lock(sources_mutex);
    const auto found = sources().find(&arena);
    return found != sources().end() ? found->second : nullptr;
}

}  // namespace

void set_source(Arena& arena, std::shared_ptr<ArenaSource> source) {
    std::shared_ptr<ArenaSource> old;  // released without the lock
    const std::lock_guard lock(sources_mutex);
    old = std::exchange(sources()[&arena], std::move(source));
    if (sources()[&arena] == nullptr) sources().erase(&arena);
    has_sources = !sources().empty();
}

AllocationPtr Arena::allocate(std::size_t bytes) {
    static_assert(sizeof(Block) == 64);
    if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - 2 * sizeof(Block)) {
        throw MemoryError(concat(bytes, " bytes are more than any memory holds"));
    }
    if (has_sources.load(std::memory_order_relaxed)) {
        if (const auto source = source_of(*this)) return source->allocate(bytes, space());
    }
    if (pool_ != nullptr) {
        PoolBlock memory = pool_->take(bytes);
        auto* block = new (std::nothrow) DeviceBlock(*this, std::move(memory), bytes);
        if (block == nullptr) {
            pool_->put(std::move(memory));  // it was not moved: memory comes first
            throw MemoryError("there is not enough memory on the host");
        }
        AllocationPtr given = count(block);
        detail::own_addresses().add(*block);
        return given;
    }
    void* raw = HostPool::get().take(sizeof(Block) + bytes);
    return count(new (raw) Block(*this, static_cast<char*>(raw) + sizeof(Block), bytes));
}

AllocationPtr Arena::count(Allocation* fresh) noexcept {
    const std::size_t bytes = fresh->bytes();
    const std::size_t now = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    blocks_.fetch_add(1, std::memory_order_relaxed);
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return AllocationPtr::take(fresh);
}

void Arena::uncount(std::size_t bytes) noexcept {
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    blocks_.fetch_sub(1, std::memory_order_relaxed);
}

std::size_t Arena::trim() noexcept { return pool_ != nullptr ? pool_->trim() : HostPool::get().trim(); }

ArenaStatistics Arena::statistics() const noexcept {
    return {bytes_.load(std::memory_order_relaxed), peak_.load(std::memory_order_relaxed),
            blocks_.load(std::memory_order_relaxed),
            pool_ != nullptr ? pool_->kept_bytes() : HostPool::get().kept_bytes()};
}

std::string Arena::usage() const {
    const ArenaStatistics now = statistics();
    const std::string text = concat(name_, ": ", now.bytes, " bytes in ", now.blocks, " blocks, at most ",
                                    now.peak_bytes, " bytes so far, ", now.kept_bytes, " bytes kept for later");
    return pool_ != nullptr ? text : text + " by all arenas of the host";
}

namespace {

/// The arenas of one device.  Never destroyed: blocks are freed after static destructors have run.
struct Arenas {
    explicit Arenas(Device of)
        : device(of),
          managed("The_Managed_Arena", of, MemoryKind::managed),
          pinned("The_Pinned_Arena", of, MemoryKind::pinned),
          own("The_Device_Arena", of, MemoryKind::device),
          async("The_Async_Arena", of, MemoryKind::device) {}

    Device device;
    Arena managed, pinned, own, async;
};

Arenas& host_arenas() {
    static auto& arenas = *new Arenas(Device{});
    return arenas;
}

/// The arenas of any device, made at the first call.
Arenas& arenas_of(Device device) {
    if (device.backend == BackendKind::host) return host_arenas();
    constinit static std::atomic<Arenas*> last{nullptr};
    if (Arenas* found = last.load(std::memory_order_acquire); found != nullptr && found->device == device) {
        return *found;
    }
    static auto& made = *new std::map<std::pair<BackendKind, int>, Arenas*>;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    Arenas*& found = made[{device.backend, device.id}];
    if (found == nullptr) found = new Arenas(device);
    last.store(found, std::memory_order_release);
    return *found;
}

Arenas& arenas() { return arenas_of(Runtime::run_device()); }

constinit std::atomic<bool> managed_memory{false};

}  // namespace

void set_release_threshold(std::optional<std::size_t> bytes) noexcept { HostPool::get().set_threshold(bytes); }

void use_managed_memory(bool managed) noexcept { managed_memory = managed; }

Arena& arena_at(MemorySpace space) {
    if (space.kind == MemoryKind::host) return The_Cpu_Arena();
    Arenas& all = arenas_of(space.device);
    switch (space.kind) {
        case MemoryKind::pinned:
            return all.pinned;
        case MemoryKind::managed:
            return all.managed;
        default:
            return all.own;
    }
}

// clang-format off
Arena& The_Cpu_Arena() { static auto& arena = *new Arena("The_Cpu_Arena", {}, MemoryKind::host); return arena; }
Arena& The_Device_Arena() { return arenas().own; }
Arena& The_Managed_Arena() { return arenas().managed; }
Arena& The_Pinned_Arena() { return arenas().pinned; }
Arena& The_Async_Arena() { return arenas().async; }
// clang-format on

Arena& The_Arena() {
    static auto& host = *new Arena("The_Arena", {}, MemoryKind::host);
    if (Runtime::run_device().backend == BackendKind::host) return host;
    return managed_memory ? arenas().managed : arenas().own;
}

}  // namespace zerofab
