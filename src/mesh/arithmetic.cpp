// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/mesh/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include "mesh/checks.hpp"
#include "mesh/device_fields.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab {
namespace {

/// Sources as an operation holds them.
template <int D>
struct Operand {
    Lease<D> body;
    int comp;
};

/// The order of components in which no source is read after it was written: 1 or -1; ValueError if there is none.
template <int D, std::size_t N>
int component_order(std::string_view what, const Lease<D>& z, const Selection<D>& where,
                    const std::array<Operand<D>, N>& sources) {
    bool up = false, down = false;
    for (const Operand<D>& x : sources) {
        if (x.body != z || x.comp == where.comp || std::abs(x.comp - where.comp) >= where.ncomp) continue;
        (x.comp < where.comp ? down : up) = true;
    }
    if (up && down)
        throw ValueError(std::string(what) +
                         ": both sources are components of the field itself that overlap those written, one from "
                         "below and one from above; work on fewer components at once, or on a copy");
    return down ? -1 : 1;
}

/// An operation: its name for messages, and the kernel that does it on devices ("" if there is nothing to do).
struct Operation {
    std::string_view what, kernel;
    std::initializer_list<KernelArg> numbers = {};
    bool writes_source = false;
};

template <int D, class T, std::size_t N, std::size_t... I>
void launch(Device device, const Operation& operation, const FabBody<D>& body, const Selection<D>& where, int step,
            const std::array<Operand<D>, N>& sources, std::index_sequence<I...>) {
    if (operation.kernel.empty() || where.ncomp == 0) return;
    const detail::DeviceQueue queue(device);
    const auto boxes = detail::selected_boxes(queue, body, where);
    if (boxes->rows.count == 0) return;
    std::vector<KernelArg> args = detail::field_arguments<D>(
        queue, *boxes, where.ncomp, step, {{body, where.comp}, {*sources[I].body, sources[I].comp}...});
    args.insert(args.end(), operation.numbers);
    detail::LaunchSize size = boxes->rows;
    size.bytes = size.points * where.ncomp * static_cast<std::int64_t>((1 + N) * sizeof(T));
    queue.launch(operation.kernel, detail::kernel_type<T>, size, args);
}

/// Check all, then launch the kernel where the field is: sources that are elsewhere are brought there.
template <int D, class T, class... X>
void run(const Operation& operation, const FabArray<D, T>& z, const Selection<D>& where, const X&... x) {
    constexpr std::size_t count = sizeof...(X);
    const Lease<D> body = z.lease();
    std::array<Operand<D>, count> sources{Operand<D>{x.field.lease(), x.comp}...};
    detail::check_selection(operation.what, *body, where);
    for (const Operand<D>& s : sources)
        detail::check_partner(operation.what, count == 1 ? "the source" : "a source", *body, *s.body, s.comp, where);
    const int step = component_order(operation.what, body, where, sources);
    const MemorySpace work = space_of_work(body->space());
    const Mirror<D> seen(body, work);
    std::vector<Mirror<D>> brought;
    for (Operand<D>& s : sources) {
        if (s.body->space() == body->space()) continue;
        brought.emplace_back(s.body, work);
        s.body = brought.back().body();
    }
    launch<D, T>(work.is_plain() ? Device{} : work.device, operation, *body, where, step, sources,
                 std::make_index_sequence<count>());
    if (operation.writes_source) {
        for (const Mirror<D>& source : brought) source.write_back();
    }
}

/// ValueError if an integer field is 0 somewhere in the selection.
template <int D, class T>
void check_divisor(std::string_view what, const FabArray<D, T>& x, const Selection<D>& where) {
    if constexpr (std::is_integral_v<T>) {
        const Lease<D> body = x.lease();
        detail::check_selection(what, *body, where);
        const MemorySpace work = space_of_work(body->space());
        const Mirror<D> seen(body, work);
        const bool found =
            detail::any_of_field<T>(work.is_plain() ? Device{} : work.device, "field_has_zero", *body, where);
        if (found) throw ValueError(std::string(what) + ": an integer divisor is 0");
    }
}

}  // namespace

template <int D, class T>
void set_val(const FabArray<D, T>& z, T a, const Selection<D>& where) {
    run({"set_val", "field_set_val", {a}}, z, where);
}

template <int D, class T>
void plus(const FabArray<D, T>& z, T a, const Selection<D>& where) {
    run({"plus", "field_add_scalar", {a}}, z, where);
}

template <int D, class T>
void mult(const FabArray<D, T>& z, T a, const Selection<D>& where) {
    run({"mult", "field_multiply_scalar", {a}}, z, where);
}

