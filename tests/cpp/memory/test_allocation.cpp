// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Shares of memory, and what arenas count.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/memory/arena.hpp"

using namespace zerofab;

TEST_CASE("the last share frees, whatever the order") {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        const std::size_t before = The_Pinned_Arena().statistics().bytes;
        std::vector<AllocationPtr> shares{The_Pinned_Arena().allocate(1000)};
        for (int n = 0; n < 20; ++n) {
            shares.push_back(shares[random() % shares.size()]);
        }
        std::memset(shares[0]->data(), 1, 1000);
        std::shuffle(shares.begin(), shares.end(), random);
        while (!shares.empty()) {
            CHECK(shares.back()->shared() == (shares.size() > 1));
            CHECK(The_Pinned_Arena().statistics().bytes == before + 1000);
            shares.pop_back();
        }
        CHECK(The_Pinned_Arena().statistics().bytes == before);
    }
}

TEST_CASE("pointer operations keep the count") {
    AllocationPtr a = The_Cpu_Arena().allocate(64);
    AllocationPtr b = a;
    CHECK(a == b);
    AllocationPtr& same = b;
    b = same;
    CHECK(b->shared());
    AllocationPtr c = std::move(b);
    CHECK_FALSE(b);  // NOLINT: visibly empty
    CHECK(c->shared());
    c.reset();
    c.reset();
    CHECK_FALSE(a->shared());
    AllocationPtr d = AllocationPtr::take(a.release());
    CHECK_FALSE(a);
    CHECK_FALSE(d->shared());
    d = {};
    CHECK_FALSE(d);
}

TEST_CASE("every block is aligned to 64 bytes and knows its arena's kind") {
    Arena* arenas[] = {&The_Arena(),         &The_Cpu_Arena(),    &The_Pinned_Arena(),
                       &The_Managed_Arena(), &The_Device_Arena(), &The_Async_Arena()};
    for (Arena* arena : arenas) {
        for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                  std::size_t{4096}, std::size_t{1000003}}) {
            const AllocationPtr memory = arena->allocate(bytes);
            CHECK(reinterpret_cast<std::uintptr_t>(memory->data()) % 64 == 0);
            CHECK(memory->bytes() == bytes);
            CHECK(memory->kind() == arena->kind());
            std::memset(memory->data(), 0xab, bytes);
        }
        CHECK(arena->is_host_accessible());
        CHECK(arena->usage().find(arena->name()) == 0);
    }
}

TEST_CASE("more than any memory is refused") {
    CHECK_THROWS_AS((void)The_Arena().allocate(SIZE_MAX), MemoryError);
    CHECK_THROWS_AS((void)The_Arena().allocate(SIZE_MAX / 2 - 200), MemoryError);
}

TEST_CASE("statistics count blocks and the most bytes") {
    Arena arena("test", {}, MemoryKind::host);
    {
        const AllocationPtr a = arena.allocate(100);
        {
            const AllocationPtr b = arena.allocate(400);
            CHECK(arena.statistics().blocks == 2);
            CHECK(arena.statistics().bytes == 500);
        }
        CHECK(arena.statistics().blocks == 1);
        CHECK(arena.statistics().peak_bytes == 500);
    }
    CHECK(arena.statistics().bytes == 0);
    CHECK(arena.statistics().blocks == 0);
    CHECK(arena.statistics().peak_bytes == 500);
}

TEST_CASE("adopted memory is released once") {
    char bytes[10];
    int released = 0;
    const auto release = [](void* count) noexcept { ++*static_cast<int*>(count); };
    {
        const AllocationPtr a = Allocation::adopt(bytes, sizeof bytes, {}, MemoryKind::pinned, &released, release);
        CHECK(a->data() == bytes);
        CHECK(a->bytes() == 10);
        CHECK(a->kind() == MemoryKind::pinned);
        const AllocationPtr b = a;
        CHECK(released == 0);
    }
    CHECK(released == 1);
}

TEST_CASE("shares pass between threads") {
    Arena arena("threads", {}, MemoryKind::host);
    std::atomic<int> released{0};
    const auto release = [](void* count) noexcept { static_cast<std::atomic<int>*>(count)->fetch_add(1); };
    {
        const AllocationPtr ours = arena.allocate(256);
        const AllocationPtr theirs = Allocation::adopt(nullptr, 0, {}, MemoryKind::host, &released, release);
        std::vector<std::thread> threads;
        for (int n = 0; n < 4; ++n) {
            threads.emplace_back([ours, theirs, &arena] {
                for (int k = 0; k < 20000; ++k) {
                    AllocationPtr a = ours;
                    AllocationPtr b = theirs;
                    const AllocationPtr c = std::move(a);
                    if (k % 64 == 0) {
                        (void)arena.allocate(static_cast<std::size_t>(k));
                    }
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        CHECK_FALSE(ours->shared());
        CHECK_FALSE(theirs->shared());
        CHECK(released == 0);
    }
    CHECK(released == 1);
    CHECK(arena.statistics().bytes == 0);
    CHECK(arena.statistics().blocks == 0);
}
