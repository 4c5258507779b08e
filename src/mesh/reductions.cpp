// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/mesh/reductions.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "mesh/checks.hpp"
#include "mesh/extremes.hpp"
#include "mesh/operand.hpp"
#include "mesh/sums.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab {

using namespace detail;

namespace {

/// Whether a kernel that asks a question finds an element for which the answer is yes.
template <int D, class T>
bool any_of(const Name& name, const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    const Lease<D> body = x.lease();
    check_selection(name.what, *body, where);
    const MemorySpace work = space_of_work(body->space());
    const Mirror<D> seen(body, work);
    const bool found = any_of_field<T>(work.is_plain() ? Device{} : work.device, name.kernel, *body, where);
    return over_ranks(static_cast<int>(found), ReduceOp::logical_or, local) != 0;
}

/// A mask as work on the field sees it, checked against the field.
template <int D>
Mirror<D> seen_mask(std::string_view what, const FabBody<D>& body, const FabArray<D, int>& mask,
                    const Selection<D>& where) {
    const Lease<D> held = mask.lease();
    check_partner(what, "the mask", body, *held, 0, Selection<D>{.ncomp = 1, .nghost = where.nghost});
    return Mirror<D>(held, space_of_work(body.space()));
}

}  // namespace

template <int D, class T>
LoopSum<T> sum(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return sum_of({"sum", "field_sum"}, x, where, local, [](auto& r, auto a) { return host_loops<T>().sum(r, a); });
}

template <int D, class T>
LoopSum<T> sum_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local) {
    return unique_sum_of<D, T>({"sum_unique", "field_sum"}, x, comp, period, nullptr, local,
                               [](auto& r, auto a) { return host_loops<T>().sum(r, a); });
}

template <int D, class T>
LoopSum<T> sum_unique(const FabArray<D, T>& x, int comp, const Box<D>& region, bool local) {
    return unique_sum_of<D, T>({"sum_unique", "field_sum"}, x, comp, {}, &region, local,
                               [](auto& r, auto a) { return host_loops<T>().sum(r, a); });
}

template <int D, class T>
T min(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return extreme<1>("min", x, where, local);
}

template <int D, class T>
T max(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return extreme<-1>("max", x, where, local);
}

template <int D, class T>
IntVect<D> min_index(const FabArray<D, T>& x, int comp, const IntVect<D>& nghost) {
    return extreme_index<1>("min_index", x, comp, nghost);
}

template <int D, class T>
IntVect<D> max_index(const FabArray<D, T>& x, int comp, const IntVect<D>& nghost) {
    return extreme_index<-1>("max_index", x, comp, nghost);
}

template <int D, class T>
T norm0(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    const Lease<D> body = x.lease();
    check_selection("norm0", *body, where);
    const auto loop = [](const LoopRegion& r, const Piece<D>&, const LoopOperand<const T>& a) {
        return host_loops<T>().max_abs(r, a);
    };
    const auto found = extremes<-1, D, T>("field_max_abs", body, where, 0, loop);
    return largest_over_ranks(best_of<-1>(found, T{0}), local);
}

template <int D, class T>
T norm0(const FabArray<D, T>& x, const Selection<D>& where, const FabArray<D, int>& mask, bool local) {
    const Lease<D> body = x.lease();
    check_selection("norm0", *body, where);
    const Mirror<D> seen = seen_mask("norm0", *body, mask, where);
    const FabBody<D>& m = *seen.body();
    const auto loop = [&](const LoopRegion& r, const Piece<D>& piece, const LoopOperand<const T>& a) {
        return host_loops<T>().masked_max_abs(r, a, operand(m.template array<const int>(piece.local), piece.box, 0));
    };
    const auto found = extremes<-1, D, T>("field_masked_max_abs", body, where, 0, loop, &m);
    return largest_over_ranks(best_of<-1>(found, T{0}), local);
}

template <int D, class T>
LoopSum<T> norm1(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return sum_of({"norm1", "field_sum_abs"}, x, where, local,
                  [](auto& r, auto a) { return host_loops<T>().sum_abs(r, a); });
}

template <int D, class T>
LoopSum<T> norm1_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local) {
    const auto loop = [](auto& r, auto a) { return host_loops<T>().sum_abs(r, a); };
    const WeightedSum<T> sum = weighted_sum_of<D, T>({"norm1", "field_sum_abs"}, x, comp, period, local, loop);
    if constexpr (std::is_integral_v<T>) return sum.whole + std::llround(sum.fraction);
    return sum.whole;
}

