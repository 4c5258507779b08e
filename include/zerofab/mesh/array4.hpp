// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Array4<T>: how loops see the memory of a fab.
#pragma once

#include <array>
#include <cstdint>

namespace zerofab {

/// The memory of a fab as numbers with four indices (i, j, k, n); x moves fastest and without gaps.
///
/// Indices are global: those of the fab's box, ghosts included; directions that do not exist have the one index 0.
/// It owns nothing and is copied freely into loops and kernels; whoever uses it holds the fab, or a lease.  Indices
/// are not checked.
///
///     Array4<Real> a = fab.array();
///     a(i, j, k, n) = 1.0;
///
///     memory, for a box from (0,0) to (3,1) and 2 components:   n=0: j=0: 0 1 2 3  j=1: 0 1 2 3   n=1: ...
template <class T>
struct Array4 {
    T* data = nullptr;          ///< element (lo, component 0)
    std::array<int, 3> lo{};    ///< lowest index of each direction
    std::array<int, 3> size{};  ///< cells of each direction
    int ncomp = 0;              ///< components
    std::int64_t jstride = 0;   ///< elements from j to j + 1
    std::int64_t kstride = 0;
    std::int64_t nstride = 0;

    [[nodiscard]] constexpr T* ptr(int i, int j, int k, int n = 0) const noexcept {
        return data + (i - lo[0]) + (j - lo[1]) * jstride + (k - lo[2]) * kstride + n * nstride;
    }
    constexpr T& operator()(int i, int j, int k, int n = 0) const noexcept { return *ptr(i, j, k, n); }

    [[nodiscard]] constexpr bool contains(int i, int j, int k) const noexcept {
        return i >= lo[0] && i - lo[0] < size[0] && j >= lo[1] && j - lo[1] < size[1] && k >= lo[2] &&
               k - lo[2] < size[2];
    }
};

}  // namespace zerofab
