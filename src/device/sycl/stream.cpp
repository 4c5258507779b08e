// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "device/sycl/device.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::sycl {
namespace {

/// The last error that came after its command had been taken; 0 if none.
constinit std::atomic<int> late_error{0};
void on_late_error(int code) { late_error = code; }

QueueRef find_equal(const std::vector<QueueRef>& queues, QueueRef wanted) {
    const auto found =
        std::find_if(queues.begin(), queues.end(), [&](QueueRef queue) { return dpctl().queue_equal(queue, wanted); });
    return found == queues.end() ? nullptr : *found;
}

/// Ask until the event has come.  It must not be waited for (event::wait): where it depends on a host task, which dpnp
/// has after each operation and which needs Python's lock, SYCL would wait with its own scheduler locked, and a thread
/// that submits with Python's lock in hand would wait for that.
void wait_for(EventRef event) {
    constexpr int quick = 100;
    constexpr std::chrono::microseconds longest{200};
    std::chrono::microseconds pause{20};
    int status = status_submitted;
    for (int n = 0; (status = dpctl().event_status(event)) == status_submitted || status == status_running; ++n) {
        if (n < quick) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(pause);
            pause = std::min(pause + pause / 8, longest);
        }
    }
    if (status != status_complete) throw DeviceError("sycl: work on the device failed, and its state is unknown");
}

/// Wait for all that the queue holds, by an event: the queue must not be waited for (queue::wait, clFinish) while
/// another thread gives it work, for Intel's CPU runtime (2026.2) then ends the process by a race of its own.
void wait_for_all(QueueRef queue) {
    const Owned all(dpctl().queue_barrier(queue), dpctl().event_delete);
    require(all.get(), "waiting for a queue");
    wait_for(all.get());
}

/// Put what the queue is given from now on after the event; false if it takes no barrier.
bool hold_back(QueueRef queue, EventRef event) noexcept {
    try {
        const Owned barrier(dpctl().queue_barrier_for(queue, &event, 1), dpctl().event_delete);
        return barrier.get() != nullptr;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

void SyclDevice::open() {
    std::call_once(opened_, [this] {
        const Dpctl& call = dpctl();
        const Owned platform(call.device_platform(device_), call.platform_delete);
        require(platform.get(), "asking " + info_.name + " for its platform");
        context_ = call.platform_context(platform.get());
        require(context_, "opening the default context of " + info_.name);
        queue_ = call.queue_create(context_, device_, &on_late_error, in_order);
        require(queue_, "making a queue for " + info_.name);
    });
}

QueueRef SyclDevice::queue() {
    open();
    return queue_;
}

Stream SyclDevice::adopt(QueueRef theirs) {
    open();
    if (theirs == nullptr || theirs == queue_) return {};
    const Dpctl& call = dpctl();
    const Owned device(call.queue_device(theirs), call.device_delete);
    const Owned context(call.queue_context(theirs), call.context_delete);
    if (!call.device_equal(device.get(), device_) || !call.context_equal(context.get(), context_)) {
        throw ValueError("this queue is not one of " + info_.name +
                         " in its platform's default context: make it by dpctl.SyclQueue(device)");
    }
    if (call.queue_equal(theirs, queue_)) return {};
    const std::lock_guard lock(queues_mutex_);
    QueueRef kept = find_equal(adopted_, theirs);
    if (kept == nullptr) {
        adopted_.reserve(adopted_.size() + 1);
        kept = call.queue_copy(theirs);
        require(kept, "sharing a queue");
        adopted_.push_back(kept);
    }
    return {kept};
}

void SyclDevice::add_consumer(QueueRef theirs) {
    const auto* kept = static_cast<QueueRef>(adopt(theirs).handle);
    if (kept == nullptr) return;  // our own
    const std::lock_guard lock(queues_mutex_);
    if (std::find(consumers_.begin(), consumers_.end(), kept) == consumers_.end()) {
        consumers_.push_back(const_cast<QueueRef>(kept));
    }
}

void SyclDevice::synchronize(Stream stream) {
    open();
    std::vector<QueueRef> queues;
    {
        const std::lock_guard lock(queues_mutex_);
        queues = consumers_;
    }
    queues.push_back(stream.handle == nullptr ? queue_ : static_cast<QueueRef>(stream.handle));
    {
        const Blocking waiting;
        for (const QueueRef queue : queues) wait_for_all(queue);
    }
    if (const int code = late_error.exchange(0); code != 0) {
        throw DeviceError(concat("sycl: work on ", info_.name, " failed with error ", code));
    }
}

void SyclDevice::synchronize_all() {
    open();
    std::vector<QueueRef> queues;
    {
        const std::lock_guard lock(queues_mutex_);
        queues = adopted_;
    }
    queues.push_back(queue_);
    const Blocking waiting;
    for (const QueueRef queue : queues) wait_for_all(queue);
}

EventRef SyclDevice::record(Stream stream) {
    open();
    const Command command(*this, stream);
    const EventRef event = command.count() == 0
                               ? dpctl().queue_barrier(command.queue())
                               : dpctl().queue_barrier_for(command.queue(), command.after(), command.count());
    require(event, "recording an event");
    return event;
}

void SyclDevice::wait(Stream stream, EventRef event) {
    open();
    const QueueRef queue = stream.handle == nullptr ? queue_ : static_cast<QueueRef>(stream.handle);
    const Blocking submitting;
    const Owned barrier(dpctl().queue_barrier_for(queue, &event, 1), dpctl().event_delete);
    require(barrier.get(), "waiting for an event");
}

void SyclDevice::finish() noexcept {
    try {
        if (queue_ != nullptr) wait_for_all(queue_);
        for (const QueueRef queue : adopted_) wait_for_all(queue);
    } catch (const std::exception&) {
        return;
    }
}

Command::Command(SyclDevice& device, Stream stream)
    : queue_(stream.handle == nullptr ? device.queue() : static_cast<QueueRef>(stream.handle)) {
    const Dpctl& call = dpctl();
    {
        const std::lock_guard lock(device.queues_mutex_);
        others_ = device.consumers_;
    }
    if (queue_ != device.queue_ && !call.queue_in_order(queue_)) {
        if (std::find(others_.begin(), others_.end(), queue_) == others_.end()) others_.push_back(queue_);
    }
    after_.reserve(others_.size());
    for (const QueueRef other : others_) {
        const EventRef event = call.queue_barrier(other);
        require(event, "ordering after another queue");
        after_.add(event);
    }
}

void Command::barrier() {
    if (after_.size() == 0) return;
    const Owned event(dpctl().queue_barrier_for(queue_, after_.data(), after_.size()), dpctl().event_delete);
    require(event.get(), "ordering after another queue");
}

void Command::submitted(EventRef event, std::string_view what, bool wait) {
    require(event, what);
    const Owned deleted(event, dpctl().event_delete);
    for (const QueueRef other : others_) wait = !hold_back(other, event) || wait;
    if (wait) wait_for(event);
}

}  // namespace zerofab::sycl
