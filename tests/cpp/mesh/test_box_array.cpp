// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BoxArray against a scan of all boxes and against first principles.
#include <doctest/doctest.h>

#include <chrono>
#include <climits>
#include <map>
#include <thread>

#include "mesh/random_boxes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/mesh/box_array.hpp"

using namespace zerofab;
using zerofab::test::Random;

namespace {

template <int D>
BoxArray<D> random_array(Random& random, int most, int reach, int longest) {
    const IndexType<D> type = random.type<D>();
    std::vector<Box<D>> boxes;
    for (int n = random.in(1, most); n > 0; --n) {
        const bool huge = random.in(0, 20) == 0;  // among many small ones
        boxes.push_back(random.box<D>(reach, huge ? 10 * reach : longest).convert(type));
    }
    return BoxArray<D>(boxes);
}

template <int D>
std::vector<std::pair<int, Box<D>>> scan(const BoxArray<D>& boxes, const Box<D>& region, int ngrow) {
    std::vector<std::pair<int, Box<D>>> found;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
        const Box<D> common = grow(boxes[i], ngrow) & region;
        if (common.ok()) found.emplace_back(i, common);
    }
    return found;
}

/// The rule of max_size for one side, from its description.
std::vector<std::pair<int, int>> pieces(int lo, int n, int most) {
    if (n <= most) return {{lo, lo + n - 1}};
    int granule = 1;
    while (n % (2 * granule) == 0 && most % (2 * granule) == 0) granule *= 2;
    const int units = n / granule, count = (units + most / granule - 1) / (most / granule);
    std::vector<std::pair<int, int>> result;
    for (int i = 0; i < count; ++i) {
        const int length = granule * (units / count + (i < units % count ? 1 : 0));
        result.emplace_back(lo, lo + length - 1);
        lo += length;
    }
    return result;
}

template <int D>
std::vector<Box<D>> chopped(const Box<D>& box, const IntVect<D>& size) {
    std::vector<Box<D>> result{box};
    for (int d = 0; d < D; ++d) {  // x first, so that later directions repeat what is there
        std::vector<Box<D>> next;
        for (const auto& [lo, hi] : pieces(box.small_end(d), box.length(d), size[d])) {
            for (const Box<D>& part : result) next.push_back(Box<D>(part).set_small(d, lo).set_big(d, hi));
        }
        result = next;
    }
    return result;
}

template <int D>
void searches_agree_with_a_scan(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
        const int reach = round % 3 == 0 ? 100000 : 40;  // sparse sets use the hash table
        const BoxArray<D> boxes = random_array<D>(random, 60, reach, 12);
        for (int query = 0; query < 20; ++query) {
            const Box<D> around = boxes[random.in(0, static_cast<int>(boxes.size()) - 1)];
            Box<D> region = random.box<D>(10, 30, boxes.ix_type()) + around.small_end();
            const int ngrow = random.in(0, 3);
            const auto expected = scan(boxes, region, ngrow);
            CHECK(boxes.intersections(region, ngrow) == expected);
            CHECK(boxes.intersects(region, ngrow) == !expected.empty());
            const IntVect<D> p = region.small_end();
            const auto holders = scan(boxes, Box<D>(p, p, boxes.ix_type()), 0);
            CHECK(boxes.find(p) == (holders.empty() ? -1 : holders.front().first));
            CHECK(boxes.find_last(p) == (holders.empty() ? -1 : holders.back().first));
            CHECK(boxes.contains(p) == !holders.empty());
        }
    }
}

template <int D>
void coverage_agrees_with_points(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
        const BoxArray<D> boxes = random_array<D>(random, 12, 4, 8);
        const Box<D> region = random.box<D>(4, 6, boxes.ix_type());
        const std::vector<Box<D>> rest = boxes.complement_in(region);
        Long bare = 0;
        for_each_point(region, [&](const IntVect<D>& p) {
            int parts = 0;
            for (const Box<D>& part : rest) parts += part.contains(p) ? 1 : 0;
            CHECK(parts == (boxes.contains(p) ? 0 : 1));
            bare += parts;
        });
        CHECK(boxes.contains(region) == (bare == 0));
    }
}

