// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The hipRTC of the tests' own, part of their libamdhip64: the text of kernels/ compiles, without looking.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core.hpp"

namespace {

constexpr int ok = 0;

struct Program {
    std::string text, log, code;
};

}  // namespace

extern "C" {

int hiprtcVersion(int* major, int* minor) {
    *major = 9;
    *minor = 0;
    return ok;
}
const char* hiprtcGetErrorString(int) { return "HIPRTC_ERROR_COMPILATION"; }
int hiprtcCreateProgram(Program** program, const char* text, const char*, int, const char**, const char**) {
    *program = new Program{text, {}, {}};
    return fake::called("hiprtcCreateProgram");
}
int hiprtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return ok;
}
int hiprtcCompileProgram(Program* program, int count, const char** options) {
    if (const int result = fake::called("hiprtcCompileProgram"); result != ok) return result;
    const std::vector<std::string> all(options, options + count);
    if (!all[0].starts_with("--offload-arch=gfx9")) std::abort();  // as the real one does for what it does not know
    program->code = fake::compile(program->text, all, program->log);
    return program->code.empty() ? 6 : ok;
}
int hiprtcGetProgramLogSize(Program* program, std::size_t* bytes) {
    *bytes = program->log.size() + 1;
    return ok;
}
int hiprtcGetProgramLog(Program* program, char* log) {
    std::strcpy(log, program->log.c_str());
    return ok;
}
int hiprtcGetCodeSize(Program* program, std::size_t* bytes) {
    *bytes = program->code.size();
    return ok;
}
int hiprtcGetCode(Program* program, char* code) {
    std::memcpy(code, program->code.data(), program->code.size());
    return ok;
}

}  // extern "C"
