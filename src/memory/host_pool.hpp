// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Freed memory of the host, kept to be given out again: fresh memory costs a page fault for every 4096 bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace zerofab {

/// The memory behind all arenas of the host.
///
/// Blocks of at least `least` bytes come in the sizes of pool_size(). What is put back is kept and given out again, the
/// youngest block of its size first, for that is most likely in the caches. Beyond the threshold the oldest blocks are
/// given up. Smaller blocks come from malloc, and go back there at once.
///
/// Any thread may call, also in a forked child: it has what its parent had kept. What was kept is not cleared. Under
/// AddressSanitizer nothing is kept unless a threshold is set, and what is kept may not be touched.
class HostPool {
public:
    static constexpr std::size_t least = 4096;

    /// The one of this process; never destroyed, for memory is freed after static destructors have run.
    static HostPool& get();

    /// At least so many bytes at a multiple of 64 bytes; MemoryError if there are none after all that is kept has been
    /// given back.
    [[nodiscard]] void* take(std::size_t bytes);
    /// Memory of take(), with the bytes that were asked for.
    void put(void* data, std::size_t bytes) noexcept;

    /// Give all that is kept back to the operating system, blocks below 128 KiB to malloc; returns how many bytes that
    /// were.
    std::size_t trim() noexcept;
    /// Keep at most so many bytes; without a number, the default: a quarter of the memory that this process may use.
    void set_threshold(std::optional<std::size_t> bytes) noexcept;

    [[nodiscard]] std::size_t kept_bytes() const noexcept { return kept_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t threshold() noexcept;

private:
    struct Block {
        void* data;
        std::uint64_t age;  ///< a number that grows with every block that is kept
    };
    /// The blocks of one size that are kept, oldest first, from number `first` on.
    struct Shelf {
        std::vector<Block> blocks;
        std::size_t first = 0;

        [[nodiscard]] bool is_empty() const noexcept { return first == blocks.size(); }
        [[nodiscard]] std::uint64_t oldest() const noexcept { return blocks[first].age; }
    };
    static constexpr std::size_t sizes = std::size_t{8} * 64;

    HostPool() noexcept = default;
    void* find(std::size_t size) noexcept;
    [[nodiscard]] bool keep(void* data, std::size_t size) noexcept;
    std::size_t give_up_beyond(std::size_t bytes) noexcept;
    std::size_t give_up_oldest(std::size_t beyond) noexcept;
    /// Under the lock: others may read it at any time.
    void set_kept(std::size_t bytes) noexcept { kept_.store(bytes, std::memory_order_relaxed); }

    std::mutex mutex_;
    std::array<Shelf, sizes> shelves_;
    std::uint64_t age_ = 0;
    std::atomic<std::size_t> kept_{0};
    std::atomic<std::size_t> threshold_{not_known};

    static constexpr std::size_t not_known = SIZE_MAX;
};

}  // namespace zerofab
