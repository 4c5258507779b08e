// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/address_index.hpp"

#include <algorithm>

namespace zerofab::detail {
namespace {

std::uintptr_t address_of(const void* data) noexcept { return reinterpret_cast<std::uintptr_t>(data); }

}  // namespace

void AddressIndex::add(Allocation& memory) {
    const std::lock_guard lock(mutex_);
    all_.emplace(address_of(memory.data()), &memory);
    longest_ = std::max(longest_, memory.bytes());
}

void AddressIndex::remove(const Allocation& memory) noexcept {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = all_.equal_range(address_of(memory.data()));
    const auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second == &memory; });
    if (found != last) all_.erase(found);
    if (all_.empty()) longest_ = 0;
}

void AddressIndex::used_on(const void* data, Stream stream) noexcept {
    const std::uintptr_t at = address_of(data);
    const std::lock_guard lock(mutex_);  // what is found here cannot be freed meanwhile: it is removed first
    for (auto entry = all_.upper_bound(at); entry != all_.begin();) {
        --entry;
        const std::uintptr_t offset = at - entry->first;
        if (offset >= longest_) return;
        if (offset < entry->second->bytes()) entry->second->used_on(stream);
        if (disjoint_) return;
    }
}

AddressIndex& own_addresses() noexcept {
    static auto& index = *new AddressIndex(true);  // never destroyed: memory is freed after static destructors have run
    return index;
}

AddressIndex& adopted_addresses() noexcept {
    static auto& index = *new AddressIndex(false);
    return index;
}

}  // namespace zerofab::detail
