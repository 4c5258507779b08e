// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one way in which a whole file is read.
#pragma once

#include <cstddef>
#include <string>

namespace zerofab::detail {

/// What read_all() read; `error` is an errno, or 0.
struct WholeFile {
    std::string content;
    int error = 0;
};

/// Everything from the start of an open file to its end, whatever size the file says, but no more than `most` + 1
/// bytes.
[[nodiscard]] WholeFile read_all(int descriptor, std::size_t most);

}  // namespace zerofab::detail
