// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/gpu/compiler.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "device/program_cache.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::gpu {
namespace {

/// What the compiler leaves behind is released, however the compilation ends.
struct Work {
    const CompilerCalls& calls;
    Program program = nullptr;
    ~Work() {
        if (program != nullptr) calls.destroy(&program);
    }
};

std::string log_of(const CompilerCalls& calls, Program program) {
    std::size_t size = 0;
    if (program == nullptr || calls.log_size(program, &size) != 0 || size == 0) return {};
    std::string log(size, '\0');
    if (calls.log(program, log.data()) != 0) return {};
    log.resize(std::min(log.find('\0'), log.size()));
    return log;
}

}  // namespace

void Compiler::opened(Opened opened, const CompilerCalls& calls, int version) {
    opened_ = std::move(opened);
    calls_ = &calls;
    version_ = version;
    if (opened_.handle == nullptr) return;
    int major = 0, minor = 0;
    calls.version(&major, &minor);
    description_ = concat(compiler_, " ", major, ".", minor);
}

std::string Compiler::compile(std::string_view text, std::span<const std::string> options,
                              std::string_view architecture) const {
    if (opened_.handle == nullptr) {
        throw DeviceError(concat(backend_, ": kernels cannot be compiled: ", opened_.why_not));
    }
    const Target wanted = target(architecture);
    std::vector<std::string> all{wanted.option};
    all.insert(all.end(), options.begin(), options.end());
    std::string joined;
    for (const std::string& option : all) joined += option + "\n";

    const CompilerCalls& calls = *calls_;
    return cached_program({backend_, description_, std::to_string(version_), joined, text}, [&] {
        const std::string source(text), name = std::string("zerofab.") + backend_;
        Work work{calls};
        std::vector<const char*> texts;
        for (const std::string& option : all) texts.push_back(option.c_str());
        int result = calls.create(&work.program, source.c_str(), name.c_str(), 0, nullptr, nullptr);
        if (result == 0) result = calls.compile(work.program, static_cast<int>(texts.size()), texts.data());
        const std::string log = log_of(calls, work.program);
        std::size_t size = 0;
        std::string program;
        if (result == 0) result = (*wanted.code_size)(work.program, &size);
        if (result == 0) {
            program.resize(size);
            result = (*wanted.code)(work.program, program.data());
        }
        if (result != 0) {
            throw DeviceError(concat(backend_, ": ", description_, " does not compile the kernels for ", wanted.name,
                                     ": ", calls.error_text(result), log.empty() ? "" : "\n" + log));
        }
        return program;
    });
}

}  // namespace zerofab::gpu
