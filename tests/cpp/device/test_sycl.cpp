// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// SYCL on whatever device dpctl finds: skipped, and counted so, unless ZEROFAB_SYCL_LIBRARY names dpctl's library.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/sycl.hpp"

using namespace zerofab;

namespace {

const bool absent = std::getenv("ZEROFAB_SYCL_LIBRARY") == nullptr;

Backend& sycl() { return backend(BackendKind::sycl); }

/// Memory of the first device, freed with the test.
struct Memory {
    Memory(MemoryKind wanted, std::size_t size) : kind(wanted), bytes(size), data(sycl().allocate(kind, bytes, 0)) {}
    Memory(const Memory&) = delete;
    ~Memory() {
        sycl().synchronize(0, {});
        sycl().deallocate(kind, data, bytes, 0);
    }
    MemoryKind kind;
    std::size_t bytes;
    void* data;
};

std::vector<unsigned char> read(const Memory& memory) {
    std::vector<unsigned char> host(memory.bytes);
    sycl().copy(0, host.data(), memory.data, memory.bytes, {});
    sycl().synchronize(0, {});
    return host;
}

std::vector<unsigned char> noise(std::size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<unsigned char> out(bytes);
    std::generate(out.begin(), out.end(), [&] { return static_cast<unsigned char>(random()); });
    return out;
}

/// Run one test case of this program in a process of its own, where nothing was used yet; its exit status.
int run_alone(const std::string& test_case, const std::string& environment = {}) {
    std::array<char, 4096> self{};
    REQUIRE(readlink("/proc/self/exe", self.data(), self.size() - 1) > 0);
    const std::string command = "said=$(" + environment + " timeout 60 '" + self.data() + "' --no-skip --test-case='" +
                                test_case + "' 2>&1); status=$?; echo \"$said\" | grep -q 'cases: *1 | *1 passed' " +
                                "|| { echo \"$said\"; exit 99; }; exit $status";
    return WEXITSTATUS(std::system(command.c_str()));
}

constexpr std::array kinds{MemoryKind::device, MemoryKind::managed, MemoryKind::pinned};

}  // namespace

