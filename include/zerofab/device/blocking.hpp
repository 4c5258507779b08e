// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What is released while a thread waits for a device, or for a vendor's locks.
#pragma once

#include "zerofab/base/export.hpp"

namespace zerofab {

/// Called before and after every wait of the library for a device, and every submission to SYCL, whose locks another
/// thread may hold while it waits for work of Python; `leave` gets what `enter` returned.
///
/// Work of others that a device has queued may need a lock that the waiting thread holds (arrays of dpnp are released
/// by the queue, under Python's lock): who waits with it waits for ever.  The binding releases Python's lock here.
struct BlockingHooks {
    void* (*enter)() noexcept = nullptr;
    void (*leave)(void*) noexcept = nullptr;
};

/// Set once, before the first device is used.
ZEROFAB_API void set_blocking_hooks(BlockingHooks hooks) noexcept;

/// A scope in which the thread waits for a device.
class ZEROFAB_API Blocking {
public:
    Blocking() noexcept;
    Blocking(const Blocking&) = delete;
    Blocking& operator=(const Blocking&) = delete;
    ~Blocking();

private:
    void* held_;
};

}  // namespace zerofab
