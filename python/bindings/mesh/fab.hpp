// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The C++ side of the Python classes BaseFab_*, FArrayBox, IArrayBox.
#pragma once

#include <type_traits>
#include <utility>

#include "exchange/exporter.hpp"
#include "exchange/importer.hpp"
#include "zerofab/mesh/base_fab.hpp"

namespace zerofab::python {

template <int D, class T>
class PyBaseFab : public Exporter, public BaseFab<D, T> {
public:
    PyBaseFab() = default;
    explicit PyBaseFab(BaseFab<D, T> fab) : BaseFab<D, T>(std::move(fab)) {}

    void describe(TensorView& view) const override {
        const Array4<T> array = this->array();
        view.own(this->share());
        view.data = array.data;
        view.dtype = &dtype_of<T>;
        view.axes = 4;
        view.what = what();
        view.shape = {array.ncomp, array.size[2], array.size[1], array.size[0]};
        view.strides = {array.nstride, array.kstride, array.jstride, 1};
    }
    bool has_mesh_order() const noexcept override { return true; }
    virtual const char* what() const noexcept { return std::is_same_v<T, int> ? "BaseFab_int" : "BaseFab_Real"; }
};

template <int D, class T>
class PyFab final : public PyBaseFab<D, T> {
public:
    using PyBaseFab<D, T>::PyBaseFab;
    const char* what() const noexcept override { return std::is_same_v<T, int> ? "IArrayBox" : "FArrayBox"; }
};

/// BaseFab_*, FArrayBox and IArrayBox.
template <int D>
void register_fab_space(nb::module_& space);

}  // namespace zerofab::python
