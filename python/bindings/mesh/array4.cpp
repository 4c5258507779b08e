// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/array4.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "base/binding.hpp"
#include "base/errors.hpp"
#include "base/own_methods.hpp"
#include "base/shown.hpp"
#include "exchange/element.hpp"
#include "exchange/importer.hpp"
#include "exchange/table.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/index/dim3.hpp"
#include "zerofab/index/int_vect.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::python {
namespace {

// Static class names: views and messages point at them.
// clang-format off
template <class T> constexpr const char* plain_name = nullptr;
template <> constexpr const char* plain_name<float> = "Array4_float";
template <> constexpr const char* plain_name<double> = "Array4_double";
template <> constexpr const char* plain_name<long double> = "Array4_longdouble";
template <> constexpr const char* plain_name<std::complex<float>> = "Array4_cfloat";
template <> constexpr const char* plain_name<std::complex<double>> = "Array4_cdouble";
template <> constexpr const char* plain_name<short> = "Array4_short";
template <> constexpr const char* plain_name<int> = "Array4_int";
template <> constexpr const char* plain_name<long> = "Array4_long";
template <> constexpr const char* plain_name<long long> = "Array4_longlong";
template <> constexpr const char* plain_name<unsigned short> = "Array4_ushort";
template <> constexpr const char* plain_name<unsigned int> = "Array4_uint";
template <> constexpr const char* plain_name<unsigned long> = "Array4_ulong";
template <> constexpr const char* plain_name<unsigned long long> = "Array4_ulonglong";
// clang-format on

PyTypeObject* base_type = nullptr;
template <class T>
PyObject* array4_type = nullptr;

/// Show the memory of a view with 3 axes (k, j, i) or 4 axes (n, k, j, i); indices begin at 0.
void show(PyArray4& array, TensorView& view) {
    if (view.axes != 3 && view.axes != 4) {
        throw ValueError(concat(
            array.what, " needs an array with 3 axes (k, j, i) or 4 axes (component, k, j, i), not ", view.axes));
    }
    if (!same_elements(*view.dtype, *array.dtype)) {
        throw TypeError(concat(array.what, " holds elements of type ", array.dtype->name, ", not ", view.dtype->name,
                               ": convert first, e.g. with astype()"));
    }
    if (view.read_only && !array.read_only) {
        throw BufferError(
            concat(array.what, " would write to read-only memory: use ", array.what, "_const, or pass a copy"));
    }
    const auto first = static_cast<std::size_t>(view.axes - 3);
    for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t extent = view.shape[first + 2 - d];
        if (extent > std::numeric_limits<int>::max()) {
            throw ValueError(concat("an Array4 cannot have ", extent, " cells in one direction"));
        }
        array.size[d] = static_cast<int>(extent);
        array.strides[d] = view.strides[first + 2 - d];
    }
    const std::int64_t components = view.axes == 4 ? view.shape[0] : 1;
    if (components > std::numeric_limits<int>::max()) {
        throw ValueError(concat("an Array4 cannot have ", components, " components"));
    }
    array.ncomp = static_cast<int>(components);
    array.strides[3] = view.axes == 4 ? view.strides[0] : view.shape[0] * view.strides[0];
    array.data = view.data;
    array.owner = std::move(view.owner);
    array.lo = {};
}

/// Components [first, first + count) of another Array4; count < 0: all that follow.
void show_components(PyArray4& array, const PyArray4& from, int first, int count) {
    if (!same_elements(*from.dtype, *array.dtype) || (from.read_only && !array.read_only)) {
        throw TypeError(concat("cannot make a ", array.what, " from a ", from.what));
    }
    if (first < 0 || first > from.ncomp || count > from.ncomp - first) {
        throw IndexError(concat("components ", first, " to ", first + std::max(count, 1) - 1, " are not within the ",
                                from.ncomp, " components of this ", from.what));
    }
    array.ncomp = count < 0 ? from.ncomp - first : count;
    array.owner = from.owner;
    array.lo = from.lo;
    array.size = from.size;
    array.space = from.space;
    array.strides = from.strides;
    const auto offset = first * from.strides[3] * static_cast<std::int64_t>(from.dtype->size);
    array.data = from.data != nullptr && array.ncomp > 0 ? static_cast<char*>(from.data) + offset : nullptr;
}

