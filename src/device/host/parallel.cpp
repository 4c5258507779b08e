// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The thread pool behind parallel_for.
#include "zerofab/device/parallel.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "device/fork_count.hpp"
#include "device/host/cpu_count.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab {
namespace {

constexpr int max_threads = 512;
constexpr auto spin_time = std::chrono::microseconds(30);

thread_local bool inside_loop = false;  ///< in a body, or a worker

void pause_cpu() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

int default_threads() {
    if (const char* text = std::getenv("OMP_NUM_THREADS")) {
        const long n = std::strtol(text, nullptr, 10);  // of a list "4,2" the first number counts
        if (n >= 1) return static_cast<int>(std::min<long>(n, max_threads));
    }
    return std::min(available_cpus(), max_threads);
}

/// One share of a loop's indices; threads take from it one by one.
struct alignas(64) Share {
    std::atomic<std::int64_t> next{0};
    std::int64_t end = 0;
};

/// Where one worker waits.
struct alignas(64) Bell {
    std::atomic<std::uint32_t> rings{0};

    void ring() {
        rings.fetch_add(1, std::memory_order_release);
        rings.notify_one();
    }

    /// Wait for a ring after the `seen`th, at first awake, then asleep; returns their number.
    std::uint32_t wait(std::uint32_t seen) {
        using Clock = std::chrono::steady_clock;
        const auto until = Clock::now() + spin_time;
        do {
            for (int i = 0; i < 16; ++i) {
                if (const auto now = rings.load(std::memory_order_acquire); now != seen) return now;
                pause_cpu();
            }
        } while (Clock::now() < until);
        rings.wait(seen, std::memory_order_acquire);
        return rings.load(std::memory_order_acquire);
    }
};

/// The workers, and the one loop that they may be in. Never destroyed: threads that sleep in it at exit do no harm.
class Pool {
public:
    /// Run the loop with up to team - 1 workers; false, and nothing done, if another loop runs or there is no worker.
    bool try_run(std::int64_t n, int team, const LoopBody& body);

private:
    static constexpr std::uint32_t open_bit = 1U << 31U;  ///< of gate_; the rest counts the workers inside the loop

    int hire(int count);
    void serve(int id);
    void ring_children(int id);
    bool enter(int id);
    void work(int id);
    void close();