template <int D>
void max_size_cuts_by_the_rule(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 100; ++round) {
        BoxArray<D> boxes = random_array<D>(random, 4, 50, 60);
        if (round % 3 == 0) {  // planes of nodes, which enclose no cells, among others
            std::vector<Box<D>> all = convert(boxes, IndexType<D>::node()).to_vector();
            for (Box<D>& box : all) {
                const int d = random.in(0, D - 1);
                if (random.in(0, 2) == 0) box.set_big(d, box.small_end(d));
            }
            boxes = BoxArray<D>(all);
        }
        const BoxArray<D> before = boxes;
        const IntVect<D> size = random.vect<D>(1, 40);
        std::vector<Box<D>> expected;
        for (const Box<D>& box : before.cells()) {
            for (const Box<D>& part : chopped(box, max(size, IntVect<D>(8)))) expected.push_back(part);
        }
        boxes.max_size(max(size, IntVect<D>(8)));
        CHECK(std::vector<Box<D>>(boxes.cells().begin(), boxes.cells().end()) == expected);
        CHECK(boxes.ix_type() == before.ix_type());
        Long cells_before = 0, cells_after = 0;
        for (const Box<D>& box : before.cells()) cells_before += box.num_pts();
        for (const Box<D>& box : boxes.cells()) cells_after += box.num_pts();
        CHECK(cells_before == cells_after);
        const BoxArray<D> anew(boxes.to_vector());  // whose bounds are looked for, not taken over
        for_each_point(Box<D>(IntVect<D>(0), IntVect<D>(1)), [&](const IntVect<D>& type) {
            CHECK(convert(boxes, type).minimal_box() == convert(anew, type).minimal_box());
        });
    }
}

}  // namespace

TEST_CASE("intersections, intersects and find agree with a scan of all boxes") {
    searches_agree_with_a_scan<1>(11);
    searches_agree_with_a_scan<2>(12);
    searches_agree_with_a_scan<3>(13);
}

TEST_CASE("contains(box) and complement_in agree with single points") {
    coverage_agrees_with_points<1>(21);
    coverage_agrees_with_points<2>(22);
    coverage_agrees_with_points<3>(23);
}

TEST_CASE("max_size cuts by its rule, in the place of each box, x fastest") {
    max_size_cuts_by_the_rule<1>(31);
    max_size_cuts_by_the_rule<2>(32);
    max_size_cuts_by_the_rule<3>(33);
}

TEST_CASE("max_size: the lengths upstream gives") {
    BoxArray<3> boxes(Box<3>(IntVect<3>(0), IntVect<3>(9, 6, 3)));
    boxes.max_size(IntVect<3>(4, 4, 3));
    REQUIRE(boxes.size() == 12);
    CHECK(boxes[0] == Box<3>(IntVect<3>(0), IntVect<3>(3, 3, 1)));
    CHECK(boxes[2] == Box<3>(IntVect<3>(8, 0, 0), IntVect<3>(9, 3, 1)));
    CHECK(boxes[11] == Box<3>(IntVect<3>(8, 4, 2), IntVect<3>(9, 6, 3)));
}

TEST_CASE("handles share until one changes; index types share always") {
    const BoxArray<2> all = BoxArray<2>(Box<2>(IntVect<2>(0), IntVect<2>(31))).max_size(8);
    BoxArray<2> other = all;
    CHECK(other.same_data(all));
    other.surrounding_nodes(0);
    CHECK(other.same_data(all));
    CHECK_FALSE(other == all);
    CHECK(other.cell_equal(all));
    CHECK(other[0].length() == IntVect<2>(9, 8));
    CHECK(other.num_pts() == 16 * 72);
    other.enclosed_cells();
    CHECK(other == all);
    other.max_size(8);
    CHECK(other.same_data(all));  // nothing to cut
    other.max_size(4);
    CHECK_FALSE(other.same_data(all));
    CHECK(all.size() == 16);
    CHECK(other.size() == 64);
    const BoxArray<2> fine = refine(all, 2);
    CHECK(fine.minimal_box() == Box<2>(IntVect<2>(0), IntVect<2>(63)));
    CHECK(coarsen(fine, 2) == all);
    CHECK(all.coarsenable(8));
    CHECK_FALSE(all.coarsenable(16));
    CHECK_FALSE(all.coarsenable(8, 2));
}

TEST_CASE("is_disjoint") {
    BoxArray<2> boxes = BoxArray<2>(Box<2>(IntVect<2>(0), IntVect<2>(31))).max_size(8);
    CHECK(boxes.is_disjoint());
    boxes.grow(1);
    CHECK_FALSE(boxes.is_disjoint());
}

