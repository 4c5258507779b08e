// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/mesh/fab_array.hpp"

#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {

template <int D>
void FabArrayBase<D>::throw_empty() {
    throw StateError("this FabArray is empty: it was made without a layout, or cleared");
}

template <int D>
Lease<D> make_body(const BoxArray<D>& boxes, const DistributionMapping& owners, int ncomp, const IntVect<D>& ngrow,
                   const MFInfo& info, const DType& dtype) {
    require_initialized("a FabArray or MultiFab");
    if (ncomp < 1) {
        throw ValueError(concat("a FabArray needs at least one component, not ", ncomp));
    }
    if (!ngrow.all_ge(IntVect<D>(0))) {
        throw ValueError("the number of ghost cells cannot be negative");
    }
    auto body = std::make_shared<FabBody<D>>();
    body->layout = FabLayout<D>::of(boxes, owners);
    body->dtype = &dtype;
    body->ncomp = ncomp;
    body->ngrow = ngrow;
    body->arena = info.arena != nullptr ? info.arena : &The_Arena();
    body->tags = info.tags;
    if (info.alloc) {
        const int count = body->layout->num_local();
        body->fabs.resize(static_cast<std::size_t>(count));
        for (int local = 0; local < count; ++local) {
            FabMemory<D>& fab = body->fabs[static_cast<std::size_t>(local)];
            fab.box = grow(body->layout->local_box(local), ngrow);
            fab.memory = body->arena->allocate(fab_elements(fab.box, ncomp, dtype.size) * dtype.size);
            fab.data = fab.memory->data();
        }
    }
    return body;
}

#define ZEROFAB_INSTANTIATE(D)                                                                                         \
    template class FabArrayBase<D>;                                                                                    \
    template Lease<D> make_body(const BoxArray<D>&, const DistributionMapping&, int, const IntVect<D>&, const MFInfo&, \
                                const DType&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
