// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Exporter's slots: raw CPython methods, for an export is counted in nanoseconds.
#include "exchange/exporter.hpp"

#include <cstring>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "base/errors.hpp"
#include "base/shown.hpp"
#include "base/without_gil.hpp"
#include "exchange/device_exchange.hpp"
#include "exchange/share.hpp"
#include "exchange/table.hpp"
#include "exchange/trace.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/ledger.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::python {
namespace {

PyTypeObject* exporter_type = nullptr;

// Interned once; a keyword of a call in Python is the same object, while NumPy and others pass strings of their own.
struct Names {
    PyObject* stream = PyUnicode_InternFromString("stream");
    PyObject* max_version = PyUnicode_InternFromString("max_version");
    PyObject* dl_device = PyUnicode_InternFromString("dl_device");
    PyObject* copy = PyUnicode_InternFromString("copy");
    PyObject* order = PyUnicode_InternFromString("order");
    PyObject* dtype = PyUnicode_InternFromString("dtype");
};
const Names* names = nullptr;

bool same(PyObject* keyword, PyObject* name) noexcept {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(name);
    return keyword == name ||
           (PyUnicode_GET_LENGTH(keyword) == length && PyUnicode_KIND(keyword) == PyUnicode_1BYTE_KIND &&
            std::memcmp(PyUnicode_1BYTE_DATA(keyword), PyUnicode_1BYTE_DATA(name), static_cast<std::size_t>(length)) ==
                0);
}

template <class Body>
PyObject* guarded(Body body) noexcept {
    try {
        return body();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

// ---- __dlpack__

struct ExportRequest {
    PyObject* stream = Py_None;
    PyObject* max_version = Py_None;
    PyObject* dl_device = Py_None;
    PyObject* copy = Py_None;
};

bool read_request(ExportRequest& request, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) noexcept {
    if (positional != 0) {
        PyErr_Format(PyExc_TypeError, "__dlpack__ takes keyword arguments only (%zd positional given)", positional);
        return false;
    }
    const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t n = 0; n < count; ++n) {
        PyObject* keyword = PyTuple_GET_ITEM(keywords, n);
        if (same(keyword, names->max_version)) {
            request.max_version = args[n];
        } else if (same(keyword, names->dl_device)) {
            request.dl_device = args[n];
        } else if (same(keyword, names->copy)) {
            request.copy = args[n];
        } else if (same(keyword, names->stream)) {
            request.stream = args[n];
        } else {
            PyErr_Format(PyExc_TypeError, "__dlpack__ got an unexpected keyword argument '%U'", keyword);
            return false;
        }
    }
    return true;
}

/// An integer, NumPy's too, clipped to the range of `number`; false, with an exception set or without one, otherwise.
bool read_integer(PyObject* object, Py_ssize_t& number) noexcept {
    if (!PyIndex_Check(object)) {
        return false;
    }
    number = PyNumber_AsSsize_t(object, nullptr);
    return number != -1 || PyErr_Occurred() == nullptr;
}

/// A tuple of two integers; false with TypeError set otherwise.
bool read_pair(PyObject* pair, const char* name, Py_ssize_t& first, Py_ssize_t& second) noexcept {
    if (PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2 && read_integer(PyTuple_GET_ITEM(pair, 0), first) &&
        read_integer(PyTuple_GET_ITEM(pair, 1), second)) {
        return true;
    }
    if (PyErr_Occurred() == nullptr ||
        PyErr_ExceptionMatches(PyExc_TypeError) != 0) {  // arrays have the slot, and refuse
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a tuple of two ints or None, not %s", name, Shown(pair).text());
    }
    return false;
}

/// The dl_device of an export of memory of the host; false with an exception set unless it is the host.
bool check_host(const TensorView& view, DLPackDevice asked) noexcept {
    if (asked != DLPackDevice{}) {
        PyErr_Format(PyExc_BufferError,
                     "%s is in memory of the host, (1, 0), and cannot be exported to device (%d, %d): copy it with the "
                     "consumer's own functions, or to_xp()",
                     view.what, asked.type, asked.id);
        return false;
    }
    return true;
}

void drop_unconsumed(PyObject* capsule) {
    const char* name = PyCapsule_GetName(capsule);
    if (name == nullptr || *name != 'd') {
        return;  // "used_...": consumed, the usual case
    }
    // By text, not by pointer: a consumer may have renamed it back and forth.
    if (std::strcmp(name, "dltensor") == 0) {
        delete_legacy(PyCapsule_GetPointer(capsule, name));
    } else if (std::strcmp(name, "dltensor_versioned") == 0) {
        delete_versioned(PyCapsule_GetPointer(capsule, name));
    }
}

PyObject* make_capsule(TensorView& view, bool copy, bool versioned, std::uint32_t minor) {
    void* managed = versioned ? static_cast<void*>(export_versioned(view, copy, minor))
                              : static_cast<void*>(export_legacy(view, copy));
    PyObject* capsule = PyCapsule_New(managed, versioned ? "dltensor_versioned" : "dltensor", drop_unconsumed);
    if (capsule == nullptr) {
        versioned ? delete_versioned(managed) : delete_legacy(managed);
        return nullptr;
    }
    if (tracing_exports()) {
        note_export_origin(managed, python_location());
    }
    return capsule;
}

PyObject* dlpack(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    ExportRequest request;
    if (!read_request(request, args, positional, keywords)) {
        return nullptr;
    }
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    Py_ssize_t major = 0;
    Py_ssize_t minor = 0;
    if (request.max_version != Py_None && !read_pair(request.max_version, "max_version", major, minor)) {
        return nullptr;
    }
    if (request.copy != Py_None && !PyBool_Check(request.copy)) {
        return PyErr_Format(PyExc_TypeError, "copy must be True, False or None, not %s", Shown(request.copy).text());
    }
    DLPackDevice asked;
    if (request.dl_device != Py_None) {
        Py_ssize_t type = 0;
        Py_ssize_t id = 0;
        if (!read_pair(request.dl_device, "dl_device", type, id)) {
            return nullptr;
        }
        asked = {static_cast<std::int32_t>(type), static_cast<std::int32_t>(id)};
        if (asked.type != type || asked.id != id) {
            return PyErr_Format(PyExc_BufferError, "there is no device (%zd, %zd) to export to", type, id);
        }
    }
    return guarded([&]() -> PyObject* {
        TensorView view;
        exporter->describe(view);
        const bool versioned = major >= 1;
        const auto highest = static_cast<Py_ssize_t>(dlpack_minor);
        const auto version =
            static_cast<std::uint32_t>(major == 1 && minor < highest ? std::max<Py_ssize_t>(minor, 0) : highest);
        if (!view.space().is_plain()) {
            require_dlpack_type(view);
            const bool names_device = request.dl_device != Py_None;
            const bool is_copy =
                prepare_device_export(view, {request.stream, names_device ? &asked : nullptr, request.copy});
            return make_capsule(view, is_copy, versioned, version);
        }
        if (request.stream != Py_None) {
            return PyErr_Format(PyExc_ValueError, "memory of the host has no streams: stream must be None, not %s",
                                Shown(request.stream).text());
        }
        if (request.dl_device != Py_None && !check_host(view, asked)) {
            return nullptr;
        }
        if (request.copy == Py_True) {
            require_dlpack_type(view);
            TensorView fresh = copied_without_gil(view);
            return make_capsule(fresh, true, versioned, version);
        }
        return make_capsule(view, false, versioned, version);
    });
}

/// A capsule for torch, which ends the process at a negative stride.
PyObject* torch_capsule(PyObject* self, PyObject*) {
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        TensorView view;
        exporter->describe(view);
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
            if (view.strides[axis] >= 0) {
                continue;
            }
            if (view.shape[axis] > 1 && view.data != nullptr) {
                throw BufferError(std::string(view.what) +
                                  " has negative strides, which torch cannot show: pass a copy, e.g. "
                                  "torch.from_numpy(x.to_numpy(copy=True))");
            }
            view.strides[axis] = 1;  // never used
        }
        if (!view.space().is_plain()) {
            require_dlpack_type(view);
            prepare_device_export(view, {});
        }
        return make_capsule(view, false, true, 0);
    });
}

