// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/importer.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "exchange/device_exchange.hpp"
#include "exchange/exporter.hpp"
#include "exchange/to_numpy.hpp"
#include "exchange/whole_numbers.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/dlpack.hpp"

namespace zerofab::python {
namespace {

/// Take over the tensor of a capsule: from then on the capsule is used.
TensorView import_capsule(nb::handle capsule) {
    const char* name = PyCapsule_GetName(capsule.ptr());
    if (name == nullptr) {
        PyErr_Clear();
    }
    if (name != nullptr && std::strcmp(name, "dltensor_versioned") == 0) {
        auto* tensor = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.ptr(), name));
        if (PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned") != 0) {
            throw nb::python_error();
        }
        return import_versioned(tensor);
    }
    if (name != nullptr && std::strcmp(name, "dltensor") == 0) {
        auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), name));
        if (PyCapsule_SetName(capsule.ptr(), "used_dltensor") != 0) {
            throw nb::python_error();
        }
        return import_legacy(tensor);
    }
    throw BufferError(name != nullptr && std::strncmp(name, "used_", 5) == 0
                          ? "this DLPack capsule was used already: a capsule can be taken in once"
                          : "__dlpack__ did not return a DLPack capsule");
}

/// Whether this (type, id) is memory of a device, not of the host.
bool is_on_device(nb::handle pair) {
    return Runtime::run_device().backend != BackendKind::host && nb::cast<int>(pair[0]) != 1;
}

TensorView import_dlpack(nb::handle source) {
    nb::object device = source.attr("__dlpack_device__")();
    const nb::object stream = is_on_device(device) ? stream_for_producer(Runtime::run_device()) : nb::none();
    nb::object capsule;
    try {
        const nb::object version = nb::make_tuple(dlpack_major, dlpack_minor);
        capsule = stream.is_none()
                      ? source.attr("__dlpack__")(nb::arg("max_version") = version)
                      : source.attr("__dlpack__")(nb::arg("max_version") = version, nb::arg("stream") = stream);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_TypeError)) {  // a producer from before DLPack 1.0 knows no max_version
            throw;
        }
        capsule =
            stream.is_none() ? source.attr("__dlpack__")() : source.attr("__dlpack__")(nb::arg("stream") = stream);
    }
    if (!PyCapsule_CheckExact(capsule.ptr())) {
        throw TypeError("__dlpack__ did not return a capsule");
    }
    return import_capsule(capsule);
}

// Objects released by threads without the GIL.  Such a thread must not wait for it: if the interpreter ends meanwhile,
// it would be stopped within the release, or hang.  The interpreter's own thread does the rest at its next step.
struct LetGo {
    PyObject* object;
    LetGo* next;
};
constinit std::atomic<LetGo*> let_go{nullptr};

int drop_let_go(void*) noexcept {
    for (LetGo* item = let_go.exchange(nullptr, std::memory_order_acquire); item != nullptr;) {
        const std::unique_ptr<LetGo> done(item);
        item = done->next;
        Py_DECREF(done->object);
    }
    return 0;
}

}  // namespace

void release_object(void* object) noexcept {
    // After the interpreter has gone nothing of Python may be touched: the process is about to end, let it be.
    if (Py_IsInitialized() == 0) {
        return;
    }
    if (PyGILState_Check() != 0) {
        Py_DECREF(static_cast<PyObject*>(object));
        return;
    }
    auto* item = new (std::nothrow) LetGo{static_cast<PyObject*>(object), nullptr};
    if (item == nullptr) {
        return;
    }
    LetGo* before = let_go.load(std::memory_order_relaxed);
    do {
        item->next = before;
    } while (!let_go.compare_exchange_weak(before, item, std::memory_order_release, std::memory_order_relaxed));
    if (before == nullptr) {  // the first: all that follow are dropped with it
        Py_AddPendingCall(drop_let_go, nullptr);
    }
}

bool has_numpy_protocol(nb::handle source) {
    return PyObject_CheckBuffer(source.ptr()) != 0 || nb::hasattr(source, "__array_interface__") ||
           nb::hasattr(source, "__array_struct__");
}

bool same_elements(const DType& a, const DType& b) noexcept { return a.code == b.code && a.bits == b.bits; }

TensorView view_of_ndarray(nb::handle array) {
    if (let_go.load(std::memory_order_relaxed) != nullptr) {  // a pending call found no place
        drop_let_go(nullptr);
    }
    NdarrayView found = look_at_ndarray(array);
    if (found.view.data != nullptr) {
        const Extent extent = byte_extent(found.view);
        Py_INCREF(array.ptr());
        found.view.own(Allocation::adopt(static_cast<char*>(found.view.data) + extent.low,
                                         static_cast<std::size_t>(extent.high - extent.low), {}, MemoryKind::host,
                                         array.ptr(), &release_object));
    }
    return std::move(found.view);
}

TensorView import_view(nb::handle source) {
    if (Exporter* exporter = exporter_if(source.ptr())) {
        TensorView view;
        exporter->describe(view);
        return view;
    }
    if (is_ndarray(source)) {  // faster than DLPack, and knows read-only in every version of NumPy
        return view_of_ndarray(source);
    }
    if (nb::hasattr(source, "__dlpack__") && nb::hasattr(source, "__dlpack_device__")) {
        return import_dlpack(source);
    }
    if (has_numpy_protocol(source)) {
        return view_of_ndarray(as_ndarray(source, nullptr, false));
    }
    throw TypeError(concat("an object of type ", Py_TYPE(source.ptr())->tp_name,
                           " shows no memory: it has no DLPack, buffer or array interface"));
}

namespace {

/// Through NumPy; without `cast` arrays are converted only where nothing can be lost, lists where nothing is.
TensorView converted(nb::handle source, const DType& dtype, bool cast) {
    const bool checked = cast || !is_ndarray(source);
    return view_of_ndarray(checked ? as_numbers(source, dtype) : as_ndarray(source, &dtype, false));
}

}  // namespace

TensorView import_or_copy(nb::handle source, const DType& dtype, bool cast) {
    // NumPy itself takes its own protocols, in place where it can.
    if (!is_ndarray(source) && (exporter_if(source.ptr()) != nullptr || nb::hasattr(source, "__dlpack__"))) {
        nb::object array;
        try {
            TensorView view = import_view(source);
            if (same_elements(*view.dtype, dtype)) {
                return view;
            }
            array = to_ndarray(view, false, false);
        } catch (const ElementTypeError& error) {  // NumPy knows some more: float16, int8, bool
            try {
                array = nb::module_::import_("numpy").attr("from_dlpack")(source);
            } catch (nb::python_error& other) {  // NumPy says RuntimeError for vector types
                if (!other.matches(PyExc_RuntimeError)) {
                    throw;
                }
                throw BufferError(error.what());
            }
        }
        return converted(array, dtype, cast);
    }
    return converted(source, dtype, cast);
}

}  // namespace zerofab::python