// Boxes that are planes of nodes enclose no cell; all questions answered by looking at every box.
template <int D>
void check_planes(unsigned seed) {
    std::mt19937 rng(seed);
    const auto in = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng); };
    for (int round = 0; round < 60; ++round) {
        IntVect<D> nodal;
        for (int d = 0; d < D; ++d) nodal[d] = in(0, 1);
        const IndexType<D> type(nodal);
        std::vector<Box<D>> list;
        for (int n = in(1, 12); n > 0; --n) {
            IntVect<D> lo, hi;
            for (int d = 0; d < D; ++d) {
                lo[d] = in(-8, 8);
                hi[d] = lo[d] + (in(0, 1) == 0 ? 0 : in(0, 5));
            }
            list.emplace_back(lo, hi, type);
        }
        const BoxArray<D> boxes(list);
        for (int t = 0; t < 1 << D; ++t) {  // also as other index types, where some of them are empty
            IntVect<D> other;
            for (int d = 0; d < D; ++d) other[d] = (t >> d) & 1;
            const BoxArray<D> typed = convert(boxes, other);
            const auto joined = [](const Box<D>& a, const Box<D>& b) {
                return Box<D>(min(a.small_end(), b.small_end()), max(a.big_end(), b.big_end()), b.ix_type());
            };
            Box<D> around, all = convert(list.front(), other);
            Long points = 0;
            for (const Box<D>& box : list) {
                const Box<D> b = convert(box, other);
                points += b.num_pts();
                all = joined(all, b);
                if (b.is_empty()) continue;
                around = around.is_empty() ? b : joined(around, b);
            }
            if (points == 0 && all.is_empty()) around = all;
            CHECK(typed.minimal_box() == around);
            CHECK(typed.num_pts() == points);
            IntVect<D> p, lo, hi, n;
            for (int d = 0; d < D; ++d) {
                p[d] = in(-9, 14);
                lo[d] = in(-9, 14);
                hi[d] = lo[d] + in(0, 4);
                n[d] = in(0, 2);
            }
            const Box<D> region(lo, hi, IndexType<D>(other));
            std::vector<std::pair<int, Box<D>>> met;
            int first = -1, last = -1;
            for (std::size_t i = 0; i < list.size(); ++i) {
                const Box<D> b = convert(list[i], other);
                if (b.is_empty()) continue;
                if (b.contains(p)) last = static_cast<int>(i), first = first < 0 ? last : first;
                if ((grow(b, n) & region).ok()) met.emplace_back(static_cast<int>(i), grow(b, n) & region);
            }
            CHECK(typed.find(p) == first);
            CHECK(typed.find_last(p) == last);
            CHECK(typed.intersections(region, n) == met);
            CHECK(typed.intersects(region, n) == !met.empty());
        }
        bool disjoint = true;
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                disjoint &= !enclosed_cells(list[i]).intersects(enclosed_cells(list[j]));
        CHECK(boxes.is_disjoint() == disjoint);
    }
}

TEST_CASE("planes of nodes have points where the type is nodal") {
    check_planes<1>(1);
    check_planes<2>(2);
    check_planes<3>(3);
    // boxes that resize adds are empty whatever the type
    BoxArray<2> boxes(Box<2>(IntVect<2>(4, 4), IntVect<2>(6, 6), IndexType<2>::node()));
    boxes.resize(2);
    CHECK(boxes[1].is_empty());
    CHECK(boxes.minimal_box() == boxes[0]);
}

TEST_CASE("none, empty and extreme boxes") {
    BoxArray<3> none;
    CHECK(none.empty());
    CHECK(none.num_pts() == 0);
    CHECK(none.minimal_box() == Box<3>());
    CHECK(none.find(IntVect<3>(0)) == -1);
    CHECK(none.intersections(Box<3>(IntVect<3>(0), IntVect<3>(9))).empty());
    CHECK(none.is_disjoint());
    BoxArray<3> resized = BoxArray<3>(Box<3>(IntVect<3>(0), IntVect<3>(9))).resize(3);
    CHECK(resized.size() == 3);
    CHECK(resized.num_pts() == 1000);
    CHECK(resized.intersections(Box<3>(IntVect<3>(-9), IntVect<3>(19))).size() == 1);
    const BoxArray<1> wide(std::vector<Box<1>>{Box<1>(IntVect<1>(INT_MIN), IntVect<1>(INT_MIN + 3)),
                                               Box<1>(IntVect<1>(INT_MAX - 3), IntVect<1>(INT_MAX))});
    CHECK(wide.find(IntVect<1>(INT_MAX)) == 1);
    CHECK(wide.find(IntVect<1>(INT_MIN)) == 0);
    CHECK(wide.find(IntVect<1>(0)) == -1);
}

