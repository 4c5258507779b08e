// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/backends.hpp"
#include "device/sycl/device.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::sycl {

void* SyclDevice::allocate(MemoryKind kind, std::size_t bytes) {
    if (kind == MemoryKind::host) return host_backend().allocate(kind, bytes, 0);
    constexpr std::size_t line = 64;
    const std::size_t size = bytes == 0 ? line : bytes;
    const Dpctl& call = dpctl();
    const QueueRef own = queue();
    void* data = kind == MemoryKind::device    ? call.alloc_device(line, size, own)
                 : kind == MemoryKind::managed ? call.alloc_shared(line, size, own)
                                               : call.alloc_host(line, size, own);
    if (data == nullptr) {
        throw MemoryError(concat("sycl: ", info_.name, " gave no ", bytes, " bytes of ", name_of(kind),
                                 " memory; it has ", info_.bytes, " in all"));
    }
    return data;
}

void SyclDevice::deallocate(void* data) noexcept {
    try {
        if (data != nullptr) dpctl().free_memory(data, context_);
    } catch (const std::exception&) {
        return;  // the driver has lost the device, and the memory with it
    }
}

MemoryKind SyclDevice::kind_of(const void* data) {
    open();
    switch (dpctl().memory_type(data, context_)) {
        case usm_device:
            return MemoryKind::device;
        case usm_shared:
            return MemoryKind::managed;
        case usm_host:
            return MemoryKind::pinned;
        default:
            return MemoryKind::host;
    }
}

void SyclDevice::copy(void* to, const void* from, std::size_t bytes, Stream stream) {
    open();
    if (bytes == 0) return;
    Command command(*this, stream);
    const EventRef event = dpctl().queue_memcpy(command.queue(), to, from, bytes, command.after(), command.count());
    command.submitted(event, concat("a copy of ", bytes, " bytes"), kind_of(from) == MemoryKind::host);
}

void SyclDevice::fill(void* to, unsigned char byte, std::size_t bytes, Stream stream) {
    open();
    if (bytes == 0) return;
    Command command(*this, stream);
    command.barrier();
    command.submitted(dpctl().queue_memset(command.queue(), to, byte, bytes), "setting bytes");
}

}  // namespace zerofab::sycl