template <int D, class T>
double norm2(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    const auto loop = [](auto& r, auto a) { return host_loops<T>().sum_squares(r, a); };
    return std::sqrt(static_cast<double>(sum_of({"norm2", "field_sum_squares"}, x, where, local, loop)));
}

template <int D, class T>
double norm2_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local) {
    const auto loop = [](auto& r, auto a) { return host_loops<T>().sum_squares(r, a); };
    const WeightedSum<T> sum = weighted_sum_of<D, T>({"norm2", "field_sum_squares"}, x, comp, period, local, loop);
    return std::sqrt(static_cast<double>(sum.whole) + sum.fraction);
}

template <int D, class T>
LoopSum<T> dot(const FabArray<D, T>& x, const Selection<D>& where, const Source<D, T>& y, bool local) {
    const Lease<D> a = x.lease(), b = y.field.lease();
    check_selection("dot", *a, where);
    check_partner("dot", "the other", *a, *b, y.comp, where);
    if (a == b && y.comp == where.comp)  // one stream of memory in place of two
        return sum_of({"dot", "field_sum_squares"}, x, where, local,
                      [](auto& r, auto v) { return host_loops<T>().sum_squares(r, v); });
    return dot_of<T, D>("field_dot", {a, where.comp}, {b, y.comp}, nullptr, where, local,
                        [](auto& r, auto u, auto v, auto&) { return host_loops<T>().dot(r, u, v); });
}

template <int D, class T>
LoopSum<T> dot(const FabArray<D, T>& x, const Selection<D>& where, const Source<D, T>& y, const FabArray<D, int>& mask,
               bool local) {
    const Lease<D> a = x.lease(), b = y.field.lease();
    check_selection("dot", *a, where);
    check_partner("dot", "the other", *a, *b, y.comp, where);
    const Mirror<D> seen = seen_mask("dot", *a, mask, where);
    const FabBody<D>& m = *seen.body();
    return dot_of<T, D>("field_masked_dot", {a, where.comp}, {b, y.comp}, &m, where, local,
                        [&](auto& r, auto u, auto v, auto& piece) {
                            const auto keep = operand(m.template array<const int>(piece.local), piece.box, 0);
                            return host_loops<T>().masked_dot(r, u, v, keep);
                        });
}

template <int D, class T>
bool contains_nan(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return any_of({"contains_nan", "field_has_nan"}, x, where, local);
}

template <int D, class T>
bool contains_inf(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return any_of({"contains_inf", "field_has_inf"}, x, where, local);
}

// clang-format off
#define ZEROFAB_INSTANTIATE(D, T)                                                                                   \
    template LoopSum<T> sum(const FabArray<D, T>&, const Selection<D>&, bool);                                      \
    template LoopSum<T> sum_unique(const FabArray<D, T>&, int, const Periodicity<D>&, bool);                        \
    template LoopSum<T> sum_unique(const FabArray<D, T>&, int, const Box<D>&, bool);                                \
    template T min(const FabArray<D, T>&, const Selection<D>&, bool);                                               \
    template T max(const FabArray<D, T>&, const Selection<D>&, bool);                                               \
    template IntVect<D> min_index(const FabArray<D, T>&, int, const IntVect<D>&);                                   \
    template IntVect<D> max_index(const FabArray<D, T>&, int, const IntVect<D>&);                                   \
    template T norm0(const FabArray<D, T>&, const Selection<D>&, bool);                                             \
    template T norm0(const FabArray<D, T>&, const Selection<D>&, const FabArray<D, int>&, bool);                    \
    template LoopSum<T> norm1(const FabArray<D, T>&, const Selection<D>&, bool);                                    \
    template LoopSum<T> norm1_unique(const FabArray<D, T>&, int, const Periodicity<D>&, bool);                      \
    template double norm2(const FabArray<D, T>&, const Selection<D>&, bool);                                        \
    template double norm2_unique(const FabArray<D, T>&, int, const Periodicity<D>&, bool);                          \
    template LoopSum<T> dot(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&, bool);                 \
    template LoopSum<T> dot(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&, const FabArray<D, int>&, bool); \
    template bool contains_nan(const FabArray<D, T>&, const Selection<D>&, bool);                                   \
    template bool contains_inf(const FabArray<D, T>&, const Selection<D>&, bool);

ZEROFAB_FOR_FIELDS(ZEROFAB_INSTANTIATE)
// clang-format on

}  // namespace zerofab
