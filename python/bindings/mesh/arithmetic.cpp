// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on FabArrays in Python: set_val, plus, mult, saxpy and their kin.
#include "mesh/arithmetic.hpp"

#include "mesh/fab_array.hpp"
#include "mesh/ghosts.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/mesh/arithmetic.hpp"

namespace zerofab::python {
namespace {

/// The methods of one element type; F is the class of the fields, I that of counts of ghost points.
template <int D, class T, class Multi>
struct Arithmetic {
    using F = FabArray<D, T>;
    using I = Ghosts<D>;
    using Where = Selection<D>;

    /// self (op) val: all components or some, with a region or without.
    template <class Class, class Op>
    static void def_scalar(Class& cls, const char* name, const char* value, bool ghosts_default, const char* doc,
                           Op op) {
        const auto all = [op](const F& z, T a, I g) {
            leased([&](const F& held) { op(held, a, Where{0, held.n_comp(), g.n, {}}); }, z);
        };
        const auto some = [op](const F& z, T a, int comp, int ncomp, I g) {
            leased([&](const F& held) { op(held, a, Where{comp, ncomp, g.n, {}}); }, z);
        };
        const auto all_in = [op](const F& z, T a, const Box<D>& region, I g) {
            leased([&](const F& held) { op(held, a, Where{0, held.n_comp(), g.n, region}); }, z);
        };
        const auto some_in = [op](const F& z, T a, const Box<D>& region, int comp, int ncomp, I g) {
            leased([&](const F& held) { op(held, a, Where{comp, ncomp, g.n, region}); }, z);
        };
        if (ghosts_default)
            cls.def(name, all, nb::arg(value), nb::arg("nghost") = I{}, doc)
                .def(name, all_in, nb::arg(value), nb::arg("region"), nb::arg("nghost") = I{});
        else
            cls.def(name, all, nb::arg(value), nb::arg("nghost"), doc)
                .def(name, all_in, nb::arg(value), nb::arg("region"), nb::arg("nghost"));
        cls.def(name, some, nb::arg(value), nb::arg("comp"), nb::arg("num_comp"), nb::arg("nghost") = I{})
            .def(name, some_in, nb::arg(value), nb::arg("region"), nb::arg("comp"), nb::arg("num_comp"),
                 nb::arg("nghost") = I{});
    }

    /// self (op) src, components from srccomp to comp.
    template <class Class, class Op>
    static void def_source(Class& cls, const char* name, const char* doc, Op op, const char* destination = "comp") {
        cls.def(
            name,
            [op](const F& z, const F& x, int srccomp, int comp, int ncomp, I g) {
                leased([&](const F& dst, const F& src) { op(dst, Where{comp, ncomp, g.n, {}}, {src, srccomp}); }, z, x);
            },
            nb::arg("src"), nb::arg("srccomp"), nb::arg(destination), nb::arg("numcomp"), nb::arg("nghost"), doc);
    }

    /// self (op) mf, the same components of both.
    template <class Class, class Op>
    static void def_alike(Class& cls, const char* name, const char* doc, Op op) {
        cls.def(
            name,
            [op](const F& z, const F& x, int comp, int ncomp, I g) {
                leased([&](const F& dst, const F& src) { op(dst, Where{comp, ncomp, g.n, {}}, {src, comp}); }, z, x);
            },
            nb::arg("mf"), nb::arg("strt_comp"), nb::arg("num_comp"), nb::arg("nghost") = I{}, doc);
    }

    /// saxpy and xpay, with the names of arguments that the class has for them.
    template <class Class, class Op>
    static void def_with_factor(Class& cls, const char* name, const char* source, const char* source_comp,
                                const char* ncomp_name, const char* doc, Op op) {
        cls.def(
            name,
            [op](const F& z, T a, const F& x, int srccomp, int comp, int ncomp, I g) {
                leased([&](const F& dst, const F& src) { op(dst, Where{comp, ncomp, g.n, {}}, a, {src, srccomp}); }, z,
                       x);
            },
            nb::arg("a"), nb::arg(source), nb::arg(source_comp), nb::arg("comp"), nb::arg(ncomp_name),
            nb::arg("nghost"), doc);
    }

