// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/mesh/reductions.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mesh/pieces.hpp"
#include "zerofab/comm/communicator.hpp"

namespace zerofab {
namespace {

using detail::loop_region;
using detail::operand;
using detail::Piece;
using detail::Pieces;

/// Partial sums joined in order: with compensation for real numbers, wrapping around for integers.
double join(const std::vector<double>& parts) {
    double total = 0, rest = 0;
    for (const double x : parts) {
        const double t = total + x;
        const double part = t - total;
        rest += (total - (t - part)) + (x - part);
        total = t;
    }
    return std::isfinite(rest) ? total + rest : total;
}
std::int64_t join(const std::vector<std::int64_t>& parts) {
    std::uint64_t total = 0;
    for (const std::int64_t x : parts) total += static_cast<std::uint64_t>(x);
    return static_cast<std::int64_t>(total);
}

template <class T>
T over_ranks(T mine, ReduceOp op, bool local) {
    return local ? mine : communicator().all_reduce(mine, op);
}

/// The sum of one(region, piece, component n of the selection) over all pieces and components, all ranks.
template <class S, int D, class One>
S sum_pieces(const Pieces<D>& pieces, int ncomp, bool local, One one) {
    std::vector<S> parts(pieces.size() * static_cast<std::size_t>(ncomp));
    pieces.for_each(ncomp, [&](std::size_t i, const Piece<D>& piece) {
        for (int n = 0; n < ncomp; ++n)
            parts[static_cast<std::size_t>(n) * pieces.size() + i] = one(loop_region(piece.box), piece, n);
    });
    return over_ranks(join(parts), ReduceOp::sum, local);
}

/// Check the selection, then sum loop(region, numbers) over it.
template <int D, class T, class Loop>
LoopSum<T> sum_of(std::string_view what, const FabArray<D, T>& x, const Selection<D>& where, bool local, Loop loop) {
    const Lease<D> body = x.lease();
    detail::check_selection(what, *body, where);
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int n) {
        return loop(r, operand(body->template array<const T>(piece.local), piece.box, where.comp + n));
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(*body, where), where.ncomp, local, one);
}

/// The parts of local boxes that are unique: without what boxes of lower numbers, or lower images, have too.
template <int D>
struct UniqueParts {
    std::vector<Piece<D>> parts;
};

template <int D>
UniqueParts<D> find_unique_parts(const FabLayout<D>& layout, const Periodicity<D>& period) {
    UniqueParts<D> unique;
    std::vector<Box<D>> parts, next;
    const std::vector<IntVect<D>> shifts = period.shift_int_vects();
    for (int local = 0; local < layout.num_local(); ++local) {
        const int global = layout.local_boxes()[static_cast<std::size_t>(local)];
        const Box<D> box = layout.box(global);
        parts.assign(1, box);
        for (const IntVect<D>& shift : shifts) {
            const bool lower_image = shift.lex_less(IntVect<D>(0));
            layout.boxes().visit(box + shift, IntVect<D>(0), [&](int other, const Box<D>& common) {
                if (common.is_empty() || !(other < global || (other == global && lower_image))) return true;
                next.clear();
                for (const Box<D>& part : parts) subtract(part, common - shift, next);
                parts.swap(next);
                return true;
            });
        }
        for (const Box<D>& part : parts) unique.parts.push_back({local, part});
    }
    return unique;
}

template <int D>
std::shared_ptr<const UniqueParts<D>> unique_parts(const FabLayout<D>& layout, const Periodicity<D>& period) {
    const PlanCache::Key key(period.period().begin(), period.period().end());
    return layout.plans().template get<UniqueParts<D>>(key, [&] { return find_unique_parts(layout, period); });
}

/// Sum loop(region, numbers) over the unique valid points, of one component.
template <int D, class T, class Loop>
LoopSum<T> unique_sum_of(std::string_view what, const FabArray<D, T>& x, int comp, const Periodicity<D>& period,
                         const Box<D>* region, bool local, Loop loop) {
    const Lease<D> body = x.lease();
    Selection<D> where{.comp = comp};
    if (region != nullptr) where.region = *region;
    detail::check_selection(what, *body, where);
    std::vector<Piece<D>> parts = unique_parts(*body->layout, period)->parts;
    if (region != nullptr)
        for (Piece<D>& part : parts) part.box &= *region;
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int) {
        return loop(r, operand(body->template array<const T>(piece.local), piece.box, comp));
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(parts), 1, local, one);
}

