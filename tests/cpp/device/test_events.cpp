// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Events are forgotten, each once, whichever step fails: on the fake drivers of the tests, which count them.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "device/child.hpp"
#include "device/fakes.hpp"
#include "sycl_fixture.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena.hpp"
#include "zerofab/memory/transfer.hpp"

using namespace zerofab;
using fakes::live_events;
using fakes::Setting;

namespace {

struct Gpu {
    const char* name;
    const char* create;
    const char* record;
    const char* wait;
};

constexpr Gpu gpus[] = {{"cuda", "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"},
                        {"hip", "hipEventCreateWithFlags", "hipEventRecord", "hipStreamWaitEvent"}};

/// A run with two streams beside the default one.
struct Run {
    explicit Run(const Gpu& on) : gpu(on) {
        Runtime::initialize(gpu.name);
        device = Runtime::run_device();
        one = fakes::make_stream(device.backend, 0, false);
        two = fakes::make_stream(device.backend, 0, false);
        The_Arena().trim();
        before = live_events(gpu.name);
    }
    ~Run() {
        The_Arena().trim();
        Runtime::finalize();
    }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    [[nodiscard]] int events() const { return live_events(gpu.name) - before; }

    const Gpu& gpu;
    Device device;
    Stream one, two;
    int before = 0;
};

std::string order(const char* function, int call) { return std::string(function) + "=1@" + std::to_string(call); }

}  // namespace

TEST_CASE("events: a thread that changes its stream leaves none, whichever step fails") {
    for (const Gpu& gpu : gpus) {
        const Run run(gpu);
        Runtime::use_stream(run.one);
        CHECK(run.events() == 0);
        for (const char* step : {gpu.create, gpu.record, gpu.wait}) {
            const Setting fail("ZEROFAB_FAKE_FAIL", order(step, 1));
            CHECK_THROWS_AS(Runtime::use_stream(run.two), DeviceError);
            CHECK(run.events() == 0);
            CHECK(Runtime::stream().handle == run.one.handle);
            CHECK_FALSE(is_in_use(run.two));
            CHECK(is_in_use(run.one));
        }
        for (const char* step : {gpu.create, gpu.record, gpu.wait}) {
            const Setting fail("ZEROFAB_FAKE_FAIL", order(step, 1));
            CHECK_THROWS_AS(order_streams(run.device, run.one, run.two), DeviceError);
            CHECK(run.events() == 0);
        }
        order_streams(run.device, run.one, run.one);
        order_streams(run.device, run.one, run.two);
        CHECK(run.events() == 0);
    }
}

TEST_CASE("events: memory of several streams is given out in order, after a step that failed too") {
    for (const Gpu& gpu : gpus) {
        for (int failing = 1; failing <= 4; ++failing) {
            const Run run(gpu);
            Backend& vendor = backend(run.device.backend);
            Arena& arena = The_Arena();
            const std::size_t size = 1000;
            void* first = nullptr;
            Runtime::use_stream(run.one);
            {
                const AllocationPtr memory = arena.allocate(size);
                first = memory->data();
                memory->used_on(run.two);
                vendor.fill(0, first, 7, size, run.two);
            }
            CHECK(run.events() == 2);  // of both streams
            Runtime::use_stream({});
            {
                // The block's own events are waited for, one after the other: the third call is not made.
                const Setting fail("ZEROFAB_FAKE_FAIL", order(gpu.wait, failing));
                std::optional<AllocationPtr> got;
                if (failing <= 2) {
                    CHECK_THROWS_AS(got = arena.allocate(size), DeviceError);
                } else {
                    CHECK_NOTHROW(got = arena.allocate(size));
                }
            }
            const AllocationPtr again = arena.allocate(size);
            CHECK(again->data() == first);
            CHECK(run.events() == 0);
            fill_bytes(again->data(), again->space(), 2, size);
            const AllocationPtr host = The_Cpu_Arena().allocate(size);
            copy_bytes(host->data(), {}, again->data(), again->space(), size);
            vendor.synchronize_all(0);  // what was late would come now
            copy_bytes(host->data(), {}, again->data(), again->space(), size);
            CHECK(static_cast<const unsigned char*>(host->data())[size - 1] == 2);
        }
    }
}

