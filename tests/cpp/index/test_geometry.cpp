// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Physical space: RealVect, RealBox, Periodicity, Geometry and its defaults.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "zerofab/base/error.hpp"
#include "zerofab/index/geometry.hpp"

using namespace zerofab;

namespace {

template <int D>
struct Dim {
    static constexpr int value = D;
};

template <int D>
std::array<int, D> flags(int bits) {
    std::array<int, D> f{};
    for (int d = 0; d < D; ++d) f[static_cast<std::size_t>(d)] = (bits >> d) & 1;
    return f;
}

template <int D>
Geometry<D> random_geometry(std::mt19937& rng, int periodic_bits = 0) {
    std::uniform_int_distribution<int> cells(1, 300);
    std::uniform_int_distribution<int> start(-50, 50);
    std::uniform_real_distribution<Real> place(-3, 3);
    std::uniform_real_distribution<Real> length(1e-3, 5);
    IntVect<D> lo, n;
    RealVect<D> x, l;
    for (int d = 0; d < D; ++d) {
        lo[d] = start(rng);
        n[d] = cells(rng);
        x[d] = place(rng);
        l[d] = length(rng);
    }
    return Geometry<D>(Box<D>(lo, lo + n - 1), RealBox<D>(x, x + l), CoordType::cartesian, flags<D>(periodic_bits));
}

}  // namespace

TEST_CASE_TEMPLATE("a geometry maps cells to space and back", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(41 + D);
    std::uniform_real_distribution<Real> unit(0, 1);
    for (int trial = 0; trial < 100; ++trial) {
        Geometry<D> g = random_geometry<D>(rng);
        const Geometry<D> before = g;
        for (int d = 0; d < D; ++d) {
            CHECK(g.cell_size(d) == doctest::Approx(g.prob_length(d) / g.domain().length(d)));
        }
        for (int point = 0; point < 20; ++point) {
            RealVect<D> x;
            for (int d = 0; d < D; ++d) x[d] = g.prob_lo(d) + unit(rng) * g.prob_length(d);
            if (g.inside_roundoff_domain(x)) CHECK(g.domain().contains(g.cell_index(x)));
        }
        const IntVect<D> ratio(1 + trial % 4);
        g.refine(ratio);
        CHECK(g.domain().num_pts() == before.domain().num_pts() * ratio.product());
        g.coarsen(ratio);
        CHECK(g.domain() == before.domain());
        CHECK(g.cell_size() == before.cell_size());
    }
}

TEST_CASE_TEMPLATE("the round-off domain ends within a few bits of the physical one", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(43 + D);
    for (int trial = 0; trial < 300; ++trial) {
        const Geometry<D> g = random_geometry<D>(rng);
        const RealVect<D> lo = g.prob_lo();
        CHECK(g.inside_roundoff_domain(lo));
        for (int d = 0; d < D; ++d) {
            RealVect<D> x = lo;
            x[d] = g.prob_hi(d);
            const Real cell = std::floor((x[d] - lo[d]) * g.inv_cell_size(d));
            CHECK(g.inside_roundoff_domain(x) == (cell < g.domain().length(d)));
            x[d] = g.prob_hi(d) + 8 * std::numeric_limits<Real>::epsilon() * std::max(Real{1}, std::abs(x[d]));
            CHECK(g.outside_roundoff_domain(x));
            x[d] = std::nextafter(lo[d], lo[d] - 1);
            CHECK(g.outside_roundoff_domain(x));
            const Real size = std::max({std::abs(lo[d]), std::abs(g.prob_hi(d)), g.prob_length(d)});
            x[d] = g.prob_hi(d) - 8 * std::numeric_limits<Real>::epsilon() * size;
            CHECK(g.inside_roundoff_domain(x));
            CHECK(g.domain().contains(g.cell_index(x)));
        }
        RealVect<D> nan = lo;
        nan[D - 1] = std::numeric_limits<Real>::quiet_NaN();
        CHECK(g.outside_roundoff_domain(nan));
    }
}

TEST_CASE_TEMPLATE("periodicity", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(47 + D);
    for (int bits = 0; bits < (1 << D); ++bits) {
        const Geometry<D> g = random_geometry<D>(rng, bits);
        const Periodicity<D> p = g.periodicity();
        CHECK(g.is_any_periodic() == (bits != 0));
        CHECK(g.is_all_periodic() == (bits == (1 << D) - 1));
        CHECK(p.is_any_periodic() == g.is_any_periodic());
        Long images = 1;
        for (int d = 0; d < D; ++d) {
            CHECK(p.is_periodic(d) == g.is_periodic(d));
            if (p.is_periodic(d)) {
                images *= 3;
                CHECK(g.period(d) == g.domain().length(d));
                CHECK(p.domain().length(d) == g.period(d));
            } else {
                CHECK_THROWS_AS(g.period(d), StateError);
            }
            const int low = g.domain().small_end(d);
            CHECK(g.grow_periodic_domain(IntVect<D>(2)).small_end(d) == low - (g.is_periodic(d) ? 2 : 0));
            CHECK(g.grow_non_periodic_domain(IntVect<D>(2)).small_end(d) == low - (g.is_periodic(d) ? 0 : 2));
        }
        const auto shifts = p.shift_int_vects();
        CHECK(static_cast<Long>(shifts.size()) == images);
        const std::set<IntVect<D>, LexLess> distinct(shifts.begin(), shifts.end());
        CHECK(distinct.size() == shifts.size());
        CHECK(distinct.count(IntVect<D>::zero()) == 1);
    }
    const Periodicity<D> narrow(IntVect<D>(2));
    const auto shifts = narrow.shift_int_vects(IntVect<D>(5));  // three periods to each side
    CHECK(shifts.size() == static_cast<std::size_t>(std::pow(7, D)));
    CHECK_THROWS_AS(Periodicity<D>(IntVect<D>(-1)), ValueError);
}

