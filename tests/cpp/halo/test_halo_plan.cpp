// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Plans of several ranks fit together, stay in the cache, and cost the same per box for any number of boxes.
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <set>
#include <tuple>
#include <type_traits>

#include "reference.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/halo/halo_plan.hpp"

namespace zerofab {
namespace {

using test::Random;

/// A copy with global numbers, as something to compare and sort.
template <int D>
using Flow = std::tuple<int, int, std::array<int, D>, std::array<int, D>, std::array<int, D>>;

template <int D>
Flow<D> flow(int src, int dst, const HaloCopy<D>& c) {
    return {dst, src, c.shift.array(), c.box.small_end().array(), c.box.big_end().array()};
}

std::vector<int> boxes_of(const std::vector<int>& owners, int rank) {
    std::vector<int> mine;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] == rank) mine.push_back(static_cast<int>(i));
    }
    return mine;
}

template <int D>
HaloRequest<D> random_request(Random& random, const BoxArray<D>& ba) {
    HaloRequest<D> request;
    request.kind = static_cast<typename HaloRequest<D>::Kind>(random.in(0, 3));
    if (request.kind != HaloRequest<D>::Kind::owned) {
        request.dst_nghost = random.vect<D>(0, 2);
        if (request.kind != HaloRequest<D>::Kind::ghosts) request.src_nghost = random.vect<D>(0, 2);
    }
    request.period = test::random_period(random, ba);
    request.cross = random.in(0, 1) == 0;
    return request;
}

template <int D>
void check_ranks(Random& random) {
    const BoxArray<D> dst = test::random_layout<D>(random, random.in(0, 2) == 0);
    HaloRequest<D> request = random_request(random, dst);
    BoxArray<D> src = dst;
    const int ranks = random.in(1, 4);
    const auto deal = [&](const BoxArray<D>& ba) {
        std::vector<int> owners(ba.size());
        for (int& owner : owners) owner = random.in(0, ranks - 1);
        return owners;
    };
    const std::vector<int> dst_owners = deal(dst);
    std::vector<int> src_owners = dst_owners;
    if (request.kind == HaloRequest<D>::Kind::all) {
        src = test::random_layout<D>(random);
        src.convert(dst.ix_type());
        src_owners = deal(src);
    }
    const std::vector<int> dst_one(dst.size(), 0), src_one(src.size(), 0);
    const HaloPlan<D> alone = build_halo_plan(dst, dst_one, src, src_one, request, 0);
    CHECK(alone.sends.empty());
    CHECK(alone.receives.empty());

    std::vector<HaloPlan<D>> plans;
    for (int r = 0; r < ranks; ++r) plans.push_back(build_halo_plan(dst, dst_owners, src, src_owners, request, r));
    std::multiset<Flow<D>> wanted, got;
    for (const auto& c : alone.copies) wanted.insert(flow(c.src, c.dst, c));
    for (int r = 0; r < ranks; ++r) {
        const std::vector<int> to = boxes_of(dst_owners, r), from = boxes_of(src_owners, r);
        const HaloPlan<D>& plan = plans[static_cast<std::size_t>(r)];
        for (const auto& c : plan.copies) {
            got.insert(flow(from[static_cast<std::size_t>(c.src)], to[static_cast<std::size_t>(c.dst)], c));
        }
        for (const auto& [peer, list] : plan.receives) {
            CHECK(peer != r);
            std::vector<Flow<D>> here, there;
            for (const auto& c : list) {
                CHECK(src_owners[static_cast<std::size_t>(c.src)] == peer);
                here.push_back(flow(c.src, to[static_cast<std::size_t>(c.dst)], c));
            }
            const std::vector<int> theirs = boxes_of(src_owners, peer);
            for (const auto& c : plans[static_cast<std::size_t>(peer)].sends.at(r)) {
                there.push_back(flow(theirs[static_cast<std::size_t>(c.src)], c.dst, c));
            }
            CHECK(here == there);
            got.insert(here.begin(), here.end());
        }
        for (const auto& [peer, list] : plan.sends) {
            CHECK(plans[static_cast<std::size_t>(peer)].receives.count(r) == 1);
        }
    }
    CHECK(got == wanted);
}

