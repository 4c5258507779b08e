// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "memory/device_queue.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

const char* kernel_for(std::size_t bytes) {
    switch (bytes) {
        case 1:
            return "copy_1";
        case 2:
            return "copy_2";
        case 4:
            return "copy_4";
        case 8:
            return "copy_8";
        case 16:
            return "copy_16";
        default:
            ensure(false, "elements of this size");
            return "";
    }
}

/// Axes with more than one element, the smallest stride first.
std::vector<std::size_t> axes_by_stride(const TensorView& view) {
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
        if (view.shape[axis] > 1) order.push_back(axis);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::abs(view.strides[a]) < std::abs(view.strides[b]);
    });
    return order;
}

/// New memory for the same elements without gaps, in the order in which `like` has them.
TensorView compact(const TensorView& like, Arena& arena) {
    TensorView result = like;
    result.own(arena.allocate(static_cast<std::size_t>(like.size()) * like.dtype->size));
    result.data = result.owner->data();
    std::int64_t step = 1;
    for (const std::size_t axis : axes_by_stride(like)) {
        result.strides[axis] = step;
        step *= like.shape[axis];
    }
    return result;
}

/// All of the memory of two that `compact` made.
void copy_memory(const TensorView& to, const TensorView& from) {
    copy_bytes(to.data, to.place(), from.data, from.place(), to.owner->bytes());
}

/// One kernel, when both are in memory of the device.
void launch(const DeviceQueue& queue, const TensorView& to, const TensorView& from) {
    std::array<std::int64_t, max_axes> count{}, to_step{}, from_step{};
    count.fill(1);
    std::size_t axes = 0;
    for (const std::size_t axis : axes_by_stride(to)) {
        const std::size_t last = axes - 1;
        if (axes > 0 && to_step[last] * count[last] == to.strides[axis] &&
            from_step[last] * count[last] == from.strides[axis]) {
            count[last] *= to.shape[axis];  // follows without a gap on both sides
            continue;
        }
        count[axes] = to.shape[axis];
        to_step[axes] = to.strides[axis];
        from_step[axes] = from.strides[axis];
        ++axes;
    }
    std::vector<KernelArg> args{to.data, from.data};
    for (const auto* numbers : {&count, &to_step, &from_step})
        args.insert(args.end(), numbers->begin(), numbers->end());
    queue.launch(kernel_for(to.dtype->size), KernelType::i32, {1, to.size()}, args);
    for (const TensorView* view : {&to, &from}) {
        if (view->owner) view->owner->used_on(queue.stream());
    }
}

}  // namespace

bool is_device_copy(const TensorView& to, const TensorView& from) noexcept {
    const Place a = to.place(), b = from.place();
    if (a.is_plain() && b.is_plain()) return false;
    if (!a.is_plain() && !b.is_plain()) return a.device == b.device;
    return !a.host_reaches() || !b.host_reaches();
}

void device_copy(const TensorView& to, const TensorView& from) {
    const DeviceQueue queue(to.place().is_plain() ? from.device : to.device);
    if (to.place().is_plain()) {
        const TensorView there = compact(from, arena_at(queue.place())), here = compact(from, The_Cpu_Arena());
        launch(queue, there, from);
        copy_memory(here, there);
        copy_elements(to, here);
    } else if (from.place().is_plain()) {
        const TensorView here = compact(to, The_Cpu_Arena()), there = compact(to, arena_at(queue.place()));
        copy_elements(here, from);
        copy_memory(there, here);
        launch(queue, to, there);
    } else {
        launch(queue, to, from);
    }
}

}  // namespace zerofab::detail
