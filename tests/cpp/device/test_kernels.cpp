// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels on fields, in the host's builds of their text, against plain references.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "kernel_runner.hpp"
#include "zerofab/device/host_loops.hpp"

namespace zerofab {
namespace {

using test::Launcher;
using test::same;

/// A field of some fabs of the same shapes as others, with gaps of its own between rows.
template <class T>
struct Field {
    struct Shape {
        k_i32 lo[3], len[3];
    };

    std::vector<std::vector<T>> memory;
    std::vector<zf_fab> fabs;
    int ncomp = 1;

    Field(Launcher& random, const std::vector<Shape>& shapes, int ncomp_, const std::function<T()>& value)
        : ncomp(ncomp_) {
        for (const Shape& s : shapes) {
            zf_fab fab{};
            std::copy_n(s.lo, 3, fab.lo);
            std::copy_n(s.len, 3, fab.len);
            const k_i32 before = static_cast<k_i32>(random.in(0, 2));  // more ghosts than others
            fab.lo[0] -= before;
            fab.len[0] += before + static_cast<k_i32>(random.in(0, 2));
            fab.jstride = fab.len[0];
            fab.kstride = fab.jstride * fab.len[1];
            fab.nstride = fab.kstride * fab.len[2];
            memory.emplace_back(static_cast<std::size_t>(fab.nstride * ncomp));
            for (T& x : memory.back()) x = value();
            fabs.push_back(fab);
        }
        point();
    }
    Field(const Field& other) : memory(other.memory), fabs(other.fabs), ncomp(other.ncomp) { point(); }
    void point() {
        for (std::size_t i = 0; i < fabs.size(); ++i) fabs[i].data = test::address(memory[i].data());
    }
    LoopOperand<T> operand(const zf_box& box, int comp) {
        const zf_fab& fab = fabs[static_cast<std::size_t>(box.fab)];
        T* data = memory[static_cast<std::size_t>(box.fab)].data() + (box.lo[0] - fab.lo[0]) +
                  (box.lo[1] - fab.lo[1]) * fab.jstride + (box.lo[2] - fab.lo[2]) * fab.kstride + comp * fab.nstride;
        return {data, fab.jstride, fab.kstride};
    }
    LoopOperand<const T> input(const zf_box& box, int comp) {
        const LoopOperand<T> o = operand(box, comp);
        return {o.data, o.sy, o.sz};
    }
};

LoopRegion region_of(const zf_box& box) { return {box.len[0], box.len[1], box.len[2]}; }

/// Three fields, a mask, some regions and components; and a launch.
template <class T>
struct Case {
    Launcher& random;
    int ncomp, step, z_comp, x_comp, y_comp;
    std::vector<typename Field<T>::Shape> shapes;
    std::vector<zf_box> boxes;
    Field<T> z, x, y;
    Field<int> mask;
    T a, b;

    explicit Case(Launcher& random_, const std::function<T()>& value)
        : random(random_),
          ncomp(static_cast<int>(random.in(1, 3))),
          step(random.in(0, 1) == 0 ? 1 : -1),
          z_comp(static_cast<int>(random.in(0, 2))),
          x_comp(static_cast<int>(random.in(0, 2))),
          y_comp(static_cast<int>(random.in(0, 2))),
          shapes(some_shapes()),
          boxes(some_boxes()),
          z(random, shapes, z_comp + ncomp, value),
          x(random, shapes, x_comp + ncomp, value),
          y(random, shapes, y_comp + ncomp, value),
          mask(random, mask_shapes(), 1, [this] { return static_cast<int>(random.in(0, 2)); }),
          a(value()),
          b(value()) {
        random.choose(static_cast<std::int64_t>(boxes.size()));
    }

