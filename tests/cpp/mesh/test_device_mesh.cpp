// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic and reductions of fields in memory of a device, and of the host and a device mixed, against the host's.
#include <doctest/doctest.h>

#include <limits>

#include "device/backends.hpp"
#include "mesh/random_boxes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/mesh/arithmetic.hpp"
#include "zerofab/mesh/global_index.hpp"
#include "zerofab/mesh/mirror.hpp"
#include "zerofab/mesh/reductions.hpp"

using namespace zerofab;
using zerofab::test::on_all_devices;
using zerofab::test::Random;
using zerofab::test::Twin;

namespace {

/// Random fields over random boxes, in any memory; the first one mostly where only the device reaches it.
template <int D, class T>
struct Case {
    Random random;
    std::mt19937 numbers;
    BoxArray<D> boxes;
    int ncomp = random.in(1, 4);
    IntVect<D> ngrow = random.vect<D>(0, 2);
    Selection<D> where;
    int xcomp = 0, ycomp = 0;
    bool itself = random.in(0, 2) == 0;
    Twin<D, T> z, x, y;
    Twin<D, int> mask;

    explicit Case(unsigned seed)
        : random(seed),
          numbers(seed),
          boxes(random_boxes()),
          z(boxes, ncomp, ngrow, arena(), numbers),
          x(boxes, ncomp, ngrow + random.in(0, 1), arena(), numbers),
          y(boxes, ncomp, ngrow, arena(), numbers),
          mask(boxes, 1, ngrow, arena(), numbers) {
        where.ncomp = random.in(0, ncomp);
        where.comp = random.in(0, ncomp - where.ncomp);
        for (int d = 0; d < D; ++d) where.nghost[d] = random.in(0, ngrow[d]);
        if (random.in(0, 2) == 0) where.region = random.box<D>(8, 12, boxes.ix_type());
        xcomp = random.in(0, ncomp - where.ncomp), ycomp = random.in(0, ncomp - where.ncomp);
        // a mask of zeros and ones
        for (const auto& field : {mask.host, mask.other}) {
            plus(field, 33, all_with_ghosts(field));
            divide(field, 32, all_with_ghosts(field));
        }
        REQUIRE(mask.same());
    }
    BoxArray<D> random_boxes() {
        BoxArray<D> all(Box<D>(IntVect<D>(-3), random.vect<D>(2, D == 3 ? 12 : 40)));
        all.max_size(random.vect<D>(2, 9));
        all.convert(random.type<D>());
        return all;
    }
    Arena& arena() { return test::arena_number(random.in(0, 2) == 0 ? random.in(1, 3) : 0); }
};

template <int D, class T, class Run>
void check(unsigned seed, const char* name, Run run) {
    using S = Source<D, T>;
    Case<D, T> c(seed);
    INFO(name, " in ", D, "D, ", dtype_of<T>.name, ", seed ", seed);
    const auto apply = [&](auto pick) {
        run(pick(c.z), c.where, S{pick(c.itself ? c.z : c.x), c.xcomp}, S{pick(c.y), c.ycomp});
    };
    apply([](auto& twin) -> auto& { return twin.host; });
    apply([](auto& twin) -> auto& { return twin.other; });
    CHECK(c.z.same());
    CHECK(c.x.same());
    CHECK(c.y.same());
}

template <int D, class T>
void check_arithmetic(unsigned seed) {
    using F = FabArray<D, T>;
    using W = Selection<D>;
    using S = Source<D, T>;
    const T a = 3, b = -2;
    check<D, T>(seed, "set_val", [&](F z, W w, S, S) { set_val(z, a, w); });
    check<D, T>(seed, "plus", [&](F z, W w, S, S) { plus(z, a, w); });
    check<D, T>(seed, "mult", [&](F z, W w, S, S) { mult(z, a, w); });
    check<D, T>(seed, "divide by", [&](F z, W w, S, S) { divide(z, a, w); });
    check<D, T>(seed, "invert", [&](F z, W w, S, S) { invert(z, a, w); });
    check<D, T>(seed, "negate", [&](F z, W w, S, S) { negate(z, w); });
    check<D, T>(seed, "abs", [&](F z, W w, S, S) { abs(z, w); });
    check<D, T>(seed, "copy", [&](F z, W w, S x, S) { copy(z, w, x); });
    check<D, T>(seed, "add", [&](F z, W w, S x, S) { add(z, w, x); });
    check<D, T>(seed, "subtract", [&](F z, W w, S x, S) { subtract(z, w, x); });
    check<D, T>(seed, "multiply", [&](F z, W w, S x, S) { multiply(z, w, x); });
    check<D, T>(seed, "divide", [&](F z, W w, S x, S) { divide(z, w, x); });
    check<D, T>(seed, "saxpy", [&](F z, W w, S x, S) { saxpy(z, w, a, x); });
    check<D, T>(seed, "xpay", [&](F z, W w, S x, S) { xpay(z, w, a, x); });
    check<D, T>(seed, "lin_comb", [&](F z, W w, S x, S y) { lin_comb(z, w, a, x, b, y); });
    check<D, T>(seed, "add_product", [&](F z, W w, S x, S y) { add_product(z, w, x, y); });
    check<D, T>(seed, "swap", [&](F z, W w, S x, S) {
        if (z.body() != x.field.body() || x.comp == w.comp) swap(z, w, x);
    });
}

template <int D, class T>
void check_reductions(unsigned seed) {
    Case<D, T> c(seed);
    INFO("reductions in ", D, "D, ", dtype_of<T>.name, ", seed ", seed);
    const FabArray<D, T>&a = c.x.host, &b = c.x.other;
    const Selection<D> w = c.where;
    CHECK(sum(a, w) == sum(b, w));
    CHECK(min(a, w) == min(b, w));
    CHECK(max(a, w) == max(b, w));
    CHECK(norm0(a, w) == norm0(b, w));
    CHECK(norm1(a, w) == norm1(b, w));
    CHECK(norm2(a, w) == norm2(b, w));
    CHECK(norm0(a, w, c.mask.host) == norm0(b, w, c.mask.other));
    const Source<D, T> on_host{c.y.host, c.ycomp}, other{c.y.other, c.ycomp};
    CHECK(dot(a, w, on_host) == dot(b, w, other));
    CHECK(dot(a, w, Source<D, T>{a, w.comp}) == dot(b, w, Source<D, T>{b, w.comp}));
    CHECK(dot(a, w, on_host, c.mask.host) == dot(b, w, other, c.mask.other));
    CHECK(min_index(a, 0, w.nghost) == min_index(b, 0, w.nghost));
    CHECK(max_index(a, 0, w.nghost) == max_index(b, 0, w.nghost));
    Box<D> cells = c.boxes.minimal_box();
    cells.enclosed_cells();
    IntVect<D> length = cells.length();
    for (int d = 0; d < D; ++d) length[d] *= c.random.in(0, 1);
    const Periodicity<D> period(length);
    CHECK(sum_unique(a, 0, period) == sum_unique(b, 0, period));
    CHECK(norm1_unique(a, 0, period) == norm1_unique(b, 0, period));
    CHECK(norm2_unique(a, 0, period) == norm2_unique(b, 0, period));
    const Box<D> region = c.random.template box<D>(8, 30, c.boxes.ix_type());
    CHECK(sum_unique(a, 0, region) == sum_unique(b, 0, region));

    if constexpr (!std::is_integral_v<T>) {
        const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
        CHECK_FALSE(contains_nan(b, all_with_ghosts(b)));
        CHECK_FALSE(contains_inf(b, all_with_ghosts(b)));
        Selection<D> one{.comp = 0};
        one.region = Box<D>(c.boxes[0].small_end(), c.boxes[0].small_end(), c.boxes.ix_type());
        set_val(b, inf, one);
        CHECK(contains_inf(b, {}));
        CHECK_FALSE(contains_nan(b, {}));
        CHECK(norm0(b, {}) == inf);
        set_val(b, nan, one);
        CHECK(contains_nan(b, {}));
        CHECK(norm0(b, {}) != norm0(b, {}));
        CHECK(sum(b, {}) != sum(b, {}));
        set_val(b, nan, all_with_ghosts(b));
        CHECK_THROWS_AS((void)min_index(b, 0, IntVect<D>(0)), ValueError);
        CHECK(min(b, {}) == inf);
    }
}

template <class F>
void all_types_and_dimensions(F f) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        f.template operator()<1, double>(seed), f.template operator()<2, double>(seed);
        f.template operator()<3, double>(seed), f.template operator()<1, float>(seed);
        f.template operator()<3, float>(seed), f.template operator()<2, int>(seed);
        f.template operator()<3, int>(seed);
    }
}

}  // namespace

