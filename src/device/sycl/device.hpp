// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// One SYCL device: its memory, its queue, its kernels.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "device/kernel_text.hpp"
#include "device/sycl/library.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/blocking.hpp"

namespace zerofab::sycl {

/// A device and what was made for it, kept for the life of the process.  A stream is a DPCTLSyclQueueRef, null for the
/// device's own queue.  Any thread may call, with an InUse.
class SyclDevice {
public:
    /// Takes the reference; asks for names only, opens nothing.
    explicit SyclDevice(DeviceRef device);

    [[nodiscard]] const DeviceInfo& info() const noexcept { return info_; }
    [[nodiscard]] int dlpack_id() const noexcept { return dlpack_id_; }
    [[nodiscard]] bool usable() const noexcept { return usable_; }
    /// Graphics processors first, native drivers before OpenCL.
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] const std::string& driver() const noexcept { return driver_; }

    // memory.cpp
    [[nodiscard]] void* allocate(MemoryKind kind, std::size_t bytes);
    void deallocate(void* data) noexcept;
    /// What the driver knows of an address; host where it knows nothing.
    [[nodiscard]] MemoryKind kind_of(const void* data);
    void copy(void* to, const void* from, std::size_t bytes, Stream stream);
    void fill(void* to, unsigned char byte, std::size_t bytes, Stream stream);

    // stream.cpp
    /// The device's own queue, in order, in the platform's default context; made at the first call.
    [[nodiscard]] QueueRef queue();
    /// The stream of a queue that belongs to somebody else; the same one for equal queues.  ValueError if it is not of
    /// this device and the default context.
    [[nodiscard]] Stream adopt(QueueRef theirs);
    /// See sycl_consumer_queue.
    void add_consumer(QueueRef theirs);
    void synchronize(Stream stream);
    void synchronize_all();
    [[nodiscard]] EventRef record(Stream stream);
    void wait(Stream stream, EventRef event);
    /// Wait for all queues, whatever they answer.
    void finish() noexcept;

    // launch.cpp
    void launch(const KernelCall& call, Stream stream);

private:
    friend class Command;

    struct Kernel {
        KernelRef handle = nullptr;
        std::size_t args = 0;
        std::size_t group = 0;  ///< items per group
    };

    void open();
    const Kernel& kernel(KernelType type, std::string_view name);
    /// A program with this kernel, null if there is none of that name.
    BundleRef program(KernelType type, const std::string& name);

    DeviceRef device_;
    DeviceInfo info_;
    std::string driver_;
    int dlpack_id_ = 0;
    int rank_ = 0;
    bool opencl_ = false;
    KernelItems items_ = KernelItems::many;
    bool usable_ = false;

    std::once_flag opened_;
    ContextRef context_ = nullptr;
    QueueRef queue_ = nullptr;

    std::mutex queues_mutex_;
    std::vector<QueueRef> consumers_;  ///< queues whose work is ordered with ours
    std::vector<QueueRef> adopted_;    ///< queues of others that became streams

    std::mutex kernels_mutex_;
    BundleRef from_text_[kernel_types] = {};  ///< all kernels, where there is no SPIR-V
    std::map<std::pair<KernelType, std::string_view>, Kernel> kernels_;
};

/// Events of ours, deleted when this ends.
class OwnedEvents {
public:
    OwnedEvents() = default;
    OwnedEvents(const OwnedEvents&) = delete;
    OwnedEvents& operator=(const OwnedEvents&) = delete;
    ~OwnedEvents() {
        for (const EventRef event : events_) {
            const Owned deleted(event, dpctl().event_delete);
        }
    }

    void reserve(std::size_t count) { events_.reserve(count); }
    /// Takes the event; room for it must be reserved, so that it is not lost where there is no memory.
    void add(EventRef event) { events_.push_back(event); }
    [[nodiscard]] const EventRef* data() const noexcept { return events_.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }

private:
    std::vector<EventRef> events_;
};

/// One command on its way into a queue, with what must come before it: all that the consumers' queues hold now and, in
/// a queue that keeps no order of its own, all that this queue holds.  What they are given later comes after it.
class Command {
public:
    Command(SyclDevice& device, Stream stream);
    Command(const Command&) = delete;

    [[nodiscard]] QueueRef queue() const noexcept { return queue_; }
    [[nodiscard]] const EventRef* after() const noexcept { return after_.data(); }
    [[nodiscard]] std::size_t count() const noexcept { return after_.size(); }
    /// Put what must come before it in front, for a call that takes no events.
    void barrier();
    /// Takes the event that the call gave back, DeviceError if that is null.  Waits for it if asked, and where a
    /// consumer's queue takes no barrier, so that what it is given later comes after the command all the same.
    void submitted(EventRef event, std::string_view what, bool wait = false);

private:
    const Blocking submitting_;  // SYCL's locks may be held by a thread that waits for Python's
    QueueRef queue_;
    std::vector<QueueRef> others_;
    OwnedEvents after_;
};

}  // namespace zerofab::sycl
