// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/trace.hpp"

#include <nanobind/nanobind.h>

#include <atomic>

namespace zerofab::python {
namespace {

constinit std::atomic<bool> tracing{false};

}  // namespace

bool tracing_exports() noexcept { return tracing.load(std::memory_order_relaxed); }

void trace_exports(bool on) noexcept { tracing = on; }

std::string python_place() {
    PyFrameObject* frame = PyEval_GetFrame();
    if (frame == nullptr) {
        return "no Python frame";
    }
    const auto code = nanobind::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    return std::string(nanobind::str(code.attr("co_filename")).c_str()) + ":" +
           std::to_string(PyFrame_GetLineNumber(frame));
}

}  // namespace zerofab::python
