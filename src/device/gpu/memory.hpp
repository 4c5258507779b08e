// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// GpuBackend: memory, and copies.
#pragma once

#include <algorithm>

#include "device/backends.hpp"
#include "device/fork_count.hpp"
#include "device/gpu/backend.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::gpu {

template <class Api>
void* GpuBackend<Api>::allocate(MemoryKind kind, std::size_t bytes, int device) {
    if (kind == MemoryKind::host) return host_backend().allocate(kind, bytes, 0);
    constexpr unsigned to_all_streams = 1, for_all_contexts = 1;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    const Blocking waiting;  // for the device, where the driver has to get memory from elsewhere
    const Here here(driver_, own(device));
    void* data = nullptr;
    const Result result = kind == MemoryKind::pinned    ? driver_.allocate_pinned(&data, size, for_all_contexts)
                          : kind == MemoryKind::managed ? driver_.allocate_managed(&data, size, to_all_streams)
                                                        : driver_.allocate_device(&data, size);
    if (result == out_of_memory) {
        Api::clear_error(driver_);
        throw MemoryError(concat(Api::name, ": device ", device, " has no ", bytes, " bytes of ", name_of(kind),
                                 " memory left (", report_.devices[static_cast<std::size_t>(device)].name, ")"));
    }
    require(result, "allocating memory");
    return data;
}

template <class Api>
void GpuBackend<Api>::deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept {
    if (kind == MemoryKind::host) return host_backend().deallocate(kind, data, bytes, 0);
    if (data == nullptr || fork_count() != forks_) return;  // the memory is the parent's
    try {
        const Blocking waiting;  // for all work of the device
        const Here here(driver_, own(device));
        // A failure has nobody to hear of it: the driver is gone, or the device is.
        quiet(kind == MemoryKind::pinned ? driver_.free_pinned(data) : driver_.free_device(data));
    } catch (const std::exception&) {
    }
}

template <class Api>
void GpuBackend<Api>::copy(int device, void* to, const void* from, std::size_t bytes, Stream stream) {
    if (bytes == 0) return;
    const Blocking waiting;  // pageable memory is copied when all work before it is done
    const Here here(driver_, own(device));
    require(Api::copy(driver_, to, from, bytes, stream), "copying memory");
    // Where the GPU reaches all of the host's memory (HMM, Grace, APUs) nothing is staged, so the driver's promise to
    // have read pageable memory when it returns is not kept.
    if (Api::is_pageable(driver_, from)) require(driver_.synchronize(stream.handle), "copying memory of the host");
}

template <class Api>
void GpuBackend<Api>::fill(int device, void* to, unsigned char byte, std::size_t bytes, Stream stream) {
    if (bytes == 0) return;
    const Blocking waiting;
    const Here here(driver_, own(device));
    require(driver_.fill(to, byte, bytes, stream.handle), "filling memory");
}

}  // namespace zerofab::gpu
