// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The hipRTC of the tests' own, part of their libamdhip64, and the list of architectures of comgr below it: the text of
// kernels/ compiles, without looking.
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "core.hpp"

namespace {

constexpr int ok = 0, compilation = 6;

struct Program {
    std::string text, log, code;
};

/// The architectures that there are; none where the list cannot be asked for.
const std::vector<std::string>& architectures() {
    static const auto all = [] {
        std::istringstream words(fake::text_setting("ZEROFAB_FAKE_ISAS", "gfx906 gfx90a gfx942 gfx1030"));
        std::vector<std::string> names;
        for (std::string word; words >> word;) names.push_back("amdgcn-amd-amdhsa--" + word);
        return names;
    }();
    return all;
}

bool knows(const std::string& option) {
    for (const std::string& name : architectures()) {
        if (option == "--offload-arch=" + name.substr(name.rfind("--") + 2)) return true;
    }
    return false;
}

}  // namespace

extern "C" {

int amd_comgr_get_isa_count(std::size_t* count) {
    *count = architectures().size();
    return fake::called("amd_comgr_get_isa_count");
}
int amd_comgr_get_isa_name(std::size_t number, const char** name) {
    if (number >= architectures().size()) return 2;
    *name = architectures()[number].c_str();
    return ok;
}

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
    if (!knows(all[0])) {
        if (fake::setting("ZEROFAB_FAKE_VERSION", 60200000) < 60000000) std::abort();  // as that of ROCm 5 does
        program->log = "error: unknown target CPU in " + all[0];
        return compilation;
    }
    program->code = fake::compile(program->text, all, program->log);
    return program->code.empty() ? compilation : ok;
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
