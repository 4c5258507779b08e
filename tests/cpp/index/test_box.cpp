// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Properties of boxes in one, two and three dimensions, checked against counting points.
#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <set>

#include "zerofab/base/error.hpp"
#include "zerofab/index/box.hpp"

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

template <int D>
Box<D> random_box(std::mt19937& rng) {
    const IntVect<D> lo = random_vect<D>(rng, -9, 9);
    const IntVect<D> n = random_vect<D>(rng, 0, 6);
    return Box<D>(lo, lo + n - 1, IndexType<D>(random_vect<D>(rng, 0, 1)));
}

template <int D>
std::set<IntVect<D>, LexLess> points(const Box<D>& b) {
    std::set<IntVect<D>, LexLess> s;
    for_each_point(b, [&](const IntVect<D>& p) { s.insert(p); });
    return s;
}

constexpr Box<3> cube(IntVect<3>(0, 0, 0), IntVect<3>(7, 7, 7));
static_assert(cube.num_pts() == 512);
static_assert(grow(cube, 1).num_pts() == 1000);
static_assert(coarsen(surrounding_nodes(cube), 3).big_end() == IntVect<3>(3));
static_assert((cube & shift(cube, 0, 4)).num_pts() == 256);
static_assert(Box<1>().is_empty() && Box<1>().num_pts() == 0);

}  // namespace

TEST_CASE_TEMPLATE("a box is the set of its points", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(17 + D);
    for (int trial = 0; trial < 200; ++trial) {
        const Box<D> a = random_box<D>(rng);
        Box<D> b = random_box<D>(rng);
        b.set_type(a.ix_type());
        const auto pa = points(a);
        CHECK(static_cast<Long>(pa.size()) == a.num_pts());
        CHECK(a.is_empty() == pa.empty());
        Long i = 0;
        for_each_point(a, [&](const IntVect<D>& p) {
            CHECK(a.index_of(p) == i);
            CHECK(a.point_at(i) == p);
            CHECK(a.contains(p));
            ++i;
        });
        std::set<IntVect<D>, LexLess> common;
        for (const auto& p : points(b)) {
            CHECK(a.contains(p) == pa.contains(p));
            if (pa.contains(p)) common.insert(p);
        }
        CHECK(points(a & b) == common);
        CHECK(a.intersects(b) == !common.empty());
        CHECK(a.contains(b) == (common.size() == points(b).size()));
        CHECK((a & b).ix_type() == a.ix_type());
    }
}

TEST_CASE_TEMPLATE("refine and coarsen", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(29 + D);
    for (int trial = 0; trial < 300; ++trial) {
        const Box<D> b = random_box<D>(rng);
        const IntVect<D> r = random_vect<D>(rng, 1, 5);
        CHECK(coarsen(refine(b, r), r) == b);
        if (b.is_empty()) continue;
        const Box<D> cover = refine(coarsen(b, r), r);
        CHECK(cover.contains(b));
        for (int d = 0; d < D; ++d) {  // no coarse layer too many, on either side
            CHECK(cover.small_end(d) + r[d] > b.small_end(d));
            CHECK(cover.big_end(d) - r[d] < b.big_end(d));
        }
        const IntVect<D> width = random_vect<D>(rng, 0, 3);
        CHECK(b.coarsenable(r) == (cover == b && b.length().all_ge(r)));
        CHECK(b.coarsenable(r, width) == (cover == b && b.length().all_ge(r * width)));
        if (b.cell_centered()) CHECK(refine(b, r).num_pts() == b.num_pts() * r.product());
    }
    CHECK_THROWS_AS(refine(Box<D>(IntVect<D>(0), IntVect<D>(3)), 0), ValueError);
    CHECK_THROWS_AS(coarsen(Box<D>(IntVect<D>(0), IntVect<D>(3)), -2), ValueError);
}

TEST_CASE_TEMPLATE("grow, shift, convert", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(31 + D);
    for (int trial = 0; trial < 300; ++trial) {
        const Box<D> b = random_box<D>(rng);
        const IntVect<D> n = random_vect<D>(rng, -2, 4);
        CHECK(grow(grow(b, n), -n) == b);
        CHECK(shift(shift(b, n), -n) == b);
        CHECK(shift(b, n).length() == b.length());
        Box<D> by_side = b;
        for (int d = 0; d < D; ++d) by_side.grow_low(d, n[d]).grow_high(d, n[d]);
        CHECK(by_side == grow(b, n));
        const Box<D> cells = enclosed_cells(b);
        const Box<D> nodes = surrounding_nodes(b);
        CHECK(cells.cell_centered());
        CHECK(nodes.ix_type().node_centered());
        CHECK(nodes.big_end() == cells.big_end() + 1);
        CHECK(surrounding_nodes(cells) == nodes);
        if (b.ok()) CHECK(b.volume() == cells.num_pts());
        Box<D> normal = b;
        normal.normalize();
        CHECK(normal.small_end() == b.small_end());
        for (int d = 0; d < D; ++d) CHECK(normal.big_end(d) == b.big_end(d) + (b.length(d) == 0 ? 1 : 0));
    }
}

TEST_CASE("overflow is an error that changes nothing") {
    const int top = std::numeric_limits<int>::max();
    Box<2> b(IntVect<2>(0, top - 1), IntVect<2>(4, top));
    const Box<2> before = b;
    CHECK_THROWS_AS(b.grow(1), ValueError);
    CHECK_THROWS_AS(b.shift(1, 1), ValueError);
    CHECK_THROWS_AS(b.refine(2), ValueError);
    CHECK_THROWS_AS(b.surrounding_nodes(), ValueError);
    CHECK(b == before);
    const Box<1> line(IntVect<1>(-top - 1), IntVect<1>(top));
    CHECK(line.num_pts() == (Long{1} << 32));
    CHECK_THROWS_AS(line.length(), ValueError);
    CHECK_THROWS_AS(Box<3>(IntVect<3>(-top - 1), IntVect<3>(top)).num_pts(), ValueError);
}

TEST_CASE("boxes of different types do not mix") {
    const Box<2> cells(IntVect<2>(0), IntVect<2>(3));
    const Box<2> nodes = surrounding_nodes(cells, 0);
    CHECK_THROWS_WITH_AS(cells & nodes, doctest::Contains("(cell,cell) and (node,cell)"), ValueError);
    CHECK_THROWS_AS(cells.contains(nodes), ValueError);
    CHECK_FALSE(cells == nodes);
}
