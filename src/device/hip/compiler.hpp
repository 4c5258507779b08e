// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// hipRTC, ROCm's run-time compiler.
#pragma once

#include "device/gpu/compiler.hpp"
#include "device/hip/library.hpp"

namespace zerofab::hip {

/// The functions of hipRTC: part of libamdhip64 in ROCm 5, libhiprtc since.
struct Hiprtc : gpu::CompilerCalls {
    Hiprtc()
        : CompilerCalls(Names{"hiprtcVersion", "hiprtcGetErrorString", "hiprtcCreateProgram", "hiprtcDestroyProgram",
                              "hiprtcCompileProgram", "hiprtcGetProgramLogSize", "hiprtcGetProgramLog"}) {}

    Symbol<int(gpu::Program, std::size_t*)> code_size{this, "hiprtcGetCodeSize"};
    Symbol<int(gpu::Program, char*)> code{this, "hiprtcGetCode"};
};

/// The part of ROCm that hipRTC compiles with, libamd_comgr.so: asked for what it compiles for.
struct Comgr : SymbolTable {
    Symbol<int(std::size_t*)> count{this, "amd_comgr_get_isa_count"};
    Symbol<int(std::size_t, const char**)> name{this, "amd_comgr_get_isa_name"};
};

/// Machine code for the GPU's architecture, whichever this ROCm knows.
///
/// The hipRTC of ROCm 5 ends the process over an architecture that it does not know, so the library below it is asked
/// first, which only lists what it knows.  Where that cannot be, ROCm 5 is not asked, and newer ones say no themselves.
class Compiler final : public gpu::Compiler {
public:
    Compiler() : gpu::Compiler("hip", "hipRTC") {}
    /// Find hipRTC in libamdhip64 or in the libhiprtc of the same major version (ZEROFAB_HIPRTC_LIBRARY).
    void open(const gpu::Opened& driver, int version);

private:
    [[nodiscard]] Target target(std::string_view architecture) const override;

    Hiprtc hiprtc_;
    Comgr comgr_;
    bool lists_ = false;         ///< whether comgr_ can be asked
    bool ends_process_ = false;  ///< over an unknown architecture
    std::string rocm_;           ///< "ROCm 5.2"
};

}  // namespace zerofab::hip
