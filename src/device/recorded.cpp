// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/device/recorded.hpp"

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace zerofab {
namespace {

/// How many uses each stream has.
struct Uses {
    std::mutex mutex;
    std::unordered_map<const void*, std::int64_t> counts;
};

Uses& uses() {
    static auto& all = *new Uses;  // never destroyed: memory is freed after static destructors have run
    return all;
}

}  // namespace

Recorded::Recorded(Device device, Stream stream)
    : device_(device), event_(backend(device.backend).record(device.id, stream)) {}

Recorded::~Recorded() {
    if (event_.handle != nullptr) backend(device_.backend).forget(device_.id, event_);
}

void Recorded::hold_back(Stream later) const { backend(device_.backend).wait(device_.id, later, event_); }

void order_streams(Device device, Stream first, Stream later) {
    if (first.handle != later.handle) Recorded(device, first).hold_back(later);
}

StreamUse::StreamUse(Stream stream) {
    if (stream.handle != nullptr) {
        const std::lock_guard lock(uses().mutex);
        ++uses().counts[stream.handle];
    }
    stream_ = stream;
}

StreamUse::~StreamUse() {
    if (stream_.handle == nullptr) return;
    const std::lock_guard lock(uses().mutex);
    const auto found = uses().counts.find(stream_.handle);
    if (--found->second == 0) uses().counts.erase(found);
}

bool is_in_use(Stream stream) noexcept {
    const std::lock_guard lock(uses().mutex);
    return uses().counts.contains(stream.handle);
}

}  // namespace zerofab
