// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Loops over FabArrays in Python.
#pragma once

#include "base/binding.hpp"
#include "zerofab/mesh/mf_iter.hpp"

namespace zerofab::python {

/// Options of a loop, as pyAMReX names them; those for devices have no effect on the host.
template <int D>
struct MFItInfo {
    bool do_tiling = false;
    bool dynamic = false;
    bool device_sync = true;
    int num_streams = 1;
    IntVect<D> tilesize{0};
};

/// The MFIter of an object: null if it is none, or not initialized.  Fast for objects of exactly this class.
template <int D>
const MFIter<D>* mf_iter_if(PyObject* object) noexcept;

/// A new iterator over the local boxes of a body.
template <int D>
PyObject* new_loop(const FabBody<D>& body);

template <int D>
void register_mf_iter(nb::module_& space);

}  // namespace zerofab::python