// ---- indexing: raw slots, for a[i, j, k] is counted in nanoseconds

PyObject* raise_type(const char* text, PyObject* object) {
    PyErr_Format(PyExc_TypeError, "%s, not %s", text, Shown(object).text());
    return nullptr;
}

template <int D>
bool from_int_vect(nb::handle index, Py_ssize_t* at) {
    IntVect<D> point;
    if (!nb::try_cast(index, point)) {
        return false;
    }
    for (int d = 0; d < D; ++d) {
        at[d] = point[d];
    }
    return true;
}

/// i, j, k, n from an index object; false with an exception set.
bool read_index(PyObject* index, Py_ssize_t (&at)[4]) {
    PyObject* const* items = nullptr;
    Py_ssize_t count = 0;
    nb::object held;
    if (PyTuple_CheckExact(index)) {
        count = PyTuple_GET_SIZE(index);
        items = &PyTuple_GET_ITEM(index, 0);
    } else if (from_int_vect<3>(index, at) || from_int_vect<2>(index, at) || from_int_vect<1>(index, at)) {
        return true;
    } else if ((PyList_Check(index) || PyTuple_Check(index))) {
        held = nb::steal(PySequence_Tuple(index));  // of our own: an element's __index__ may change the list
        if (!held.is_valid()) {
            return false;
        }
        count = PyTuple_GET_SIZE(held.ptr());
        items = &PyTuple_GET_ITEM(held.ptr(), 0);
    }
    if (count != 3 && count != 4) {
        raise_type("an Array4 is indexed by (i, j, k), (i, j, k, component) or an IntVect", index);
        return false;
    }
    for (Py_ssize_t n = 0; n < count; ++n) {
        at[n] =
            PyLong_CheckExact(items[n]) ? PyLong_AsSsize_t(items[n]) : PyNumber_AsSsize_t(items[n], PyExc_IndexError);
        if (at[n] == -1 && PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0) {
                PyErr_Clear();
                PyErr_Format(PyExc_IndexError, "index %s is outside of any Array4", Shown(index).text());
            }
            return false;
        }
    }
    return true;
}

/// The element, or null with IndexError set.
void* element(const PyArray4& array, PyObject* index) {
    Py_ssize_t at[4] = {0, 0, 0, 0};
    if (!read_index(index, at)) {
        return nullptr;
    }
    std::int64_t offset = 0;
    bool inside = static_cast<std::size_t>(at[3]) < static_cast<std::size_t>(array.ncomp);
    for (std::size_t d = 0; d < 3; ++d) {
        const auto from_lo = at[d] - array.lo[d];
        inside = inside && static_cast<std::size_t>(from_lo) < static_cast<std::size_t>(array.size[d]);
        offset += from_lo * array.strides[d];
    }
    if (!inside) {
        PyErr_Format(
            PyExc_IndexError,
            "index (%zd, %zd, %zd, %zd) is outside of this %s: i %d to %d, j %d to %d, k %d to %d, %d components",
            at[0], at[1], at[2], at[3], array.what, array.lo[0], array.lo[0] + array.size[0] - 1, array.lo[1],
            array.lo[1] + array.size[1] - 1, array.lo[2], array.lo[2] + array.size[2] - 1, array.ncomp);
        return nullptr;
    }
    if (array.owner && !array.owner->space().is_plain()) {
        try {
            ready_for_host(array.owner->space(), array.what);
        } catch (...) {
            set_python_error();
            return nullptr;
        }
    }
    offset += at[3] * array.strides[3];
    return static_cast<char*>(array.data) + offset * static_cast<std::int64_t>(array.dtype->size);
}