TEST_CASE("operations on fields of devices do what they do on the host") {
    on_all_devices([](const std::string&) {
        all_types_and_dimensions([]<int D, class T>(unsigned seed) { check_arithmetic<D, T>(seed); });
    });
}

TEST_CASE("reductions of fields of devices give what they give on the host") {
    on_all_devices([](const std::string&) {
        all_types_and_dimensions([]<int D, class T>(unsigned seed) { check_reductions<D, T>(seed); });
    });
}

TEST_CASE("an integer divisor of 0 is found on a device, before anything is written") {
    on_all_devices([](const std::string&) {
        Case<2, int> c(1);
        const Selection<2> all = all_valid(c.z.other);
        Selection<2> one{.comp = 0};
        one.region = Box<2>(c.boxes[0].small_end(), c.boxes[0].small_end(), c.boxes.ix_type());
        set_val(c.y.other, 0, one);
        CHECK_THROWS_AS(divide(c.z.other, all, {c.y.other, 0}), ValueError);
        CHECK_THROWS_AS(invert(c.y.other, 1, all), ValueError);
        CHECK(c.z.same());
    });
}

TEST_CASE("memory of a device outlives the run, and operations on it still work") {
    on_all_devices([](const std::string& name) {
        std::mt19937 numbers(3);
        const BoxArray<3> boxes(Box<3>(IntVect<3>(0), IntVect<3>(7)));
        const Twin<3, double> a(boxes, 1, IntVect<3>(1), The_Device_Arena(), numbers);
        Runtime::finalize();
        for (const auto& field : {a.host, a.other}) plus(field, 2.5, all_with_ghosts(field));
        CHECK(sum(a.other, {}) == sum(a.host, {}));
        CHECK(a.same());
        Runtime::initialize(name);
        CHECK(sum(a.other, {}) == sum(a.host, {}));
    });
}

