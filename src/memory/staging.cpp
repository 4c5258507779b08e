// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/staging.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/blocking.hpp"
#include "zerofab/device/recorded.hpp"

namespace zerofab::detail {
namespace {

constexpr std::size_t block_bytes = std::size_t{64} << 10U;
constexpr std::size_t most_blocks = 32;

/// Pinned memory of one device.  It comes from the driver, not from a pool: a pool orders the next use of a block on a
/// stream, but here the host writes at once.
class Staging {
public:
    explicit Staging(Device device) : device_(device) { free_.reserve(most_blocks); }

    /// A block that no work uses; null where all are on their way.
    void* take() {
        const Blocking waiting;  // before the lock: the driver's calls may release Python's
        const std::lock_guard lock(mutex_);
        reap();
        if (free_.empty() && blocks_ < most_blocks) {
            try {
                free_.push_back(backend(device_.backend).allocate(MemoryKind::pinned, block_bytes, device_.id));
                ++blocks_;
            } catch (const MemoryError&) {
                return nullptr;
            }
        }
        if (free_.empty()) return nullptr;
        void* const block = free_.back();
        free_.pop_back();
        return block;
    }
    /// The block is free again where the stream is now; at once, if that cannot be said.
    void put(void* block, Stream stream) {
        const Blocking waiting;
        try {
            Recorded done(device_, stream);
            const std::lock_guard lock(mutex_);
            used_.emplace_back(block, std::move(done));
        } catch (...) {
            backend(device_.backend).synchronize(device_.id, stream);
            const std::lock_guard lock(mutex_);
            free_.push_back(block);
        }
    }

    /// Give the blocks that no work uses back to the device.
    void trim() noexcept {
        try {
            const Blocking waiting;
            const std::lock_guard lock(mutex_);
            reap();
            for (void* block : free_)
                backend(device_.backend).deallocate(MemoryKind::pinned, block, block_bytes, device_.id);
            blocks_ -= free_.size();
            free_.clear();
        } catch (const DeviceError&) {
            return;  // the device is lost, and its memory with it
        }
    }

private:
    void reap() {
        while (!used_.empty() && used_.front().second.reached()) {
            free_.push_back(used_.front().first);
            used_.pop_front();
        }
    }

    Device device_;
    std::mutex mutex_;
    std::vector<void*> free_;
    std::deque<std::pair<void*, Recorded>> used_;  ///< in the order of their copies
    std::size_t blocks_ = 0;
};

Staging& staging(Device device) {
    static auto& all =
        *new std::pair<std::mutex, std::map<std::pair<BackendKind, int>, Staging>>;  // drivers outlive static objects
    const std::lock_guard lock(all.first);
    return all.second.try_emplace({device.backend, device.id}, device).first->second;
}

}  // namespace

void trim_staging(Device device) noexcept { staging(device).trim(); }

bool copy_staged(Device device, void* to, const void* from, std::size_t bytes, Stream stream) {
    Backend& vendor = backend(device.backend);
    if (bytes > block_bytes || vendor.capturing(device.id, stream)) return false;
    Staging& blocks = staging(device);
    void* const block = blocks.take();
    if (block == nullptr) return false;
    std::memcpy(block, from, bytes);
    try {
        vendor.copy(device.id, to, block, bytes, stream);
    } catch (...) {
        blocks.put(block, stream);
        throw;
    }
    blocks.put(block, stream);
    return true;
}

}  // namespace zerofab::detail
