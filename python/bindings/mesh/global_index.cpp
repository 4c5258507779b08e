// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// From Python's index expressions to selections, and the arrays that they give.
#include "mesh/global_index.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "base/without_gil.hpp"
#include "exchange/exporter.hpp"
#include "exchange/importer.hpp"
#include "exchange/to_numpy.hpp"
#include "exchange/whole_numbers.hpp"
#include "mesh/fab_array.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/memory/transfer.hpp"
#include "zerofab/mesh/global_index.hpp"

namespace zerofab::python {
namespace {

constexpr Long release_gil_from = 4096;  // elements; copying fewer is faster than handing over the GIL

std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

// ---- parsing

[[noreturn]] void throw_bad_item(PyObject* item) {
    throw TypeError("a field cannot be indexed with " + type_name(item) +
                    ": use integers, slices, ..., () for all cells with ghosts, or imaginary numbers for ghost cells");
}

/// An integer, clipped to 64 bits, or nothing where `item` is none. bool is none.
std::optional<Long> integer_of(PyObject* item) {
    if (PyBool_Check(item) || !PyIndex_Check(item)) return std::nullopt;
    const Py_ssize_t value = PyNumber_AsSsize_t(item, nullptr);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();  // arrays have the slot too, and refuse
        return std::nullopt;
    }
    return value;
}

IndexBound bound_of(PyObject* item) {
    if (item == Py_None) return {};
    if (PyComplex_Check(item)) {
        const Py_complex number = PyComplex_AsCComplex(item);
        if (number.real != 0 || number.imag != std::floor(number.imag) || std::abs(number.imag) > 1e9) {
            throw TypeError("a ghost cell is a whole imaginary number such as -1j or 2j");
        }
        return {IndexBound::Kind::imaginary, static_cast<Long>(number.imag)};
    }
    if (const std::optional<Long> value = integer_of(item)) return {IndexBound::Kind::integer, *value};
    throw_bad_item(item);
}

AxisRange range_of(PyObject* item, const AxisDomain& domain) {
    if (PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 0) return select_all(domain, true);
    if (!PySlice_Check(item)) {
        if (item == Py_None) throw_bad_item(item);
        return select_one(bound_of(item), domain);
    }
    const auto* slice = reinterpret_cast<PySliceObject*>(item);
    Long step = 1;
    if (slice->step != Py_None) {
        const std::optional<Long> value = integer_of(slice->step);
        if (!value) throw TypeError("the step of a slice must be an integer, not " + type_name(slice->step));
        step = *value;
    }
    return select_slice(bound_of(slice->start), bound_of(slice->stop), step, domain);
}

template <int D>
GlobalSelection<D> selection_of(const FabBody<D>& body, PyObject* key) {
    std::array<AxisDomain, D + 1> domains;
    for (int axis = 0; axis <= D; ++axis) domains[static_cast<std::size_t>(axis)] = axis_domain(body, axis);
    std::array<AxisRange, D + 1> ranges;
    for (std::size_t axis = 0; axis <= D; ++axis) ranges[axis] = select_all(domains[axis], false);

    PyObject* const* items = &key;
    Py_ssize_t count = 1;
    if (PyTuple_Check(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        count = PyTuple_GET_SIZE(key);
        if (count == 0) {
            for (std::size_t axis = 0; axis < D; ++axis) ranges[axis] = select_all(domains[axis], true);
        }
    }
    const auto dots = std::count(items, items + count, Py_Ellipsis);
    if (dots > 1) throw IndexError("an index can only have a single ellipsis ('...')");
    if (count - dots > D + 1) {
        throw IndexError(concat("too many indices: this field has ", D, D == 1 ? " axis" : " axes",
                                " and one for components, but ", count - dots, " were given"));
    }
    std::size_t axis = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (items[i] == Py_Ellipsis) {
            axis += static_cast<std::size_t>(D + 1 - (count - 1));
        } else {
            ranges[axis] = range_of(items[i], domains[axis]);
            ++axis;
        }
    }
    GlobalSelection<D> selection;
    std::copy_n(ranges.begin(), D, selection.cells.begin());
    selection.comps = ranges[D];
    return selection;
}

/// A plain cell: D or D + 1 exact ints that count from 0. False where the general way must look.
template <int D>
bool plain_cell(const FabBody<D>& body, PyObject* key, IntVect<D>& cell, int& comp) noexcept {
    PyObject* const* items = &key;
    Py_ssize_t count = 1;
    if (PyTuple_CheckExact(key)) {
        items = &PyTuple_GET_ITEM(key, 0);
        count = PyTuple_GET_SIZE(key);
    }
    if (count != D + 1 && !(count == D && body.ncomp == 1)) return false;
    std::array<long, D + 1> values{};
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!PyLong_CheckExact(items[i])) return false;
        int overflow = 0;
        const long value = PyLong_AsLongAndOverflow(items[i], &overflow);
        if (overflow != 0 || value < 0 || value > std::numeric_limits<int>::max()) return false;
        values[static_cast<std::size_t>(i)] = value;
    }
    for (int d = 0; d < D; ++d) cell[d] = static_cast<int>(values[static_cast<std::size_t>(d)]);
    comp = static_cast<int>(values[D]);
    return comp < body.ncomp;
}

