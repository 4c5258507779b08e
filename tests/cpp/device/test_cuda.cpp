// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// CUDA's own: what is found, what is missing, and the words for it.  The driver is the fake one of the tests.
#include <unistd.h>

#include <array>

#include "device/child.hpp"
#include "device/fakes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"

using namespace zerofab;

namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

Backend& cuda() { return backend(BackendKind::cuda); }

/// What a child prints of the report: one line for what is wrong, or one that begins with "found".
std::string reported(const Environment& environment) {
    const auto result = child::run("child: print the report of cuda", environment);
    CHECK_MESSAGE(result.status == 0, result.output);
    return result.output;
}

void check_has(const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text << "\nlacks: " << part);
}

}  // namespace

TEST_CASE("child: print the report of cuda" * doctest::skip()) {
    const BackendReport& report = cuda().report();
    MESSAGE(report.why_not, " found ", report.devices.size(), " ", report.library, " ", report.version);
    CHECK(report.devices.empty() != report.why_not.empty());
    if (report.devices.empty()) {
        CHECK_THROWS_AS(static_cast<void>(cuda().allocate(MemoryKind::device, 8, 0)), DeviceError);
        CHECK_THROWS_AS(Runtime::initialize("cuda"), DeviceError);
        CHECK(!Runtime::initialized());
        cuda().deallocate(MemoryKind::device, nullptr, 0, 0);
    }
}

