// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// NVRTC, NVIDIA's run-time compiler.
#pragma once

#include "device/cuda/library.hpp"
#include "device/gpu/compiler.hpp"

namespace zerofab::cuda {

/// The functions of libnvrtc.so.
struct Nvrtc : gpu::CompilerCalls {
    Nvrtc()
        : CompilerCalls(Names{"nvrtcVersion", "nvrtcGetErrorString", "nvrtcCreateProgram", "nvrtcDestroyProgram",
                              "nvrtcCompileProgram", "nvrtcGetProgramLogSize", "nvrtcGetProgramLog"}) {}

    Symbol<int(gpu::Program, std::size_t*)> cubin_size{this, "nvrtcGetCUBINSize"};
    Symbol<int(gpu::Program, char*)> cubin{this, "nvrtcGetCUBIN"};
    Symbol<int(gpu::Program, std::size_t*)> ptx_size{this, "nvrtcGetPTXSize"};
    Symbol<int(gpu::Program, char*)> ptx{this, "nvrtcGetPTX"};
    Symbol<int(int*)> architecture_count{this, "nvrtcGetNumSupportedArchs"};
    Symbol<int(int*)> architectures{this, "nvrtcGetSupportedArchs"};
};

/// Machine code for the GPU's architecture, or PTX where this NVRTC is older than that (the driver goes on from there).
class Compiler final : public gpu::Compiler {
public:
    Compiler() : gpu::Compiler("cuda", "NVRTC") {}
    /// Open the libnvrtc that suits a driver of this version (ZEROFAB_NVRTC_LIBRARY): its own major version or an older
    /// one, since an older driver refuses what a newer compiler makes.
    void open(const gpu::Opened& driver, int driver_version);

private:
    [[nodiscard]] Target target(std::string_view architecture) const override;

    Nvrtc nvrtc_;
};

}  // namespace zerofab::cuda
