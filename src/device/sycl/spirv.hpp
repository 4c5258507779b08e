// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// One kernel out of a SPIR-V module, so that a driver compiles what is used: all kernels take it seconds.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace zerofab::sycl {

/// The module with this kernel alone and the functions that it calls; empty if there is no kernel of that name.
///
/// For modules that llvm-spirv made of the text in kernels/, whose words have this machine's byte order.  Names of
/// anything but the kernel are left out, as are decorations of what is left out.
[[nodiscard]] std::vector<std::uint32_t> only_kernel(std::span<const unsigned char> module, std::string_view name);

}  // namespace zerofab::sycl
