// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// DistributionMapping and FabLayout.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "mesh/random_boxes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/mesh/fab_layout.hpp"

using namespace zerofab;
using zerofab::test::Random;
using Strategy = DistributionMapping::Strategy;

namespace {

template <int D>
void owners_are_fair(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
        BoxArray<D> boxes(random.box<D>(20, 60));
        boxes.max_size(random.in(4, 12));
        const int nprocs = random.in(1, 9);
        for (const Strategy strategy : {Strategy::round_robin, Strategy::knapsack, Strategy::sfc}) {
            const std::vector<int> owners = DistributionMapping::plan(boxes, nprocs, strategy);
            REQUIRE(owners.size() == boxes.size());
            std::vector<Long> load(static_cast<std::size_t>(nprocs)), count(load.size());
            Long total = 0, largest = 0;
            for (std::size_t i = 0; i < owners.size(); ++i) {
                REQUIRE(owners[i] >= 0);
                REQUIRE(owners[i] < nprocs);
                const Long cells = boxes[i].num_pts();
                load[static_cast<std::size_t>(owners[i])] += cells;
                ++count[static_cast<std::size_t>(owners[i])];
                total += cells;
                largest = std::max(largest, cells);
            }
            if (boxes.size() >= static_cast<std::size_t>(nprocs)) {
                CHECK(*std::min_element(count.begin(), count.end()) > 0);
            }
            if (strategy != Strategy::round_robin) {
                CHECK(*std::max_element(load.begin(), load.end()) <= total / nprocs + 2 * largest);
            }
        }
    }
}

template <int D>
void tiles_cover_boxes(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
        BoxArray<D> boxes(random.box<D>(20, 30));
        boxes.max_size(random.in(8, 20));
        const FabLayout<D> layout(boxes, DistributionMapping(std::vector<int>(boxes.size(), 0)));
        const IntVect<D> size = random.vect<D>(1, 12);
        const std::vector<Tile<D>>& tiles = layout.tiles(size);
        CHECK(&tiles == &layout.tiles(size));
        Long cells = 0;
        for (std::size_t t = 0; t < tiles.size(); ++t) {
            cells += tiles[t].cells.num_pts();
            CHECK(layout.local_box(tiles[t].local).contains(tiles[t].cells));
            if (t > 0) CHECK(tiles[t].local >= tiles[t - 1].local);
            for (int d = 0; d < D; ++d) {
                CHECK(tiles[t].cells.length(d) < 2 * size[d]);
            }
        }
        CHECK(cells == boxes.num_pts());
        std::vector<Box<D>> parts;
        for (const Tile<D>& tile : tiles) parts.push_back(tile.cells);
        CHECK(BoxArray<D>(parts).is_disjoint());
    }
}

}  // namespace

TEST_CASE("every strategy gives each rank its share") {
    owners_are_fair<1>(41);
    owners_are_fair<2>(42);
    owners_are_fair<3>(43);
}

TEST_CASE("the space-filling curve keeps neighbours together") {
    const BoxArray<2> boxes = BoxArray<2>(Box<2>(IntVect<2>(0), IntVect<2>(31))).max_size(8);
    const std::vector<int> owners = DistributionMapping::plan(boxes, 4, Strategy::sfc);
    for (int i = 0; i < 16; ++i) {  // the four quarters of the square
        const IntVect<2> p = boxes[i].small_end();
        CHECK(owners[static_cast<std::size_t>(i)] == p[0] / 16 + 2 * (p[1] / 16));
    }
}

TEST_CASE("owners: sharing and bad input") {
    DistributionMapping owners(std::vector<int>{0, 0, 0});
    CHECK(owners.link_count() == 1);
    const DistributionMapping copy = owners;
    CHECK(owners.link_count() == 2);
    CHECK(copy.same_data(owners));
    owners.define(std::vector<int>{0});
    CHECK(copy.size() == 3);
    CHECK_THROWS_AS(DistributionMapping(std::vector<int>{0, -1}), ValueError);
    CHECK_THROWS_AS(copy.get(3), IndexError);
    CHECK_THROWS_AS(DistributionMapping::plan(BoxArray<2>(), 0, Strategy::sfc), ValueError);
    CHECK_THROWS_AS(DistributionMapping(BoxArray<2>(Box<2>(IntVect<2>(0), IntVect<2>(3)))), StateError);
}

TEST_CASE("a layout knows local and global numbers") {
    const BoxArray<2> boxes = BoxArray<2>(Box<2>(IntVect<2>(0), IntVect<2>(31))).max_size(8);
    const DistributionMapping owners(std::vector<int>(16, 0));
    const auto layout = FabLayout<2>::of(boxes, owners);
    CHECK(layout->num_local() == 16);
    CHECK(layout->all_local());
    for (int i = 0; i < 16; ++i) {
        CHECK(layout->local_index(i) == i);
        CHECK(layout->local_box(i) == boxes[i]);
    }
    CHECK(FabLayout<2>::of(boxes, owners) == layout);
    const auto nodal = FabLayout<2>::of(convert(boxes, IntVect<2>(1)), owners);
    CHECK(nodal != layout);
    CHECK(same_layout(*nodal, *layout));
    CHECK(same_layout(*layout,
                      FabLayout<2>(BoxArray<2>(boxes.to_vector()), DistributionMapping(std::vector<int>(16, 0)))));
    CHECK_FALSE(same_layout(*layout, *FabLayout<2>::of(refine(boxes, 2), owners)));
    CHECK(layout->id() != nodal->id());
    CHECK_THROWS_AS(FabLayout<2>::of(boxes, DistributionMapping(std::vector<int>{0})), ValueError);
    CHECK_THROWS_AS(FabLayout<2>(boxes, DistributionMapping(std::vector<int>(16, 1))), ValueError);
    CHECK_THROWS_AS(FabLayout<2>(BoxArray<2>(Box<2>()), DistributionMapping(std::vector<int>{0})), ValueError);
    CHECK_THROWS_AS(layout->tiles(IntVect<2>(0)), ValueError);
}

