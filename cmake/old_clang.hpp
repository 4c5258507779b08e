// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// clang 14 and 15 have no std::source_location with GNU's library: a stand-in, for the fuzz build only.
#pragma once

#include <source_location>

#ifndef __cpp_lib_source_location
namespace std {
struct source_location {
    const char* file = "";
    unsigned at = 0;

    static constexpr source_location current(const char* f = __builtin_FILE(), unsigned l = __builtin_LINE()) noexcept {
        return {f, l};
    }
    constexpr const char* file_name() const noexcept { return file; }
    constexpr unsigned line() const noexcept { return at; }
    constexpr const char* function_name() const noexcept { return ""; }
};
}  // namespace std
#endif
