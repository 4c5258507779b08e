// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/device/runtime.hpp"

#include <atomic>
#include <cstdlib>

#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

constinit std::atomic<bool> started{false};
constinit std::atomic<long> cycles{0};

std::string chosen_device(std::string_view asked) {
    if (asked.empty()) {
        const char* named = std::getenv("ZEROFAB_DEVICE");
        asked = named != nullptr && *named != '\0' ? named : "cpu";
    }
    if (asked != "cpu") {
        throw ValueError("no device '" + std::string(asked) +
                         "': this build has the host backend only; use device=\"cpu\" or unset ZEROFAB_DEVICE");
    }
    return std::string(asked);
}

}  // namespace

void Runtime::initialize(std::string_view device) {
    if (started) {
        throw StateError("initialize() was called already; call finalize() before a new initialize()");
    }
    (void)chosen_device(device);
    ++cycles;
    started = true;
}

void Runtime::finalize() {
    if (!started) {
        throw StateError("finalize() without initialize(): nothing is running");
    }
    started = false;
}

bool Runtime::initialized() noexcept { return started; }

long Runtime::cycle() noexcept { return cycles; }

std::string Runtime::device() { return chosen_device({}); }

void require_initialized(std::string_view what) {
    if (!started) {
        throw StateError(std::string(what) + " needs a running library: call initialize() first");
    }
}

}  // namespace zerofab
