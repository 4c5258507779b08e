// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Memory of other libraries as the memory of fabs.
#pragma once

#include <string>

#include "base/binding.hpp"
#include "zerofab/mesh/fab_array.hpp"

namespace zerofab::python {

/// How the array of a fab is given.
struct AdoptOptions {
    bool copy = false;     ///< an isolated copy, converted where NumPy can do so without loss
    bool f_order = false;  ///< axes (i, j, k, component), as to_numpy() gives them, instead of (component, k, j, i)
    Arena* arena = nullptr;
};

/// The memory of `source` as that of a fab on `box`; `what` begins messages.
///
/// Accepted are 4 axes, or those of the space: (component, [k,] [j,] i), without component if there is one only.
/// ValueError for another shape, TypeError for another element type or no array, BufferError, naming copy=True, for
/// memory that is read-only or has gaps.
template <int D>
FabMemory<D> adopt_fab(nb::handle source, const Box<D>& box, int ncomp, const DType& dtype, const AdoptOptions& options,
                       const std::string& what);

/// A body over these boxes whose local fabs are the arrays, in order.  Checked before anything is made.
template <int D>
Lease<D> adopt_body(const BoxArray<D>& boxes, const DistributionMapping& owners, nb::handle arrays, int ncomp,
                    const IntVect<D>& ngrow, const DType& dtype, const AdoptOptions& options);

}  // namespace zerofab::python
