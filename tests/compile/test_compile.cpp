// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Every kernel, for every element type, by the vendors' real compilers.  Nothing is run: no GPU is needed.
//
//     ZEROFAB_NVRTC_LIBRARY=.../libnvrtc.so.13 test_compile --test-case="NVRTC*"
//     ZEROFAB_HIPRTC_LIBRARY=.../libamdhip64.so.5 test_compile --test-case="hipRTC*"
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/cuda/compiler.hpp"
#include "device/hip/compiler.hpp"
#include "device/kernel_text.hpp"
#include "kernels/catalog.h"
#include "zerofab/base/error.hpp"

using namespace zerofab;

namespace {

const bool no_cache = setenv("ZEROFAB_CACHE_DIR", "", 1) == 0;

constexpr KernelType types[] = {KernelType::f64, KernelType::f32, KernelType::i32, KernelType::i64};

/// The kernels that a program for this element type must have.
std::vector<std::string> kernels_of(KernelType type) {
    std::vector<std::string> names;
#define ALWAYS(name, letters) names.emplace_back(#name);
#define FOR_F64(name, letters) \
    if (type == KernelType::f64) names.emplace_back(#name);
#define FOR_I32(name, letters) \
    if (type == KernelType::i32) names.emplace_back(#name);
    K_CATALOG(ALWAYS, FOR_F64, FOR_I32)
    return names;
}

template <class Compiler>
void compile_all(const Compiler& compiler, KernelLanguage language, const char* architecture) {
    REQUIRE_MESSAGE(compiler.why_not().empty(), compiler.why_not());
    for (const KernelType type : types) {
        const std::string program = compiler.compile(kernel_source(), kernel_options(type, language), architecture);
        CHECK(
            program.starts_with("\x7f"
                                "ELF"));
        for (const std::string& name : kernels_of(type)) {
            INFO(name);
            CHECK(program.find(name + '\0') != std::string::npos);
        }
    }
    CHECK_THROWS_AS(static_cast<void>(compiler.compile("#error the log is kept", {}, architecture)), DeviceError);
    try {
        static_cast<void>(compiler.compile("#error the log is kept", {}, architecture));
    } catch (const DeviceError& error) {
        CHECK(std::strstr(error.what(), "the log is kept") != nullptr);
    }
}

void with_nvrtc(const char* architecture) {
    cuda::Compiler compiler;
    compiler.open({}, 13000);
    compile_all(compiler, KernelLanguage::cuda, architecture);
}

/// As Debian's, whose hipRTC ends the process over what it does not know.
void with_hiprtc(const char* architecture) {
    hip::Compiler compiler;
    compiler.open({}, 50221153);
    compile_all(compiler, KernelLanguage::hip, architecture);
}

}  // namespace

TEST_CASE("NVRTC: sm_75") { with_nvrtc("sm_75"); }
TEST_CASE("NVRTC: sm_80") { with_nvrtc("sm_80"); }
TEST_CASE("NVRTC: sm_90") { with_nvrtc("sm_90"); }
TEST_CASE("NVRTC: sm_100") { with_nvrtc("sm_100"); }
TEST_CASE("NVRTC: sm_120") { with_nvrtc("sm_120"); }

TEST_CASE("NVRTC: a GPU newer than the compiler gets PTX of the newest that it knows") {
    cuda::Compiler compiler;
    compiler.open({}, 13000);
    const auto options = kernel_options(KernelType::f64, KernelLanguage::cuda);
    const std::string program = compiler.compile(kernel_source(), options, "sm_990");
    CHECK(program.find(".target sm_") != std::string::npos);
    CHECK_THROWS_AS(static_cast<void>(compiler.compile(kernel_source(), options, "sm_30")), DeviceError);
}

TEST_CASE("hipRTC: gfx906") { with_hiprtc("gfx906"); }
TEST_CASE("hipRTC: gfx90a") { with_hiprtc("gfx90a"); }
TEST_CASE("hipRTC: gfx1030") { with_hiprtc("gfx1030"); }

TEST_CASE("hipRTC: an architecture that this version would end the process over is refused") {
    hip::Compiler compiler;
    compiler.open({}, 50221153);
    const auto options = kernel_options(KernelType::f64, KernelLanguage::hip);
    CHECK_THROWS_AS(static_cast<void>(compiler.compile(kernel_source(), options, "gfx942")), DeviceError);
    CHECK_THROWS_AS(static_cast<void>(compiler.compile(kernel_source(), options, "gfx000")), DeviceError);
}
