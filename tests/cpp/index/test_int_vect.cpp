// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vectors of integers and index types: arithmetic, orders, overflow.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <unordered_set>

#include "zerofab/base/error.hpp"
#include "zerofab/index/format.hpp"
#include "zerofab/index/index_type.hpp"
#include "zerofab/index/int_vect.hpp"

using namespace zerofab;

namespace {

template <int D>
struct Dim {
    static constexpr int value = D;
};

template <int D>
IntVect<D> random_vect(std::mt19937& rng, int lo, int hi) {
    std::uniform_int_distribution<int> pick(lo, hi);
    IntVect<D> v;
    for (int d = 0; d < D; ++d) v[d] = pick(rng);
    return v;
}

constexpr int top = std::numeric_limits<int>::max();
constexpr int bottom = std::numeric_limits<int>::lowest();

static_assert(IntVect<3>(1, 2, 3) + 1 == IntVect<3>(2, 3, 4));
static_assert(coarsen(IntVect<1>(-5), 2) == -3 && IntVect<1>(-5) / 2 == -2);

}  // namespace

TEST_CASE_TEMPLATE("arithmetic is by component", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(5 + D);
    for (int trial = 0; trial < 300; ++trial) {
        const IntVect<D> a = random_vect<D>(rng, -1000, 1000);
        const IntVect<D> b = random_vect<D>(rng, -1000, 1000);
        const IntVect<D> r = random_vect<D>(rng, 1, 9);
        Long sum = 0;
        for (int d = 0; d < D; ++d) {
            CHECK((a + b)[d] == a[d] + b[d]);
            CHECK((a - b)[d] == a[d] - b[d]);
            CHECK((a * b)[d] == a[d] * b[d]);
            CHECK((a / r)[d] == a[d] / r[d]);
            CHECK(coarsen(a, r)[d] == static_cast<int>(std::floor(static_cast<double>(a[d]) / r[d])));
            CHECK(min(a, b)[d] == std::min(a[d], b[d]));
            CHECK(max(a, b)[d] == std::max(a[d], b[d]));
            sum += a[d];
        }
        CHECK(a.sum() == sum);
        CHECK(-(-a) == a);
        CHECK(3 - a == -(a - 3));
        CHECK(int{a.lex_less(b)} + int{b.lex_less(a)} + int{a == b} == 1);
        CHECK(a.all_le(b) == b.all_ge(a));
        CHECK(a.all_lt(b) == b.all_gt(a));
        IntVect<D> c = a;
        (c += b) -= b;
        CHECK(c == a);
    }
}

TEST_CASE_TEMPLATE("every overflow is an error", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const IntVect<D> hi(top);
    const IntVect<D> lo(bottom);
    CHECK_THROWS_AS(hi + 1, ValueError);
    CHECK_THROWS_AS(lo - 1, ValueError);
    CHECK_THROWS_AS(hi * 2, ValueError);
    CHECK_THROWS_AS(-lo, ValueError);
    CHECK_THROWS_AS(lo / -1, ValueError);
    CHECK_THROWS_AS(hi / 0, ValueError);
    CHECK_THROWS_AS(coarsen(hi, 0), ValueError);
    CHECK(coarsen(lo, top) == -2);
    CHECK(hi.sum() == Long{D} * top);
    if (D == 3) CHECK_THROWS_AS(hi.product(), ValueError);
}

TEST_CASE("a hash spreads neighbours") {
    std::unordered_set<std::size_t> seen;
    for (int i = -8; i < 8; ++i) {
        for (int j = -8; j < 8; ++j) {
            for (int k = -8; k < 8; ++k) seen.insert(std::hash<IntVect<3>>()(IntVect<3>(i, j, k)));
        }
    }
    CHECK(seen.size() == 16 * 16 * 16);
}

TEST_CASE_TEMPLATE("index types", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    for (int bits = 0; bits < (1 << D); ++bits) {
        IndexType<D> t;
        for (int d = 0; d < D; ++d) {
            if (((bits >> d) & 1) != 0) t.set(d);
        }
        CHECK(t.bits() == bits);
        CHECK(IndexType<D>(t.to_int_vect()) == t);
        CHECK(t.any() == (bits != 0));
        CHECK(t.cell_centered() == (bits == 0));
        CHECK(t.node_centered() == (t == IndexType<D>::node()));
        for (int d = 0; d < D; ++d) {
            IndexType<D> u = t;
            u.flip(d);
            CHECK(u.cell_centered(d) == t.node_centered(d));
            u.flip(d);
            CHECK(u == t);
            u.unset(d);
            CHECK(u.cell_centered(d));
        }
    }
}

TEST_CASE("texts") {
    CHECK(to_string(IntVect<1>(-4)) == "(-4)");
    CHECK(to_string(IntVect<3>(1, 2, 3)) == "(1,2,3)");
    CHECK(to_string(RealVect<2>(0.1, 2.)) == "(0.1,2)");
    CHECK(to_string(Box<2>(IntVect<2>(0, 0), IntVect<2>(7, 3), IndexType<2>(IntVect<2>(0, 1)))) ==
          "((0,0) (7,3) (0,1))");
    CHECK(to_string(IndexType<3>(IntVect<3>(0, 1, 0))) == "(C,N,C)");
    CHECK(to_string(Dim3{1, 2, 3}) == "(1,2,3)");
    CHECK(to_string(Periodicity<2>(IntVect<2>(0, 8))) == "false, true");
}
