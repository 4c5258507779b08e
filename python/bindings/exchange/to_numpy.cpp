// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// ndarrays through NumPy's C interface; the only file that includes NumPy.
#define NPY_NO_DEPRECATED_API NPY_1_23_API_VERSION
#include "exchange/to_numpy.hpp"

#include <numpy/arrayobject.h>

#include <algorithm>
#include <atomic>

#include "base/errors.hpp"
#include "exchange/exporter.hpp"
#include "exchange/share.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::python {
namespace {

void require_numpy() {
    // No static of the function's: an import lets other threads run, who would wait for it with Python's lock.
    static std::atomic<bool> loaded{false};
    if (loaded.load(std::memory_order_acquire)) {
        return;
    }
    if (PyArray_ImportNumPyAPI() < 0) {
        throw nb::python_error();
    }
    loaded.store(true, std::memory_order_release);
}

int type_number(const DType& dtype) {
    switch (*dtype.format) {
        case 'f':
            return NPY_FLOAT;
        case 'd':
            return NPY_DOUBLE;
        case 'g':
            return NPY_LONGDOUBLE;
        case 'Z':
            return dtype.format[1] == 'f' ? NPY_CFLOAT : NPY_CDOUBLE;
        case 'h':
            return NPY_SHORT;
        case 'i':
            return NPY_INT;
        case 'l':
            return NPY_LONG;
        case 'q':
            return NPY_LONGLONG;
        case 'H':
            return NPY_USHORT;
        case 'I':
            return NPY_UINT;
        case 'L':
            return NPY_ULONG;
        default:
            return NPY_ULONGLONG;
    }
}

const DType* dtype_of_number(int number) {
    switch (number) {
        case NPY_FLOAT:
            return &dtype_of<float>;
        case NPY_DOUBLE:
            return &dtype_of<double>;
        case NPY_LONGDOUBLE:
            return &dtype_of<long double>;
        case NPY_CFLOAT:
            return &dtype_of<std::complex<float>>;
        case NPY_CDOUBLE:
            return &dtype_of<std::complex<double>>;
        case NPY_SHORT:
            return &dtype_of<short>;
        case NPY_INT:
            return &dtype_of<int>;
        case NPY_LONG:
            return &dtype_of<long>;
        case NPY_LONGLONG:
            return &dtype_of<long long>;
        case NPY_USHORT:
            return &dtype_of<unsigned short>;
        case NPY_UINT:
            return &dtype_of<unsigned int>;
        case NPY_ULONG:
            return &dtype_of<unsigned long>;
        case NPY_ULONGLONG:
            return &dtype_of<unsigned long long>;
        default:
            return nullptr;
    }
}

/// An ndarray if the source has an array interface over a buffer, else nothing.  NumPy itself believes whatever such an
/// interface says, and does not keep the buffer from being resized.
nb::object array_over_buffer(nb::handle source) {
    if (PyArray_Check(source.ptr()) || PyObject_CheckBuffer(source.ptr()) != 0 ||
        nb::hasattr(source, "__array_struct__") || !nb::hasattr(source, "__array_interface__")) {
        return {};
    }
    const nb::object interface = source.attr("__array_interface__");
    if (!nb::isinstance<nb::dict>(interface)) {
        return {};  // for NumPy to refuse
    }
    const nb::dict found = nb::borrow<nb::dict>(interface);
    if (!found.contains("shape") || !found.contains("typestr")) {
        return {};
    }
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object dtype = numpy.attr("dtype")(found["typestr"]);
    if (nb::cast<bool>(dtype.attr("hasobject"))) {
        throw BufferError("an array interface of Python objects cannot be taken in");
    }
    const nb::object data = found.attr("get")("data");
    if (data.is_none() || PyTuple_Check(data.ptr())) {  // an address: to be believed
        return {};
    }
    const nb::object buffer = numpy.attr("frombuffer")(data, "u1");
    const auto offset = nb::cast<Py_ssize_t>(found.attr("get")("offset", 0));
    const Py_ssize_t bytes = PyArray_SIZE(reinterpret_cast<PyArrayObject*>(buffer.ptr()));
    if (offset < 0 || offset > bytes) {  // the one thing that NumPy does not check here
        throw BufferError(
            concat("an array interface with offset ", offset, " of ", bytes, " bytes cannot be taken in"));
    }
    return numpy.attr("ndarray")(found["shape"], dtype, buffer, offset, found.attr("get")("strides"));
}

}  // namespace

