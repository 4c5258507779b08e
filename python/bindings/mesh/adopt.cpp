// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/adopt.hpp"

#include <algorithm>

#include "exchange/importer.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

std::string text_of_shape(const std::int64_t* shape, int axes) {
    std::string text = "(";
    for (int axis = 0; axis < axes; ++axis) {
        text.append(axis > 0 ? ", " : "").append(std::to_string(shape[axis]));
    }
    return text + ")";
}

void reverse_axes(TensorView& view) {
    std::reverse(view.shape.begin(), view.shape.begin() + view.axes);
    std::reverse(view.strides.begin(), view.strides.begin() + view.axes);
}

/// Shape (component, k, j, i) of a fab.
template <int D>
std::array<std::int64_t, 4> fab_shape(const Box<D>& box, int ncomp) {
    std::array<std::int64_t, 4> shape{ncomp, 1, 1, 1};
    for (int d = 0; d < D; ++d) {
        shape[static_cast<std::size_t>(3 - d)] = box.length(d);
    }
    return shape;
}

/// Whether the view has the elements of a fab, with or without the axes of length 1 that its space does not have.
template <int D>
bool fits(const TensorView& view, const std::array<std::int64_t, 4>& shape) {
    const auto same = [&](std::size_t first_wanted, std::size_t first_given) {
        return std::equal(shape.begin() + static_cast<std::ptrdiff_t>(first_wanted), shape.end(),
                          view.shape.begin() + static_cast<std::ptrdiff_t>(first_given));
    };
    if (view.axes == 4) {
        return same(0, 0);
    }
    const bool space_axes = view.axes == D + 1 && view.shape[0] == shape[0] && same(4 - D, 1);
    return space_axes || (view.axes == D && shape[0] == 1 && same(4 - D, 0));
}

}  // namespace

template <int D>
FabMemory<D> adopt_fab(nb::handle source, const Box<D>& box, int ncomp, const DType& dtype, const AdoptOptions& options,
                       const std::string& what) {
    TensorView view = options.copy ? import_or_copy(source, dtype, false) : import_view(source);
    if (!same_elements(*view.dtype, dtype)) {
        throw TypeError(what + " needs elements of type " + dtype.name + ", not " + view.dtype->name +
                        ": convert the array first, or take a copy with copy=True");
    }
    if (options.f_order) {
        reverse_axes(view);
    }
    const auto shape = fab_shape(box, ncomp);
    if (!fits<D>(view, shape)) {
        if (options.f_order) {
            reverse_axes(view);
        }
        throw ValueError(what + " needs an array of shape " + text_of_shape(shape.data(), 4) +
                         (options.f_order ? " in reverse order" : "") + " (component, k, j, i), ghosts included, not " +
                         text_of_shape(view.shape.data(), view.axes));
    }
    FabMemory<D> fab;
    fab.box = box;
    if (options.copy) {
        TensorView fresh = view;
        std::int64_t step = 1;
        for (int axis = view.axes - 1; axis >= 0; --axis) {
            fresh.strides[static_cast<std::size_t>(axis)] = step;
            step *= view.shape[static_cast<std::size_t>(axis)];
        }
        Arena& arena = options.arena != nullptr ? *options.arena : The_Arena();
        fab.memory = arena.allocate(static_cast<std::size_t>(view.size()) * dtype.size);
        fresh.own(fab.memory);
        fresh.data = fab.data = fab.memory->data();
        copy_elements(fresh, view);
        return fab;
    }
    if (view.read_only) {
        throw BufferError(what + " would write to read-only memory: take a copy with copy=True");
    }
    if (!is_compact(view, 'C')) {
        throw BufferError(what + " needs memory without gaps, x fastest: take a copy with copy=True" +
                          (options.f_order ? "" : ", or say order=\"F\" if the axes are (i, j, k, component)"));
    }
    fab.memory = std::move(view.owner);
    fab.data = view.data;
    return fab;
}

template <int D>
Lease<D> adopt_body(const BoxArray<D>& boxes, const DistributionMapping& owners, nb::handle arrays, int ncomp,
                    const IntVect<D>& ngrow, const DType& dtype, const AdoptOptions& options) {
    MFInfo info;
    info.alloc = false;
    info.arena = options.arena;
    auto body = std::make_shared<FabBody<D>>(*make_body(boxes, owners, ncomp, ngrow, info, dtype));
    const int count = body->layout->num_local();
    if (PySequence_Check(arrays.ptr()) == 0 && PyIter_Check(arrays.ptr()) == 0) {
        throw TypeError("arrays must be a sequence, one array per local box");
    }
    // A tuple of our own: producers run code, which may change a list.
    const auto given = nb::steal(PySequence_Tuple(arrays.ptr()));
    if (!given.is_valid()) {
        throw nb::python_error();
    }
    if (PyTuple_GET_SIZE(given.ptr()) != count) {
        throw ValueError(
            concat("from_arrays needs one array per local box: ", count, ", not ", PyTuple_GET_SIZE(given.ptr())));
    }
    for (int local = 0; local < count; ++local) {
        const Box<D> box = grow(body->layout->local_box(local), ngrow);
        body->fabs.push_back(
            adopt_fab(PyTuple_GET_ITEM(given.ptr(), local), box, ncomp, dtype, options, concat("box ", local)));
        if (body->fabs[static_cast<std::size_t>(local)].memory->space() != body->fabs[0].memory->space()) {
            throw ValueError(concat("from_arrays: the array of box ", local,
                                    " is in memory of another kind or device than that of box 0"));
        }
    }
    return body;
}

#define ZEROFAB_INSTANTIATE(D)                                                                                       \
    template FabMemory<D> adopt_fab(nb::handle, const Box<D>&, int, const DType&, const AdoptOptions&,               \
                                    const std::string&);                                                             \
    template Lease<D> adopt_body(const BoxArray<D>&, const DistributionMapping&, nb::handle, int, const IntVect<D>&, \
                                 const DType&, const AdoptOptions&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