TEST_CASE("tiles cover each box once") {
    tiles_cover_boxes<1>(51);
    tiles_cover_boxes<2>(52);
    tiles_cover_boxes<3>(53);
}

namespace {

struct Sized {
    std::size_t size;
    std::size_t bytes() const noexcept { return size; }
};

std::shared_ptr<FabLayout<1>> small_layout() {
    return std::make_shared<FabLayout<1>>(BoxArray<1>(Box<1>(IntVect<1>(0), IntVect<1>(9))),
                                          DistributionMapping(std::vector<int>{0}));
}

}  // namespace

TEST_CASE("plans are kept up to a number of bytes, those used last first") {
    const auto layout = small_layout();
    PlanCache& plans = layout->plans();
    const std::size_t most = PlanCache::most_bytes;
    const auto get = [&](std::int64_t key, std::size_t bytes) {
        return plans.get<Sized>({key}, [&] { return Sized{bytes}; });
    };
    for (std::int64_t key = 0; key < 100; ++key) {
        get(key, most / 10);
        CHECK(plans.bytes() <= most);
        get(0, 1);  // which is used all the time
    }
    CHECK(plans.size() == 10);
    CHECK(get(0, 1)->size == most / 10);
    CHECK(get(99, 1)->size == most / 10);
    CHECK(get(50, 1)->size == 1);  // made anew
    // A few stay whatever their size, or an exchange would work them out again and again.
    std::vector<std::weak_ptr<const Sized>> made;
    for (std::int64_t key = 200; key < 220; ++key) made.push_back(get(key, most));
    CHECK(plans.size() == PlanCache::most_used);
    for (std::size_t n = 0; n < made.size(); ++n) {
        CHECK(made[n].expired() == (n + PlanCache::most_used < made.size()));
    }
    plans.clear();
    CHECK(plans.bytes() == 0);
    CHECK(get(1, 5)->size == 5);
    CHECK(plans.bytes() == 5);
}

TEST_CASE("plans about a layout that is gone go with it") {
    const auto mine = small_layout();
    std::weak_ptr<const Sized> of_both, of_one;
    for (int round = 0; round < 3; ++round) {
        auto other = small_layout();
        for (std::int64_t key = 0; key < 5; ++key) {
            of_both = mine->plans().get<Sized>({other->id(), key}, [] { return Sized{8}; }, &other->plans());
        }
        of_one = mine->plans().get<Sized>({-1}, [] { return Sized{8}; }, &mine->plans());
        CHECK(mine->plans().size() == 6);
        // The keeper may go first.
        auto brief = small_layout();
        const std::weak_ptr<const Sized> gone =
            brief->plans().get<Sized>({0}, [] { return Sized{8}; }, &other->plans());
        brief.reset();
        CHECK(gone.expired());
        CHECK_FALSE(of_both.expired());
        other.reset();
        CHECK(of_both.expired());
        CHECK_FALSE(of_one.expired());
        CHECK(mine->plans().size() == 1);
        CHECK(mine->plans().bytes() == 8);
    }
    // Both at once, from threads.
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int n = 0; n < 200; ++n) {
                const auto other = small_layout();
                mine->plans().get<Sized>({other->id()}, [] { return Sized{8}; }, &other->plans());
                other->plans().get<Sized>({mine->id()}, [] { return Sized{8}; }, &mine->plans());
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(mine->plans().size() == 1);
}

TEST_CASE("plans are made once per key, and old ones go") {
    const FabLayout<1> layout(BoxArray<1>(Box<1>(IntVect<1>(0), IntVect<1>(9))),
                              DistributionMapping(std::vector<int>{0}));
    int made = 0;
    const auto make = [&] { return ++made; };
    CHECK(*layout.plans().get<int>({1, 2}, make) == 1);
    CHECK(*layout.plans().get<int>({1, 2}, make) == 1);
    CHECK(*layout.plans().get<int>({1, 3}, make) == 2);
    CHECK(*layout.plans().get<long>({1, 3}, [] { return 7L; }) == 7);
    const std::shared_ptr<const int> kept = layout.plans().get<int>({1, 2}, make);
    for (std::int64_t key = 0; key < 1000; ++key) layout.plans().get<int>({key}, make);
    CHECK(layout.plans().size() <= 256);
    CHECK(*kept == 1);
    layout.plans().clear();
    CHECK(layout.plans().size() == 0);
    std::vector<std::thread> threads;
    std::vector<std::shared_ptr<const int>> seen(8);
    for (std::size_t t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] { seen[t] = layout.plans().get<int>({5}, [] { return 5; }); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& plan : seen) CHECK(plan == seen[0]);
}
