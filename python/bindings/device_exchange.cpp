// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device_exchange.hpp"

#include <string>

#include "text.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/device/sycl.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::python {
namespace {

void* as_handle(std::intptr_t number) noexcept {
    return reinterpret_cast<void*>(number);  // NOLINT: a handle of the vendor's
}

/// The integer in a Python object; ValueError for anything else, booleans included.
std::intptr_t whole(nb::handle number, const char* expected) {
    if (!PyLong_CheckExact(number.ptr())) {
        throw ValueError(std::string("stream must be ") + expected + ", not " + repr_of(number));
    }
    const std::intptr_t value = PyLong_AsSsize_t(number.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return value;
}

/// An integer of another library, such as NumPy's, as Python's; anything else, booleans too, as it is.
nb::object plain_integer(nb::handle object) {
    if (!PyLong_Check(object.ptr()) && PyIndex_Check(object.ptr()) != 0) {
        if (PyObject* number = PyNumber_Index(object.ptr())) {
            return nb::steal(number);
        }
        PyErr_Clear();
    }
    return nb::borrow(object);
}

/// A consumer's stream by the numbers of CUDA: 1 is the legacy default stream, 2 the thread's own.
Stream cuda_stream(std::intptr_t number) {
    if (number < 1) {
        throw ValueError("stream " + std::to_string(number) +
                         " is none of CUDA's: 1 is the legacy default stream, 2 that of the thread, -1 asks for no "
                         "order, and any other number is a stream's address");
    }
    return {number == 1 ? nullptr : as_handle(number)};
}

/// By those of ROCm: 0 is the default stream.
Stream hip_stream(std::intptr_t number) {
    if (number < 0 || number == 1 || number == 2) {
        throw ValueError("stream " + std::to_string(number) +
                         " is none of ROCm's: 0 is the default stream, -1 asks for no order, and any other number is "
                         "a stream's address");
    }
    return {as_handle(number)};
}

Stream queue_stream(Device device, nb::handle queue) {
    if (!nb::hasattr(queue, "addressof_ref")) {
        throw ValueError("stream must be None or a dpctl.SyclQueue, not " + repr_of(queue));
    }
    return sycl_stream(device.id, as_handle(nb::cast<std::intptr_t>(queue.attr("addressof_ref")())));
}

/// Order the consumer's stream after our work.
void order_consumer(const TensorView& view, nb::handle stream) {
    const Device device = view.device;
    Backend& vendor = backend(device.backend);
    const Stream own = Runtime::stream(device);
    if (device.backend == BackendKind::sycl) {
        know_consumers(device);
        if (stream.is_none()) {  // dpnp names no queue, and starts at once
            vendor.synchronize(device.id, own);
            return;
        }
    }
    int overflow = 0;
    const bool unordered =
        PyLong_CheckExact(stream.ptr()) && PyLong_AsLongAndOverflow(stream.ptr(), &overflow) == -1 && overflow == 0;
    if (unordered && device.backend != BackendKind::sycl) {
        note_use(view, nullptr);
        return;
    }
    const Stream consumer = stream_of(device, stream);
    note_use(view, &consumer);
    order_streams(device, own, consumer);
}

/// Show memory that host and device reach as the host's.
void show_to_host(TensorView& view) {
    ready_for_host(view.place(), view.what);
    view.device = {};
    view.kind = MemoryKind::host;
}

}  // namespace

void note_use(const TensorView& view, const Stream* stream) {
    if (!view.owner) {
        return;
    }
    // Of a queue of SYCL we hold a share, and the default stream is always there; others may be gone when it is asked.
    const Device device = view.device;
    if (stream != nullptr && (device.backend == BackendKind::sycl ||
                              stream->handle == backend(device.backend).default_stream(device.id).handle)) {
        view.owner->used_on(*stream);
    } else {
        view.owner->used_elsewhere();
    }
}

bool prepare_device_export(TensorView& view, const DeviceRequest& request) {
    const nb::object stream = plain_integer(request.stream);
    const bool copy = request.copy == Py_True;
    const bool never = request.copy == Py_False;
    const DLPackDevice own = dlpack_device(view);
    const DLPackDevice asked = request.asked != nullptr ? *request.asked : own;
    if (asked == DLPackDevice{}) {
        if (request.stream != Py_None) {
            throw ValueError("an export to the host has no stream: it is finished when it is made");
        }
        const bool reached = view.place().host_reaches();
        if (copy || !reached) {
            if (never) {
                throw BufferError(std::string(view.what) +
                                  " is in memory of a device: an export to the host needs a copy, and copy=False "
                                  "forbids it; use copy=True, or to_xp() for an array of the device");
            }
            view = copied(view);
            return true;
        }
        show_to_host(view);
        return false;
    }
    // Pinned and managed memory is at the same address on its device: consumers that know only device memory ask so.
    const bool gpu = view.device.backend == BackendKind::cuda || view.device.backend == BackendKind::hip;
    TensorView on_device;
    on_device.device = view.device;
    on_device.kind = MemoryKind::device;
    const bool relabel = gpu && asked != own && asked == dlpack_device(on_device);
    if (asked != own && !relabel) {
        throw BufferError(std::string(view.what) + " is on device (" + std::to_string(own.type) + ", " +
                          std::to_string(own.id) + ") and cannot be exported to device (" + std::to_string(asked.type) +
                          ", " + std::to_string(asked.id) + "): only to its own device or to the host, (kDLCPU, 0)");
    }
    if (copy) {
        view = copied_in_place(view);
    }
    order_consumer(view, stream);
    if (relabel) {
        view.kind = MemoryKind::device;
    }
    return copy;
}

Stream stream_of(Device device, nb::handle stream) {
    if (stream.is_none()) {
        return backend(device.backend).default_stream(device.id);
    }
    if (device.backend == BackendKind::sycl) {
        return queue_stream(device, stream);
    }
    nb::object number = plain_integer(stream);
    if (nb::hasattr(stream, "__cuda_stream__")) {
        number = nb::object(stream.attr("__cuda_stream__")())[1];
    } else if (nb::hasattr(stream, "cuda_stream")) {
        number = stream.attr("cuda_stream");
    } else if (nb::hasattr(stream, "ptr")) {
        number = stream.attr("ptr");
    }
    const bool is_object = !number.is(stream) && PyIndex_Check(stream.ptr()) == 0;
    if (device.backend == BackendKind::hip) {
        return hip_stream(whole(number, "an address, an object with `ptr` or `cuda_stream`, or None"));
    }
    const std::intptr_t value = whole(number, "an address, an object with `ptr` or `cuda_stream`, or None");
    return is_object && value == 0 ? Stream{} : cuda_stream(value);  // an object says 0 for the legacy stream
}

nb::object stream_for_producer(Device device) {
    switch (device.backend) {
        case BackendKind::cuda: {
            const void* handle = Runtime::stream(device).handle;
            return nb::int_(handle == nullptr ? std::intptr_t{1} : reinterpret_cast<std::intptr_t>(handle));
        }
        case BackendKind::hip:
            return nb::int_(reinterpret_cast<std::intptr_t>(Runtime::stream(device).handle));
        case BackendKind::sycl:
            know_consumers(device);
            return nb::none();
        default:
            return nb::none();
    }
}

void know_consumers(Device device) {
    if (device.backend != BackendKind::sycl) {
        return;
    }
    const nb::object queue = nb::module_::import_("amrex._sycl").attr("consumer_queue")(dlpack_number(device));
    if (!queue.is_none()) {
        sycl_consumer_queue(device.id, as_handle(nb::cast<std::intptr_t>(queue)));
    }
}

const char* xp_converter() noexcept {
    switch (Runtime::run_device().backend) {
        case BackendKind::cuda:
        case BackendKind::hip:
            return "to_cupy";
        case BackendKind::sycl:
            return "to_dpnp";
        default:
            return nullptr;
    }
}

nb::dict array_interface_of(const TensorView& view) {
    nb::list shape;
    nb::list strides;
    const auto item = static_cast<std::int64_t>(view.dtype->size);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
        shape.append(view.shape[axis]);
        strides.append(view.strides[axis] * item);
    }
    nb::dict result;
    result["version"] = 3;
    result["typestr"] = view.dtype->typestr;
    result["shape"] = nb::tuple(shape);
    result["strides"] = nb::tuple(strides);
    return result;
}

nb::object cuda_array_interface_of(const TensorView& view) {
    const bool gpu = view.device.backend == BackendKind::cuda || view.device.backend == BackendKind::hip;
    if (!gpu || (view.kind != MemoryKind::device && view.kind != MemoryKind::managed)) {
        return {};
    }
    nb::dict result = array_interface_of(view);
    result["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(view.data), view.read_only);
    note_use(view, nullptr);
    if (view.device.backend == BackendKind::cuda) {
        result["stream"] = stream_for_producer(view.device);
    } else {  // ROCm's consumers do not agree on the numbers of streams: nothing is left to wait for
        backend(view.device.backend).synchronize(view.device.id, Runtime::stream(view.device));
    }
    return result;
}

}  // namespace zerofab::python
