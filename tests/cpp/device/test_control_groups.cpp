// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How many CPUs and how much memory a container lets a process use: control groups of both versions, as files below a
// folder.
#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "device/host/cpu_count.hpp"
#include "device/host/memory_size.hpp"

using namespace zerofab;
namespace fs = std::filesystem;

namespace {

/// A system as its /proc and its mount points show it.
struct System {
    fs::path root = fs::temp_directory_path() / ("zerofab-cpus-" + std::to_string(getpid()));

    System(const std::string& groups, const std::string& mounts) {
        fs::remove_all(root);
        put("/proc/self/cgroup", groups);
        put("/proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n" + mounts);
    }
    ~System() { fs::remove_all(root); }
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    void put(const std::string& path, const std::string& text) const {
        const fs::path file(root.string() + path);
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    [[nodiscard]] int cpus() const { return cgroup_cpus(root.string()); }
    [[nodiscard]] std::int64_t memory() const { return cgroup_memory(root.string()); }
};

const std::string second = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string first =
    "31 23 0:27 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct\n";

}  // namespace

TEST_CASE("cpu count: version 2, rounded up, at least one") {
    const System system("0::/job\n", second);
    CHECK(system.cpus() == 0);
    const std::pair<const char*, int> cases[] = {{"max 100000\n", 0},
                                                 {"200000 100000\n", 2},
                                                 {"200001 100000\n", 3},
                                                 {"150000 100000\n", 2},
                                                 {"1000 100000\n", 1},
                                                 {"400000 50000", 8},
                                                 {"0 100000\n", 0},
                                                 {"-1 100000\n", 0},
                                                 {"100000 0\n", 0},
                                                 {"100000\n", 0},
                                                 {"", 0},
                                                 {"a b\n", 0},
                                                 {"1e5 100000\n", 0},
                                                 {"99999999999999999999 1\n", 0},
                                                 {"9223372036854775807 1\n", 1 << 20},
                                                 {"100000 100000 1\n", 0}};
    for (const auto& one : cases) {
        system.put("/sys/fs/cgroup/job/cpu.max", one.first);
        CHECK_MESSAGE(system.cpus() == one.second, one.first);
    }
}

TEST_CASE("cpu count: the least of a group and all above it") {
    const System system("0::/slice/user/job\n", second);
    system.put("/sys/fs/cgroup/slice/user/job/cpu.max", "800000 100000\n");
    CHECK(system.cpus() == 8);
    system.put("/sys/fs/cgroup/slice/cpu.max", "300000 100000\n");
    CHECK(system.cpus() == 3);
    system.put("/sys/fs/cgroup/slice/user/cpu.max", "max 100000\n");
    CHECK(system.cpus() == 3);
    system.put("/sys/fs/cgroup/slice/user/cpu.max", "500000 100000\n");
    CHECK(system.cpus() == 3);
    system.put("/sys/fs/cgroup/cpu.max", "200000 100000\n");  // the root of a container's own view
    CHECK(system.cpus() == 2);
    system.put("/sys/fs/cgroup/slice/other/cpu.max", "100000 100000\n");  // not above it
    CHECK(system.cpus() == 2);
}

TEST_CASE("cpu count: version 1") {
    const System system("9:cpuset:/else\n4:cpu,cpuacct:/docker/1f\n1:name=systemd:/cpu\n", first);
    const std::string folder = "/sys/fs/cgroup/cpu,cpuacct/docker/1f/";
    CHECK(system.cpus() == 0);
    system.put(folder + "cpu.cfs_quota_us", "-1\n");
    system.put(folder + "cpu.cfs_period_us", "100000\n");
    CHECK(system.cpus() == 0);
    system.put(folder + "cpu.cfs_quota_us", "250000\n");
    CHECK(system.cpus() == 3);
    system.put("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us", "100000\n");
    CHECK(system.cpus() == 3);  // no period
    system.put("/sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us", "100000\n");
    CHECK(system.cpus() == 1);
}

TEST_CASE("cpu count: a container sees a part of the hierarchy at its mount point") {
    const std::string mounts =
        "50 49 0:31 /docker/1f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
        "51 49 0:31 /docker/1 /elsewhere ro - cgroup cgroup rw,cpu\n";
    for (const auto* group : {"/docker/1f", "/docker/1f/", "/other/namespace", "/", "/../../..", ""}) {
        const System system("4:cpu:" + std::string(group) + "\n", mounts);
        system.put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "600000\n");
        system.put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "200000\n");
        CHECK_MESSAGE(system.cpus() == 3, group);
    }
    const System system("4:cpu:/docker/1f/job\n", mounts);
    system.put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "100\n");
    system.put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "50\n");
    CHECK(system.cpus() == 2);
}

