// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BCRec<D>: the kind of boundary on each side of a box.
#pragma once

#include <array>

#include "zerofab/index/box.hpp"

namespace zerofab {

/// What happens on one side of a box; the numbers are those of files and scripts.
enum class BCType : int {
    bogus = -666,
    reflect_odd = -1,
    int_dir = 0,  ///< inside the domain, or periodic
    reflect_even = 1,
    foextrap = 2,
    ext_dir = 3,
    hoextrap = 4,
    hoextrapcc = 5,
    ext_dir_cc = 6,
    direction_dependent = 7,
    user_1 = 1001,
    user_2 = 1002,
    user_3 = 1003,
};

/// A number for each of the 2 D sides of a box, usually a BCType; `bogus` by default. Directions are not range-checked.
///
///     BCRec<3> bc;
///     bc.set_lo(0, static_cast<int>(BCType::ext_dir));
///     BCRec<3> inner(box, domain, bc);   // int_dir where `box` does not touch the rim of `domain`
template <int D>
class BCRec {
public:
    constexpr BCRec() { sides_.fill(static_cast<int>(BCType::bogus)); }
    constexpr BCRec(const std::array<int, D>& lo, const std::array<int, D>& hi) {
        for (std::size_t d = 0; d < D; ++d) {
            sides_[d] = lo[d];
            sides_[D + d] = hi[d];
        }
    }
    /// Those of a box in a domain whose sides are `of_domain`.
    constexpr BCRec(const Box<D>& box, const Box<D>& domain, const BCRec& of_domain) {
        for (int d = 0; d < D; ++d) {
            const int inside = static_cast<int>(BCType::int_dir);
            set_lo(d, box.small_end(d) <= domain.small_end(d) ? of_domain.lo(d) : inside);
            set_hi(d, box.big_end(d) >= domain.big_end(d) ? of_domain.hi(d) : inside);
        }
    }

    [[nodiscard]] constexpr int lo(int d) const { return sides_[static_cast<std::size_t>(d)]; }
    [[nodiscard]] constexpr int hi(int d) const { return sides_[static_cast<std::size_t>(D + d)]; }
    constexpr void set_lo(int d, int type) { sides_[static_cast<std::size_t>(d)] = type; }
    constexpr void set_hi(int d, int type) { sides_[static_cast<std::size_t>(D + d)] = type; }
    /// All low sides, then all high ones.
    [[nodiscard]] constexpr const std::array<int, 2 * D>& sides() const { return sides_; }

    friend constexpr bool operator==(const BCRec&, const BCRec&) = default;

private:
    std::array<int, 2 * D> sides_{};
};

}  // namespace zerofab