    template <class Class>
    static void def_lin_comb(Class& cls, const char* x_comp, const char* y_comp) {
        cls.def(
            "lin_comb",
            [](const F& z, T a, const F& x, int xcomp, T b, const F& y, int ycomp, int comp, int ncomp, I g) {
                leased(
                    [&](const F& dst, const F& fx, const F& fy) {
                        lin_comb<D, T>(dst, {comp, ncomp, g.n, {}}, a, {fx, xcomp}, b, {fy, ycomp});
                    },
                    z, x, y);
            },
            nb::arg("a"), nb::arg("x"), nb::arg(x_comp), nb::arg("b"), nb::arg("y"), nb::arg(y_comp), nb::arg("comp"),
            nb::arg("numcomp"), nb::arg("nghost"), "self = a * x + b * y, in one pass.");
    }

    template <class Base>
    static void to_base(Base& base) {
        const auto set = [](const F& z, T a, const Where& where) { set_val<D, T>(z, a, where); };
        base.def(
                "set_val",
                [](const F& z, T a) {
                    leased([&](const F& held) { set_val<D, T>(held, a, all_with_ghosts(held)); }, z);
                },
                nb::arg("val"), "Set all components on all points, ghosts included; or some, or those in a region.")
            .def(
                "set_val",
                [set](const F& z, T a, int comp, int ncomp, I g) {
                    leased([&](const F& held) { set(held, a, Where{comp, ncomp, g.n, {}}); }, z);
                },
                nb::arg("val"), nb::arg("comp"), nb::arg("num_comp"), nb::arg("nghost") = I{})
            .def(
                "set_val",
                [set](const F& z, T a, const Box<D>& region, int comp, int ncomp, I g) {
                    leased([&](const F& held) { set(held, a, Where{comp, ncomp, g.n, region}); }, z);
                },
                nb::arg("val"), nb::arg("region"), nb::arg("comp"), nb::arg("num_comp"), nb::arg("nghost") = I{})
            .def(
                "abs",
                [](const F& z, int comp, int ncomp, I g) {
                    leased([&](const F& held) { abs<D, T>(held, {comp, ncomp, g.n, {}}); }, z);
                },
                nb::arg("comp"), nb::arg("ncomp"), nb::arg("nghost") = I{}, "self = |self|");
        def_with_factor(base, "saxpy", "x", "x_comp", "ncomp", "self += a * x", &saxpy<D, T>);
        def_with_factor(base, "xpay", "x", "xcomp", "ncomp", "self = x + a * self", &xpay<D, T>);
        def_lin_comb(base, "xcomp", "ycomp");
    }

    template <class Class>
    static void to_multi(Class& multi) {
        def_scalar(multi, "plus", "val", true, "self += val, on valid points and `nghost` ghost points.",
                   [](const F& z, T a, const Where& where) { plus<D, T>(z, a, where); });
        def_alike(multi, "plus", "self += mf", &add<D, T>);
        def_alike(multi, "minus", "self -= mf, the same components of both.", &subtract<D, T>);
        def_scalar(multi, "mult", "val", true, "self *= val, on valid points and `nghost` ghost points.",
                   [](const F& z, T a, const Where& where) { mult<D, T>(z, a, where); });
        def_alike(multi, "divi", "self /= mf, the same components of both.",
                  [](const F& z, const Where& where, const Source<D, T>& x) { divide<D, T>(z, where, x); });
        def_scalar(multi, "invert", "numerator", false, "self = numerator / self",
                   [](const F& z, T a, const Where& where) { invert<D, T>(z, a, where); });
        def_negate(multi);

        def_source(multi, "add", "self += src", &add<D, T>);
        def_source(multi, "subtract", "self -= src", &subtract<D, T>);
        def_source(multi, "multiply", "self *= src", &multiply<D, T>);
        def_source(multi, "divide", "self /= src",
                   [](const F& z, const Where& where, const Source<D, T>& x) { divide<D, T>(z, where, x); });
        def_source(multi, "swap", "Exchange the numbers of self and src; the memory stays where it is.", &swap<D, T>);
        def_source(multi, "copymf", "self = src, on the same boxes; parallel_copy copies between layouts.", &copy<D, T>,
                   "dstcomp");
        def_with_factor(multi, "saxpy", "src", "srccomp", "numcomp", "self += a * src, in one pass.", &saxpy<D, T>);
        def_with_factor(multi, "xpay", "src", "srccomp", "numcomp", "self = src + a * self, in one pass.", &xpay<D, T>);
        def_lin_comb(multi, "x_comp", "y_comp");
        multi
            .def(
                "add_product",
                [](const F& z, const F& x, int comp1, const F& y, int comp2, int comp, int ncomp, I g) {
                    leased(
                        [&](const F& dst, const F& fx, const F& fy) {
                            add_product<D, T>(dst, {comp, ncomp, g.n, {}}, {fx, comp1}, {fy, comp2});
                        },
                        z, x, y);
                },
                nb::arg("src1"), nb::arg("comp1"), nb::arg("src2"), nb::arg("comp2"), nb::arg("comp"),
                nb::arg("numcomp"), nb::arg("nghost"), "self += src1 * src2, in one pass.")
            .def(
                "copy",
                [](const Multi& z) {
                    return leased(
                        [](const F& src) {
                            const Lease<D> body = src.lease();
                            const MFInfo info{.alloc = true, .arena = body->arena, .tags = {}};
                            Multi made(body->layout->boxes(), body->layout->owners(), body->ncomp, body->ngrow, info);
                            copy<D, T>(made, all_with_ghosts(src), {src, 0});
                            return made;
                        },
                        static_cast<const F&>(z));
                },
                "A new one with the same layout and numbers, ghosts included, in memory of its own.");
    }

