// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/compiler.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "device/program_cache.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::cuda {
namespace {

int number_of(std::string_view architecture) {
    int number = 0;
    const auto at = architecture.find('_');
    std::from_chars(architecture.data() + at + 1, architecture.data() + architecture.size(), number);
    return number;
}

/// What the compiler leaves behind is let go, however the compilation ends.
struct Work {
    const Nvrtc& nvrtc;
    Program program = nullptr;
    ~Work() {
        if (program != nullptr) nvrtc.destroy(&program);
    }
};

std::string log_of(const Nvrtc& nvrtc, Program program) {
    std::size_t size = 0;
    if (nvrtc.log_size(program, &size) != 0 || size == 0) return {};
    std::string log(size, '\0');
    if (nvrtc.log(program, log.data()) != 0) return {};
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
}

}  // namespace

void Compiler::open(int driver_version) {
    if (!opened_.path.empty() || !opened_.why_not.empty()) return;
    opened_ = open_nvrtc(nvrtc_, driver_version);
    if (opened_.path.empty()) return;
    int major = 0, minor = 0;
    nvrtc_.version(&major, &minor);
    version_ = std::to_string(major) + "." + std::to_string(minor);
}

/// "sm_90", or "compute_90" where that is the newest that the compiler knows.
std::string Compiler::target(std::string_view architecture) const {
    int count = 0;
    nvrtc_.architecture_count(&count);
    std::vector<int> known(static_cast<std::size_t>(std::max(count, 0)));
    nvrtc_.architectures(known.data());
    const int wanted = number_of(architecture);
    if (std::find(known.begin(), known.end(), wanted) != known.end()) return std::string(architecture);
    int best = 0;
    for (const int one : known) best = one < wanted ? std::max(best, one) : best;
    if (best == 0) {
        throw DeviceError("cuda: NVRTC " + version_ + " makes no program for " + std::string(architecture) +
                          ": the GPU is too old for it");
    }
    return "compute_" + std::to_string(best);
}

std::string Compiler::compile(std::string_view text, std::span<const std::string> options,
                              std::string_view architecture) const {
    if (opened_.path.empty()) throw DeviceError("cuda: kernels cannot be compiled: " + opened_.why_not);
    const std::string chosen = target(architecture);
    std::vector<std::string> all{"--gpu-architecture=" + chosen};
    all.insert(all.end(), options.begin(), options.end());
    std::string joined;
    for (const std::string& option : all) joined += option + "\n";

    return cached_program({"cuda", version_, joined, text}, [&] {
        const std::string source(text);
        Work work{nvrtc_};
        std::vector<const char*> words;
        for (const std::string& option : all) words.push_back(option.c_str());
        int result = nvrtc_.create(&work.program, source.c_str(), "zerofab.cu", 0, nullptr, nullptr);
        if (result == 0) result = nvrtc_.compile(work.program, static_cast<int>(words.size()), words.data());
        const bool is_ptx = chosen.starts_with("compute");
        std::size_t size = 0;
        std::string program;
        const std::string log = work.program == nullptr ? "" : log_of(nvrtc_, work.program);
        if (result == 0)
            result = is_ptx ? nvrtc_.ptx_size(work.program, &size) : nvrtc_.cubin_size(work.program, &size);
        if (result == 0) {
            program.resize(size);
            result = is_ptx ? nvrtc_.ptx(work.program, program.data()) : nvrtc_.cubin(work.program, program.data());
        }
        if (result != 0) {
            throw DeviceError("cuda: NVRTC " + version_ + " does not compile the kernels for " + chosen + ": " +
                              nvrtc_.error_text(result) + (log.empty() ? "" : "\n" + log));
        }
        return program;
    });
}

}  // namespace zerofab::cuda
