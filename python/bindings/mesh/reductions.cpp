// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reductions of FabArrays in Python: sums, extrema, norms.
#include "zerofab/mesh/reductions.hpp"

#include <nanobind/stl/vector.h>

#include <vector>

#include "base/without_gil.hpp"
#include "mesh/arithmetic.hpp"
#include "mesh/fab_array.hpp"
#include "mesh/ghosts.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

/// One norm per component, as the class Vector_Real.
template <class Norm>
nb::object norms_of(const std::vector<int>& comps, Norm norm) {
    std::vector<double> norms;
    {
        const WithoutGil other_threads_run;
        for (const int comp : comps) norms.push_back(static_cast<double>(norm(comp)));
    }
    return nb::module_::import_("amrex._core").attr("Vector_Real")(norms);
}

template <int D, class T, class Multi>
struct Reductions {
    using F = FabArray<D, T>;
    using M = FabArray<D, int>;
    using I = Ghosts<D>;
    using P = Periodicity<D>;
    using Where = Selection<D>;
    using Class = nb::class_<Multi, F>;
    using Base = nb::class_<F, FabArrayBase<D>>;

    template <class Any>
    static void def_sum_with_ghosts(Any& cls) {
        cls.def(
            "sum",
            [](const F& x, int comp, const IntVect<D>& g, bool local) {
                return leased([&](const F& held) { return sum<D, T>(held, {comp, 1, g, {}}, local); }, x);
            },
            nb::arg("comp"), nb::arg("nghost"), nb::arg("local") = false,
            "Sum of a component over all valid points, grown by nghost.");
    }

    static void sums(Base& base, Class& multi) {
        def_sum_with_ghosts(base);
        multi
            .def(
                "sum",
                [](const F& x, int comp, bool local) {
                    return leased([&](const F& held) { return sum<D, T>(held, {comp, 1, {}, {}}, local); }, x);
                },
                nb::arg("comp") = 0, nb::arg("local") = false,
                "Sum of a component over all valid points, or those in a region. Points that boxes share count in "
                "each.")
            .def(
                "sum",
                [](const F& x, const Box<D>& region, int comp, bool local) {
                    return leased([&](const F& held) { return sum<D, T>(held, {comp, 1, {}, region}, local); }, x);
                },
                nb::arg("region"), nb::arg("comp") = 0, nb::arg("local") = false);
        def_sum_with_ghosts(multi);
        multi
            .def(
                "sum_unique",
                [](const F& x, int comp, bool local, const P& period) {
                    return leased([&](const F& held) { return sum_unique<D, T>(held, comp, period, local); }, x);
                },
                nb::arg("comp") = 0, nb::arg("local") = false, nb::arg("period") = P{},
                "Sum of a component in which points that boxes share, or that are periodic images, count once.")
            .def(
                "sum_unique",
                [](const F& x, const Box<D>& region, int comp, bool local) {
                    return leased([&](const F& held) { return sum_unique<D, T>(held, comp, region, local); }, x);
                },
                nb::arg("region"), nb::arg("comp") = 0, nb::arg("local") = false);
    }

    template <class Op>
    static void def_extreme(Class& multi, const char* name, const char* doc, Op op) {
        multi
            .def(
                name,
                [op](const F& x, int comp, I g, bool local) {
                    return leased([&](const F& held) { return op(held, Where{comp, 1, g.n, {}}, local); }, x);
                },
                nb::arg("comp") = 0, nb::arg("nghost") = I{}, nb::arg("local") = false, doc)
            .def(
                name,
                [op](const F& x, const Box<D>& region, int comp, I g, bool local) {
                    return leased([&](const F& held) { return op(held, Where{comp, 1, g.n, region}, local); }, x);
                },
                nb::arg("region"), nb::arg("comp") = 0, nb::arg("nghost") = I{}, nb::arg("local") = false);
    }

    template <class Op>
    static void def_place(Class& multi, const char* name, const char* doc, Op op) {
        multi.def(
            name,
            [op](const F& x, int comp, I g) { return leased([&](const F& held) { return op(held, comp, g.n); }, x); },
            nb::arg("comp"), nb::arg("nghost") = I{}, doc);
    }

    static void extrema(Class& multi) {
        def_extreme(multi, "min", "Smallest number of a component; NaN is passed over.", &zerofab::min<D, T>);
        def_extreme(multi, "max", "Largest number of a component; NaN is passed over.", &zerofab::max<D, T>);
        def_place(multi, "minIndex", "Where the smallest number is; of equal ones, the last.", &min_index<D, T>);
        def_place(multi, "maxIndex", "Where the largest number is; of equal ones, the last.", &max_index<D, T>);
    }

