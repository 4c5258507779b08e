// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How the numbers of a fab lie in a file.
#include "zerofab/io/fab_io.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/fab_format.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

constexpr std::array<int, 8> double_bits{64, 11, 52, 0, 1, 12, 0, 1023};
constexpr std::array<int, 8> float_bits{32, 8, 23, 0, 1, 9, 0, 127};

std::uint64_t swapped(std::uint64_t x) { return __builtin_bswap64(x); }
std::uint32_t swapped(std::uint32_t x) { return __builtin_bswap32(x); }

// Numbers of type F, swapped as unsigned integers U of the same size.
template <class F, class U>
void encode_as(const Real* from, std::size_t n, bool swap, std::byte* to) {
    for (std::size_t i = 0; i < n; ++i) {
        U bits = std::bit_cast<U>(static_cast<F>(from[i]));
        if (swap) bits = swapped(bits);
        std::memcpy(to + i * sizeof(U), &bits, sizeof(U));
    }
}

template <class F, class U>
void decode_as(const std::byte* from, std::size_t n, bool swap, Real* to) {
    for (std::size_t i = 0; i < n; ++i) {
        U bits;
        std::memcpy(&bits, from + i * sizeof(U), sizeof(U));
        if (swap) bits = swapped(bits);
        to[i] = static_cast<Real>(std::bit_cast<F>(bits));
    }
}

bool needs_swap(RealFormat format) { return format.big_endian != RealFormat::native_double().big_endian; }

}  // namespace

std::string to_string(RealFormat format) {
    std::string text = "((8, (";
    const auto& bits = format.bytes == 8 ? double_bits : float_bits;
    for (std::size_t i = 0; i < bits.size(); ++i) text.append(i > 0 ? " " : "").append(std::to_string(bits[i]));
    text += concat(")),(", format.bytes, ", (");
    for (int i = 1; i <= format.bytes; ++i) {
        text.append(i > 1 ? " " : "").append(std::to_string(format.big_endian ? i : format.bytes + 1 - i));
    }
    return text + ")))";
}

RealFormat real_format(std::string_view name) {
    if (name == "NATIVE") return RealFormat::native_double();
    if (name == "NATIVE_32") return RealFormat::native_float();
    if (name == "IEEE32") return {4, true};
    if (name == "IEEE64") return {8, true};
    std::string message = "the number format '";
    message.append(name).append("' is unknown; there are NATIVE, NATIVE_32, IEEE32 and IEEE64");
    throw ValueError(message);
}

void encode_reals(const Real* from, std::size_t n, RealFormat format, std::byte* to) {
    if (format == RealFormat::native_double()) {
        std::memcpy(to, from, n * sizeof(Real));
    } else if (format.bytes == 8) {
        encode_as<double, std::uint64_t>(from, n, needs_swap(format), to);
    } else {
        encode_as<float, std::uint32_t>(from, n, needs_swap(format), to);
    }
}

void decode_reals(const std::byte* from, std::size_t n, RealFormat format, Real* to) {
    if (format == RealFormat::native_double()) {
        std::memcpy(to, from, n * sizeof(Real));
    } else if (format.bytes == 8) {
        decode_as<double, std::uint64_t>(from, n, needs_swap(format), to);
    } else {
        decode_as<float, std::uint32_t>(from, n, needs_swap(format), to);
    }
}

namespace detail {

RealFormat parse_real_format(TextCursor& cursor) {
    constexpr std::string_view what = "the descriptor of the numbers is damaged";
    const auto list = [&] {
        cursor.expect('(');
        const int n = cursor.integer(what, 1, 16);
        cursor.expect(',');
        cursor.expect('(');
        std::vector<int> values;
        for (int i = 0; i < n; ++i) values.push_back(cursor.integer(what, 0, 1 << 20));
        cursor.expect(')');
        cursor.expect(')');
        return values;
    };
    cursor.expect('(');
    const std::vector<int> bits = list();
    cursor.expect(',');
    const std::vector<int> order = list();
    cursor.expect(')');
    const auto is = [&](const std::array<int, 8>& known) { return std::ranges::equal(bits, known); };
    for (const RealFormat format :
         {RealFormat{8, false}, RealFormat{8, true}, RealFormat{4, false}, RealFormat{4, true}}) {
        std::vector<int> positions;
        for (int i = 1; i <= format.bytes; ++i) positions.push_back(format.big_endian ? i : format.bytes + 1 - i);
        if (is(format.bytes == 8 ? double_bits : float_bits) && order == positions) return format;
    }
    cursor.fail("the numbers are neither IEEE doubles nor IEEE floats");
}

}  // namespace detail
}  // namespace zerofab
