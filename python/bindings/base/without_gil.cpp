// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "base/without_gil.hpp"

#include <unistd.h>

namespace zerofab::python {

namespace {

/// Call, and sleep for good if the call ends the thread.
template <class F>
auto or_sleep(F call) noexcept {
    try {
        return call();
    } catch (...) {  // pthread_exit, as nothing of Python throws; must be thrown on, or never be left
        for (;;) {
            pause();
        }
    }
}

}  // namespace

void take_gil(PyThreadState* thread) noexcept {
    or_sleep([thread] { PyEval_RestoreThread(thread); });
}

WithGil::WithGil() noexcept : state_(or_sleep([] { return PyGILState_Ensure(); })) {}

}  // namespace zerofab::python
