// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ROCm's run time as GpuBackend asks for it: the backend "hip".
#pragma once

#include <optional>
#include <string>

#include "device/hip/compiler.hpp"
#include "device/hip/library.hpp"
#include "device/kernel_text.hpp"
#include "zerofab/device/backend.hpp"

namespace zerofab::hip {

/// Calls make the device the thread's current one and then the earlier one again.  A call that fails leaves the
/// thread's last error, which is cleared each time: another library would take it for its own.
struct Api {
    using Driver = hip::Driver;
    using Compiler = hip::Compiler;

    static constexpr BackendKind kind = BackendKind::hip;
    static constexpr const char* name = "hip";
    static constexpr KernelLanguage language = KernelLanguage::hip;
    static constexpr BackendFacts facts{
        .names = {"rocm", "hip"},
        .amrex_name = "HIP",
        .array_module = "cupy",
        .array_package = "cupy-rocm (CuPy built for ROCm)",
        .array_converter = "to_cupy",
        .dlpack_device = 10,                                      // kDLROCM
        .dlpack_managed = 10,                                     // there is no type for it
        .dlpack_pinned = 11,                                      // kDLROCMHost
        .cuda_interface = BackendFacts::CudaInterface::finished,  // consumers do not agree on the numbers of streams
        .stream_attributes = {"__cuda_stream__", "cuda_stream", "ptr"},
        .integer_streams = true,
        .stream_forms = "an address, an object with `ptr` or `cuda_stream`, or None",
    };

    struct Gpu {
        int number = 0;
    };

    /// A device is the thread's current one while this lives.
    class Current {
    public:
        Current(const Driver& driver, const Gpu& gpu);
        ~Current();
        Current(const Current&) = delete;
        Current& operator=(const Current&) = delete;

    private:
        const Driver& driver_;
        int before_ = 0;
        bool changed_ = false;
    };

    static gpu::Opened open(Driver& driver, int& version) { return open_driver(driver, version); }
    /// "HIP 6.2".
    static std::string version_text(int version) { return "HIP " + dotted(version); }
    static DeviceInfo describe(const Driver& driver, int number, Gpu& gpu);

    static std::string error_text(const Driver& driver, Result result) { return hip::error_text(driver, result); }
    static void clear_error(const Driver& driver) noexcept { static_cast<void>(driver.last_error()); }

    static Result copy(const Driver& driver, void* to, const void* from, std::size_t bytes, Stream stream) {
        constexpr int by_the_addresses = 4;
        return driver.copy(to, from, bytes, by_the_addresses, stream.handle);
    }
    /// Whether this is the host's own memory, which the run time does not know.
    static bool is_pageable(const Driver& driver, const void* data);
    /// The number of a stream's device; that of `here` if the run time does not say.
    static int device_of(const Driver& driver, Stream stream, const Gpu& here);

    /// By the numbers of DLPack: 0 is the default stream.
    static Stream named_stream(std::intptr_t number, bool is_object);
    static std::optional<std::intptr_t> stream_number(Stream stream) noexcept {
        return reinterpret_cast<std::intptr_t>(stream.handle);
    }
};

}  // namespace zerofab::hip
