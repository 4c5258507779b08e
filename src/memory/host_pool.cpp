// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/host_pool.hpp"

#include <pthread.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <new>
#include <utility>

#include "device/host/poison.hpp"
#include "memory/pool_sizes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab {
namespace {

constexpr std::size_t not_known = SIZE_MAX;

std::size_t default_threshold() noexcept {
    if (detail::has_asan) return 0;
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) / 4 * static_cast<std::size_t>(bytes) : 0;
}

/// The number of a size among those of pool_size(): its power of two, and which eighth of that.
std::size_t number_of(std::size_t size) noexcept {
    const auto power = static_cast<std::size_t>(std::bit_width(size)) - 1;
    return 8 * power + (size >> (power - 3) & 7U);
}

void* fresh(std::size_t size) { return backend(BackendKind::host).allocate(MemoryKind::host, size, 0); }

}  // namespace

void HostPool::Link::insert_after(Link& other) noexcept {
    before = &other;
    after = other.after;
    other.after->before = this;
    other.after = this;
}

void HostPool::Link::remove() noexcept {
    before->after = after;
    after->before = before;
}

HostPool& HostPool::get() {
    static auto& one = *new HostPool;
    // A fork while another thread is in here leaves the child a pool that is whole and free.
    static const int forks =
        pthread_atfork([] { one.mutex_.lock(); }, [] { one.mutex_.unlock(); }, [] { one.mutex_.unlock(); });
    static_cast<void>(forks);
    return one;
}

HostPool::HostPool() noexcept : threshold_(not_known) {}

void* HostPool::take(std::size_t bytes) {
    const std::size_t size = bytes < least ? bytes : pool_size(bytes);
    void* data = size < least ? nullptr : find(size);
    if (data == nullptr) {
        try {
            data = fresh(size);
        } catch (const MemoryError&) {
            if (trim() == 0) throw;
            data = fresh(size);
        }
    }
    detail::unpoison(data, bytes);
    detail::poison(static_cast<char*>(data) + bytes, size - bytes);
    return data;
}

void HostPool::put(void* data, std::size_t bytes) noexcept {
    if (bytes < least) return backend(BackendKind::host).deallocate(MemoryKind::host, data, bytes, 0);
    auto* const block = new (data) Kept(pool_size(bytes));
    const std::size_t most = threshold();
    Link* chain = nullptr;
    if (block->size > most) {
        static_cast<InAge*>(block)->after = nullptr;
        chain = static_cast<InAge*>(block);
    } else {
        const std::lock_guard lock(mutex_);
        chain = remove_beyond(most - block->size);
        keep(*block);
    }
    release(chain);
}

HostPool::Kept* HostPool::find(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    InSize& ring = by_size_[number_of(size)];
    if (ring.after == &ring) return nullptr;
    auto* const block = static_cast<Kept*>(static_cast<InSize*>(ring.after));
    remove(*block);
    return block;
}

void HostPool::keep(Kept& block) noexcept {
    static_cast<InSize&>(block).insert_after(by_size_[number_of(block.size)]);
    static_cast<InAge&>(block).insert_after(by_age_);
    kept_ += block.size;
    detail::poison(&block + 1, block.size - sizeof(Kept));
}

void HostPool::remove(Kept& block) noexcept {
    static_cast<InSize&>(block).remove();
    static_cast<InAge&>(block).remove();
    kept_ -= block.size;
}

HostPool::Link* HostPool::remove_beyond(std::size_t bytes) noexcept {
    Link* chain = nullptr;
    while (kept_ > bytes) {
        Link* const oldest = by_age_.before;
        remove(*static_cast<Kept*>(static_cast<InAge*>(oldest)));
        oldest->after = std::exchange(chain, oldest);
    }
    return chain;
}

/// Without the lock: to unmap memory takes a while.
std::size_t HostPool::release(Link* chain) noexcept {
    std::size_t bytes = 0;
    while (chain != nullptr) {
        auto* const block = static_cast<Kept*>(static_cast<InAge*>(chain));
        const std::size_t size = block->size;
        chain = chain->after;
        detail::unpoison(block, size);
        backend(BackendKind::host).deallocate(MemoryKind::host, block, size, 0);
        bytes += size;
    }
    return bytes;
}

std::size_t HostPool::trim() noexcept {
    Link* chain = nullptr;
    {
        const std::lock_guard lock(mutex_);
        chain = remove_beyond(0);
    }
    return release(chain);
}

std::size_t HostPool::threshold() noexcept {
    std::size_t bytes = threshold_.load(std::memory_order_relaxed);
    if (bytes != not_known) return bytes;
    const std::size_t usual = default_threshold();
    return threshold_.compare_exchange_strong(bytes, usual) ? usual : bytes;
}

void HostPool::set_threshold(std::optional<std::size_t> bytes) noexcept {
    threshold_ = bytes.value_or(not_known);
    Link* chain = nullptr;
    const std::size_t most = threshold();
    {
        const std::lock_guard lock(mutex_);
        chain = remove_beyond(most);
    }
    release(chain);
}

}  // namespace zerofab
