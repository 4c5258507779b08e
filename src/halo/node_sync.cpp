// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Points that several fabs share: their owners, and ways to make all fabs agree.
#include "halo/execute.hpp"
#include "mesh/checks.hpp"
#include "mesh/device_fields.hpp"
#include "mesh/operand.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/halo/halo.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab {
namespace {

template <int D>
std::shared_ptr<const HaloPlan<D>> owner_plan(const FabBody<D>& field, const Periodicity<D>& period) {
    return halo_plan(*field.layout, *field.layout,
                     HaloRequest<D>{HaloRequest<D>::Kind::owned, IntVect<D>(), IntVect<D>(), period, false});
}

/// The plan that sum_boundary without ghosts will use; having it now leaves no error for later.
template <int D>
void prepare_sum(const char* what, const FabBody<D>& field, const Periodicity<D>& period) {
    const HaloRequest<D> request{HaloRequest<D>::Kind::others, IntVect<D>(), IntVect<D>(), period, false};
    halo::check_local(what, *halo_plan(*field.layout, *field.layout, request));
}

template <int D>
void check_partner(const char* what, const char* role, const FabBody<D>& field, const FabBody<D>& partner,
                   const DType& dtype) {
    if (!same_layout(*field.layout, *partner.layout) || field.layout->ix_type() != partner.layout->ix_type()) {
        throw ValueError(concat(what, ": the ", role, " has other boxes, owners or index type than the field"));
    }
    if (partner.dtype->code != dtype.code || partner.dtype->size != dtype.size) {
        throw TypeError(
            concat(what, ": the ", role, " must have elements of type ", dtype.name, ", not ", partner.dtype->name));
    }
}

/// A field of one component, without ghosts, on the boxes of another; all ones.
template <int D, class T>
Lease<D> ones_like(const FabBody<D>& field) {
    const Lease<D> ones = make_body(field.layout->boxes(), field.layout->owners(), 1, IntVect<D>(),
                                    MFInfo{.alloc = true, .arena = field.arena, .tags = {}}, dtype_of<T>);
    set_val(FabArray<D, T>(ones), T{1}, Selection<D>());
    return ones;
}

/// What a kernel that changes the valid points of a field is launched on, all at once.
template <int D>
struct Launch {
    detail::DeviceQueue queue;
    std::shared_ptr<const detail::BoxTable> boxes;

    Launch(Device device, const FabBody<D>& field)
        : queue(device), boxes(detail::selected_boxes(queue, field, Selection<D>())) {}
};

/// Every number of the field becomes 0 where the mask is 0, at valid points.
template <int D, class T>
void keep_masked(const Lease<D>& field, const Lease<D>& mask) {
    const MemorySpace work = space_of_work(field->space());
    const Mirror<D> own(field, work), keep(mask, work);
    if (!work.is_plain()) {
        const Launch<D> on(work.device, *field);
        if (on.boxes->rows.count == 0) return;
        auto args = detail::field_arguments<D>(on.queue, *on.boxes, field->ncomp, 1, {{*field, 0}});
        args.emplace_back(detail::fab_table(on.queue, *keep.body()));
        on.queue.launch("field_keep_masked", detail::kernel_type<T>, on.boxes->rows, args);
        return;
    }
    parallel_for(field->num_local(), [&](std::int64_t i) {
        const int local = static_cast<int>(i);
        const Array4<T> a = field->template array<T>(local);
        const Array4<const int> k = keep.body()->template array<const int>(local);
        for_each_point(field->valid_box(local), [&](const IntVect<D>& p) {
            const Box<D> point(p, p);
            if (*detail::operand(k, point, 0).data != 0) return;
            for (int n = 0; n < field->ncomp; ++n) *detail::operand(a, point, n).data = T{0};
        });
    });
}

/// Every component of the field is multiplied by the first one of the other, at valid points.
template <int D, class T>
void multiply_by_first(const Lease<D>& field, const Lease<D>& other) {
    const MemorySpace work = space_of_work(field->space());
    const Mirror<D> own(field, work), by(other, work);
    if (!work.is_plain()) {
        const Launch<D> on(work.device, *field);
        if (on.boxes->rows.count == 0) return;
        for (int n = 0; n < field->ncomp; ++n) {
            const auto args = detail::field_arguments<D>(on.queue, *on.boxes, 1, 1, {{*field, n}, {*by.body(), 0}});
            on.queue.launch("field_multiply", detail::kernel_type<T>, on.boxes->rows, args);
        }
        return;
    }
    parallel_for(field->num_local(), [&](std::int64_t i) {
        const int local = static_cast<int>(i);
        const Box<D> box = field->valid_box(local);
        const auto x = detail::operand(by.body()->template array<const T>(local), box, 0);
        for (int n = 0; n < field->ncomp; ++n) {
            const auto z = detail::operand(field->template array<T>(local), box, n);
            host_loops<T>().multiply(detail::loop_region(box), z, x);
        }
    });
}

}  // namespace

