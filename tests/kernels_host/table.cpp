// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels of one element type: compiled four times, with K_F64, K_F32, K_I32 or K_I64.
#include "device/host/kernels_text.hpp"
#include "kernels_host.hpp"

namespace zerofab::kernels_host {

#if defined(K_F64)
constexpr auto type = KernelType::f64;
#elif defined(K_F32)
constexpr auto type = KernelType::f32;
#elif defined(K_I32)
constexpr auto type = KernelType::i32;
#else
constexpr auto type = KernelType::i64;
#endif

template <KernelType>
std::span<const Kernel> table_of();
template <>
std::span<const Kernel> table_of<type>() {
    return table;
}

}  // namespace zerofab::kernels_host
