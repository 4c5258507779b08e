// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The base of every Python class with data: all exchange protocols, written once.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "zerofab/exchange/tensor_view.hpp"

namespace zerofab::python {

namespace nb = nanobind;

/// A DLTensor lent to a C caller: it must live as long as the object.
struct LentTensor;

/// What a class needs to speak every protocol: to describe itself.
///
/// In Python this is `amrex._core.Exporter`.  A class of its own derives from it in C++ (as first base) and names it as
/// base in `nb::class_`.
class Exporter {
public:
    Exporter() = default;
    Exporter(const Exporter&) noexcept {}
    Exporter(Exporter&&) noexcept {}
    Exporter& operator=(const Exporter&) noexcept { return *this; }
    Exporter& operator=(Exporter&&) noexcept { return *this; }
    virtual ~Exporter() {
        if (lent_ != nullptr) {
            forget_lent();
        }
    }

    /// Fill in everything; axes in C order (slowest first) where the class has a mesh order.
    virtual void describe(TensorView& view) const = 0;
    /// Whether order="F" shows the axes reversed, (i, j, k, n) instead of (n, k, j, i).
    [[nodiscard]] virtual bool has_mesh_order() const noexcept { return false; }
    /// Whether the description never changes after __init__, so that a lent tensor need not be filled in again.
    [[nodiscard]] virtual bool is_fixed() const noexcept { return false; }

private:
    friend LentTensor& lent_by(const Exporter& self);
    void forget_lent() noexcept;

    mutable LentTensor* lent_ = nullptr;
};

/// A container `C` of the library as a Python class with data; needs `describe_container(const C&, TensorView&)`.
template <class C>
class Exported : public Exporter, public C {
public:
    using C::C;
    Exported() = default;
    explicit Exported(C container) : C(std::move(container)) {}

    void describe(TensorView& view) const override { describe_container(static_cast<const C&>(*this), view); }
};

/// The Exporter in this object; null, with RuntimeError set, if it was made without __init__.  For raw slots.
Exporter* exporter_of(PyObject* self) noexcept;
/// The same for any object: null without an error if it is no Exporter.
Exporter* exporter_if(PyObject* object) noexcept;

/// zerofab::copied and copied_in_place; other Python threads run where that takes long.  What the view shows stays, for
/// it owns a share of the memory; its elements may be written meanwhile, as those of any array.
TensorView copied_without_gil(const TensorView& view);
TensorView copied_in_place_without_gil(const TensorView& view);

/// An ndarray that shows the view, or an isolated copy; `reversed` shows the axes in reverse.  Needs the GIL.
nb::object to_ndarray(TensorView& view, bool copy, bool reversed);

/// Whether this is order "F" rather than "C"; ValueError for anything else.
bool is_f_order(const std::string& order);

}  // namespace zerofab::python
