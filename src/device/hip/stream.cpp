// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fork_count.hpp"
#include "device/hip/backend.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/blocking.hpp"

namespace zerofab::hip {

Stream HipBackend::default_stream(int device) {
    static_cast<void>(gpu(device));
    return {};
}

void HipBackend::synchronize(int device, Stream stream) {
    const Here here(*this, device);
    const Blocking waiting;
    check(driver_, driver_.synchronize(stream.handle), "waiting for the stream");
}

void HipBackend::synchronize_all(int device) {
    const Here here(*this, device);
    const Blocking waiting;
    check(driver_, driver_.synchronize_all(), "waiting for the device");
}

bool HipBackend::capturing(int device, Stream stream) {
    if (!driver_.capture_status) return false;
    const Here here(*this, device);
    int status = 0;
    // The legacy stream cannot be captured, and asking about it while another stream is, is an error.
    if (driver_.capture_status(stream.handle, &status) == success) return status != 0;
    static_cast<void>(driver_.last_error());
    return true;
}

Event HipBackend::record(int device, Stream stream) {
    constexpr unsigned without_time = 2;
    const Here here(*this, device);
    void* event = nullptr;
    check(driver_, driver_.create_event(&event, without_time), "making an event");
    if (const Result result = driver_.record(event, stream.handle); result != success) {
        driver_.destroy_event(event);
        check(driver_, result, "recording an event on the stream (is it a stream of this device?)");
    }
    return {event};
}

void HipBackend::wait(int device, Stream stream, Event event) {
    if (event.handle == nullptr) return;
    const Here here(*this, device);
    // The driver would let a stream of another device wait, and the mistake would go unseen.
    int its = device;
    if (stream.handle != nullptr && driver_.stream_device) {
        check(driver_, driver_.stream_device(stream.handle, &its), "asking for the stream's device (is it a stream?)");
    }
    if (its != device) {
        throw ValueError("hip: the stream belongs to device " + std::to_string(its) + ", the memory to device " +
                         std::to_string(device));
    }
    check(driver_, driver_.wait(stream.handle, event.handle, 0), "making the stream wait for an event");
}

bool HipBackend::reached(int device, Event event) {
    if (event.handle == nullptr) return true;
    const Here here(*this, device);
    const Result result = driver_.query(event.handle);
    if (result == not_ready || result == captured_event) {
        static_cast<void>(driver_.last_error());
        return false;
    }
    check(driver_, result, "asking for an event");
    return true;
}

void HipBackend::forget(int, Event event) noexcept {
    if (event.handle == nullptr || fork_count() != forks_) return;
    static_cast<void>(driver_.destroy_event(event.handle));  // at once, or when it is reached
}

}  // namespace zerofab::hip
