// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/trace.hpp"

#include <nanobind/nanobind.h>

#include <atomic>

#include "zerofab/base/concat.hpp"

namespace zerofab::python {
namespace {

constinit std::atomic<bool> tracing{false};

}  // namespace

bool tracing_exports() noexcept { return tracing.load(std::memory_order_relaxed); }

void trace_exports(bool on) noexcept { tracing = on; }

std::string python_location() {
    PyFrameObject* frame = PyEval_GetFrame();
    if (frame == nullptr) {
        return "no Python frame";
    }
    const auto code = nanobind::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    return concat(nanobind::str(code.attr("co_filename")).c_str(), ":", PyFrame_GetLineNumber(frame));
}

}  // namespace zerofab::python