template <int D>
const AxisRange& range(const GlobalSelection<D>& selection, std::size_t axis) {
    return axis < D ? selection.cells[axis] : selection.comps;
}

/// Axes longer than 1, which are those that NumPy sees: their lengths, and which they are.
struct Squeezed {
    std::vector<std::int64_t> shape;
    std::vector<std::size_t> axes;
};

template <int D>
Squeezed squeezed(const GlobalSelection<D>& selection) {
    Squeezed result;
    for (std::size_t axis = 0; axis <= D; ++axis) {
        if (range(selection, axis).count == 1) continue;
        result.shape.push_back(range(selection, axis).count);
        result.axes.push_back(axis);
    }
    return result;
}

std::string text_of(const std::int64_t* shape, std::size_t axes) {
    std::string text = "(";
    for (std::size_t axis = 0; axis < axes; ++axis) text += concat(axis > 0 ? ", " : "", shape[axis]);
    return text + (axes == 1 ? ",)" : ")");
}

template <class F>
void without_gil(Long elements, F f) {
    if (elements < release_gil_from) return f();
    const WithoutGil release;
    f();
}

// ---- reading

template <int D>
PyObject* read_selected(const Lease<D>& lease, PyObject* key) {
    const GlobalSelection<D> selection = selection_of(*lease, key);
    const Squeezed kept = squeezed(selection);
    if (kept.axes.empty()) {
        IntVect<D> cell;
        for (int d = 0; d < D; ++d) cell[d] = static_cast<int>(selection.cells[static_cast<std::size_t>(d)].first);
        void* element = find_element(*lease, cell, static_cast<int>(selection.comps.first));
        if (element == nullptr) throw IndexError("no box of this field has the cell");
        if (lease->space().is_plain()) return new_scalar(*lease->dtype, element);
        alignas(16) std::array<std::byte, 16> number{};
        copy_bytes(number.data(), {}, element, lease->space(), lease->dtype->size);
        return new_scalar(*lease->dtype, number.data());
    }
    void* data = nullptr;
    nb::object array = new_ndarray(*lease->dtype, static_cast<int>(kept.shape.size()), kept.shape.data(), &data);
    SelectionStrides<D> strides{};
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < kept.axes.size(); ++i) {
        strides[kept.axes[i]] = stride;
        stride *= kept.shape[i];
    }
    without_gil(selection.size(), [&] { read_selection(*lease, selection, data, strides); });
    return array.release().ptr();
}

// ---- writing

bool is_field(nb::handle value) {
    return nb::isinstance<FabArrayBase<1>>(value) || nb::isinstance<FabArrayBase<2>>(value) ||
           nb::isinstance<FabArrayBase<3>>(value);
}

/// The value as an ndarray of the field's type, as as_numbers; TypeError for what holds no real numbers.
nb::object value_array(PyObject* value, const DType& dtype) {
    if (value == Py_None) throw TypeError("None cannot be written into a field of numbers");
    if (is_field(value)) {
        throw TypeError(
            "a whole field is not an array: f.parallel_copy(g) copies between fields by their cells, "
            "f[...] = g[...] by way of one array");
    }
    const bool only_dlpack = !is_ndarray(value) && !has_numpy_protocol(value) && !nb::hasattr(value, "__array__") &&
                             nb::hasattr(value, "__dlpack__");
    if (!only_dlpack) return as_numbers(value, dtype);
    TensorView view = import_view(value);
    return as_numbers(to_ndarray(view, false, false), dtype);
}

TensorView look_at(nb::object& array) {
    try {
        return look_at_ndarray(array).view;
    } catch (const BufferError&) {  // strides that are no multiple of the element
        array = array.attr("copy")();
        return look_at_ndarray(array).view;
    }
}

