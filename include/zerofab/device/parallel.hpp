// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Host threads: a parallel loop over a small pool of the library's own.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// What a parallel loop calls: a reference to a callable `void(std::int64_t)`, not owned, valid during the call.
class LoopBody {
public:
    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, LoopBody> && std::is_invocable_v<F&, std::int64_t>)
    // NOLINTNEXTLINE(google-explicit-constructor): a lambda stands where a LoopBody is asked for
    LoopBody(F&& f) noexcept
        : object_{const_cast<void*>(static_cast<const void*>(std::addressof(f)))},
          call_{[](void* object, std::int64_t i) { (*static_cast<std::remove_reference_t<F>*>(object))(i); }} {}

    void operator()(std::int64_t i) const { call_(object_, i); }

private:
    void* object_;
    void (*call_)(void*, std::int64_t);
};

/// Threads that a parallel loop uses, the caller included. At first: OMP_NUM_THREADS if it is a positive number (the
/// first one of a list), else the CPUs of the process's affinity mask, or what its control groups' quota allows.
[[nodiscard]] ZEROFAB_API int num_threads() noexcept;

/// Let later loops use `n` threads. Throws ValueError if n < 1.
ZEROFAB_API void set_num_threads(int n);

/// Call body(i) once for every i in [0, n), in no particular order, on up to num_threads() threads.
///
///     parallel_for(ssize(boxes), [&](std::int64_t i) { work_on(boxes[i]); });
///
/// The caller works too, and returns when all is done. Each thread begins with a contiguous share of its own, the same
/// in each loop of the same n (data stay in that core's cache), then takes from the others' shares. It is serial, in
/// order, if n <= 1, with one thread, inside another parallel loop, or while another thread's loop runs: it never waits
/// for another loop, so it cannot deadlock. An exception of a body ends the loop early and reaches the caller (the
/// first one, if several were thrown). Idle workers sleep after some tens of microseconds, take no signals, and hold
/// nothing that exit would wait for. A forked child starts threads of its own at its first loop. A thread that forks
/// inside a body gets a StateError from that loop in the child, for the other threads' share is never done there.
ZEROFAB_API void parallel_for(std::int64_t n, LoopBody body);

}  // namespace zerofab
