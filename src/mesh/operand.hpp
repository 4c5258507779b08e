// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Regions of fabs as the host's loops take them.
#pragma once

#include <cstdint>

#include "zerofab/device/host_loops.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/mesh/array4.hpp"

namespace zerofab::detail {

/// The memory of a box in component n of a fab that contains it.
template <class T, int D>
[[nodiscard]] LoopOperand<T> operand(const Array4<T>& a, const Box<D>& box, int n) {
    int at[3] = {0, 0, 0};
    for (int d = 0; d < D; ++d) at[d] = box.small_end(d);
    return {a.ptr(at[0], at[1], at[2], n), a.jstride, a.kstride};
}

template <int D>
[[nodiscard]] LoopRegion loop_region(const Box<D>& box) noexcept {
    std::int64_t n[3] = {1, 1, 1};
    for (int d = 0; d < D; ++d) n[d] = std::int64_t{box.big_end(d)} - box.small_end(d) + 1;
    return {n[0], n[1], n[2]};
}

}  // namespace zerofab::detail
