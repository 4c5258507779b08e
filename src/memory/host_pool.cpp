// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/host_pool.hpp"

#include <pthread.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <new>

#include "device/host/poison.hpp"
#include "memory/pool_sizes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab {
namespace {

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

std::size_t size_of(std::size_t number) noexcept { return (8 + number % 8) << (number / 8 - 3); }

void* fresh(std::size_t size) { return backend(BackendKind::host).allocate(MemoryKind::host, size, 0); }

void release(void* data, std::size_t size) noexcept {
    detail::unpoison(data, size);
    backend(BackendKind::host).deallocate(MemoryKind::host, data, size, 0);
}

}  // namespace

HostPool& HostPool::get() {
    static auto& one = *new HostPool;
    // A fork while another thread is in here leaves the child a pool that is whole and free.
    static const int forks =
        pthread_atfork([] { one.mutex_.lock(); }, [] { one.mutex_.unlock(); }, [] { one.mutex_.unlock(); });
    static_cast<void>(forks);
    return one;
}

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
    if (bytes < least) return release(data, bytes);
    const std::size_t size = pool_size(bytes), most = threshold();
    if (size > most || !keep(data, size)) return release(data, size);
    if (kept_bytes() > most) give_up_beyond(most);
}

void* HostPool::find(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    Shelf& shelf = shelves_[number_of(size)];
    if (shelf.is_empty()) return nullptr;
    void* const data = shelf.blocks.back().data;
    shelf.blocks.pop_back();
    set_kept(kept_bytes() - size);
    return data;
}

/// False if there is no memory for the record.
bool HostPool::keep(void* data, std::size_t size) noexcept {
    detail::poison(data, size);
    const std::lock_guard lock(mutex_);
    try {
        shelves_[number_of(size)].blocks.push_back({data, age_});
    } catch (const std::bad_alloc&) {
        return false;
    }
    ++age_;
    set_kept(kept_bytes() + size);
    return true;
}

/// The oldest blocks, until there are no more bytes than that; returns how many bytes went.
std::size_t HostPool::give_up_beyond(std::size_t bytes) noexcept {
    std::size_t gone = 0;
    while (const std::size_t size = give_up_oldest(bytes)) gone += size;
    return gone;
}

/// The oldest block, if there are more bytes than that; returns its size. To unmap it takes a while: without the lock.
std::size_t HostPool::give_up_oldest(std::size_t beyond) noexcept {
    std::size_t number = sizes;
    void* data = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (kept_bytes() <= beyond) return 0;
        for (std::size_t n = 0; n < sizes; ++n) {
            if (shelves_[n].is_empty()) continue;
            if (number == sizes || shelves_[n].oldest() < shelves_[number].oldest()) number = n;
        }
        Shelf& shelf = shelves_[number];
        data = shelf.blocks[shelf.first++].data;
        if (2 * shelf.first >= shelf.blocks.size()) {
            shelf.blocks.erase(shelf.blocks.begin(), shelf.blocks.begin() + static_cast<std::ptrdiff_t>(shelf.first));
            shelf.first = 0;
        }
        set_kept(kept_bytes() - size_of(number));
    }
    release(data, size_of(number));
    return size_of(number);
}

std::size_t HostPool::trim() noexcept { return give_up_beyond(0); }

std::size_t HostPool::threshold() noexcept {
    std::size_t bytes = threshold_.load(std::memory_order_relaxed);
    if (bytes != not_known) return bytes;
    const std::size_t usual = default_threshold();
    return threshold_.compare_exchange_strong(bytes, usual) ? usual : bytes;
}

void HostPool::set_threshold(std::optional<std::size_t> bytes) noexcept {
    threshold_ = bytes.value_or(not_known);
    if (kept_bytes() > 0) give_up_beyond(threshold());
}

}  // namespace zerofab
