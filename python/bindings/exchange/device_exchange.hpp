// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the protocols need beside a TensorView where the memory is of a device: order, streams, copies.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// A request of __dlpack__ for memory of a device; `asked` is null for no dl_device, and the objects are not None's
/// equals but None itself.
struct DeviceRequest {
    PyObject* stream = Py_None;
    const DLPackDevice* asked = nullptr;
    PyObject* copy = Py_None;
};

/// Turn `view` into what the consumer asked for, ordered as its stream says; true if it is a copy.
///
/// dl_device may be the host (memory that the host reaches is shown after waiting for the device, other memory is
/// copied), the memory's own device, or, for pinned and managed memory, the device that it belongs to.  BufferError,
/// TypeError or ValueError as row S20 of the specification says.
bool prepare_device_export(TensorView& view, const DeviceRequest& request);

/// Work on this stream, or with null on one that is not known, will use the memory after it was given away.
void note_use(const TensorView& view, const Stream* stream);

/// The stream of this Python object on the device of the run, as BackendFacts says: an integer as CUDA's array
/// interface counts, any object with `ptr`, `cuda_stream` or `__cuda_stream__`, for SYCL a dpctl.SyclQueue; None is the
/// default.
Stream stream_of(Device device, nb::handle stream);

/// What to pass as `stream` to a producer whose memory is of our device, so that its work comes before ours.
nb::object stream_for_producer(Device device);

/// Order what comes from now on after what array libraries have queued by themselves on the device, where a backend has
/// a `consumer_module` (SYCL).
void know_consumers(Device device);

/// The function of amrex._convert that makes arrays of amr.xp in this run; null on the host, where that is NumPy.
const char* xp_converter() noexcept;

/// What the dictionaries of both array interfaces have in common: all but the data.
nb::dict array_interface_of(const TensorView& view);

/// The dictionary of __cuda_array_interface__, or an invalid object if the memory is not of CUDA or ROCm.
nb::object cuda_array_interface_of(const TensorView& view);

}  // namespace zerofab::python
