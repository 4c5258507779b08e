// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Running a plan on this rank: what the operations of the room have in common.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "zerofab/base/error.hpp"
#include "zerofab/device/host_loops.hpp"
#include "zerofab/halo/halo.hpp"

namespace zerofab::halo {

/// How the copies of a plan are run.
struct Run {
    int scomp = 0, dcomp = 0, ncomp = 1;
    bool add = false;
    bool stage_all = false;  ///< both fields may share memory: read everything before anything is written
};

/// IndexError, ValueError or StateError as halo.hpp says; `what` names the operation.
template <int D>
void check_components(const char* what, const FabBody<D>& field, int comp, int ncomp);
template <int D>
void check_ghosts(const char* what, const FabBody<D>& field, const IntVect<D>& nghost);
template <int D>
void check_memory(const char* what, const Lease<D>& field);
template <int D>
void check_local(const char* what, const HaloPlan<D>& plan);

/// Call f(T{}) for the element type of a field; TypeError for one that has no loops.
template <class F>
void with_element_type(const char* what, const DType& dtype, F&& f) {
    if (dtype.code == DTypeCode::real && dtype.size == sizeof(double)) return f(double{});
    if (dtype.code == DTypeCode::real && dtype.size == sizeof(float)) return f(float{});
    if (dtype.code == DTypeCode::integer && dtype.size == sizeof(int)) return f(int{});
    if (dtype.code == DTypeCode::integer && dtype.size == sizeof(std::int64_t)) return f(std::int64_t{});
    throw TypeError(std::string(what) + ": not for elements of type " + dtype.name);
}

/// The region of some points of a fab for the host loops.
template <int D>
LoopRegion region_of(const Box<D>& box) noexcept {
    std::array<std::int64_t, 3> n{1, 1, 1};
    for (int d = 0; d < D; ++d) n[static_cast<std::size_t>(d)] = std::int64_t{box.big_end(d)} - box.small_end(d) + 1;
    return {n[0], n[1], n[2]};
}
template <class T, int D>
LoopOperand<T> operand_at(const Array4<T>& a, const IntVect<D>& point, int comp) noexcept {
    std::array<int, 3> at{};
    std::copy(point.begin(), point.end(), at.begin());
    return {a.ptr(at[0], at[1], at[2], comp), a.jstride, a.kstride};
}

/// Run the local copies of a plan from `src` to `dst`, where `dst` is.
template <int D, class T>
void run_plan(const std::shared_ptr<const HaloPlan<D>>& plan, const Lease<D>& dst, const Lease<D>& src, const Run& run);

}  // namespace zerofab::halo
