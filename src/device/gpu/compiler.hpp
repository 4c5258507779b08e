// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels' text becomes a program for one architecture: NVRTC and hipRTC, which differ in little but names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "device/gpu/driver.hpp"
#include "device/symbol_table.hpp"

namespace zerofab::gpu {

using Program = struct ProgramObject*;  // nvrtcProgram, hiprtcProgram

/// The calls that both have, by their names in each.
struct CompilerCalls : SymbolTable {
    struct Names {
        const char *version, *error_text, *create, *destroy, *compile, *log_size, *log;
    };
    explicit CompilerCalls(const Names& names)
        : version{this, names.version},
          error_text{this, names.error_text},
          create{this, names.create},
          destroy{this, names.destroy},
          compile{this, names.compile},
          log_size{this, names.log_size},
          log{this, names.log} {}

    Symbol<int(int*, int*)> version;
    Symbol<const char*(int)> error_text;
    Symbol<int(Program*, const char*, const char*, int, const char* const*, const char* const*)> create;
    Symbol<int(Program*)> destroy;
    Symbol<int(Program, int, const char* const*)> compile;
    Symbol<int(Program, std::size_t*)> log_size;
    Symbol<int(Program, char*)> log;
};

/// A run-time compiler that was looked for.  Each vendor's class opens it and says what it makes for an architecture.
class Compiler {
public:
    Compiler(const Compiler&) = delete;
    Compiler& operator=(const Compiler&) = delete;

    /// Why there is none, or empty.
    [[nodiscard]] const std::string& why_not() const noexcept { return opened_.why_not; }
    /// "NVRTC 13.5", "hipRTC 5.2".
    [[nodiscard]] const std::string& description() const noexcept { return description_; }

    /// A program for an architecture such as "sm_90" or "gfx90a", from the cache on disk if it was made before.
    /// DeviceError if there is no compiler, or with its message and log, if it refuses the text or architecture.
    [[nodiscard]] std::string compile(std::string_view text, std::span<const std::string> options,
                                      std::string_view architecture) const;

protected:
    using CodeSize = Symbol<int(Program, std::size_t*)>;
    using Code = Symbol<int(Program, char*)>;

    /// What is asked of the compiler for an architecture, and how messages call that.
    struct Target {
        std::string name;    ///< "sm_90", "gfx942 with ROCm 5.2"
        std::string option;  ///< "--gpu-architecture=sm_90"
        const CodeSize* code_size;
        const Code* code;
    };

    /// `backend` is what errors begin with, `compiler` its name.
    Compiler(const char* backend, const char* compiler) : backend_(backend), compiler_(compiler) {}
    ~Compiler() = default;
    /// It was opened with these calls, or not; `version` is the driver's, a part of the cache's keys.
    void opened(Opened opened, const CompilerCalls& calls, int version);
    /// DeviceError if there is no program for this architecture.
    [[nodiscard]] virtual Target target(std::string_view architecture) const = 0;

private:
    const char* backend_;
    const char* compiler_;
    const CompilerCalls* calls_ = nullptr;
    Opened opened_;
    std::string description_;
    int version_ = 0;
};

}  // namespace zerofab::gpu