TEST_CASE_TEMPLATE("a bad geometry is refused and changes nothing", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    std::mt19937 rng(53 + D);
    Geometry<D> g = random_geometry<D>(rng);
    const Box<D> domain = g.domain();
    const RealBox<D> prob = g.prob_domain();
    const Real inf = std::numeric_limits<Real>::infinity();
    CHECK_THROWS_AS(g.set_domain(Box<D>()), ValueError);
    CHECK_THROWS_AS(g.set_prob_domain(RealBox<D>()), ValueError);
    CHECK_THROWS_AS(g.set_prob_domain(RealBox<D>(RealVect<D>(0.), RealVect<D>(0.))), ValueError);
    CHECK_THROWS_AS(g.set_prob_domain(RealBox<D>(RealVect<D>(0.), RealVect<D>(inf))), ValueError);
    CHECK_THROWS_AS(g.define(Box<D>(), prob, CoordType::rz, {}), ValueError);
    CHECK_THROWS_AS(g.refine(IntVect<D>(0)), ValueError);
    CHECK_THROWS_AS(g.refine(IntVect<D>(std::numeric_limits<int>::max())), ValueError);
    CHECK_THROWS_AS(coord_type(3), ValueError);
    CHECK(g.domain() == domain);
    CHECK(g.prob_domain() == prob);
    CHECK(g.is_cartesian());
}

TEST_CASE_TEMPLATE("defaults", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    CHECK_FALSE(Geometry<D>().ok());
    CHECK_FALSE(Geometry<D>().prob_domain().ok());
    const RealBox<D> prob(RealVect<D>(1.), RealVect<D>(3.));
    Geometry<D>::reset_default_prob_domain(prob);
    Geometry<D>::reset_default_periodicity(flags<D>(1));
    Geometry<D>::reset_default_coord(CoordType::rz);
    Geometry<D> g;
    CHECK(g.prob_domain() == prob);
    CHECK(g.is_rz());
    CHECK(g.is_periodic(0));
    g.set_domain(Box<D>(IntVect<D>(0), IntVect<D>(3)));
    CHECK(g.cell_size(0) == 0.5);
    const Geometry<D> given(g.domain(), prob, CoordType::undef, {});
    CHECK(given.is_rz());
    Geometry<D>::clear_defaults();
    CHECK_FALSE(Geometry<D>().is_any_periodic());
    CHECK(Geometry<D>(g.domain(), prob, CoordType::undef, {}).is_cartesian());
}

TEST_CASE_TEMPLATE("real boxes", T, Dim<1>, Dim<2>, Dim<3>) {
    constexpr int D = T::value;
    const Box<D> cells(IntVect<D>(-2), IntVect<D>(5));
    const RealBox<D> rb(cells, RealVect<D>(0.5), RealVect<D>(10.));
    CHECK(rb == RealBox<D>(RealVect<D>(9.), RealVect<D>(13.)));
    CHECK(RealBox<D>(surrounding_nodes(cells), RealVect<D>(0.5), RealVect<D>(10.)) == rb);
    CHECK(rb.volume() == std::pow(4., D));
    CHECK(rb.contains(RealVect<D>(13.)));
    CHECK_FALSE(rb.contains(RealVect<D>(13.25)));
    CHECK(rb.contains(RealVect<D>(13.25), 0.25));
    CHECK(rb.intersects(RealBox<D>(RealVect<D>(13.), RealVect<D>(14.))));
    CHECK_FALSE(rb.intersects(RealBox<D>(RealVect<D>(13.5), RealVect<D>(14.))));
    CHECK(almost_equal(rb, RealBox<D>(RealVect<D>(9.5), RealVect<D>(13.)), 0.5));
    CHECK_FALSE(almost_equal(rb, RealBox<D>(RealVect<D>(9.5), RealVect<D>(13.)), 0.25));
    CHECK(RealBox<D>().volume() == 0);
}

TEST_CASE("real vectors") {
    const RealVect<3> a(1., -5., 4.2);
    CHECK(a.min_dir(false) == 1);
    CHECK(a.min_dir(true) == 0);
    CHECK(a.max_dir(true) == 1);
    CHECK(a.cross(a) == RealVect<3>());
    CHECK(a.rad_squared() == doctest::Approx(a.dot(a)));
    CHECK(RealVect<3>(2.5, -1.5, 0.49).round() == IntVect<3>(3, -2, 0));
    CHECK(RealVect<3>(-0.5, 0.5, 1.).floor() == IntVect<3>(-1, 0, 1));
    CHECK(RealVect<3>(-0.5, 0.5, 1.).ceil() == IntVect<3>(0, 1, 1));
    CHECK_THROWS_AS(RealVect<3>(3e9, 0., 0.).floor(), ValueError);
    CHECK_THROWS_AS(RealVect<3>(std::nan(""), 0., 0.).round(), ValueError);
}
