// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hip/compiler.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "device/program_cache.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::hip {
namespace {

/// Since which version of ROCm an architecture is compiled for.
struct Known {
    std::string_view architecture;
    int since;
};
constexpr int rocm_5 = 50000000, rocm_5_5 = 50500000, rocm_6 = 60000000, rocm_6_4 = 60400000, rocm_7 = 70000000;
constexpr Known known[] = {
    {"gfx900", rocm_5},    {"gfx906", rocm_5},    {"gfx908", rocm_5},    {"gfx90a", rocm_5},    {"gfx90c", rocm_5},
    {"gfx1010", rocm_5},   {"gfx1011", rocm_5},   {"gfx1012", rocm_5},   {"gfx1030", rocm_5},   {"gfx1031", rocm_5},
    {"gfx1032", rocm_5},   {"gfx1033", rocm_5},   {"gfx1034", rocm_5},   {"gfx1035", rocm_5},   {"gfx1036", rocm_5_5},
    {"gfx1100", rocm_5_5}, {"gfx1101", rocm_5_5}, {"gfx1102", rocm_5_5}, {"gfx1103", rocm_5_5}, {"gfx942", rocm_6},
    {"gfx1150", rocm_6_4}, {"gfx1151", rocm_6_4}, {"gfx1152", rocm_6_4}, {"gfx1200", rocm_6_4}, {"gfx1201", rocm_6_4},
    {"gfx950", rocm_7},
};

/// What the compiler leaves behind is let go, however the compilation ends.
struct Work {
    const Hiprtc& hiprtc;
    Program program = nullptr;
    ~Work() {
        if (program != nullptr) hiprtc.destroy(&program);
    }
};

std::string log_of(const Hiprtc& hiprtc, Program program) {
    std::size_t size = 0;
    if (hiprtc.log_size(program, &size) != 0 || size == 0) return {};
    std::string log(size, '\0');
    if (hiprtc.log(program, log.data()) != 0) return {};
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
}

}  // namespace

void Compiler::open(const Opened& driver, int version) {
    opened_ = open_hiprtc(hiprtc_, driver, version);
    number_ = version;
    if (opened_.handle == nullptr) return;
    int major = 0, minor = 0;
    hiprtc_.version(&major, &minor);
    version_ = std::to_string(major) + "." + std::to_string(minor);
}

std::string Compiler::compile(std::string_view text, std::span<const std::string> options,
                              std::string_view architecture) const {
    if (opened_.handle == nullptr) throw DeviceError("hip: kernels cannot be compiled: " + opened_.why_not);
    const auto* one = std::find_if(std::begin(known), std::end(known),
                                   [&](const Known& each) { return each.architecture == architecture; });
    if (one == std::end(known) || number_ < one->since) {
        throw DeviceError("hip: kernels cannot be compiled for " + std::string(architecture) +
                          " by this ROCm (version " + std::to_string(number_) + "): install a newer one");
    }
    std::vector<std::string> all{"--offload-arch=" + std::string(architecture)};
    all.insert(all.end(), options.begin(), options.end());
    std::string joined;
    for (const std::string& option : all) joined += option + "\n";

    return cached_program({"hip", version_, std::to_string(number_), joined, text}, [&] {
        const std::string source(text);
        Work work{hiprtc_};
        std::vector<const char*> words;
        for (const std::string& option : all) words.push_back(option.c_str());
        int result = hiprtc_.create(&work.program, source.c_str(), "zerofab.hip", 0, nullptr, nullptr);
        if (result == 0) result = hiprtc_.compile(work.program, static_cast<int>(words.size()), words.data());
        const std::string log = work.program == nullptr ? "" : log_of(hiprtc_, work.program);
        std::size_t size = 0;
        std::string program;
        if (result == 0) result = hiprtc_.code_size(work.program, &size);
        if (result == 0) {
            program.resize(size);
            result = hiprtc_.code(work.program, program.data());
        }
        if (result != 0) {
            throw DeviceError("hip: hipRTC " + version_ + " does not compile the kernels for " +
                              std::string(architecture) + ": " + hiprtc_.error_text(result) +
                              (log.empty() ? "" : "\n" + log));
        }
        return program;
    });
}

}  // namespace zerofab::hip
