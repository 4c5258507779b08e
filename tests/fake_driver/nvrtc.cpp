// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A libnvrtc of the tests' own: the text of kernels/ compiles, without looking.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "core.hpp"

namespace {

struct Program {
    std::string text, log, code;
};

constexpr int ok = 0, invalid_input = 3, invalid_option = 5, failed = 6;
constexpr int architectures[] = {75, 80, 86, 90, 100, 120};

int give(const std::string& text, char* out) {
    std::memcpy(out, text.data(), text.size());
    return ok;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return fake::called("nvrtcVersion");
}
const char* nvrtcGetErrorString(int result) {
    return result == failed           ? "NVRTC_ERROR_COMPILATION"
           : result == invalid_option ? "NVRTC_ERROR_INVALID_OPTION"
                                      : "NVRTC_ERROR_INTERNAL_ERROR";
}
int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
    if (const int result = fake::called("nvrtcCreateProgram"); result != ok) return result;
    if (text == nullptr) return invalid_input;
    *program = new Program{text, {}, {}};
    return ok;
}
int nvrtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return fake::called("nvrtcDestroyProgram");
}
int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
    if (const int result = fake::called("nvrtcCompileProgram"); result != ok) return result;
    const std::vector<std::string> all(options, options + count);
    bool known = false;
    for (const int one : architectures) {
        known |= all[0] == "--gpu-architecture=sm_" + std::to_string(one);
        known |= all[0] == "--gpu-architecture=compute_" + std::to_string(one);
    }
    if (!known) return invalid_option;
    program->code = fake::compile(program->text, all, program->log);
    return program->code.empty() ? failed : ok;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
    *bytes = program->log.size() + 1;
    return ok;
}
int nvrtcGetProgramLog(Program* program, char* log) { return give(program->log + '\0', log); }
int nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
    *bytes = program->code.size();
    return ok;
}
int nvrtcGetCUBIN(Program* program, char* code) { return give(program->code, code); }
int nvrtcGetPTXSize(Program* program, std::size_t* bytes) { return nvrtcGetCUBINSize(program, bytes); }
int nvrtcGetPTX(Program* program, char* code) { return nvrtcGetCUBIN(program, code); }
int nvrtcGetNumSupportedArchs(int* count) {
    *count = static_cast<int>(std::size(architectures));
    return ok;
}
int nvrtcGetSupportedArchs(int* all) {
    std::memcpy(all, architectures, sizeof architectures);
    return ok;
}

}  // extern "C"
