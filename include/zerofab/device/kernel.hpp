// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a device: a kernel of the one text in kernels/, by name, with its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zerofab {

/// The element type that a kernel is compiled for: one program per type.
enum class KernelType : std::uint8_t { f64, f32, i32, i64 };
inline constexpr std::size_t kernel_types = 4;

/// Items of one group (a block of CUDA, a work-group of SYCL).  Kernels are right for any other number too.
inline constexpr int kernel_group = 256;
/// How many of them lie in x, the others in y: lanes go over the points of a row, lines over the rows of a box.
inline constexpr int kernel_lanes = 32;

/// One argument of a kernel, passed by value: a number, or an address in memory that the device reaches.
struct KernelArg {
    enum class Kind : std::uint8_t { pointer, i32, i64, f32, f64 };

    constexpr KernelArg(const void* address) noexcept : kind(Kind::pointer), pointer(address) {}
    constexpr KernelArg(std::int32_t number) noexcept : kind(Kind::i32), i32(number) {}
    constexpr KernelArg(std::int64_t number) noexcept : kind(Kind::i64), i64(number) {}
    constexpr KernelArg(float number) noexcept : kind(Kind::f32), f32(number) {}
    constexpr KernelArg(double number) noexcept : kind(Kind::f64), f64(number) {}

    [[nodiscard]] constexpr std::size_t bytes() const noexcept {
        return kind == Kind::i32 || kind == Kind::f32 ? 4 : 8;
    }
    /// Where the value lies, as every driver wants it.
    [[nodiscard]] const void* address() const noexcept { return &pointer; }

    Kind kind;
    union {
        const void* pointer;
        std::int32_t i32;
        std::int64_t i64;
        float f32;
        double f64;
    };
};

/// One launch: `groups_x` times `groups_y` groups of `kernel_group` items each.
struct KernelCall {
    std::string_view kernel;  ///< its name in kernels/, a static string
    KernelType type = KernelType::f64;
    std::int64_t groups_x = 1;
    std::int64_t groups_y = 1;
    const KernelArg* args = nullptr;
    std::size_t count = 0;
    std::int64_t points = 0;  ///< how much there is to do in all; the host shares it out where that is worth it
    std::int64_t bytes = 0;   ///< what is read and written in all, where that is known; the host spares its caches
};

}  // namespace zerofab
