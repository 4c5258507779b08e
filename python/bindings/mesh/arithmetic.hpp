// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of FabArray operations share: how they let other Python threads run.
#pragma once

#include "base/without_gil.hpp"
#include "mesh/fab_array.hpp"

namespace zerofab::python {

/// call(fields...) without the GIL, on handles of its own: another thread may clear or redefine the Python objects
/// meanwhile. The shares end after the GIL is back, for they may be the last ones of memory that Python lent.
template <class Call, class... Fields>
auto leased(Call call, const Fields&... fields) {
    const auto run = [&](const Fields... held) {
        const WithoutGil other_threads_run;
        return call(held...);
    };
    return run(fields...);
}

template <int D, class T, class Multi>
void add_reduction_methods(FabArrayClasses<D, T, Multi> classes);  // mesh_reductions.cpp
template <int D>
void register_arithmetic_space(nb::module_& space);  // mesh_arithmetic.cpp

}  // namespace zerofab::python