TEST_CASE("sycl: a report, whatever there is") {
    const BackendReport& report = sycl().report();
    CHECK(&report == &sycl().report());
    CHECK(report.devices.empty() != report.why_not.empty());
    if (report.library.empty()) CHECK(report.why_not.find("pip install dpctl") != std::string::npos);
    CHECK(find_backend("sycl") == &sycl());
    if (report.devices.empty()) CHECK_THROWS_AS(sycl().default_stream(0), DeviceError);
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

TEST_CASE("sycl: a stream keeps its order" * doctest::skip(absent)) {
    const Memory memory(MemoryKind::device, 4U << 20U), other(MemoryKind::device, memory.bytes);
    for (unsigned char round = 1; round < 100; ++round) {
        sycl().fill(0, memory.data, round, memory.bytes, {});
        sycl().copy(0, other.data, memory.data, memory.bytes, {});
        sycl().fill(0, memory.data, 0, memory.bytes, {});
    }
    CHECK(read(other) == std::vector<unsigned char>(memory.bytes, 99));
    CHECK(read(memory) == std::vector<unsigned char>(memory.bytes, 0));
}

TEST_CASE("sycl: events" * doctest::skip(absent)) {
    const Memory memory(MemoryKind::device, 64U << 20U);
    CHECK(sycl().reached(0, {}));
    sycl().wait(0, {}, {});
    sycl().forget(0, {});
    for (int round = 0; round < 5; ++round) {
        sycl().fill(0, memory.data, 1, memory.bytes, {});
        const Event event = sycl().record(0, {});
        sycl().wait(0, {}, event);
        sycl().synchronize(0, {});
        CHECK(sycl().reached(0, event));
        sycl().forget(0, event);
    }
    // an event that nobody waits for is reached too
    sycl().fill(0, memory.data, 2, memory.bytes, {});
    const Event event = sycl().record(0, {});
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!sycl().reached(0, event) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    CHECK(sycl().reached(0, event));
    sycl().forget(0, event);
}

TEST_CASE("sycl: our own queue as a foreign one, and what is no queue" * doctest::skip(absent)) {
    CHECK(sycl_queue(0) == sycl().default_stream(0).handle);
    CHECK(sycl_stream(0, sycl_queue(0)).handle == sycl_queue(0));
    sycl_consumer_queue(0, sycl_queue(0));
    CHECK_THROWS_AS(static_cast<void>(sycl_stream(0, nullptr)), ValueError);
    CHECK_THROWS_AS(sycl_consumer_queue(0, nullptr), ValueError);
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

// What needs a process of its own: the cases called "alone" are skipped and run by the one that follows.

TEST_CASE("sycl alone: fork after use" * doctest::skip()) {
    const Memory memory(MemoryKind::managed, 1000);
    sycl().fill(0, memory.data, 1, memory.bytes, {});
    sycl().synchronize(0, {});
    const pid_t child = fork();
    if (child == 0) {
        int errors = 0;
        try {
            sycl().fill(0, memory.data, 2, memory.bytes, {});
        } catch (const DeviceError& error) {
            errors += std::strstr(error.what(), "spawn") != nullptr ? 1 : 0;
        }
        try {
            static_cast<void>(sycl().allocate(MemoryKind::device, 64, 0));
        } catch (const DeviceError&) {
            ++errors;
        }
        try {
            sycl().synchronize(0, {});
        } catch (const DeviceError&) {
            ++errors;
        }
        sycl().deallocate(memory.kind, memory.data, memory.bytes, 0);
        _exit(errors == 3 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(read(memory) == std::vector<unsigned char>(memory.bytes, 1));
}

TEST_CASE("sycl alone: work and memory at exit" * doctest::skip()) {
    struct Late {
        ~Late() {
            if (data != nullptr) sycl().deallocate(MemoryKind::device, data, 64U << 20U, 0);
            if (event.handle != nullptr) sycl().forget(0, event);
        }
        void* data = nullptr;
        Event event;
    };
    static Late late;  // destroyed while the process exits
    late.data = sycl().allocate(MemoryKind::device, 64U << 20U, 0);
    for (unsigned char round = 0; round < 20; ++round) sycl().fill(0, late.data, round, 64U << 20U, {});
    late.event = sycl().record(0, {});
    std::atexit([] { sycl().deallocate(MemoryKind::device, nullptr, 0, 0); });
    CHECK(late.data != nullptr);
}

TEST_CASE("sycl alone: no library" * doctest::skip()) {
    CHECK(sycl().report().devices.empty());
    CHECK(sycl().report().library.empty());
    CHECK(sycl().report().why_not.find("/nowhere/lib.so") != std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(sycl().allocate(MemoryKind::device, 1, 0)), DeviceError);
}

TEST_CASE("sycl alone: a library of somebody else's" * doctest::skip()) {
    CHECK(sycl().report().devices.empty());
    CHECK(sycl().report().why_not.find("DPCTLQueue_Create") != std::string::npos);
}

TEST_CASE("sycl alone: no driver" * doctest::skip()) {
    CHECK(sycl().report().devices.empty());
    CHECK(sycl().report().why_not.find("intel-opencl-rt") != std::string::npos);
}

TEST_CASE("sycl: in a process of its own") {
    CHECK(run_alone("sycl alone: no library", "ZEROFAB_SYCL_LIBRARY=/nowhere/lib.so") == 0);
    CHECK(run_alone("sycl alone: a library of*", "ZEROFAB_SYCL_LIBRARY=libm.so.6") == 0);
}

TEST_CASE("sycl: at fork and exit" * doctest::skip(absent)) {
    CHECK(run_alone("sycl alone: fork after use") == 0);
    CHECK(run_alone("sycl alone: work and memory at exit") == 0);
    CHECK(run_alone("sycl alone: no driver", "OCL_ICD_FILENAMES=/nowhere.so ONEAPI_DEVICE_SELECTOR='level_zero:*'") ==
          0);
}
