// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Sums of fields, where the field is: by the loops of the host, or by a kernel.
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <type_traits>
#include <vector>

#include "mesh/checks.hpp"
#include "mesh/device_fields.hpp"
#include "mesh/operand.hpp"
#include "mesh/over_ranks.hpp"
#include "zerofab/mesh/mirror.hpp"
#include "zerofab/mesh/reductions.hpp"

namespace zerofab::detail {

/// A reduction: its name for messages, and its kernel.
struct Name {
    std::string_view what, kernel;
};

/// Partial sums joined in order: with compensation for real numbers, wrapping around for integers.
inline double join(const std::vector<double>& parts) {
    double total = 0, rest = 0;
    for (const double x : parts) {
        const double t = total + x;
        const double part = t - total;
        rest += (total - (t - part)) + (x - part);
        total = t;
    }
    return std::isfinite(rest) ? total + rest : total;
}
inline std::int64_t join(const std::vector<std::int64_t>& parts) {
    std::uint64_t total = 0;
    for (const std::int64_t x : parts) total += static_cast<std::uint64_t>(x);
    return static_cast<std::int64_t>(total);
}

/// What sums are added up from on a device: fields, and where `mask` is not 0 if there is one.
template <int D>
struct Terms {
    std::initializer_list<FieldOperand<D>> fields;
    const FabBody<D>* mask = nullptr;
};

/// The sum over boxes of a device, all ranks.
template <class T, int D>
LoopSum<T> sum_on_device(const DeviceQueue& queue, std::string_view kernel, const BoxTable& boxes, int ncomp,
                         bool local, const Terms<D>& terms) {
    struct Partial {
        std::conditional_t<std::is_integral_v<T>, std::int64_t, T> high, low;
    };
    std::vector<LoopSum<T>> parts;
    for (const Partial& sum :
         reduce_fields<Partial, D>(queue, kernel, kernel_type<T>, boxes, ncomp, terms.fields, terms.mask)) {
        parts.push_back(sum.high);
        if (std::isfinite(static_cast<double>(sum.low))) parts.push_back(sum.low);
    }
    return over_ranks(join(parts), ReduceOp::sum, local);
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
LoopSum<T> sum_of(const Name& name, const FabArray<D, T>& x, const Selection<D>& where, bool local, Loop loop) {
    const Lease<D> body = x.lease();
    check_selection(name.what, *body, where);
    if (const MemorySpace work = space_of_work(body->space()); !work.is_plain()) {
        const DeviceQueue queue(work.device);
        return sum_on_device<T, D>(queue, name.kernel, *selected_boxes(queue, *body, where), where.ncomp, local,
                                   {{{*body, where.comp}}});
    }
    const Mirror<D> seen(body);
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int n) {
        return loop(r, operand(body->template array<const T>(piece.local), piece.box, where.comp + n));
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(*body, where), where.ncomp, local, one);
}

/// The parts of local boxes that are unique: without what boxes of lower numbers, or lower images, have too.
template <int D>
struct UniqueParts {
    std::vector<Piece<D>> parts;

    std::size_t bytes() const noexcept { return sizeof *this + parts.capacity() * sizeof(Piece<D>); }
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

/// The parts of local boxes by how many boxes or images of boxes have their points, the box itself included.
template <int D>
struct SharedParts {
    std::map<int, std::vector<Piece<D>>> by_count;

    std::size_t bytes() const noexcept {
        std::size_t all = sizeof *this;
        for (const auto& [count, parts] : by_count) all += parts.capacity() * sizeof(Piece<D>);
        return all;
    }
};

template <int D>
SharedParts<D> find_shared_parts(const FabLayout<D>& layout, const Periodicity<D>& period) {
    SharedParts<D> shared;
    std::vector<std::pair<Box<D>, int>> parts, next;
    std::vector<Box<D>> outside;
    const std::vector<IntVect<D>> shifts = period.shift_int_vects();
    for (int local = 0; local < layout.num_local(); ++local) {
        const int global = layout.local_boxes()[static_cast<std::size_t>(local)];
        const Box<D> box = layout.box(global);
        parts.assign(1, {box, 1});
        for (const IntVect<D>& shift : shifts) {
            layout.boxes().visit(box + shift, IntVect<D>(0), [&](int other, const Box<D>& common) {
                if (other == global && shift == IntVect<D>(0)) return true;
                next.clear();
                for (const auto& [part, count] : parts) {
                    const Box<D> both = part & (common - shift);
                    if (both.ok()) next.emplace_back(both, count + 1);
                    outside.clear();
                    subtract(part, common - shift, outside);
                    for (const Box<D>& rest : outside) next.emplace_back(rest, count);
                }
                parts.swap(next);
                return true;
            });
        }
        for (const auto& [part, count] : parts) shared.by_count[count].push_back({local, part});
    }
    return shared;
}

template <int D>
std::shared_ptr<const SharedParts<D>> shared_parts(const FabLayout<D>& layout, const Periodicity<D>& period) {
    const PlanCache::Key key(period.period().begin(), period.period().end());
    return layout.plans().template get<SharedParts<D>>(key, [&] { return find_shared_parts(layout, period); });
}

/// Parts of local boxes in memory of a device.
struct PartTable {
    BoxTable boxes;

