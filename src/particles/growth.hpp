// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vectors that change their length together: all of them or none.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/memory/pod_vector.hpp"

namespace zerofab::detail {

[[noreturn]] inline void throw_changed_meanwhile() {
    throw StateError("the particles were changed by another thread while their number changed: nothing was done");
}

/// Room for `size` elements, and for those that there are, in memory that nobody else sees: a change of the length up
/// to `size` cannot fail then.
template <class T>
void make_room(PODVector<T>& vector, std::size_t size, GrowthStrategy growth) {
    const std::size_t count = vector.size();
    if (size == count) return;
    if (size > vector.capacity()) return vector.reserve(size, growth);
    if (!vector.share() || !vector.share()->shared()) return;
    const AllocationPtr old = vector.share();
    const T* const data = vector.data();
    PODVector<T> fresh(vector.arena());
    fresh.resize_for_overwrite(std::max(size, count));
    if (count > 0) copy_bytes(fresh.data(), fresh.space(), data, vector.space(), count * sizeof(T));
    fresh.resize_for_overwrite(count);
    if (vector.share().get() != old.get() || vector.size() != count) throw_changed_meanwhile();
    vector.swap(fresh);
}

/// Zeros up to `wanted` elements, the last of which become the `count` elements at `last`; beyond the vector's size.
template <class T>
void write_tail(PODVector<T>& vector, std::size_t wanted, const T* last, std::size_t count) {
    if (vector.capacity() < wanted) throw_changed_meanwhile();
    const std::size_t size = vector.size(), end = wanted - count, zeros = end > size ? end - size : 0;
    T* const data = vector.data();
    if (vector.space().is_plain()) {
        std::fill_n(data + size, zeros, T{});
        std::copy_n(last, count, data + end);
        return;
    }
    const AllocationPtr held = vector.share();  // while this thread waits, another may resize
    const T zero{};
    if (zeros > 0) fill_elements(data + size, held->space(), &zero, sizeof zero, zeros);
    if (count > 0) copy_bytes(data + end, held->space(), last, {}, count * sizeof(T));
}

/// Change the length of all vectors that `each` shows, or of none.
///
/// each(see) calls see(vector, wanted, last, count) for every vector, in the same order each time: its new length, and
/// the elements that it ends with; others that are new become zero. It holds the vector meanwhile. `plain`: all are in
/// the host's own memory, where no other thread comes in between. Else StateError if one did.
template <class Each>
void resize_together(Each each, bool plain, GrowthStrategy growth) {
    std::vector<std::pair<const void*, std::size_t>> was;
    if (!plain) {
        each([&](auto& vector, std::size_t, const auto*, std::size_t) { was.emplace_back(nullptr, vector.size()); });
    }
    each([&](auto& vector, std::size_t wanted, const auto*, std::size_t) { make_room(vector, wanted, growth); });
    std::size_t at = 0;
    each([&](auto& vector, std::size_t wanted, const auto* last, std::size_t count) {
        if (!plain) {
            if (at == was.size() || was[at].second != vector.size()) throw_changed_meanwhile();
            was[at++].first = vector.data();
        }
        write_tail(vector, wanted, last, count);
    });
    if (!plain) {
        bool same = at == was.size();
        at = 0;
        each([&](auto& vector, std::size_t wanted, const auto*, std::size_t) {
            same =
                same && at < was.size() && was[at] == std::pair<const void*, std::size_t>(vector.data(), vector.size());
            same = same && (wanted == vector.size() || !vector.share() || !vector.share()->shared());
            ++at;
        });
        if (!same || at != was.size()) throw_changed_meanwhile();
    }
    each([](auto& vector, std::size_t wanted, const auto*, std::size_t) {
        if (wanted != vector.size()) vector.resize_for_overwrite(wanted);
    });
}

}  // namespace zerofab::detail
