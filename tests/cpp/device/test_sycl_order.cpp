// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The order of work on SYCL's queues: ours, and those of libraries that share our memory.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "sycl_fixture.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/sycl.hpp"

using namespace zerofab;
using namespace zerofab::sycl_test;

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

TEST_CASE("sycl: a consumer's queue is ordered with ours in both directions" * doctest::skip(absent)) {
    const Memory field(MemoryKind::device, 32U << 20U), seen(MemoryKind::device, field.bytes);
    const ForeignQueue theirs(0);
    sycl_consumer_queue(0, theirs.queue);
    sycl_consumer_queue(0, theirs.queue);  // once is enough
    for (unsigned char round = 1; round < 40; ++round) {
        theirs.fill(field, round);
        sycl().copy(0, seen.data, field.data, field.bytes, {});  // after their work
        theirs.fill(field, 0);                                   // after our reading
        CHECK(read(seen) == std::vector<unsigned char>(field.bytes, round));
        sycl().fill(0, field.data, round, field.bytes, {});
        theirs.copy(seen, field);  // after our work
        theirs.wait();
        CHECK(read(seen) == std::vector<unsigned char>(field.bytes, round));
    }
    // to wait for the device is to wait for them
    const Memory shared(MemoryKind::managed, field.bytes);
    for (unsigned char round = 1; round < 20; ++round) {
        theirs.fill(shared, round);
        sycl().synchronize(0, {});
        CHECK(static_cast<unsigned char*>(shared.data)[shared.bytes - 1] == round);
    }
    // and so is an event of ours
    theirs.fill(shared, 77);
    const Event event = sycl().record(0, {});
    while (!sycl().reached(0, event)) std::this_thread::yield();
    CHECK(static_cast<unsigned char*>(shared.data)[shared.bytes - 1] == 77);
    sycl().forget(0, event);
}

TEST_CASE("sycl: work on a queue of somebody else's keeps its order" * doctest::skip(absent)) {
    for (const int properties : {0, 2}) {
        CAPTURE(properties);
        const Memory field(MemoryKind::device, 16U << 20U), seen(MemoryKind::device, field.bytes);
        Stream stream;
        {
            const ForeignQueue theirs(properties);
            stream = sycl_stream(0, theirs.queue);
            CHECK(sycl_stream(0, theirs.queue).handle == stream.handle);
        }  // the stream stays
        CHECK(stream.handle != sycl_queue(0));
        for (unsigned char round = 1; round < 40; ++round) {
            sycl().fill(0, field.data, round, field.bytes, stream);
            sycl().copy(0, seen.data, field.data, field.bytes, stream);
            sycl().fill(0, field.data, 0, field.bytes, stream);
        }
        const Event event = sycl().record(0, stream);
        sycl().wait(0, {}, event);
        sycl().forget(0, event);
        CHECK(read(seen) == std::vector<unsigned char>(field.bytes, 39));
        CHECK(read(field) == std::vector<unsigned char>(field.bytes, 0));
        // and the other way: ours first
        sycl().fill(0, field.data, 5, field.bytes, {});
        const Event ours = sycl().record(0, {});
        sycl().wait(0, stream, ours);
        sycl().forget(0, ours);
        sycl().copy(0, seen.data, field.data, field.bytes, stream);
        sycl().synchronize(0, stream);
        CHECK(read(seen) == std::vector<unsigned char>(field.bytes, 5));
    }
}
