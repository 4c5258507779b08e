// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of kernels/ as it was when the library was built, and what compilers must be told with it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zerofab/device/kernel.hpp"

namespace zerofab {

/// The whole text, for every element type and language; zero-terminated.
[[nodiscard]] std::string_view kernel_source() noexcept;

/// How many items the groups have that the text is compiled for.
enum class KernelItems : std::uint8_t {
    many,  ///< any number: for GPUs
    one,   ///< for CPUs, whose vectors are better filled by the points of a row than by items
};

/// The same compiled to SPIR-V for one element type, at a multiple of 8 bytes; empty in a build without the tools.
[[nodiscard]] std::span<const unsigned char> kernel_spirv(KernelType type, KernelItems items) noexcept;

/// The languages that compilers at run time take the text as.
enum class KernelLanguage { opencl, cuda, hip };

/// Options for the text: the element type, and that products and sums stay apart, so that results have the host's bits.
/// The architecture is left to the backend.
[[nodiscard]] std::vector<std::string> kernel_options(KernelType type, KernelLanguage language);
/// The options for OpenCL C in one line.
[[nodiscard]] std::string kernel_options(KernelType type, KernelItems items);

}  // namespace zerofab
