// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the library: Real, Long, and the tags of element types.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace zerofab {

using Real = double;
using Long = std::int64_t;

/// What an element type is, in the terms of DLPack (code, bits), the buffer protocol and NumPy.
enum class DTypeCode : std::uint8_t { integer = 0, unsigned_integer = 1, real = 2, record = 3, complex = 5 };

/// A tag for an element type; one static object per type, compared by address.
struct DType {
    DTypeCode code;
    std::uint8_t bits;    ///< bits of one element, padding included
    std::size_t size;     ///< bytes of one element
    const char* format;   ///< buffer protocol (PEP 3118), a static string
    const char* typestr;  ///< NumPy's array interface, e.g. "<f8"
    const char* name;     ///< the field's word, e.g. "double"
    bool dlpack;          ///< whether DLPack can describe it
};

namespace detail {
template <class T>
constexpr DType make_dtype() {
    using std::is_same_v;
    // clang-format off
    if constexpr (is_same_v<T, float>) return {DTypeCode::real, 32, 4, "f", "<f4", "float", true};
    else if constexpr (is_same_v<T, double>) return {DTypeCode::real, 64, 8, "d", "<f8", "double", true};
    else if constexpr (is_same_v<T, long double>) return {DTypeCode::real, 8 * sizeof(T), sizeof(T), "g", "<f16", "long double", false};
    else if constexpr (is_same_v<T, std::complex<float>>) return {DTypeCode::complex, 64, 8, "Zf", "<c8", "cfloat", true};
    else if constexpr (is_same_v<T, std::complex<double>>) return {DTypeCode::complex, 128, 16, "Zd", "<c16", "cdouble", true};
    else if constexpr (is_same_v<T, short>) return {DTypeCode::integer, 16, 2, "h", "<i2", "short", true};
    else if constexpr (is_same_v<T, int>) return {DTypeCode::integer, 32, 4, "i", "<i4", "int", true};
    else if constexpr (is_same_v<T, long>) return {DTypeCode::integer, 64, 8, "l", "<i8", "long", true};
    else if constexpr (is_same_v<T, long long>) return {DTypeCode::integer, 64, 8, "q", "<i8", "longlong", true};
    else if constexpr (is_same_v<T, unsigned short>) return {DTypeCode::unsigned_integer, 16, 2, "H", "<u2", "ushort", true};
    else if constexpr (is_same_v<T, unsigned int>) return {DTypeCode::unsigned_integer, 32, 4, "I", "<u4", "uint", true};
    else if constexpr (is_same_v<T, unsigned long>) return {DTypeCode::unsigned_integer, 64, 8, "L", "<u8", "ulong", true};
    else { static_assert(is_same_v<T, unsigned long long>, "no tag for this element type");
           return {DTypeCode::unsigned_integer, 64, 8, "Q", "<u8", "ulonglong", true}; }
    // clang-format on
}
}  // namespace detail

/// The tag of T.
template <class T>
inline constexpr DType dtype_of = detail::make_dtype<T>();

}  // namespace zerofab
