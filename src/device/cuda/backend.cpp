// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>

#include "device/backends.hpp"
#include "device/cuda/api.hpp"
#include "device/gpu/launch.hpp"
#include "device/gpu/memory.hpp"
#include "device/gpu/open.hpp"
#include "device/gpu/stream.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab {
namespace cuda {

using gpu::check;
using gpu::success;

std::string Api::version_text(int version) { return "driver for CUDA " + dotted(version); }

DeviceInfo Api::describe(const Driver& driver, int number, Gpu& gpu) {
    constexpr int major_attribute = 75, minor_attribute = 76;
    char called[256] = {};
    int major = 0, minor = 0;
    DeviceInfo info;
    check<Api>(driver, driver.device(&gpu.number, number), "naming a device");
    check<Api>(driver, driver.device_name(called, static_cast<int>(sizeof called) - 1, gpu.number), "naming a device");
    check<Api>(driver, driver.device_attribute(&major, major_attribute, gpu.number), "asking for the architecture");
    check<Api>(driver, driver.device_attribute(&minor, minor_attribute, gpu.number), "asking for the architecture");
    check<Api>(driver, driver.device_memory(&info.bytes, gpu.number), "asking for the size of memory");
    info.name = called;
    info.architecture = concat("sm_", major * 10 + minor);
    return info;
}

Api::Current::Current(const Driver& driver, Gpu& gpu) : driver_(driver) {
    Context context = gpu.context.load(std::memory_order_acquire);
    if (context == nullptr) {
        // Threads that come together retain it more than once, which is harmless: it is never released.
        const Blocking making;
        check<Api>(driver, driver.retain_context(&context, gpu.number), "taking the primary context");
        gpu.context.store(context, std::memory_order_release);
    }
    check<Api>(driver, driver.push(context), "making the context current");
}

Api::Current::~Current() {
    Context gone = nullptr;
    driver_.pop(&gone);
}

bool Api::is_pageable(const Driver& driver, const void* data) {
    constexpr int memory_type = 2;
    unsigned type = 0;
    return driver.pointer_attribute(&type, memory_type, data) != success || type == 0;
}

int Api::device_of(const Driver& driver, Stream stream, const Gpu& here) {
    Context its = nullptr;
    if (stream.handle == nullptr || !driver.stream_context || driver.stream_context(stream.handle, &its) != success ||
        its == nullptr || its == here.context) {
        return here.number;
    }
    int number = here.number;
    check<Api>(driver, driver.push(its), "making the stream's context current");
    const Result result = driver.current_device(&number);
    driver.pop(&its);
    check<Api>(driver, result, "asking for the stream's device");
    return number;
}

Stream Api::named_stream(std::intptr_t number, bool is_object) {
    if (number < 1 && !(is_object && number == 0)) {
        throw ValueError(
            concat("stream ", number,
                   " is none of CUDA's: 1 is the legacy default stream, 2 that of the thread, -1 asks for no "
                   "order, and any other number is a stream's address"));
    }
    return {number <= 1 ? nullptr : reinterpret_cast<void*>(number)};  // NOLINT: a handle of the vendor's
}

std::optional<std::intptr_t> Api::stream_number(Stream stream) noexcept {
    return stream.handle == nullptr ? 1 : reinterpret_cast<std::intptr_t>(stream.handle);
}

}  // namespace cuda

template class gpu::GpuBackend<cuda::Api>;

Backend& cuda_backend() {
    static auto& cuda = *new gpu::GpuBackend<cuda::Api>;  // never destroyed: memory is freed after static destructors
    return cuda;
}

}  // namespace zerofab
