// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// AMD's run time: the functions that are used, found at run time.  No vendor header is needed.
#pragma once

#include <cstddef>
#include <string>

#include "device/gpu/driver.hpp"
#include "device/library_finder.hpp"
#include "device/symbol_table.hpp"

namespace zerofab::hip {

using gpu::Function;
using gpu::Module;
using gpu::Result;

inline constexpr const char* remedy = "; install ROCm 5 or newer (it brings libamdhip64.so and hipRTC)";

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

/// Open libamdhip64.so (ZEROFAB_HIP_LIBRARY) and start it.  Never throws for what is missing.  The version is that of
/// the run time, 50221153 for 5.2.21153.
[[nodiscard]] gpu::Opened open_driver(Driver& driver, int& version);

/// "5.2" of 50221153.
[[nodiscard]] std::string dotted(int version);

/// Major versions of a library.
struct Majors {
    int newest, oldest;
};
/// "libamdhip64.so.7" ... "libamdhip64.so.5", and where ROCm's own and Python's packages put them.
[[nodiscard]] LibraryNames library_names(const char* variable, const std::string& library, Majors majors);

/// The run time's message for a result: "hipErrorNoDevice (no ROCm-capable device is detected)".  Forgets it as the
/// thread's last error, for other libraries would take that for theirs.
[[nodiscard]] std::string error_text(const Driver& driver, Result result);

}  // namespace zerofab::hip
