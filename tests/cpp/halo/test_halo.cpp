// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Ghost cells, sums and copies against a reference that asks every fab about every point.
#include <doctest/doctest.h>

#include <type_traits>

#include "reference.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/halo/halo.hpp"

namespace zerofab {
namespace {

using test::Field;
using test::Random;

/// The run-time, initialized for a test.
struct Running {
    Running() {
        if (!Runtime::initialized()) Runtime::initialize("cpu");
    }
};

template <int D, class T>
Lease<D> random_field(const BoxArray<D>& ba, int ncomp, const IntVect<D>& ngrow, Random& random) {
    const Lease<D> field = make_body(ba, test::one_rank(ba), ncomp, ngrow, MFInfo(), dtype_of<T>);
    test::fill_random<D, T>(field, random);
    return field;
}

template <int D>
int outside_directions(const Box<D>& box, const IntVect<D>& p) {
    int n = 0;
    for (int d = 0; d < D; ++d) n += p[d] < box.small_end(d) || p[d] > box.big_end(d) ? 1 : 0;
    return n;
}

template <int D, class T>
void check_fill_boundary(Random& random) {
    const BoxArray<D> ba = test::random_layout<D>(random, random.in(0, 3) == 0);
    const IntVect<D> ngrow = random.vect<D>(0, 3), nghost = min(ngrow, random.vect<D>(0, 3));
    const Periodicity<D> period = test::random_period(random, ba);
    const bool cross = random.in(0, 2) == 0;
    const int ncomp = random.in(1, 3), scomp = random.in(0, ncomp - 1), many = random.in(1, ncomp - scomp);
    const Lease<D> field = random_field<D, T>(ba, ncomp, ngrow, random);
    Field<D, T> before(field), wanted(field);
    test::each_point(ba, nghost, [&](int fab, const IntVect<D>& p) {
        const int outside = outside_directions(ba[fab], p);
        if (outside == 0 || (cross && outside > 1)) return;
        test::each_source(ba, IntVect<D>(), period, nghost, p, [&](int src, const IntVect<D>& shift) {
            for (int n = scomp; n < scomp + many; ++n) wanted.at(fab, p, n) = before.at(src, p + shift, n);
        });
    });
    fill_boundary(field, scomp, many, nghost, period, cross);
    CHECK(test::values_of<D, T>(field) == wanted.values);
}

template <int D, class T>
void check_sum_boundary(Random& random) {
    const BoxArray<D> ba = test::random_layout<D>(random, random.in(0, 3) == 0);
    const IntVect<D> ngrow = random.vect<D>(0, 3);
    const IntVect<D> src_nghost = min(ngrow, random.vect<D>(0, 3)), dst_nghost = min(ngrow, random.vect<D>(0, 2));
    const Periodicity<D> period = test::random_period(random, ba);
    const int ncomp = random.in(1, 3), scomp = random.in(0, ncomp - 1), many = random.in(1, ncomp - scomp);
    const Lease<D> field = random_field<D, T>(ba, ncomp, ngrow, random);
    Field<D, T> before(field), wanted(field);
    const IntVect<D> reach = src_nghost + dst_nghost + ba.ix_type().to_int_vect();
    test::each_point(ba, dst_nghost, [&](int fab, const IntVect<D>& p) {
        test::each_source(ba, src_nghost, period, reach, p, [&](int src, const IntVect<D>& shift) {
            if (src == fab && shift == IntVect<D>()) return;
            for (int n = scomp; n < scomp + many; ++n) wanted.at(fab, p, n) += before.at(src, p + shift, n);
        });
    });
    sum_boundary(field, scomp, many, src_nghost, dst_nghost, period);
    CHECK(test::values_of<D, T>(field) == wanted.values);
}

template <int D, class T>
void check_parallel_copy(Random& random) {
    const BoxArray<D> from = test::random_layout<D>(random, random.in(0, 2) == 0);
    BoxArray<D> to = test::random_layout<D>(random, random.in(0, 2) == 0);
    to.convert(from.ix_type());
    const IntVect<D> src_ngrow = random.vect<D>(0, 2), dst_ngrow = random.vect<D>(0, 2);
    const IntVect<D> src_nghost = min(src_ngrow, random.vect<D>(0, 2));
    const IntVect<D> dst_nghost = min(dst_ngrow, random.vect<D>(0, 2));
    const Periodicity<D> period = test::random_period(random, from);
    const CopyOp op = random.in(0, 1) == 0 ? CopyOp::copy : CopyOp::add;
    const int many = random.in(1, 2), scomp = random.in(0, 1), dcomp = random.in(0, 1);
    Lease<D> src = random_field<D, T>(from, 3, src_ngrow, random);
    Lease<D> dst = random_field<D, T>(to, 3, dst_ngrow, random);
    const bool self = random.in(0, 4) == 0;
    if (self) dst = src;
    const BoxArray<D>& target = self ? from : to;
    const IntVect<D> written = self ? src_nghost : dst_nghost;
    const IntVect<D> reach = src_nghost + written + from.ix_type().to_int_vect();
    Field<D, T> before(src), wanted(dst);
    test::each_point(target, written, [&](int fab, const IntVect<D>& p) {
        test::each_source(from, src_nghost, period, reach, p, [&](int s, const IntVect<D>& shift) {
            for (int n = 0; n < many; ++n) {
                T& value = wanted.at(fab, p, dcomp + n);
                value = before.at(s, p + shift, scomp + n) + (op == CopyOp::add ? value : T{0});
            }
        });
    });
    parallel_copy(dst, src, scomp, dcomp, many, src_nghost, written, period, op);
    CHECK(test::values_of<D, T>(dst) == wanted.values);
}

template <class Check>
void in_all_dimensions(unsigned seed, int times, Check check) {
    const Running running;
    Random random(seed);
    const int threads = num_threads();
    for (int i = 0; i < times; ++i) {
        set_num_threads(random.in(1, 3));
        check(std::integral_constant<int, 1>(), random);
        check(std::integral_constant<int, 2>(), random);
        check(std::integral_constant<int, 3>(), random);
    }
    set_num_threads(threads);
}

}  // namespace

TEST_CASE("fill_boundary on random layouts, types, ghosts and periods") {
    in_all_dimensions(1, 150, [](auto d, Random& random) {
        check_fill_boundary<d(), double>(random);
        check_fill_boundary<d(), float>(random);
        check_fill_boundary<d(), int>(random);
    });
}

TEST_CASE("sum_boundary on random layouts, types, ghosts and periods") {
    in_all_dimensions(2, 150, [](auto d, Random& random) {
        check_sum_boundary<d(), double>(random);
        check_sum_boundary<d(), float>(random);
        check_sum_boundary<d(), int>(random);
    });
}

TEST_CASE("parallel_copy between random layouts, and of a field to itself") {
    in_all_dimensions(3, 150, [](auto d, Random& random) {
        check_parallel_copy<d(), double>(random);
        check_parallel_copy<d(), float>(random);
        check_parallel_copy<d(), int>(random);
    });
}

TEST_CASE("override_sync and owner_mask: every point has one owner, and its value is everywhere") {
    in_all_dimensions(4, 150, [](auto d, Random& random) {
        constexpr int D = d();
        const BoxArray<D> ba = test::random_layout<D>(random);
        Box<D> domain = ba.minimal_box();
        const IntVect<D> ends = domain.enclosed_cells().length() * random.vect<D>(0, 1);
        const Periodicity<D> period(ends);
        const Lease<D> field = random_field<D, int>(ba, 2, IntVect<D>(1), random);
        const Lease<D> by_mask = random_field<D, int>(ba, 2, IntVect<D>(1), random);
        for (std::size_t i = 0; i < ba.size(); ++i) {
            const FabMemory<D>& fab = field->fabs[i];
            std::copy_n(static_cast<const int*>(fab.data), fab.box.num_pts() * 2,
                        static_cast<int*>(by_mask->fabs[i].data));
        }
        Field<D, int> before(field), wanted(field);
        const Lease<D> mask = owner_mask(field, period);
        Field<D, int> owner(mask);
        const auto count = test::values_of<D, double>(overlap_mask<D, double>(field, period));
        Field<D, int> shape(mask);
        test::each_point(ba, IntVect<D>(), [&](int fab, const IntVect<D>& p) {
            int owners = 0, images = 0, first = static_cast<int>(ba.size());
            IntVect<D> lowest;
            test::each_source(ba, IntVect<D>(), period, IntVect<D>(), p, [&](int src, const IntVect<D>& shift) {
                owners += owner.at(src, p + shift, 0);
                ++images;
                if (src < first) {  // shifts ascend, so the first of a fab is its lowest image
                    first = src;
                    lowest = shift;
                }
                if (src == first) lowest = min(lowest, shift);
            });
            CHECK(owners == 1);
            CHECK(owner.at(first, p + lowest, 0) == 1);
            CHECK(count[static_cast<std::size_t>(fab)][static_cast<std::size_t>(ba[fab].index_of(p))] == images);
            for (int n = 0; n < 2; ++n) wanted.at(fab, p, n) = before.at(first, p + lowest, n);
        });
        override_sync(field, 0, 2, period);
        CHECK(test::values_of<D, int>(field) == wanted.values);
        override_sync(by_mask, mask, period);
        CHECK(test::values_of<D, int>(by_mask) == wanted.values);
    });
}

TEST_CASE("average_sync and weighted_sync") {
    in_all_dimensions(5, 60, [](auto d, Random& random) {
        constexpr int D = d();
        const BoxArray<D> ba = test::random_layout<D>(random);
        Box<D> domain = ba.minimal_box();
        const IntVect<D> ends = domain.enclosed_cells().length() * random.vect<D>(0, 1);
        const Periodicity<D> period(ends);
        const Lease<D> field = random_field<D, double>(ba, 2, IntVect<D>(1), random);
        const Lease<D> other = random_field<D, double>(ba, 1, IntVect<D>(0), random);
        const Lease<D> weight = random_field<D, double>(ba, 1, IntVect<D>(0), random);
        Field<D, double> before(field), mean(field), plain(other), weighted(other), by(weight);
        if (!ba.ix_type().cell_centered()) {
            test::each_point(ba, IntVect<D>(), [&](int fab, const IntVect<D>& p) {
                int images = 0;
                double sum[2] = {0, 0}, total = 0;
                test::each_source(ba, IntVect<D>(), period, IntVect<D>(), p, [&](int src, const IntVect<D>& shift) {
                    ++images;
                    for (int n = 0; n < 2; ++n) sum[n] += before.at(src, p + shift, n);
                    total += plain.at(src, p + shift, 0) * by.at(src, p + shift, 0);
                });
                for (int n = 0; n < 2; ++n) mean.at(fab, p, n) = sum[n] / images;
                weighted.at(fab, p, 0) = total;
            });
        }
        average_sync(field, period);
        weighted_sync(other, weight, period);
        CHECK(test::values_of<D, double>(other) == weighted.values);
        const auto got = test::values_of<D, double>(field);
        for (std::size_t i = 0; i < got.size(); ++i) {
            for (std::size_t j = 0; j < got[i].size(); ++j)
                CHECK(got[i][j] == doctest::Approx(mean.values[i][j]).epsilon(1e-12));
        }
    });
}

TEST_CASE("sums of numbers that round are the same for every number of threads") {
    const Running running;
    BoxArray<3> ba(Box<3>(IntVect<3>(0), IntVect<3>(23)));
    ba.max_size(8).surrounding_nodes();
    const int threads = num_threads();
    test::Values<double> first;
    for (const int n : {1, 2, 3}) {
        set_num_threads(n);
        const Lease<3> field = make_body(ba, test::one_rank(ba), 1, IntVect<3>(2), MFInfo(), dtype_of<double>);
        Random random(7);
        for (const FabMemory<3>& fab : field->fabs) {
            for (Long i = 0; i < fab.box.num_pts(); ++i) static_cast<double*>(fab.data)[i] = 1.0 / random.in(3, 10007);
        }
        sum_boundary(field, 0, 1, IntVect<3>(2), IntVect<3>(1), Periodicity<3>(IntVect<3>(24)));
        if (first.empty()) first = test::values_of<3, double>(field);
        CHECK(test::values_of<3, double>(field) == first);
    }
    set_num_threads(threads);
}

TEST_CASE("errors come before anything is written") {
    const Running running;
    Random random(8);
    BoxArray<2> ba(Box<2>(IntVect<2>(0), IntVect<2>(15)));
    ba.max_size(8).surrounding_nodes(0);
    const Lease<2> field = random_field<2, double>(ba, 2, IntVect<2>(1, 2), random);
    const auto before = test::values_of<2, double>(field);
    const Periodicity<2> period(IntVect<2>(16));
    const IntVect<2> none(0), most(1, 2);

    CHECK_THROWS_AS(fill_boundary(field, 2, 1, most, period), IndexError);
    CHECK_THROWS_AS(fill_boundary(field, -1, 1, most, period), IndexError);
    CHECK_THROWS_AS(fill_boundary(field, 0, 3, most, period), IndexError);
    CHECK_THROWS_AS(fill_boundary(field, 0, -1, most, period), IndexError);
    CHECK_THROWS_AS(fill_boundary(field, 0, 2, IntVect<2>(2, 2), period), ValueError);
    CHECK_THROWS_AS(fill_boundary(field, 0, 2, IntVect<2>(0, -1), period), ValueError);
    CHECK_THROWS_AS(fill_boundary(Lease<2>(), 0, 1, none, period), StateError);
    CHECK_THROWS_AS(sum_boundary(field, 1, 2, most, most, period), IndexError);
    CHECK_THROWS_AS(sum_boundary(field, 0, 2, most, IntVect<2>(0, 3), period), ValueError);
    CHECK_THROWS_AS(sum_boundary(field, 0, 2, IntVect<2>(-1), most, period), ValueError);
    CHECK_THROWS_AS(sum_boundary(Lease<2>(), 0, 1, none, none, period), StateError);
    CHECK_THROWS_AS(override_sync(field, 1, 2, period), IndexError);

    MFInfo layout_only;
    layout_only.alloc = false;
    const Lease<2> empty = make_body(ba, test::one_rank(ba), 2, most, layout_only, dtype_of<double>);
    CHECK_THROWS_AS(fill_boundary(empty, 0, 2, most, period), StateError);

    BoxArray<2> cells(ba);
    cells.enclosed_cells();
    const Lease<2> other = random_field<2, double>(cells, 2, most, random);
    const Lease<2> whole = random_field<2, int>(ba, 2, most, random);
    CHECK_THROWS_AS(parallel_copy(field, other, 0, 0, 1, none, none, period), ValueError);
    CHECK_THROWS_AS(parallel_copy(field, whole, 0, 0, 1, none, none, period), TypeError);
    CHECK_THROWS_AS(parallel_copy(field, field, 0, 1, 2, none, none, period), IndexError);
    CHECK_THROWS_AS(parallel_copy(field, field, 0, 0, 2, IntVect<2>(5), none, period), ValueError);
    CHECK_THROWS_AS(override_sync(field, field, period), TypeError);
    CHECK_THROWS_AS(override_sync(field, other, period), ValueError);
    CHECK_THROWS_AS(weighted_sync(field, other, period), ValueError);
    CHECK_THROWS_AS(weighted_sync(field, whole, period), TypeError);
    CHECK_THROWS_AS(average_sync(whole, period), TypeError);
    CHECK(test::values_of<2, double>(field) == before);
}

}  // namespace zerofab
