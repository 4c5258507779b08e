// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the arenas of the host keep of freed memory, and how they give it back.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/memory/arena.hpp"

using namespace zerofab;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

std::size_t kept() { return The_Cpu_Arena().statistics().kept_bytes; }

/// A pool that keeps so much, and nothing at first and at last.
struct Threshold {
    explicit Threshold(std::size_t bytes) {
        The_Cpu_Arena().trim();
        set_release_threshold(bytes);
    }
    ~Threshold() {
        set_release_threshold(std::nullopt);
        The_Cpu_Arena().trim();
    }
};

/// Blocks of bytes that are all the same, which stay so.
struct Marked {
    AllocationPtr memory;
    unsigned char byte;

    Marked(Arena& arena, std::size_t bytes, unsigned char value) : memory(arena.allocate(bytes)), byte(value) {
        std::memset(memory->data(), byte, bytes);
    }
    [[nodiscard]] bool is_whole() const {
        const auto* data = static_cast<const unsigned char*>(memory->data());
        return std::all_of(data, data + memory->bytes(), [this](unsigned char b) { return b == byte; });
    }
};

/// The sizes at which something changes: small blocks, pages, mappings, huge pages.
std::size_t random_size(std::mt19937& random) {
    constexpr std::size_t edges[] = {65,          128,    4096 - 64, 4096, 100000, (128U << 10U) - 64,
                                     128U << 10U, 300000, 2 * mib};
    return edges[random() % std::size(edges)] + random() % 129 - 64;
}

}  // namespace

TEST_CASE("what is freed is given out again") {
    const Threshold all(256 * mib);
    for (const std::size_t bytes : {std::size_t{5000}, std::size_t{200000}, 3 * mib + 100000, 21 * mib}) {
        The_Arena().trim();
        AllocationPtr memory = The_Arena().allocate(bytes);
        const void* const data = memory->data();
        CHECK(kept() == 0);
        memory.reset();
        CHECK(kept() >= bytes);
        CHECK(kept() <= bytes + bytes / 8 + 128);
        memory = The_Pinned_Arena().allocate(bytes - bytes / 100);  // of the same size, for another arena
        CHECK(memory->data() == data);
        CHECK(memory->kind() == MemoryKind::pinned);
        CHECK(kept() == 0);
        CHECK(The_Arena().allocate(bytes)->data() != data);
    }
}

TEST_CASE("small blocks are malloc's") {
    const Threshold all(256 * mib);
    for (int n = 0; n < 100; ++n) (void)The_Arena().allocate(1000);
    CHECK(kept() == 0);
}

TEST_CASE("the youngest block comes first") {
    const Threshold all(256 * mib);
    AllocationPtr a = The_Arena().allocate(mib), b = The_Arena().allocate(mib);
    const void *const first = a->data(), *const second = b->data();
    a.reset();
    b.reset();
    a = The_Arena().allocate(mib);
    b = The_Arena().allocate(mib);
    CHECK(a->data() == second);
    CHECK(b->data() == first);
}

TEST_CASE("no more is kept than the threshold says, and the oldest goes first") {
    const Threshold some(10 * mib);
    std::vector<AllocationPtr> blocks;
    for (int n = 0; n < 8; ++n) blocks.push_back(The_Arena().allocate(2 * mib - 64));
    std::vector<const void*> places;
    for (AllocationPtr& block : blocks) {
        places.push_back(block->data());
        block.reset();
        CHECK(kept() <= 10 * mib);
    }
    CHECK(kept() == 10 * mib);
    for (int n = 7; n >= 3; --n) {
        blocks[static_cast<std::size_t>(n)] = The_Arena().allocate(2 * mib - 64);
        CHECK(blocks[static_cast<std::size_t>(n)]->data() == places[static_cast<std::size_t>(n)]);
    }
    CHECK(kept() == 0);
    blocks.clear();
    CHECK(kept() == 10 * mib);
    (void)The_Arena().allocate(11 * mib);  // too large to be kept, and nothing else goes for it
    CHECK(kept() == 10 * mib);
    set_release_threshold(5 * mib);
    CHECK(kept() == 4 * mib);
    set_release_threshold(0);
    CHECK(kept() == 0);
    (void)The_Arena().allocate(mib);
    CHECK(kept() == 0);
}