/// The least (sign 1) or greatest (sign -1) of loop(region, numbers) over the selection, per piece.
template <int D, class T, class Loop>
std::vector<T> extremes(const Pieces<D>& pieces, const FabBody<D>& body, const Selection<D>& where, T start, int sign,
                        Loop loop) {
    std::vector<T> parts(pieces.size(), start);
    pieces.for_each(where.ncomp, [&](std::size_t i, const Piece<D>& piece) {
        for (int n = where.comp; n < where.comp + where.ncomp; ++n) {
            const T m = loop(loop_region(piece.box), piece, n,
                             operand(body.template array<const T>(piece.local), piece.box, n));
            if (sign > 0 ? m < parts[i] : m > parts[i]) parts[i] = m;
            if (m != m) parts[i] = m;
        }
    });
    return parts;
}

template <class T>
constexpr T highest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
constexpr T lowest =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

template <int sign, class T>
T best_of(const std::vector<T>& parts, T start) {
    for (const T m : parts)
        if (m != m || (sign > 0 ? m < start : m > start)) start = m;  // once NaN, no comparison changes it
    return start;
}

/// Over all ranks, where NaN wins.
template <class T>
T largest_over_ranks(T mine, bool local) {
    if (local) return mine;
    return best_of<-1>(communicator().all_gather(mine), T{0});
}

template <int sign, int D, class T>
T extreme(std::string_view what, const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    const Lease<D> body = x.lease();
    detail::check_selection(what, *body, where);
    const T start = sign > 0 ? highest<T> : lowest<T>;
    const auto loop = [](const LoopRegion& r, const Piece<D>&, int, const LoopOperand<const T>& a) {
        return sign > 0 ? host_loops<T>().min(r, a) : host_loops<T>().max(r, a);
    };
    const T mine = best_of<sign>(extremes<D, T>(Pieces<D>(*body, where), *body, where, start, sign, loop), start);
    return over_ranks(mine, sign > 0 ? ReduceOp::min : ReduceOp::max, local);
}

/// The last point of a box, in the order of memory, that holds `value`, if one does.
template <int D, class T>
std::optional<IntVect<D>> last_place(const Array4<const T>& a, const Box<D>& box, int comp, T value) {
    IntVect<D> p = box.big_end();
    for (Long left = box.num_pts(); left > 0; --left) {
        int at[3] = {0, 0, 0};
        for (int d = 0; d < D; ++d) at[d] = p[d];
        if (a(at[0], at[1], at[2], comp) == value) return p;
        int d = 0;
        for (; d < D - 1 && p[d] == box.small_end(d); ++d) p[d] = box.big_end(d);
        --p[d];
    }
    return std::nullopt;
}