TEST_CASE("cpu count: both versions, blanks in a mount point, a colon in a group, a group that is gone") {
    {
        const System system("4:cpu:/a\n0::/b\n",
                            first + "40 31 0:40 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        system.put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n");
        system.put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
        CHECK(system.cpus() == 4);
        system.put("/sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
        CHECK(system.cpus() == 2);
    }
    {
        const System system("0::/x:y z/gone (deleted)\n", "30 23 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
        system.put("/my groups/x:y z/cpu.max", "200000 100000\n");
        CHECK(system.cpus() == 2);
    }
}

TEST_CASE("cpu count: files that are not there, or are something else, are no limit") {
    CHECK(cgroup_cpus("/nowhere") == 0);
    CHECK(cgroup_cpus("/dev/null") == 0);
    for (const char* text :
         {"", "\n", ":::\n", "0::", "nonsense", "30 23 0:26 / /a rw -\n", "- - - - - - - cgroup2\n"}) {
        const System system(text, text);
        CHECK(system.cpus() == 0);
    }
    const System system("0::/job\n", second);
    fs::create_directories(system.root / "sys/fs/cgroup/job/cpu.max");
    CHECK(system.cpus() == 0);
}

TEST_CASE("cpu count: no more than the CPUs that the process may run on") {
    cpu_set_t all;
    CPU_ZERO(&all);
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    CHECK(available_cpus() >= 1);
    CHECK(available_cpus() <= CPU_COUNT(&all));
    int one = 0;
    while (!CPU_ISSET(one, &all)) ++one;
    cpu_set_t single;
    CPU_ZERO(&single);
    CPU_SET(one, &single);
    REQUIRE(sched_setaffinity(0, sizeof single, &single) == 0);
    CHECK(available_cpus() == 1);
    REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
}

TEST_CASE("memory: version 2, the least of a group and all above it") {
    const System system("0::/slice/job\n", second);
    CHECK(system.memory() == 0);
    const std::pair<const char*, std::int64_t> cases[] = {
        {"max\n", 0}, {"1073741824\n", 1 << 30}, {"0\n", 0}, {"-1\n", 0}, {"", 0}, {"1G\n", 0}, {"1 2\n", 0}};
    for (const auto& one : cases) {
        system.put("/sys/fs/cgroup/slice/job/memory.max", one.first);
        CHECK_MESSAGE(system.memory() == one.second, one.first);
    }
    system.put("/sys/fs/cgroup/slice/job/memory.max", "5000000\n");
    system.put("/sys/fs/cgroup/slice/memory.max", "4000000\n");
    CHECK(system.memory() == 4000000);
    system.put("/sys/fs/cgroup/slice/memory.max", "max\n");
    CHECK(system.memory() == 5000000);
}

TEST_CASE("memory: version 1 has a hierarchy of its own") {
    const System system("4:cpu,cpuacct:/else\n7:memory:/docker/1f\n",
                        first + "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    system.put("/sys/fs/cgroup/cpu,cpuacct/else/memory.limit_in_bytes", "1000\n");
    CHECK(system.memory() == 0);
    system.put("/sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(system.memory() == 9223372036854771712);
    system.put("/sys/fs/cgroup/memory/docker/1f/memory.limit_in_bytes", "8000000\n");
    CHECK(system.memory() == 8000000);
}

TEST_CASE("memory: no more than the machine has") {
    const auto all =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    CHECK(available_memory() > 0);
    CHECK(available_memory() <= all);
}
