// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the libcuda of the tests' own share.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "core.hpp"

namespace fake_cuda {

using Result = int;
using Address = unsigned long long;

constexpr Result ok = 0, invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100,
                 invalid_image = 200, invalid_context = 201, invalid_handle = 400, not_found = 500, not_ready = 600,
                 capture_unsupported = 900;

struct Context {
    int device;
};

inline bool started = false;
inline thread_local std::vector<Context*> current;

inline int devices() { return static_cast<int>(fake::setting("ZEROFAB_FAKE_DEVICES", 2)); }

inline Context* primary(int device) {
    static Context all[16];
    all[device].device = device;
    return &all[device];
}

/// Check in, with the lock: the failure that was ordered, else that the driver runs, else (asked for) the context.
struct Call {
    std::lock_guard<std::recursive_mutex> guard{fake::lock()};
    Result result;
    int device = 0;

    explicit Call(const char* name, bool needs_context = true) : result(fake::called(name)) {
        if (result != ok) return;
        if (!started || !fake::same_process()) {
            result = not_initialized;
        } else if (needs_context && current.empty()) {
            result = invalid_context;
        } else if (needs_context) {
            device = current.back()->device;
        }
    }
};

}  // namespace fake_cuda