PyObject* dlpack_device_of(PyObject* self, PyObject*) {
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        TensorView view;
        exporter->describe(view);
        if (view.space().is_plain()) {
            static PyObject* const host = Py_BuildValue("(ii)", 1, 0);
            Py_INCREF(host);
            return host;
        }
        const DLPackDevice device = dlpack_device(view);
        return Py_BuildValue("(ii)", device.type, device.id);
    });
}

// ---- to_numpy and friends

struct ViewRequest {
    bool copy = false;
    char order = 'F';
};

bool read_view_request(ViewRequest& request, const char* method, PyObject* const* args, Py_ssize_t positional,
                       PyObject* keywords) noexcept {
    PyObject* copy = positional > 0 ? args[0] : nullptr;
    PyObject* order = positional > 1 ? args[1] : nullptr;
    if (positional > 2) {
        PyErr_Format(PyExc_TypeError, "%s takes at most 2 arguments (%zd given)", method, positional);
        return false;
    }
    const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t n = 0; n < count; ++n) {
        PyObject* keyword = PyTuple_GET_ITEM(keywords, n);
        PyObject** target = same(keyword, names->copy) ? &copy : same(keyword, names->order) ? &order : nullptr;
        if (target == nullptr) {
            PyErr_Format(PyExc_TypeError, "%s got an unexpected keyword argument '%U'", method, keyword);
            return false;
        }
        if (*target != nullptr) {
            PyErr_Format(PyExc_TypeError, "%s got two values for '%U'", method, keyword);
            return false;
        }
        *target = args[positional + n];
    }
    if (copy != nullptr) {
        if (!PyBool_Check(copy)) {
            PyErr_Format(PyExc_TypeError, "copy must be True or False, not %s", Shown(copy).text());
            return false;
        }
        request.copy = copy == Py_True;
    }
    if (order != nullptr) {
        const char* text = PyUnicode_Check(order) ? PyUnicode_AsUTF8(order) : nullptr;
        if (text == nullptr || (text[0] != 'F' && text[0] != 'C') || text[1] != '\0') {
            PyErr_Clear();
            PyErr_Format(PyUnicode_Check(order) ? PyExc_ValueError : PyExc_TypeError,
                         "order must be 'F' (axes i, j, k, component) or 'C' (component, k, j, i), not %s",
                         Shown(order).text());
            return false;
        }
        request.order = text[0];
    }
    return true;
}

