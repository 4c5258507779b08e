// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Every loop of every instruction set against a naive reference, over random sizes, strides and offsets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "zerofab/device/host_loops.hpp"

using namespace zerofab;

namespace {

constexpr HostIsa all_isas[] = {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512};

/// Memory with a region inside it; the rest must stay as it was.
template <class T>
struct Field {
    std::vector<T> memory;
    std::int64_t start = 0, sy = 0, sz = 0;

    LoopOperand<T> out() { return {memory.data() + start, sy, sz}; }
    LoopOperand<const T> in() const { return {memory.data() + start, sy, sz}; }
    T& at(std::int64_t i, std::int64_t j, std::int64_t k) {
        return memory[static_cast<std::size_t>(start + i + j * sy + k * sz)];
    }
    T at(std::int64_t i, std::int64_t j, std::int64_t k) const { return const_cast<Field*>(this)->at(i, j, k); }
};

struct Random {
    std::mt19937 engine{12345};

    std::int64_t in(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
    }

    template <class T>
    T value() {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(in(-40, 40));
        else
            return static_cast<T>(static_cast<double>(in(-4000, 4000)) / 64);
    }

    LoopRegion region() {
        static constexpr std::int64_t sizes[] = {1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 257, 2050};
        const auto pick = [&](std::size_t count) {
            return sizes[static_cast<std::size_t>(in(0, static_cast<std::int64_t>(count) - 1))];
        };
        return {pick(std::size(sizes)), pick(10), pick(8)};
    }

