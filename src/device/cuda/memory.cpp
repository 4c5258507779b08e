// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdint>
#include <string>

#include "device/backends.hpp"
#include "device/cuda/backend.hpp"
#include "device/fork_count.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::cuda {
namespace {

Address address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

}  // namespace

void* CudaBackend::allocate(MemoryKind kind, std::size_t bytes, int device) {
    if (kind == MemoryKind::host) return host_backend().allocate(kind, bytes, 0);
    constexpr unsigned to_all_streams = 1, for_all_contexts = 1;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    const Here here(*this, device);
    Address address = 0;
    void* pinned = nullptr;
    Result result = success;
    switch (kind) {
        case MemoryKind::pinned:
            result = driver_.allocate_pinned(&pinned, size, for_all_contexts);
            break;
        case MemoryKind::managed:
            result = driver_.allocate_managed(&address, size, to_all_streams);
            break;
        default:
            result = driver_.allocate_device(&address, size);
    }
    if (result == out_of_memory) {
        throw MemoryError("cuda: device " + std::to_string(device) + " has no " + std::to_string(bytes) + " bytes of " +
                          std::string(name_of(kind)) + " memory left (" +
                          report_.devices[static_cast<std::size_t>(device)].name + ")");
    }
    check(driver_, result, "allocating memory");
    return kind == MemoryKind::pinned ? pinned : reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

void CudaBackend::deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept {
    if (kind == MemoryKind::host) return host_backend().deallocate(kind, data, bytes, 0);
    if (data == nullptr || fork_count() != forks_) return;  // the memory is the parent's
    try {
        const Here here(*this, device);
        // A failure has nobody to hear of it: the driver is gone, or the device is.
        static_cast<void>(kind == MemoryKind::pinned ? driver_.free_pinned(data)
                                                     : driver_.free_device(address_of(data)));
    } catch (const std::exception&) {
    }
}

/// Whether this is the host's own memory, which the driver does not know.
bool CudaBackend::is_pageable(const void* data) const {
    constexpr int memory_type = 2;
    unsigned type = 0;
    return driver_.pointer_attribute(&type, memory_type, address_of(data)) != success || type == 0;
}

void CudaBackend::copy(int device, void* to, const void* from, std::size_t bytes, Stream stream) {
    if (bytes == 0) return;
    const Here here(*this, device);
    check(driver_, driver_.copy(address_of(to), address_of(from), bytes, stream.handle), "copying memory");
    // Where the GPU reaches all of the host's memory (HMM, Grace) nothing is staged, so the driver's promise to have
    // read pageable memory when it returns is not kept.
    if (is_pageable(from)) check(driver_, driver_.synchronize(stream.handle), "copying memory of the host");
}

void CudaBackend::fill(int device, void* to, unsigned char byte, std::size_t bytes, Stream stream) {
    if (bytes == 0) return;
    const Here here(*this, device);
    check(driver_, driver_.fill(address_of(to), byte, bytes, stream.handle), "filling memory");
}

}  // namespace zerofab::cuda
