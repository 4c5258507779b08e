// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BaseFab_*, FArrayBox and IArrayBox.
#include "mesh/fab.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "base/own_methods.hpp"
#include "base/without_gil.hpp"
#include "mesh/adopt.hpp"
#include "mesh/array4.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::python {
namespace {

/// A fab over the memory of an Array4, without a copy.
template <int D, class T>
BaseFab<D, T> alias_of(const PyArray4& array, IndexType<D> type, const char* what) {
    if (!same_elements(*array.dtype, dtype_of<T>)) {
        throw TypeError(concat("a ", what, " holds elements of type ", dtype_of<T>.name, ", not ", array.dtype->name));
    }
    if (array.read_only) {
        throw BufferError(concat("a ", what, " over a read-only Array4 could be written: copy it first"));
    }
    IntVect<D> lo;
    IntVect<D> hi;
    for (int d = 0; d < 3; ++d) {
        const auto at = static_cast<std::size_t>(d);
        if (d < D) {
            lo[d] = array.lo[at];
            hi[d] = array.lo[at] + array.size[at] - 1;
        } else if (array.size[at] > 1) {
            throw ValueError(concat("an Array4 with more than one cell in direction ", "ijk"[d], " does not fit ", D,
                                    " dimensions"));
        }
    }
    TensorView view;
    array.describe(view);
    if (!is_compact(view, 'C')) {
        throw BufferError(
            concat("a ", what, " needs memory without gaps: make an Array4 of a compact copy (copy=True) first"));
    }
    return BaseFab<D, T>(Box<D>(lo, hi, type), array.ncomp, std::move(view.owner), static_cast<T*>(view.data));
}

/// The components that an array for a fab brings along.
template <int D>
int components_of(nb::handle array, bool f_order) {
    const nb::object axes = nb::hasattr(array, "shape") ? nb::object(array.attr("shape"))
                                                        : nb::module_::import_("numpy").attr("shape")(array);
    const std::size_t count = nb::len(axes);
    if (count != 4 && count != D + 1) {
        return 1;
    }
    const auto components = nb::cast<std::int64_t>(axes[f_order ? count - 1 : 0]);
    return static_cast<int>(std::min<std::int64_t>(components, std::numeric_limits<int>::max()));
}

template <int D, class Fab, class Class>
void add_constructors(Class& cls, const char* what) {
    using T = typename Fab::value_type;
    cls.def(nb::init<>(), "A fab without box and memory.")
        .def(
            "__init__", [](Fab* self, Arena&) { new (self) Fab(); }, nb::arg("arena"), "A fab without box and memory.")
        .def(
            "__init__",
            [](Fab* self, const Box<D>& box, int ncomp, Arena* arena) {
                new (self) Fab(BaseFab<D, T>(box, ncomp, arena != nullptr ? *arena : The_Arena()));
            },
            nb::arg("box"), nb::arg("ncomp"), nb::arg("arena").none() = nb::none(),
            "New memory, not initialized, for `ncomp` components on `box`.")
        .def(
            "__init__",
            [](Fab* self, const Box<D>& box, int ncomp, bool alloc, bool, Arena* arena) {
                if (!alloc) {
                    throw ValueError("a fab without memory (alloc=False) has no use here: make it when it is needed");
                }
                new (self) Fab(BaseFab<D, T>(box, ncomp, arena != nullptr ? *arena : The_Arena()));
            },
            nb::arg("box"), nb::arg("ncomp"), nb::arg("alloc"), nb::arg("shared"), nb::arg("arena").none() = nb::none())
        .def(
            "__init__",
            [what](Fab* self, const Box<D>& box, nb::object array, bool copy, const std::string& order) {
                const AdoptOptions options{copy, is_f_order(order), nullptr};
                const int ncomp = components_of<D>(array, options.f_order);
                FabMemory<D> memory = adopt_fab(array, box, ncomp, dtype_of<T>, options, what);
                new (self) Fab(BaseFab<D, T>(box, ncomp, std::move(memory.memory), static_cast<T*>(memory.data)));
            },
            nb::arg("box"), nb::arg("array"), nb::kw_only(), nb::arg("copy") = false, nb::arg("order") = "C",
            nb::sig(
                "def __init__(self, box: Box, array: typing.Any, *, copy: bool = False, order: str = \"C\") -> None"),
            "The memory of an array of any library, in place, as a fab on `box`; or a copy.\n\n"
            "Axes: (component, k, j, i), or (i, j, k, component) with order=\"F\". The memory lives as long as the "
            "fab.\n"
            "ValueError for another shape, TypeError for another element type, BufferError for read-only memory or "
            "gaps.")
        .def(
            "__init__",
            [what](Fab* self, const PyArray4& array, std::optional<IndexType<D>> ix_type) {
                new (self) Fab(alias_of<D, T>(array, ix_type.value_or(IndexType<D>()), what));
            },
            nb::arg("array"), nb::arg("ix_type") = nb::none(),
            "An alias: the memory and indices of a compact Array4, shared.");
}

template <int D, class T>
void register_fab(nb::module_& space, const char* base_name, const char* name) {
    using Base = PyBaseFab<D, T>;
    using Fab = PyFab<D, T>;
    nb::class_<Base, Exporter> base(space, base_name,
                                    "Numbers with components on one box. As an array: (component, k, j, i).");
    add_constructors<D, Base>(base, base_name);
    own_exports(base);
    def_reduce_by(base, "fab", [](nb::handle self) -> nb::tuple {
        const Base& fab = nb::cast<const Base&>(self);
        if (!fab.is_allocated()) {
            return nb::make_tuple(self.type());
        }
        TensorView view;
        fab.describe(view);
        return nb::make_tuple(self.type(), fab.box(), to_ndarray(view, true, false));
    });
    base.def(
            "box", [](const Base& fab) { return fab.box(); }, "The box, ghosts included.")
        .def(
            "small_end", [](const Base& fab) { return fab.box().small_end(); }, "Lowest index.")
        .def(
            "big_end", [](const Base& fab) { return fab.box().big_end(); }, "Highest index.")
        .def(
            "lo_vect", [](const Base& fab) { return fab.box().small_end(0); }, "Lowest index in direction x.")
        .def(
            "hi_vect", [](const Base& fab) { return fab.box().big_end(0); }, "Highest index in direction x.")
        .def(
            "length", [](const Base& fab) { return fab.box().length(); }, "Points in each direction.")
        .def(
            "num_pts", [](const Base& fab) { return fab.num_pts(); }, "Points of the box.")
        .def(
            "size", [](const Base& fab) { return fab.size(); }, "Elements: points times components.")
        .def(
            "n_comp", [](const Base& fab) { return fab.n_comp(); }, "Number of components.")
        .def(
            "n_bytes", [](const Base& fab) { return fab.n_bytes(); }, "Bytes of the elements.")
        .def(
            "n_bytes",
            [](const Base& fab, const Box<D>& box, int ncomp) {
                return fab_elements(box & fab.box(), std::clamp(ncomp, 0, fab.n_comp()), sizeof(T)) * sizeof(T);
            },
            nb::arg("box"), nb::arg("ncomp"), "Bytes of some components on the part of `box` inside this fab.")
        .def(
            "n_bytes_owned", [](const Base& fab) { return fab.n_bytes_owned(); }, "Bytes of its own: 0 for an alias.")
        .def(
            "is_allocated", [](const Base& fab) { return fab.is_allocated(); }, "Whether there is memory.")
        .def(
            "resize",
            [](Base& fab, const Box<D>& box, int ncomp, Arena* arena) {
                fab.resize(box, ncomp, arena != nullptr ? *arena : The_Arena());
            },
            nb::arg("box"), nb::arg("ncomp") = 1, nb::arg("arena").none() = nb::none(),
            "New memory, not initialized, for another box. Views keep the old memory.")
        .def(
            "clear", [](Base& fab) { fab.clear(); }, "Release the memory. Views keep it.")
        .def(
            "array",
            [](const Base& fab) {
                return nb::steal(new_array4<T>(fab.array(), fab.share(), ArraySpace(fab.box().ix_type())));
            },
            nb::sig(std::is_same_v<T, int>     ? "def array(self) -> amrex._core.Array4_int"
                    : std::is_same_v<T, float> ? "def array(self) -> amrex._core.Array4_float"
                                               : "def array(self) -> amrex._core.Array4_double"),
            "The memory, indexed in the box's index space.")
        .def(
            "const_array",
            [](const Base& fab) {
                return nb::steal(new_array4<const T>(fab.const_array(), fab.share(), ArraySpace(fab.box().ix_type())));
            },
            nb::sig(std::is_same_v<T, int>     ? "def const_array(self) -> amrex._core.Array4_int_const"
                    : std::is_same_v<T, float> ? "def const_array(self) -> amrex._core.Array4_float_const"
                                               : "def const_array(self) -> amrex._core.Array4_double_const"),
            "The memory, indexed in the box's index space, read-only.")
        .def(
            "to_host",
            [](const Base& fab) {
                const AllocationPtr held = fab.share();
                const T* const data = fab.data();
                BaseFab<D, T> copy(fab.box(), fab.n_comp(), The_Cpu_Arena());
                if (held) {
                    const WithoutGilFor released(copy.n_bytes());
                    copy_bytes(copy.data(), {}, data, held->space(), copy.n_bytes());
                }
                return Base(std::move(copy));
            },
            "An isolated copy in plain host memory.")
        .def("__repr__", [](const Base& fab) {
            return concat("<amrex.", fab.what(), " of ", dtype_of<T>.name, " with ", fab.n_comp(),
                          fab.n_comp() == 1 ? " component>" : " components>");
        });
    nb::class_<Fab, Base> fab(space, name, "A BaseFab as MultiFabs hold it. As an array: (component, k, j, i).");
    add_constructors<D, Fab>(fab, name);
    own_exports(fab);
}

}  // namespace

template <int D>
void register_fab_space(nb::module_& space) {
    register_fab<D, Real>(space, "BaseFab_Real", "FArrayBox");
    register_fab<D, int>(space, "BaseFab_int", "IArrayBox");
}

#define ZEROFAB_INSTANTIATE(D) template void register_fab_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
