// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "backends.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

/// The library's own, in the order of BackendKind.
constexpr std::array<Backend& (*)(), 4> own{&host_backend, &cuda_backend, &hip_backend, &sycl_backend};
static_assert(static_cast<std::size_t>(added_kind(0)) == own.size());

/// Those that were added, by their kind.
constinit std::array<std::atomic<Backend*>, 8> added{};

/// What has this name, or null.
Backend* named(std::string_view name) noexcept {
    const auto is_named = [name](const Backend& one) {
        const auto& names = one.facts().names;
        return !name.empty() && (one.name() == name || std::find(names.begin(), names.end(), name) != names.end());
    };
    for (Backend& (*const each)() : own) {
        if (is_named(each())) return &each();
    }
    for (const auto& each : added) {
        Backend* one = each.load(std::memory_order_acquire);
        if (one != nullptr && is_named(*one)) return one;
    }
    return nullptr;
}

}  // namespace

Backend& backend(BackendKind kind) {
    const auto number = static_cast<std::size_t>(kind);
    if (number < own.size()) return own[number]();
    Backend* found = number - own.size() < added.size() ? added[number - own.size()].load() : nullptr;
    if (found == nullptr) throw ValueError(concat("there is no backend of kind ", number));
    return *found;
}

std::vector<Backend*> backends() {
    std::vector<Backend*> all;
    for (Backend& (*const each)() : own) all.push_back(&each());
    for (const auto& each : added) {
        if (Backend* one = each.load(std::memory_order_acquire)) all.push_back(one);
    }
    return all;
}

Backend* find_backend(std::string_view name) noexcept { return named(name); }

void add_backend(Backend& made) {
    static constinit std::mutex mutex;
    const std::lock_guard lock(mutex);
    const std::size_t number = static_cast<std::size_t>(made.kind()) - own.size();
    if (number >= added.size()) throw ValueError("the kind of an added backend must be added_kind(n), n from 0 to 7");
    if (added[number].load() != nullptr) throw ValueError("a backend of this kind was added already");
    for (const std::string_view name : {made.name(), made.facts().names[0], made.facts().names[1]}) {
        if (named(name) != nullptr) throw ValueError(concat("there is a backend '", name, "' already"));
    }
    added[number].store(&made, std::memory_order_release);
}

const DeviceInfo& Backend::info(int device) {
    const BackendReport& found = report();
    if (device >= 0 && static_cast<std::size_t>(device) < found.devices.size()) {
        return found.devices[static_cast<std::size_t>(device)];
    }
    throw DeviceError(concat(name(), ": there is no device ", device,
                             found.devices.empty() ? ": " + found.why_not : concat(", only ", device_count())));
}

MemoryKind Backend::kind_of(int, const void*, MemoryKind said) { return said; }

Stream Backend::named_stream(int, std::intptr_t, bool) {
    throw ValueError(std::string(name()) + " has no streams that others can name: stream must be None");
}

std::optional<std::intptr_t> Backend::stream_number(Stream) const noexcept { return std::nullopt; }

void Backend::add_consumer(int, void*) {}

}  // namespace zerofab
