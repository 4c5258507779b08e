// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// From the kernels' text to a program on a device: compilers, their errors, the cache on disk.
//
// The compilers are the fake ones of the tests; tests/compile asks the real ones.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "device/child.hpp"
#include "device/fakes.hpp"
#include "kernels/tables.h"
#include "zerofab/base/error.hpp"

using namespace zerofab;

namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;
namespace fs = std::filesystem;

/// Launch one kernel for each element type, and say what came of it.
void launch_all_types(BackendKind kind) {
    Backend& vendor = backend(kind);
    const char* named = std::getenv("ZEROFAB_TEST_KERNEL");
    const fakes::Memory nothing(vendor, MemoryKind::device, 64);
    for (const KernelType type : {KernelType::f64, KernelType::f32, KernelType::i32, KernelType::i64}) {
        // No box: a kernel that runs does nothing.
        std::vector<KernelArg> args{nothing.data(), std::int64_t{0}, 0, 1, nothing.data(), 0};
        if (type == KernelType::f64) args.emplace_back(0.0);
        if (type == KernelType::f32) args.emplace_back(0.0F);
        if (type == KernelType::i32) args.emplace_back(std::int32_t{0});
        if (type == KernelType::i64) args.emplace_back(std::int64_t{0});
        std::string said = "started";
        try {
            const KernelCall call{named == nullptr ? "field_set_val" : named, type, 1, 1, args.data(), args.size()};
            vendor.launch(0, call, {});
            vendor.synchronize(0, {});
        } catch (const DeviceError& error) {
            said = error.what();
        }
        MESSAGE(said);
    }
}

/// What children say with these settings; how often "started" is in it.
struct Said {
    std::string text;
    int started = 0;
};

Said launched(const std::string& name, const Environment& environment = {}) {
    const auto result = child::run("child: launch on " + name, environment);
    CHECK_MESSAGE(result.status == 0, result.output);
    Said said{result.output, 0};
    for (auto at = said.text.find("started"); at != std::string::npos; at = said.text.find("started", at + 1)) {
        ++said.started;
    }
    return said;
}

void check_has(const std::string& text, const std::string& part) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, text << "\nlacks: " << part);
}

/// A folder of this test's own, which goes with it.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("zerofab-test-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

int calls_of(const std::string& function, const fs::path& log) {
    std::ifstream file(log);
    const std::vector<std::string> lines{std::istream_iterator<std::string>(file), {}};
    return static_cast<int>(std::count(lines.begin(), lines.end(), function));
}

}  // namespace

TEST_CASE("child: launch on cuda" * doctest::skip()) { launch_all_types(BackendKind::cuda); }
TEST_CASE("child: launch on hip" * doctest::skip()) { launch_all_types(BackendKind::hip); }

TEST_CASE("programs: every element type has one") {
    CHECK(launched("cuda").started == 4);
    CHECK(launched("hip").started == 4);
}

TEST_CASE("programs: a kernel runs over all boxes, also if they are more than a grid is high") {
    constexpr std::int32_t boxes = 70000;
    for (const BackendKind kind : {BackendKind::cuda, BackendKind::hip}) {
        Backend& vendor = backend(kind);
        const fakes::Memory field(vendor, MemoryKind::device, boxes * sizeof(double));
        const zf_fab fab{reinterpret_cast<std::uintptr_t>(field.data()), {0, 0, 0}, {boxes, 1, 1}, boxes, boxes, boxes};
        std::vector<zf_box> regions(boxes);
        for (std::int32_t n = 0; n < boxes; ++n) regions[static_cast<std::size_t>(n)] = {0, {n, 0, 0}, {1, 1, 1}, 0};
        const std::size_t bytes = regions.size() * sizeof(zf_box);
        const fakes::Memory tables(vendor, MemoryKind::device, sizeof fab + bytes);
        vendor.copy(0, tables.data(), &fab, sizeof fab, {});
        vendor.copy(0, tables.data() + sizeof fab, regions.data(), bytes, {});
        // The regions, the field z with its first component, the number.
        const KernelArg args[] = {tables.data() + sizeof fab, std::int64_t{boxes}, 1, 1, tables.data(), 0, 2.5};
        vendor.launch(0, {"field_set_val", KernelType::f64, 1, boxes, args, std::size(args)}, {});
        std::vector<double> result(boxes);
        vendor.copy(0, result.data(), field.data(), boxes * sizeof(double), {});
        vendor.synchronize(0, {});
        CHECK(std::count(result.begin(), result.end(), 2.5) == boxes);
    }
}

