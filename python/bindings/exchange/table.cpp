// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/table.hpp"

#include <dlpack/dlpack.h>

#include "base/errors.hpp"
#include "exchange/device_exchange.hpp"
#include "exchange/exporter.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/dlpack.hpp"

namespace zerofab::python {

struct LentTensor {
    DLTensor tensor;
    TensorView view;
    bool fixed = false;  // never to be filled in again
};

namespace {

constinit ArrayMaker array_maker = nullptr;

DLDevice to_dl(DLPackDevice device) noexcept { return {static_cast<DLDeviceType>(device.type), device.id}; }

Exporter* exporter_or_error(void* object) noexcept {
    auto* exporter = exporter_if(static_cast<PyObject*>(object));
    if (exporter == nullptr && PyErr_Occurred() == nullptr) {
        PyErr_Format(PyExc_TypeError, "%s has no DLPack exchange table of amrex or was not initialized",
                     Py_TYPE(static_cast<PyObject*>(object))->tp_name);
    }
    return exporter;
}

template <class Body>
int guarded(Body body) noexcept {
    try {
        return body();
    } catch (...) {
        set_python_error();
        return -1;
    }
}

int from_object(void* object, DLManagedTensorVersioned** out) noexcept {
    Exporter* exporter = exporter_or_error(object);
    if (exporter == nullptr) {
        return -1;
    }
    return guarded([&] {
        TensorView view;
        exporter->describe(view);
        if (view.device.backend != BackendKind::host) {
            note_use(view, nullptr);
        }
        *out = export_versioned(view, false);
        return 0;
    });
}

int borrow_from_object(void* object, DLTensor* out) noexcept {
    Exporter* exporter = exporter_or_error(object);
    if (exporter == nullptr) {
        return -1;
    }
    return guarded([&] {
        *out = lent_by(*exporter).tensor;
        return 0;
    });
}

/// A tensor that comes back from a C function: a container's array where its shape and strides allow it, else an
/// ndarray.
int to_object(DLManagedTensorVersioned* tensor, void** out) noexcept {
    return guarded([&] {
        TensorView view = import_versioned(tensor);
        nb::object made = array_maker == nullptr ? nb::object() : array_maker(view);
        if (!made.is_valid()) {
            made = to_ndarray(view, false, false);
        }
        *out = made.release().ptr();
        return 0;
    });
}

int allocate_like(DLTensor* prototype, DLManagedTensorVersioned** out, void* context,
                  void (*set_error)(void*, const char*, const char*)) noexcept {
    const auto failed = [&](const char* kind, const char* message) {
        if (set_error != nullptr) {
            set_error(context, kind, message);
        }
        return -1;
    };
    try {
        if (prototype == nullptr || (prototype->ndim > 0 && prototype->shape == nullptr)) {
            throw BufferError("a tensor without a shape cannot be allocated");
        }
        TensorView wanted;
        const MemorySpace space = memory_space_of({prototype->device.device_type, prototype->device.device_id});
        wanted.device = space.device;
        wanted.kind = space.kind;
        wanted.dtype = prototype->dtype.lanes == 1 ? find_dtype(prototype->dtype.code, prototype->dtype.bits) : nullptr;
        if (wanted.dtype == nullptr || prototype->ndim < 0 || prototype->ndim > max_axes) {
            throw BufferError("a tensor of this element type or number of axes cannot be allocated");
        }
        wanted.axes = prototype->ndim;
        wanted.what = "allocated tensor";
        TensorView fresh = allocated(wanted, prototype->shape);
        *out = export_versioned(fresh, false);
        return 0;
    } catch (const MemoryError& error) {
        return failed("MemoryError", error.what());
    } catch (const std::exception& error) {
        return failed("BufferError", error.what());
    } catch (...) {
        return failed("SystemError", "unknown C++ exception");
    }
}

int work_stream(DLDeviceType type, std::int32_t id, void** out) noexcept {
    return guarded([&] {
        const MemorySpace space = memory_space_of({type, id});
        *out = space.is_plain() ? nullptr : Runtime::stream().handle;  // the host has no streams
        return 0;
    });
}

DLPackExchangeAPI make_table() noexcept {
    DLPackExchangeAPI table{};
    table.header.version = {dlpack_major, dlpack_minor};
    table.header.prev_api = nullptr;
    table.managed_tensor_allocator = allocate_like;
    table.managed_tensor_from_py_object_no_sync = from_object;
    table.managed_tensor_to_py_object_no_sync = to_object;
    table.dltensor_from_py_object_no_sync = borrow_from_object;
    table.current_work_stream = work_stream;
    return table;
}

const DLPackExchangeAPI table = make_table();

}  // namespace

/// The tensor that `self` lends: its shape and strides live in the object.
LentTensor& lent_by(const Exporter& self) {
    if (self.lent_ != nullptr && self.lent_->fixed) {
        return *self.lent_;
    }
    TensorView view;
    self.describe(view);
    require_dlpack_type(view);
    if (view.read_only) {
        throw BufferError("a lent DLTensor cannot say that it is read-only: take a managed tensor instead");
    }
    if (self.lent_ == nullptr) {
        self.lent_ = new LentTensor;
    }
    if (view.device.backend != BackendKind::host) {
        note_use(view, nullptr);
    }
    LentTensor& lent = *self.lent_;
    lent.fixed = self.is_fixed();
    lent.view = std::move(view);
    lent.view.owner.reset();  // lent: the object itself keeps the memory
    const std::int64_t low = from_lowest_address(lent.view) ? byte_extent(lent.view).low : 0;  // as in exports
    lent.tensor.data = static_cast<char*>(lent.view.data) + low;
    lent.tensor.device = to_dl(dlpack_device(lent.view));
    lent.tensor.ndim = lent.view.axes;
    lent.tensor.dtype = {static_cast<std::uint8_t>(lent.view.dtype->code), lent.view.dtype->bits, 1};
    lent.tensor.shape = lent.view.shape.data();
    lent.tensor.strides = lent.view.strides.data();
    lent.tensor.byte_offset = static_cast<std::uint64_t>(-low);
    return lent;
}

void Exporter::forget_lent() noexcept { delete lent_; }

void set_array_maker(ArrayMaker maker) noexcept { array_maker = maker; }

nb::object exchange_table() { return nb::capsule(static_cast<const void*>(&table), "dlpack_exchange_api"); }

void delete_legacy(void* managed) noexcept {
    auto* tensor = static_cast<DLManagedTensor*>(managed);
    tensor->deleter(tensor);
}

void delete_versioned(void* managed) noexcept {
    auto* tensor = static_cast<DLManagedTensorVersioned*>(managed);
    tensor->deleter(tensor);
}

}  // namespace zerofab::python