/// Strides that repeat `value` over a selection whose axes `axes` have lengths `shape`, aligned at the last axis as in
/// NumPy; false if it does not fit.
template <int D>
bool broadcast(const TensorView& value, const std::vector<std::int64_t>& shape, const std::vector<std::size_t>& axes,
               SelectionStrides<D>& strides) {
    strides.fill(0);
    const auto given = static_cast<std::size_t>(value.axes);
    for (std::size_t i = 0; i < given; ++i) {  // from the last axis
        const std::int64_t length = value.shape[given - 1 - i];
        if (i >= shape.size()) {
            if (length != 1) return false;
            continue;
        }
        const std::size_t at = shape.size() - 1 - i;
        if (length == shape[at]) {
            strides[axes[at]] = length == 1 ? 0 : value.strides[given - 1 - i];
        } else if (length != 1) {
            return false;
        }
    }
    return true;
}

/// The value's shape is exactly this one.
bool has_shape(const TensorView& value, const std::vector<std::int64_t>& shape) {
    return static_cast<std::size_t>(value.axes) == shape.size() &&
           std::equal(shape.begin(), shape.end(), value.shape.begin());
}

/// How a value lies over the selection. With one axis per direction and one for components it is laid over those; with
/// one axis per direction, or the shape of the selected cells, every component gets it; else it is laid over the axes
/// that a read gives, as NumPy would.
template <int D>
SelectionStrides<D> lay_over(const TensorView& value, const GlobalSelection<D>& selection) {
    SelectionStrides<D> strides;
    const Squeezed kept = squeezed(selection);
    Squeezed full;
    for (std::size_t axis = 0; axis <= D; ++axis) {
        full.shape.push_back(range(selection, axis).count);
        full.axes.push_back(axis);
    }
    const auto fits = [&](Squeezed axes, bool components) {
        if (!components && axes.axes.back() == D) {
            axes.shape.pop_back();
            axes.axes.pop_back();
        }
        return broadcast<D>(value, axes.shape, axes.axes, strides);
    };
    const auto given = static_cast<std::size_t>(value.axes);
    if (given == D + 1 && fits(full, true)) return strides;
    if (!has_shape(value, kept.shape)) {
        if (given == D && fits(full, false)) return strides;
        const bool cells = given > 0 && given + 1 == kept.shape.size() && kept.axes.back() == D &&
                           std::equal(kept.shape.begin(), kept.shape.end() - 1, value.shape.begin());
        if (cells && fits(kept, false)) return strides;
    }
    if (broadcast<D>(value, kept.shape, kept.axes, strides)) return strides;
    if (fits(full, true)) return strides;
    throw ValueError("a value of shape " + text_of(value.shape.data(), static_cast<std::size_t>(value.axes)) +
                     " does not fit the selected cells, which have shape " +
                     text_of(kept.shape.data(), kept.shape.size()));
}

template <int D>
void write_selected(const Lease<D>& lease, PyObject* key, PyObject* value) {
    const GlobalSelection<D> selection = selection_of(*lease, key);
    nb::object array = value_array(value, *lease->dtype);
    TensorView view = look_at(array);
    const SelectionStrides<D> strides = lay_over(view, selection);
    if (selection.size() == 0) return;
    const Extent extent = byte_extent(view);
    const auto* bytes = static_cast<const char*>(view.data);
    if (overlaps(*lease, selection, bytes + extent.low, bytes + extent.high)) {  // the value is part of this field
        array = array.attr("copy")();
        const TensorView fresh = look_at(array);
        const SelectionStrides<D> fresh_strides = lay_over(fresh, selection);
        without_gil(selection.size(), [&] { write_selection(*lease, selection, fresh.data, fresh_strides); });
        return;
    }
    without_gil(selection.size(), [&] { write_selection(*lease, selection, view.data, strides); });
}

// ---- views of single boxes

template <int D>
nb::list box_views(const FabArrayBase<D>& fab, bool with_ghosts, const std::string& order) {
    if (order != "F" && order != "C") throw ValueError("order must be 'F' or 'C', not '" + order + "'");
    const Lease<D> lease = fab.lease();
    nb::list views;
    for (int local = 0; local < static_cast<int>(lease->fabs.size()); ++local) {
        const FabMemory<D>& memory = lease->fabs[static_cast<std::size_t>(local)];
        const Box<D> box = with_ghosts ? memory.box : lease->valid_box(local);
        TensorView view;
        view.dtype = lease->dtype;
        view.axes = 4;
        view.what = "FabArray";
        std::int64_t stride = 1, offset = 0;
        for (int d = 0; d < 3; ++d) {  // axes (n, k, j, i)
            const auto axis = static_cast<std::size_t>(3 - d);
            view.shape[axis] = d < D ? box.length(d) : 1;
            view.strides[axis] = stride;
            if (d >= D) continue;
            offset += (Long{box.small_end(d)} - memory.box.small_end(d)) * stride;
            stride *= memory.box.length(d);
        }
        view.shape[0] = lease->ncomp;
        view.strides[0] = stride;
        if (view.size() > 0) {
            view.own(memory.memory);
            view.data = static_cast<char*>(memory.data) + offset * static_cast<Long>(lease->dtype->size);
        }
        views.append(to_ndarray(view, false, order == "F"));
    }
    return views;
}

}  // namespace

