// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The hot loops of the host: tables of functions over strided regions, one table per element type and instruction set.
#pragma once

#include <cstdint>
#include <type_traits>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// Extent of a region, in elements; nothing happens where one of them is <= 0.
struct LoopRegion {
    std::int64_t nx, ny, nz;
};

/// Where a region lies in memory: element (i, j, k) is data[i + j * sy + k * sz]. Strides are in elements.
template <class T>
struct LoopOperand {
    T* data;
    std::int64_t sy, sz;
};

/// What a sum of T is kept in: int64 for the integers, double for float and double.
template <class T>
using LoopSum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

/// Loops over one region of one component. `z` is written, `x` and `y` are read; an operand that is read may be the
/// very one that is written (same pointer and strides), but must not overlap it otherwise.
///
///     const auto& loops = host_loops<double>();
///     loops.add({64, 64, 8}, {z, 66, 66 * 66}, {x, 64, 64 * 64});
///
/// Integers wrap around on overflow. Other arithmetic is that of kernels/, which HostBackend::launch runs.
/// Sums of real numbers run in a fixed number of lanes with compensation: at least as accurate as pairwise summation,
/// and the same bits for the same region on every CPU. A sum that meets inf or NaN is what plain addition makes of it.
/// min and max compare with `x < m ? x : m` and `x > m ? x : m` from +inf and -inf (integers: the largest and smallest
/// number), which are also the results of an empty region: NaN never wins a comparison, so it is passed over.
template <class T>
struct HostLoops {
    using Region = const LoopRegion&;
    using Out = const LoopOperand<T>&;
    using In = const LoopOperand<const T>&;
    using Mask = const LoopOperand<const int>&;

    void (*fill)(Region, Out z, T a);       ///< z = a
    void (*copy)(Region, Out z, In x);      ///< z = x
    void (*add)(Region, Out z, In x);       ///< z += x
    void (*multiply)(Region, Out z, In x);  ///< z *= x

    LoopSum<T> (*sum)(Region, In x);
    LoopSum<T> (*sum_abs)(Region, In x);
    LoopSum<T> (*sum_squares)(Region, In x);
    LoopSum<T> (*dot)(Region, In x, In y);
    T (*min)(Region, In x);
    T (*max)(Region, In x);
    T (*max_abs)(Region, In x);  ///< largest |x|, 0 if empty, NaN if there is one

    // The same where the mask is not zero only.
    LoopSum<T> (*masked_sum)(Region, In x, Mask mask);
    LoopSum<T> (*masked_sum_abs)(Region, In x, Mask mask);
    LoopSum<T> (*masked_dot)(Region, In x, In y, Mask mask);
    T (*masked_max_abs)(Region, In x, Mask mask);
};

/// Instruction sets that the loops are compiled for.
enum class HostIsa { baseline, avx2, avx512 };

/// The table for this CPU; T is float, double, int or std::int64_t.
template <class T>
[[nodiscard]] const HostLoops<T>& host_loops() noexcept;

/// The table for one instruction set, or null if this CPU or this build lacks it. For tests and benchmarks.
template <class T>
[[nodiscard]] const HostLoops<T>* host_loops(HostIsa isa) noexcept;

/// The instruction set that host_loops() uses: the best one, or the one in ZEROFAB_ISA (baseline, avx2) if that is
/// less.
[[nodiscard]] ZEROFAB_API HostIsa host_isa() noexcept;

extern template ZEROFAB_API const HostLoops<float>& host_loops<float>() noexcept;
extern template ZEROFAB_API const HostLoops<double>& host_loops<double>() noexcept;
extern template ZEROFAB_API const HostLoops<int>& host_loops<int>() noexcept;
extern template ZEROFAB_API const HostLoops<std::int64_t>& host_loops<std::int64_t>() noexcept;
extern template ZEROFAB_API const HostLoops<float>* host_loops<float>(HostIsa) noexcept;
extern template ZEROFAB_API const HostLoops<double>* host_loops<double>(HostIsa) noexcept;
extern template ZEROFAB_API const HostLoops<int>* host_loops<int>(HostIsa) noexcept;
extern template ZEROFAB_API const HostLoops<std::int64_t>* host_loops<std::int64_t>(HostIsa) noexcept;

}  // namespace zerofab