nb::object to_ndarray(TensorView& view, bool copy, bool reversed) {
    require_numpy();
    if (copy) {
        TensorView fresh = copied_without_gil(view);
        return to_ndarray(fresh, false, reversed);
    }
    ready_for_host(view.space(), view.what);
    npy_intp shape[max_axes];
    npy_intp strides[max_axes];
    const auto axes = static_cast<std::size_t>(view.axes);
    const auto item = static_cast<npy_intp>(view.dtype->size);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        const std::size_t at = reversed ? axes - 1 - axis : axis;
        shape[at] = view.shape[axis];
        strides[at] = view.strides[axis] * item;
    }
    if (view.data == nullptr) {  // no elements: NumPy's own memory, of length 0
        PyObject* empty = PyArray_SimpleNew(view.axes, shape, type_number(*view.dtype));
        if (empty == nullptr) {
            throw nb::python_error();
        }
        return nb::steal(empty);
    }
    void* data = view.data;
    PyObject* share = new_memory_share(view);
    if (share == nullptr) {
        throw nb::python_error();
    }
    PyObject* array = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type_number(*view.dtype)), view.axes,
                                           shape, strides, data, view.read_only ? 0 : NPY_ARRAY_WRITEABLE, nullptr);
    if (array == nullptr) {
        Py_DECREF(share);
        throw nb::python_error();
    }
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), share) < 0) {  // steals the share
        Py_DECREF(array);
        throw nb::python_error();
    }
    return nb::steal(array);
}

bool is_ndarray(nb::handle object) {
    require_numpy();
    return PyArray_Check(object.ptr());
}

NdarrayView look_at_ndarray(nb::handle object) {
    require_numpy();
    auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
    NdarrayView found;
    TensorView& view = found.view;
    view.dtype = dtype_of_number(PyArray_TYPE(array));
    if (view.dtype == nullptr || !PyArray_ISNOTSWAPPED(array)) {
        throw ElementTypeError(concat("an ndarray of dtype ",
                                      nb::str(nb::handle(nb::object(object.attr("dtype")))).c_str(),
                                      " cannot be taken in: convert it with astype() first"));
    }
    if (PyArray_NDIM(array) > max_axes) {
        throw BufferError(concat("an ndarray with ", PyArray_NDIM(array), " axes cannot be taken in"));
    }
    view.axes = PyArray_NDIM(array);
    view.what = "ndarray";
    view.read_only = !PyArray_ISWRITEABLE(array);
    const auto item = static_cast<std::int64_t>(view.dtype->size);
    bool whole = PyArray_ISALIGNED(array);
    for (int axis = 0; axis < view.axes; ++axis) {
        const auto at = static_cast<std::size_t>(axis);
        view.shape[at] = PyArray_DIM(array, axis);
        view.strides[at] = PyArray_STRIDE(array, axis) / item;
        whole = whole && (PyArray_STRIDE(array, axis) % item == 0 || view.shape[at] <= 1);
    }
    view.data = PyArray_DATA(array);
    check_extent(view);
    if (!whole) {
        throw BufferError("an ndarray whose elements are not aligned cannot be taken in: pass a copy, np.array(x)");
    }
    return found;
}

nb::object as_ndarray(nb::handle source, const DType* dtype, bool cast) {
    require_numpy();
    const nb::object checked = array_over_buffer(source);
    if (checked.is_valid()) {
        source = checked;
    }
    PyArray_Descr* wanted = dtype != nullptr ? PyArray_DescrFromType(type_number(*dtype)) : nullptr;
    const int flags = NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | (cast ? NPY_ARRAY_FORCECAST : 0);
    PyObject* array = PyArray_FromAny(source.ptr(), wanted, 0, max_axes, flags, nullptr);
    if (array == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(array);
}

nb::object new_ndarray(const DType& dtype, int axes, const std::int64_t* shape, void** data) {
    require_numpy();
    npy_intp lengths[max_axes];
    std::copy_n(shape, axes, lengths);
    PyObject* array = PyArray_EMPTY(axes, lengths, type_number(dtype), 1);
    if (array == nullptr) {
        throw nb::python_error();
    }
    *data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array));
    return nb::steal(array);
}

PyObject* new_scalar(const DType& dtype, void* data) noexcept {
    try {
        require_numpy();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
    PyArray_Descr* descr = PyArray_DescrFromType(type_number(dtype));
    PyObject* scalar = PyArray_Scalar(data, descr, nullptr);
    Py_DECREF(descr);
    return scalar;
}

char kind_of(nb::handle array) {
    require_numpy();
    return PyArray_DESCR(reinterpret_cast<PyArrayObject*>(array.ptr()))->kind;
}

}  // namespace zerofab::python
