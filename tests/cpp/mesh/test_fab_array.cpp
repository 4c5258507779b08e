// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// FabArrays, fabs, loops and leases.
#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <thread>

#include "zerofab/device/runtime.hpp"
#include "zerofab/mesh/fab_array.hpp"
#include "zerofab/mesh/mf_iter.hpp"

using namespace zerofab;

namespace {

/// A running library for one test.
struct Running {
    Running() { Runtime::initialize(); }
    ~Running() { Runtime::finalize(); }
};

template <int D>
MultiFab<D> field(int n, int chunk, int ncomp, int ngrow, IndexType<D> type = {}) {
    BoxArray<D> boxes(Box<D>(IntVect<D>(0), IntVect<D>(n - 1)));
    boxes.max_size(chunk).convert(type);
    return MultiFab<D>(boxes, DistributionMapping(boxes), ncomp, IntVect<D>(ngrow));
}

}  // namespace

TEST_CASE_TEMPLATE("a body has one fab per box, with ghosts", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    const auto mf = field<D>(10, 4, 2, 1);
    const Lease<D>& body = mf.lease();
    REQUIRE(body->num_local() == mf.size());
    for (int local = 0; local < body->num_local(); ++local) {
        const FabMemory<D>& fab = body->fabs[static_cast<std::size_t>(local)];
        CHECK(fab.box == grow(body->valid_box(local), 1));
        CHECK(fab.memory->bytes() == static_cast<std::size_t>(fab.box.num_pts()) * 2 * sizeof(Real));
        CHECK(reinterpret_cast<std::uintptr_t>(fab.data) % 64 == 0);
        const Array4<Real> a = mf.array(local);
        a(a.lo[0], a.lo[1], a.lo[2], 1) = 5.0;
        CHECK(static_cast<Real*>(fab.data)[fab.box.num_pts()] == 5.0);
        CHECK(a.contains(a.lo[0], a.lo[1], a.lo[2]));
        CHECK_FALSE(a.contains(a.lo[0] - 1, a.lo[1], a.lo[2]));
    }
}

TEST_CASE("a lease outlives clear, redefinition and deletion") {
    const Running running;
    auto mf = std::make_unique<MultiFab<3>>(field<3>(8, 4, 1, 0));
    const Lease<3> lease = mf->lease();
    const AllocationPtr memory = lease->fabs[0].memory;
    lease->array<Real>(0)(1, 2, 3) = 7.0;
    mf->define(lease->layout->boxes(), lease->layout->owners(), 1, IntVect<3>(2));
    CHECK(mf->lease()->fabs[0].memory != memory);
    mf->clear();
    CHECK_FALSE(mf->ok());
    CHECK_THROWS_AS((void)mf->lease(), StateError);
    mf.reset();
    CHECK(lease->array<Real>(0)(1, 2, 3) == 7.0);
}

TEST_CASE("a failed definition changes nothing") {
    const Running running;
    auto mf = field<2>(8, 4, 1, 0);
    const Lease<2> before = mf.lease();
    const BoxArray<2>& boxes = before->layout->boxes();
    const DistributionMapping& owners = before->layout->owners();
    CHECK_THROWS_AS(mf.define(boxes, owners, 0, IntVect<2>(0)), ValueError);
    CHECK_THROWS_AS(mf.define(boxes, owners, 1, IntVect<2>(-1)), ValueError);
    CHECK_THROWS_AS(mf.define(boxes, DistributionMapping(std::vector<int>{0}), 1, IntVect<2>(0)), ValueError);
    CHECK(mf.lease() == before);
}

TEST_CASE("FabArrays need a running library") {
    BoxArray<1> boxes(Box<1>(IntVect<1>(0), IntVect<1>(7)));
    CHECK_THROWS_AS(MultiFab<1>(boxes, DistributionMapping(std::vector<int>{0}), 1, IntVect<1>(0)), StateError);
}

TEST_CASE("a layout without memory") {
    const Running running;
    BoxArray<3> boxes(Box<3>(IntVect<3>(0), IntVect<3>(7)));
    MFInfo info;
    info.alloc = false;
    const MultiFab<3> mf(boxes, DistributionMapping(boxes), 1, IntVect<3>(0), info);
    CHECK(mf.lease()->num_local() == 0);
    CHECK(mf.size() == 1);
}

TEST_CASE_TEMPLATE("tiles of a loop partition the points of each box", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    for (const IndexType<D> type : {IndexType<D>::cell(), IndexType<D>::node()}) {
        for (const int tile : {1, 2, 3, 100}) {
            const auto mf = field<D>(7, 4, 1, 1, type);
            std::vector<Long> points(static_cast<std::size_t>(mf.size()));
            int steps = 0;
            for (MFIter<D> mfi(*mf.lease(), IntVect<D>(tile)); mfi.is_valid(); ++mfi, ++steps) {
                CHECK(mfi.validbox().contains(mfi.tilebox()));
                points[static_cast<std::size_t>(mfi.index())] += mfi.tilebox().num_pts();
                CHECK(mfi.fabbox().contains(mfi.growntilebox()));
            }
            for (int n = 0; n < mf.size(); ++n) {
                CHECK(points[static_cast<std::size_t>(n)] == mf.lease()->layout->boxes()[n].num_pts());
            }
            CHECK(steps == MFIter<D>(*mf.lease(), IntVect<D>(tile)).length());
        }
    }
}

TEST_CASE("grown tiles of a box partition its fab") {
    const Running running;
    const auto mf = field<3>(8, 8, 1, 2);
    Long points = 0;
    for (MFIter<3> mfi(*mf.lease(), IntVect<3>(3)); mfi.is_valid(); ++mfi) {
        points += mfi.growntilebox().num_pts();
    }
    CHECK(points == 12 * 12 * 12);
}

TEST_CASE("clearing in one thread while others read under a lease") {
    const Running running;
    for (int round = 0; round < 20; ++round) {
        MultiFab<3> mf = field<3>(16, 4, 1, 0);
        for (int local = 0; local < mf.lease()->num_local(); ++local) {
            mf.array(local)(mf.array(local).lo[0], mf.array(local).lo[1], mf.array(local).lo[2]) = 3.0;
        }
        const Lease<3> lease = mf.lease();
        std::atomic<int> wrong{0};
        std::thread reader([&wrong, lease] {
            for (int local = 0; local < lease->num_local(); ++local) {
                const Array4<const Real> a = lease->array<const Real>(local);
                wrong += a(a.lo[0], a.lo[1], a.lo[2]) != 3.0;
            }
        });
        mf.clear();
        reader.join();
        CHECK(wrong == 0);
    }
}

TEST_CASE("fabs replace their memory, never change it under a share") {
    FArrayBox<3> fab(Box<3>(IntVect<3>(0), IntVect<3>(3)), 2);
    const AllocationPtr share = fab.share();
    fab.array()(1, 2, 3, 1) = 9.0;
    fab.resize(Box<3>(IntVect<3>(0), IntVect<3>(1)), 1);
    CHECK(fab.size() == 8);
    CHECK(static_cast<Real*>(share->data())[64 + 1 + 2 * 4 + 3 * 16] == 9.0);
    CHECK_THROWS_AS(fab.resize(Box<3>(IntVect<3>(0), IntVect<3>(1)), -1), ValueError);
    CHECK_THROWS_AS(fab.resize(Box<3>(IntVect<3>(0), IntVect<3>(1 << 20)), 1000), MemoryError);
    CHECK(fab.size() == 8);
    fab.clear();
    CHECK(fab.size() == 0);
    CHECK_FALSE(fab.is_allocated());
}