template <int D>
double build_seconds(int n, int size) {
    BoxArray<D> ba(Box<D>(IntVect<D>(0), IntVect<D>(n - 1)));
    ba.max_size(size);
    const std::vector<int> owners(ba.size(), 0);
    HaloRequest<D> request;
    request.dst_nghost = IntVect<D>(1);
    request.period = Periodicity<D>(IntVect<D>(n));
    const std::clock_t start = std::clock();
    const HaloPlan<D> plan = build_halo_plan(ba, owners, ba, owners, request, 0);
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    CHECK(plan.copies.size() == 26 * ba.size());
    CHECK(plan.groups.size() == ba.size());
    return took;
}

}  // namespace

TEST_CASE("the plans of all ranks together are the plan of one") {
    Random random(11);
    for (int i = 0; i < 150; ++i) {
        check_ranks<1>(random);
        check_ranks<2>(random);
        check_ranks<3>(random);
    }
}

TEST_CASE("building a plan takes time in proportion to the boxes") {
    double few = 1e9, many = 1e9;
    for (int i = 0; i < 3; ++i) few = std::min(few, build_seconds<3>(4 * 8, 4) / 512);
    for (int i = 0; i < 2; ++i) many = std::min(many, build_seconds<3>(4 * 32, 4) / 32768);  // 32,768 boxes
    CHECK(many < 12 * few);  // 64 times, if each box looked at all others
    MESSAGE("per box: " << few * 1e6 << " us of 512, " << many * 1e6 << " us of 32768");
}

TEST_CASE("a plan is made once per request") {
    BoxArray<2> ba(Box<2>(IntVect<2>(0), IntVect<2>(15)));
    ba.max_size(4);
    const FabLayout<2> layout(ba, test::one_rank(ba)), other(ba, test::one_rank(ba));
    HaloRequest<2> request;
    request.dst_nghost = IntVect<2>(1);
    const auto plan = halo_plan(layout, layout, request);
    CHECK(halo_plan(layout, layout, request) == plan);
    HaloRequest<2> changed = request;
    changed.cross = true;
    CHECK(halo_plan(layout, layout, changed) != plan);
    changed = request;
    changed.period = Periodicity<2>(IntVect<2>(16, 0));
    CHECK(halo_plan(layout, layout, changed) != plan);
    changed = request;
    changed.dst_nghost = IntVect<2>(1, 0);
    CHECK(halo_plan(layout, layout, changed) != plan);
    changed = request;
    changed.kind = HaloRequest<2>::Kind::all;
    CHECK(halo_plan(layout, layout, changed) != halo_plan(layout, other, changed));
    CHECK(plan->bytes() >= plan->copies.size() * sizeof(HaloCopy<2>));
}

TEST_CASE("a plan from a layout goes with it, and plans do not fill the memory") {
    const auto cut = [](int size) {
        BoxArray<2> ba(Box<2>(IntVect<2>(0), IntVect<2>(63)));
        ba.max_size(size);
        return std::make_shared<const FabLayout<2>>(ba, test::one_rank(ba));
    };
    const auto dst = cut(16);
    HaloRequest<2> request;
    request.kind = HaloRequest<2>::Kind::all;
    for (const int size : {8, 16, 32}) {  // a new source at each step, as after regridding
        std::weak_ptr<const HaloPlan<2>> plan;
        {
            const auto src = cut(size);
            plan = halo_plan(*dst, *src, request);
            CHECK(dst->plans().bytes() == plan.lock()->bytes());
        }
        CHECK(plan.expired());
        CHECK(dst->plans().size() == 0);
    }
    // Requests without end, here with plans of some 5 MB.
    const auto fine = cut(1);
    request.kind = HaloRequest<2>::Kind::others;
    request.dst_nghost = request.src_nghost = IntVect<2>(1);
    std::size_t all = 0;
    for (int period = 64; all < 2 * PlanCache::most_bytes; ++period) {
        request.period = Periodicity<2>(IntVect<2>(period, 64));
        all += halo_plan(*fine, *fine, request)->bytes();
        REQUIRE(fine->plans().bytes() <= PlanCache::most_bytes);
    }
}

TEST_CASE("fabs of different index types do not fit") {
    const BoxArray<1> cells(Box<1>(IntVect<1>(0), IntVect<1>(3)));
    BoxArray<1> nodes(cells);
    nodes.surrounding_nodes();
    const std::vector<int> owners{0};
    CHECK_THROWS_AS(build_halo_plan(cells, owners, nodes, owners, HaloRequest<1>{}, 0), ValueError);
}

}  // namespace zerofab