template <int D>
void override_sync(const Lease<D>& field, int scomp, int ncomp, const Periodicity<D>& period) {
    constexpr const char* what = "override_sync";
    detail::check_memory(what, "the field", field);
    detail::check_components(what, "the field", *field, scomp, ncomp);
    if (field->layout->ix_type().cell_centered() || ncomp == 0) return;
    const auto plan = owner_plan(*field, period);
    halo::check_local(what, *plan);
    halo::with_element_type(what, *field->dtype, [&](auto zero) {
        halo::run_plan<D, decltype(zero)>(plan, field, field, halo::Run{scomp, scomp, ncomp});
    });
}

template <int D>
void override_sync(const Lease<D>& field, const Lease<D>& mask, const Periodicity<D>& period) {
    constexpr const char* what = "override_sync";
    detail::check_memory(what, "the field", field);
    detail::check_memory(what, "the mask", mask);
    check_partner(what, "mask", *field, *mask, dtype_of<int>);
    if (field->layout->ix_type().cell_centered()) return;
    prepare_sum(what, *field, period);
    halo::with_element_type(what, *field->dtype, [&](auto zero) { keep_masked<D, decltype(zero)>(field, mask); });
    sum_boundary(field, 0, field->ncomp, IntVect<D>(), IntVect<D>(), period);
}

template <int D>
void weighted_sync(const Lease<D>& field, const Lease<D>& weight, const Periodicity<D>& period) {
    constexpr const char* what = "weighted_sync";
    detail::check_memory(what, "the field", field);
    detail::check_memory(what, "the weight", weight);
    check_partner(what, "weight", *field, *weight, *field->dtype);
    if (field->layout->ix_type().cell_centered()) return;
    prepare_sum(what, *field, period);
    halo::with_element_type(what, *field->dtype,
                            [&](auto zero) { multiply_by_first<D, decltype(zero)>(field, weight); });
    sum_boundary(field, 0, field->ncomp, IntVect<D>(), IntVect<D>(), period);
}

template <int D>
void average_sync(const Lease<D>& field, const Periodicity<D>& period) {
    constexpr const char* what = "average_sync";
    detail::check_memory(what, "the field", field);
    if (field->dtype->code != DTypeCode::real) {
        throw TypeError(concat(what, ": only for fields of real numbers, not of type ", field->dtype->name));
    }
    if (field->layout->ix_type().cell_centered()) return;
    halo::with_element_type(what, *field->dtype, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_floating_point_v<T>) {
            const Lease<D> weight = overlap_mask<D, T>(field, period);
            invert(FabArray<D, T>(weight), T{1}, Selection<D>());
            weighted_sync(field, weight, period);
        }
    });
}

template <int D>
Lease<D> owner_mask(const Lease<D>& field, const Periodicity<D>& period) {
    if (field == nullptr) throw StateError("owner_mask: the field is empty or cleared");
    const auto plan = owner_plan(*field, period);
    const Lease<D> mask = ones_like<D, int>(*field);
    const Mirror<D> seen(mask);
    const auto clear = [&](const HaloCopy<D>& copy) {
        const auto part = detail::operand(seen.body()->template array<int>(copy.dst), copy.box, 0);
        host_loops<int>().fill(detail::loop_region(copy.box), part, 0);
    };
    for (const HaloCopy<D>& copy : plan->copies) clear(copy);
    for (const auto& [rank, list] : plan->receives) {
        for (const HaloCopy<D>& copy : list) clear(copy);
    }
    seen.write_back();
    return mask;
}

template <int D, class T>
Lease<D> overlap_mask(const Lease<D>& field, const Periodicity<D>& period) {
    if (field == nullptr) throw StateError("overlap_mask: the field is empty or cleared");
    const Lease<D> count = ones_like<D, T>(*field);
    sum_boundary(count, 0, 1, IntVect<D>(), IntVect<D>(), period);
    return count;
}

#define ZEROFAB_INSTANTIATE(D)                                                            \
    template void override_sync(const Lease<D>&, int, int, const Periodicity<D>&);        \
    template void override_sync(const Lease<D>&, const Lease<D>&, const Periodicity<D>&); \
    template void weighted_sync(const Lease<D>&, const Lease<D>&, const Periodicity<D>&); \
    template void average_sync(const Lease<D>&, const Periodicity<D>&);                   \
    template Lease<D> owner_mask(const Lease<D>&, const Periodicity<D>&);                 \
    template Lease<D> overlap_mask<D, double>(const Lease<D>&, const Periodicity<D>&);    \
    template Lease<D> overlap_mask<D, float>(const Lease<D>&, const Periodicity<D>&);     \
    template Lease<D> overlap_mask<D, int>(const Lease<D>&, const Periodicity<D>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
