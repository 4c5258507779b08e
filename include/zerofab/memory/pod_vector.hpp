// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A growing vector of plain numbers whose storage can be shown to others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "zerofab/base/error.hpp"
#include "zerofab/memory/arena.hpp"

namespace zerofab {

/// How a full vector grows: by half (geometric), to just what is needed, or by the square root of the size.
enum class GrowthStrategy : std::uint8_t { Poisson, Exact, Geometric };

/// A contiguous vector in memory of an arena.
///
/// Storage is replaced, never changed in size, while somebody else holds a share of it: a view of the vector keeps the
/// values that it shows through every later resize, push_back, clear or shrink, also within the capacity.
/// Writes of elements go to the storage that both see.  New elements are zero.
///
///     PODVector<double> v(3);            // The_Arena
///     AllocationPtr view = v.share();
///     v.push_back(1.0);                  // v moves to new storage, the view keeps the old
template <class T>
class PODVector {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;

    explicit PODVector(Arena& arena = The_Arena()) noexcept : arena_(&arena) {}
    explicit PODVector(std::size_t size, Arena& arena = The_Arena()) : arena_(&arena) { resize(size); }
    PODVector(const PODVector& other) : arena_(other.arena_) { assign(other.data(), other.size()); }
    PODVector(PODVector&& other) noexcept
        : storage_(std::move(other.storage_)), size_(std::exchange(other.size_, 0)), arena_(other.arena_) {}
    PODVector& operator=(PODVector other) noexcept {
        swap(other);
        return *this;
    }
    ~PODVector() = default;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return storage_ ? storage_->bytes() / sizeof(T) : 0; }
    [[nodiscard]] T* data() noexcept { return storage_ ? static_cast<T*>(storage_->data()) : nullptr; }
    [[nodiscard]] const T* data() const noexcept { return storage_ ? static_cast<const T*>(storage_->data()) : nullptr; }
    [[nodiscard]] T& operator[](std::size_t place) noexcept { return data()[place]; }
    [[nodiscard]] const T& operator[](std::size_t place) const noexcept { return data()[place]; }
    [[nodiscard]] T* begin() noexcept { return data(); }
    [[nodiscard]] T* end() noexcept { return data() + size_; }
    [[nodiscard]] const T* begin() const noexcept { return data(); }
    [[nodiscard]] const T* end() const noexcept { return data() + size_; }

    [[nodiscard]] Arena& arena() const noexcept { return *arena_; }
    /// Use another arena from the next new storage on; an empty vector moves at once.
    void set_arena(Arena& arena) noexcept { arena_ = &arena; }
    /// A share of the storage, for a view.
    [[nodiscard]] const AllocationPtr& share() const noexcept { return storage_; }

    void resize(std::size_t size, GrowthStrategy growth = GrowthStrategy::Poisson) {
        if (size == size_) {
            return;
        }
        make_room(size, size > capacity() ? grown(size, growth) : capacity());
        if (size > size_) {
            std::memset(static_cast<void*>(data() + size_), 0, (size - size_) * sizeof(T));
        }
        size_ = size;
    }
    void resize(std::size_t size, T value) {
        const std::size_t old = size_;
        resize(size);
        std::fill(data() + std::min(old, size), data() + size, value);
    }
    void reserve(std::size_t capacity_wanted) {
        if (capacity_wanted > capacity()) {
            move_to(capacity_wanted, size_);
        }
    }
    void shrink_to_fit() {
        if (size_ == 0) {
            storage_.reset();
        } else if (capacity() > size_) {
            move_to(size_, size_);
        }
    }
    void clear() noexcept {
        size_ = 0;
        if (storage_ && storage_->shared()) {
            storage_.reset();
        }
    }
    void push_back(T value) {  // by value: it may be one of our own elements
        make_room(size_ + 1, size_ + 1 > capacity() ? grown(size_ + 1, GrowthStrategy::Geometric) : capacity());
        data()[size_++] = value;
    }
    void pop_back() {
        if (size_ == 0) {
            throw IndexError("pop_back from an empty vector");
        }
        make_room(size_ - 1, capacity());
        --size_;
    }
    /// All elements become `value`; the size stays.
    void assign(T value) { std::fill(begin(), end(), value); }
    /// Size and values of `count` elements at `from`, which may lie in this vector.
    void assign(const T* from, std::size_t count) {
        if (count > capacity() || (storage_ && storage_->shared())) {
            AllocationPtr fresh = count > 0 ? arena_->allocate(count * sizeof(T)) : AllocationPtr{};
            if (count > 0) {
                std::memcpy(fresh->data(), from, count * sizeof(T));
            }
            storage_ = std::move(fresh);
        } else if (count > 0) {
            std::memmove(data(), from, count * sizeof(T));
        }
        size_ = count;
    }
    void swap(PODVector& other) noexcept {
        std::swap(storage_, other.storage_);
        std::swap(size_, other.size_);
        std::swap(arena_, other.arena_);
    }

private:
    /// Storage that nobody else shows, with room for `capacity_wanted`, holding the first min(size, size_) elements.
    void make_room(std::size_t size, std::size_t capacity_wanted) {
        if (size > capacity() || (storage_ && storage_->shared())) {
            move_to(std::max(size, storage_ && size <= capacity() ? size : capacity_wanted), std::min(size, size_));
        }
    }
    void move_to(std::size_t capacity_wanted, std::size_t kept) {
        if (capacity_wanted > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) {
            throw MemoryError("a vector of " + std::to_string(capacity_wanted) + " elements does not fit any memory");
        }
        AllocationPtr fresh = capacity_wanted > 0 ? arena_->allocate(capacity_wanted * sizeof(T)) : AllocationPtr{};
        if (kept > 0) {
            std::memcpy(fresh->data(), data(), kept * sizeof(T));
        }
        storage_ = std::move(fresh);
    }
    [[nodiscard]] std::size_t grown(std::size_t size, GrowthStrategy growth) const noexcept {
        switch (growth) {
            case GrowthStrategy::Geometric: return std::max(size, capacity() + capacity() / 2 + 8);
            case GrowthStrategy::Poisson: return size + isqrt(size);
            default: return size;
        }
    }

    [[nodiscard]] static std::size_t isqrt(std::size_t number) noexcept {
        return static_cast<std::size_t>(std::sqrt(static_cast<double>(number)));
    }

    AllocationPtr storage_;
    std::size_t size_ = 0;
    Arena* arena_;
};

}  // namespace zerofab
