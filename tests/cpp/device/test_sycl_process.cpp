// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// SYCL where it needs a process of its own: the cases called "alone" are skipped and run by the one that follows.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "sycl_fixture.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/library_folder.hpp"

using namespace zerofab;
using namespace zerofab::sycl_test;

namespace {

/// Run one test case of this program in a process of its own, where nothing was used yet; its exit status.
int run_alone(const std::string& test_case, const std::string& environment = {}) {
    std::array<char, 4096> self{};
    REQUIRE(readlink("/proc/self/exe", self.data(), self.size() - 1) > 0);
    const std::string command = "said=$(" + environment + " timeout 60 '" + self.data() + "' --no-skip --test-case='" +
                                test_case + "' 2>&1); status=$?; echo \"$said\" | grep -q 'cases: *1 | *1 passed' " +
                                "|| { echo \"$said\"; exit 99; }; exit $status";
    return WEXITSTATUS(std::system(command.c_str()));
}

}  // namespace

TEST_CASE("sycl alone: fork after use" * doctest::skip()) {
    const Memory memory(MemoryKind::managed, 1000);
    sycl().fill(0, memory.data, 1, memory.bytes, {});
    sycl().synchronize(0, {});
    const pid_t child = fork();
    if (child == 0) {
        int errors = 0;
        try {
            sycl().fill(0, memory.data, 2, memory.bytes, {});
        } catch (const DeviceError& error) {
            errors += std::strstr(error.what(), "spawn") != nullptr ? 1 : 0;
        }
        try {
            static_cast<void>(sycl().allocate(MemoryKind::device, 64, 0));
        } catch (const DeviceError&) {
            ++errors;
        }
        try {
            sycl().synchronize(0, {});
        } catch (const DeviceError&) {
            ++errors;
        }
        sycl().deallocate(memory.kind, memory.data, memory.bytes, 0);
        _exit(errors == 3 ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(read(memory) == std::vector<unsigned char>(memory.bytes, 1));
}

TEST_CASE("sycl alone: work and memory at exit" * doctest::skip()) {
    struct Late {
        ~Late() {
            if (data != nullptr) sycl().deallocate(MemoryKind::device, data, 64U << 20U, 0);
            if (event.handle != nullptr) sycl().forget(0, event);
        }
        void* data = nullptr;
        Event event;
    };
    static Late late;  // destroyed while the process exits
    late.data = sycl().allocate(MemoryKind::device, 64U << 20U, 0);
    for (unsigned char round = 0; round < 20; ++round) sycl().fill(0, late.data, round, 64U << 20U, {});
    late.event = sycl().record(0, {});
    std::atexit([] { sycl().deallocate(MemoryKind::device, nullptr, 0, 0); });
    CHECK(late.data != nullptr);
}

TEST_CASE("sycl alone: threads at work at exit" * doctest::skip()) {
    const Memory memory(MemoryKind::device, 1U << 20U);
    for (unsigned char t = 0; t < 4; ++t) {
        std::thread([t, data = sycl().allocate(MemoryKind::device, 1U << 20U, 0)] {
            try {
                for (;;) {
                    for (int i = 0; i < 10; ++i) sycl().fill(0, data, t, 1U << 20U, {});
                    sycl().synchronize(0, {});
                }
            } catch (const DeviceError&) {  // the process is exiting
                for (;;) sycl().deallocate(MemoryKind::device, data, 1U << 20U, 0);
            }
        }).detach();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(memory.data != nullptr);
}

TEST_CASE("sycl alone: no library" * doctest::skip()) {
    CHECK(sycl().report().devices.empty());
    CHECK(sycl().report().library.empty());
    CHECK(sycl().report().why_not.find("/nowhere/lib.so") != std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(sycl().allocate(MemoryKind::device, 1, 0)), DeviceError);
}

TEST_CASE("sycl alone: a library of somebody else's" * doctest::skip()) {
    CHECK(sycl().report().devices.empty());
    CHECK(sycl().report().why_not.find("DPCTLQueue_Create") != std::string::npos);
}

TEST_CASE("sycl alone: a library folder" * doctest::skip()) {
    add_library_folder("/nowhere/either");
    add_library_folder(std::getenv("TEST_LIBRARY_FOLDER"));
    CHECK(sycl().report().library.find("libDPCTLSyclInterface.so") != std::string::npos);
    CHECK(sycl().device_count() > 0);
}

TEST_CASE("sycl alone: no driver" * doctest::skip()) {
    CHECK(sycl().report().devices.empty());
    CHECK(sycl().report().why_not.find("intel-opencl-rt") != std::string::npos);
}

TEST_CASE("sycl: in a process of its own") {
    CHECK(run_alone("sycl alone: no library", "ZEROFAB_SYCL_LIBRARY=/nowhere/lib.so") == 0);
    CHECK(run_alone("sycl alone: a library of*", "ZEROFAB_SYCL_LIBRARY=libm.so.6") == 0);
}

TEST_CASE("sycl: at fork and exit" * doctest::skip(absent)) {
    CHECK(run_alone("sycl alone: fork after use") == 0);
    for (int round = 0; round < 3; ++round) {
        CHECK(run_alone("sycl alone: work and memory at exit") == 0);
        CHECK(run_alone("sycl alone: threads at work at exit") == 0);
    }
    const auto packages = std::filesystem::path(std::getenv("ZEROFAB_SYCL_LIBRARY")).parent_path().parent_path();
    CHECK(run_alone("sycl alone: a library folder",
                    "unset ZEROFAB_SYCL_LIBRARY; TEST_LIBRARY_FOLDER='" + packages.string() + "'") == 0);
    CHECK(run_alone("sycl alone: no driver", "OCL_ICD_FILENAMES=/nowhere.so ONEAPI_DEVICE_SELECTOR='level_zero:*'") ==
          0);
}
