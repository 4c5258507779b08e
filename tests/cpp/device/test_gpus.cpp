// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What every backend of GPUs must do, on the fake drivers of the tests: memory, copies, order.
#include <csignal>
#include <cstdint>
#include <random>

#include "device/child.hpp"
#include "device/fakes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena.hpp"

using namespace zerofab;
using fakes::Memory;
using fakes::Setting;

namespace {

using Bytes = std::vector<unsigned char>;

const std::vector<BackendKind> gpu_backends{BackendKind::cuda, BackendKind::hip};
constexpr MemoryKind kinds[] = {MemoryKind::device, MemoryKind::managed, MemoryKind::pinned, MemoryKind::host};

Bytes random_bytes(std::mt19937& random, std::size_t size) {
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
    return bytes;
}

/// The message of the error that a call throws; empty if it throws none of that class.
template <class Error, class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

/// Ends by a signal.
void touch(BackendKind kind, bool write) {
    const Memory memory(backend(kind), MemoryKind::device, 64);
    auto* data = static_cast<volatile unsigned char*>(memory.data());
    if (write) data[0] = 1;
    CHECK(data[0] == 1);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a fake driver is named in the report") {
    for (const BackendKind kind : gpu_backends) {
        const BackendReport& report = backend(kind).report();
        CHECK_MESSAGE(report.why_not.empty(), report.why_not);
        REQUIRE(report.devices.size() == 2);
        CHECK(has(report.devices[1].name, "fake driver of the tests"));
        CHECK(report.devices[0].bytes > 0);
        CHECK(has(report.library, "libfake_"));
        CHECK(!report.version.empty());
    }
}

TEST_CASE("memory of every kind is aligned and whole, also of no bytes") {
    std::mt19937 random(1);
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        for (const MemoryKind memory : kinds) {
            for (const std::size_t size : {0U, 1U, 63U, 64U, 4097U, 1U << 20U}) {
                const Memory first(vendor, memory, size), second(vendor, memory, size, 1);
                CHECK(reinterpret_cast<std::uintptr_t>(first.data()) % 64 == 0);
                CHECK(first.data() != second.data());
                const Bytes sent = random_bytes(random, size);
                vendor.copy(0, first.data(), sent.data(), size, {});
                CHECK(fakes::read(vendor, first) == sent);
            }
        }
    }
}

TEST_CASE("out of memory says how much of what was asked for, and is over when some is free") {
    const Setting small("ZEROFAB_FAKE_MEMORY", "1048576");
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        for (const MemoryKind memory : {MemoryKind::device, MemoryKind::managed, MemoryKind::pinned}) {
            for (const int device : {0, 1}) arena_at({Device{kind, device}, memory}).trim();  // what other tests left
            const Memory most(vendor, memory, 1000000);
            const auto text = message_of<MemoryError>([&] { const Memory more(vendor, memory, 1000001); });
            CHECK_MESSAGE(has(text, "1000001 bytes"), text);
            CHECK_MESSAGE(has(text, name_of(memory).data()), text);
            const Memory other_device(vendor, memory, 1000000, 1);
        }
        const Memory again(vendor, MemoryKind::device, 1000000);
    }
}

TEST_CASE("copies and fills have the same effect as on the host, on any stream") {
    std::mt19937 random(2);
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        for (const Stream stream : {Stream{}, fakes::make_stream(kind, 0, true), fakes::make_stream(kind, 0, false)}) {
            for (int round = 0; round < 40; ++round) {
                const std::size_t size = 1 + random() % 5000, from = random() % size, count = random() % (size - from);
                const MemoryKind one = kinds[random() % 4], two = kinds[random() % 4];
                const Memory a(vendor, one, size), b(vendor, two, size);
                Bytes expected = random_bytes(random, size);
                const auto byte = static_cast<unsigned char>(random());
                vendor.copy(0, a.data(), expected.data(), size, stream);
                vendor.copy(0, b.data(), a.data(), size, stream);
                if (two != MemoryKind::host) {
                    vendor.fill(0, b.data() + from, byte, count, stream);
                    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(from), count, byte);
                }
                Bytes got(size);
                vendor.copy(0, got.data(), b.data(), size, stream);
                vendor.synchronize(0, stream);
                CHECK(got == expected);
            }
        }
    }
}

TEST_CASE("pageable memory has been read when copy returns, and only that") {
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        const Memory target(vendor, MemoryKind::device, 100), pinned(vendor, MemoryKind::pinned, 100);
        Bytes source(100, 7);
        vendor.copy(0, target.data(), source.data(), 100, {});
        std::fill(source.begin(), source.end(), 8);
        CHECK(fakes::read(vendor, target) == Bytes(100, 7));

        std::memset(pinned.data(), 1, 100);
        vendor.copy(0, target.data(), pinned.data(), 100, {});
        std::memset(pinned.data(), 2, 100);  // too early, and seen to be
        CHECK(fakes::read(vendor, target) == Bytes(100, 2));
    }
}