PyObject* get_item(PyObject* self, PyObject* index) {
    auto* array = static_cast<PyArray4*>(exporter_of(self));
    const void* address = array != nullptr ? element(*array, index) : nullptr;
    return address != nullptr ? element_to_python(address, *array->dtype) : nullptr;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
    auto* array = static_cast<PyArray4*>(exporter_of(self));
    if (array == nullptr) {
        return -1;
    }
    if (value == nullptr || array->read_only) {
        PyErr_Format(PyExc_TypeError,
                     value == nullptr ? "elements of a %s cannot be deleted"
                                      : "a %s is read-only: its elements cannot be assigned",
                     array->what);
        return -1;
    }
    void* address = element(*array, index);
    return address != nullptr ? element_from_python(address, *array->dtype, value) : -1;
}

PyType_Slot slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                       {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                       {0, nullptr}};

std::int64_t elements(const PyArray4& array) {
    return std::int64_t{array.size[0]} * array.size[1] * array.size[2] * array.ncomp;
}

std::string repr(const PyArray4& array) {
    std::string text = concat("<", array.what, " of ", array.dtype->name);
    constexpr const char* letters = "ijk";
    for (std::size_t d = 0; d < 3; ++d) {
        text += concat(d == 0 ? ", " : " x ", letters[d], " ", array.lo[d], "..", array.lo[d] + array.size[d] - 1);
    }
    return concat(text, ", ", array.ncomp, array.ncomp == 1 ? " component>" : " components>");
}

template <int D>
Box<D> box_of(const PyArray4& array) {
    IntVect<D> lo, hi;
    IndexType<D> type;
    for (int d = 0; d < D; ++d) {
        const auto s = static_cast<std::size_t>(d);
        lo[d] = array.lo[s];
        hi[d] = array.lo[s] + array.size[s] - 1;
        if ((array.space.nodal >> d & 1) != 0) type.set(d);
    }
    return Box<D>(lo, hi, type);
}

/// get(box) of the array's box, as an object of its space.
template <class Get>
nb::object of_space(const PyArray4& array, Get get) {
    nb::module_::import_((concat("amrex.space", array.space.dim, "d")).c_str());
    switch (array.space.dim) {
        case 1:
            return nb::cast(get(box_of<1>(array)));
        case 2:
            return nb::cast(get(box_of<2>(array)));
        default:
            return nb::cast(get(box_of<3>(array)));
    }
}

nb::object host_copy(const PyArray4& array) {
    TensorView view;
    array.describe(view);
    return to_ndarray(view, true, false);
}

