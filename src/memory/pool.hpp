// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Free memory of a device, kept to be given out again in the order of the device's work.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"

namespace zerofab {

/// Memory of a pool, and the streams whose work may use it.
struct PoolBlock {
    void* data = nullptr;
    std::size_t bytes = 0;          ///< all of it, not what was asked for
    StreamUse home;                 ///< the stream it was taken for
    std::vector<StreamUse> others;  ///< other streams that use it
    bool elsewhere = false;         ///< and streams that may be gone, or that only another thread can ask
    // Of a free block: what must come before its next use.
    bool idle = false;                ///< nothing at all
    std::optional<Recorded> at_home;  ///< of its home stream; if that is the default one, made when it is needed
    std::vector<Recorded> events;     ///< of other streams, which may be gone by now
};

/// One kind of memory of one device.
///
/// A free block is given to the stream that used it last at once, for a stream keeps its order; another stream is told
/// to wait for the block's events.  Memory that was used on streams of somebody else stays apart: those may be gone,
/// and nothing can be asked of a stream that is gone, so the host must wait for all of the device.  It does so where
/// nothing else fits, and then only once for every `waiting_blocks` blocks or `waiting_bytes` bytes of such memory, or
/// when the device has no other memory left.  Sizes are those of pool_size().
class MemoryPool {
public:
    static constexpr std::size_t waiting_blocks = 64;
    static constexpr std::size_t waiting_bytes = std::size_t{64} << 20U;

    /// Lives as long as the process.
    MemoryPool(Device device, MemoryKind kind);
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    /// At least so many bytes, for the calling thread's stream; MemoryError if there is no memory after all pools of
    /// such memory have given back what they keep.
    [[nodiscard]] PoolBlock take(std::size_t bytes);
    void put(PoolBlock block) noexcept;
    /// Work on this stream uses the block; null: on a stream that may be gone when the block is put back.
    void note(PoolBlock& block, const Stream* stream) noexcept;
    /// Give all free memory back to the device, after waiting for it; none where it cannot be waited for.  Returns how
    /// many bytes that were.
    std::size_t trim() noexcept;

    [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.load(std::memory_order_relaxed); }

private:
    using Key = std::pair<std::size_t, StreamId>;  ///< size, and the stream that can have the block at once
    struct Less {
        using is_transparent = void;
        bool operator()(const Key& a, const Key& b) const noexcept { return a < b; }
        bool operator()(const Key& a, std::size_t size) const noexcept { return a.first < size; }
        bool operator()(std::size_t size, const Key& b) const noexcept { return size < b.first; }
    };
    using Blocks = std::multimap<Key, PoolBlock, Less>;

    static Blocks::iterator first_of(Blocks& blocks, std::size_t size);
    [[nodiscard]] PoolBlock find(std::size_t size, StreamId next);
    [[nodiscard]] PoolBlock find_free(std::size_t size, StreamId next, bool same);
    [[nodiscard]] bool has(std::size_t size);
    [[nodiscard]] bool is_time_to_wait(std::size_t size);
    [[nodiscard]] PoolBlock allocate(std::size_t size, StreamId next);
    [[nodiscard]] bool shares_memory_with(const MemoryPool& other) const noexcept;
    void wait_for_waiting();
    void order(PoolBlock& block, StreamUse next) const;
    void put_back(PoolBlock& block) noexcept;
    void release(PoolBlock& block) const noexcept;

    Device device_;
    MemoryKind kind_;
    std::mutex mutex_;
    Blocks free_;
    Blocks waiting_;                    ///< blocks that were used elsewhere
    std::size_t bytes_of_waiting_ = 0;  ///< in `waiting_`
    std::atomic<std::size_t> kept_{0};  ///< in both
};

}  // namespace zerofab
