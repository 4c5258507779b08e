// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic and reductions of FabArrays against point-by-point references, in 1D, 2D and 3D.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "mesh/random_boxes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/mesh/arithmetic.hpp"
#include "zerofab/mesh/reductions.hpp"

using namespace zerofab;
using zerofab::test::Random;

namespace {

/// The run time, while a test case lasts.
struct Running {
    Running() { Runtime::initialize(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { Runtime::finalize(); }
};

template <int D>
using Field = FabArray<D, double>;

template <int D>
struct Layout {
    BoxArray<D> boxes;
    DistributionMapping owners;
};

template <int D>
Layout<D> random_layout(Random& random, IndexType<D> type = {}) {
    BoxArray<D> boxes(Box<D>(IntVect<D>(-3), random.vect<D>(2, D == 3 ? 12 : 40)));
    boxes.max_size(random.vect<D>(2, 9));
    boxes.convert(type);
    return {boxes, DistributionMapping(boxes)};
}

/// f(index of the fab, point, component) for all points of all fabs, ghosts included.
template <int D, class T, class F>
void for_all(const FabArray<D, T>& field, F f) {
    const Lease<D> body = field.lease();
    for (int local = 0; local < body->num_local(); ++local)
        for (int n = 0; n < body->ncomp; ++n)
            for_each_point(body->fabs[static_cast<std::size_t>(local)].box,
                           [&](const IntVect<D>& p) { f(local, p, n); });
}

template <int D, class T>
T& at(const FabArray<D, T>& field, int local, const IntVect<D>& p, int n) {
    int i[3] = {0, 0, 0};
    for (int d = 0; d < D; ++d) i[d] = p[d];
    return field.array(local)(i[0], i[1], i[2], n);
}

template <int D>
Field<D> random_field(Random& random, const Layout<D>& layout, int ncomp, const IntVect<D>& ngrow) {
    Field<D> field(layout.boxes, layout.owners, ncomp, ngrow);
    for_all(field, [&](int local, const IntVect<D>& p, int n) {
        const int v = random.in(-32, 31);
        at(field, local, p, n) = (v == 0 ? 32 : v) / 8.0;
    });
    return field;
}

template <int D>
std::vector<double> numbers(const Field<D>& field) {
    std::vector<double> all;
    for_all(field, [&](int local, const IntVect<D>& p, int n) { all.push_back(at(field, local, p, n)); });
    return all;
}

template <int D>
bool selected(const Field<D>& field, const Selection<D>& where, int local, const IntVect<D>& p, int n) {
    return n >= where.comp && n < where.comp + where.ncomp &&
           grow(field.lease()->valid_box(local), where.nghost).contains(p) &&
           (!where.region || where.region->contains(p));
}

/// `run` on random fields must give `one(z, x, y)` at the selected places, and change nothing else.
template <int D>
void check(Random& random, const char* what, bool itself,
           std::function<void(Field<D>, Selection<D>, Source<D, double>, Source<D, double>)> run,
           std::function<double(double, double, double)> one) {
    const Layout<D> layout = random_layout<D>(random, random.type<D>());
    const int ncomp = random.in(1, 4);
    const IntVect<D> ngrow = random.vect<D>(0, 2);
    Field<D> z = random_field(random, layout, ncomp, ngrow);
    const Field<D> other = random_field(random, layout, ncomp, ngrow + random.in(0, 1));
    const Field<D> y = random_field(random, layout, ncomp, ngrow);
    const Field<D>& x = itself ? z : other;
    Selection<D> where;
    where.ncomp = random.in(0, ncomp);
    where.comp = random.in(0, ncomp - where.ncomp);
    for (int d = 0; d < D; ++d) where.nghost[d] = random.in(0, ngrow[d]);
    if (random.in(0, 1) == 1) where.region = random.box<D>(8, 12, layout.boxes.ix_type());
    const int xcomp = random.in(0, ncomp - where.ncomp), ycomp = random.in(0, ncomp - where.ncomp);
    std::vector<double> expected;
    for_all(z, [&](int local, const IntVect<D>& p, int n) {
        double v = at(z, local, p, n);
        if (selected(z, where, local, p, n)) {
            const int k = n - where.comp;
            v = one(v, at(x, local, p, xcomp + k), at(y, local, p, ycomp + k));
        }
        expected.push_back(v);
    });
    run(z, where, {x, xcomp}, {y, ycomp});
    INFO(what, " in ", D, "D, itself ", itself);
    CHECK(numbers(z) == expected);
}

template <int D>
void check_operations(unsigned seed) {
    Random random(seed);
    using F = Field<D>;
    using W = Selection<D>;
    using S = Source<D, double>;
    for (int round = 0; round < 12; ++round)
        for (const bool itself : {false, true}) {
            const double a = 1.5, b = -0.25;
            check<D>(
                random, "set_val", itself, [&](F z, W w, S, S) { set_val(z, a, w); },
                [&](double, double, double) { return a; });
            check<D>(
                random, "plus", itself, [&](F z, W w, S, S) { plus(z, a, w); },
                [&](double z, double, double) { return z + a; });
            check<D>(
                random, "mult", itself, [&](F z, W w, S, S) { mult(z, a, w); },
                [&](double z, double, double) { return z * a; });
            check<D>(
                random, "divide by", itself, [&](F z, W w, S, S) { divide(z, a, w); },
                [&](double z, double, double) { return z / a; });
            check<D>(
                random, "invert", itself, [&](F z, W w, S, S) { invert(z, a, w); },
                [&](double z, double, double) { return a / z; });
            check<D>(
                random, "negate", itself, [&](F z, W w, S, S) { negate(z, w); },
                [&](double z, double, double) { return -z; });
            check<D>(
                random, "abs", itself, [&](F z, W w, S, S) { abs(z, w); },
                [&](double z, double, double) { return std::fabs(z); });
            check<D>(
                random, "copy", itself, [&](F z, W w, S x, S) { copy(z, w, x); },
                [&](double, double x, double) { return x; });
            check<D>(
                random, "add", itself, [&](F z, W w, S x, S) { add(z, w, x); },
                [&](double z, double x, double) { return z + x; });
            check<D>(
                random, "subtract", itself, [&](F z, W w, S x, S) { subtract(z, w, x); },
                [&](double z, double x, double) { return z - x; });
            check<D>(
                random, "multiply", itself, [&](F z, W w, S x, S) { multiply(z, w, x); },
                [&](double z, double x, double) { return z * x; });
            check<D>(
                random, "divide", itself, [&](F z, W w, S x, S) { divide(z, w, x); },
                [&](double z, double x, double) { return z / x; });
            check<D>(
                random, "saxpy", itself, [&](F z, W w, S x, S) { saxpy(z, w, a, x); },
                [&](double z, double x, double) { return z + a * x; });
            check<D>(
                random, "xpay", itself, [&](F z, W w, S x, S) { xpay(z, w, a, x); },
                [&](double z, double x, double) { return x + a * z; });
            check<D>(
                random, "lin_comb", itself, [&](F z, W w, S x, S y) { lin_comb(z, w, a, x, b, y); },
                [&](double, double x, double y) { return a * x + b * y; });
            check<D>(
                random, "add_product", itself, [&](F z, W w, S x, S y) { add_product(z, w, x, y); },
                [&](double z, double x, double y) { return z + x * y; });
        }
}

template <int D>
void check_reductions(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 40; ++round) {
        const Layout<D> layout = random_layout<D>(random, random.type<D>());
        const IntVect<D> ngrow = random.vect<D>(0, 2);
        const Field<D> x = random_field(random, layout, 3, ngrow), y = random_field(random, layout, 3, ngrow);
        const FabArray<D, int> mask(layout.boxes, layout.owners, 1, ngrow);
        for_all(mask, [&](int local, const IntVect<D>& p, int n) { at(mask, local, p, n) = random.in(0, 1); });
        Selection<D> where{.comp = random.in(0, 1), .ncomp = random.in(1, 2)};
        for (int d = 0; d < D; ++d) where.nghost[d] = random.in(0, ngrow[d]);
        if (random.in(0, 1) == 1) where.region = random.box<D>(8, 30, layout.boxes.ix_type());
        double total = 0, total_abs = 0, squares = 0, product = 0, masked_product = 0, masked_max = 0, largest = 0;
        const double inf = std::numeric_limits<double>::infinity();
        double least = inf, most = -inf;
        IntVect<D> least_at, most_at;
        double least_0 = inf, most_0 = -inf;
        for_all(x, [&](int local, const IntVect<D>& p, int n) {
            const double v = at(x, local, p, n);
            if (n == 0 && grow(x.lease()->valid_box(local), where.nghost).contains(p)) {
                if (v <= least_0) least_0 = v, least_at = p;
                if (v >= most_0) most_0 = v, most_at = p;
            }
            if (!selected(x, where, local, p, n)) return;
            const double w = at(y, local, p, n - where.comp);
            total += v;
            total_abs += std::fabs(v);
            squares += v * v;
            product += v * w;
            least = std::min(least, v);
            most = std::max(most, v);
            largest = std::max(largest, std::fabs(v));
            if (at(mask, local, p, 0) == 0) return;
            masked_product += v * w;
            masked_max = std::max(masked_max, std::fabs(v));
        });
        CHECK(sum(x, where) == total);  // eighths: every order of summation is exact
        CHECK(norm1(x, where) == total_abs);
        CHECK(norm2(x, where) == std::sqrt(squares));
        CHECK(norm0(x, where) == largest);
        CHECK(norm0(x, where, mask) == masked_max);
        CHECK(min(x, where) == least);
        CHECK(max(x, where) == most);
        CHECK(dot(x, where, {y, 0}) == product);
        CHECK(dot(x, where, {x, where.comp}) == squares);
        CHECK(dot(x, where, {y, 0}, mask) == masked_product);
        CHECK(min_index(x, 0, where.nghost) == least_at);
        CHECK(max_index(x, 0, where.nghost) == most_at);
        CHECK_FALSE(contains_nan(x, all_with_ghosts(x)));
        CHECK_FALSE(contains_inf(x, all_with_ghosts(x)));
    }
}

template <int D>
void check_unique(unsigned seed) {
    Random random(seed);
    for (int round = 0; round < 40; ++round) {
        const Layout<D> layout = random_layout<D>(random, random.type<D>());
        const Field<D> x = random_field(random, layout, 2, IntVect<D>(1));
        Box<D> cells = layout.boxes.minimal_box();
        cells.enclosed_cells();
        IntVect<D> period = cells.length();
        for (int d = 0; d < D; ++d) period[d] *= random.in(0, 1);
        // the first box, in order, that holds a point or an image of it, at the lowest image
        std::map<std::vector<int>, double> seen;
        std::map<std::vector<int>, std::vector<double>> copies;  // what all boxes and images have
        double all = 0;
        const Lease<D> body = x.lease();
        for (int local = 0; local < body->num_local(); ++local) {
            std::map<std::vector<int>, double> own;
            for_each_point(body->valid_box(local), [&](const IntVect<D>& p) {
                std::vector<int> key;
                for (int d = 0; d < D; ++d)
                    key.push_back(period[d] == 0 ? p[d] : (p[d] - cells.small_end(d)) % period[d]);
                own.emplace(key, at(x, local, p, 1));  // the lowest image comes first
                copies[key].push_back(at(x, local, p, 1));
                all += at(x, local, p, 1);
            });
            seen.merge(own);
        }
        double total = 0, total_abs = 0, squares = 0;
        for (const auto& [key, v] : seen) total += v;
        for (const auto& [key, values] : copies) {
            for (const double v : values) {
                total_abs += std::fabs(v) / static_cast<double>(values.size());
                squares += v * v / static_cast<double>(values.size());
            }
        }
        if (layout.boxes.ix_type().cell_centered()) CHECK(all == total);
        CHECK(sum_unique(x, 1, Periodicity<D>(period)) == total);
        CHECK(norm1_unique(x, 1, Periodicity<D>(period)) == doctest::Approx(total_abs).epsilon(1e-13));
        CHECK(norm2_unique(x, 1, Periodicity<D>(period)) == doctest::Approx(std::sqrt(squares)).epsilon(1e-13));
        if (period == IntVect<D>(0)) {
            const Box<D> region = random.box<D>(8, 30, layout.boxes.ix_type());
            double inside = 0;
            for (const auto& [key, v] : seen) {
                bool in = true;
                for (int d = 0; d < D; ++d) {
                    const int k = key[static_cast<std::size_t>(d)];
                    in &= k >= region.small_end(d) && k <= region.big_end(d);
                }
                if (in) inside += v;
            }
            CHECK(sum_unique(x, 1, region) == inside);
        }
    }
}

template <int D>
void check_refusals() {
    Random random(5);
    const Layout<D> layout = random_layout<D>(random);
    const Field<D> z = random_field(random, layout, 2, IntVect<D>(1)),
                   x = random_field(random, layout, 3, IntVect<D>(0));
    BoxArray<D> fewer(layout.boxes[0]);
    const Field<D> elsewhere(fewer, DistributionMapping(fewer), 3, IntVect<D>(1));
    const BoxArray<D> nodes = convert(layout.boxes, IndexType<D>::node());
    const Field<D> nodal(nodes, layout.owners, 3, IntVect<D>(1));
    const std::vector<double> before = numbers(z);
    const auto refuses = [&]<class E>(E*, auto call) {
        CHECK_THROWS_AS(call(), E);
        CHECK(numbers(z) == before);
    };
    IndexError* index = nullptr;
    ValueError* value = nullptr;
    StateError* state = nullptr;
    const IntVect<D> none(0), one(1), two(2), negative(-1);
    refuses(index, [&] { set_val(z, 1.0, {.comp = 2}); });
    refuses(index, [&] { set_val(z, 1.0, {.comp = -1}); });
    refuses(index, [&] { plus(z, 1.0, {.comp = 1, .ncomp = 2}); });
    refuses(index, [&] { plus(z, 1.0, {.comp = 0, .ncomp = -1}); });
    refuses(index, [&] { plus(z, 1.0, {.comp = 1, .ncomp = std::numeric_limits<int>::max()}); });
    refuses(index, [&] { add(z, {.comp = 0, .ncomp = 2}, {x, 2}); });
    refuses(value, [&] { mult(z, 2.0, {.nghost = two}); });
    refuses(value, [&] { mult(z, 2.0, {.nghost = negative}); });
    refuses(value, [&] { add(z, {.nghost = one}, {x, 0}); });
    refuses(value, [&] { add(z, {}, {elsewhere, 0}); });
    refuses(value, [&] { copy(z, {}, {nodal, 0}); });
    refuses(value, [&] { swap(z, {}, {nodal, 0}); });
    refuses(value, [&] { (void)dot(z, {}, {elsewhere, 0}); });
    refuses(value, [&] { plus(z, 1.0, {.region = Box<D>(none, one, IndexType<D>::node())}); });
    refuses(index, [&] { (void)sum(z, {.comp = 7}); });
    refuses(index, [&] { (void)norm2(z, {.comp = 7}); });
    refuses(value, [&] { (void)min_index(z, 0, two); });
    refuses(state, [&] { set_val(Field<D>(), 1.0, {}); });
    refuses(state, [&] { add(z, {}, {Field<D>(), 0}); });
    const Field<D> bare(layout.boxes, layout.owners, 2, one, MFInfo{.alloc = false, .tags = {}});
    refuses(state, [&] { set_val(bare, 1.0, {}); });
    refuses(state, [&] { add(z, {}, {bare, 0}); });

    const Field<D> wide = random_field(random, layout, 4, none);
    CHECK_THROWS_AS(swap(wide, {.comp = 0, .ncomp = 3}, {wide, 1}), ValueError);
    CHECK_THROWS_AS(lin_comb(wide, {.comp = 1, .ncomp = 2}, 1.0, {wide, 0}, 1.0, {wide, 2}), ValueError);
    const FabArray<D, int> ints(layout.boxes, layout.owners, 1, none);
    set_val(ints, 0, {});
    CHECK_THROWS_AS(invert(ints, 1, {}), ValueError);
    CHECK_THROWS_AS(divide(ints, 0, {}), ValueError);
    CHECK_THROWS_AS(divide(ints, {}, {ints, 0}), ValueError);

    set_val(z, std::numeric_limits<double>::quiet_NaN(), all_with_ghosts(z));
    CHECK_THROWS_AS((void)min_index(z, 0, none), ValueError);
    CHECK(std::isnan(norm0(z, {})));
    CHECK(contains_nan(z, {}));
    CHECK(min(z, {}) == std::numeric_limits<double>::infinity());
}

}  // namespace

TEST_CASE("operations match the reference and touch nothing else") {
    const Running running;
    check_operations<1>(1);
    check_operations<2>(2);
    check_operations<3>(3);
}

TEST_CASE("reductions match the reference") {
    const Running running;
    check_reductions<1>(4);
    check_reductions<2>(5);
    check_reductions<3>(6);
}

TEST_CASE("shared and periodic points count once") {
    const Running running;
    check_unique<1>(7);
    check_unique<2>(8);
    check_unique<3>(9);
}

TEST_CASE("what is refused changes nothing") {
    const Running running;
    check_refusals<1>();
    check_refusals<2>();
    check_refusals<3>();
}

TEST_CASE("a large field: the same bits with any number of threads") {
    const Running running;
    BoxArray<3> boxes(Box<3>(IntVect<3>(0), IntVect<3>(95)));
    boxes.max_size(64);
    const Field<3> x(boxes, DistributionMapping(boxes), 2, IntVect<3>(1));
    for_all(x, [&](int local, const IntVect<3>& p, int n) {
        at(x, local, p, n) = std::sin(1.0 + p[0] * 0.1 + p[1] * 0.37 + p[2] * 0.77 + local + n);
    });
    const int before = num_threads();
    std::vector<double> first;
    for (const int threads : {1, 2, 3, 8}) {
        set_num_threads(threads);
        const Selection<3> where{.comp = 0, .ncomp = 2, .nghost = IntVect<3>(1)};
        const std::vector<double> now{sum(x, where), norm1(x, where), norm2(x, where), dot(x, {}, {x, 1}),
                                      min(x, where)};
        if (first.empty()) first = now;
        CHECK(now == first);
        Field<3> y(boxes, DistributionMapping(boxes), 2, IntVect<3>(1));
        set_val(y, 0.5, where);
        saxpy(y, where, 2.0, {x, 0});
        CHECK(sum(y, where) == doctest::Approx(2 * first[0] + 0.5 * 2 *
                                                                  [&] {
                                                                      double points = 0;
                                                                      for (const auto& fab : x.lease()->fabs)
                                                                          points +=
                                                                              static_cast<double>(fab.box.num_pts());
                                                                      return points;
                                                                  }())
                                   .epsilon(1e-12));
    }
    set_num_threads(before);
}
