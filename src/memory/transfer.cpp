// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/memory/transfer.hpp"

#include <cstring>
#include <string>

#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {
namespace {

/// The calling thread's stream on this device: memory of another cycle keeps its own device.
Stream stream_of(Device device) {
    return device == Runtime::run_device() ? Runtime::stream() : backend(device.backend).default_stream(device.id);
}

}  // namespace

void copy_bytes(void* to, Place to_place, const void* from, Place from_place, std::size_t bytes) {
    if (bytes == 0) return;
    if (to_place.is_plain() && from_place.is_plain()) {
        std::memcpy(to, from, bytes);
        return;
    }
    const Device device = to_place.is_plain() ? from_place.device : to_place.device;
    if (!to_place.is_plain() && !from_place.is_plain() && to_place.device != from_place.device) {
        throw BufferError("memory cannot be copied between two devices: copy it to the host first");
    }
    Backend& vendor = backend(device.backend);
    const Stream stream = stream_of(device);
    vendor.copy(device.id, to, from, bytes, stream);
    if (to_place.is_plain() || from_place.is_plain()) vendor.synchronize(device.id, stream);
}

void fill_bytes(void* to, Place place, unsigned char byte, std::size_t bytes) {
    if (bytes == 0) return;
    if (place.is_plain()) {
        std::memset(to, byte, bytes);
        return;
    }
    backend(place.device.backend).fill(place.device.id, to, byte, bytes, stream_of(place.device));
}

void ready_for_host(Place place, const char* what) {
    if (place.is_plain()) return;
    if (!place.host_reaches()) {
        throw BufferError(std::string(what) +
                          " is in memory of a device, which the host cannot reach: use to_xp() for an array of the "
                          "device, or to_numpy(copy=True) for a copy");
    }
    backend(place.device.backend).synchronize(place.device.id, stream_of(place.device));
}

}  // namespace zerofab