TEST_CASE("a mirror on the host holds the numbers, and gives back what is written") {
    on_all_devices([](const std::string&) {
        for (int arena = 0; arena < 4; ++arena) {
            std::mt19937 numbers(4);
            BoxArray<2> boxes(Box<2>(IntVect<2>(0), IntVect<2>(15)));
            boxes.max_size(IntVect<2>(8));
            const Twin<2, float> a(boxes, 2, IntVect<2>(1), test::arena_number(arena), numbers);
            const Mirror<2> seen(a.other.lease());
            CHECK((seen.body() == a.other.lease()) == (arena > 0));
            for (int local = 0; local < 4; ++local) {
                const Array4<float> data = seen.body()->array<float>(local);
                float& wanted = a.host.array(local)(data.lo[0], data.lo[1], 0, 1);
                CHECK(data(data.lo[0], data.lo[1], 0, 1) == wanted);
                data(data.lo[0], data.lo[1], 0, 1) = wanted = 99;
            }
            seen.write_back();
            CHECK(a.same());
            const Mirror<2> some(a.other.lease(), std::vector<int>{2});
            const Array4<float> data = some.body()->array<float>(2);
            CHECK(data(data.lo[0], data.lo[1], 0, 1) == 99);
        }
    });
}

TEST_CASE("cells of a field on a device are read and written by their global index") {
    on_all_devices([](const std::string&) {
        for (unsigned seed = 0; seed < 20; ++seed) {
            Case<2, double> c(seed);
            const FabBody<2>&host = *c.z.host.lease(), &other = *c.z.other.lease();
            GlobalSelection<2> some;
            SelectionStrides<2> strides{};
            std::int64_t stride = 1;
            for (int axis = 0; axis <= 2; ++axis) {
                const AxisDomain domain = axis_domain(host, axis);
                AxisRange& range = axis < 2 ? some.cells[static_cast<std::size_t>(axis)] : some.comps;
                range = select_all(domain, c.random.in(0, 1) == 1);
                const int cut = c.random.in(0, static_cast<int>(range.count) - 1);
                range.first += cut, range.count -= cut;
                strides[static_cast<std::size_t>(axis)] = stride;
                stride *= range.count;
            }
            std::vector<double> wanted(static_cast<std::size_t>(stride)), got(wanted.size());
            read_selection(host, some, wanted.data(), strides);
            read_selection(other, some, got.data(), strides);
            CHECK(got == wanted);
            for (double& number : wanted) number = number / 2 + 1;
            write_selection(host, some, wanted.data(), strides);
            write_selection(other, some, wanted.data(), strides);
            CHECK(c.z.same());
            const IntVect<2> cell = c.boxes[0].big_end();
            const double number = 1234;
            CHECK(write_element(host, cell, 0, &number));
            CHECK(write_element(other, cell, 0, &number));
            CHECK(c.z.same());
        }
    });
}