TEST_CASE("cuda: what is missing is said, with what was searched and what to do") {
    const std::string none = reported({{"ZEROFAB_CUDA_LIBRARY", "/nowhere/libcuda.so.1"}});
    check_has(none, "ZEROFAB_CUDA_LIBRARY=/nowhere/libcuda.so.1");
    check_has(none, "install the driver");

    const std::string bad = reported({{"ZEROFAB_CUDA_LIBRARY", fakes::path("incomplete")}});
    check_has(bad, "lacks cuDriverGetVersion, cuGetErrorName");
    check_has(bad, "install a driver for CUDA 12.0 or newer");

    const std::string old = reported({{"ZEROFAB_FAKE_VERSION", "11080"}});
    check_has(old, "too old: it is for CUDA 11.8, and 12.0 is needed");

    const std::string no_device = reported({{"ZEROFAB_FAKE_DEVICES", "0"}, {"CUDA_VISIBLE_DEVICES", "7"}});
    check_has(no_device, "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
    check_has(no_device, "CUDA_VISIBLE_DEVICES is '7'");

    for (const char* function : {"cuInit", "cuDeviceGetCount", "cuDeviceGetName", "cuDeviceTotalMem_v2"}) {
        check_has(reported({{"ZEROFAB_FAKE_FAIL", std::string(function) + "=1"}}), "CUDA_ERROR_INVALID_VALUE");
    }
}

TEST_CASE("cuda: without NVRTC there is memory, and the report says what kernels need") {
    const std::string none = reported({{"ZEROFAB_NVRTC_LIBRARY", "/nowhere/libnvrtc.so"}});
    check_has(none, "found 2");
    check_has(none, "no run-time compiler (NVRTC)");
    check_has(none, "pip install nvidia-cuda-nvrtc");
    const std::string old = reported({{"ZEROFAB_NVRTC_LIBRARY", "/nowhere"}, {"ZEROFAB_FAKE_VERSION", "12040"}});
    check_has(old, "pip install nvidia-cuda-nvrtc-cu12");
    check_has(reported({{"ZEROFAB_NVRTC_LIBRARY", fakes::path("incomplete")}}), "lacks nvrtcGetErrorString");
}

TEST_CASE("cuda: a failure of any call is an error in the driver's words, and harms nothing that comes after") {
    Backend& vendor = cuda();
    const fakes::Memory memory(vendor, MemoryKind::device, 64);
    const Event kept = vendor.record(0, {});
    std::array<unsigned char, 64> host{};
    const auto fails = [&](const char* function, auto&& call) {
        const fakes::Setting setting("ZEROFAB_FAKE_FAIL", std::string(function) + "=1");
        std::string text;
        try {
            call();
        } catch (const DeviceError& error) {
            text = error.what();
        }
        CHECK_MESSAGE(text.find("CUDA_ERROR_INVALID_VALUE (invalid argument)") != std::string::npos, function << text);
    };
    for (int round = 0; round < 2; ++round) {
        fails("cuMemAlloc_v2", [&] { static_cast<void>(vendor.allocate(MemoryKind::device, 8, 0)); });
        fails("cuMemAllocManaged", [&] { static_cast<void>(vendor.allocate(MemoryKind::managed, 8, 0)); });
        fails("cuMemHostAlloc", [&] { static_cast<void>(vendor.allocate(MemoryKind::pinned, 8, 0)); });
        fails("cuCtxPushCurrent_v2", [&] { vendor.synchronize(0, {}); });
        fails("cuStreamSynchronize", [&] { vendor.synchronize(0, {}); });
        fails("cuStreamSynchronize", [&] { vendor.copy(0, memory.data(), host.data(), 64, {}); });
        fails("cuMemcpyAsync", [&] { vendor.copy(0, memory.data(), host.data(), 64, {}); });
        fails("cuMemsetD8Async", [&] { vendor.fill(0, memory.data(), 1, 64, {}); });
        fails("cuEventCreate", [&] { static_cast<void>(vendor.record(0, {})); });
        fails("cuEventRecord", [&] { static_cast<void>(vendor.record(0, {})); });
        fails("cuEventQuery", [&] { static_cast<void>(vendor.reached(0, kept)); });
        fails("cuStreamWaitEvent", [&] { vendor.wait(0, {}, kept); });
        vendor.fill(0, memory.data(), 3, 64, {});
        CHECK(fakes::read(vendor, memory) == std::vector<unsigned char>(64, 3));
    }
    vendor.forget(0, kept);
}

TEST_CASE("cuda: a run takes a device by name and number") {
    CHECK_THROWS_AS(Runtime::initialize("cuda:2"), ValueError);
    Runtime::initialize("cuda:1");
    CHECK(Runtime::device() == "cuda:1");
    CHECK(Runtime::run_device() == Device{BackendKind::cuda, 1});
    const Stream own = fakes::make_stream(BackendKind::cuda, 1, false);
    {
        const fakes::Memory memory(cuda(), MemoryKind::device, 64, 1), result(cuda(), MemoryKind::pinned, 64, 1);
        cuda().fill(1, memory.data(), 5, 64, Runtime::stream());
        Runtime::use_stream(own);
        CHECK(Runtime::stream().handle == own.handle);
        cuda().copy(1, result.data(), memory.data(), 64, Runtime::stream());
        Runtime::synchronize();
        CHECK(result.data()[0] == 5);
        CHECK_THROWS_AS(Runtime::use_stream(fakes::make_stream(BackendKind::cuda, 0, false)), std::exception);
        CHECK(Runtime::stream().handle == own.handle);
    }
    Runtime::finalize();
    CHECK(Runtime::run_device() == Device{});
}

TEST_CASE("child: fork after the use of cuda" * doctest::skip()) {
    void* data = cuda().allocate(MemoryKind::device, 64, 0);
    Runtime::initialize("cuda");
    const pid_t process = fork();
    if (process == 0) {
        int wrong = 0;
        std::string text;
        try {
            static_cast<void>(cuda().allocate(MemoryKind::device, 64, 0));
        } catch (const DeviceError& error) {
            text = error.what();
        }
        wrong += text.find("forked") == std::string::npos || text.find("spawn") == std::string::npos;
        wrong += !cuda().report().devices.empty();
        cuda().deallocate(MemoryKind::device, data, 64, 0);  // nothing, for it is the parent's
        try {
            Runtime::finalize();
        } catch (const DeviceError&) {
        }
        wrong += Runtime::initialized();
        _exit(wrong);
    }
    int status = -1;
    waitpid(process, &status, 0);
    CHECK(status == 0);
    cuda().deallocate(MemoryKind::device, data, 64, 0);
    Runtime::finalize();
}

TEST_CASE("cuda: a forked child is told so, and its parent goes on") {
    const auto result = child::run("child: fork after the use of cuda");
    CHECK_MESSAGE(result.status == 0, result.output);
}
