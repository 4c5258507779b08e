// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the tests of SYCL share.  They are skipped, and counted so, unless ZEROFAB_SYCL_LIBRARY names dpctl's library.
#pragma once

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "zerofab/device/backend.hpp"
#include "zerofab/device/sycl.hpp"

namespace zerofab::sycl_test {

inline const bool absent = std::getenv("ZEROFAB_SYCL_LIBRARY") == nullptr;

inline Backend& sycl() { return backend(BackendKind::sycl); }

/// Memory of the first device, freed with the test.
struct Memory {
    Memory(MemoryKind wanted, std::size_t size) : kind(wanted), bytes(size), data(sycl().allocate(kind, bytes, 0)) {}
    Memory(const Memory&) = delete;
    ~Memory() {
        sycl().synchronize(0, {});
        sycl().deallocate(kind, data, bytes, 0);
    }
    MemoryKind kind;
    std::size_t bytes;
    void* data;
};

inline std::vector<unsigned char> read(const Memory& memory) {
    std::vector<unsigned char> host(memory.bytes);
    sycl().copy(0, host.data(), memory.data, memory.bytes, {});
    sycl().synchronize(0, {});
    return host;
}

inline constexpr std::array kinds{MemoryKind::device, MemoryKind::managed, MemoryKind::pinned};

/// A function of dpctl's, for what only a library that shares our memory does.
template <class Function>
Function* dpctl(const char* name) {
    static void* const library = dlopen(sycl().report().library.c_str(), RTLD_NOW);
    return reinterpret_cast<Function*>(dlsym(library, name));
}

/// A queue of somebody else's, out of order as dpnp's is, or in order.
struct ForeignQueue {
    explicit ForeignQueue(int properties) {
        void* context = dpctl<void*(void*)>("DPCTLQueue_GetContext")(sycl_queue(0));
        void* device = dpctl<void*(void*)>("DPCTLQueue_GetDevice")(sycl_queue(0));
        queue = dpctl<void*(void*, void*, void*, int)>("DPCTLQueue_Create")(context, device, nullptr, properties);
    }
    ForeignQueue(const ForeignQueue&) = delete;
    ~ForeignQueue() { dpctl<void(void*)>("DPCTLQueue_Delete")(queue); }

    void fill(const Memory& memory, unsigned char byte) const {
        void* event = dpctl<void*(void*, void*, std::uint8_t, std::size_t)>("DPCTLQueue_Memset")(queue, memory.data,
                                                                                                 byte, memory.bytes);
        dpctl<void(void*)>("DPCTLEvent_Delete")(event);
    }
    void copy(const Memory& to, const Memory& from) const {
        void* event = dpctl<void*(void*, void*, const void*, std::size_t)>("DPCTLQueue_Memcpy")(queue, to.data,
                                                                                                from.data, from.bytes);
        dpctl<void(void*)>("DPCTLEvent_Delete")(event);
    }
    void wait() const { dpctl<void(void*)>("DPCTLQueue_Wait")(queue); }

    void* queue = nullptr;
};

}  // namespace zerofab::sycl_test
