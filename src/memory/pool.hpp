// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Free memory of a device, kept to be given out again in the order of the device's work.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"

namespace zerofab {

/// Memory of a pool, and the streams whose work may use it.
struct PoolBlock {
    void* data = nullptr;
    std::size_t bytes = 0;                            ///< all of it, not what was asked for
    StreamUse home;                                   ///< the stream it was taken for
    std::vector<Stream> others;                       ///< other streams that use it
    bool elsewhere = false;                           ///< and streams that may be gone
    std::vector<std::pair<Stream, Recorded>> events;  ///< of a free block: what must come before its next use
};

/// One kind of memory of one device.
///
/// A free block is given to the stream that used it last at once, for a stream keeps its order; another stream is told
/// to wait for the block's events.  The host waits, for all of the device, only where nothing fits but memory that was
/// used on streams of somebody else: those may be gone, and nothing can be asked of a stream that is gone.  Sizes are
/// rounded up by at most an eighth, so that blocks fit again.
class MemoryPool {
public:
    MemoryPool(Device device, MemoryKind kind) : device_(device), kind_(kind) {}
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    /// At least so many bytes, for the calling thread's stream; MemoryError, after giving back what is kept, if there
    /// is no memory.
    [[nodiscard]] PoolBlock take(std::size_t bytes);
    void put(PoolBlock block) noexcept;
    /// Work on this stream uses the block; null: on a stream that may be gone when the block is put back.
    void note(PoolBlock& block, const Stream* stream) noexcept;
    /// Give all free memory back to the device, after waiting for it.
    void trim() noexcept;

    [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] PoolBlock find(std::size_t size, Stream home);
    void wait_for_elsewhere();
    void order(PoolBlock& block, StreamUse stream) const;
    void let_go(PoolBlock& block) const noexcept;

    Device device_;
    MemoryKind kind_;
    std::mutex mutex_;
    std::multimap<std::size_t, PoolBlock> free_;
    std::atomic<std::size_t> kept_{0};
};

}  // namespace zerofab