    std::vector<typename Field<T>::Shape> some_shapes() {
        std::vector<typename Field<T>::Shape> all(static_cast<std::size_t>(random.in(1, 4)));
        for (auto& s : all) {
            for (int d = 0; d < 3; ++d) {
                s.lo[d] = static_cast<k_i32>(random.in(-20, 20));
                s.len[d] = static_cast<k_i32>(random.in(1, d == 0 ? 20 : 6));
            }
        }
        return all;
    }
    std::vector<Field<int>::Shape> mask_shapes() {
        std::vector<Field<int>::Shape> all;
        for (const auto& s : shapes) all.push_back({{s.lo[0], s.lo[1], s.lo[2]}, {s.len[0], s.len[1], s.len[2]}});
        return all;
    }
    /// At most one region in a fab, for they may not meet.
    std::vector<zf_box> some_boxes() {
        std::vector<zf_box> all;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            zf_box box{};
            box.fab = static_cast<k_i32>(i);
            for (int d = 0; d < 3; ++d) {
                const auto first = static_cast<k_i32>(random.in(0, shapes[i].len[d] - 1));
                box.lo[d] = shapes[i].lo[d] + first;
                box.len[d] = static_cast<k_i32>(random.in(1, shapes[i].len[d] - first));
            }
            if (random.in(0, 4) != 0 || all.empty()) all.push_back(box);
        }
        return all;
    }

