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
    Context its = nullptr;
    if (stream.handle != nullptr && driver_.stream_context && driver_.stream_context(stream.handle, &its) == success) {
        for (std::size_t other = 0; other < gpus_.size(); ++other) {
            if (static_cast<int>(other) != device && its != nullptr && gpus_[other]->context == its) {
                throw ValueError("cuda: the stream belongs to device " + std::to_string(other) +
                                 ", the memory to device " + std::to_string(device));
            }
        }
    }
    check(driver_, driver_.wait(stream.handle, event.handle, 0), "making the stream wait for an event");
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
