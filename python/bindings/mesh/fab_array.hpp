// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// How other files add methods to the Python classes of FabArrays.
#pragma once

#include "base/binding.hpp"
#include "zerofab/mesh/fab_array.hpp"
#include "zerofab/mesh/mf_iter.hpp"

namespace zerofab::python {

/// The Python classes of one element type in one dimension: FabArray_FArrayBox and MultiFab, FabArray_IArrayBox and
/// iMultiFab, FabArray_float and fMultiFab.
template <int D, class T, class Multi>
struct FabArrayClasses {
    using Value = T;
    using MultiClass = Multi;

    nb::class_<FabArray<D, T>, FabArrayBase<D>>& base;
    nb::class_<Multi, FabArray<D, T>>& multi;
};

// Each adds the methods of one topic; defined in the file of that topic, instantiated for all D and the three types
// (Real with MultiFab<D>, int with iMultiFab<D>, float with fMultiFab<D>).
template <int D, class T, class Multi>
void add_arithmetic_methods(FabArrayClasses<D, T, Multi> classes);  // mesh_arithmetic*.cpp
template <int D, class T, class Multi>
void add_halo_methods(FabArrayClasses<D, T, Multi> classes);  // halo_methods.cpp
template <int D, class T, class Multi>
void add_global_index_methods(FabArrayClasses<D, T, Multi> classes);  // mesh_global_index.cpp

}  // namespace zerofab::python
