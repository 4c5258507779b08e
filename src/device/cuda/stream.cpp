// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/backend.hpp"
#include "device/fork_count.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::cuda {

Stream CudaBackend::default_stream(int device) {
    static_cast<void>(gpu(device));
    return {};
}

void CudaBackend::synchronize(int device, Stream stream) {
    const Here here(*this, device);
    const Blocking waiting;
    check(driver_, driver_.synchronize(stream.handle), "waiting for the stream");
}

void CudaBackend::synchronize_all(int device) {
    const Here here(*this, device);
    const Blocking waiting;
    check(driver_, driver_.synchronize_all(), "waiting for the device");
}

bool CudaBackend::capturing(int device, Stream stream) {
    if (!driver_.capture_status) return false;
    const Here here(*this, device);
    int status = 0;
    // The legacy stream cannot be captured, and asking about it while another stream is, is an error.
    return driver_.capture_status(stream.handle, &status) != success || status != 0;
}

Event CudaBackend::record(int device, Stream stream) {
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

void CudaBackend::wait(int device, Stream stream, Event event) {
    if (event.handle == nullptr) return;
    const Here here(*this, device);
    // The driver would let a stream of another device wait, and the mistake would go unseen.
    if (const int its = device_of(stream, device); its != device) {
        throw ValueError("cuda: the stream belongs to device " + std::to_string(its) + ", the memory to device " +
                         std::to_string(device));
    }
    check(driver_, driver_.wait(stream.handle, event.handle, 0), "making the stream wait for an event");
}

/// The device of a stream, in whichever context it was made; `here` if the driver does not say.
int CudaBackend::device_of(Stream stream, int here) {
    Context its = nullptr;
    if (stream.handle == nullptr || !driver_.stream_context || driver_.stream_context(stream.handle, &its) != success ||
        its == nullptr || its == gpu(here).context) {
        return here;
    }
    int number = gpu(here).number;
    check(driver_, driver_.push(its), "making the stream's context current");
    const Result result = driver_.current_device(&number);
    driver_.pop(&its);
    check(driver_, result, "asking for the stream's device");
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        if (gpus_[i]->number == number) return static_cast<int>(i);
    }
    return here;
}

bool CudaBackend::reached(int device, Event event) {
    if (event.handle == nullptr) return true;
    const Here here(*this, device);
    const Result result = driver_.query(event.handle);
    if (result == not_ready || result == captured_event) return false;
    check(driver_, result, "asking for an event");
    return true;
}

void CudaBackend::forget(int, Event event) noexcept {
    if (event.handle == nullptr || fork_count() != forks_) return;
    driver_.destroy_event(event.handle);  // at once, or when it is reached; needs no current context
}

}  // namespace zerofab::cuda
