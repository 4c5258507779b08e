// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/mesh/fab_array.hpp"

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
        throw ValueError("a FabArray needs at least one component, not " + std::to_string(ncomp));
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

template class FabArrayBase<1>;
template class FabArrayBase<2>;
template class FabArrayBase<3>;
template Lease<1> make_body(const BoxArray<1>&, const DistributionMapping&, int, const IntVect<1>&, const MFInfo&,
                            const DType&);
template Lease<2> make_body(const BoxArray<2>&, const DistributionMapping&, int, const IntVect<2>&, const MFInfo&,
                            const DType&);
template Lease<3> make_body(const BoxArray<3>&, const DistributionMapping&, int, const IntVect<3>&, const MFInfo&,
                            const DType&);

}  // namespace zerofab