PyObject* numpy_view(PyObject* self, const ViewRequest& request) {
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        TensorView view;
        exporter->describe(view);
        return to_ndarray(view, request.copy, request.order == 'F' && exporter->has_mesh_order()).release().ptr();
    });
}

PyObject* to_numpy(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    ViewRequest request;
    return read_view_request(request, "to_numpy", args, positional, keywords) ? numpy_view(self, request) : nullptr;
}

/// A device library's array, made by amrex._convert: of memory of its device a view, of other memory a staged copy.
PyObject* staged(const char* function, PyObject* self, PyObject* const* args, Py_ssize_t positional,
                 PyObject* keywords) {
    ViewRequest request;
    if (!read_view_request(request, function, args, positional, keywords)) {
        return nullptr;
    }
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    return guarded([&] {
        const bool reversed = request.order == 'F' && exporter->has_mesh_order();
        return nb::module_::import_("amrex._convert")
            .attr(function)(nb::handle(self), request.copy, reversed)
            .release()
            .ptr();
    });
}

PyObject* to_cupy(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    return staged("to_cupy", self, args, positional, keywords);
}

PyObject* to_dpnp(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    return staged("to_dpnp", self, args, positional, keywords);
}

PyObject* to_dpctl(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    return staged("to_dpctl", self, args, positional, keywords);
}

PyObject* to_xp(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    if (const char* function = xp_converter()) {
        return staged(function, self, args, positional, keywords);
    }
    ViewRequest request;
    return read_view_request(request, "to_xp", args, positional, keywords) ? numpy_view(self, request) : nullptr;
}

// ---- array interfaces and the buffer protocol

