// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BaseFab<D, T>: the numbers on one box.
#pragma once

#include <string>
#include <utility>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/mesh/array4.hpp"

namespace zerofab {

/// Element count of `ncomp` components on `box`; ValueError if negative or more than memory can hold.
template <int D>
[[nodiscard]] std::size_t fab_elements(const Box<D>& box, int ncomp, std::size_t element_bytes) {
    if (ncomp < 0) {
        throw ValueError(concat("a fab cannot have ", ncomp, " components"));
    }
    const auto points = static_cast<unsigned __int128>(box.num_pts());
    const unsigned __int128 count = points * static_cast<unsigned>(ncomp);
    if (count * element_bytes > static_cast<std::size_t>(PTRDIFF_MAX)) {
        throw MemoryError(
            concat("a fab of ", box.num_pts(), " points and ", ncomp, " components does not fit any memory"));
    }
    return static_cast<std::size_t>(count);
}

/// The Array4 of compact memory that starts at `data`: `box`, then components.
template <int D, class T>
[[nodiscard]] Array4<T> array_over(T* data, const Box<D>& box, int ncomp) noexcept {
    Array4<T> result;
    result.data = data;
    result.size = {1, 1, 1};
    for (int d = 0; d < D; ++d) {
        const auto at = static_cast<std::size_t>(d);
        result.lo[at] = box.small_end(d);
        result.size[at] = box.big_end(d) >= box.small_end(d) ? box.big_end(d) - box.small_end(d) + 1 : 0;
    }
    result.ncomp = ncomp;
    result.jstride = result.size[0];
    result.kstride = result.jstride * result.size[1];
    result.nstride = result.kstride * result.size[2];
    return result;
}

/// Numbers of type T with components on one box, in memory of an arena or of somebody else.
///
/// Memory order is x fastest, then y, z, component.  Memory is replaced, never resized in place: a share that is held
/// elsewhere stays what it is through clear() and resize().  New memory is not initialized.
///
///     BaseFab<3, Real> fab(Box<3>(IntVect<3>(0), IntVect<3>(7)), 2);
///     fab.array()(1, 2, 3, 0) = 5.0;
template <int D, class T>
class BaseFab {
public:
    using value_type = T;

    BaseFab() noexcept = default;
    BaseFab(const Box<D>& box, int ncomp, Arena& arena = The_Arena()) { resize(box, ncomp, arena); }
    /// Over memory that is there: `data` lies in `memory` and has all elements, compact.
    BaseFab(const Box<D>& box, int ncomp, AllocationPtr memory, T* data) noexcept
        : box_(box), ncomp_(ncomp), memory_(std::move(memory)), data_(data), alias_(true) {}

    /// New memory for another box.  ValueError or MemoryError, then nothing has changed.
    void resize(const Box<D>& box, int ncomp, Arena& arena = The_Arena()) {
        const std::size_t count = fab_elements(box, ncomp, sizeof(T));
        AllocationPtr fresh = count > 0 ? arena.allocate(count * sizeof(T)) : AllocationPtr{};
        const AllocationPtr old = std::exchange(memory_, std::move(fresh));  // freed last: other threads may run then
        box_ = box;
        ncomp_ = ncomp;
        data_ = memory_ ? static_cast<T*>(memory_->data()) : nullptr;
        alias_ = false;
    }
    /// Release the memory; the fab is as after the default constructor.
    void clear() noexcept {
        const AllocationPtr old = std::exchange(memory_, {});  // freed last, as above
        *this = BaseFab();
    }

    [[nodiscard]] const Box<D>& box() const noexcept { return box_; }
    [[nodiscard]] int n_comp() const noexcept { return ncomp_; }
    [[nodiscard]] bool is_allocated() const noexcept { return data_ != nullptr; }
    /// Points of the box; with components: `size`.
    [[nodiscard]] Long num_pts() const { return ncomp_ > 0 ? box_.num_pts() : 0; }
    [[nodiscard]] Long size() const { return num_pts() * ncomp_; }
    [[nodiscard]] std::size_t n_bytes() const { return static_cast<std::size_t>(size()) * sizeof(T); }
    /// Bytes of its own: 0 for a fab over memory of somebody else.
    [[nodiscard]] std::size_t n_bytes_owned() const { return alias_ ? 0 : n_bytes(); }

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] const AllocationPtr& share() const noexcept { return memory_; }
    [[nodiscard]] Array4<T> array() const noexcept { return array_over(data_, box_, ncomp_); }
    [[nodiscard]] Array4<const T> const_array() const noexcept {
        return array_over(static_cast<const T*>(data_), box_, ncomp_);
    }

private:
    Box<D> box_{};
    int ncomp_ = 0;
    AllocationPtr memory_;
    T* data_ = nullptr;
    bool alias_ = false;
};

template <int D>
using FArrayBox = BaseFab<D, Real>;
template <int D>
using IArrayBox = BaseFab<D, int>;

}  // namespace zerofab
