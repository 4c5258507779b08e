// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/device/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"

namespace zerofab {
namespace {

constinit std::atomic<bool> started{false};
constinit std::atomic<long> cycles{0};
struct alignas(sizeof(Device)) Current {  // or else clang calls libatomic
    Device device;
};
constinit std::atomic<Current> current{Current{}};

/// The stream of one thread, for one cycle.
struct ThreadStream {
    long cycle = -1;
    StreamUse stream;
};
constinit thread_local ThreadStream own;

std::string chosen_name(std::string_view asked) {
    if (!asked.empty()) return std::string(asked);
    const char* named = std::getenv("ZEROFAB_DEVICE");
    return named != nullptr && *named != '\0' ? named : "cpu";
}

/// ValueError for a text that names no device, DeviceError for a device that is not there.
Device find_device(const std::string& name, int local_rank) {
    const std::size_t colon = name.find(':');
    Backend* found = find_backend(std::string_view(name).substr(0, colon));
    if (found == nullptr) {
        std::string names;
        for (const Backend* one : backends()) names += std::string(one->facts().names[0]) + ", ";
        throw ValueError("there is no device '" + name + "': it is one of " + names + "or sycl:1 and so on");
    }
    int id = 0;
    if (colon != std::string::npos) {
        const char* end = name.data() + name.size();
        const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, id);
        if (error != std::errc{} || stop != end || id < 0) {
            throw ValueError("'" + name + "' names no device: after the colon stands its number, from 0");
        }
    }
    const BackendReport& report = found->report();
    if (report.devices.empty()) {
        throw DeviceError("no device for '" + name + "': " + report.why_not);
    }
    if (colon == std::string::npos) id = std::max(local_rank, 0) % static_cast<int>(report.devices.size());
    if (static_cast<std::size_t>(id) >= report.devices.size()) {
        throw ValueError(
            concat("'", name, "' is beyond the devices that were found: ", report.devices.size(), ", counted from 0"));
    }
    return {found->kind(), id};
}

}  // namespace

void Runtime::initialize(std::string_view device, int local_rank) {
    if (started) {
        throw StateError("initialize() was called already; call finalize() before a new initialize()");
    }
    current = Current{find_device(chosen_name(device), local_rank)};
    ++cycles;
    started = true;
}

void Runtime::finalize() {
    if (!started) {
        throw StateError("finalize() without initialize(): nothing is running");
    }
    try {
        synchronize();
    } catch (const DeviceError&) {
        // The device is lost, or this is a forked child: the state ends all the same, and initialize is possible again.
    }
    started = false;
    current = Current{};
    own = {};
}

bool Runtime::initialized() noexcept { return started; }

long Runtime::cycle() noexcept { return cycles; }

std::string Runtime::device() {
    if (!started) return chosen_name({});
    const Device device = run_device();
    std::string name(backend(device.backend).name());
    return device.id == 0 ? name : concat(name, ":", device.id);
}

Device Runtime::run_device() noexcept { return current.load().device; }

Stream Runtime::stream() {
    if (own.cycle == cycles && own.stream.get().handle != nullptr) return own.stream.get();
    const Device device = run_device();
    return backend(device.backend).default_stream(device.id);
}

Stream Runtime::stream(Device device) {
    return device == run_device() ? stream() : backend(device.backend).default_stream(device.id);
}

void Runtime::use_stream(Stream stream) {
    require_initialized("use_stream()");
    const Device device = run_device();
    StreamUse use(device, stream);
    order_streams(device, Runtime::stream(),
                  stream.handle != nullptr ? stream : backend(device.backend).default_stream(device.id));
    own = {cycles, std::move(use)};
}

void Runtime::synchronize() {
    const Device device = run_device();
    backend(device.backend).synchronize(device.id, stream());
}

void require_initialized(std::string_view what) {
    if (!started) {
        throw StateError(std::string(what) + " needs a running library: call initialize() first");
    }
}

}  // namespace zerofab
