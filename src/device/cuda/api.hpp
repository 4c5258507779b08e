// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's driver as GpuBackend asks for it: the backend "cuda".
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "device/cuda/compiler.hpp"
#include "device/cuda/library.hpp"
#include "device/kernel_text.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab::cuda {

/// Work is in the primary context of each device, which torch, CuPy and numba use too: it is retained at the first use
/// and never released.  Calls push it and pop it, so that the thread's current context stays what it was.
struct Api {
    using Driver = cuda::Driver;
    using Compiler = cuda::Compiler;

    static constexpr BackendKind kind = BackendKind::cuda;
    static constexpr const char* name = "cuda";
    static constexpr KernelLanguage language = KernelLanguage::cuda;
    static constexpr BackendFacts facts{
        .names = {"cuda"},
        .amrex_name = "CUDA",
        .array_module = "cupy",
        .array_package = "cupy-cuda12x or cupy-cuda13x",
        .array_converter = "to_cupy",
        .dlpack_device = 2,    // kDLCUDA
        .dlpack_managed = 13,  // kDLCUDAManaged
        .dlpack_pinned = 3,    // kDLCUDAHost
        .cuda_interface = BackendFacts::CudaInterface::with_stream,
        .stream_attributes = {"__cuda_stream__", "cuda_stream", "ptr"},
        .integer_streams = true,
        .stream_forms = "an address, an object with `ptr` or `cuda_stream`, or None",
    };

    struct Gpu {
        int number = 0;  ///< CUdevice
        std::atomic<Context> context{nullptr};
    };

    /// The primary context of a device is current while this lives.
    class Current {
    public:
        Current(const Driver& driver, Gpu& gpu);
        ~Current();
        Current(const Current&) = delete;
        Current& operator=(const Current&) = delete;

    private:
        const Driver& driver_;
    };

    static gpu::Opened open(Driver& driver, int& version) { return open_driver(driver, version); }
    /// "driver for CUDA 13.0".
    static std::string version_text(int version);
    static DeviceInfo describe(const Driver& driver, int number, Gpu& gpu);

    static std::string error_text(const Driver& driver, Result result) { return cuda::error_text(driver, result); }
    static void clear_error(const Driver&) noexcept {}  // there is no last error

    static Result copy(const Driver& driver, void* to, const void* from, std::size_t bytes, Stream stream) {
        return driver.copy(to, from, bytes, stream.handle);
    }
    /// Whether this is the host's own memory, which the driver does not know.
    static bool is_pageable(const Driver& driver, const void* data);
    /// The number of a stream's device, in whichever context it was made; that of `here`, which is current, if the
    /// driver does not say.
    static int device_of(const Driver& driver, Stream stream, const Gpu& here);

    /// By the numbers of DLPack: 1 is the legacy default stream, 2 the thread's own; an object says 0 for the legacy
    /// one.
    static Stream named_stream(std::intptr_t number, bool is_object);
    static std::optional<std::intptr_t> stream_number(Stream stream) noexcept;
};

}  // namespace zerofab::cuda
