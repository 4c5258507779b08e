// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/memory/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "memory/address_index.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {
namespace {

/// Work on this stream, which goes on when we return, uses the memory at this address.
void note_use(const void* data, MemorySpace space, Stream stream) noexcept {
    if (space.is_plain()) return;
    detail::own_addresses().used_on(data, stream);
    detail::adopted_addresses().used_on(data, stream);
}

}  // namespace

void copy_bytes(void* to, MemorySpace to_space, const void* from, MemorySpace from_space, std::size_t bytes) {
    if (bytes == 0) return;
    if (to_space.is_plain() && from_space.is_plain()) {
        std::memcpy(to, from, bytes);
        return;
    }
    const Device device = to_space.is_plain() ? from_space.device : to_space.device;
    if (!to_space.is_plain() && !from_space.is_plain() && to_space.device != from_space.device) {
        throw BufferError("memory cannot be copied between two devices: copy it to the host first");
    }
    Backend& vendor = backend(device.backend);
    const Stream stream = Runtime::stream(device);
    note_use(to, to_space, stream);
    note_use(from, from_space, stream);
    vendor.copy(device.id, to, from, bytes, stream);
    if (to_space.is_plain() || from_space.is_plain()) vendor.synchronize(device.id, stream);
}

void fill_bytes(void* to, MemorySpace space, unsigned char byte, std::size_t bytes) {
    if (bytes == 0) return;
    if (space.is_plain()) {
        std::memset(to, byte, bytes);
        return;
    }
    const Stream stream = Runtime::stream(space.device);
    note_use(to, space, stream);
    backend(space.device.backend).fill(space.device.id, to, byte, bytes, stream);
}

void fill_elements(void* to, MemorySpace space, const void* value, std::size_t size, std::size_t count) {
    if (count == 0) return;
    const auto* bytes = static_cast<const unsigned char*>(value);
    const bool one_byte = std::all_of(bytes, bytes + size, [first = bytes[0]](unsigned char b) { return b == first; });
    if (one_byte) {
        fill_bytes(to, space, bytes[0], size * count);
        return;
    }
    auto* first = static_cast<unsigned char*>(to);
    if (space.host_reaches()) {
        ready_for_host(space, "memory");
        for (std::size_t n = 0; n < count; ++n) std::memcpy(first + n * size, value, size);
        return;
    }
    // From the host only a little, the rest from the device's own memory, twice as much each time.
    constexpr std::size_t most = 4096;
    std::array<unsigned char, most> some{};
    std::size_t done = std::min(count, most / size);
    for (std::size_t n = 0; n < done; ++n) std::memcpy(some.data() + n * size, value, size);
    copy_bytes(to, space, some.data(), {}, done * size);
    while (done < count) {
        const std::size_t next = std::min(done, count - done);
        copy_bytes(first + done * size, space, to, space, next * size);
        done += next;
    }
}

void ready_for_host(MemorySpace space, const char* what) {
    if (space.is_plain()) return;
    if (!space.host_reaches()) {
        throw BufferError(std::string(what) +
                          " is in memory of a device, which the host cannot reach: use to_xp() for an array of the "
                          "device, or to_numpy(copy=True) for a copy");
    }
    backend(space.device.backend).synchronize(space.device.id, Runtime::stream(space.device));
}

}  // namespace zerofab
