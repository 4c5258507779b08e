// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// WithoutGil: Python's other threads run while ours works in C++.
#pragma once

#include <Python.h>

#include <cstddef>

namespace zerofab::python {

/// Take Python's lock again.  A daemon thread that comes back when the interpreter is ending gets it no more: Python
/// before 3.14 then ends the thread by unwinding its stack, which a destructor turns into the end of the process.  Such
/// a thread sleeps for good instead, as in Python 3.14.
void take_gil(PyThreadState* thread) noexcept;

/// Holds Python's lock while it lives, in any thread; as `take_gil` at the end of the interpreter.
class WithGil {
public:
    WithGil() noexcept;
    WithGil(const WithGil&) = delete;
    WithGil& operator=(const WithGil&) = delete;
    ~WithGil() { PyGILState_Release(state_); }

private:
    PyGILState_STATE state_;
};

/// Releases Python's lock while it lives.
class WithoutGil {
public:
    WithoutGil() noexcept : thread_(PyEval_SaveThread()) {}
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
    ~WithoutGil() { take_gil(thread_); }

private:
    PyThreadState* thread_;
};

/// The same for a copy of so many bytes, where that takes longer than to hand the lock over.
class WithoutGilFor {
public:
    static constexpr std::size_t least_bytes = std::size_t{1} << 16U;

    explicit WithoutGilFor(std::size_t bytes) noexcept
        : thread_(bytes >= least_bytes ? PyEval_SaveThread() : nullptr) {}
    WithoutGilFor(const WithoutGilFor&) = delete;
    WithoutGilFor& operator=(const WithoutGilFor&) = delete;
    ~WithoutGilFor() {
        if (thread_ != nullptr) take_gil(thread_);
    }

private:
    PyThreadState* thread_;
};

}  // namespace zerofab::python