    std::size_t bytes() const noexcept { return boxes.bytes(); }
};

template <int D>
std::shared_ptr<const PartTable> part_table(const DeviceQueue& queue, const FabLayout<D>& layout,
                                            const std::vector<Piece<D>>& parts, PlanCache::Key key) {
    key.insert(key.begin(), {queue.device_key(), queue.stream_key()});
    return layout.plans().template get<PartTable>(key, [&] { return PartTable{make_box_table(queue, parts)}; });
}

/// Sum loop(region, numbers) of one component over parts of local boxes; `key` names the parts of this layout.
template <int D, class T, class Loop>
LoopSum<T> sum_parts(const Name& name, const Lease<D>& body, int comp, const std::vector<Piece<D>>& parts,
                     const PlanCache::Key& key, bool local, Loop loop) {
    if (const MemorySpace work = space_of_work(body->space()); !work.is_plain()) {
        const DeviceQueue queue(work.device);
        return sum_on_device<T, D>(queue, name.kernel, part_table(queue, *body->layout, parts, key)->boxes, 1, local,
                                   {{{*body, comp}}});
    }
    const Mirror<D> seen(body);
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int) {
        return loop(r, operand(body->template array<const T>(piece.local), piece.box, comp));
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(parts), 1, local, one);
}

/// Sum loop(region, numbers) over the unique valid points, of one component. Boxes of cells share no point.
template <int D, class T, class Loop>
LoopSum<T> unique_sum_of(const Name& name, const FabArray<D, T>& x, int comp, const Periodicity<D>& period,
                         const Box<D>* region, bool local, Loop loop) {
    const Lease<D> body = x.lease();
    Selection<D> where{.comp = comp};
    if (region != nullptr) where.region = *region;
    if (body != nullptr && body->layout->ix_type().cell_centered()) return sum_of(name, x, where, local, loop);
    check_selection(name.what, *body, where);
    std::vector<Piece<D>> parts = unique_parts(*body->layout, period)->parts;
    PlanCache::Key key{0};
    key.insert(key.end(), period.period().begin(), period.period().end());
    for (int d = 0; d < D && region != nullptr; ++d) key.insert(key.end(), {region->small_end(d), region->big_end(d)});
    if (region != nullptr)
        for (Piece<D>& part : parts) part.box &= *region;
    return sum_parts<D, T>(name, body, comp, parts, key, local, loop);
}

/// A sum of terms that each count in part: integers have a fraction of their own, so that no digit is lost.
template <class T>
struct WeightedSum {
    LoopSum<T> whole = 0;
    double fraction = 0;
};

/// Sum loop(region, numbers) over all valid points, of one component; what m boxes or images have counts 1/m in each.
template <int D, class T, class Loop>
WeightedSum<T> weighted_sum_of(const Name& name, const FabArray<D, T>& x, int comp, const Periodicity<D>& period,
                               bool local, Loop loop) {
    const Lease<D> body = x.lease();
    check_selection(name.what, *body, Selection<D>{.comp = comp});
    const auto shared = shared_parts(*body->layout, period);
    std::vector<LoopSum<T>> wholes;
    double fraction = 0;
    for (const auto& [count, parts] : shared->by_count) {
        PlanCache::Key key{count};
        key.insert(key.end(), period.period().begin(), period.period().end());
        const LoopSum<T> sum = sum_parts<D, T>(name, body, comp, parts, key, true, loop);
        wholes.push_back(sum / static_cast<LoopSum<T>>(count));
        if constexpr (std::is_integral_v<T>) fraction += static_cast<double>(sum % count) / count;
    }
    if constexpr (std::is_integral_v<T>) fraction = over_ranks(fraction, ReduceOp::sum, local);
    return {over_ranks(join(wholes), ReduceOp::sum, local), fraction};
}

/// A field from a component on.
template <int D>
struct Factor {
    const Lease<D>& body;
    int comp;
};

/// Sum of loop(region, numbers of a, numbers of b, piece), or of what a kernel makes of them, where a is.
template <class T, int D, class Loop>
LoopSum<T> dot_of(std::string_view kernel, const Factor<D>& a, const Factor<D>& b, const FabBody<D>* mask,
                  const Selection<D>& where, bool local, Loop loop) {
    const MemorySpace work = space_of_work(a.body->space());
    const Mirror<D> seen_a(a.body, work), seen_b(b.body, work);
    const FabBody<D>&u = *seen_a.body(), &v = *seen_b.body();
    if (!work.is_plain()) {
        const DeviceQueue queue(work.device);
        return sum_on_device<T, D>(queue, kernel, *selected_boxes(queue, u, where), where.ncomp, local,
                                   {{{u, a.comp}, {v, b.comp}}, mask});
    }
    const auto one = [&](const LoopRegion& r, const Piece<D>& piece, int n) {
        return loop(r, operand(u.template array<const T>(piece.local), piece.box, a.comp + n),
                    operand(v.template array<const T>(piece.local), piece.box, b.comp + n), piece);
    };
    return sum_pieces<LoopSum<T>>(Pieces<D>(u, where), where.ncomp, local, one);
}

}  // namespace zerofab::detail