TEST_CASE("trim gives all back and says how much") {
    const Threshold all(256 * mib);
    CHECK(The_Arena().trim() == 0);
    for (const std::size_t bytes : {std::size_t{10000}, mib, 5 * mib}) (void)The_Arena().allocate(bytes);
    const std::size_t before = kept();
    CHECK(before >= 6 * mib + 10000);
    CHECK(The_Device_Arena().trim() == before);
    CHECK(kept() == 0);
    CHECK(The_Arena().trim() == 0);
}

TEST_CASE("blocks never overlap, whatever comes and goes") {
    const Threshold some(8 * mib);
    std::mt19937 random(11);
    std::vector<Marked> alive;
    for (int round = 0; round < 2000; ++round) {
        if (alive.size() < 24 && random() % 5 < 3) {
            alive.emplace_back(The_Arena(), random_size(random), static_cast<unsigned char>(random()));
            CHECK(reinterpret_cast<std::uintptr_t>(alive.back().memory->data()) % 64 == 0);
        } else if (!alive.empty()) {
            std::swap(alive[random() % alive.size()], alive.back());
            CHECK(alive.back().is_whole());
            alive.pop_back();
        }
        if (random() % 200 == 0) The_Arena().trim();
        CHECK(kept() <= 8 * mib);
    }
    for (const Marked& block : alive) CHECK(block.is_whole());
}

TEST_CASE("threads take, free and trim at the same time") {
    const Threshold some(16 * mib);
    std::atomic<int> broken{0};
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back([seed, &broken] {
            std::mt19937 random(seed);
            std::vector<Marked> alive;
            for (int round = 0; round < 1000; ++round) {
                if (alive.size() < 6) {
                    alive.emplace_back(The_Arena(), random_size(random), static_cast<unsigned char>(random()));
                } else {
                    std::swap(alive[random() % alive.size()], alive.back());
                    broken += !alive.back().is_whole();
                    alive.pop_back();
                }
                if (random() % 300 == 0) The_Arena().trim();
            }
            for (const Marked& block : alive) broken += !block.is_whole();
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(broken == 0);
    CHECK(kept() <= 16 * mib);
}

TEST_CASE("a forked child has a pool of its own, also if threads were using it") {
    const Threshold all(64 * mib);
    std::atomic<bool> stop{false};
    std::thread busy([&stop] {
        while (!stop) (void)The_Arena().allocate(100000);
    });
    for (int n = 0; n < 20; ++n) {
        const Marked ours(The_Arena(), mib, 7);
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(20);  // a pool that hangs ends the child
            const Marked theirs(The_Arena(), mib, 9);
            const bool right = ours.is_whole() && theirs.is_whole() && theirs.memory->data() != ours.memory->data();
            The_Arena().trim();
            _exit(right && kept() == 0 ? 0 : 1);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 0);
        CHECK(ours.is_whole());
    }
    stop = true;
    busy.join();
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need more address space than this allows
TEST_CASE("what is kept is given back before memory is refused") {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        set_release_threshold(1024 * mib);
        for (int n = 0; n < 8; ++n) (void)The_Arena().allocate(20 * mib + static_cast<std::size_t>(n) * 4 * mib);
        const std::size_t before = kept();
        // Room for a little more than there is, so that 200 MiB are to be had only from what is kept.
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        long pages = 0;
        if (FILE* file = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
            std::fclose(file);
        }
        limit.rlim_cur = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 8 * mib;
        setrlimit(RLIMIT_AS, &limit);
        int wrong = before > 200 * mib && pages > 0 ? 0 : 1;
        {
            const AllocationPtr large = The_Arena().allocate(200 * mib);
            if (kept() != 0) wrong |= 2;
            static_cast<char*>(large->data())[200 * mib - 1] = 1;
            try {
                (void)The_Arena().allocate(400 * mib);
                wrong |= 4;
            } catch (const MemoryError&) {
            }
        }
        _exit(wrong);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
#endif
