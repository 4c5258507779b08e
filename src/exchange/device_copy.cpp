// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_copy.hpp"

#include <vector>

#include "exchange/strided_copy.hpp"
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

/// All of the memory of two that compact_like() made.
void copy_memory(const TensorView& to, const TensorView& from) {
    copy_bytes(to.data, to.space(), from.data, from.space(), to.owner->bytes());
}

/// One kernel, when both are in memory of the device.
void launch(const DeviceQueue& queue, const TensorView& to, const TensorView& from) {
    const StridedCopy copy(to, from);
    std::vector<KernelArg> args{to.data, from.data};
    for (std::size_t axis = 0; axis < max_axes; ++axis) args.emplace_back(copy.count(axis));
    for (std::size_t axis = 0; axis < max_axes; ++axis) args.emplace_back(copy.to(axis));
    for (std::size_t axis = 0; axis < max_axes; ++axis) args.emplace_back(copy.from(axis));
    queue.launch(kernel_for(to.dtype->size), KernelType::i32, {1, to.size()}, args);
    for (const TensorView* view : {&to, &from}) {
        if (view->owner) view->owner->used_on(queue.stream());
    }
}

}  // namespace

bool is_device_copy(const TensorView& to, const TensorView& from) noexcept {
    const MemorySpace a = to.space(), b = from.space();
    if (a.is_plain() && b.is_plain()) return false;
    if (!a.is_plain() && !b.is_plain()) return a.device == b.device;
    return !a.host_reaches() || !b.host_reaches();
}

void device_copy(const TensorView& to, const TensorView& from) {
    const DeviceQueue queue(to.space().is_plain() ? from.device : to.device);
    if (to.space().is_plain()) {
        const TensorView there = compact_like(from, arena_at(queue.space())),
                         here = compact_like(from, The_Cpu_Arena());
        launch(queue, there, from);
        copy_memory(here, there);
        copy_elements(to, here);
    } else if (from.space().is_plain()) {
        const TensorView here = compact_like(to, The_Cpu_Arena()), there = compact_like(to, arena_at(queue.space()));
        copy_elements(here, from);
        copy_memory(there, here);
        launch(queue, to, there);
    } else {
        launch(queue, to, from);
    }
}

}  // namespace zerofab::detail