    static void norms(Class& multi) {
        const auto max_norm = [](const F& x, int comp, I g, bool local, bool) {
            return leased([&](const F& held) { return norm0<D, T>(held, {comp, 1, g.n, {}}, local); }, x);
        };
        for (const char* name : {"norm0", "norminf"})
            multi.def(name, max_norm, nb::arg("comp") = 0, nb::arg("nghost") = I{}, nb::arg("local") = false,
                      nb::arg("ignore_covered") = false, "Largest |x| of a component; NaN if there is one.");
        multi
            .def(
                "norm0",
                [](const F& x, const M& mask, int comp, I g, bool local) {
                    return leased([&](const F& held,
                                      const M& where) { return norm0<D, T>(held, {comp, 1, g.n, {}}, where, local); },
                                  x, mask);
                },
                nb::arg("mask"), nb::arg("comp") = 0, nb::arg("nghost") = I{}, nb::arg("local") = false,
                "Largest |x| of a component where the mask is not 0.")
            .def(
                "norm1",
                [](const F& x, int comp, const P& period, bool) {
                    return leased([&](const F& held) { return norm1_unique<D, T>(held, comp, period); }, x);
                },
                nb::arg("comp"), nb::arg("period"), nb::arg("ignore_covered") = false,
                "Sum of |x| of a component; with a period, a point that m boxes or periodic images of boxes have "
                "counts "
                "1/m in each.")
            .def(
                "norm1",
                [](const F& x, int comp, I g, bool local) {
                    return leased([&](const F& held) { return norm1<D, T>(held, {comp, 1, g.n, {}}, local); }, x);
                },
                nb::arg("comp") = 0, nb::arg("ngrow") = I{}, nb::arg("local") = false)
            .def(
                "norm1",
                [](const F& x, const std::vector<int>& comps, I g, bool local) {
                    const F held = x;
                    return norms_of(comps, [&](int comp) { return norm1<D, T>(held, {comp, 1, g.n, {}}, local); });
                },
                nb::arg("comps"), nb::arg("ngrow") = I{}, nb::arg("local") = false,
                nb::sig("def norm1(self, comps: collections.abc.Sequence[int], ngrow: int = 0, local: bool = False) -> "
                        "amrex._core.Vector_Real"))
            .def(
                "norm2",
                [](const F& x, int comp) {
                    return leased([&](const F& held) { return norm2<D, T>(held, {comp, 1, {}, {}}); }, x);
                },
                nb::arg("comp") = 0, "Square root of the sum of squares of a component over the valid points.")
            .def(
                "norm2",
                [](const F& x, int comp, const P& period) {
                    return leased([&](const F& held) { return norm2_unique<D, T>(held, comp, period); }, x);
                },
                nb::arg("comp"), nb::arg("period"),
                "The same; a point that m boxes or periodic images of boxes have counts 1/m in each.")
            .def(
                "norm2",
                [](const F& x, const std::vector<int>& comps) {
                    const F held = x;
                    return norms_of(comps, [&](int comp) { return norm2<D, T>(held, {comp, 1, {}, {}}); });
                },
                nb::arg("comps"),
                nb::sig("def norm2(self, comps: collections.abc.Sequence[int]) -> amrex._core.Vector_Real"));
    }

    static void dots(Class& multi) {
        multi
            .def(
                "dot",
                [](const F& x, int comp, const F& y, int y_comp, int ncomp, I g, bool local) {
                    return leased(
                        [&](const F& fx, const F& fy) {
                            return dot<D, T>(fx, {comp, ncomp, g.n, {}}, {fy, y_comp}, local);
                        },
                        x, y);
                },
                nb::arg("comp"), nb::arg("y"), nb::arg("y_comp"), nb::arg("numcomp"), nb::arg("nghost"),
                nb::arg("local") = false, "Sum of self * y, or of self * self, or where a mask is not 0.")
            .def(
                "dot",
                [](const F& x, int comp, int ncomp, I g, bool local) {
                    return leased([&](const F& fx) { return dot<D, T>(fx, {comp, ncomp, g.n, {}}, {fx, comp}, local); },
                                  x);
                },
                nb::arg("comp"), nb::arg("numcomp"), nb::arg("nghost"), nb::arg("local") = false)
            .def(
                "dot",
                [](const F& x, const M& mask, int comp, const F& y, int y_comp, int ncomp, I g, bool local) {
                    return leased(
                        [&](const F& fx, const F& fy, const M& where) {
                            return dot<D, T>(fx, {comp, ncomp, g.n, {}}, {fy, y_comp}, where, local);
                        },
                        x, y, mask);
                },
                nb::arg("mask"), nb::arg("comp"), nb::arg("y"), nb::arg("y_comp"), nb::arg("numcomp"),
                nb::arg("nghost"), nb::arg("local") = false);
    }

    template <class Op>
    static void def_contains(Class& multi, const char* name, const char* doc, Op op) {
        multi
            .def(
                name,
                [op](const F& x, bool local) {
                    return leased([&](const F& held) { return op(held, all_with_ghosts(held), local); }, x);
                },
                nb::arg("local") = false, doc)
            .def(
                name,
                [op](const F& x, int comp, int ncomp, I g, bool local) {
                    return leased([&](const F& held) { return op(held, Where{comp, ncomp, g.n, {}}, local); }, x);
                },
                nb::arg("scomp"), nb::arg("ncomp"), nb::arg("ngrow") = I{}, nb::arg("local") = false);
    }

    static void add(Base& base, Class& multi) {
        sums(base, multi);
        extrema(multi);
        norms(multi);
        dots(multi);
        def_contains(multi, "contains_nan", "Whether a NaN is anywhere, ghosts included, or in some components.",
                     &contains_nan<D, T>);
        def_contains(multi, "contains_inf", "Whether an infinity is anywhere, ghosts included, or in some components.",
                     &contains_inf<D, T>);
    }
};

}  // namespace

template <int D, class T, class Multi>
void add_reduction_methods(FabArrayClasses<D, T, Multi> classes) {
    Reductions<D, T, Multi>::add(classes.base, classes.multi);
}

#define ZEROFAB_INSTANTIATE(D)                                                  \
    template void add_reduction_methods(FabArrayClasses<D, Real, MultiFab<D>>); \
    template void add_reduction_methods(FabArrayClasses<D, int, iMultiFab<D>>); \
    template void add_reduction_methods(FabArrayClasses<D, float, fMultiFab<D>>);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
