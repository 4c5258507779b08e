// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Running a plan on this rank: what the operations of the module have in common.
#pragma once

#include <memory>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/halo/halo.hpp"

namespace zerofab::halo {

/// How the copies of a plan are run.
struct Run {
    int scomp = 0, dcomp = 0, ncomp = 1;
    bool add = false;
    bool stage_all = false;  ///< both fields may share memory: read everything before anything is written
};

/// StateError if the plan needs other ranks; `what` names the operation.
template <int D>
void check_local(const char* what, const HaloPlan<D>& plan);

/// Call f(T{}) for the element type of a field; TypeError for one that has no loops.
template <class F>
void with_element_type(const char* what, const DType& dtype, F&& f) {
    if (dtype.code == DTypeCode::real && dtype.size == sizeof(double)) return f(double{});
    if (dtype.code == DTypeCode::real && dtype.size == sizeof(float)) return f(float{});
    if (dtype.code == DTypeCode::integer && dtype.size == sizeof(int)) return f(int{});
    if (dtype.code == DTypeCode::integer && dtype.size == sizeof(std::int64_t)) return f(std::int64_t{});
    throw TypeError(concat(what, ": not for elements of type ", dtype.name));
}

/// Run the local copies of a plan from `src` to `dst`, where `dst` is.
template <int D, class T>
void run_plan(const std::shared_ptr<const HaloPlan<D>>& plan, const Lease<D>& dst, const Lease<D>& src, const Run& run);

}  // namespace zerofab::halo
