// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's driver: the functions that are used, found at run time.  No vendor header is needed.
#pragma once

#include <cstddef>
#include <string>

#include "device/gpu/driver.hpp"
#include "device/symbol_table.hpp"

namespace zerofab::cuda {

using gpu::Function;
using gpu::Module;
using gpu::Result;
using Context = struct ContextObject*;  // CUcontext

/// The driver, libcuda.so.1.  An address of its (CUdeviceptr), an integer of a pointer's size, is a pointer here.
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

    Symbol<Result(void**, std::size_t)> allocate_device{this, "cuMemAlloc_v2"};
    Symbol<Result(void**, std::size_t, unsigned)> allocate_managed{this, "cuMemAllocManaged"};
    Symbol<Result(void**, std::size_t, unsigned)> allocate_pinned{this, "cuMemHostAlloc"};
    Symbol<Result(void*)> free_device{this, "cuMemFree_v2"};
    Symbol<Result(void*)> free_pinned{this, "cuMemFreeHost"};
    Symbol<Result(void*, int, const void*)> pointer_attribute{this, "cuPointerGetAttribute"};

    Symbol<Result(void*, const void*, std::size_t, void*)> copy{this, "cuMemcpyAsync"};
    Symbol<Result(void*, unsigned char, std::size_t, void*)> fill{this, "cuMemsetD8Async"};
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

/// Open libcuda.so.1 (ZEROFAB_CUDA_LIBRARY) and start the driver.  Never throws for what is missing.
[[nodiscard]] gpu::Opened open_driver(Driver& driver, int& version);

/// "12.4" of 12040.
[[nodiscard]] std::string dotted(int version);

/// The driver's message for a result: "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
[[nodiscard]] std::string error_text(const Driver& driver, Result result);

}  // namespace zerofab::cuda