TEST_CASE("streams are ordered by events, and by nothing else") {
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        const Stream one = fakes::make_stream(kind, 0, false), two = fakes::make_stream(kind, 0, false);
        for (const bool ordered : {false, true}) {
            const Memory memory(vendor, MemoryKind::device, 64), result(vendor, MemoryKind::pinned, 64);
            vendor.fill(0, memory.data(), 5, 64, one);
            if (ordered) {
                const Event event = vendor.record(0, one);
                vendor.wait(0, two, event);
                vendor.forget(0, event);
            }
            vendor.copy(0, result.data(), memory.data(), 64, two);
            CHECK(result.data()[63] != 5);
            vendor.synchronize(0, two);
            CHECK((result.data()[63] == 5) == ordered);
        }
    }
}

TEST_CASE("the default stream orders with the blocking streams of other libraries") {
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        const Stream theirs = fakes::make_stream(kind, 0, true), own = vendor.default_stream(0);
        const Memory memory(vendor, MemoryKind::device, 64), result(vendor, MemoryKind::pinned, 64);
        vendor.fill(0, memory.data(), 5, 64, theirs);
        vendor.copy(0, result.data(), memory.data(), 64, own);
        vendor.fill(0, memory.data(), 6, 64, theirs);
        vendor.synchronize(0, theirs);
        CHECK(result.data()[0] == 5);
    }
}

TEST_CASE("an event is reached when the work before it is done") {
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        const Memory result(vendor, MemoryKind::pinned, 64);
        vendor.fill(0, result.data(), 9, 64, {});
        const Event event = vendor.record(0, {});
        CHECK(!vendor.reached(0, event));
        vendor.synchronize(0, {});
        CHECK(result.data()[63] == 9);
        CHECK(vendor.reached(0, event));
        vendor.forget(0, event);
        CHECK(vendor.reached(0, Event{}));
    }
}

TEST_CASE("the current device of other libraries stays what it was, also after errors") {
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        const int before = fakes::current_device(kind);
        const Memory memory(vendor, MemoryKind::device, 64, 1);
        vendor.fill(1, memory.data(), 1, 64, {});
        vendor.synchronize(1, {});
        CHECK(fakes::current_device(kind) == before);
        CHECK_THROWS_AS(vendor.fill(1, memory.data(), 1, 1U << 20U, {}), DeviceError);
        CHECK_THROWS_AS(vendor.synchronize(2, {}), DeviceError);
        CHECK(fakes::current_device(kind) == before);
    }
}

TEST_CASE("a stream of another device, or no stream at all, is refused") {
    for (const BackendKind kind : gpu_backends) {
        Backend& vendor = backend(kind);
        const Stream other = fakes::make_stream(kind, 1, true);
        int no_stream = 0;
        const Memory memory(vendor, MemoryKind::device, 64);
        static_cast<void>(fakes::read(vendor, Memory(vendor, MemoryKind::device, 64, 1), 1));
        const Event event = vendor.record(0, {});
        CHECK_THROWS_AS(vendor.wait(0, other, event), ValueError);
        CHECK_THROWS_AS(static_cast<void>(vendor.record(0, other)), DeviceError);
        CHECK_THROWS_AS(vendor.fill(0, memory.data(), 1, 64, other), DeviceError);
        CHECK_THROWS_AS(vendor.wait(0, Stream{&no_stream}, event), DeviceError);
        CHECK_THROWS_AS(vendor.synchronize(0, Stream{&no_stream}), DeviceError);
        vendor.forget(0, event);
    }
}

TEST_CASE("a rank takes the device of its number on the machine, unless one is named") {
    for (const BackendKind kind : gpu_backends) {
        const std::string name(backend(kind).name());
        for (const int rank : {0, 1, 2, 7}) {
            Runtime::initialize(name, rank);
            CHECK(Runtime::run_device() == Device{kind, rank % 2});
            Runtime::finalize();
            Runtime::initialize(name + ":1", rank);
            CHECK(Runtime::run_device() == Device{kind, 1});
            Runtime::finalize();
            const Setting setting("ZEROFAB_DEVICE", name + ":0");
            Runtime::initialize({}, rank);
            CHECK(Runtime::run_device() == Device{kind, 0});
            Runtime::finalize();
        }
    }
}

TEST_CASE("memory of a device cannot be touched by the host") {
    const std::vector<std::pair<std::string, std::string>> plainly{{"ASAN_OPTIONS", "handle_segv=0"}};
    for (const BackendKind kind : gpu_backends) {
        const std::string name(backend(kind).name());
        CHECK(child::run("child: the host reads memory of " + name, plainly).status == -SIGSEGV);
        CHECK(child::run("child: the host writes memory of " + name, plainly).status == -SIGSEGV);
    }
}

TEST_CASE("child: the host reads memory of cuda" * doctest::skip()) { touch(BackendKind::cuda, false); }
TEST_CASE("child: the host writes memory of cuda" * doctest::skip()) { touch(BackendKind::cuda, true); }
TEST_CASE("child: the host reads memory of hip" * doctest::skip()) { touch(BackendKind::hip, false); }
TEST_CASE("child: the host writes memory of hip" * doctest::skip()) { touch(BackendKind::hip, true); }
