// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// parallel_for: every index once, exceptions, nesting, several callers, fork, idleness.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "zerofab/base/error.hpp"
#include "zerofab/device/parallel.hpp"

using namespace zerofab;

namespace {

/// Set the number of threads, and put the old one back.
class Threads {
public:
    explicit Threads(int n) : before_{num_threads()} { set_num_threads(n); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { set_num_threads(before_); }

private:
    int before_;
};

bool each_once(std::int64_t n) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
    parallel_for(n, [&](std::int64_t i) { ++seen[static_cast<std::size_t>(i)]; });
    for (const auto& s : seen)
        if (s != 1) return false;
    return true;
}

/// Run in a forked child; true if it ends by itself with `test()` true within 20 seconds.
template <class F>
bool in_child(F test) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // a hang becomes a death by signal
        bool right = false;
        try {
            right = test();
        } catch (...) {
        }
        _exit(right ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("every index once, for all sizes and team sizes") {
    CHECK(num_threads() >= 1);
    for (int threads : {1, 2, 3, 7, 16}) {
        const Threads scope(threads);
        CHECK(num_threads() == threads);
        for (std::int64_t n : {0, 1, 2, 3, 5, 16, 17, 1000}) CHECK(each_once(n));
    }
    for (int round = 0; round < 2000; ++round) CHECK(each_once(2 + round % 40));
    int calls = 0;
    parallel_for(-3, [&](std::int64_t) { ++calls; });
    CHECK(calls == 0);
}

TEST_CASE("a wrong number of threads is refused") {
    const int before = num_threads();
    CHECK_THROWS_AS(set_num_threads(0), ValueError);
    CHECK_THROWS_AS(set_num_threads(-2), ValueError);
    CHECK(num_threads() == before);
}

TEST_CASE("an exception reaches the caller and ends the loop") {
    const Threads scope(4);
    for (int round = 0; round < 200; ++round) {
        std::atomic<std::int64_t> calls{0};
        CHECK_THROWS_WITH_AS(parallel_for(100'000,
                                          [&](std::int64_t i) {
                                              ++calls;
                                              if (i % 3 == 0) throw std::runtime_error("a body fails");
                                          }),
                             "a body fails", std::runtime_error);
        CHECK(calls < 100'000);
        CHECK(each_once(64));
    }
}

TEST_CASE("nested loops run serially inside") {
    const Threads scope(4);
    std::atomic<int> total{0};
    std::atomic<bool> moved{false};
    parallel_for(20, [&](std::int64_t) {
        const auto self = std::this_thread::get_id();
        parallel_for(30, [&](std::int64_t) {
            ++total;
            if (std::this_thread::get_id() != self) moved = true;
        });
    });
    CHECK(total == 600);
    CHECK_FALSE(moved);
}

TEST_CASE("several callers at once are right and do not wait for each other") {
    const Threads scope(3);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 6; ++c)
        callers.emplace_back([&] {
            for (int round = 0; round < 300; ++round)
                if (!each_once(1 + round % 50)) ++wrong;
        });
    for (auto& caller : callers) caller.join();
    CHECK(wrong == 0);

    // a loop that lasts until another caller's loop has finished
    std::atomic<bool> other_done{false}, started{false};
    std::thread other([&] {
        while (!started) std::this_thread::yield();
        CHECK(each_once(100));
        other_done = true;
    });
    parallel_for(2, [&](std::int64_t) {
        started = true;
        while (!other_done) std::this_thread::yield();
    });
    other.join();
}

TEST_CASE("a forked child has loops of its own, whatever the parent's threads were doing") {
    const Threads scope(3);
    CHECK(each_once(100));
    CHECK(in_child([] { return each_once(1000) && each_once(3); }));
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) parallel_for(50, [](std::int64_t) {});
    });
    for (int round = 0; round < 30; ++round)
        CHECK(in_child([] { return each_once(1000) && in_child([] { return each_once(100); }); }));
    stop = true;
    busy.join();
    CHECK(each_once(100));
}

TEST_CASE("a fork inside a body: the child's loop says that it cannot finish") {
    const Threads scope(2);
    const auto caller = std::this_thread::get_id();
    pid_t child = -1;
    bool is_child = false, refused = false;
    std::atomic<bool> forked{false};
    try {
        parallel_for(2, [&](std::int64_t) {
            if (std::this_thread::get_id() == caller && !forked) {
                child = fork();
                is_child = child == 0;
                if (is_child) alarm(20);
                forked = true;
            }
            while (!forked) std::this_thread::yield();
        });
    } catch (const StateError&) {
        refused = true;
    }
    if (is_child) _exit(refused && each_once(10) ? 0 : 1);
    CHECK_FALSE(refused);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("idle workers use no processor time") {
    const Threads scope(8);
    CHECK(each_once(1000));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto used = [] {
        timespec t{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
    };
    const double before = used();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(used() - before < 20.0);
}
