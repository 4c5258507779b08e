// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels started on SYCL: arguments of every kind, grids of every shape, order and errors.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <thread>
#include <type_traits>
#include <vector>

#include "../../../kernels/tables.h"
#include "sycl_fixture.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/sycl.hpp"

using namespace zerofab;
using namespace zerofab::sycl_test;

namespace {

template <class T>
constexpr KernelType type_of = std::is_same_v<T, double>  ? KernelType::f64
                               : std::is_same_v<T, float> ? KernelType::f32
                               : std::is_same_v<T, int>   ? KernelType::i32
                                                          : KernelType::i64;

/// Fabs of nx * ny points and `comps` components with one ring of points around each, and their tables on the device.
template <class T>
struct Field {
    static constexpr int nx = 13, ny = 7, wide = nx + 2, high = ny + 2, comps = 2;
    static constexpr std::int64_t points = std::int64_t{wide} * high * comps;

    explicit Field(int fabs, MemoryKind kind = MemoryKind::device)
        : count(fabs), data(kind, static_cast<std::size_t>(fabs * points) * sizeof(T)) {
        std::vector<zf_fab> table;
        std::vector<zf_box> regions;
        for (int n = 0; n < fabs; ++n) {
            const auto address =
                reinterpret_cast<std::uintptr_t>(data.data) + static_cast<std::size_t>(n * points) * sizeof(T);
            table.push_back({address, {10 * n - 1, -1, 0}, {wide, high, 1}, wide, wide * high, wide * high});
            regions.push_back({n, {10 * n, 0, 0}, {nx, ny, 1}, 0});
        }
        tables.upload(table);
        boxes.upload(regions);
        sycl().fill(0, data.data, 0, data.bytes, {});
    }

    /// z = a, or z += a * x.
    void set(T a, std::int64_t groups, std::int64_t rows, Stream stream = {}) const {
        launch({boxes.data(), std::int64_t{count}, comps, 1, tables.data(), 0, a}, "field_set_val", groups, rows,
               stream);
    }
    void saxpy(T a, const Field& x, std::int64_t groups, std::int64_t rows, Stream stream = {}) const {
        launch({boxes.data(), std::int64_t{count}, comps, 1, tables.data(), 0, x.tables.data(), 0, a}, "field_saxpy",
               groups, rows, stream);
    }
    /// Whether all points are `inside`, and those of the rings 0.
    [[nodiscard]] bool holds(T inside) const {
        const std::vector<unsigned char> bytes = read(data);
        const auto* values = reinterpret_cast<const T*>(bytes.data());
        for (std::int64_t p = 0; p < count * points; ++p) {
            const std::int64_t i = p % wide, j = p / wide % high;
            const bool ring = i == 0 || j == 0 || i == wide - 1 || j == high - 1;
            if (values[p] != (ring ? T{0} : inside)) return false;
        }
        return true;
    }

    struct Table {
        template <class Row>
        void upload(const std::vector<Row>& rows) {
            memory.emplace(MemoryKind::device, rows.size() * sizeof(Row));
            sycl().copy(0, memory->data, rows.data(), memory->bytes, {});
        }
        [[nodiscard]] const void* data() const { return memory->data; }
        std::optional<Memory> memory;
    };

    int count;
    Memory data;
    Table tables, boxes;

private:
    static void launch(const std::vector<KernelArg>& args, std::string_view name, std::int64_t groups,
                       std::int64_t rows, Stream stream) {
        sycl().launch(0, {name, type_of<T>, groups, rows, args.data(), args.size()}, stream);
    }
};

}  // namespace

TEST_CASE_TEMPLATE("sycl: kernels of each type on grids of each shape" * doctest::skip(absent), T, double, float, int,
                   std::int64_t) {
    for (const int fabs : {1, 2, 5}) {
        for (const std::int64_t groups : {1, 3, 40}) {
            for (const std::int64_t rows : {1, fabs, 7}) {
                const Field<T> z(fabs), x(fabs);
                z.set(T{3}, groups, rows);
                CHECK(z.holds(T{3}));
                x.set(T{5}, groups, rows);
                z.saxpy(T{-2}, x, groups, rows);
                CHECK(z.holds(T{-7}));
                CHECK(x.holds(T{5}));
            }
        }
    }
}

TEST_CASE("sycl: kernels reach memory of every kind" * doctest::skip(absent)) {
    for (const MemoryKind kind : kinds) {
        const Field<double> z(3, kind), x(3);
        x.set(1.5, 2, 3);
        z.set(1.0, 2, 3);
        z.saxpy(2.0, x, 2, 3);
        CHECK(z.holds(4.0));
    }
}

TEST_CASE("sycl: nothing to do" * doctest::skip(absent)) {
    const Field<double> z(1);
    z.set(1.0, 0, 1);
    z.set(1.0, 1, 0);
    CHECK(z.holds(0.0));
}

TEST_CASE("sycl: kernels keep the order of their stream" * doctest::skip(absent)) {
    const Field<double> z(4), x(4);
    x.set(1.0, 2, 4);
    for (int step = 0; step < 500; ++step) z.saxpy(1.0, x, 2, 4);
    CHECK(z.holds(500.0));
    // then on another stream, after an event
    z.saxpy(1.0, x, 2, 4);
    const ForeignQueue theirs(0);
    const Stream stream = sycl_stream(0, theirs.queue);
    const Event event = sycl().record(0, {});
    sycl().wait(0, stream, event);
    sycl().forget(0, event);
    for (int step = 0; step < 500; ++step) z.saxpy(-1.0, x, 2, 4, stream);
    sycl().synchronize(0, stream);
    CHECK(z.holds(1.0));
}

TEST_CASE("sycl: kernels from many threads" * doctest::skip(absent)) {
    std::array<bool, 6> right{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([t, &right] {
            const Field<std::int64_t> z(2), x(2);
            x.set(static_cast<std::int64_t>(t), 1, 2);
            for (int step = 0; step < 100; ++step) z.saxpy(1, x, 2, 2);
            right[t] = z.holds(100 * static_cast<std::int64_t>(t));
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::array<bool, 6>{true, true, true, true, true, true});
}

TEST_CASE("sycl: calls that no kernel takes" * doctest::skip(absent)) {
    const KernelArg arg(std::int64_t{1});
    const auto launch = [&](std::string_view name, std::size_t count) {
        sycl().launch(0, {name, KernelType::f32, 1, 1, &arg, count}, {});
    };
    CHECK_THROWS_WITH_AS(launch("no_such_kernel", 1), "sycl: there is no kernel 'no_such_kernel'", DeviceError);
    CHECK_THROWS_AS(launch("", 1), DeviceError);
    CHECK_THROWS_WITH_AS(launch("field_set_val", 1), doctest::Contains("arguments, not 1"), DeviceError);
    CHECK_THROWS_AS(launch("field_set_val", 0), DeviceError);
    const Field<float> z(1);  // and all is well after it
    z.set(2.0F, 1, 1);
    CHECK(z.holds(2.0F));
}
