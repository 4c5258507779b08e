// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Methods of FabArrays that move data between boxes: ghost cells, sums, copies between layouts, shared nodes.
#include <nanobind/stl/string.h>

#include <type_traits>

#include "base/without_gil.hpp"
#include "mesh/fab_array.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/halo/halo.hpp"

namespace zerofab::python {
namespace {

/// Run f(lease, more leases) without the GIL; the leases keep what is worked on.
template <class F, class... Fields>
void without_gil(F&& f, const Fields&... fields) {
    const auto run = [&f](const auto... leases) {
        const WithoutGil release;
        f(leases...);
    };
    run(fields.lease()...);
}

template <int D>
void fill(const FabArrayBase<D>& self, int scomp, int ncomp, const IntVect<D>& nghost, const Periodicity<D>& period,
          bool cross) {
    without_gil([&](const Lease<D>& field) { fill_boundary(field, scomp, ncomp, nghost, period, cross); }, self);
}

template <int D>
void sum(const FabArrayBase<D>& self, int scomp, int ncomp, const IntVect<D>& src_nghost, const IntVect<D>& dst_nghost,
         const Periodicity<D>& period) {
    without_gil([&](const Lease<D>& field) { sum_boundary(field, scomp, ncomp, src_nghost, dst_nghost, period); },
                self);
}

template <int D>
void copy_from(const FabArrayBase<D>& self, const FabArrayBase<D>& src, int srccomp, int dstcomp, int numcomp,
               const IntVect<D>& src_nghost, const IntVect<D>& dst_nghost, const Periodicity<D>& period,
               const std::string& op) {
    if (op != "copy" && op != "add") {
        throw ValueError("parallel_copy: op is \"copy\" or \"add\", not \"" + op + "\"");
    }
    const CopyOp how = op == "add" ? CopyOp::add : CopyOp::copy;
    without_gil(
        [&](const Lease<D>& to, const Lease<D>& from) {
            parallel_copy(to, from, srccomp, dstcomp, numcomp, src_nghost, dst_nghost, period, how);
        },
        self, src);
}

template <int D, class Class>
void add_fill_boundary(Class& cls) {
    using Base = typename Class::Type;
    using P = Periodicity<D>;
    using Vect = IntVect<D>;
    constexpr const char* doc =
        "Give ghost cells the values of valid cells of other boxes, or of images over periodic boundaries.\n\n"
        "Without `nghost` all ghost cells, without `scomp` and `ncomp` all components. With `cross` no corners.";
    cls.def(
           "fill_boundary",
           [](const Base& self, bool cross) { fill<D>(self, 0, self.n_comp(), self.n_grow_vect(), P(), cross); },
           nb::arg("cross") = false, doc)
        .def(
            "fill_boundary",
            [](const Base& self, const P& period, bool cross) {
                fill<D>(self, 0, self.n_comp(), self.n_grow_vect(), period, cross);
            },
            nb::arg("period"), nb::arg("cross") = false, doc)
        .def(
            "fill_boundary",
            [](const Base& self, const Vect& nghost, const P& period, bool cross) {
                fill<D>(self, 0, self.n_comp(), nghost, period, cross);
            },
            nb::arg("nghost"), nb::arg("period"), nb::arg("cross") = false, doc)
        .def(
            "fill_boundary",
            [](const Base& self, int scomp, int ncomp, bool cross) {
                fill<D>(self, scomp, ncomp, self.n_grow_vect(), P(), cross);
            },
            nb::arg("scomp"), nb::arg("ncomp"), nb::arg("cross") = false, doc)
        .def(
            "fill_boundary",
            [](const Base& self, int scomp, int ncomp, const P& period, bool cross) {
                fill<D>(self, scomp, ncomp, self.n_grow_vect(), period, cross);
            },
            nb::arg("scomp"), nb::arg("ncomp"), nb::arg("period"), nb::arg("cross") = false, doc)
        .def("fill_boundary", &fill<D>, nb::arg("scomp"), nb::arg("ncomp"), nb::arg("nghost"), nb::arg("period"),
             nb::arg("cross") = false, doc);
}

template <int D, class Class>
void add_sum_boundary(Class& cls) {
    using Base = typename Class::Type;
    using P = Periodicity<D>;
    using Vect = IntVect<D>;
    constexpr const char* doc =
        "Give every valid cell the sum of what all boxes, with all their ghost cells, hold there, periodic images\n"
        "included: the reverse of fill_boundary. The order of the terms is always the same.";
    constexpr const char* doc_ghosts = "The same for valid cells and `nghost` ghost cells, from all ghost cells.";
    constexpr const char* doc_both =
        "The same for valid cells and `dst_nghost` ghost cells, from `nghost` ghost cells.";
    cls.def(
           "sum_boundary",
           [](const Base& self, const P& period, bool) {
               sum<D>(self, 0, self.n_comp(), self.n_grow_vect(), Vect(), period);
           },
           nb::arg("period"), nb::arg("deterministic") = false, doc)
        .def(
            "sum_boundary",
            [](const Base& self, int scomp, int ncomp, const P& period, bool) {
                sum<D>(self, scomp, ncomp, self.n_grow_vect(), Vect(), period);
            },
            nb::arg("scomp"), nb::arg("ncomp"), nb::arg("period"), nb::arg("deterministic") = false, doc)
        .def(
            "sum_boundary",
            [](const Base& self, int scomp, int ncomp, const Vect& nghost, const P& period, bool) {
                sum<D>(self, scomp, ncomp, self.n_grow_vect(), nghost, period);
            },
            nb::arg("scomp"), nb::arg("ncomp"), nb::arg("nghost"), nb::arg("period"), nb::arg("deterministic") = false,
            doc_ghosts)
        .def(
            "sum_boundary",
            [](const Base& self, int scomp, int ncomp, const Vect& nghost, const Vect& dst_nghost, const P& period,
               bool) { sum<D>(self, scomp, ncomp, nghost, dst_nghost, period); },
            nb::arg("scomp"), nb::arg("ncomp"), nb::arg("nghost"), nb::arg("dst_nghost"), nb::arg("period"),
            nb::arg("deterministic") = false, doc_both);
}

template <int D, class Class>
void add_parallel_copy(Class& cls) {
    using Base = typename Class::Type;
    using P = Periodicity<D>;
    using Vect = IntVect<D>;
    cls.def(
           "parallel_copy",
           [](const Base& self, const Base& src, const P& period, const std::string& op) {
               if (src.n_comp() != self.n_comp()) {
                   throw ValueError(concat("parallel_copy: the source has ", src.n_comp(),
                                           " components, the destination ", self.n_comp(),
                                           ": say which ones with srccomp, dstcomp, numcomp"));
               }
               copy_from<D>(self, src, 0, 0, self.n_comp(), Vect(), Vect(), period, op);
           },
           nb::arg("src"), nb::arg("period") = P(), nb::arg("op") = "copy",
           "Copy all components from `src`, whose boxes may be others, wherever valid cells meet; op \"add\" adds.")
        .def(
            "parallel_copy",
            [](const Base& self, const Base& src, int srccomp, int dstcomp, int numcomp, const Vect& src_nghost,
               const Vect& dst_nghost, const P& period, const std::string& op) {
                copy_from<D>(self, src, srccomp, dstcomp, numcomp, src_nghost, dst_nghost, period, op);
            },
            nb::arg("src"), nb::arg("srccomp"), nb::arg("dstcomp"), nb::arg("numcomp"), nb::arg("src_nghost") = Vect(),
            nb::arg("dst_nghost") = Vect(), nb::arg("period") = P(), nb::arg("op") = "copy",
            "The same for some components, from and to that many ghost cells.");
}

/// Everywhere a field takes the owner's value; in `cls` and again in classes whose own overload hides it.
template <int D, class Base, class Class>
void add_override_sync(Class& cls) {
    using P = Periodicity<D>;
    constexpr const char* doc =
        "Give nodes that several boxes share the value of their owner: the first box that has them. Nothing happens "
        "to\n"
        "cell-centred data.";
    const auto sync = [](const Base& self, int scomp, int ncomp, const P& period) {
        without_gil([&](const Lease<D>& field) { override_sync(field, scomp, ncomp, period); }, self);
    };
    cls.def(
           "override_sync", [sync](const Base& self, const P& period) { sync(self, 0, self.n_comp(), period); },
           nb::arg("period"), doc)
        .def("override_sync", sync, nb::arg("scomp"), nb::arg("ncomp"), nb::arg("period"), doc);
}

template <int D, class Base, class Class>
void add_masked_sync(Class& cls) {
    using P = Periodicity<D>;
    cls.def(
           "override_sync",
           [](const Base& self, const FabArray<D, int>& mask, const P& period) {
               without_gil([&](const Lease<D>& field, const Lease<D>& owners) { override_sync(field, owners, period); },
                           self, mask);
           },
           nb::arg("mask"), nb::arg("period"),
           "Give shared nodes the value of the box where `mask` is not 0 (see owner_mask).")
        .def(
            "weighted_sync",
            [](const Base& self, const Base& weight, const P& period) {
                without_gil([&](const Lease<D>& field, const Lease<D>& by) { weighted_sync(field, by, period); }, self,
                            weight);
            },
            nb::arg("weight"), nb::arg("period"),
            "Give shared nodes the sum over their boxes of weight times value; `weight` has one component.");
}

}  // namespace

template <int D, class T, class Multi>
void add_halo_methods(FabArrayClasses<D, T, Multi> classes) {
    using P = Periodicity<D>;
    using Base = FabArray<D, T>;
    add_fill_boundary<D>(classes.base);
    add_sum_boundary<D>(classes.base);
    add_parallel_copy<D>(classes.base);
    add_override_sync<D, Base>(classes.base);
    add_override_sync<D, Base>(classes.multi);
    add_masked_sync<D, Base>(classes.multi);
    if constexpr (std::is_floating_point_v<T>) {
        classes.multi.def(
            "average_sync",
            [](const Base& self, const P& period) {
                without_gil([&](const Lease<D>& field) { average_sync(field, period); }, self);
            },
            nb::arg("period"), "Give shared nodes the mean over their boxes.");
    }
    classes.multi
        .def(
            "owner_mask",
            [](const Base& self, const P& period) { return iMultiFab<D>(owner_mask(self.lease(), period)); },
            nb::arg("period") = P(), "1 where a box owns its point, 0 where an earlier box has it too; without ghosts.")
        .def(
            "overlap_mask",
            [](const Base& self, const P& period) { return Multi(overlap_mask<D, T>(self.lease(), period)); },
            nb::arg("period") = P(), "How many boxes and periodic images have each valid point; without ghosts.");
}

#define ZEROFAB_INSTANTIATE(D)                                             \
    template void add_halo_methods(FabArrayClasses<D, Real, MultiFab<D>>); \
    template void add_halo_methods(FabArrayClasses<D, int, iMultiFab<D>>); \
    template void add_halo_methods(FabArrayClasses<D, float, fMultiFab<D>>);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
