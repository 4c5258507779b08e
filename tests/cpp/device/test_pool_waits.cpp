// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What pools keep, when they wait for the device, and when they give memory back: on the fake drivers of the tests.
#include <set>
#include <string>

#include "device/order.hpp"
#include "zerofab/base/error.hpp"

using namespace order;

TEST_CASE("pools: the device is waited for once for many blocks of unknown streams") {
    for (const char* name : gpus) {
        const Run run(name);
        Arena& arena = The_Arena();
        const Stream theirs = run.stream();
        const Calls calls(wait_for_device(run));
        std::set<const void*> places;
        for (int step = 0; step < 512; ++step) {
            AllocationPtr memory = arena.allocate(size);
            places.insert(memory->data());
            run.vendor().fill(run.device.id, memory->data(), 7, size, theirs);
            memory->used_elsewhere();
        }
        CHECK(places.size() <= 128);  // they are used again
        CHECK(calls.count() <= 8);
        CHECK(stays(run, *arena.allocate(size)));
        // Large ones wait before they fill the device.
        const std::size_t large = std::size_t{48} << 20U;
        places.clear();
        for (int step = 0; step < 6; ++step) {
            const AllocationPtr memory = arena.allocate(large);
            places.insert(memory->data());
            memory->used_elsewhere();
        }
        CHECK(places.size() <= 3);
    }
}

TEST_CASE("pools: each stream gets its own blocks first") {
    for (const char* name : gpus) {
        const Run run(name);
        const Stream other = run.stream();
        Arena& arena = The_Arena();
        const void *mine = nullptr, *theirs = nullptr;
        AllocationPtr memory = arena.allocate(size);
        on_a_thread([&] {
            Runtime::use_stream(other);
            theirs = arena.allocate(size)->data();
        });
        mine = memory->data();
        memory = {};
        CHECK(mine != theirs);
        on_a_thread([&] {
            Runtime::use_stream(other);
            CHECK(arena.allocate(size)->data() == theirs);
        });
        CHECK(arena.allocate(size)->data() == mine);
    }
}

TEST_CASE("pools: no memory is left only when no pool of such memory keeps any") {
    constexpr std::size_t most = std::size_t{1} << 20U, part = most / 10 * 7;
    for (const char* name : gpus) {
        const Run run(name);
        const Setting memory("ZEROFAB_FAKE_MEMORY", std::to_string(most));
        {
            const AllocationPtr first = The_Async_Arena().allocate(part);
        }
        CHECK(The_Async_Arena().statistics().kept_bytes >= part);
        CHECK_NOTHROW(static_cast<void>(The_Device_Arena().allocate(part)));
        CHECK(The_Async_Arena().statistics().kept_bytes == 0);
        CHECK_NOTHROW(static_cast<void>(The_Async_Arena().allocate(part)));
        {  // kept for a stream that is gone
            const Stream gone = run.stream();
            const AllocationPtr first = The_Async_Arena().allocate(part);
            run.vendor().fill(run.device.id, first->data(), 7, size, gone);
            first->used_elsewhere();
            fakes::destroy_stream(run.device.backend, run.device.id, gone);
        }
        CHECK(stays(run, *The_Device_Arena().allocate(part)));
        {  // managed memory is the device's too, pinned memory is not
            const AllocationPtr managed = The_Managed_Arena().allocate(part),
                                pinned = The_Pinned_Arena().allocate(part);
        }
        CHECK_THROWS_AS(static_cast<void>(The_Device_Arena().allocate(2 * most)), MemoryError);
        CHECK(The_Managed_Arena().statistics().kept_bytes == 0);
        CHECK(The_Device_Arena().statistics().kept_bytes == 0);
        CHECK(The_Pinned_Arena().statistics().kept_bytes >= part);
        {
            const AllocationPtr managed = The_Managed_Arena().allocate(part);
        }
        CHECK_THROWS_AS(static_cast<void>(The_Pinned_Arena().allocate(2 * most)), MemoryError);
        CHECK(The_Managed_Arena().statistics().kept_bytes >= part);
        CHECK(The_Pinned_Arena().statistics().kept_bytes == 0);
    }
}

TEST_CASE("pools: nothing is waited for, and nothing given back, while a graph is captured") {
    for (const char* name : gpus) {
        const Run run(name);
        const Stream captured = run.stream(), other = run.stream();
        Arena& arena = The_Arena();
        const void *of_other = nullptr, *unknown = nullptr;
        on_a_thread([&] {
            Runtime::use_stream(other);
            const AllocationPtr memory = arena.allocate(size), second = arena.allocate(size);
            of_other = memory->data();
            unknown = second->data();
            second->used_elsewhere();
        });
        Runtime::use_stream(captured);
        fakes::capture(run.device.backend, run.device.id, captured, true);
        const std::size_t kept = arena.statistics().kept_bytes;
        AllocationPtr memory = arena.allocate(size);  // no event of another stream may come into the graph
        CHECK(memory->data() != of_other);
        CHECK(memory->data() != unknown);
        arena.trim();
        CHECK(arena.statistics().kept_bytes == kept);
        fakes::capture(run.device.backend, run.device.id, captured, false);
        arena.trim();
        CHECK(arena.statistics().kept_bytes == 0);
        Runtime::use_stream({});
    }
}
