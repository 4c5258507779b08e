// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A reference-counted span of memory: the only owner of every byte that a user can see.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

class AllocationPtr;

/// A span of memory that knows its device, its kind and how it is freed.
///
/// Containers hold shares of it, and so does every view that leaves the library; whoever drops the last share frees
/// it, on any thread, with or without the interpreter.  Nobody else frees.
///
///     AllocationPtr memory = The_Arena().allocate(1024);
///     AllocationPtr share = memory;      // a view
///     memory.reset();                    // the container releases it; the bytes stay
///     share.reset();                     // now they are freed
class ZEROFAB_API Allocation {
public:
    using Release = void (*)(Allocation*) noexcept;
    using UsedOn = void (*)(Allocation*, const Stream*) noexcept;

    /// Memory of somebody else, kept alive until the last share is dropped: then `release(context)` is called once.
    /// `release` may be called on any thread and must not throw.  Memory of a device is released after our work on it
    /// is done: the thread that drops the last share waits for every stream that used it.
    static AllocationPtr adopt(void* data, std::size_t bytes, Device device, MemoryKind kind, void* context,
                               void (*release)(void*) noexcept);

    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;

    [[nodiscard]] void* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] Device device() const noexcept { return device_; }
    [[nodiscard]] MemoryKind kind() const noexcept { return kind_; }
    [[nodiscard]] MemorySpace space() const noexcept { return {device_, kind_}; }

    /// Work on this stream uses the memory: it is not given out again, nor back to its owner, before that work is done.
    /// The stream must exist when the memory is freed.  Without effect on the host's own memory.
    void used_on(Stream stream) noexcept {
        if (used_on_ != nullptr) used_on_(this, &stream);
    }
    /// The same for a stream that may be gone by then.
    void used_elsewhere() noexcept {
        if (used_on_ != nullptr) used_on_(this, nullptr);
    }

    /// Whether somebody beside the one who asks holds a share.
    [[nodiscard]] bool shared() const noexcept { return shares_.load(std::memory_order_acquire) > 1; }

    void retain() noexcept { shares_.fetch_add(1, std::memory_order_relaxed); }
    void drop() noexcept {
        if (shares_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            release_(this);
        }
    }

protected:
    Allocation(void* data, std::size_t bytes, Device device, MemoryKind kind, Release release,
               UsedOn note_use = nullptr) noexcept
        : data_(data), bytes_(bytes), release_(release), used_on_(note_use), device_(device), kind_(kind) {}
    ~Allocation() = default;

private:
    std::atomic<long> shares_{1};
    void* data_;
    std::size_t bytes_;
    Release release_;
    UsedOn used_on_;
    Device device_;
    MemoryKind kind_;
};

/// A share of an Allocation, or nothing.
class AllocationPtr {
public:
    constexpr AllocationPtr() noexcept = default;
    /// Takes over a share that the caller holds.
    static AllocationPtr take(Allocation* held) noexcept {
        AllocationPtr result;
        result.held_ = held;
        return result;
    }
    AllocationPtr(const AllocationPtr& other) noexcept : held_(other.held_) {
        if (held_ != nullptr) {
            held_->retain();
        }
    }
    AllocationPtr(AllocationPtr&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    AllocationPtr& operator=(AllocationPtr other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~AllocationPtr() { reset(); }

    void reset() noexcept {
        if (held_ != nullptr) {
            std::exchange(held_, nullptr)->drop();
        }
    }
    /// Gives the share to the caller, who must drop it.
    [[nodiscard]] Allocation* release() noexcept { return std::exchange(held_, nullptr); }

    [[nodiscard]] Allocation* get() const noexcept { return held_; }
    Allocation* operator->() const noexcept { return held_; }
    Allocation& operator*() const noexcept { return *held_; }
    explicit operator bool() const noexcept { return held_ != nullptr; }
    friend bool operator==(const AllocationPtr&, const AllocationPtr&) = default;

private:
    Allocation* held_ = nullptr;
};

}  // namespace zerofab