PyObject* array_interface(PyObject* self, void*) {
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        TensorView view;
        exporter->describe(view);
        if (!view.space().host_reaches()) {
            PyErr_SetString(PyExc_AttributeError, "__array_interface__: this memory is of a device; use to_xp()");
            return nullptr;
        }
        ready_for_host(view.space(), view.what);
        nb::dict result = array_interface_of(view);
        const std::int64_t offset = -byte_extent(view).low;
        if (offset != 0) {
            result["offset"] = offset;
        }
        // NumPy keeps only the object alive that it finds here: so it is one that owns the memory.
        PyObject* share = new_memory_share(view);
        if (share == nullptr) {
            throw nb::python_error();
        }
        result["data"] = nb::steal(share);
        return result.release().ptr();
    });
}

PyObject* cuda_array_interface(PyObject* self, void*) {
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        TensorView view;
        exporter->describe(view);
        nb::object found = view.space().is_plain() ? nb::object() : cuda_array_interface_of(view);
        if (!found.is_valid()) {
            PyErr_SetString(PyExc_AttributeError,
                            "__cuda_array_interface__: this memory is not of a CUDA or ROCm device");
        }
        return found.release().ptr();
    });
}

/// NumPy calls this only where it was refused a buffer, or when asked for a copy or another type.
PyObject* array(PyObject* self, PyObject* const* args, Py_ssize_t positional, PyObject* keywords) {
    PyObject* dtype = positional > 0 ? args[0] : Py_None;
    PyObject* copy = Py_None;
    const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t n = 0; n < count; ++n) {
        PyObject* keyword = PyTuple_GET_ITEM(keywords, n);
        (same(keyword, names->copy) ? copy : dtype) = args[positional + n];
    }
    const ViewRequest request{copy == Py_True, 'C'};
    PyObject* plain = numpy_view(self, request);
    if (plain == nullptr || dtype == Py_None) {
        return plain;
    }
    return guarded([&] {
        const nb::object held = nb::steal(plain);
        nb::object converted = held.attr("astype")(nb::handle(dtype), nb::arg("copy") = false);
        if (copy == Py_False && !converted.is(held)) {
            throw ValueError("another element type needs a copy, and copy=False forbids it");
        }
        return converted.release().ptr();
    });
}

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
    Exporter* exporter = exporter_of(self);
    if (exporter == nullptr) {
        buffer->obj = nullptr;
        return -1;
    }
    try {
        TensorView view;
        exporter->describe(view);
        ready_for_host(view.space(), view.what);
        return fill_buffer(view, buffer, flags);
    } catch (...) {
        buffer->obj = nullptr;
        set_python_error();
        return -1;
    }
}