TEST_CASE("bad input changes nothing") {
    BoxArray<2> boxes = BoxArray<2>(Box<2>(IntVect<2>(0), IntVect<2>(31))).max_size(8);
    const BoxArray<2> before = boxes;
    CHECK_THROWS_AS(boxes.max_size(0), ValueError);
    CHECK_THROWS_AS(boxes.refine(0), ValueError);
    CHECK_THROWS_AS(boxes.coarsen(-1), ValueError);
    CHECK_THROWS_AS(boxes.refine(1 << 30), ValueError);
    CHECK_THROWS_AS(boxes.grow(INT_MAX), ValueError);
    CHECK_THROWS_AS(boxes.resize(-1), ValueError);
    CHECK_THROWS_AS(boxes.get(16), IndexError);
    CHECK_THROWS_AS(boxes.get(-1), IndexError);
    CHECK_THROWS_AS(boxes.intersections(Box<2>(IntVect<2>(0), IntVect<2>(3), IndexType<2>::node())), ValueError);
    CHECK_THROWS_AS(BoxArray<2>(std::vector<Box<2>>{before[0], surrounding_nodes(before[1])}), ValueError);
    CHECK_THROWS_AS(BoxArray<3>(Box<3>(IntVect<3>(0), IntVect<3>(4095))).max_size(1), ValueError);
    CHECK(boxes == before);
    CHECK(boxes.same_data(before));
}

TEST_CASE("threads that search first at the same time build one index") {
    const BoxArray<3> boxes = BoxArray<3>(Box<3>(IntVect<3>(0), IntVect<3>(63))).max_size(8);
    std::vector<std::thread> threads;
    std::vector<int> found(8, -1);
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] { found[static_cast<std::size_t>(t)] = boxes.find(IntVect<3>(8 * t, 0, 0)); });
    }
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < 8; ++t) CHECK(found[static_cast<std::size_t>(t)] == t);
}

TEST_CASE("a few huge boxes among many small ones") {
    std::vector<Box<2>> boxes;
    for (int i = 0; i < 20000; ++i) boxes.emplace_back(IntVect<2>(4 * i, 0), IntVect<2>(4 * i + 3, 3));
    boxes.emplace_back(IntVect<2>(0, 0), IntVect<2>(79999, 1000000));
    boxes.emplace_back(IntVect<2>(0, 4), IntVect<2>(79999, 4));
    const BoxArray<2> array(boxes);
    CHECK(array.index().bytes() < 40 * 20000 * sizeof(int));
    const auto found = array.intersections(Box<2>(IntVect<2>(40000, 0), IntVect<2>(40004, 4)));
    REQUIRE(found.size() == 4);
    CHECK(found[0].first == 10000);
    CHECK(found[1].first == 10001);
    CHECK(found[2] == std::pair(20000, Box<2>(IntVect<2>(40000, 0), IntVect<2>(40004, 4))));
    CHECK(found[3] == std::pair(20001, Box<2>(IntVect<2>(40000, 4), IntVect<2>(40004, 4))));
}

TEST_CASE("the time of a search does not grow with the number of boxes") {
    const auto seconds = [](int n) {
        const BoxArray<3> boxes = BoxArray<3>(Box<3>(IntVect<3>(0), IntVect<3>(8 * n - 1))).max_size(8);
        boxes.index();
        double best = 1e9;
        for (int repeat = 0; repeat < 5; ++repeat) {
            const auto start = std::chrono::steady_clock::now();
            std::size_t found = 0;
            for (int q = 0; q < 2000; ++q) found += boxes.intersections(Box<3>(IntVect<3>(3), IntVect<3>(6)), 1).size();
            for (int q = 0; q < 2000; ++q) found += boxes.find(IntVect<3>(q % (8 * n))) >= 0 ? 1u : 0u;
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            CHECK(found == 4000);
        }
        return best;
    };
    const double few = seconds(2), many = seconds(32);  // 8 and 32768 boxes
    MESSAGE("8 boxes: " << few / 4000 * 1e9 << " ns, 32768 boxes: " << many / 4000 * 1e9 << " ns per search");
    CHECK(many < 8 * few);  // a scan would be thousands of times slower
}

TEST_CASE("points of many boxes, some of them long, are counted or too many") {
    const auto column = [](int width, int length) {
        return Box<3>(IntVect<3>(0), IntVect<3>(width - 1, width - 1, length - 1));
    };
    std::vector<Box<3>> list;
    Long points = 0;
    for (int i = 0; i < 1000; ++i) {  // those of one in 300 alone are more than an int holds
        list.push_back(i % 300 == 7 ? column(1000, INT_MAX) : column(1 + i % 3, 1 + i % 50));
        points += list.back().num_pts();
    }
    CHECK(BoxArray<3>(list).num_pts() == points);
    list.assign(600, column(1 << 18, 1 << 18));  // 2^54 each
    CHECK_THROWS_AS(static_cast<void>(BoxArray<3>(list).num_pts()), ValueError);
    list.resize(511);
    CHECK(BoxArray<3>(list).num_pts() == Long{511} << 54);
    list.assign(2, column(1 << 21, 1 << 20));  // 2^62 each
    CHECK_THROWS_AS(static_cast<void>(BoxArray<3>(list).num_pts()), ValueError);
}
