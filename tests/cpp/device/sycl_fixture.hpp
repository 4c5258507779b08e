// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the tests of SYCL share.  They are skipped, and counted so, unless ZEROFAB_SYCL_LIBRARY names dpctl's library.
#pragma once

#include <array>
#include <cstdlib>
#include <vector>

#include "zerofab/device/backend.hpp"

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

}  // namespace zerofab::sycl_test