template <class F>
PyCFunction method(F function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"__dlpack__", method(dlpack), METH_FASTCALL | METH_KEYWORDS,
     "A capsule with a DLPack tensor that shows this memory, or with copy=True an isolated copy.\n\n"
     "stream: None for memory of the host. CUDA: None or 1 (legacy default stream), 2 (the thread's), -1 (no order) "
     "or\n"
     "an address; ROCm: None or 0, -1, or an address; SYCL: None (the work is finished) or a dpctl.SyclQueue. The\n"
     "stream waits for the library's work, the host does not. max_version: (major, minor) that the consumer "
     "understands;\n"
     "None or major < 1 gives a legacy capsule. dl_device: (type, id), this device or the host. copy: True always,\n"
     "False never, None if needed. The tensor owns a share of the memory and blocks finalize() while it lives.\n"
     "Raises BufferError if the export cannot be made as asked, TypeError or ValueError for malformed arguments."},
    {"_torch_capsule", method(torch_capsule), METH_NOARGS, "What amr.exchange hands to torch."},
    {"__dlpack_device__", method(dlpack_device_of), METH_NOARGS,
     "The device of the memory, (type, id), as DLPack numbers it."},
    {"to_numpy", method(to_numpy), METH_FASTCALL | METH_KEYWORDS,
     "A NumPy array of this memory: a view, or an isolated copy with copy=True.\n\n"
     "Mesh data has the axes (i, j, k, component) in order 'F', the default, and (component, k, j, i) in order 'C'.\n"
     "A view owns a share of the memory: it stays valid whatever happens to this object, and after finalize()."},
    {"to_xp", method(to_xp), METH_FASTCALL | METH_KEYWORDS,
     "An array of the library amr.xp, which follows the device of the run: NumPy on the host, CuPy on CUDA and ROCm,\n"
     "dpnp on SYCL. As to_numpy, to_cupy or to_dpnp."},
    {"to_cupy", method(to_cupy), METH_FASTCALL | METH_KEYWORDS,
     "A CuPy array: a view of memory of a CUDA or ROCm device, pinned and managed memory included; of host memory a\n"
     "finished copy on the current device, announced by StagedCopyWarning unless\n"
     "copy=True was asked for. ImportError without CuPy."},
    {"to_dpnp", method(to_dpnp), METH_FASTCALL | METH_KEYWORDS,
     "A dpnp array: a view of memory of a SYCL device, of each kind; of host memory a finished copy on the run's\n"
     "device or the default one, announced by StagedCopyWarning unless\n"
     "copy=True was asked for. ImportError without dpnp."},
    {"to_dpctl", method(to_dpctl), METH_FASTCALL | METH_KEYWORDS,
     "The usm_ndarray (of dpctl, or of dpnp.tensor since dpctl 0.22) that is behind the array of to_dpnp()."},
    {"__array__", method(array), METH_FASTCALL | METH_KEYWORDS, "A NumPy array with axes in order 'C'."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {
    {"__array_interface__", array_interface, nullptr,
     "NumPy's array interface, version 3; its data is an object that owns a share of the memory.", nullptr},
    {"__cuda_array_interface__", cuda_array_interface, nullptr,
     "Numba's array interface, for memory of a CUDA or ROCm device; AttributeError for any other memory.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyType_Slot slots[] = {{Py_tp_methods, methods},
                       {Py_tp_getset, attributes},
                       {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                       {0, nullptr}};

std::size_t bytes_of(const TensorView& view) noexcept {
    return static_cast<std::size_t>(view.size()) * view.dtype->size;
}

}  // namespace

TensorView copied_without_gil(const TensorView& view) {
    const WithoutGilFor released(bytes_of(view));
    return copied(view);
}

TensorView copied_in_place_without_gil(const TensorView& view) {
    const WithoutGilFor released(bytes_of(view));
    return copied_in_place(view);
}

Exporter* exporter_of(PyObject* self) noexcept {
    if (!nb::inst_ready(self)) {
        PyErr_Format(PyExc_RuntimeError, "%s object was not initialized: call __init__ of its base class first",
                     Py_TYPE(self)->tp_name);
        return nullptr;
    }
    return nb::inst_ptr<Exporter>(self);
}

Exporter* exporter_if(PyObject* object) noexcept {
    // Only subclasses of Exporter can have our slot: asked first, for it saves the walk through the base classes.
    const PyBufferProcs* buffer = Py_TYPE(object)->tp_as_buffer;
    const bool has_slot = buffer != nullptr && buffer->bf_getbuffer == get_buffer;
    return (has_slot || PyObject_TypeCheck(object, exporter_type)) && nb::inst_ready(object)
               ? nb::inst_ptr<Exporter>(object)
               : nullptr;
}

bool is_f_order(const std::string& order) {
    if (order != "F" && order != "C") {
        throw ValueError("order must be 'F' (axes i, j, k, component) or 'C' (component, k, j, i), not '" + order +
                         "'");
    }
    return order == "F";
}

void register_exchange(nb::module_& m) {
    names = new Names;
    register_memory_share();
    nb::class_<Exporter> exporter(m, "Exporter", nb::type_slots(slots),
                                  "Base of every object with data: it speaks DLPack, the array interface, the buffer "
                                  "protocol, and has to_numpy, to_xp, to_cupy and to_dpnp.");
    exporter_type = reinterpret_cast<PyTypeObject*>(exporter.ptr());
    refuse_copies(exporter, "it shows memory that others show too; take a copy with to_numpy(copy=True)");
    exporter.attr("__dlpack_c_exchange_api__") = exchange_table();
}

}  // namespace zerofab::python