TEST_CASE("events: a wait that fails half-way keeps each event, once") {
    for (const Gpu& gpu : gpus) {
        const Run run(gpu);
        Backend& vendor = backend(run.device.backend);
        Arena& arena = The_Arena();
        const Stream three = fakes::make_stream(run.device.backend, 0, false);
        void* first = nullptr;
        Runtime::use_stream(run.one);
        {
            const AllocationPtr memory = arena.allocate(1000);
            first = memory->data();
            for (const Stream stream : {run.two, three}) {
                memory->used_on(stream);
                vendor.fill(0, first, 7, 1000, stream);
            }
        }
        Runtime::use_stream({});
        for (int turn = 0; turn < 9; ++turn) {
            const Setting fail("ZEROFAB_FAKE_FAIL",
                               order(gpu.wait, 1 + turn % 3) + std::string(static_cast<std::size_t>(turn), ' '));
            CHECK_THROWS_AS(static_cast<void>(arena.allocate(1000)), DeviceError);
            CHECK(run.events() == 3);
            CHECK(arena.statistics().kept_bytes >= 1000);
        }
        const AllocationPtr again = arena.allocate(1000);
        CHECK(again->data() == first);
        CHECK(run.events() == 0);
        fill_bytes(first, again->space(), 2, 1000);
        std::vector<unsigned char> seen(1000);
        copy_bytes(seen.data(), {}, first, again->space(), 1000);
        vendor.synchronize_all(0);
        copy_bytes(seen.data(), {}, first, again->space(), 1000);
        CHECK(std::count(seen.begin(), seen.end(), 2) == 1000);
    }
}

TEST_CASE("events: memory whose streams cannot be asked waits for the device, without events") {
    for (const Gpu& gpu : gpus) {
        for (const char* step : {gpu.create, gpu.record}) {
            for (int failing = 1; failing <= 2; ++failing) {
                const Run run(gpu);
                Runtime::use_stream(run.one);
                AllocationPtr memory = The_Arena().allocate(1000);
                void* const first = memory->data();
                memory->used_on(run.two);
                backend(run.device.backend).fill(0, first, 7, 1000, run.two);
                {
                    const Setting fail("ZEROFAB_FAKE_FAIL", order(step, failing));
                    memory = {};
                }
                CHECK(run.events() == 0);
                CHECK_FALSE(is_in_use(run.two));
                const Setting full("ZEROFAB_FAKE_MEMORY", "1");  // so that it is given out at once
                memory = The_Arena().allocate(1000);
                CHECK(memory->data() == first);
                std::vector<unsigned char> seen(1000);
                copy_bytes(seen.data(), {}, first, memory->space(), 1000);
                CHECK(std::count(seen.begin(), seen.end(), 7) == 1000);
                Runtime::use_stream({});
                memory = {};
            }
        }
    }
}

TEST_CASE("events: a stream is in use while a thread works on it or memory was taken for it") {
    for (const Gpu& gpu : gpus) {
        const Run run(gpu);
        CHECK_FALSE(is_in_use(run.one));
        Runtime::use_stream(run.one);
        CHECK(is_in_use(run.one));
        AllocationPtr memory = The_Arena().allocate(1000);
        Runtime::use_stream(run.two);
        CHECK(is_in_use(run.one));  // for the memory
        CHECK(is_in_use(run.two));
        memory = {};
        memory = The_Arena().allocate(1000);  // the same, for the other stream
        CHECK_FALSE(is_in_use(run.one));
        Runtime::use_stream({});
        CHECK(is_in_use(run.two));
        memory = {};
        The_Arena().trim();
        CHECK_FALSE(is_in_use(run.two));
        CHECK_FALSE(is_in_use({}));
    }
}

