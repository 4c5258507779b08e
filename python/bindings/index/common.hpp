// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the bindings of the index module share: names, checked directions.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <string>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/index/dim3.hpp"
#include "zerofab/index/format.hpp"

namespace zerofab::python {

/// Position 0 <= i < n of a Python index, negative ones counted from the end; IndexError outside.
inline int checked_position(int i, int n) {
    if (i < -n || i >= n) {
        throw IndexError(concat("index ", i, " is outside 0..", n - 1));
    }
    return i < 0 ? i + n : i;
}

/// A direction 0 <= d < D; IndexError for another one.
template <int D>
int checked_direction(int d) {
    if (d < 0 || d >= D) {
        throw IndexError(concat("direction ", d, " does not exist in ", D, " dimension(s); use 0..", D - 1));
    }
    return d;
}

template <int D>
int checked_direction(Direction d) {
    return checked_direction<D>(static_cast<int>(d));
}

/// The components as a Python tuple.
template <class T, std::size_t N>
nb::tuple as_tuple(const std::array<T, N>& a) {
    nb::list items;
    for (const T& x : a) items.append(x);
    return nb::tuple(items);
}

void register_int_vects(nb::module_& m);
template <int D>
void register_index_types(nb::module_& space);
template <int D>
void register_boxes(nb::module_& space);
template <int D>
void register_real(nb::module_& space);
template <int D>
void register_geometry(nb::module_& space);
void register_bc_type(nb::module_& m);
template <int D>
void register_bc_rec(nb::module_& space);
template <int D>
void register_index_vectors(nb::module_& space);
template <int D>
void register_index_functions(nb::module_& space);

}  // namespace zerofab::python