template <int D, class T>
void divide(const FabArray<D, T>& z, T a, const Selection<D>& where) {
    if constexpr (std::is_integral_v<T>)
        if (a == 0) throw ValueError("divide: an integer divisor is 0");
    run({"divide", "field_divide_scalar", {a}}, z, where);
}

template <int D, class T>
void invert(const FabArray<D, T>& z, T a, const Selection<D>& where) {
    check_divisor("invert", z, where);
    run({"invert", "field_invert", {a}}, z, where);
}

template <int D, class T>
void negate(const FabArray<D, T>& z, const Selection<D>& where) {
    run({"negate", "field_negate"}, z, where);
}

template <int D, class T>
void abs(const FabArray<D, T>& z, const Selection<D>& where) {
    run({"abs", "field_abs"}, z, where);
}

template <int D, class T>
void copy(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x) {
    const bool same = z.body() == x.field.body() && where.comp == x.comp;
    run({"copy", same ? "" : "field_copy"}, z, where, x);
}

template <int D, class T>
void add(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x) {
    run({"add", "field_add"}, z, where, x);
}

template <int D, class T>
void subtract(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x) {
    run({"subtract", "field_subtract"}, z, where, x);
}

template <int D, class T>
void multiply(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x) {
    run({"multiply", "field_multiply"}, z, where, x);
}

template <int D, class T>
void divide(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x) {
    detail::check_selection("divide", *z.lease(), where);
    detail::check_partner("divide", "the source", *z.lease(), *x.field.lease(), x.comp, where);
    check_divisor("divide", x.field, {x.comp, where.ncomp, where.nghost, where.region});
    run({"divide", "field_divide"}, z, where, x);
}

template <int D, class T>
void saxpy(const FabArray<D, T>& z, const Selection<D>& where, T a, const Source<D, T>& x) {
    run({"saxpy", "field_saxpy", {a}}, z, where, x);
}

template <int D, class T>
void xpay(const FabArray<D, T>& z, const Selection<D>& where, T a, const Source<D, T>& x) {
    run({"xpay", "field_xpay", {a}}, z, where, x);
}

template <int D, class T>
void lin_comb(const FabArray<D, T>& z, const Selection<D>& where, T a, const Source<D, T>& x, T b,
              const Source<D, T>& y) {
    run({"lin_comb", "field_lin_comb", {a, b}}, z, where, x, y);
}

template <int D, class T>
void add_product(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x, const Source<D, T>& y) {
    run({"add_product", "field_add_product"}, z, where, x, y);
}

template <int D, class T>
void swap(const FabArray<D, T>& z, const Selection<D>& where, const Source<D, T>& x) {
    const bool itself = z.body() == x.field.body();
    if (itself && x.comp != where.comp && std::abs(x.comp - where.comp) < where.ncomp)
        throw ValueError("swap: the two ranges of components overlap in one field");
    run({"swap", itself && x.comp == where.comp ? "" : "field_swap", {}, true}, z, where, x);
}

// clang-format off
#define ZEROFAB_INSTANTIATE(D, T)                                                                                   \
    template void set_val(const FabArray<D, T>&, T, const Selection<D>&);                                           \
    template void plus(const FabArray<D, T>&, T, const Selection<D>&);                                              \
    template void mult(const FabArray<D, T>&, T, const Selection<D>&);                                              \
    template void divide(const FabArray<D, T>&, T, const Selection<D>&);                                            \
    template void invert(const FabArray<D, T>&, T, const Selection<D>&);                                            \
    template void negate(const FabArray<D, T>&, const Selection<D>&);                                               \
    template void abs(const FabArray<D, T>&, const Selection<D>&);                                                  \
    template void copy(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&);                            \
    template void add(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&);                             \
    template void subtract(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&);                        \
    template void multiply(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&);                        \
    template void divide(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&);                          \
    template void saxpy(const FabArray<D, T>&, const Selection<D>&, T, const Source<D, T>&);                        \
    template void xpay(const FabArray<D, T>&, const Selection<D>&, T, const Source<D, T>&);                         \
    template void lin_comb(const FabArray<D, T>&, const Selection<D>&, T, const Source<D, T>&, T, const Source<D, T>&);\
    template void add_product(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&, const Source<D, T>&);\
    template void swap(const FabArray<D, T>&, const Selection<D>&, const Source<D, T>&);

ZEROFAB_FOR_FIELDS(ZEROFAB_INSTANTIATE)
// clang-format on

}  // namespace zerofab
