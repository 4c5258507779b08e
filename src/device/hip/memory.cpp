// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>

#include "device/backends.hpp"
#include "device/fork_count.hpp"
#include "device/hip/backend.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::hip {

void* HipBackend::allocate(MemoryKind kind, std::size_t bytes, int device) {
    if (kind == MemoryKind::host) return host_backend().allocate(kind, bytes, 0);
    constexpr unsigned to_all_streams = 1, for_all_devices = 1;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    const Here here(*this, device);
    void* data = nullptr;
    Result result = success;
    switch (kind) {
        case MemoryKind::pinned:
            result = driver_.allocate_pinned(&data, size, for_all_devices);
            break;
        case MemoryKind::managed:
            result = driver_.allocate_managed(&data, size, to_all_streams);
            break;
        default:
            result = driver_.allocate_device(&data, size);
    }
    if (result == out_of_memory) {
        static_cast<void>(driver_.last_error());  // or another library would take it for its own
        throw MemoryError("hip: device " + std::to_string(device) + " has no " + std::to_string(bytes) + " bytes of " +
                          std::string(name_of(kind)) + " memory left (" +
                          report_.devices[static_cast<std::size_t>(device)].name + ")");
    }
    check(driver_, result, "allocating memory");
    return data;
}

void HipBackend::deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept {
    if (kind == MemoryKind::host) return host_backend().deallocate(kind, data, bytes, 0);
    if (data == nullptr || fork_count() != forks_) return;  // the memory is the parent's
    try {
        const Here here(*this, device);
        // A failure has nobody to hear of it: the driver is gone, or the device is.
        static_cast<void>(kind == MemoryKind::pinned ? driver_.free_pinned(data) : driver_.free_device(data));
    } catch (const std::exception&) {
    }
}

/// Whether this is the host's own memory, which the run time does not know.
bool HipBackend::is_pageable(const void* data) const {
    int record[64] = {};  // it begins with the type of memory; 0 is unknown memory, in ROCm 5 also pinned memory
    if (driver_.pointer_attributes(record, data) == success) return record[0] == 0;
    static_cast<void>(driver_.last_error());
    return true;
}

void HipBackend::copy(int device, void* to, const void* from, std::size_t bytes, Stream stream) {
    if (bytes == 0) return;
    const Here here(*this, device);
    constexpr int by_the_addresses = 4;
    check(driver_, driver_.copy(to, from, bytes, by_the_addresses, stream.handle), "copying memory");
    // Where the GPU reaches all of the host's memory nothing is staged, and then it is read later.
    if (is_pageable(from)) check(driver_, driver_.synchronize(stream.handle), "copying memory of the host");
}

void HipBackend::fill(int device, void* to, unsigned char byte, std::size_t bytes, Stream stream) {
    if (bytes == 0) return;
    const Here here(*this, device);
    check(driver_, driver_.fill(to, byte, bytes, stream.handle), "filling memory");
}

}  // namespace zerofab::hip
