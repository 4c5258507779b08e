// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Compiled programs on disk, so that a program is compiled once per machine and not once per process.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace zerofab {

/// The program that `compile` makes, or the same made by an earlier process.
///
/// `key` is everything that the program depends on: the compiler and its version, the architecture, the options, the
/// text.  It is kept in the file and compared whole, so that two keys never share a program.  Files are in
/// ZEROFAB_CACHE_DIR, or XDG_CACHE_HOME/zerofab, or ~/.cache/zerofab; ZEROFAB_CACHE_DIR="" keeps none.  A cache that
/// cannot be read or written is no error: the program is compiled.  What `compile` throws passes through.
[[nodiscard]] std::string cached_program(std::initializer_list<std::string_view> key,
                                         const std::function<std::string()>& compile);

}  // namespace zerofab
