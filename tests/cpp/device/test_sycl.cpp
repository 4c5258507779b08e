// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// SYCL's devices and memory, on whatever device dpctl finds.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>

#include "sycl_fixture.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/sycl.hpp"

using namespace zerofab;
using namespace zerofab::sycl_test;

namespace {

std::vector<unsigned char> noise(std::size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<unsigned char> out(bytes);
    std::generate(out.begin(), out.end(), [&] { return static_cast<unsigned char>(random()); });
    return out;
}

}  // namespace

TEST_CASE("sycl: a report, whatever there is") {
    const BackendReport& report = sycl().report();
    CHECK(&report == &sycl().report());
    CHECK(report.devices.empty() != report.why_not.empty());
    if (report.library.empty()) CHECK(report.why_not.find("pip install dpctl") != std::string::npos);
    CHECK(find_backend("sycl") == &sycl());
    if (report.devices.empty()) CHECK_THROWS_AS((void)sycl().default_stream(0), DeviceError);
}

TEST_CASE("sycl: devices" * doctest::skip(absent)) {
    const BackendReport& report = sycl().report();
    INFO(report.why_not);
    REQUIRE(sycl().device_count() > 0);
    CHECK(!report.version.empty());
    bool cpu_seen = false;
    for (const DeviceInfo& device : report.devices) {
        CHECK(!device.name.empty());
        CHECK(device.bytes > 0);
        const bool gpu = device.architecture.ends_with(":gpu");
        CHECK_FALSE((gpu && cpu_seen));
        cpu_seen = cpu_seen || !gpu;
    }
    for (int id = 0; id < sycl().device_count(); ++id) CHECK(sycl_device_of(sycl_dlpack_id(id)) == id);
    CHECK(sycl_device_of(1000) == -1);
    for (const int bad : {-1, sycl().device_count()}) {
        CHECK_THROWS_AS(static_cast<void>(sycl().allocate(MemoryKind::device, 64, bad)), DeviceError);
        CHECK_THROWS_AS(static_cast<void>(sycl_dlpack_id(bad)), DeviceError);
    }
}

TEST_CASE("sycl: memory of every kind is aligned, known to the driver and copied right" * doctest::skip(absent)) {
    std::vector<unsigned char> plain(64);
    CHECK(sycl_memory_kind(0, plain.data()) == MemoryKind::host);
    for (const MemoryKind kind : kinds) {
        for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 4097UL, 3UL << 20U}) {
            const Memory a(kind, bytes), b(MemoryKind::device, bytes);
            REQUIRE(a.data != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(a.data) % 64 == 0);
            CHECK(sycl_memory_kind(0, a.data) == kind);
            const auto wanted = noise(bytes, static_cast<unsigned>(bytes));
            sycl().copy(0, a.data, wanted.data(), bytes, {});
            sycl().copy(0, b.data, a.data, bytes, sycl().default_stream(0));
            CHECK(read(b) == wanted);
            sycl().fill(0, a.data, 0xab, bytes, {});
            CHECK(read(a) == std::vector<unsigned char>(bytes, 0xab));
            CHECK(read(b) == wanted);
        }
    }
    const Memory host(MemoryKind::host, 100);
    CHECK(sycl_memory_kind(0, host.data) == MemoryKind::host);
}

TEST_CASE("sycl: a pageable source has been read on return" * doctest::skip(absent)) {
    const Memory to(MemoryKind::device, 8U << 20U), slow(MemoryKind::device, 64U << 20U);
    for (unsigned round = 0; round < 10; ++round) {
        auto from = noise(to.bytes, round);
        const auto wanted = from;
        sycl().fill(0, slow.data, 1, slow.bytes, {});  // so that the copy has to wait
        sycl().copy(0, to.data, from.data(), to.bytes, {});
        std::fill(from.begin(), from.end(), static_cast<unsigned char>(0));
        CHECK(read(to) == wanted);
    }
}

TEST_CASE("sycl: too much memory is a MemoryError, and harmless" * doctest::skip(absent)) {
    for (const MemoryKind kind : kinds) {
        for (const std::size_t bytes : {std::size_t{1} << 50U, SIZE_MAX - 10}) {
            CHECK_THROWS_AS(static_cast<void>(sycl().allocate(kind, bytes, 0)), MemoryError);
        }
        const Memory small(kind, 100);
        sycl().fill(0, small.data, 7, 100, {});
        CHECK(read(small) == std::vector<unsigned char>(100, 7));
    }
}

TEST_CASE("sycl: from many threads" * doctest::skip(absent)) {
    std::array<bool, 8> right{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < right.size(); ++t) {
        threads.emplace_back([t, &right] {
            right[t] = true;
            for (std::size_t round = 1; round < 50; ++round) {
                const Memory memory(kinds[round % 3], round * 100);
                const auto byte = static_cast<unsigned char>(16 * t + round % 16);
                sycl().fill(0, memory.data, byte, memory.bytes, {});
                right[t] = right[t] && read(memory) == std::vector<unsigned char>(memory.bytes, byte);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(std::all_of(right.begin(), right.end(), [](bool each) { return each; }));
}
