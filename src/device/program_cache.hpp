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
///
/// A program is code that will run with the user's rights, so the folder is used only if it is the user's own, nobody
/// else can write to it, and it is no symbolic link; where it is missing it is made, for the user alone.  The same is
/// asked of each file.  Any number of processes share it: a file is written beside its place and renamed, and a
/// file whose checksum is wrong is removed and made again.  At most ZEROFAB_CACHE_MB (256) mebibytes are kept: what was
/// used longest ago goes first.
[[nodiscard]] std::string cached_program(std::initializer_list<std::string_view> key,
                                         const std::function<std::string()>& compile);

}  // namespace zerofab
