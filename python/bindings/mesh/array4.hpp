// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The Python classes Array4_*: one body, one type per element type and constness.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "exchange/exporter.hpp"
#include "zerofab/index/index_type.hpp"
#include "zerofab/mesh/array4.hpp"

namespace zerofab::python {

/// The space of a fab: its number of dimensions, and in which of them it is nodal, a bit each.
struct ArraySpace {
    std::uint8_t dim = 3, nodal = 0;

    ArraySpace() = default;
    template <int D>
    explicit ArraySpace(const IndexType<D>& type) noexcept : dim(D), nodal(type.bits()) {}
};

/// What every Array4 class holds: a share of the memory and how it is indexed.
///
/// Unlike the C++ Array4 it keeps the memory alive, and has a stride for i too, so that any strided memory of others
/// can be taken in.  `lo` and `size` count i, j, k; element (lo, 0) is at `data`.
class PyArray4 : public Exporter {
public:
    void describe(TensorView& view) const override;
    bool has_mesh_order() const noexcept override { return true; }
    bool is_fixed() const noexcept override { return true; }

    AllocationPtr owner;
    void* data = nullptr;
    const DType* dtype = nullptr;
    const char* what = "";
    std::array<int, 3> lo{};
    std::array<int, 3> size{};
    int ncomp = 0;
    bool read_only = false;
    ArraySpace space;
    std::array<std::int64_t, 4> strides{};  ///< elements; of i, j, k, component
};

/// One Array4 class: `T` is const for the `_const` classes.
template <class T>
class TypedArray4 final : public PyArray4 {
public:
    TypedArray4() noexcept;
    /// Over compact memory of a fab.
    TypedArray4(const Array4<T>& array, const AllocationPtr& memory, ArraySpace space_) noexcept;
};

using Array4Types = std::tuple<float, double, long double, std::complex<float>, std::complex<double>, short, int, long,
                               long long, unsigned short, unsigned int, unsigned long, unsigned long long>;

/// "Array4_double", "Array4_double_const", ...
template <class T>
const char* array4_name() noexcept;

/// A new Python Array4 over memory of a fab; fast: for loops over boxes.
template <class T>
PyObject* new_array4(const Array4<T>& array, const AllocationPtr& memory, ArraySpace space) noexcept;

/// The Array4 of this object, or null.
PyArray4* array4_if(PyObject* object) noexcept;

}  // namespace zerofab::python
