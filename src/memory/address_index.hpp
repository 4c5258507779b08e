// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Memory of devices by its address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "zerofab/memory/allocation.hpp"

namespace zerofab::detail {

/// Finds the allocations that hold an address.  Copies and fills are given addresses, not allocations: by this they
/// note their use of the memory, as kernels do.
class AddressIndex {
public:
    explicit AddressIndex(bool disjoint) noexcept : disjoint_(disjoint) {}

    void add(Allocation& memory);
    void remove(const Allocation& memory) noexcept;
    /// Work on this stream uses the memory at this address; see Allocation::used_on.
    void used_on(const void* data, Stream stream) noexcept;

private:
    bool disjoint_;  ///< no two of them hold the same byte
    std::mutex mutex_;
    std::multimap<std::uintptr_t, Allocation*> all_;  ///< by the first byte
    std::size_t longest_ = 0;
};

/// Of memory that arenas gave out.
AddressIndex& own_addresses() noexcept;
/// Of memory of others; what was imported twice is there twice.
AddressIndex& adopted_addresses() noexcept;

}  // namespace zerofab::detail
