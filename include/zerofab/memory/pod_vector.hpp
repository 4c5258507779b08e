// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A growing vector of plain numbers whose storage can be shown to others.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab {

/// How a full vector grows: by half (geometric), to just what is needed, or by the square root of the size.
enum class GrowthStrategy : std::uint8_t { Poisson, Exact, Geometric };

/// A contiguous vector in memory of an arena.
///
/// Storage is replaced, never changed in size, while somebody else holds a share of it: a view of the vector keeps the
/// values that it shows through every later resize, push_back, clear or shrink, also within the capacity.
/// Writes of elements go to the storage that both see.  New elements are zero.
///
/// In memory of a device all operations work, in the order of the calling thread's stream; the elements themselves
/// (`data`, `[]`, `begin`) are then the device's to read, not the host's.  A thread that waits for a device lets others
/// run (see Blocking): a change of the same vector meanwhile is a StateError here, and the vector is as the other left
/// it.
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
    explicit PODVector(std::size_t size, Arena& arena = The_Arena()) : arena_(&arena) {
        resize(size, GrowthStrategy::Exact);
    }
    PODVector(const PODVector& other) : arena_(other.arena_) { assign(other); }
    PODVector(PODVector&& other) noexcept : arena_(other.arena_) { swap(other); }
    PODVector& operator=(PODVector other) noexcept {
        swap(other);
        return *this;
    }
    ~PODVector() = default;

    /// A vector of the `size` elements at `data` in memory of somebody else, in place, without a copy.
    ///
    /// The memory counts as seen by others for good: every change of size moves to new memory of the arena, with the
    /// values, and leaves the old as it is.
    static PODVector adopt(AllocationPtr memory, T* data, std::size_t size, Arena& arena = The_Arena()) noexcept {
        PODVector result(arena);
        result.storage_ = std::move(memory);
        result.data_ = data;
        result.size_ = result.capacity_ = size;
        result.adopted_ = true;
        return result;
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] T& operator[](std::size_t index) noexcept { return data_[index]; }
    [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return data_[index]; }
    [[nodiscard]] T* begin() noexcept { return data_; }
    [[nodiscard]] T* end() noexcept { return data_ + size_; }
    [[nodiscard]] const T* begin() const noexcept { return data_; }
    [[nodiscard]] const T* end() const noexcept { return data_ + size_; }

    [[nodiscard]] Arena& arena() const noexcept { return *arena_; }
    /// Where the elements are.
    [[nodiscard]] MemorySpace space() const noexcept { return storage_ ? storage_->space() : arena_->space(); }
    /// Move to memory of another arena, with the values.
    void set_arena(Arena& arena) {
        Arena* const old = std::exchange(arena_, &arena);
        if (old == arena_ || capacity_ == 0) {
            return;
        }
        try {
            static_cast<void>(move_to(capacity_, size_));
        } catch (...) {
            arena_ = old;
            throw;
        }
    }
    /// A share of the storage, for a view.
    [[nodiscard]] const AllocationPtr& share() const noexcept { return storage_; }

    void resize(std::size_t size, GrowthStrategy growth = GrowthStrategy::Poisson) { resize(size, T{}, growth); }
    /// The same; new elements become `value`.
    void resize(std::size_t size, T value, GrowthStrategy growth = GrowthStrategy::Poisson) {
        if (size == size_) {
            return;
        }
        const AllocationPtr old = make_room(size, growth);
        if (size > size_) {
            fill(size_, value, size - size_);
        }
        size_ = size;
    }
    /// The same in just enough memory; new elements are not initialized, write them all.
    void resize_for_overwrite(std::size_t size) {
        const AllocationPtr old = make_room(size, GrowthStrategy::Exact);
        size_ = size;
    }
    /// Memory for at least so many elements, so that growth up to there needs no new memory.
    void reserve(std::size_t capacity, GrowthStrategy growth = GrowthStrategy::Exact) {
        if (capacity > capacity_) {
            static_cast<void>(move_to(grown(capacity, growth), size_));
        }
    }
    /// Give up memory that no element uses.
    void shrink_to_fit() {
        if (size_ == 0) {
            let_go();
        } else if (capacity_ > size_) {
            static_cast<void>(move_to(size_, size_));
        }
    }
    /// No elements; the capacity stays unless a view sees the memory.
    void clear() noexcept {
        size_ = 0;
        if (is_seen()) {
            let_go();
        }
    }
    void push_back(T value) {  // by value: it may be one of our own elements
        const AllocationPtr old = make_room(size_ + 1, GrowthStrategy::Geometric);
        fill(size_, value, 1);
        ++size_;
    }
    void pop_back() {
        if (size_ == 0) {
            throw IndexError("pop_back from an empty vector");
        }
        const std::size_t size = size_ - 1;
        const AllocationPtr old = make_room(size, GrowthStrategy::Exact);
        size_ = size;
    }
    /// All elements become `value`; the size stays.
    void assign(T value) { fill(0, value, size_); }
    /// Size and values of another vector, whose memory may be of another kind.
    void assign(const PODVector& other) {
        const AllocationPtr held = other.storage_;
        assign(other.data_, other.size_, other.space());
    }
    /// Size and values of `count` elements at `from`, which may lie in this vector.
    void assign(const T* from, std::size_t count) { assign(from, count, space()); }
    /// The same for elements in memory of another kind.
    void assign(const T* from, std::size_t count, MemorySpace from_space) {
        splice(0, size_, from, count, from_space, GrowthStrategy::Exact);
    }

    /// Replace the elements [first, last) by the `count` elements at `from`, which may lie in this vector.
    /// With as many new elements as old ones the memory stays: views see the new values.
    void splice(std::size_t first, std::size_t last, const T* from, std::size_t count,
                GrowthStrategy growth = GrowthStrategy::Geometric) {
        splice(first, last, from, count, space(), growth);
    }
    /// The same for elements in memory of another kind.
    void splice(std::size_t first, std::size_t last, const T* from, std::size_t count, MemorySpace from_space,
                GrowthStrategy growth = GrowthStrategy::Geometric) {
        const std::size_t kept = size_ - (last - first);
        const bool seen = is_seen();
        const Unchanged now(*this);
        if (count == last - first) {
            move(data_ + first, space(), from, from_space, count);
            return;
        }
        if (count > limit() - kept) {
            throw_too_large();
        }
        const std::size_t size = kept + count;
        if (size > capacity_ || seen || holds(from) || !space().is_plain() || !from_space.is_plain()) {
            PODVector fresh(*arena_);
            static_cast<void>(fresh.move_to(size > capacity_ ? grown(size, growth) : size, 0));
            const T* const data = now.data;
            move(fresh.data_, fresh.space(), data, now.space, first);
            move(fresh.data_ + first, fresh.space(), from, from_space, count);
            move(fresh.data_ + first + count, fresh.space(), data + last, now.space, now.size - last);
            fresh.size_ = size;
            now.require();
            swap(fresh);
            return;
        }
        move(data_ + first + count, space(), data_ + last, space(), size_ - last);
        move(data_ + first, space(), from, from_space, count);
        size_ = size;
    }

    void swap(PODVector& other) noexcept {
        std::swap(storage_, other.storage_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(adopted_, other.adopted_);
        std::swap(arena_, other.arena_);
    }

private:
    /// What a change began with: the memory is held until it ends, and nobody else must have changed the vector.
    struct Unchanged {
        explicit Unchanged(const PODVector& vector)
            : it(vector),
              held(vector.storage_),
              data(vector.data_),
              size(vector.size_),
              capacity(vector.capacity_),
              space(vector.space()) {}
        void require() const {
            if (it.data_ != data || it.size_ != size || it.capacity_ != capacity || it.storage_.get() != held.get()) {
                throw StateError("the vector was changed by another thread while this one changed it");
            }
        }

        const PODVector& it;
        AllocationPtr held;
        T* data;
        std::size_t size, capacity;
        MemorySpace space;
    };

    [[nodiscard]] static constexpr std::size_t limit() noexcept {
        return static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T);
    }
    [[noreturn]] static void throw_too_large() {
        throw MemoryError(concat("a vector of more than ", limit(), " elements does not fit any memory"));
    }
    static void move(T* to, MemorySpace to_space, const T* from, MemorySpace from_space, std::size_t count) {
        if (count == 0 || to == from) {  // of no elements the pointers may be null
            return;
        }
        if (to_space.is_plain() && from_space.is_plain()) {
            std::memmove(static_cast<void*>(to), from, count * sizeof(T));
        } else {
            copy_bytes(to, to_space, from, from_space, count * sizeof(T));
        }
    }
    void fill(std::size_t first, T value, std::size_t count) {
        if (space().is_plain()) {
            std::fill_n(data_ + first, count, value);
            return;
        }
        const Unchanged now(*this);
        fill_elements(now.data + first, now.space, &value, sizeof(T), count);
        now.require();
    }
    /// Whether anybody but this vector sees the storage.
    [[nodiscard]] bool is_seen() const noexcept { return adopted_ || (storage_ && storage_->shared()); }
    [[nodiscard]] bool holds(const T* address) const noexcept {
        return std::less_equal<>()(data_, address) && std::less<>()(address, data_ + capacity_);
    }
    void let_go() noexcept {
        const AllocationPtr old = std::move(storage_);  // freed last: that may let another thread run
        data_ = nullptr;
        size_ = capacity_ = 0;
        adopted_ = false;
    }
    /// Storage that nobody else sees, with room for `size` elements, holding the first min(size, size_) elements.
    /// Gives what was there: let it go last, for that may run code of others.
    [[nodiscard]] AllocationPtr make_room(std::size_t size, GrowthStrategy growth) {
        if (size > capacity_) {
            return move_to(grown(size, growth), size_);
        }
        return is_seen() ? move_to(size, std::min(size, size_)) : AllocationPtr{};
    }
    /// New storage with the first `kept` elements, which are all from now on.  Gives the old, as make_room.
    [[nodiscard]] AllocationPtr move_to(std::size_t capacity, std::size_t kept) {
        Unchanged now(*this);
        AllocationPtr fresh = capacity > 0 ? arena_->allocate(capacity * sizeof(T)) : AllocationPtr{};
        auto* data = fresh ? static_cast<T*>(fresh->data()) : nullptr;
        move(data, fresh ? fresh->space() : MemorySpace{}, now.data, now.space, kept);
        now.require();
        storage_ = std::move(fresh);  // `now` holds the old
        data_ = data;
        size_ = kept;
        capacity_ = capacity;
        adopted_ = false;
        return std::move(now.held);
    }
    [[nodiscard]] std::size_t grown(std::size_t size, GrowthStrategy growth) const {
        if (size > limit()) {
            throw_too_large();
        }
        switch (growth) {
            case GrowthStrategy::Geometric:
                return std::max(size, capacity_ + capacity_ / 2 + 8);
            case GrowthStrategy::Poisson:
                return size + isqrt(size);
            default:
                return size;
        }
    }
    [[nodiscard]] static std::size_t isqrt(std::size_t number) noexcept {
        return static_cast<std::size_t>(std::sqrt(static_cast<double>(number)));
    }

    AllocationPtr storage_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
    bool adopted_ = false;
    Arena* arena_;
};

}  // namespace zerofab