TEST_CASE("programs: a text that does not compile is an error with the compiler's log") {
    for (const char* name : {"cuda", "hip"}) {
        const Said said = launched(name, {{"ZEROFAB_FAKE_COMPILE_ERROR", "1"}});
        CHECK(said.started == 0);
        check_has(said.text, "does not compile the kernels for");
        check_has(said.text, "error: ordered by the test");
    }
}

TEST_CASE("programs: without a compiler, or without such a kernel, the error says so") {
    check_has(launched("cuda", {{"ZEROFAB_NVRTC_LIBRARY", "/nowhere"}}).text, "pip install nvidia-cuda-nvrtc");
    check_has(launched("hip", {{"ZEROFAB_HIPRTC_LIBRARY", "/nowhere"}}).text, "no run-time compiler (hipRTC)");
    for (const char* name : {"cuda", "hip"}) {
        const Said said = launched(name, {{"ZEROFAB_TEST_KERNEL", "no_such_kernel"}});
        CHECK(said.started == 0);
        check_has(said.text, "finding the kernel 'no_such_kernel'");
    }
}

TEST_CASE("programs: an architecture that the compiler does not know") {
    CHECK(launched("cuda", {{"ZEROFAB_FAKE_ARCH", "sm_130"}}).started == 4);  // PTX for the newest that it knows
    check_has(launched("cuda", {{"ZEROFAB_FAKE_ARCH", "sm_60"}}).text, "makes no program for sm_60");
    CHECK(launched("hip", {{"ZEROFAB_FAKE_ARCH", "gfx942"}}).started == 4);
    const Environment known{{"ZEROFAB_FAKE_ARCH", "gfx1499"}, {"ZEROFAB_FAKE_ISAS", "gfx942 gfx1499"}};
    CHECK(launched("hip", known).started == 4);             // one that this library has never heard of
    for (const char* version : {"50221153", "60200000"}) {  // hipRTC is not asked: that of ROCm 5 would abort
        const Said unknown = launched("hip", {{"ZEROFAB_FAKE_ARCH", "gfx1499"}, {"ZEROFAB_FAKE_VERSION", version}});
        check_has(unknown.text, "cannot be compiled for gfx1499 by ROCm " + std::string(version, 1) + ".2");
        check_has(unknown.text, "knows gfx906, gfx90a, gfx942, gfx1030");
    }
}

TEST_CASE("programs: where ROCm has no list of architectures, its compiler says no, unless it would end the process") {
    const std::pair<std::string, std::string> arch{"ZEROFAB_FAKE_ARCH", "gfx1499"},
        old{"ZEROFAB_FAKE_VERSION", "50221153"};
    for (const auto& no_list : {std::pair<std::string, std::string>{"ZEROFAB_FAKE_FAIL", "amd_comgr_get_isa_count=1"},
                                std::pair<std::string, std::string>{"ZEROFAB_FAKE_ISAS", " "}}) {
        const Said said = launched("hip", {arch, no_list});
        check_has(said.text, "does not compile the kernels for gfx1499 with ROCm 6.2");
        check_has(said.text, "unknown target CPU");
        check_has(launched("hip", {arch, no_list, old}).text, "set ZEROFAB_COMGR_LIBRARY");
    }
}

TEST_CASE("programs: they are compiled once and then read from the disk, unless the file is damaged") {
    const std::pair<std::string, std::string> backends[] = {{"cuda", "nvrtcCompileProgram"},
                                                            {"hip", "hiprtcCompileProgram"}};
    for (const auto& backend : backends) {
        const Folder folder;
        const fs::path log = folder.path / "log";
        const Environment environment{{"ZEROFAB_CACHE_DIR", (folder.path / "a" / "b").string()},
                                      {"ZEROFAB_FAKE_LOG", log.string()}};
        const auto compiled = [&] {
            fs::remove(log);
            CHECK(launched(backend.first, environment).started == 4);
            return calls_of(backend.second, log);
        };
        CHECK(compiled() == 4);
        CHECK(compiled() == 0);
        int files = 0;
        for (const auto& entry : fs::directory_iterator(folder.path / "a" / "b")) {
            CHECK(entry.path().extension() == ".program");
            if (++files == 1) fs::resize_file(entry.path(), fs::file_size(entry.path()) - 5);
            if (files == 2) std::ofstream(entry.path()) << "something else";
        }
        CHECK(files == 4);
        CHECK(compiled() == 2);
        CHECK(compiled() == 0);
    }
}

TEST_CASE("programs: a cache that cannot be written is done without") {
    const Environment environment{{"ZEROFAB_CACHE_DIR", "/proc/nowhere"}};
    CHECK(launched("cuda", environment).started == 4);
}