    template <class Class>
    static void def_negate(Class& multi) {
        multi
            .def(
                "negate",
                [](const F& z, I g) {
                    leased([&](const F& held) { negate<D, T>(held, {0, held.n_comp(), g.n, {}}); }, z);
                },
                nb::arg("nghost") = I{}, "self = -self, on valid points and `nghost` ghost points.")
            .def(
                "negate",
                [](const F& z, int comp, int ncomp, I g) {
                    leased([&](const F& held) { negate<D, T>(held, {comp, ncomp, g.n, {}}); }, z);
                },
                nb::arg("comp"), nb::arg("num_comp"), nb::arg("nghost") = I{})
            .def(
                "negate",
                [](const F& z, const Box<D>& region, I g) {
                    leased([&](const F& held) { negate<D, T>(held, {0, held.n_comp(), g.n, region}); }, z);
                },
                nb::arg("region"), nb::arg("nghost") = I{})
            .def(
                "negate",
                [](const F& z, const Box<D>& region, int comp, int ncomp, I g) {
                    leased([&](const F& held) { negate<D, T>(held, {comp, ncomp, g.n, region}); }, z);
                },
                nb::arg("region"), nb::arg("comp"), nb::arg("num_comp"), nb::arg("nghost") = I{});
    }
};

template <int D, class T>
void def_copy_mfab(nb::module_& space) {
    using F = FabArray<D, T>;
    space.def(
        "copy_mfab",
        [](const F& dst, const F& src, int srccomp, int dstcomp, int ncomp, Ghosts<D> g) {
            leased([&](const F& z, const F& x) { copy<D, T>(z, {dstcomp, ncomp, g.n, {}}, {x, srccomp}); }, dst, src);
        },
        nb::arg("dst"), nb::arg("src"), nb::arg("srccomp"), nb::arg("dstcomp"), nb::arg("numcomp"), nb::arg("nghost"),
        "dst = src, on the same boxes; parallel_copy copies between layouts.");
}

}  // namespace

template <int D, class T, class Multi>
void add_arithmetic_methods(FabArrayClasses<D, T, Multi> classes) {
    Arithmetic<D, T, Multi>::to_base(classes.base);
    Arithmetic<D, T, Multi>::to_multi(classes.multi);
    add_reduction_methods(classes);
}

template <int D>
void register_arithmetic_space(nb::module_& space) {
    def_copy_mfab<D, Real>(space);
    def_copy_mfab<D, int>(space);
    def_copy_mfab<D, float>(space);
}

#define ZEROFAB_INSTANTIATE(D)                                                   \
    template void register_arithmetic_space<D>(nb::module_&);                    \
    template void add_arithmetic_methods(FabArrayClasses<D, Real, MultiFab<D>>); \
    template void add_arithmetic_methods(FabArrayClasses<D, int, iMultiFab<D>>); \
    template void add_arithmetic_methods(FabArrayClasses<D, float, fMultiFab<D>>);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
