// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/device_exchange.hpp"

#include <string>

#include "base/text.hpp"
#include "exchange/exporter.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::python {
namespace {

void* as_handle(std::intptr_t number) noexcept {
    return reinterpret_cast<void*>(number);  // NOLINT: a handle of the vendor's
}

/// The integer in a Python object; ValueError, which says what a stream of this backend must be, for anything else,
/// booleans included.
std::intptr_t whole(nb::handle number, const BackendFacts& facts) {
    if (!PyLong_CheckExact(number.ptr())) {
        throw ValueError(concat("stream must be ", facts.stream_forms, ", not ", repr_of(number)));
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

/// Order the consumer's stream after our work.
void order_consumer(const TensorView& view, nb::handle stream) {
    const Device device = view.device;
    Backend& vendor = backend(device.backend);
    const Stream own = Runtime::stream(device);
    know_consumers(device);
    if (stream.is_none() && !vendor.facts().unnamed_is_default) {
        vendor.synchronize(device.id, own);
        return;
    }
    int overflow = 0;
    const bool unordered =
        PyLong_CheckExact(stream.ptr()) && PyLong_AsLongAndOverflow(stream.ptr(), &overflow) == -1 && overflow == 0;
    if (unordered && vendor.facts().integer_streams) {
        note_use(view, nullptr);
        return;
    }
    const Stream consumer = stream_of(device, stream);
    note_use(view, &consumer);
    order_streams(device, own, consumer);
}

/// Show memory that host and device reach as the host's.
void show_to_host(TensorView& view) {
    ready_for_host(view.space(), view.what);
    view.device = {};
    view.kind = MemoryKind::host;
}

}  // namespace

void note_use(const TensorView& view, const Stream* stream) {
    if (!view.owner) {
        return;
    }
    // What we hold a share of, and the default stream, is always there; others may be gone when it is asked.
    const Device device = view.device;
    Backend& vendor = backend(device.backend);
    if (stream != nullptr &&
        (vendor.facts().owns_streams || stream->handle == vendor.default_stream(device.id).handle)) {
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
        const bool reached = view.space().host_reaches();
        if (copy || !reached) {
            if (never) {
                throw BufferError(std::string(view.what) +
                                  " is in memory of a device: an export to the host needs a copy, and copy=False "
                                  "forbids it; use copy=True, or to_xp() for an array of the device");
            }
            view = copied_without_gil(view);
            return true;
        }
        show_to_host(view);
        return false;
    }
    // Pinned and managed memory is at the same address on its device: consumers that know only device memory ask so.
    TensorView on_device;
    on_device.device = view.device;
    on_device.kind = MemoryKind::device;
    const bool relabel = asked != own && asked == dlpack_device(on_device);
    if (asked != own && !relabel) {
        throw BufferError(concat(view.what, " is on device (", own.type, ", ", own.id,
                                 ") and cannot be exported to device (", asked.type, ", ", asked.id,
                                 "): only to its own device or to the host, (kDLCPU, 0)"));
    }
    if (copy) {
        view = copied_in_place_without_gil(view);
    }
    order_consumer(view, stream);
    if (relabel) {
        view.kind = MemoryKind::device;
    }
    return copy;
}

Stream stream_of(Device device, nb::handle stream) {
    Backend& vendor = backend(device.backend);
    if (stream.is_none()) {
        return vendor.default_stream(device.id);
    }
    const BackendFacts& facts = vendor.facts();
    for (const std::string_view name : facts.stream_attributes) {
        const std::string attribute(name);
        if (attribute.empty() || !nb::hasattr(stream, attribute.c_str())) {
            continue;
        }
        nb::object number = stream.attr(attribute.c_str());
        if (PyCallable_Check(number.ptr()) != 0) {
            number = number();
        }
        if (nb::isinstance<nb::tuple>(number) && nb::len(number) > 0) {  // (version, address)
            number = number[nb::len(number) - 1];
        }
        return vendor.named_stream(device.id, whole(number, facts), PyIndex_Check(stream.ptr()) == 0);
    }
    if (!facts.integer_streams) {
        throw ValueError(concat("stream must be ", facts.stream_forms, ", not ", repr_of(stream)));
    }
    return vendor.named_stream(device.id, whole(plain_integer(stream), facts), false);
}

nb::object stream_for_producer(Device device) {
    know_consumers(device);
    const auto number = backend(device.backend).stream_number(Runtime::stream(device));
    return number ? nb::object(nb::int_(*number)) : nb::none();
}

void know_consumers(Device device) {
    Backend& vendor = backend(device.backend);
    const std::string_view module = vendor.facts().consumer_module;
    if (module.empty()) {
        return;
    }
    const nb::object queue = nb::module_::import_(module.data()).attr("consumer_queue")(dlpack_number(device));
    if (!queue.is_none()) {
        vendor.add_consumer(device.id, as_handle(nb::cast<std::intptr_t>(queue)));
    }
}

const char* xp_converter() noexcept {
    const std::string_view name = backend(Runtime::run_device().backend).facts().array_converter;
    return name.empty() ? nullptr : name.data();  // a literal
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
    using Interface = BackendFacts::CudaInterface;
    Backend& vendor = backend(view.device.backend);
    const Interface kind = vendor.facts().cuda_interface;
    if (kind == Interface::none || (view.kind != MemoryKind::device && view.kind != MemoryKind::managed)) {
        return {};
    }
    nb::dict result = array_interface_of(view);
    result["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(view.data), view.read_only);
    note_use(view, nullptr);
    Stream own = Runtime::stream(view.device);
    if (kind == Interface::finished) {
        vendor.synchronize(view.device.id, own);
        return result;
    }
    // The dictionary may be read on another thread, where the number of a thread's own stream means another one.
    if (vendor.is_per_thread(own)) {
        const Stream shared = vendor.default_stream(view.device.id);
        order_streams(view.device, own, shared);
        own = shared;
    }
    if (const auto number = vendor.stream_number(own)) {
        result["stream"] = *number;
    }
    return result;
}

}  // namespace zerofab::python