template <int sign, int D, class T>
IntVect<D> extreme_index(const char* what, const FabArray<D, T>& x, int comp, const IntVect<D>& nghost) {
    const Lease<D> body = x.lease();
    const Selection<D> where{.comp = comp, .ncomp = 1, .nghost = nghost};
    detail::check_selection(what, *body, where);
    const Pieces<D> pieces(*body, where);
    const T start = sign > 0 ? highest<T> : lowest<T>;
    const auto loop = [](const LoopRegion& r, const Piece<D>&, int, const LoopOperand<const T>& a) {
        return sign > 0 ? host_loops<T>().min(r, a) : host_loops<T>().max(r, a);
    };
    const std::vector<T> parts = extremes<D, T>(pieces, *body, where, start, sign, loop);
    struct Candidate {
        T value;
        int box;  ///< global number; -1: none
        std::array<int, D> at;
    };
    Candidate mine{best_of<sign>(parts, start), -1, {}};
    for (std::size_t i = parts.size(); i-- > 0 && mine.box < 0;) {
        if (parts[i] != mine.value) continue;
        const Piece<D>& piece = pieces[i];
        const auto place = last_place<D, T>(body->template array<const T>(piece.local), piece.box, comp, mine.value);
        if (!place) continue;  // nothing but NaN there: the start value
        mine.at = place->array();
        mine.box = body->layout->local_boxes()[static_cast<std::size_t>(piece.local)];
    }
    Candidate best = mine;
    for (const Candidate& c : communicator().all_gather(mine)) {
        if (c.box < 0) continue;
        const bool better = sign > 0 ? c.value < best.value : c.value > best.value;
        if (best.box < 0 || better || (c.value == best.value && c.box > best.box)) best = c;
    }
    if (best.box < 0) throw ValueError(std::string(what) + ": the field holds no number, only NaN or no points");
    return IntVect<D>(best.at);
}

/// Whether test(region, numbers) holds for any piece and component.
template <int D, class T, class Test>
bool any_piece(std::string_view what, const FabArray<D, T>& x, const Selection<D>& where, bool local, Test test) {
    const Lease<D> body = x.lease();
    detail::check_selection(what, *body, where);
    std::atomic<bool> found{false};
    Pieces<D>(*body, where).for_each(where.ncomp, [&](std::size_t, const Piece<D>& piece) {
        const Array4<const T> a = body->template array<const T>(piece.local);
        for (int n = where.comp; n < where.comp + where.ncomp; ++n) {
            if (found.load(std::memory_order_relaxed)) return;
            if (test(loop_region(piece.box), operand(a, piece.box, n))) found.store(true, std::memory_order_relaxed);
        }
    });
    return over_ranks(static_cast<int>(found.load()), ReduceOp::logical_or, local) != 0;
}

/// The body of a mask, checked against the field's.
template <int D>
Lease<D> mask_body(std::string_view what, const FabBody<D>& body, const FabArray<D, int>& mask,
                   const Selection<D>& where) {
    Lease<D> held = mask.lease();
    detail::check_partner(what, "the mask", body, *held, 0, Selection<D>{.ncomp = 1, .nghost = where.nghost});
    return held;
}

}  // namespace

template <int D, class T>
LoopSum<T> sum(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return sum_of("sum", x, where, local, [](auto& r, auto a) { return host_loops<T>().sum(r, a); });
}

template <int D, class T>
LoopSum<T> sum_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local) {
    return unique_sum_of<D, T>("sum_unique", x, comp, period, nullptr, local,
                               [](auto& r, auto a) { return host_loops<T>().sum(r, a); });
}

template <int D, class T>
LoopSum<T> sum_unique(const FabArray<D, T>& x, int comp, const Box<D>& region, bool local) {
    return unique_sum_of<D, T>("sum_unique", x, comp, {}, &region, local,
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
    detail::check_selection("norm0", *body, where);
    const auto loop = [](const LoopRegion& r, const Piece<D>&, int, const LoopOperand<const T>& a) {
        return host_loops<T>().max_abs(r, a);
    };
    return largest_over_ranks(best_of<-1>(extremes<D, T>(Pieces<D>(*body, where), *body, where, 0, -1, loop), T{0}),
                              local);
}

template <int D, class T>
T norm0(const FabArray<D, T>& x, const Selection<D>& where, const FabArray<D, int>& mask, bool local) {
    const Lease<D> body = x.lease();
    detail::check_selection("norm0", *body, where);
    const Lease<D> m = mask_body("norm0", *body, mask, where);
    const auto loop = [&](const LoopRegion& r, const Piece<D>& piece, int, const LoopOperand<const T>& a) {
        return host_loops<T>().masked_max_abs(r, a, operand(m->template array<const int>(piece.local), piece.box, 0));
    };
    return largest_over_ranks(best_of<-1>(extremes<D, T>(Pieces<D>(*body, where), *body, where, 0, -1, loop), T{0}),
                              local);
}

template <int D, class T>
LoopSum<T> norm1(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return sum_of("norm1", x, where, local, [](auto& r, auto a) { return host_loops<T>().sum_abs(r, a); });
}

template <int D, class T>
LoopSum<T> norm1_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local) {
    return unique_sum_of<D, T>("norm1", x, comp, period, nullptr, local,
                               [](auto& r, auto a) { return host_loops<T>().sum_abs(r, a); });
}

