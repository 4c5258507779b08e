// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Smallest and largest numbers of fields and where they are, by the loops of the host or by a kernel.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mesh/checks.hpp"
#include "mesh/device_fields.hpp"
#include "mesh/operand.hpp"
#include "mesh/over_ranks.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab::detail {

template <class T>
constexpr T highest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <class T>
constexpr T lowest =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

/// NaN wins, if a part gives it.
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

/// What was found in a part of a local box.
template <int D, class T>
struct Extreme {
    Piece<D> piece;
    T value;
};

/// The least (sign 1) or greatest (sign -1) of loop(region, piece, numbers), or of what a kernel finds, for all parts
/// of the selection in the order of boxes and of memory.
template <int sign, int D, class T, class Loop>
std::vector<Extreme<D, T>> extremes(std::string_view kernel, const Lease<D>& body, const Selection<D>& where, T start,
                                    Loop loop, const FabBody<D>* mask = nullptr) {
    std::vector<Extreme<D, T>> found;
    if (const MemorySpace work = space_of_work(body->space()); !work.is_plain()) {
        const DeviceQueue queue(work.device);
        const auto boxes = selected_boxes(queue, *body, where);
        const std::vector<T> results =
            reduce_fields<T, D>(queue, kernel, kernel_type<T>, *boxes, where.ncomp, {{*body, where.comp}}, mask);
        auto next = results.begin();
        const auto groups = static_cast<std::ptrdiff_t>(queue.groups_x(boxes->rows));
        for (const Piece<D>& piece : selected_parts(*body, where)) {
            found.push_back({piece, best_of<sign>(std::vector<T>(next, next + groups), start)});
            next += groups;
        }
        return found;
    }
    const Mirror<D> seen(body);
    const Pieces<D> pieces(*body, where);
    for (std::size_t i = 0; i < pieces.size(); ++i) found.push_back({pieces[i], start});
    pieces.for_each(where.ncomp, [&](std::size_t i, const Piece<D>& piece) {
        T& best = found[i].value;
        for (int n = where.comp; n < where.comp + where.ncomp; ++n) {
            const T m =
                loop(loop_region(piece.box), piece, operand(body->template array<const T>(piece.local), piece.box, n));
            if (m != m || (sign > 0 ? m < best : m > best)) best = m;
        }
    });
    return found;
}

template <int sign, int D, class T>
T best_of(const std::vector<Extreme<D, T>>& found, T start) {
    std::vector<T> values;
    for (const Extreme<D, T>& part : found) values.push_back(part.value);
    return best_of<sign>(values, start);
}

/// Smallest or largest numbers; NaN is passed over.
template <int sign, int D, class T>
std::vector<Extreme<D, T>> extreme_numbers(const Lease<D>& body, const Selection<D>& where) {
    const auto loop = [](const LoopRegion& r, const Piece<D>&, const LoopOperand<const T>& a) {
        return sign > 0 ? host_loops<T>().min(r, a) : host_loops<T>().max(r, a);
    };
    return extremes<sign, D, T>(sign > 0 ? "field_min" : "field_max", body, where, sign > 0 ? highest<T> : lowest<T>,
                                loop);
}

template <int sign, int D, class T>
T extreme(std::string_view what, const FabArray<D, T>& x, const Selection<D>& where, bool local) {
    const Lease<D> body = x.lease();
    check_selection(what, *body, where);
    const T mine = best_of<sign>(extreme_numbers<sign, D, T>(body, where), sign > 0 ? highest<T> : lowest<T>);
    return over_ranks(mine, sign > 0 ? ReduceOp::min : ReduceOp::max, local);
}

/// The last point of a box, in the order of memory, that holds `value`, if one does.
template <int D, class T>
std::optional<IntVect<D>> last_point(const Array4<const T>& a, const Box<D>& box, int comp, T value) {
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
    check_selection(what, *body, where);
    const std::vector<Extreme<D, T>> found = extreme_numbers<sign, D, T>(body, where);
    struct Candidate {
        T value;
        int box;  ///< global number; -1: none
        std::array<int, D> at;
    };
    Candidate mine{best_of<sign>(found, sign > 0 ? highest<T> : lowest<T>), -1, {}};
    for (std::size_t i = found.size(); i-- > 0 && mine.box < 0;) {
        if (found[i].value != mine.value) continue;
        const Piece<D>& piece = found[i].piece;
        const Mirror<D> seen(body, std::vector<int>{piece.local});
        const auto point =
            last_point<D, T>(seen.body()->template array<const T>(piece.local), piece.box, comp, mine.value);
        if (!point) continue;  // nothing but NaN there: the start value
        mine.at = point->array();
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

}  // namespace zerofab::detail