void register_base(nb::module_& m) {
    nb::class_<PyArray4, Exporter> base(
        m, "Array4", nb::type_slots(slots),
        "Base of the Array4 classes: the memory of a fab, indexed in its box's own index space.\n\n"
        "a[i, j, k] and a[i, j, k, n] use global indices, ghosts included; directions that do not\n"
        "exist have the index 0. As an array it has the shape (component, k, j, i); to_numpy()\n"
        "gives (i, j, k, component). It owns a share of the memory and outlives its fab.");
    base_type = reinterpret_cast<PyTypeObject*>(base.ptr());
    base.def_prop_ro("size", &elements, "Number of elements: cells times components.")
        .def_prop_ro(
            "nComp", [](const PyArray4& array) { return array.ncomp; }, "Number of components.")
        .def_prop_ro(
            "num_comp", [](const PyArray4& array) { return array.ncomp; }, "Number of components.")
        .def_prop_ro(
            "begin",
            [](const PyArray4& array) { return of_space(array, [](const auto& box) { return box.small_end(); }); },
            nb::sig("def begin(self, /) -> typing.Any"),
            "The first index, an IntVect of the space of its fab: ghosts included, as to_numpy()[0, 0, 0] is.")
        .def_prop_ro(
            "end",
            [](const PyArray4& array) {
                return of_space(array, [](const auto& box) { return box.small_end() + box.length(); });
            },
            nb::sig("def end(self, /) -> typing.Any"), "One past the last index in each direction, an IntVect.")
        .def_prop_ro(
            "box", [](const PyArray4& array) { return of_space(array, [](const auto& box) { return box; }); },
            nb::sig("def box(self, /) -> typing.Any"),
            "The Box that it covers, ghosts included, of the space and type of its fab; of a foreign array cells in "
            "3D.")
        .def("to_host", &host_copy, nb::sig("def to_host(self) -> numpy.typing.NDArray[typing.Any]"),
             "An isolated NumPy copy with the axes (component, k, j, i).")
        .def("__repr__", &repr);
    const auto contains = [](const PyArray4& array, int i, int j, int k) {
        const std::array<int, 3> at{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) {
            if (at[d] < array.lo[d] || at[d] - array.lo[d] >= array.size[d]) {
                return false;
            }
        }
        return true;
    };
    base.def("contains", contains, nb::arg("i"), nb::arg("j"), nb::arg("k"), "Whether the cell (i, j, k) is inside.")
        .def(
            "contains",
            [contains](const PyArray4& array, const IntVect<3>& iv) { return contains(array, iv[0], iv[1], iv[2]); },
            nb::arg("iv"), "Whether the cell is inside.")
        .def(
            "contains",
            [contains](const PyArray4& array, const IntVect<2>& iv) { return contains(array, iv[0], iv[1], 0); },
            nb::arg("iv"))
        .def(
            "contains",
            [contains](const PyArray4& array, const IntVect<1>& iv) { return contains(array, iv[0], 0, 0); },
            nb::arg("iv"))
        .def(
            "contains",
            [contains](const PyArray4& array, const Dim3& cell) { return contains(array, cell.x, cell.y, cell.z); },
            nb::arg("cell"));
}

template <class T>
void register_one(nb::module_& m) {
    using Class = TypedArray4<T>;
    nb::class_<Class, PyArray4> cls(m, array4_name<T>(), "An Array4 with elements of one type.");
    array4_type<T> = cls.ptr();
    own_exports(cls);
    cls.def(nb::init<>(), "An empty Array4.");
    cls.def(
        "__init__",
        [](Class* self, const PyArray4& other, int start_comp, int num_comps) {
            auto fresh = Class();
            show_components(fresh, other, start_comp, num_comps);
            new (self) Class(std::move(fresh));
        },
        nb::arg("array"), nb::arg("start_comp") = 0, nb::arg("num_comps") = -1,
        "The same memory, or some of its components; num_comps < 0: all from start_comp on.");
    cls.def(
        "__init__",
        [](Class* self, nb::object array) {
            TensorView view = import_view(array);
            auto fresh = Class();
            show(fresh, view);
            new (self) Class(std::move(fresh));
        },
        nb::arg("array"), nb::sig("def __init__(self, array: typing.Any, /) -> None"),
        "The memory of an array with the axes (k, j, i) or (component, k, j, i), in place.\n\n"
        "Takes any producer: NumPy, DLPack, array interface, buffer; any strides. The memory lives as long as the "
        "Array4.\n"
        "TypeError for another element type or no producer, ValueError for another number of axes, BufferError for\n"
        "read-only memory (use the _const class).");
}

template <class... T>
void register_all(nb::module_& m, std::tuple<T...>*) {
    (register_one<T>(m), ...);
    (register_one<const T>(m), ...);
}

template <class T>
bool make_if_same(const DType& dtype, bool read_only, TensorView& view, nb::object& made) {
    if (read_only != std::is_const_v<T> || !same_elements(dtype, dtype_of<std::remove_const_t<T>>)) {
        return false;
    }
    auto fresh = TypedArray4<T>();
    show(fresh, view);
    made = nb::cast(std::move(fresh));
    return true;
}

template <class... T>
nb::object make_typed(TensorView& view, std::tuple<T...>*) {
    nb::object made;
    const DType& dtype = *view.dtype;
    const bool read_only = view.read_only;
    (void)((make_if_same<T>(dtype, read_only, view, made) || make_if_same<const T>(dtype, read_only, view, made)) ||
           ...);
    return made;
}