template <int D, class T>
double norm2(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    const auto loop = [](auto& r, auto a) { return host_loops<T>().sum_squares(r, a); };
    return std::sqrt(static_cast<double>(sum_of("norm2", x, where, local, loop)));
}

template <int D, class T>
double norm2_unique(const FabArray<D, T>& x, int comp, const Periodicity<D>& period, bool local) {
    const auto loop = [](auto& r, auto a) { return host_loops<T>().sum_squares(r, a); };
    return std::sqrt(static_cast<double>(unique_sum_of<D, T>("norm2", x, comp, period, nullptr, local, loop)));
}

template <int D, class T>
LoopSum<T> dot(const FabArray<D, T>& x, const Selection<D>& where, const Source<D, T>& y, bool local) {
    const Lease<D> a = x.lease(), b = y.field.lease();
    detail::check_selection("dot", *a, where);
    detail::check_partner("dot", "the other", *a, *b, y.comp, where);
    if (a == b && y.comp == where.comp)  // one stream of memory in place of two
        return sum_of("dot", x, where, local, [](auto& r, auto v) { return host_loops<T>().sum_squares(r, v); });
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int n) {
        return host_loops<T>().dot(r, operand(a->template array<const T>(piece.local), piece.box, where.comp + n),
                                   operand(b->template array<const T>(piece.local), piece.box, y.comp + n));
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(*a, where), where.ncomp, local, one);
}

template <int D, class T>
LoopSum<T> dot(const FabArray<D, T>& x, const Selection<D>& where, const Source<D, T>& y, const FabArray<D, int>& mask,
               bool local) {
    const Lease<D> a = x.lease(), b = y.field.lease();
    detail::check_selection("dot", *a, where);
    detail::check_partner("dot", "the other", *a, *b, y.comp, where);
    const Lease<D> m = mask_body("dot", *a, mask, where);
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int n) {
        return host_loops<T>().masked_dot(r,
                                          operand(a->template array<const T>(piece.local), piece.box, where.comp + n),
                                          operand(b->template array<const T>(piece.local), piece.box, y.comp + n),
                                          operand(m->template array<const int>(piece.local), piece.box, 0));
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(*a, where), where.ncomp, local, one);
}

template <int D, class T>
bool contains_nan(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return any_piece("contains_nan", x, where, local, [](auto r, auto a) { return host_loops<T>().has_nan(r, a); });
}

template <int D, class T>
bool contains_inf(const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    return any_piece("contains_inf", x, where, local, [](auto r, auto a) { return host_loops<T>().has_inf(r, a); });
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

ZEROFAB_INSTANTIATE(1, double) ZEROFAB_INSTANTIATE(2, double) ZEROFAB_INSTANTIATE(3, double)
ZEROFAB_INSTANTIATE(1, float) ZEROFAB_INSTANTIATE(2, float) ZEROFAB_INSTANTIATE(3, float)
ZEROFAB_INSTANTIATE(1, int) ZEROFAB_INSTANTIATE(2, int) ZEROFAB_INSTANTIATE(3, int)
#undef ZEROFAB_INSTANTIATE
// clang-format on

}  // namespace zerofab
