// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ROCm's own: what is found, what is missing, and the words for it.  The run time is the fake one of the tests.
#include <array>

#include "device/child.hpp"
#include "device/fakes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"

using namespace zerofab;

namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

Backend& hip() { return backend(BackendKind::hip); }

std::string reported(const Environment& environment) {
    const auto result = child::run("child: print the report of hip", environment);
    CHECK_MESSAGE(result.status == 0, result.output);
    return result.output;
}

void check_has(const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text << "\nlacks: " << part);
}

}  // namespace

TEST_CASE("child: print the report of hip" * doctest::skip()) {
    const BackendReport& report = hip().report();
    const std::string architecture = report.devices.empty() ? "" : report.devices[0].architecture;
    MESSAGE(report.why_not, " found ", report.devices.size(), " ", report.version, " <", architecture, ">");
    CHECK(report.devices.empty() != report.why_not.empty());
    if (report.devices.empty()) {
        CHECK_THROWS_AS(static_cast<void>(hip().allocate(MemoryKind::device, 8, 0)), DeviceError);
        CHECK_THROWS_AS(Runtime::initialize("rocm"), DeviceError);
        CHECK(!Runtime::initialized());
    }
}

TEST_CASE("hip: what is missing is said, with what was searched and what to do") {
    const std::string none = reported({{"ZEROFAB_HIP_LIBRARY", "/nowhere/libamdhip64.so"}});
    check_has(none, "ZEROFAB_HIP_LIBRARY=/nowhere/libamdhip64.so");
    check_has(none, "install ROCm 5 or newer");
    check_has(reported({{"ZEROFAB_HIP_LIBRARY", fakes::path("incomplete")}}), "lacks hipRuntimeGetVersion, hipGetErr");
    check_has(reported({{"ZEROFAB_FAKE_VERSION", "40300000"}}), "too old: it is 4.3");
    const std::string no_device = reported({{"ZEROFAB_FAKE_DEVICES", "0"}, {"HIP_VISIBLE_DEVICES", "7"}});
    check_has(no_device, "hipErrorNoDevice (no ROCm-capable device is detected)");
    check_has(no_device, "HIP_VISIBLE_DEVICES is '7'");
    for (const char* function : {"hipInit", "hipGetDeviceCount", "hipDeviceGetName", "hipGetDeviceProperties"}) {
        check_has(reported({{"ZEROFAB_FAKE_FAIL", std::string(function) + "=1"}}), "hipErrorInvalidValue");
    }
    const std::string no_compiler = reported({{"ZEROFAB_HIPRTC_LIBRARY", "/nowhere"}});
    check_has(no_compiler, "found 2");
    check_has(no_compiler, "no run-time compiler (hipRTC)");
}

TEST_CASE("hip: the architecture is found in the record of properties, without its features") {
    check_has(reported({}), "<gfx90a>");
    check_has(reported({{"ZEROFAB_FAKE_ARCH", "gfx1030"}}), "<gfx1030>");
    check_has(reported({{"ZEROFAB_FAKE_ARCH", "other"}}), "<unknown>");
}

TEST_CASE("hip: a failure of any call is an error in the driver's words, and no library finds it as its own") {
    Backend& vendor = hip();
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
        CHECK_MESSAGE(text.find("hipErrorInvalidValue (invalid argument)") != std::string::npos, function << text);
        CHECK(fakes::last_hip_error() == 0);
    };
    for (int round = 0; round < 2; ++round) {
        fails("hipMalloc", [&] { static_cast<void>(vendor.allocate(MemoryKind::device, 8, 0)); });
        fails("hipMallocManaged", [&] { static_cast<void>(vendor.allocate(MemoryKind::managed, 8, 0)); });
        fails("hipHostMalloc", [&] { static_cast<void>(vendor.allocate(MemoryKind::pinned, 8, 0)); });
        fails("hipGetDevice", [&] { vendor.synchronize(0, {}); });
        fails("hipSetDevice", [&] { vendor.synchronize(1, {}); });
        fails("hipStreamSynchronize", [&] { vendor.synchronize(0, {}); });
        fails("hipStreamSynchronize", [&] { vendor.copy(0, memory.data(), host.data(), 64, {}); });
        fails("hipMemcpyAsync", [&] { vendor.copy(0, memory.data(), host.data(), 64, {}); });
        fails("hipMemsetAsync", [&] { vendor.fill(0, memory.data(), 1, 64, {}); });
        fails("hipEventCreateWithFlags", [&] { static_cast<void>(vendor.record(0, {})); });
        fails("hipEventRecord", [&] { static_cast<void>(vendor.record(0, {})); });
        fails("hipEventQuery", [&] { static_cast<void>(vendor.reached(0, kept)); });
        fails("hipStreamWaitEvent", [&] { vendor.wait(0, {}, kept); });
        {
            const fakes::Setting unknown("ZEROFAB_FAKE_FAIL", "hipPointerGetAttributes=1");  // as ROCm 5 has it
            vendor.copy(0, memory.data(), host.data(), 64, {});
            CHECK(fakes::last_hip_error() == 0);
        }
        vendor.fill(0, memory.data(), 3, 64, {});
        const Event pending = vendor.record(0, {});
        CHECK(!vendor.reached(0, pending));
        CHECK(fakes::last_hip_error() == 0);
        vendor.forget(0, pending);
        CHECK(fakes::read(vendor, memory) == std::vector<unsigned char>(64, 3));
    }
    vendor.forget(0, kept);
}

TEST_CASE("hip: a run takes a device by either name, with a number") {
    for (const char* name : {"hip:1", "rocm:1"}) {
        Runtime::initialize(name);
        CHECK(Runtime::device() == "hip:1");
        CHECK(Runtime::run_device() == Device{BackendKind::hip, 1});
        Runtime::synchronize();
        Runtime::finalize();
    }
}
