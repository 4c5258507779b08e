// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <cctype>
#include <cstdint>
#include <cstring>
#include <vector>

#include "device/backends.hpp"
#include "device/gpu/launch.hpp"
#include "device/gpu/memory.hpp"
#include "device/gpu/open.hpp"
#include "device/gpu/stream.hpp"
#include "device/hip/api.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab {
namespace hip {

using gpu::check;
using gpu::success;

namespace {

/// "gfx90a" of "gfx90a:sramecc+:xnack-": code for the plain name runs with any setting of the features.
///
/// The record that the run time fills is another one in each major version, so the name is looked for: the only text
/// behind the device's name (256 bytes) that begins with "gfx" and a number.
std::string architecture(const Driver& driver, int device) {
    std::vector<char> record(16384);
    const auto& properties = driver.properties_of_6 ? driver.properties_of_6 : driver.properties;
    check<Api>(driver, properties(record.data(), device), "asking for the architecture");
    for (std::size_t at = 256; at + 16 < record.size(); ++at) {
        const char* text = record.data() + at;
        if (std::strncmp(text, "gfx", 3) != 0 || text[3] < '0' || text[3] > '9') continue;
        std::size_t length = 3;
        while (length < 16 && std::isalnum(static_cast<unsigned char>(text[length])) != 0) ++length;
        return {text, length};
    }
    return "unknown";
}

}  // namespace

DeviceInfo Api::describe(const Driver& driver, int number, Gpu& gpu) {
    char called[256] = {};
    DeviceInfo info;
    check<Api>(driver, driver.device_name(called, static_cast<int>(sizeof called) - 1, number), "naming a device");
    check<Api>(driver, driver.device_memory(&info.bytes, number), "asking for the size of memory");
    info.name = called;
    info.architecture = architecture(driver, number);
    gpu.number = number;
    return info;
}

Api::Current::Current(const Driver& driver, const Gpu& gpu) : driver_(driver) {
    check<Api>(driver, driver.get_device(&before_), "asking for the current device");
    if (before_ == gpu.number) return;
    check<Api>(driver, driver.set_device(gpu.number), "making the device current");
    changed_ = true;
}

Api::Current::~Current() {
    if (changed_) static_cast<void>(driver_.set_device(before_));
}

bool Api::is_pageable(const Driver& driver, const void* data) {
    int record[64] = {};  // it begins with the type of memory; 0 is unknown memory, in ROCm 5 also pinned memory
    if (driver.pointer_attributes(record, data) == success) return record[0] == 0;
    clear_error(driver);
    return true;
}

int Api::device_of(const Driver& driver, Stream stream, const Gpu& here) {
    int its = here.number;
    if (stream.handle != nullptr && driver.stream_device) {
        check<Api>(driver, driver.stream_device(stream.handle, &its),
                   "asking for the stream's device (is it a stream?)");
    }
    return its;
}

Stream Api::named_stream(std::intptr_t number, bool) {
    if (number < 0 || number == 1 || number == 2) {
        throw ValueError(
            concat("stream ", number,
                   " is none of ROCm's: 0 is the default stream, -1 asks for no order, and any other number is "
                   "a stream's address"));
    }
    return {reinterpret_cast<void*>(number)};  // NOLINT: a handle of the vendor's
}

}  // namespace hip

template class gpu::GpuBackend<hip::Api>;

Backend& hip_backend() {
    static auto& hip = *new gpu::GpuBackend<hip::Api>;  // never destroyed: memory is freed after static destructors
    return hip;
}

}  // namespace zerofab
