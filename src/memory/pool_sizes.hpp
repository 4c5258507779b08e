// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The sizes of blocks in pools: few enough that a freed block fits again.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace zerofab {

/// At least so many bytes, by at most an eighth more: eight sizes for each power of two, and whole lines.
[[nodiscard]] constexpr std::size_t pool_size(std::size_t bytes) noexcept {
    constexpr std::size_t line = 64;
    const std::size_t step = std::max(line, std::bit_floor(std::max<std::size_t>(bytes, 1)) / 8);
    return std::max((bytes + step - 1) / step * step, line);
}

}  // namespace zerofab
