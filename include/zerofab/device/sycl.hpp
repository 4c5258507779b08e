// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What SYCL has beyond the form of a backend: names that dpctl and dpnp use, and queues shared with them.
#pragma once

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

// A `queue` here is a DPCTLSyclQueueRef, what `dpctl.SyclQueue.addressof_ref()` gives as a number.  All throw
// DeviceError where backend(BackendKind::sycl) would, for instance if there is no such device.

/// DLPack's number of a device (kDLOneAPI): the root device's position among all devices that dpctl lists.
[[nodiscard]] ZEROFAB_API int sycl_dlpack_id(int device);
/// Our number of the device that DLPack calls so, -1 if it is none of ours.
[[nodiscard]] ZEROFAB_API int sycl_device_of(int dlpack_id);

/// What the driver knows of an address: device, managed (shared USM), pinned (host USM), or host if it is no memory of
/// SYCL's in the device's default context.
[[nodiscard]] ZEROFAB_API MemoryKind sycl_memory_kind(int device, const void* data);

/// The in-order queue that is the device's default stream; stays ours.  A capsule of it named "SyclQueueRef", without a
/// destructor, is what `dpctl.SyclQueue(capsule)` takes.
[[nodiscard]] ZEROFAB_API void* sycl_queue(int device);

/// The stream that puts work into somebody's queue, in order or not: each command of ours comes after what the queue
/// holds then and before what it is given later.  The queue is shared, so the caller may drop it.  ValueError if it is
/// not of this device or not in its platform's default context.
[[nodiscard]] ZEROFAB_API Stream sycl_stream(int device, void* queue);

/// Order all later work of ours on the device, and every wait for it, after what this queue holds at that time, and
/// what the queue is given later after that work of ours.  For the queue of a library that was given our memory and
/// asks for no stream: dpnp's, out of order and cached by dpctl.  The host waits for nothing.
ZEROFAB_API void sycl_consumer_queue(int device, void* queue);

}  // namespace zerofab