    /// The arguments that begin every list; components are named by the last one if they are gone through downwards.
    std::vector<KernelArg> args(const std::vector<std::pair<Field<T>*, int>>& fields) {
        std::vector<KernelArg> list{boxes.data(), static_cast<std::int64_t>(boxes.size()), ncomp, step};
        for (const auto& [field, comp] : fields) {
            list.emplace_back(field->fabs.data());
            list.emplace_back(step > 0 ? comp : comp + ncomp - 1);
        }
        return list;
    }
    template <class F>
    void each(F f) {
        for (const zf_box& box : boxes) {
            for (int n = 0; n < ncomp; ++n) f(box, n);
        }
    }
};

template <class T>
std::function<T()> values(Launcher& random, bool strange) {
    return [&random, strange] {
        if constexpr (std::is_integral_v<T>) {
            if (strange && random.in(0, 9) == 0) {
                const T odd[] = {0, -1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
                return odd[random.in(0, 3)];
            }
            return static_cast<T>(random.in(-40, 40));
        } else {
            using L = std::numeric_limits<T>;
            if (strange && random.in(0, 20) == 0) {
                const T odd[] = {0, -T{0}, L::quiet_NaN(), L::infinity(), -L::infinity()};
                return odd[random.in(0, 4)];
            }
            return static_cast<T>(static_cast<double>(random.in(-4000, 4000)) / 64);  // sums are exact
        }
    };
}

/// Arithmetic as the kernels have it: integers wrap around, and a quotient by 0 is 0.
template <class T>
struct Plain {
    using Bits = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
    static T of(Bits v) { return static_cast<T>(v); }
    static Bits as(T v) { return static_cast<Bits>(v); }

    static T add(T a, T b) { return of(as(a) + as(b)); }
    static T subtract(T a, T b) { return of(as(a) - as(b)); }
    static T multiply(T a, T b) { return of(as(a) * as(b)); }
    static T negative(T a) {
        if constexpr (std::is_integral_v<T>)
            return subtract(0, a);
        else
            return -a;  // not 0 - a: the sign of a zero
    }
    static T divide(T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return b == 0 ? 0 : b == -1 ? negative(a) : a / b;
        else
            return a / b;
    }
    static T abs(T a) {
        if constexpr (std::is_integral_v<T>)
            return a < 0 ? negative(a) : a;
        else
            return std::fabs(a);
    }
};

/// Call f(z, x, y) for each point of a region, with references to their elements.
template <class T, class F>
void for_points(const LoopRegion& r, const LoopOperand<T>& z, const LoopOperand<T>& x, const LoopOperand<T>& y, F f) {
    const auto at = [](const LoopOperand<T>& o, k_i64 i, k_i64 j, k_i64 k) -> T& {
        return o.data[i + j * o.sy + k * o.sz];
    };
    for (k_i64 k = 0; k < r.nz; ++k) {
        for (k_i64 j = 0; j < r.ny; ++j) {
            for (k_i64 i = 0; i < r.nx; ++i) f(at(z, i, j, k), at(x, i, j, k), at(y, i, j, k));
        }
    }
}

template <class T>
void check_arithmetic(Launcher& random) {
    const auto value = values<T>(random, random.in(0, 1) == 0);
    using C = Case<T>;
    const auto check = [&](const char* name, auto fields, auto numbers, auto one) {
        C c(random, value);
        C wanted(c);
        wanted.z.point(), wanted.x.point(), wanted.y.point();
        std::vector<KernelArg> args = c.args(fields(c));
        for (const T number : numbers(c)) args.emplace_back(number);
        random(name, test::kernel_type<T>, args);
        wanted.each([&](const zf_box& box, int n) {
            for_points(region_of(box), wanted.z.operand(box, wanted.z_comp + n),
                       wanted.x.operand(box, wanted.x_comp + n), wanted.y.operand(box, wanted.y_comp + n),
                       [&](T& z, T& x, T y) { one(wanted, z, x, y); });
        });
        INFO(name);
        for (std::size_t i = 0; i < c.z.memory.size(); ++i) {
            CHECK(same(c.z.memory[i], wanted.z.memory[i]));
            CHECK(same(c.x.memory[i], wanted.x.memory[i]));
        }
    };
    using Fields = std::vector<std::pair<Field<T>*, int>>;
    const auto one = [](C& c) { return Fields{{&c.z, c.z_comp}}; };
    const auto two = [](C& c) { return Fields{{&c.z, c.z_comp}, {&c.x, c.x_comp}}; };
    const auto three = [](C& c) { return Fields{{&c.z, c.z_comp}, {&c.x, c.x_comp}, {&c.y, c.y_comp}}; };
    const auto none = [](C&) { return std::vector<T>{}; };
    const auto a = [](C& c) { return std::vector<T>{c.a}; };
    const auto ab = [](C& c) { return std::vector<T>{c.a, c.b}; };
    using P = Plain<T>;
    check("field_set_val", one, a, [](C& c, T& z, T&, T) { z = c.a; });
    check("field_add_scalar", one, a, [](C& c, T& z, T&, T) { z = P::add(z, c.a); });
    check("field_multiply_scalar", one, a, [](C& c, T& z, T&, T) { z = P::multiply(z, c.a); });
    check("field_divide_scalar", one, a, [](C& c, T& z, T&, T) { z = P::divide(z, c.a); });
    check("field_invert", one, a, [](C& c, T& z, T&, T) { z = P::divide(c.a, z); });
    check("field_negate", one, none, [](C&, T& z, T&, T) { z = P::negative(z); });
    check("field_abs", one, none, [](C&, T& z, T&, T) { z = P::abs(z); });
    check("field_copy", two, none, [](C&, T& z, T& x, T) { z = x; });
    check("field_add", two, none, [](C&, T& z, T& x, T) { z = P::add(z, x); });
    check("field_subtract", two, none, [](C&, T& z, T& x, T) { z = P::subtract(z, x); });
    check("field_multiply", two, none, [](C&, T& z, T& x, T) { z = P::multiply(z, x); });
    check("field_divide", two, none, [](C&, T& z, T& x, T) { z = P::divide(z, x); });
    check("field_saxpy", two, a, [](C& c, T& z, T& x, T) { z = P::add(z, P::multiply(c.a, x)); });
    check("field_xpay", two, a, [](C& c, T& z, T& x, T) { z = P::add(x, P::multiply(c.a, z)); });
    check("field_lin_comb", three, ab,
          [](C& c, T& z, T& x, T y) { z = P::add(P::multiply(c.a, x), P::multiply(c.b, y)); });
    check("field_add_product", three, none, [](C&, T& z, T& x, T y) { z = P::add(z, P::multiply(x, y)); });
    check("field_swap", two, none, [](C&, T& z, T& x, T) { std::swap(z, x); });
}

/// A field that is read may be the one that is written.
template <class T>
void check_in_place(Launcher& random) {
    using P = Plain<T>;
    Case<T> c(random, values<T>(random, false));
    Field<T> wanted(c.z);
    std::vector<KernelArg> args = c.args({{&c.z, c.z_comp}, {&c.z, c.z_comp}});
    args.emplace_back(c.a);
    random("field_saxpy", test::kernel_type<T>, args);
    c.each([&](const zf_box& box, int n) {
        const auto z = wanted.operand(box, c.z_comp + n);
        for_points(region_of(box), z, z, z, [&](T& to, T&, T) { to = P::add(to, P::multiply(c.a, to)); });
    });
    CHECK(c.z.memory == wanted.memory);
}

/// In one field, z = x + z of overlapping components, in the order that reads before it writes.
template <class T>
void check_overlapping_components(Launcher& random) {
    for (const int shift : {-1, 1}) {
        Case<T> c(random, values<T>(random, false));
        Field<T> f(random, c.shapes, c.ncomp + 1, values<T>(random, false)), wanted(f);
        c.step = shift > 0 ? -1 : 1;  // z above x: from above
        random("field_add", test::kernel_type<T>, c.args({{&f, shift > 0 ? 1 : 0}, {&f, shift > 0 ? 0 : 1}}));
        Field<T> before(wanted);
        c.each([&](const zf_box& box, int n) {
            const auto z = wanted.operand(box, n + (shift > 0 ? 1 : 0)),
                       x = before.operand(box, n + (shift > 0 ? 0 : 1));
            for_points(region_of(box), z, x, x, [](T& to, T& from, T) { to = Plain<T>::add(to, from); });
        });
        CHECK(f.memory == wanted.memory);
    }
}

template <class T>
void check_keep_masked(Launcher& random) {
    Case<T> c(random, values<T>(random, false));
    Field<T> wanted(c.z);
    std::vector<KernelArg> args = c.args({{&c.z, c.z_comp}});
    args.emplace_back(c.mask.fabs.data());
    random("field_keep_masked", test::kernel_type<T>, args);
    c.each([&](const zf_box& box, int n) {
        const auto z = wanted.operand(box, c.z_comp + n);
        const auto m = c.mask.operand(box, 0);
        for (k_i64 k = 0; k < box.len[2]; ++k)
            for (k_i64 j = 0; j < box.len[1]; ++j)
                for (k_i64 i = 0; i < box.len[0]; ++i)
                    if (m.data[i + j * m.sy + k * m.sz] == 0) z.data[i + j * z.sy + k * z.sz] = 0;
    });
    CHECK(c.z.memory == wanted.memory);
}

/// One result for each box and group of a row, joined in order.
template <class R, class T, class Join>
auto results_of(Case<T>& c, const char* name, std::vector<KernelArg> args, bool masked, std::int64_t groups_x, R start,
                Join join) {
    std::vector<R> results(c.boxes.size() * static_cast<std::size_t>(groups_x), R{});
    if (masked) args.emplace_back(c.mask.fabs.data());
    args.emplace_back(results.data());
    c.random(name, test::kernel_type<T>, args);
    R total = start;
    for (const R& r : results) total = join(total, r);
    return total;
}

template <class T>
struct Sum {
    std::conditional_t<std::is_integral_v<T>, std::int64_t, T> high, low;
};

template <class T>
void check_reductions(Launcher& random, bool strange, kernels_host::Shape group = {0, 0}) {
    const auto& h = host_loops<T>();
    const auto value = values<T>(random, strange);
    const auto start = [&](Case<T>& c) {
        const auto rows = static_cast<std::int64_t>(c.boxes.size());
        if (group.lanes == 0) return random.choose(rows);
        random.set(2, 1, group);
        return std::int64_t{2};
    };
    const auto add = [](auto x, auto y) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
        else
            return x + y;
    };
    using Fields = std::vector<std::pair<Field<T>*, int>>;
    const auto check_sum = [&](const char* name, bool with_y, bool masked, auto host) {
        Case<T> c(random, value);
        const std::int64_t groups_x = start(c);
        const Fields fields = with_y ? Fields{{&c.x, c.x_comp}, {&c.y, c.y_comp}} : Fields{{&c.x, c.x_comp}};
        const auto got = results_of(c, name, c.args(fields), masked, groups_x, Sum<T>{},
                                    [&](auto s, auto r) { return Sum<T>{add(s.high, r.high), add(s.low, r.low)}; });
        LoopSum<T> wanted = 0;
        c.each([&](const zf_box& box, int n) {
            wanted = add(wanted, host(region_of(box), c.x.input(box, c.x_comp + n), c.y.input(box, c.y_comp + n),
                                      LoopOperand<const int>(c.mask.input(box, 0))));
        });
        INFO(name);
        const auto low = std::isfinite(static_cast<double>(got.low)) ? static_cast<LoopSum<T>>(got.low) : 0;
        const auto found = add(static_cast<LoopSum<T>>(got.high), low);
        if constexpr (std::is_same_v<T, float>)  // products of the host loops are sums of rounded numbers
            CHECK((same(found, wanted) || std::abs(found - wanted) <= 1e-5 * (1 + std::abs(wanted))));
        else
            CHECK(same(found, wanted));
    };
    check_sum("field_sum", false, false, [&](auto r, auto x, auto, auto) { return h.sum(r, x); });
    check_sum("field_sum_abs", false, false, [&](auto r, auto x, auto, auto) { return h.sum_abs(r, x); });
    check_sum("field_sum_squares", false, false, [&](auto r, auto x, auto, auto) { return h.sum_squares(r, x); });
    check_sum("field_dot", true, false, [&](auto r, auto x, auto y, auto) { return h.dot(r, x, y); });
    check_sum("field_masked_sum", false, true, [&](auto r, auto x, auto, auto m) { return h.masked_sum(r, x, m); });
    check_sum("field_masked_sum_abs", false, true,
              [&](auto r, auto x, auto, auto m) { return h.masked_sum_abs(r, x, m); });
    check_sum("field_masked_dot", true, true, [&](auto r, auto x, auto y, auto m) { return h.masked_dot(r, x, y, m); });

    const auto check = [&](const char* name, bool masked, auto first, auto join, auto host) {
        Case<T> c(random, value);
        const std::int64_t groups_x = start(c);
        const auto got = results_of(c, name, c.args({{&c.x, c.x_comp}}), masked, groups_x, first, join);
        auto wanted = first;
        c.each([&](const zf_box& box, int n) {
            wanted = join(wanted, static_cast<decltype(first)>(host(region_of(box), c.x.input(box, c.x_comp + n),
                                                                    LoopOperand<const int>(c.mask.input(box, 0)))));
        });
        INFO(name);
        CHECK(same(got, wanted));
    };
    using L = std::numeric_limits<T>;
    const T largest = L::has_infinity ? L::infinity() : L::max(), smallest = L::has_infinity ? -largest : L::lowest();
    const auto nan_wins = [](T m, T x) { return x > m || x != x ? x : m; };
    const auto either = [](int m, int x) { return m | x; };
    check(
        "field_min", false, largest, [](T m, T x) { return x < m ? x : m; },
        [&](auto r, auto x, auto) { return h.min(r, x); });
    check(
        "field_max", false, smallest, [](T m, T x) { return x > m ? x : m; },
        [&](auto r, auto x, auto) { return h.max(r, x); });
    check("field_max_abs", false, T{0}, nan_wins, [&](auto r, auto x, auto) { return h.max_abs(r, x); });
    check("field_masked_max_abs", true, T{0}, nan_wins,
          [&](auto r, auto x, auto m) { return h.masked_max_abs(r, x, m); });
    const auto found = [](auto is) {
        return [is](auto r, auto x, auto) {
            bool any = false;
            for (k_i64 k = 0; k < r.nz; ++k) {
                for (k_i64 j = 0; j < r.ny; ++j) {
                    for (k_i64 i = 0; i < r.nx; ++i) any |= is(x.data[i + j * x.sy + k * x.sz]);
                }
            }
            return any;
        };
    };
    const auto infinite = [](T v) { return L::has_infinity && (v == L::infinity() || v == -L::infinity()); };
    check("field_has_nan", false, 0, either, found([](T v) { return v != v; }));
    check("field_has_inf", false, 0, either, found(infinite));
    check("field_has_zero", false, 0, either, found([](T v) { return v == 0; }));
}

TEST_CASE_TEMPLATE("kernels that write fields do what plain loops do", T, double, float, int, std::int64_t) {
    for (const auto& runner : test::runners()) {
        Launcher random(7, runner);
        for (int n = 0; n < 60; ++n) {
            check_arithmetic<T>(random);
            check_in_place<T>(random);
            check_overlapping_components<T>(random);
            check_keep_masked<T>(random);
        }
    }
}

TEST_CASE_TEMPLATE("kernels that reduce fields do what the host loops do", T, double, float, int, std::int64_t) {
    for (const auto& runner : test::runners()) {
        Launcher random(8, runner);
        for (int n = 0; n < 60; ++n) check_reductions<T>(random, n % 2 == 1);
    }
    Launcher random(8);
    // 300: more than can share
    using Shape = kernels_host::Shape;
    for (const Shape group : {Shape{2, 1}, {5, 3}, {32, 2}, {100, 3}}) check_reductions<T>(random, false, group);
}

TEST_CASE_TEMPLATE("sums keep what rounding takes", T, double, float) {
    Launcher random(9);
    using Shape = kernels_host::Shape;
    for (const Shape group : {Shape{1, 1}, {1, 1}, {1, 1}, {2, 2}, {33, 1}}) {
        // Multiples of 1/64 that as integers add up exactly, but hardly any two of them do in T.
        std::int64_t exact = 0;
        const int digits = std::numeric_limits<T>::digits;
        const auto value = [&] {
            std::int64_t m = random.in(0, (std::int64_t{1} << digits) - 1) >> random.in(0, digits - 1);
            if (random.in(0, 1) == 0) m = -m;
            exact += m;
            return static_cast<T>(m) / 64;
        };
        Field<T> x(random, {{{0, 0, 0}, {30, 20, 10}}}, 2, value);
        const zf_fab& fab = x.fabs[0];
        const zf_box box{0, {fab.lo[0], 0, 0}, {fab.len[0], fab.len[1], fab.len[2]}, 0};
        std::vector<Sum<T>> results(3);
        random.set(3, 1, group);
        random("field_sum", test::kernel_type<T>, {&box, std::int64_t{1}, 2, 1, x.fabs.data(), 0, results.data()});
        long double sum = 0;
        for (const Sum<T>& r : results) sum += static_cast<long double>(r.high) + static_cast<long double>(r.low);
        CHECK(std::abs(static_cast<double>(sum * 64 - static_cast<long double>(exact))) <= (digits < 30 ? 0.01 : 1));
    }
}

TEST_CASE("rows as long as vectors are wide, and other lengths, at any alignment") {
    using P = Plain<double>;
    for (const auto& runner : test::runners()) {
        Launcher random(10, runner);
        for (k_i32 length = 1; length < 150; ++length) {
            Field<double> z(random, {{{0, 0, 0}, {length, 3, 2}}}, 2, values<double>(random, false)), wanted(z);
            const zf_box box{0, {0, 0, 0}, {length, 3, 2}, 0};
            random.set(1, 1, {});
            random("field_saxpy", KernelType::f64,
                   {&box, std::int64_t{1}, 1, 1, z.fabs.data(), 1, z.fabs.data(), 0, 0.5});
            for_points(region_of(box), wanted.operand(box, 1), wanted.operand(box, 0), wanted.operand(box, 0),
                       [](double& to, double& from, double) { to = P::add(to, P::multiply(0.5, from)); });
            CHECK(z.memory == wanted.memory);
        }
    }
}

TEST_CASE("kernels are listed once, and unknown kernels and wrong arguments are found") {
    for (const KernelType type : {KernelType::f64, KernelType::f32, KernelType::i32, KernelType::i64}) {
        std::vector<std::string_view> names;
        for (const kernels_host::Kernel& kernel : kernels_host::kernels(type)) names.push_back(kernel.name);
        std::sort(names.begin(), names.end());
        CHECK(names.size() > 30);
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    }
    CHECK(kernels_host::find(KernelType::i32, "copy_16") != nullptr);
    CHECK(kernels_host::find(KernelType::f64, "copy_16") == nullptr);
    const Launcher launcher(1);
    CHECK_THROWS_AS(launcher("no_such_kernel", KernelType::f64, {}), std::invalid_argument);
    CHECK_THROWS_AS(launcher("vector_fill", KernelType::f64, {KernelArg(1), KernelArg(2)}), std::invalid_argument);
}

}  // namespace
}  // namespace zerofab
