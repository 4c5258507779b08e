// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/share.hpp"

#include <new>

namespace zerofab::python {
namespace {

struct MemoryShare {
    PyObject_HEAD AllocationPtr owner;
    void* low;         // lowest element
    Py_ssize_t bytes;  // from `low` on
    bool read_only;
    Py_ssize_t extents[2 * max_axes];  // shape and strides of a redirected buffer
};

constinit double nothing = 0;  // a buffer without elements still has an address

void dealloc(PyObject* self) {
    reinterpret_cast<MemoryShare*>(self)->owner.~AllocationPtr();
    PyObject_Free(self);
}

int get_bytes(PyObject* self, Py_buffer* buffer, int flags) {
    auto* share = reinterpret_cast<MemoryShare*>(self);
    return PyBuffer_FillInfo(buffer, self, share->low, share->bytes, share->read_only, flags);
}

PyBufferProcs buffer_procs = {get_bytes, nullptr};

PyTypeObject make_type() {
    PyTypeObject type = {PyVarObject_HEAD_INIT(nullptr, 0)};
    type.tp_name = "amrex._core.MemoryShare";
    type.tp_basicsize = sizeof(MemoryShare);
    type.tp_dealloc = dealloc;
    type.tp_as_buffer = &buffer_procs;
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    type.tp_doc = "Owner of a share of memory: the base of an array that shows it.";
    return type;
}

PyTypeObject type = make_type();

bool refused(const char* why) {
    PyErr_SetString(PyExc_BufferError, why);
    return true;
}

bool refuse(const TensorView& view, int flags) {
    if ((flags & PyBUF_WRITABLE) != 0 && view.read_only) {
        return refused("this object is read-only: ask for a read-only buffer, or for a copy with to_numpy(copy=True)");
    }
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS && !is_compact(view, 'C')) {
        return refused("this object is not C-contiguous: ask for a strided buffer, or for a copy");
    }
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !is_compact(view, 'F')) {
        return refused("this object is not Fortran-contiguous: ask for a strided buffer, or for a copy");
    }
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !is_compact(view, 'C') && !is_compact(view, 'F')) {
        return refused("this object is not contiguous: ask for a strided buffer, or for a copy");
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !is_compact(view, 'C')) {
        return refused("this object needs strides: ask for a strided buffer, or for a copy");
    }
    return false;
}

}  // namespace

void register_memory_share() { PyType_Ready(&type); }

PyObject* new_memory_share(TensorView& view) noexcept {
    auto* share = PyObject_New(MemoryShare, &type);
    if (share == nullptr) {
        return nullptr;
    }
    const Extent extent = byte_extent(view);
    share->low = view.data != nullptr ? static_cast<char*>(view.data) + extent.low : static_cast<void*>(&nothing);
    share->bytes = static_cast<Py_ssize_t>(extent.high - extent.low);
    share->read_only = view.read_only;
    new (&share->owner) AllocationPtr(std::move(view.owner));
    return reinterpret_cast<PyObject*>(share);
}

int fill_buffer(TensorView& view, Py_buffer* buffer, int flags) noexcept {
    buffer->obj = nullptr;
    if (refuse(view, flags)) {
        return -1;
    }
    auto* share = reinterpret_cast<MemoryShare*>(new_memory_share(view));
    if (share == nullptr) {
        return -1;
    }
    const auto item = static_cast<Py_ssize_t>(view.dtype->size);
    Py_ssize_t* shape = share->extents;
    Py_ssize_t* strides = shape + view.axes;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
        shape[axis] = view.shape[axis];
        strides[axis] = view.strides[axis] * item;
    }
    buffer->obj = reinterpret_cast<PyObject*>(share);
    buffer->buf = view.data != nullptr ? view.data : &nothing;
    buffer->len = view.size() * item;
    buffer->itemsize = item;
    buffer->readonly = view.read_only;
    buffer->ndim = (flags & PyBUF_ND) == PyBUF_ND ? view.axes : 0;  // plain bytes have no axes, as NumPy has it
    buffer->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(view.dtype->format) : nullptr;
    buffer->shape = (flags & PyBUF_ND) == PyBUF_ND ? shape : nullptr;
    buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? strides : nullptr;
    buffer->suboffsets = nullptr;
    buffer->internal = nullptr;
    return 0;
}

}  // namespace zerofab::python
