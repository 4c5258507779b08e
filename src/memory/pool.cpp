// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/pool.hpp"

#include <algorithm>
#include <exception>

#include "memory/pool_sizes.hpp"
#include "memory/staging.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {
namespace {

/// All pools there are; they are never deleted.
struct Pools {
    std::mutex mutex;
    std::vector<MemoryPool*> all;
};

Pools& pools() {
    static auto& one = *new Pools;
    return one;
}

}  // namespace

MemoryPool::MemoryPool(Device device, MemoryKind kind) : device_(device), kind_(kind) {
    const std::lock_guard lock(pools().mutex);
    pools().all.push_back(this);
}

PoolBlock MemoryPool::take(std::size_t bytes) {
    const std::size_t size = pool_size(bytes);
    StreamUse next(device_, Runtime::stream(device_));
    PoolBlock block = find(size, next.id());
    if (block.data == nullptr) block = allocate(size, next.id());
    try {
        order(block, std::move(next));
    } catch (...) {
        put_back(block);
        throw;
    }
    return block;
}

/// A free block of this size, or none.
PoolBlock MemoryPool::find(std::size_t size, StreamId next) {
    PoolBlock block = find_free(size, next, true);
    if (block.data != nullptr || !has(size)) return block;
    // Nothing from outside may come into a graph: neither events of other streams, nor a wait of the host.
    if (backend(device_.backend).capturing(device_.id, next.get())) return {};
    block = find_free(size, next, false);
    if (block.data != nullptr || !is_time_to_wait(size)) return block;
    try {
        wait_for_waiting();
    } catch (const DeviceError&) {  // new memory, then, or the driver's word on that
        return {};
    }
    return find_free(size, next, false);
}

/// A block that nobody has to wait for on the host; with `same`, one that this stream used last.
PoolBlock MemoryPool::find_free(std::size_t size, StreamId next, bool same) {
    const std::lock_guard lock(mutex_);
    auto found = free_.find({size, next});
    if (found == free_.end() && !same) found = first_of(free_, size);
    if (found == free_.end()) return {};
    PoolBlock block = std::move(found->second);
    free_.erase(found);
    kept_ -= size;
    return block;
}

MemoryPool::Blocks::iterator MemoryPool::first_of(Blocks& blocks, std::size_t size) {
    const auto found = blocks.lower_bound(size);
    return found != blocks.end() && found->first.first == size ? found : blocks.end();
}

bool MemoryPool::has(std::size_t size) {
    const std::lock_guard lock(mutex_);
    return first_of(free_, size) != free_.end() || first_of(waiting_, size) != waiting_.end();
}

bool MemoryPool::is_time_to_wait(std::size_t size) {
    const std::lock_guard lock(mutex_);
    return first_of(waiting_, size) != waiting_.end() &&
           (waiting_.size() >= waiting_blocks || bytes_of_waiting_ >= waiting_bytes);
}

/// New memory from the device; where there is none left, first what is here and must be waited for, then what all pools
/// of such memory keep.
PoolBlock MemoryPool::allocate(std::size_t size, StreamId next) {
    Backend& vendor = backend(device_.backend);
    PoolBlock block;
    block.idle = true;
    block.bytes = size;
    try {
        block.data = vendor.allocate(kind_, size, device_.id);
        return block;
    } catch (const MemoryError&) {
        if (vendor.capturing(device_.id, next.get())) throw;  // the wait would break the capture
    }
    if (has(size)) {
        try {
            wait_for_waiting();
        } catch (const DeviceError&) {  // then new memory is all there can be
        }
        PoolBlock found = find_free(size, next, false);
        if (found.data != nullptr) return found;
    }
    std::vector<MemoryPool*> all;
    {
        const std::lock_guard lock(pools().mutex);
        all = pools().all;
    }
    for (MemoryPool* pool : all) {
        if (pool->shares_memory_with(*this)) pool->trim();
    }
    block.data = vendor.allocate(kind_, size, device_.id);
    return block;
}

/// Whether memory that the one gives back may be what the other lacks.
bool MemoryPool::shares_memory_with(const MemoryPool& other) const noexcept {
    if (device_.backend != other.device_.backend) return false;
    const bool pinned = kind_ == MemoryKind::pinned, other_pinned = other.kind_ == MemoryKind::pinned;
    if (pinned && other_pinned) return true;  // of the one host
    return device_ == other.device_ && (pinned == other_pinned || device_.backend == BackendKind::sycl);
}

