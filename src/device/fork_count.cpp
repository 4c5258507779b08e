// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fork_count.hpp"

#include <pthread.h>

#include <atomic>

namespace zerofab {
namespace {

constinit std::atomic<unsigned> forks{0};

}  // namespace

unsigned fork_count() noexcept {
    static const int counting = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
    static_cast<void>(counting);
    return forks.load(std::memory_order_relaxed);
}

}  // namespace zerofab
