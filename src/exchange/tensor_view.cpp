// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/exchange/tensor_view.hpp"

#include <algorithm>

#include "exchange/device_copy.hpp"
#include "exchange/strided_copy.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab {
namespace {

/// Whether the elements of both lie in the same order, at the same distances.
bool same_strides(const TensorView& a, const TensorView& b) noexcept {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(a.axes); ++axis) {
        if (a.shape[axis] != 1 && a.strides[axis] != b.strides[axis]) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool is_compact(const TensorView& view, char order) noexcept {
    if (view.size() == 0) {
        return true;
    }
    detail::AxisOrder axes{};
    if (order == 'K') {
        axes = detail::by_stride(view);
    } else {
        for (int n = 0; n < view.axes; ++n) {
            axes[static_cast<std::size_t>(n)] = static_cast<std::size_t>(order == 'C' ? view.axes - 1 - n : n);
        }
    }
    std::int64_t step = 1;
    for (int n = 0; n < view.axes; ++n) {
        const auto axis = axes[static_cast<std::size_t>(n)];
        if (view.shape[axis] == 1) {
            continue;
        }
        if (view.strides[axis] != step) {
            return false;
        }
        step *= view.shape[axis];
    }
    return true;
}

Extent byte_extent(const TensorView& view) noexcept {
    if (view.size() == 0) {
        return {};
    }
    Extent extent;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
        const std::int64_t reach = (view.shape[axis] - 1) * view.strides[axis];
        (reach < 0 ? extent.low : extent.high) += reach;
    }
    const auto item = static_cast<std::int64_t>(view.dtype->size);
    extent.low *= item;
    extent.high = (extent.high + 1) * item;
    return extent;
}

namespace {

/// The same with all memory between its first and its last element copied to an arena.
TensorView with_extent_in(Arena& arena, const TensorView& view) {
    TensorView result = view;
    result.read_only = false;
    const Extent extent = byte_extent(view);
    const auto bytes = static_cast<std::size_t>(extent.high - extent.low);
    if (bytes == 0) {
        result.owner.reset();
        result.data = nullptr;
        result.device = arena.device();
        result.kind = arena.kind();
        return result;
    }
    result.own(arena.allocate(bytes));
    copy_bytes(result.owner->data(), result.owner->space(), static_cast<const char*>(view.data) + extent.low,
               view.space(), bytes);
    result.data = static_cast<char*>(result.owner->data()) - extent.low;
    return result;
}

}  // namespace

TensorView copied_in_place(const TensorView& view) {
    return view.space().is_plain() ? copied(view) : with_extent_in(arena_at(view.space()), view);
}

TensorView copied(const TensorView& view) {
    TensorView result = detail::compact_like(view, The_Cpu_Arena());
    if (view.size() > 0) copy_elements(result, view);
    return result;
}

TensorView allocated(const TensorView& like, const std::int64_t* shape) {
    TensorView result = like;
    result.owner.reset();
    result.data = nullptr;
    __int128 size = 1;
    for (int axis = like.axes - 1; axis >= 0; --axis) {
        const auto at = static_cast<std::size_t>(axis);
        if (shape[axis] < 0) {
            throw BufferError("a tensor cannot have a negative extent");
        }
        result.shape[at] = shape[axis];
        result.strides[at] = static_cast<std::int64_t>(size);
        size *= std::max<std::int64_t>(shape[axis], 1);
        if (size * static_cast<__int128>(like.dtype->size) > PTRDIFF_MAX) {
            throw MemoryError("a tensor of this shape does not fit any memory");
        }
    }
    if (result.size() > 0) {
        result.own(arena_at(like.space()).allocate(static_cast<std::size_t>(result.size()) * like.dtype->size));
        result.data = result.owner->data();
    }
    return result;
}

void copy_elements(const TensorView& to, const TensorView& from) {
    ensure(to.axes == from.axes && to.dtype->size == from.dtype->size, "copy of unlike tensors");
    if (to.size() == 0) {
        return;
    }
    if (is_compact(to, 'K') && same_strides(to, from)) {
        const Extent extent = byte_extent(to);
        copy_bytes(static_cast<char*>(to.data) + extent.low, to.space(),
                   static_cast<const char*>(from.data) + extent.low, from.space(),
                   static_cast<std::size_t>(extent.high - extent.low));
        return;
    }
    if (detail::is_device_copy(to, from)) {
        detail::device_copy(to, from);
        return;
    }
    if (!from.space().host_reaches() || !to.space().host_reaches()) {  // two devices
        copy_elements(to, copied(from));
        return;
    }
    ready_for_host(from.space(), from.what);
    ready_for_host(to.space(), to.what);
    detail::StridedCopy(to, from).run(to.data, from.data, to.dtype->size);
}

std::string describe(const TensorView& view) {
    std::string text = view.dtype->name;
    text += " (";
    for (int axis = 0; axis < view.axes; ++axis) {
        text += std::to_string(view.shape[static_cast<std::size_t>(axis)]);
        text += axis + 1 < view.axes ? ", " : view.axes == 1 ? "," : "";
    }
    return text + ")";
}

}  // namespace zerofab
