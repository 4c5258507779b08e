// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What operations on fields check before they start; `what` names the operation, `field` the field in messages.
#pragma once

#include <string>
#include <string_view>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/index/format.hpp"
#include "zerofab/mesh/arithmetic.hpp"

namespace zerofab::detail {

/// IndexError unless the body has components [comp, comp + ncomp).
template <int D>
void check_components(std::string_view what, std::string_view field, const FabBody<D>& body, int comp, int ncomp) {
    if (comp >= 0 && ncomp >= 0 && Long{comp} + ncomp <= body.ncomp) return;
    throw IndexError(concat(what, ": ", field, " has components 0 to ", body.ncomp - 1, "; asked for were ", ncomp,
                            " from number ", comp));
}

[[noreturn]] inline void throw_no_memory(std::string_view what, std::string_view field) {
    throw StateError(concat(what, ": ", field, " has no memory: it is empty, cleared, or was made with alloc=False"));
}

/// StateError for a field without memory.
template <int D>
void check_memory(std::string_view what, std::string_view field, const FabBody<D>& body) {
    if (body.num_local() != body.layout->num_local()) throw_no_memory(what, field);
}
template <int D>
void check_memory(std::string_view what, std::string_view field, const Lease<D>& lease) {
    if (lease == nullptr) throw_no_memory(what, field);
    check_memory(what, field, *lease);
}

/// ValueError unless the body has these ghost points.
template <int D>
void check_ghosts(std::string_view what, std::string_view field, const FabBody<D>& body, const IntVect<D>& nghost) {
    if (nghost.all_ge(0) && nghost.all_le(body.ngrow)) return;
    throw ValueError(concat(what, ": ", field, " has ", body.ngrow, " ghost points; asked for were ", nghost));
}

/// What every operation checks of the field that it works on.
template <int D>
void check_selection(std::string_view what, const FabBody<D>& body, const Selection<D>& where) {
    check_memory(what, "the field", body);
    check_components(what, "the field", body, where.comp, where.ncomp);
    check_ghosts(what, "the field", body, where.nghost);
    if (where.region && where.region->ix_type() != body.layout->ix_type())
        throw ValueError(concat(what, ": the region ", *where.region, " has index type ", where.region->ix_type(),
                                ", the field ", body.layout->ix_type()));
}

/// What is checked of every other field of the operation: `a` is the one worked on.
template <int D>
void check_partner(std::string_view what, std::string_view field, const FabBody<D>& a, const FabBody<D>& b, int comp,
                   const Selection<D>& where) {
    const FabLayout<D>&la = *a.layout, &lb = *b.layout;
    if (la.ix_type() != lb.ix_type() || !la.boxes().cell_equal(lb.boxes())) {
        const auto describe = [](const FabLayout<D>& l) {
            return concat(l.size(), " boxes in ", l.boxes().minimal_box());
        };
        throw ValueError(concat(what, ": the field and ", field, " have different boxes, ", describe(la), " and ",
                                describe(lb), "; parallel_copy copies between them"));
    }
    if (!same_layout(la, lb))
        throw ValueError(concat(what, ": the field and ", field,
                                " have the same boxes on different ranks; parallel_copy copies between them"));
    check_memory(what, field, b);
    check_components(what, field, b, comp, where.ncomp);
    check_ghosts(what, field, b, where.nghost);
}

}  // namespace zerofab::detail
