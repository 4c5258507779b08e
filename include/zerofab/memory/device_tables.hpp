// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Tables that kernels read, made once and kept beside what they describe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>

#include "zerofab/memory/allocation.hpp"

namespace zerofab {

/// Memory of a device by a key of a few numbers, made at the first use.  A copy starts empty.
class DeviceTables {
public:
    using Key = std::array<std::int32_t, 8>;

    DeviceTables() = default;
    DeviceTables(const DeviceTables&) noexcept {}
    DeviceTables& operator=(const DeviceTables&) noexcept { return *this; }
    ~DeviceTables() = default;

    /// The table of this key; `make()` gives it if there is none yet.
    template <class Make>
    AllocationPtr get(const Key& key, Make make) {
        {
            const std::lock_guard lock(mutex_);
            if (const auto found = tables_.find(key); found != tables_.end()) return found->second;
        }
        // Without the lock: making and freeing may release Python's lock, which another who waits here may hold.
        AllocationPtr made = make();
        std::map<Key, AllocationPtr> dropped;
        const std::lock_guard lock(mutex_);
        if (tables_.size() >= most) dropped.swap(tables_);  // who asks for ever new ones shall not fill the memory
        return tables_.try_emplace(key, std::move(made)).first->second;
    }

private:
    static constexpr std::size_t most = 64;

    std::mutex mutex_;
    std::map<Key, AllocationPtr> tables_;
};

}  // namespace zerofab
