// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// AMD's run time and its compiler: the functions that are used, found at run time.  No vendor header is needed.
#pragma once

#include <cstddef>
#include <string>

#include "device/symbol_table.hpp"

namespace zerofab::hip {

// The few types of the interface, as its ABI has them in ROCm 5 to 7.
using Result = int;                       // hipError_t
using Module = struct ModuleObject*;      // hipModule_t
using Function = struct FunctionObject*;  // hipFunction_t
using Program = struct ProgramObject*;    // hiprtcProgram

inline constexpr Result success = 0;
inline constexpr Result out_of_memory = 2;
inline constexpr Result not_ready = 600;
inline constexpr Result captured_event = 907;

/// The run time, libamdhip64.so.
struct Driver : SymbolTable {
    Symbol<Result(unsigned)> init{this, "hipInit"};
    Symbol<Result(int*)> version{this, "hipRuntimeGetVersion"};
    Symbol<const char*(Result)> error_name{this, "hipGetErrorName"};
    Symbol<const char*(Result)> error_text{this, "hipGetErrorString"};
    Symbol<Result()> last_error{this, "hipGetLastError"};
    Symbol<Result(int*)> device_count{this, "hipGetDeviceCount"};
    Symbol<Result(char*, int, int)> device_name{this, "hipDeviceGetName"};
    Symbol<Result(std::size_t*, int)> device_memory{this, "hipDeviceTotalMem"};
    Symbol<Result(void*, int)> properties{this, "hipGetDeviceProperties"};
    Symbol<Result(void*, int)> properties_of_6{this, "hipGetDevicePropertiesR0600", optional};
    Symbol<Result(int*)> get_device{this, "hipGetDevice"};
    Symbol<Result(int)> set_device{this, "hipSetDevice"};

    Symbol<Result(void**, std::size_t)> allocate_device{this, "hipMalloc"};
    Symbol<Result(void**, std::size_t, unsigned)> allocate_managed{this, "hipMallocManaged"};
    Symbol<Result(void**, std::size_t, unsigned)> allocate_pinned{this, "hipHostMalloc"};
    Symbol<Result(void*)> free_device{this, "hipFree"};
    Symbol<Result(void*)> free_pinned{this, "hipHostFree"};
    Symbol<Result(void*, const void*)> pointer_attributes{this, "hipPointerGetAttributes"};

    Symbol<Result(void*, const void*, std::size_t, int, void*)> copy{this, "hipMemcpyAsync"};
    Symbol<Result(void*, int, std::size_t, void*)> fill{this, "hipMemsetAsync"};
    Symbol<Result(void*)> synchronize{this, "hipStreamSynchronize"};
    Symbol<Result()> synchronize_all{this, "hipDeviceSynchronize"};
    Symbol<Result(void*, int*)> capture_status{this, "hipStreamIsCapturing", optional};
    Symbol<Result(void*, void*, unsigned)> wait{this, "hipStreamWaitEvent"};
    Symbol<Result(void*, int*)> stream_device{this, "hipStreamGetDevice", optional};
    Symbol<Result(void**, unsigned)> create_event{this, "hipEventCreateWithFlags"};
    Symbol<Result(void*, void*)> record{this, "hipEventRecord"};
    Symbol<Result(void*)> query{this, "hipEventQuery"};
    Symbol<Result(void*)> destroy_event{this, "hipEventDestroy"};

    Symbol<Result(Module*, const void*)> load_module{this, "hipModuleLoadData"};
    Symbol<Result(Function*, Module, const char*)> function{this, "hipModuleGetFunction"};
    Symbol<Result(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                  void**)>
        launch{this, "hipModuleLaunchKernel"};
};

/// The run-time compiler: part of libamdhip64 in ROCm 5, libhiprtc since.
struct Hiprtc : SymbolTable {
    Symbol<int(int*, int*)> version{this, "hiprtcVersion"};
    Symbol<const char*(int)> error_text{this, "hiprtcGetErrorString"};
    Symbol<int(Program*, const char*, const char*, int, const char**, const char**)> create{this,
                                                                                            "hiprtcCreateProgram"};
    Symbol<int(Program*)> destroy{this, "hiprtcDestroyProgram"};
    Symbol<int(Program, int, const char**)> compile{this, "hiprtcCompileProgram"};
    Symbol<int(Program, std::size_t*)> log_size{this, "hiprtcGetProgramLogSize"};
    Symbol<int(Program, char*)> log{this, "hiprtcGetProgramLog"};
    Symbol<int(Program, std::size_t*)> code_size{this, "hiprtcGetCodeSize"};
    Symbol<int(Program, char*)> code{this, "hiprtcGetCode"};
};

/// A library that was looked for.
struct Opened {
    void* handle = nullptr;  ///< null if it cannot be used
    std::string path;
    std::string why_not;  ///< then what was searched and what to install
};

/// Open libamdhip64.so (ZEROFAB_HIP_LIBRARY) and start it.  Never throws for what is missing.  The version is that of
/// the run time, 50221153 for 5.2.21153.
[[nodiscard]] Opened open_driver(Driver& driver, int& version);

/// Find hipRTC in libamdhip64 or in the libhiprtc of the same major version (ZEROFAB_HIPRTC_LIBRARY).
[[nodiscard]] Opened open_hiprtc(Hiprtc& hiprtc, const Opened& driver, int version);

/// The run time's words for a result: "hipErrorNoDevice (no ROCm-capable device is detected)".  Forgets it as the
/// thread's last error, for other libraries would take that for theirs.
[[nodiscard]] std::string words(const Driver& driver, Result result);

/// MemoryError or DeviceError "hip: `what` failed: ..." unless the result is success.
void check(const Driver& driver, Result result, const char* what);

}  // namespace zerofab::hip