    template <class T>
    Field<T> field(const LoopRegion& r, bool nonzero = false) {
        Field<T> f;
        const bool packed_rows = in(0, 2) != 0, packed_planes = in(0, 2) != 0;
        f.start = in(0, 9);
        f.sy = r.nx + (packed_rows ? 0 : in(1, 5));
        f.sz = f.sy * r.ny + (packed_planes ? 0 : in(1, 7));
        f.memory.resize(static_cast<std::size_t>(f.start + f.sz * r.nz + 9));
        for (T& x : f.memory) {
            x = value<T>();
            if (nonzero && x == 0) x = 3;
        }
        return f;
    }
};

template <class F>
void for_cells(const LoopRegion& r, F f) {
    for (std::int64_t k = 0; k < r.nz; ++k)
        for (std::int64_t j = 0; j < r.ny; ++j)
            for (std::int64_t i = 0; i < r.nx; ++i) f(i, j, k);
}

/// All loops that write, on random operands; `twice`: the operand that is read is the one that is written.
template <class T>
void check_writing(const HostLoops<T>& loops, Random& random, bool twice) {
    const LoopRegion r = random.region();
    const T a = static_cast<T>(random.value<T>() + T{51});
    const auto check = [&](const char* what, auto run, auto one) {
        Field<T> z = random.field<T>(r, true), x = random.field<T>(r, true), y = random.field<T>(r, true);
        Field<T> expected = z, expected_x = x;
        Field<T>& read = twice ? z : x;
        const Field<T> z0 = z;
        for_cells(r, [&](auto i, auto j, auto k) {
            const T p = z0.at(i, j, k), q = twice ? p : x.at(i, j, k), s = y.at(i, j, k);
            expected.at(i, j, k) = one(p, q, s);
        });
        run(z, read, y);
        INFO(what, " nx=", r.nx, " ny=", r.ny, " nz=", r.nz);
        CHECK(z.memory == expected.memory);
        CHECK(x.memory == expected_x.memory);
    };
    using F = Field<T>;
    const auto as = [](auto v) { return static_cast<T>(v); };
    check("fill", [&](F& z, F&, F&) { loops.fill(r, z.out(), a); }, [&](T, T, T) { return a; });
    check("copy", [&](F& z, F& x, F&) { loops.copy(r, z.out(), x.in()); }, [&](T, T q, T) { return q; });
    check("add", [&](F& z, F& x, F&) { loops.add(r, z.out(), x.in()); }, [&](T p, T q, T) { return as(p + q); });
    check(
        "multiply", [&](F& z, F& x, F&) { loops.multiply(r, z.out(), x.in()); },
        [&](T p, T q, T) { return as(p * q); });
}

/// All reductions; values are such that every sum is exact, so that order does not matter.
template <class T>
void check_reading(const HostLoops<T>& loops, Random& random) {
    const LoopRegion r = random.region();
    Field<T> x = random.field<T>(r), y = random.field<T>(r);
    Field<int> mask = random.field<int>(r);
    for (int& m : mask.memory) m = m > 5 ? m : 0;
    if constexpr (!std::is_integral_v<T>)  // few bits: float sums of products stay exact too
        for (auto* f : {&x, &y})
            for (T& v : f->memory) v = static_cast<T>(static_cast<int>(v) % 8) / T{2};
    LoopSum<T> sum = 0, sum_abs = 0, squares = 0, dot = 0, masked_sum = 0, masked_abs = 0, masked_dot = 0;
    T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest(), max_abs = 0, masked_max = 0;
    for_cells(r, [&](auto i, auto j, auto k) {
        const T p = x.at(i, j, k), q = y.at(i, j, k);
        const LoopSum<T> wide = p;
        sum += wide;
        sum_abs += std::abs(wide);
        squares += wide * wide;
        dot += wide * q;
        least = std::min(least, p);
        most = std::max(most, p);
        max_abs = std::max(max_abs, static_cast<T>(std::abs(p)));
        if (mask.at(i, j, k) == 0) return;
        masked_sum += wide;
        masked_abs += std::abs(wide);
        masked_dot += wide * q;
        masked_max = std::max(masked_max, static_cast<T>(std::abs(p)));
    });
    INFO("nx=", r.nx, " ny=", r.ny, " nz=", r.nz);
    CHECK(loops.sum(r, x.in()) == sum);
    CHECK(loops.sum_abs(r, x.in()) == sum_abs);
    CHECK(loops.sum_squares(r, x.in()) == squares);
    CHECK(loops.dot(r, x.in(), y.in()) == dot);
    CHECK(loops.min(r, x.in()) == least);
    CHECK(loops.max(r, x.in()) == most);
    CHECK(loops.max_abs(r, x.in()) == max_abs);
    CHECK(loops.masked_sum(r, x.in(), mask.in()) == masked_sum);
    CHECK(loops.masked_sum_abs(r, x.in(), mask.in()) == masked_abs);
    CHECK(loops.masked_dot(r, x.in(), y.in(), mask.in()) == masked_dot);
    CHECK(loops.masked_max_abs(r, x.in(), mask.in()) == masked_max);
}

/// One special value at every kind of place is found, and not when it is beside the region.
template <class T>
void check_special(const HostLoops<T>& loops, Random& random) {
    const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
    const LoopRegion r = random.region();
    Field<T> x = random.field<T>(r, true);
    T& place = x.at(random.in(0, r.nx - 1), random.in(0, r.ny - 1), random.in(0, r.nz - 1));
    Field<int> none = random.field<int>(r);
    for (int& m : none.memory) m = 0;
    const T least = loops.min(r, x.in()), most = loops.max(r, x.in());
    place = nan;
    CHECK(std::isnan(loops.sum(r, x.in())));
    CHECK(std::isnan(loops.max_abs(r, x.in())));
    CHECK(loops.min(r, x.in()) >= least);
    CHECK(loops.max(r, x.in()) <= most);
    for (const T v : {inf, -inf}) {
        place = v;
        CHECK(loops.sum(r, x.in()) == static_cast<double>(v));
        CHECK(loops.sum_abs(r, x.in()) == std::numeric_limits<double>::infinity());
        CHECK((v > 0 ? loops.max(r, x.in()) : loops.min(r, x.in())) == v);
        CHECK(loops.max_abs(r, x.in()) == inf);
        CHECK(std::isfinite(loops.masked_max_abs(r, x.in(), none.in())));
    }
}

template <class T>
void check_all() {
    for (const HostIsa isa : all_isas) {
        const HostLoops<T>* loops = host_loops<T>(isa);
        if (loops == nullptr) continue;
        INFO("isa ", static_cast<int>(isa));
        Random random;
        for (int round = 0; round < 150; ++round) {
            check_writing<T>(*loops, random, round % 3 == 0);
            check_reading<T>(*loops, random);
            if constexpr (!std::is_integral_v<T>) check_special<T>(*loops, random);
        }
    }
}

}  // namespace

