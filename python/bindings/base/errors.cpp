// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The library's errors as Python's own exceptions.
#include "base/errors.hpp"

#include "base/binding.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

/// Python's exception for the C++ exception in flight, if it is one of the library's or of memory; others fly on.
void set_own_error() {
    try {
        throw;
    } catch (const StateError& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (const TypeError& error) {
        PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const ValueError& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const IndexError& error) {
        PyErr_SetString(PyExc_IndexError, error.what());
    } catch (const BufferError& error) {
        PyErr_SetString(PyExc_BufferError, error.what());
    } catch (const IoError& error) {
        PyErr_SetString(PyExc_OSError, error.what());
    } catch (const MemoryError& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "there is not enough memory on the host");
    } catch (const std::length_error&) {
        PyErr_SetString(PyExc_MemoryError, "there is not enough memory on the host: the size asked for is too large");
    } catch (const std::bad_cast&) {
        PyErr_SetString(PyExc_TypeError, "an object has another type than expected, or its __init__ was never called");
    }
}

void translate(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (...) {
        set_own_error();
    }
}

PyObject* python_type(const nb::builtin_exception& error) noexcept {
    switch (error.type()) {
        case nb::exception_type::stop_iteration:
            return PyExc_StopIteration;
        case nb::exception_type::index_error:
            return PyExc_IndexError;
        case nb::exception_type::key_error:
            return PyExc_KeyError;
        case nb::exception_type::value_error:
            return PyExc_ValueError;
        case nb::exception_type::type_error:
            return PyExc_TypeError;
        case nb::exception_type::buffer_error:
            return PyExc_BufferError;
        case nb::exception_type::import_error:
            return PyExc_ImportError;
        case nb::exception_type::attribute_error:
            return PyExc_AttributeError;
        default:
            return PyExc_RuntimeError;
    }
}

}  // namespace

void set_python_error() noexcept {
    try {
        set_own_error();
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const nb::builtin_exception& error) {
        PyErr_SetString(python_type(error), error.what());
    } catch (const std::invalid_argument& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const std::out_of_range& error) {
        PyErr_SetString(PyExc_IndexError, error.what());
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_SetString(PyExc_SystemError, "unknown C++ exception");
    }
}

void register_errors(nb::module_& m) {
    nb::register_exception_translator(translate);
    // Upstream's layouts and matrices raise RuntimeError for a bad index; Python's sequence protocol wants IndexError.
    nb::object bases = nb::make_tuple(nb::borrow(PyExc_IndexError), nb::borrow(PyExc_RuntimeError));
    nb::dict space;
    space["__doc__"] = "A bad index of a BoxArray or SmallMatrix: an IndexError, and a RuntimeError as upstream.";
    space["__module__"] = "amrex._core";
    m.attr("IndexRangeError") = nb::borrow(reinterpret_cast<PyObject*>(&PyType_Type))("IndexRangeError", bases, space);
}

}  // namespace zerofab::python