/// Wait for the device; then its streams have done with all blocks that waited.
void MemoryPool::wait_for_waiting() {
    Blocks done;
    {
        const std::lock_guard lock(mutex_);
        done.swap(waiting_);
        bytes_of_waiting_ = 0;
    }
    if (done.empty()) return;
    std::exception_ptr failed;
    try {
        backend(device_.backend).synchronize_all(device_.id);
    } catch (...) {
        failed = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    while (!done.empty()) {  // by nodes: nothing here can fail
        auto node = done.extract(done.begin());
        PoolBlock& block = node.mapped();
        block.elsewhere = failed != nullptr;
        block.idle = failed == nullptr;
        if (failed) bytes_of_waiting_ += block.bytes;
        (failed ? waiting_ : free_).insert(std::move(node));
    }
    if (failed) std::rethrow_exception(failed);
}

/// Make the block's next use, on `next`, come after all earlier ones.  After an error the block is as it was, with all
/// its events.
void MemoryPool::order(PoolBlock& block, StreamUse next) const {
    const StreamId before = block.home.id(), to = next.id();
    if (!block.idle) {
        if (before != to) {
            // Of the default stream, which is always there, the event is recorded only where one is needed.
            if (!block.at_home) block.at_home.emplace(device_, before.get());
            block.at_home->hold_back(to.get());
        }
        // These streams need not exist any more: another with the same handle is not the same.
        for (const Recorded& event : block.events) event.hold_back(to.get());
    }
    block.idle = false;
    block.at_home.reset();
    block.events.clear();
    block.home = std::move(next);
}

void MemoryPool::note(PoolBlock& block, const Stream* stream) noexcept {
    const std::lock_guard lock(mutex_);
    if (stream == nullptr) {
        block.elsewhere = true;
        return;
    }
    try {
        const StreamId id(device_, *stream);
        const auto is_it = [id](const StreamUse& other) { return other.id() == id; };
        if (is_it(block.home) || std::any_of(block.others.begin(), block.others.end(), is_it)) return;
        block.others.emplace_back(device_, *stream);
    } catch (const std::exception&) {
        block.elsewhere = true;
    }
}

void MemoryPool::put(PoolBlock block) noexcept {
    const auto not_here = [](const StreamUse& use) { return !use.id().is_here(); };
    if (not_here(block.home) || std::any_of(block.others.begin(), block.others.end(), not_here)) block.elsewhere = true;
    if (!block.elsewhere) {
        try {
            // Events are recorded now: what comes into the streams later does not use the block.
            const Stream home = block.home.get();
            const bool foreign = home.handle != backend(device_.backend).default_stream(device_.id).handle;
            if (foreign || !block.others.empty()) {
                block.at_home.emplace(device_, home);
                for (const StreamUse& other : block.others) block.events.emplace_back(device_, other.get());
            }
        } catch (const std::exception&) {  // a stream that is gone, or the driver is
            block.elsewhere = true;
        }
    }
    block.others.clear();
    if (block.elsewhere) {  // a wait for all of the device, which needs no events
        block.at_home.reset();
        block.events.clear();
        block.home = {};
    }
    put_back(block);
}

/// Among the free blocks, as it is.
void MemoryPool::put_back(PoolBlock& block) noexcept {
    try {
        const std::size_t size = block.bytes;
        const std::pair key(size, block.idle ? StreamId() : block.home.id());
        const std::lock_guard lock(mutex_);
        if (block.elsewhere) {
            waiting_.emplace(key, std::move(block));
            bytes_of_waiting_ += size;
        } else {
            free_.emplace(key, std::move(block));
        }
        kept_ += size;
    } catch (const std::exception&) {  // no memory on the host for the record: the block was not moved
        release(block);
    }
}

void MemoryPool::release(PoolBlock& block) const noexcept {
    block.at_home.reset();
    block.events.clear();
    backend(device_.backend).deallocate(kind_, block.data, block.bytes, device_.id);
}

std::size_t MemoryPool::trim() noexcept {
    if (kind_ == MemoryKind::pinned) detail::trim_staging(device_);
    Blocks free, waiting;
    {
        const std::lock_guard lock(mutex_);
        free.swap(free_);
        waiting.swap(waiting_);
        bytes_of_waiting_ = 0;
        kept_ = 0;
    }
    if (free.empty() && waiting.empty()) return 0;
    try {
        backend(device_.backend).synchronize_all(device_.id);
    } catch (const std::exception&) {  // a graph is being captured, or the driver is gone, and its memory with it
        const std::lock_guard lock(mutex_);
        for (const Blocks* blocks : {&free, &waiting}) {
            for (const auto& [key, block] : *blocks) kept_ += block.bytes;
        }
        for (const auto& [key, block] : waiting) bytes_of_waiting_ += block.bytes;
        free_.merge(free);
        waiting_.merge(waiting);
        return 0;
    }
    std::size_t bytes = 0;
    for (Blocks* blocks : {&free, &waiting}) {
        for (auto& [key, block] : *blocks) {
            bytes += block.bytes;
            release(block);
        }
    }
    return bytes;
}

}  // namespace zerofab