void set_not_initialized() noexcept { PyErr_SetString(PyExc_RuntimeError, "this object was made without __init__"); }

template <int D>
PyObject* read_global(const FabArrayBase<D>& fab, PyObject* key) noexcept {
    try {
        if (const FabBody<D>* body = fab.body().get()) {
            IntVect<D> cell;
            int comp = 0;
            if (body->space().is_plain() && plain_cell(*body, key, cell, comp)) {
                if (void* element = find_element(*body, cell, comp)) return new_scalar(*body->dtype, element);
            }
        }
        const Lease<D> lease = fab.lease();
        return read_selected(lease, key);
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

template <int D>
int write_global(const FabArrayBase<D>& fab, PyObject* key, PyObject* value) noexcept {
    try {
        if (value == nullptr) throw TypeError("cells of a field cannot be deleted");
        if (const FabBody<D>* body = fab.body().get();
            body != nullptr && PyFloat_CheckExact(value) && body->space().is_plain()) {
            IntVect<D> cell;
            int comp = 0;
            const double number = PyFloat_AS_DOUBLE(value);
            if (body->dtype == &dtype_of<double> && plain_cell(*body, key, cell, comp) &&
                write_element(*body, cell, comp, &number)) {
                return 0;
            }
        }
        if (const FabBody<D>* body = fab.body().get();
            body != nullptr && body->dtype == &dtype_of<int> && PyLong_CheckExact(value) && body->space().is_plain()) {
            IntVect<D> cell;
            int comp = 0;
            int overflow = 0;
            const long number = PyLong_AsLongAndOverflow(value, &overflow);
            const int whole = static_cast<int>(number);
            if (overflow == 0 && whole == number && plain_cell(*body, key, cell, comp) &&
                write_element(*body, cell, comp, &whole)) {
                return 0;
            }
        }
        const Lease<D> lease = fab.lease();
        write_selected(lease, key, value);
        return 0;
    } catch (...) {
        set_python_error();
        return -1;
    }
}

template PyObject* read_global<1>(const FabArrayBase<1>&, PyObject*) noexcept;
template PyObject* read_global<2>(const FabArrayBase<2>&, PyObject*) noexcept;
template PyObject* read_global<3>(const FabArrayBase<3>&, PyObject*) noexcept;
template int write_global<1>(const FabArrayBase<1>&, PyObject*, PyObject*) noexcept;
template int write_global<2>(const FabArrayBase<2>&, PyObject*, PyObject*) noexcept;
template int write_global<3>(const FabArrayBase<3>&, PyObject*, PyObject*) noexcept;
template <int D, class T, class Multi>
void add_global_index_methods(FabArrayClasses<D, T, Multi> classes) {
    classes.multi
        .def(
            "valid_views", [](const Multi& self, const std::string& order) { return box_views<D>(self, false, order); },
            nb::arg("order") = "F",
            nb::sig("def valid_views(self, order: str = \"F\") -> list[numpy.typing.NDArray[typing.Any]]"),
            "The valid cells of every local box, without ghosts: arrays that show the memory, axes (i, j, k, "
            "component)\n"
            "or with order=\"C\" (component, k, j, i).")
        .def(
            "ghost_views", [](const Multi& self, const std::string& order) { return box_views<D>(self, true, order); },
            nb::arg("order") = "F",
            nb::sig("def ghost_views(self, order: str = \"F\") -> list[numpy.typing.NDArray[typing.Any]]"),
            "The cells of every local box together with its ghosts: arrays that show the memory, as valid_views().");
}

#define ZEROFAB_INSTANTIATE(D)                                                     \
    template void add_global_index_methods(FabArrayClasses<D, Real, MultiFab<D>>); \
    template void add_global_index_methods(FabArrayClasses<D, int, iMultiFab<D>>); \
    template void add_global_index_methods(FabArrayClasses<D, float, fMultiFab<D>>);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
