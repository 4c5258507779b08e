// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/device/recorded.hpp"

#include <atomic>
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

/// A number that no other thread of this process has, ever: the system's are given out again.
std::int64_t number_of_thread() noexcept {
    constinit static std::atomic<std::int64_t> last{0};
    constinit thread_local std::int64_t own = 0;
    if (own == 0) own = last.fetch_add(1, std::memory_order_relaxed) + 1;
    return own;
}

}  // namespace

Recorded::Recorded(Device device, Stream stream)
    : device_(device), event_(backend(device.backend).record(device.id, stream)) {}

Recorded::~Recorded() {
    if (event_.handle != nullptr) backend(device_.backend).forget(device_.id, event_);
}

bool Recorded::reached() const { return backend(device_.backend).reached(device_.id, event_); }

void Recorded::hold_back(Stream later) const { backend(device_.backend).wait(device_.id, later, event_); }

void order_streams(Device device, Stream first, Stream later) {
    if (first.handle != later.handle) Recorded(device, first).hold_back(later);
}

StreamId::StreamId(Device device, Stream stream)
    : handle_(stream.handle),
      thread_(stream.handle != nullptr && backend(device.backend).is_per_thread(stream) ? number_of_thread() : 0) {}

bool StreamId::is_here() const noexcept { return thread_ == 0 || thread_ == number_of_thread(); }

StreamUse::StreamUse(Device device, Stream stream) {
    const StreamId id(device, stream);
    if (stream.handle != nullptr) {
        const std::lock_guard lock(uses().mutex);
        ++uses().counts[stream.handle];
    }
    id_ = id;
}

StreamUse::~StreamUse() {
    if (id_.get().handle == nullptr) return;
    const std::lock_guard lock(uses().mutex);
    const auto found = uses().counts.find(id_.get().handle);
    if (--found->second == 0) uses().counts.erase(found);
}

bool is_in_use(Stream stream) noexcept {
    const std::lock_guard lock(uses().mutex);
    return uses().counts.contains(stream.handle);
}

}  // namespace zerofab