TEST_CASE("child: events of sycl" * doctest::skip()) {
    using namespace sycl_test;
    REQUIRE_MESSAGE(sycl().device_count() == 1, sycl().report().why_not);
    // Two libraries share the device; managed memory can be looked at while work is late.
    const ForeignQueue one(0), two(0);
    sycl_consumer_queue(0, one.queue);
    sycl_consumer_queue(0, two.queue);
    const Memory memory(MemoryKind::managed, 64), source(MemoryKind::pinned, 64);
    auto* const seen = static_cast<const volatile unsigned char*>(memory.data);
    sycl().fill(0, memory.data, 1, 64, {});
    CHECK(seen[0] != 1);  // late
    sycl().synchronize(0, {});
    CHECK(seen[0] == 1);
    const int before = live_events("sycl");
    CHECK(before == 0);

    const auto throws = [](const auto& call) {
        try {
            call();
        } catch (const DeviceError&) {
            return true;
        }
        return false;
    };
    const auto order = [](const char* function, int result, int call) {
        return std::string(function) + "=" + std::to_string(result) + "@" + std::to_string(call);
    };
    const auto fill = [&] { sycl().fill(0, memory.data, 2, 64, {}); };
    const auto copy = [&] { sycl().copy(0, memory.data, source.data, 64, {}); };
    const auto point = [&] {
        const Event event = sycl().record(0, {});
        try {
            sycl().wait(0, {}, event);
        } catch (...) {
            sycl().forget(0, event);
            throw;
        }
        sycl().forget(0, event);
    };
    const auto adopt = [&] { static_cast<void>(sycl_stream(0, one.queue)); };
    const auto wait = [&] { sycl().synchronize(0, {}); };
    const char* functions[] = {"DPCTLQueue_SubmitBarrier", "DPCTLQueue_SubmitBarrierForEvents",
                               "DPCTLQueue_Memset",        "DPCTLQueue_MemcpyWithEvents",
                               "DPCTLEvent_Delete",        "DPCTLEvent_GetCommandExecutionStatus"};
    int thrown = 0;
    for (const char* function : functions) {
        for (const int result : {1, 2}) {
            for (int call = 1; call <= 6; ++call) {
                INFO(function << " " << result << " " << call);
                const Setting fail("ZEROFAB_FAKE_FAIL", order(function, result, call));
                thrown += throws(fill);
                CHECK(live_events("sycl") == before);
                const Setting fail_again("ZEROFAB_FAKE_FAIL", order(function, result, call) + " ");  // counted anew
                thrown += throws(copy);
                CHECK(live_events("sycl") == before);
                const Setting and_again("ZEROFAB_FAKE_FAIL", order(function, result, call) + "  ");
                thrown += throws(point) + throws(adopt) + throws(wait);
                CHECK(live_events("sycl") == before);
            }
        }
    }
    CHECK(thrown > 20);

    // A fill asks for its own barrier first, then puts one into each queue of a consumer.  Where that fails the host
    // waits, so that the consumer finds the work done.
    for (const int result : {1, 2}) {
        for (const int call : {2, 3}) {
            sycl().fill(0, memory.data, 3, 64, {});
            sycl().synchronize(0, {});
            const Setting fail("ZEROFAB_FAKE_FAIL", order("DPCTLQueue_SubmitBarrierForEvents", result, call));
            CHECK_FALSE(throws([&] { sycl().fill(0, memory.data, 4, 64, {}); }));
            CHECK(seen[0] == 4);
            CHECK(live_events("sycl") == before);
        }
    }
}

TEST_CASE("events: of sycl, none is left, and a queue that takes no barrier is waited for") {
    const auto result = child::run("child: events of sycl", {{"ZEROFAB_SYCL_LIBRARY", fakes::path("sycl")}});
    CHECK_MESSAGE(result.status == 0, result.output);
}
