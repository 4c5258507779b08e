// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels that write past the caches write what they write otherwise, and nothing else; and how large the caches are.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "device/host/cache_size.hpp"
#include "kernel_runner.hpp"

namespace zerofab {
namespace {

/// Rows of a fab that begin at any multiple of an element, in memory with some more before and behind.
template <class T>
struct Rows {
    std::vector<T> memory;
    zf_fab fab{};
    T* first;

    Rows(std::mt19937& random, k_i32 length, k_i32 rows, k_i32 ghosts) {
        const auto before = static_cast<std::size_t>(random() % 16);
        fab.len[0] = length + 2 * ghosts;
        fab.len[1] = rows;
        fab.len[2] = 1;
        fab.lo[0] = -ghosts;
        fab.jstride = fab.len[0];
        fab.kstride = fab.nstride = fab.jstride * rows;
        memory.resize(before + static_cast<std::size_t>(fab.nstride) + 16);
        for (T& value : memory) value = static_cast<T>(static_cast<int>(random() % 2001) - 1000) / 3;
        first = memory.data() + before;
        fab.data = test::address(first);
    }
    Rows(const Rows& other)
        : memory(other.memory), fab(other.fab), first(memory.data() + (other.first - other.memory.data())) {
        fab.data = test::address(first);
    }
    T& at(k_i64 i, k_i64 j) { return first[i - fab.lo[0] + j * fab.jstride]; }
};

template <class T>
void run(HostIsa isa, std::string_view name, bool through, std::vector<KernelArg> args) {
    for (const HostKernel& kernel : *host_kernels(test::kernel_type<T>, isa)) {
        if (kernel.name != name) continue;
        std::vector<void*> values;
        for (const KernelArg& arg : args) values.push_back(const_cast<void*>(arg.address()));
        KernelPosition position;
        position.writes_through = through;
        kernel.run(position, values.data());
        return;
    }
    FAIL("no kernel ", std::string(name));
}

template <class T>
void check_rows(std::mt19937& random, HostIsa isa, k_i32 length, k_i32 ghosts) {
    const k_i32 rows = 3;
    const zf_box box{0, {0, 0, 0}, {length, rows, 1}, 0};
    Rows<T> x(random, length, rows, ghosts), y(random, length, rows, ghosts);
    const T a = static_cast<T>(static_cast<int>(random() % 99)) / 7, b = static_cast<T>(3);
    const auto check = [&](std::string_view name, bool in_place, std::vector<Rows<T>*> sources,
                           std::vector<KernelArg> numbers, auto value) {
        Rows<T> z(random, length, rows, ghosts), wanted(z);
        std::vector<KernelArg> args{&box, std::int64_t{1}, 1, 1, &z.fab, 0};
        for (Rows<T>* source : sources) {
            args.emplace_back(in_place && source == &x ? &z.fab : &source->fab);
            args.emplace_back(0);
        }
        args.insert(args.end(), numbers.begin(), numbers.end());
        Rows<T>& first = in_place ? wanted : x;
        for (k_i64 j = 0; j < rows; ++j) {
            for (k_i64 i = 0; i < length; ++i) wanted.at(i, j) = value(first.at(i, j), y.at(i, j));
        }
        run<T>(isa, name, true, args);
        INFO(name, " of ", length, ", ", ghosts, " ghosts");
        CHECK(z.memory == wanted.memory);
    };
    check("field_set_val", false, {}, {a}, [a](T, T) { return a; });
    check("field_copy", false, {&x}, {}, [](T from, T) { return from; });
    const auto combined = [=](T p, T q) { return static_cast<T>(static_cast<T>(a * p) + static_cast<T>(b * q)); };
    check("field_lin_comb", false, {&x, &y}, {a, b}, combined);
    check("field_lin_comb", true, {&x, &y}, {a, b}, combined);
}

}  // namespace

TEST_CASE_TEMPLATE("rows written past the caches", T, double, float, int, std::int64_t) {
    std::mt19937 random(17);
    for (const HostIsa isa : {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512}) {
        if (host_kernels(test::kernel_type<T>, isa) == nullptr) continue;
        for (int n = 0; n < 300; ++n) {
            const auto length = static_cast<k_i32>(1 + random() % 700);  // lines are 16 floats, and short rows are not
            check_rows<T>(random, isa, length, static_cast<k_i32>(random() % 3));
        }
    }
}

namespace {

/// Caches of a CPU as its /sys shows them.
struct Caches {
    std::filesystem::path root =
        std::filesystem::temp_directory_path() / ("zerofab-caches-" + std::to_string(getpid()));

    Caches() { std::filesystem::remove_all(root); }
    ~Caches() { std::filesystem::remove_all(root); }
    Caches(const Caches&) = delete;
    Caches& operator=(const Caches&) = delete;

    void put(int number, const char* level, const char* type, const char* size, const char* cpus) const {
        const auto folder = root / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(number));
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "level") << level << "\n";
        std::ofstream(folder / "type") << type << "\n";
        std::ofstream(folder / "size") << size << "\n";
        std::ofstream(folder / "shared_cpu_list") << cpus << "\n";
    }
    void check(std::int64_t bytes, std::int64_t cpus) const {
        const CacheSize found = last_cache(root.string());
        CHECK(found.bytes == bytes);
        CHECK(found.cpus == cpus);
    }
};

}  // namespace

TEST_CASE("the last cache and who shares it") {
    const Caches caches;
    constexpr std::int64_t mib = 1 << 20;
    caches.check(32 * mib, 8);  // nothing to read
    caches.put(0, "1", "Data", "48K", "0-1");
    caches.put(1, "1", "Instruction", "512M", "0-1");
    caches.check(48 << 10, 2);
    caches.put(2, "2", "Unified", "2M", "0,64");
    caches.check(2 * mib, 2);
    caches.put(3, "3", "Unified", "32768K", "0-7,64-71");
    caches.check(32 * mib, 16);
    caches.put(3, "3", "Unified", "1G", "5");
    caches.check(1024 * mib, 1);
    for (const char* broken : {"", "x", "0K", "-5M", "99999999999999G"}) {
        caches.put(3, "3", "Unified", broken, "0-7");
        caches.check(2 * mib, 2);
    }
    for (const char* broken : {"", "x", "3-", "7-3", "1,", ",1"}) {
        caches.put(3, "3", "Unified", "32M", broken);
        caches.check(2 * mib, 2);
    }
}

}  // namespace zerofab
