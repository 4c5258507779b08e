// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "zerofab/index/bc_rec.hpp"

using namespace zerofab;

TEST_CASE_TEMPLATE_DEFINE("a box has the boundaries of the domain where it touches them", Dim, bc_rec) {
    constexpr int D = Dim::value;
    const int bogus = static_cast<int>(BCType::bogus);
    BCRec<D> of_domain;
    for (int d = 0; d < D; ++d) {
        CHECK(of_domain.lo(d) == bogus);
        CHECK(of_domain.hi(d) == bogus);
        of_domain.set_lo(d, d + 1);
        of_domain.set_hi(d, d + 4);
    }
    const Box<D> domain(IntVect<D>(-2), IntVect<D>(5));
    CHECK(BCRec<D>(domain, domain, of_domain) == of_domain);
    CHECK(BCRec<D>(Box<D>(IntVect<D>(-1), IntVect<D>(4)), domain, of_domain) == BCRec<D>({}, {}));
    for (int d = 0; d < D; ++d) {
        IntVect<D> inner(4);
        inner[d] = 9;
        const BCRec<D> touching(Box<D>(IntVect<D>(0), inner), domain, of_domain);
        for (int other = 0; other < D; ++other) {
            CHECK(touching.lo(other) == 0);
            CHECK(touching.hi(other) == (other == d ? d + 4 : 0));
        }
        CHECK(touching.sides()[static_cast<std::size_t>(D + d)] == d + 4);
    }
}
TEST_CASE_TEMPLATE_INVOKE(bc_rec, std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                          std::integral_constant<int, 3>);
