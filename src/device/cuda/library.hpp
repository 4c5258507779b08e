// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's driver and run-time compiler: the functions that are used, found at run time.  No vendor header is needed.
#pragma once

#include <cstddef>
#include <string>

#include "device/symbol_table.hpp"

namespace zerofab::cuda {

// The few types of the driver's interface, as its ABI has them since CUDA 4.
using Result = int;                       // CUresult
using Context = struct ContextObject*;    // CUcontext
using Module = struct ModuleObject*;      // CUmodule
using Function = struct FunctionObject*;  // CUfunction
using Program = struct ProgramObject*;    // nvrtcProgram
using Address = unsigned long long;       // CUdeviceptr

inline constexpr Result success = 0;
inline constexpr Result out_of_memory = 2;
inline constexpr Result deinitialized = 4;  // the process exits
inline constexpr Result no_device = 100;
inline constexpr Result not_ready = 600;
inline constexpr Result captured_event = 907;

/// The driver, libcuda.so.1.
struct Driver : SymbolTable {
    Symbol<Result(unsigned)> init{this, "cuInit"};
    Symbol<Result(int*)> version{this, "cuDriverGetVersion"};
    Symbol<Result(Result, const char**)> error_name{this, "cuGetErrorName"};
    Symbol<Result(Result, const char**)> error_text{this, "cuGetErrorString"};
    Symbol<Result(int*)> device_count{this, "cuDeviceGetCount"};
    Symbol<Result(int*, int)> device{this, "cuDeviceGet"};
    Symbol<Result(char*, int, int)> device_name{this, "cuDeviceGetName"};
    Symbol<Result(int*, int, int)> device_attribute{this, "cuDeviceGetAttribute"};
    Symbol<Result(std::size_t*, int)> device_memory{this, "cuDeviceTotalMem_v2"};
    Symbol<Result(Context*, int)> retain_context{this, "cuDevicePrimaryCtxRetain"};
    Symbol<Result(Context)> push{this, "cuCtxPushCurrent_v2"};
    Symbol<Result(Context*)> pop{this, "cuCtxPopCurrent_v2"};
    Symbol<Result(int*)> current_device{this, "cuCtxGetDevice"};

    Symbol<Result(Address*, std::size_t)> allocate_device{this, "cuMemAlloc_v2"};
    Symbol<Result(Address*, std::size_t, unsigned)> allocate_managed{this, "cuMemAllocManaged"};
    Symbol<Result(void**, std::size_t, unsigned)> allocate_pinned{this, "cuMemHostAlloc"};
    Symbol<Result(Address)> free_device{this, "cuMemFree_v2"};
    Symbol<Result(void*)> free_pinned{this, "cuMemFreeHost"};
    Symbol<Result(void*, int, Address)> pointer_attribute{this, "cuPointerGetAttribute"};

    Symbol<Result(Address, Address, std::size_t, void*)> copy{this, "cuMemcpyAsync"};
    Symbol<Result(Address, unsigned char, std::size_t, void*)> fill{this, "cuMemsetD8Async"};
    Symbol<Result(void*)> synchronize{this, "cuStreamSynchronize"};
    Symbol<Result()> synchronize_all{this, "cuCtxSynchronize"};
    Symbol<Result(void*, int*)> capture_status{this, "cuStreamIsCapturing", optional};
    Symbol<Result(void*, void*, unsigned)> wait{this, "cuStreamWaitEvent"};
    Symbol<Result(void*, Context*)> stream_context{this, "cuStreamGetCtx", optional};
    Symbol<Result(void**, unsigned)> create_event{this, "cuEventCreate"};
    Symbol<Result(void*, void*)> record{this, "cuEventRecord"};
    Symbol<Result(void*)> query{this, "cuEventQuery"};
    Symbol<Result(void*)> destroy_event{this, "cuEventDestroy_v2"};

    Symbol<Result(Module*, const void*)> load_module{this, "cuModuleLoadData"};
    Symbol<Result(Function*, Module, const char*)> function{this, "cuModuleGetFunction"};
    Symbol<Result(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                  void**)>
        launch{this, "cuLaunchKernel"};
};

/// The run-time compiler, libnvrtc.so.
struct Nvrtc : SymbolTable {
    Symbol<int(int*, int*)> version{this, "nvrtcVersion"};
    Symbol<const char*(int)> error_text{this, "nvrtcGetErrorString"};
    Symbol<int(Program*, const char*, const char*, int, const char* const*, const char* const*)> create{
        this, "nvrtcCreateProgram"};
    Symbol<int(Program*)> destroy{this, "nvrtcDestroyProgram"};
    Symbol<int(Program, int, const char* const*)> compile{this, "nvrtcCompileProgram"};
    Symbol<int(Program, std::size_t*)> log_size{this, "nvrtcGetProgramLogSize"};
    Symbol<int(Program, char*)> log{this, "nvrtcGetProgramLog"};
    Symbol<int(Program, std::size_t*)> cubin_size{this, "nvrtcGetCUBINSize"};
    Symbol<int(Program, char*)> cubin{this, "nvrtcGetCUBIN"};
    Symbol<int(Program, std::size_t*)> ptx_size{this, "nvrtcGetPTXSize"};
    Symbol<int(Program, char*)> ptx{this, "nvrtcGetPTX"};
    Symbol<int(int*)> architecture_count{this, "nvrtcGetNumSupportedArchs"};
    Symbol<int(int*)> architectures{this, "nvrtcGetSupportedArchs"};
};

/// A library that was looked for.
struct Opened {
    std::string path;     ///< empty if it cannot be used
    std::string why_not;  ///< then what was searched and what to install
};

/// Open libcuda.so.1 (ZEROFAB_CUDA_LIBRARY) and start the driver.  Never throws for what is missing.
[[nodiscard]] Opened open_driver(Driver& driver, int& version);

/// Open the libnvrtc that suits a driver of this version (ZEROFAB_NVRTC_LIBRARY): its own major version or an older
/// one, since an older driver refuses what a newer compiler makes.
[[nodiscard]] Opened open_nvrtc(Nvrtc& nvrtc, int driver_version);

/// The driver's words for a result: "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
[[nodiscard]] std::string words(const Driver& driver, Result result);

/// MemoryError or DeviceError "cuda: `what` failed: ..." unless the result is success.
void check(const Driver& driver, Result result, const char* what);

}  // namespace zerofab::cuda
