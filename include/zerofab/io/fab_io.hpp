// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a fab lie in a file: size, byte order, and the line that says so.
#pragma once

#include <bit>
#include <cstddef>
#include <string>
#include <string_view>

#include "zerofab/base/export.hpp"
#include "zerofab/base/types.hpp"

namespace zerofab {

/// Real numbers in a file: IEEE, 4 or 8 bytes, in one of two byte orders.
///
/// Files say it in a descriptor: how many bits sign, exponent and fraction have and where, then for each byte of a
/// number its place from the most significant one on:
/// @code
/// ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))     double, little endian
/// ((8, (32 8 23 0 1 9 0 127)),(4, (1 2 3 4)))                float, big endian
/// @endcode
struct RealFormat {
    int bytes = 8;            ///< 4 or 8
    bool big_endian = false;  ///< most significant byte first

    static constexpr RealFormat native_double() { return {8, std::endian::native == std::endian::big}; }
    static constexpr RealFormat native_float() { return {4, std::endian::native == std::endian::big}; }
    friend constexpr bool operator==(RealFormat, RealFormat) = default;
};

/// The descriptor of a format.
ZEROFAB_API std::string to_string(RealFormat format);

/// The format with a name as the parameter fab.format has it: NATIVE, NATIVE_32, IEEE32, and IEEE64 (big endian).
/// ValueError for another name.
ZEROFAB_API RealFormat real_format(std::string_view name);

/// Turn n numbers into bytes of a file; `to` has n * format.bytes bytes. Numbers too large for a float become infinite.
ZEROFAB_API void encode_reals(const Real* from, std::size_t n, RealFormat format, std::byte* to);

/// Turn bytes of a file into n numbers; `from` has n * format.bytes bytes and may not overlap `to`.
ZEROFAB_API void decode_reals(const std::byte* from, std::size_t n, RealFormat format, Real* to);

}  // namespace zerofab
