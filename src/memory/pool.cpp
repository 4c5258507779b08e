// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/pool.hpp"

#include <algorithm>
#include <bit>
#include <exception>

#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {
namespace {

/// Eight sizes for each power of two, and whole lines.
std::size_t rounded(std::size_t bytes) {
    constexpr std::size_t line = 64;
    const std::size_t step = std::max(line, std::bit_floor(std::max<std::size_t>(bytes, 1)) / 8);
    return std::max((bytes + step - 1) / step * step, line);
}

}  // namespace

PoolBlock MemoryPool::take(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    StreamUse home(Runtime::stream(device_));
    PoolBlock block = find(size, home.get());
    if (block.data == nullptr) {
        Backend& vendor = backend(device_.backend);
        block.bytes = size;
        try {
            block.data = vendor.allocate(kind_, size, device_.id);
        } catch (const MemoryError&) {
            trim();
            block.data = vendor.allocate(kind_, size, device_.id);
        }
        block.home = std::move(home);
        return block;
    }
    try {
        order(block, std::move(home));
    } catch (...) {
        put(std::move(block));
        throw;
    }
    return block;
}

/// A free block of this size, or none.
PoolBlock MemoryPool::find(std::size_t size, Stream home) {
    const auto one = [&] {
        const std::lock_guard lock(mutex_);
        const auto [first, last] = free_.equal_range(size);
        const auto found = std::find_if(first, last, [](const auto& block) { return !block.second.elsewhere; });
        PoolBlock block;
        if (found != last) {
            block = std::move(found->second);
            free_.erase(found);
            kept_ -= size;
        } else if (first != last) {
            block.elsewhere = true;
        }
        return block;
    };
    PoolBlock block = one();
    if (!block.elsewhere) return block;
    if (backend(device_.backend).capturing(device_.id, home)) return {};  // waiting would break the capture
    try {
        wait_for_elsewhere();
    } catch (const DeviceError&) {  // new memory, then, or the driver's word on that
        return {};
    }
    block = one();
    return block.elsewhere ? PoolBlock{} : std::move(block);
}

void MemoryPool::wait_for_elsewhere() {
    std::multimap<std::size_t, PoolBlock> waiting;
    {
        const std::lock_guard lock(mutex_);
        for (auto at = free_.begin(); at != free_.end();) {
            const auto next = std::next(at);
            if (at->second.elsewhere) {
                kept_ -= at->first;
                waiting.insert(free_.extract(at));
            }
            at = next;
        }
    }
    std::exception_ptr failed;
    try {
        backend(device_.backend).synchronize_all(device_.id);
        for (auto& [size, block] : waiting) block.elsewhere = false;
    } catch (...) {
        failed = std::current_exception();
    }
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [size, block] : waiting) kept_ += size;
        free_.merge(waiting);
    }
    if (failed) std::rethrow_exception(failed);
}

/// Make the block's next use, on `stream`, come after the last.
void MemoryPool::order(PoolBlock& block, StreamUse stream) const {
    const Stream before = block.home.get(), next = stream.get();
    if (before.handle != next.handle && block.events.empty()) {
        block.events.emplace_back(before, Recorded(device_, before));
    }
    for (const auto& [used, event] : block.events) {
        if (used.handle != next.handle) event.hold_back(next);
    }
    block.events.clear();
    block.home = std::move(stream);
}

void MemoryPool::note(PoolBlock& block, const Stream* stream) noexcept {
    const std::lock_guard lock(mutex_);
    if (stream == nullptr) {
        block.elsewhere = true;
        return;
    }
    const auto is_it = [stream](Stream other) { return other.handle == stream->handle; };
    if (is_it(block.home.get()) || std::any_of(block.others.begin(), block.others.end(), is_it)) return;
    try {
        block.others.push_back(*stream);
    } catch (const std::exception&) {
        block.elsewhere = true;
    }
}

void MemoryPool::put(PoolBlock block) noexcept {
    try {
        // Events are recorded now: what comes into the streams later does not use the block.
        const Stream home = block.home.get();
        const bool foreign = home.handle != backend(device_.backend).default_stream(device_.id).handle;
        if (foreign || !block.others.empty()) {
            block.events.emplace_back(home, Recorded(device_, home));
            for (const Stream other : block.others) block.events.emplace_back(other, Recorded(device_, other));
            block.others.clear();
        }
        const std::size_t size = block.bytes;
        const std::lock_guard lock(mutex_);
        free_.emplace(size, std::move(block));
        kept_ += size;
    } catch (const std::exception&) {  // a stream or driver that is gone: the block is not given out again
        let_go(block);
    }
}

void MemoryPool::let_go(PoolBlock& block) const noexcept {
    block.events.clear();
    backend(device_.backend).deallocate(kind_, block.data, block.bytes, device_.id);
}

void MemoryPool::trim() noexcept {
    std::multimap<std::size_t, PoolBlock> old;
    {
        const std::lock_guard lock(mutex_);
        old.swap(free_);
        kept_ = 0;
    }
    if (old.empty()) return;
    Backend& vendor = backend(device_.backend);
    try {
        vendor.synchronize_all(device_.id);
    } catch (const std::exception&) {  // the driver is gone, and its memory with it
    }
    for (auto& [size, block] : old) let_go(block);
}

}  // namespace zerofab
