// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/halo/halo.hpp"

#include "halo/execute.hpp"
#include "mesh/checks.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab {
namespace {

using halo::Run;

/// Whether writing to one may change the other: handles of one memory have one layout.
template <int D>
bool may_share(const FabBody<D>& a, const FabBody<D>& b) {
    if (a.num_local() != b.num_local()) return false;
    for (std::size_t i = 0; i < a.fabs.size(); ++i) {
        if (a.fabs[i].memory == b.fabs[i].memory) return true;
    }
    return false;
}

}  // namespace

template <int D>
void fill_boundary(const Lease<D>& field, int scomp, int ncomp, const IntVect<D>& nghost, const Periodicity<D>& period,
                   bool cross) {
    constexpr const char* what = "fill_boundary";
    detail::check_memory(what, "the field", field);
    detail::check_components(what, "the field", *field, scomp, ncomp);
    detail::check_ghosts(what, "the field", *field, nghost);
    if (nghost == IntVect<D>() || ncomp == 0) return;
    HaloRequest<D> request{HaloRequest<D>::Kind::ghosts, IntVect<D>(), nghost, period, cross};
    const auto plan = halo_plan(*field->layout, *field->layout, request);
    halo::check_local(what, *plan);
    halo::with_element_type(what, *field->dtype, [&](auto zero) {
        halo::run_plan<D, decltype(zero)>(plan, field, field, Run{scomp, scomp, ncomp});
    });
}

template <int D>
void sum_boundary(const Lease<D>& field, int scomp, int ncomp, const IntVect<D>& src_nghost,
                  const IntVect<D>& dst_nghost, const Periodicity<D>& period) {
    constexpr const char* what = "sum_boundary";
    detail::check_memory(what, "the field", field);
    detail::check_components(what, "the field", *field, scomp, ncomp);
    detail::check_ghosts(what, "the field", *field, src_nghost);
    detail::check_ghosts(what, "the field", *field, dst_nghost);
    if (ncomp == 0) return;
    const HaloRequest<D> request{HaloRequest<D>::Kind::others, src_nghost, dst_nghost, period, false};
    const auto plan = halo_plan(*field->layout, *field->layout, request);
    halo::check_local(what, *plan);
    halo::with_element_type(what, *field->dtype, [&](auto zero) {
        halo::run_plan<D, decltype(zero)>(plan, field, field, Run{scomp, scomp, ncomp, true});
    });
}

template <int D>
void parallel_copy(const Lease<D>& dst, const Lease<D>& src, int scomp, int dcomp, int ncomp,
                   const IntVect<D>& src_nghost, const IntVect<D>& dst_nghost, const Periodicity<D>& period,
                   CopyOp op) {
    constexpr const char* what = "parallel_copy";
    detail::check_memory(what, "the destination", dst);
    detail::check_memory(what, "the source", src);
    detail::check_components(what, "the source", *src, scomp, ncomp);
    detail::check_components(what, "the destination", *dst, dcomp, ncomp);
    detail::check_ghosts(what, "the source", *src, src_nghost);
    detail::check_ghosts(what, "the destination", *dst, dst_nghost);
    if (src->dtype->code != dst->dtype->code || src->dtype->size != dst->dtype->size) {
        throw TypeError(concat(what, ": the source has elements of type ", src->dtype->name,
                               ", the destination of type ", dst->dtype->name));
    }
    if (ncomp == 0) return;
    const HaloRequest<D> request{HaloRequest<D>::Kind::all, src_nghost, dst_nghost, period, false};
    const auto plan = halo_plan(*dst->layout, *src->layout, request);
    halo::check_local(what, *plan);
    halo::with_element_type(what, *dst->dtype, [&](auto zero) {
        const Run run{scomp, dcomp, ncomp, op == CopyOp::add, may_share(*dst, *src)};
        halo::run_plan<D, decltype(zero)>(plan, dst, src, run);
    });
}

#define ZEROFAB_INSTANTIATE(D)                                                                                         \
    template void fill_boundary(const Lease<D>&, int, int, const IntVect<D>&, const Periodicity<D>&, bool);            \
    template void sum_boundary(const Lease<D>&, int, int, const IntVect<D>&, const IntVect<D>&,                        \
                               const Periodicity<D>&);                                                                 \
    template void parallel_copy(const Lease<D>&, const Lease<D>&, int, int, int, const IntVect<D>&, const IntVect<D>&, \
                                const Periodicity<D>&, CopyOp);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