/// An Array4 that shows the view, moved from; invalid if its axes are not 3 or 4 or its type has no class.
nb::object from_view(TensorView& view) {
    return view.axes == 3 || view.axes == 4 ? make_typed(view, static_cast<Array4Types*>(nullptr)) : nb::object();
}

}  // namespace

void PyArray4::describe(TensorView& view) const {
    view.own(owner);
    view.data = data;
    view.dtype = dtype;
    view.axes = 4;
    view.read_only = read_only;
    view.what = what;
    view.shape[0] = ncomp;
    view.shape[1] = size[2];
    view.shape[2] = size[1];
    view.shape[3] = size[0];
    view.strides[0] = strides[3];
    view.strides[1] = strides[2];
    view.strides[2] = strides[1];
    view.strides[3] = strides[0];
}

template <class T>
const char* array4_name() noexcept {
    if constexpr (std::is_const_v<T>) {
        static const std::string name = std::string(plain_name<std::remove_const_t<T>>) + "_const";
        return name.c_str();
    } else {
        return plain_name<T>;
    }
}

template <class T>
TypedArray4<T>::TypedArray4() noexcept {
    dtype = &dtype_of<std::remove_const_t<T>>;
    what = array4_name<T>();
    read_only = std::is_const_v<T>;
}

template <class T>
TypedArray4<T>::TypedArray4(const Array4<T>& array, const AllocationPtr& memory, ArraySpace space_) noexcept
    : TypedArray4() {
    space = space_;
    owner = memory;
    data = const_cast<std::remove_const_t<T>*>(array.data);
    lo = array.lo;
    size = array.size;
    ncomp = array.ncomp;
    strides = {1, array.jstride, array.kstride, array.nstride};
}

template <class T>
PyObject* new_array4(const Array4<T>& array, const AllocationPtr& memory, ArraySpace space) noexcept {
    PyObject* object = nb::inst_alloc(array4_type<T>).release().ptr();
    if (object != nullptr) {
        new (nb::inst_ptr<void>(object)) TypedArray4<T>(array, memory, space);
        nb::inst_mark_ready(object);
    }
    return object;
}

PyArray4* array4_if(PyObject* object) noexcept {
    return PyObject_TypeCheck(object, base_type) && nb::inst_ready(object) ? nb::inst_ptr<PyArray4>(object) : nullptr;
}

void register_array4(nb::module_& m) {
    register_base(m);
    register_all(m, static_cast<Array4Types*>(nullptr));
    set_array_maker(from_view);
}

// The bounds of an Array4 are three-dimensional in every space.
void register_array4_space(nb::module_& space) {
    const auto high = [](const PyArray4& a) {
        return Dim3{a.lo[0] + a.size[0] - 1, a.lo[1] + a.size[1] - 1, a.lo[2] + a.size[2] - 1};
    };
    space.def(
             "lbound", [](const PyArray4& a) { return Dim3{a.lo[0], a.lo[1], a.lo[2]}; }, nb::arg("array"))
        .def("ubound", high, nb::arg("array"))
        .def("length", [](const PyArray4& a) { return Dim3{a.size[0], a.size[1], a.size[2]}; }, nb::arg("array"));
}

template PyObject* new_array4(const Array4<double>&, const AllocationPtr&, ArraySpace) noexcept;
template PyObject* new_array4(const Array4<const double>&, const AllocationPtr&, ArraySpace) noexcept;
template PyObject* new_array4(const Array4<float>&, const AllocationPtr&, ArraySpace) noexcept;
template PyObject* new_array4(const Array4<const float>&, const AllocationPtr&, ArraySpace) noexcept;
template PyObject* new_array4(const Array4<int>&, const AllocationPtr&, ArraySpace) noexcept;
template PyObject* new_array4(const Array4<const int>&, const AllocationPtr&, ArraySpace) noexcept;

}  // namespace zerofab::python