TEST_CASE("host loops of double match the reference") { check_all<double>(); }
TEST_CASE("host loops of float match the reference") { check_all<float>(); }
TEST_CASE("host loops of int match the reference") { check_all<int>(); }
TEST_CASE("host loops of int64 match the reference") { check_all<std::int64_t>(); }

TEST_CASE("the chosen table is one of the variants, the baseline always exists") {
    CHECK(host_loops<double>(HostIsa::baseline) != nullptr);
    CHECK(&host_loops<double>() == host_loops<double>(host_isa()));
}

TEST_CASE("empty regions touch nothing and give the neutral results") {
    const auto& loops = host_loops<double>();
    for (const LoopRegion r : {LoopRegion{0, 3, 3}, LoopRegion{3, 0, 3}, LoopRegion{3, 3, -1}}) {
        loops.fill(r, {nullptr, 3, 9}, 1.0);
        CHECK(loops.sum(r, {nullptr, 3, 9}) == 0.0);
        CHECK(loops.min(r, {nullptr, 3, 9}) == std::numeric_limits<double>::infinity());
        CHECK(loops.max(r, {nullptr, 3, 9}) == -std::numeric_limits<double>::infinity());
    }
}

TEST_CASE("integers wrap around and do not trap") {
    const auto& loops = host_loops<int>();
    const int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
    std::vector<int> z{least, most}, x{-1, 1};
    loops.add({2, 1, 1}, {z.data(), 2, 2}, {x.data(), 2, 2});
    CHECK(z == std::vector<int>{most, least});
    loops.multiply({2, 1, 1}, {x.data(), 2, 2}, {z.data(), 2, 2});
    CHECK(x == std::vector<int>{-most, least});
    std::vector<int> big(1000, most);
    CHECK(loops.sum({1000, 1, 1}, {big.data(), 1000, 1000}) == 1000LL * most);
    CHECK(loops.sum_squares({2, 1, 1}, {big.data(), 2, 2}) == 2LL * most * most);
}

TEST_CASE("sums are accurate, and have the same bits on every instruction set") {
    Random random;
    std::vector<double> x(1'000'003);
    long double exact = 0, magnitude = 0;
    for (double& v : x) {
        v = std::exp(static_cast<double>(random.in(-2000, 2000)) / 100) * (random.in(0, 1) == 0 ? 1 : -1) / 3.0;
        exact += v;
        magnitude += std::fabs(v);
    }
    const auto n = static_cast<std::int64_t>(x.size());
    const double first = host_loops<double>().sum({n, 1, 1}, {x.data(), n, n});
    CHECK(std::fabs(static_cast<double>(first - exact)) <= 4e-16 * static_cast<double>(magnitude));
    for (const HostIsa isa : all_isas)
        if (const auto* loops = host_loops<double>(isa)) {
            CHECK(loops->sum({n, 1, 1}, {x.data(), n, n}) == first);
            CHECK(loops->dot({1001, 999, 1}, {x.data(), 1001, n}, {x.data() + 1, 1001, n}) ==
                  host_loops<double>().dot({1001, 999, 1}, {x.data(), 1001, n}, {x.data() + 1, 1001, n}));
        }
    const std::vector<float> tenths(4'000'001, 0.1F);
    const auto m = static_cast<std::int64_t>(tenths.size());
    CHECK(host_loops<float>().sum({m, 1, 1}, {tenths.data(), m, m}) ==
          doctest::Approx(static_cast<double>(m) * static_cast<double>(0.1F)).epsilon(1e-6));
    const std::vector<double> column(100'000, 0.1);  // rows of one element take the way of the tails
    CHECK(host_loops<double>().sum({1, 50'000, 1}, {column.data(), 2, 100'000}) ==
          doctest::Approx(5000.0).epsilon(1e-15));
}
