// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// GpuBackend: streams and events.
#pragma once

#include <cstdint>

#include "device/fork_count.hpp"
#include "device/gpu/backend.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::gpu {

template <class Api>
Stream GpuBackend<Api>::default_stream(int device) {
    static_cast<void>(gpu(device));
    return {};
}

template <class Api>
Stream GpuBackend<Api>::named_stream(int, std::intptr_t number, bool is_object) {
    return Api::named_stream(number, is_object);
}

template <class Api>
std::optional<std::intptr_t> GpuBackend<Api>::stream_number(Stream stream) const noexcept {
    return Api::stream_number(stream);
}

template <class Api>
bool GpuBackend<Api>::is_per_thread(Stream stream) const noexcept {
    return reinterpret_cast<std::uintptr_t>(stream.handle) == 2;  // CU_STREAM_PER_THREAD, hipStreamPerThread
}

template <class Api>
void GpuBackend<Api>::synchronize(int device, Stream stream) {
    const Blocking waiting;
    const Here here(driver_, own(device));
    require(driver_.synchronize(stream.handle), "waiting for the stream");
}

template <class Api>
void GpuBackend<Api>::synchronize_all(int device) {
    const Blocking waiting;
    const Here here(driver_, own(device));
    require(driver_.synchronize_all(), "waiting for the device");
}

template <class Api>
bool GpuBackend<Api>::capturing(int device, Stream stream) {
    if (!driver_.capture_status) return false;
    const Here here(driver_, own(device));
    int status = 0;
    // The legacy stream cannot be captured, and asking about it while another stream is, is an error.
    return quiet(driver_.capture_status(stream.handle, &status)) != success || status != 0;
}

template <class Api>
Event GpuBackend<Api>::record(int device, Stream stream) {
    constexpr unsigned without_time = 2;
    const Blocking waiting;
    const Here here(driver_, own(device));
    void* event = nullptr;
    require(driver_.create_event(&event, without_time), "making an event");
    if (const Result result = driver_.record(event, stream.handle); result != success) {
        driver_.destroy_event(event);
        require(result, "recording an event on the stream (is it a stream of this device?)");
    }
    return {event};
}

template <class Api>
void GpuBackend<Api>::wait(int device, Stream stream, Event event) {
    if (event.handle == nullptr) return;
    const Blocking waiting;
    typename Api::Gpu& mine = own(device);
    const Here here(driver_, mine);
    // The driver would let a stream of another device wait, and the mistake would go unseen.
    const int its = Api::device_of(driver_, stream, mine);
    for (std::size_t n = 0; its != mine.number && n < gpus_.size(); ++n) {
        if (gpus_[n]->own.number != its) continue;
        throw ValueError(concat(Api::name, ": the stream belongs to device ", n, ", the memory to device ", device));
    }
    require(driver_.wait(stream.handle, event.handle, 0), "making the stream wait for an event");
}

template <class Api>
bool GpuBackend<Api>::reached(int device, Event event) {
    if (event.handle == nullptr) return true;
    const Here here(driver_, own(device));
    const Result result = driver_.query(event.handle);
    if (result != not_ready && result != captured_event) {
        require(result, "asking for an event");
        return true;
    }
    Api::clear_error(driver_);
    return false;
}

template <class Api>
void GpuBackend<Api>::forget(int, Event event) noexcept {
    if (event.handle == nullptr || fork_count() != forks_) return;
    quiet(driver_.destroy_event(event.handle));  // at once, or when it is reached; needs no current device
}

}  // namespace zerofab::gpu
