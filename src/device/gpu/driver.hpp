// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the drivers of CUDA and ROCm have in common: numbers of results, and errors with the driver's message.
#pragma once

#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::gpu {

using Result = int;                       // CUresult, hipError_t: the same numbers for the same things
using Module = struct ModuleObject*;      // CUmodule, hipModule_t
using Function = struct FunctionObject*;  // CUfunction, hipFunction_t

inline constexpr Result success = 0;
inline constexpr Result out_of_memory = 2;
inline constexpr Result not_ready = 600;
inline constexpr Result captured_event = 907;

/// A library that was looked for.
struct Opened {
    void* handle = nullptr;  ///< of dlopen; null if it cannot be used
    std::string path;        ///< where it lies, also empty then
    std::string why_not;     ///< then what was searched and what to install
};

/// MemoryError or DeviceError "cuda: `what` failed: ..." unless the result is success.
template <class Api>
void check(const typename Api::Driver& driver, Result result, const char* what) {
    if (result == success) return;
    const std::string text = concat(Api::name, ": ", what, " failed: ", Api::error_text(driver, result));
    if (result == out_of_memory) throw MemoryError(text);
    throw DeviceError(text);
}

}  // namespace zerofab::gpu