    std::atomic<bool> busy_{false};
    alignas(64) std::atomic<std::uint32_t> gate_{0};
    std::atomic<bool> failed_{false};
    const LoopBody* body_ = nullptr;
    int team_ = 1;
    int hired_ = 0;
    std::exception_ptr error_;
    std::array<Share, max_threads> shares_;
    std::array<Bell, max_threads> bells_;
};

constinit std::atomic<Pool*> current_pool{nullptr};
constinit std::atomic<int> wanted_threads{0};  ///< 0: not yet known

/// In a forked child: the parent's pool, whose threads are not here, is left alone for ever.
void after_fork_in_child() { current_pool.store(nullptr, std::memory_order_release); }

/// What the first worker needs: a handler for fork, and this code to stay mapped while threads run in it.
void prepare_process() {
    static const bool done = [] {
        pthread_atfork(nullptr, nullptr, &after_fork_in_child);
        Dl_info info;
        if (dladdr(reinterpret_cast<void*>(&after_fork_in_child), &info) != 0 && info.dli_fname != nullptr)
            static_cast<void>(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
        return true;
    }();
    static_cast<void>(done);
}

Pool& pool() {
    Pool* existing = current_pool.load(std::memory_order_acquire);
    if (existing != nullptr) return *existing;
    prepare_process();
    auto fresh = std::make_unique<Pool>();
    if (!current_pool.compare_exchange_strong(existing, fresh.get(), std::memory_order_acq_rel)) return *existing;
    return *fresh.release();
}

bool Pool::try_run(std::int64_t n, int team, const LoopBody& body) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    struct Release {
        std::atomic<bool>& busy;
        ~Release() { busy.store(false, std::memory_order_release); }
    } const release{busy_};
    team = 1 + hire(team - 1);
    if (team == 1) return false;
    const unsigned forks_before = fork_count();
    body_ = &body;
    team_ = team;
    failed_.store(false, std::memory_order_relaxed);
    for (int t = 0; t < team; ++t) {
        Share& share = shares_[static_cast<std::size_t>(t)];
        share.end = n / team * (t + 1) + std::min<std::int64_t>(n % team, t + 1);
        share.next.store(n / team * t + std::min<std::int64_t>(n % team, t), std::memory_order_relaxed);
    }
    gate_.store(open_bit, std::memory_order_release);
    ring_children(0);
    work(0);
    if (fork_count() != forks_before)
        throw StateError("fork inside a parallel loop: the child cannot finish the loop, for it has no other threads");
    close();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return true;
}

/// Have `count` workers, or as many as the system gives; returns how many of them there are.
int Pool::hire(int count) {
    while (hired_ < count) {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
        bool started = true;
        try {
            std::thread([this, id = hired_ + 1] { serve(id); }).detach();
        } catch (const std::exception&) {
            started = false;  // no more threads to be had: the loop does with fewer
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (!started) break;
        ++hired_;
    }
    return std::min(count, hired_);
}

void Pool::serve(int id) {
    inside_loop = true;
    std::uint32_t seen = 0;
    for (;;) {
        seen = bells_[static_cast<std::size_t>(id)].wait(seen);
        if (!enter(id)) continue;  // too late: the others have done it all
        ring_children(id);
        work(id);
        if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();
    }
}

/// Thread t wakes threads 2t+1 and 2t+2: of many threads none has to wake all.
void Pool::ring_children(int id) {
    for (int child = 2 * id + 1; child <= 2 * id + 2 && child < team_; ++child)
        bells_[static_cast<std::size_t>(child)].ring();
}

bool Pool::enter(int id) {
    auto gate = gate_.load(std::memory_order_relaxed);
    do {
        if ((gate & open_bit) == 0) return false;
    } while (!gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire, std::memory_order_relaxed));
    if (id < team_) return true;
    if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();  // rung for an earlier, larger team
    return false;
}

void Pool::work(int id) {
    for (int k = 0; k < team_; ++k) {
        Share& share = shares_[static_cast<std::size_t>((id + k) % team_)];
        while (!failed_.load(std::memory_order_relaxed)) {
            const auto i = share.next.fetch_add(1, std::memory_order_relaxed);
            if (i >= share.end) break;
            try {
                (*body_)(i);
            } catch (...) {
                if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
            }
        }
    }
}

/// Let no more workers in, and wait for those inside.
void Pool::close() {
    auto inside = gate_.fetch_and(~open_bit, std::memory_order_acq_rel) & ~open_bit;
    for (int i = 0; inside != 0; ++i) {
        if (i < 4096)
            pause_cpu();
        else
            gate_.wait(inside, std::memory_order_acquire);
        inside = gate_.load(std::memory_order_acquire);
    }
}

void run_serially(std::int64_t n, const LoopBody& body) {
    for (std::int64_t i = 0; i < n; ++i) body(i);
}

}  // namespace

int num_threads() noexcept {
    int n = wanted_threads.load(std::memory_order_relaxed);
    if (n == 0 && wanted_threads.compare_exchange_strong(n, default_threads())) n = wanted_threads.load();
    return n;
}

void set_num_threads(int n) {
    if (n < 1) throw ValueError(concat("set_num_threads: the number of threads must be at least 1, not ", n));
    wanted_threads.store(std::min(n, max_threads));
}

void parallel_for(std::int64_t n, LoopBody body) {
    const auto team = static_cast<int>(std::min<std::int64_t>(n, num_threads()));
    if (team <= 1 || inside_loop) return run_serially(n, body);
    struct Inside {
        Inside() { inside_loop = true; }
        ~Inside() { inside_loop = false; }
    };
    bool done = false;
    {
        const Inside inside;
        done = pool().try_run(n, team, body);
    }
    if (!done) run_serially(n, body);
}

}  // namespace zerofab
