// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// SmallMatrix_*: small dense matrices whose memory arrays can show.
#include "zerofab/mesh/small_matrix.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <string>
#include <tuple>

#include "base/shown.hpp"
#include "exchange/element.hpp"
#include "exchange/exporter.hpp"
#include "exchange/importer.hpp"
#include "register.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/memory/arena.hpp"

namespace zerofab::python {
namespace {

/// What every matrix class is: memory of its own with a shape known at run time.
class PyMatrix : public Exporter {
public:
    PyMatrix(int rows_, int cols_, const DType& type, const char* name)
        : rows(rows_), cols(cols_), dtype(&type), what(name), memory(The_Cpu_Arena().allocate(bytes())) {
        std::memset(memory->data(), 0, bytes());
    }

    void describe(TensorView& view) const override {
        view.own(memory);
        view.data = memory->data();
        view.dtype = dtype;
        view.axes = 2;
        view.what = what;
        view.shape[0] = rows;
        view.shape[1] = cols;
        view.strides[0] = 1;
        view.strides[1] = rows;
    }
    bool is_fixed() const noexcept override { return true; }

    [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(rows * cols); }
    [[nodiscard]] std::size_t bytes() const noexcept { return size() * dtype->size; }

    int rows;
    int cols;
    const DType* dtype;
    const char* what;
    AllocationPtr memory;
};

template <class T>
constexpr const char* word = std::is_same_v<T, float>    ? "float"
                             : std::is_same_v<T, double> ? "double"
                                                         : "longdouble";

template <class T, int R, int C>
const char* matrix_name() {
    static const std::string name = concat("SmallMatrix_", R, "x", C, "_F_SI1_", word<T>);
    return name.c_str();
}

template <class T, int R, int C>
class MatrixClass final : public PyMatrix {
public:
    using Value = SmallMatrix<T, R, C>;

    MatrixClass() : PyMatrix(R, C, dtype_of<T>, matrix_name<T, R, C>()) {}
    explicit MatrixClass(const Value& value) : MatrixClass() { std::memcpy(memory->data(), &value, sizeof(Value)); }
    MatrixClass(const MatrixClass& other) : MatrixClass(other.value()) {}
    MatrixClass(MatrixClass&&) noexcept = default;  ///< only to return it: what is left has no memory
    MatrixClass& operator=(const MatrixClass&) = delete;
    MatrixClass& operator=(MatrixClass&&) = delete;
    ~MatrixClass() override = default;

    [[nodiscard]] Value& value() const noexcept { return *static_cast<Value*>(memory->data()); }
};

// ---- elements: raw slots

PyObject* index_error = nullptr;  // amrex._core.IndexRangeError, which lives as long as the module

/// The element at an index that counts from 1: (i, j), or n for a row or column; null with an exception set.
void* element(const PyMatrix& m, PyObject* index) {
    Py_ssize_t at[2] = {1, 1};
    PyObject* items[2] = {index, nullptr};
    const bool is_vector = m.rows == 1 || m.cols == 1;
    Py_ssize_t count = 1;
    if (PyTuple_Check(index) != 0 || PyList_Check(index) != 0) {
        count = PySequence_Size(index);
        for (Py_ssize_t n = 0; n < std::min<Py_ssize_t>(count, 2); ++n) {
            items[n] = PySequence_Fast_GET_ITEM(index, n);
        }
    }
    if (count > 2 || count < (is_vector ? 1 : 2)) {
        PyErr_Format(PyExc_TypeError, "a %s is indexed by (row, column), counted from 1, not %s", m.what,
                     Shown(index).text());
        return nullptr;
    }
    for (Py_ssize_t n = 0; n < count; ++n) {
        if (PyIndex_Check(items[n]) == 0) {
            PyErr_Format(PyExc_TypeError, "a %s is indexed by integers, counted from 1, not %s", m.what,
                         Shown(index).text());
            return nullptr;
        }
        at[n] = PyNumber_AsSsize_t(items[n], nullptr);  // clipped: then outside of any matrix
        if (at[n] == -1 && PyErr_Occurred() != nullptr) {
            return nullptr;
        }
    }
    if (count == 1 && m.rows == 1) {
        std::swap(at[0], at[1]);
    }
    if (at[0] < 1 || at[0] > m.rows || at[1] < 1 || at[1] > m.cols) {
        PyErr_Format(index_error, "index %s is outside of this %s: rows 1 to %d, columns 1 to %d", Shown(index).text(),
                     m.what, m.rows, m.cols);
        return nullptr;
    }
    const std::size_t offset = static_cast<std::size_t>((at[0] - 1) + (at[1] - 1) * m.rows);
    return static_cast<char*>(m.memory->data()) + offset * m.dtype->size;
}

PyObject* get_item(PyObject* self, PyObject* index) {
    const auto* m = static_cast<PyMatrix*>(exporter_of(self));
    const void* address = m != nullptr ? element(*m, index) : nullptr;
    return address != nullptr ? element_to_python(address, *m->dtype) : nullptr;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
    const auto* m = static_cast<PyMatrix*>(exporter_of(self));
    if (m == nullptr) {
        return -1;
    }
    if (value == nullptr) {
        PyErr_Format(PyExc_TypeError, "elements of a %s cannot be deleted", m->what);
        return -1;
    }
    void* address = element(*m, index);
    return address != nullptr ? element_from_python(address, *m->dtype, value) : -1;
}

PyType_Slot slots[] = {{Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                       {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)},
                       {0, nullptr}};

// ---- construction and text

/// Elements of an array or nested sequence, in the order that they have in memory.
void fill(PyMatrix& m, nb::handle array) {
    const TensorView source = import_or_copy(array, *m.dtype, true);
    const bool is_vector = m.rows == 1 || m.cols == 1;
    if (source.axes != 2 && !(is_vector && source.axes == 1)) {
        throw ValueError(
            concat("a ", m.what, " needs an array with ", is_vector ? "1 or 2 axes" : "2 axes", ", not ", source.axes));
    }
    if (source.size() != static_cast<std::int64_t>(m.size())) {
        throw ValueError(concat("a ", m.what, " needs ", m.size(), " elements, not ", source.size()));
    }
    std::memcpy(m.memory->data(), copied(source).data, m.bytes());
}

std::string repr(const PyMatrix& m) {
    std::string text = std::string(m.what) + "([";
    for (int i = 0; i < m.rows; ++i) {
        text += i > 0 ? ", [" : "[";
        for (int j = 0; j < m.cols; ++j) {
            const char* address =
                static_cast<const char*>(m.memory->data()) + static_cast<std::size_t>(i + j * m.rows) * m.dtype->size;
            const nb::object number = nb::steal(element_to_python(address, *m.dtype));
            text += (j > 0 ? ", " : "") + std::string(nb::repr(number).c_str());
        }
        text += "]";
    }
    return text + "])";
}

void register_base(nb::module_& m) {
    index_error = nb::object(m.attr("IndexRangeError")).release().ptr();
    nb::class_<PyMatrix, Exporter> cls(
        m, "SmallMatrix", nb::type_slots(slots),
        "Base of the small matrices: m[i, j] is the element in row i and column j, counted from 1.\n\n"
        "    m = amr.SmallMatrix_6x6_F_SI1_double.identity()\n"
        "    x = m.to_numpy()      # the same memory: x[i, j] is m[i + 1, j + 1]\n\n"
        "The memory is column-major; as an array it has the shape (rows, columns) in every order.");
    cls.def_prop_ro("size", &PyMatrix::size, "Number of elements.")
        .def_prop_ro(
            "row_size", [](const PyMatrix& a) { return a.rows; }, "Number of rows.")
        .def_prop_ro(
            "column_size", [](const PyMatrix& a) { return a.cols; }, "Number of columns.")
        .def_prop_ro(
            "order", [](const PyMatrix&) { return "F"; }, "Order of the memory: column by column.")
        .def_prop_ro(
            "starting_index", [](const PyMatrix&) { return 1; }, "The first row and column.")
        .def("__repr__", &repr);
}

// ---- one class

using Shapes =
    std::tuple<SmallMatrix<int, 6, 6>, SmallMatrix<int, 6, 1>, SmallMatrix<int, 1, 6>, SmallMatrix<int, 3, 1>,
               SmallMatrix<int, 1, 3>, SmallMatrix<int, 3, 6>, SmallMatrix<int, 6, 3>>;

template <int R, int C>
constexpr bool is_shape =
    (R == 6 && (C == 6 || C == 1 || C == 3)) || (R == 1 && (C == 6 || C == 3)) || (R == 3 && (C == 1 || C == 6));

template <class T, int R, int C>
void register_one(nb::module_& m) {
    using Class = MatrixClass<T, R, C>;
    nb::class_<Class, PyMatrix> cls(m, matrix_name<T, R, C>(), "A matrix with elements of one type.");
    cls.def(nb::init<>(), "All elements zero.")
        .def(nb::init<const Class&>(), nb::arg("other"), "A copy.")
        .def(
            "__init__",
            [](Class* self, nb::handle array) {
                Class fresh;
                fill(fresh, array);
                new (self) Class(std::move(fresh));
            },
            nb::arg("array"), nb::sig("def __init__(self, array: numpy.typing.ArrayLike) -> None"),
            "The elements of an array or of nested lists, in the order that they have in memory, column after "
            "column.\n\n"
            "The first R numbers are the first column. ValueError for another number of elements.")
        .def_static(
            "zero", [] { return Class(); }, "All elements zero.")
        .def(
            "set_val",
            [](nb::object self, double value) {
                nb::cast<Class&>(self).value().set_val(static_cast<T>(value));
                return self;
            },
            nb::arg("value"), nb::sig("def set_val(self, value: float) -> typing.Self"),
            "Set all elements to one value; returns the matrix itself.")
        .def(
            "sum", [](const Class& a) { return double(a.value().sum()); }, "Sum of all elements.")
        .def(
            "prod", [](const Class& a) { return double(a.value().prod()); }, "Product of all elements.")
        .def(
            "dot", [](const Class& a, const Class& b) { return double(a.value().dot(b.value())); }, nb::arg("other"),
            "Sum of the products of elements at the same indices.")
        .def(
            "__add__", [](const Class& a, const Class& b) { return Class(a.value() + b.value()); }, nb::is_operator(),
            nb::arg("other"))
        .def(
            "__sub__", [](const Class& a, const Class& b) { return Class(a.value() - b.value()); }, nb::is_operator(),
            nb::arg("other"))
        .def("__neg__", [](const Class& a) { return Class(-a.value()); })
        .def(
            "__mul__", [](const Class& a, double factor) { return Class(a.value() * static_cast<T>(factor)); },
            nb::is_operator(), nb::arg("other"), "With a number or a matrix.")
        .def(
            "__rmul__", [](const Class& a, double factor) { return Class(a.value() * static_cast<T>(factor)); },
            nb::is_operator(), nb::arg("other"))
        .def(
            "__reduce__",
            [](nb::object self) {
                TensorView view;
                nb::cast<Class&>(self).describe(view);
                return nb::make_tuple(self.type(), nb::make_tuple(to_ndarray(view, true, false)));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickled and copied by value.");
    if constexpr (R == C) {
        cls.def_static(
               "identity", [] { return Class(Class::Value::identity()); }, "The identity.")
            .def(
                "trace", [](const Class& a) { return double(a.value().trace()); }, "Sum of the diagonal.")
            .def(
                "transpose_in_place",
                [](nb::object self) {
                    nb::cast<Class&>(self).value().transpose_in_place();
                    return self;
                },
                nb::sig("def transpose_in_place(self) -> typing.Self"),
                "Swap rows and columns in place; returns the matrix itself.");
    }
}

/// The products a * b, and the transpose, when all classes are there.
template <class T, int R, int K, int C>
void register_product(nb::module_& m) {
    if constexpr (is_shape<R, C>) {
        auto cls = nb::borrow<nb::class_<MatrixClass<T, R, K>>>(m.attr(matrix_name<T, R, K>()));
        cls.def(
            "__mul__",
            [](const MatrixClass<T, R, K>& a, const MatrixClass<T, K, C>& b) {
                return MatrixClass<T, R, C>(a.value() * b.value());
            },
            nb::is_operator(), nb::arg("other"));
    }
}

template <class T, int R, int K, int... Rows, int... Cols>
void register_products(nb::module_& m, std::tuple<SmallMatrix<int, Rows, Cols>...>*) {
    const auto one = [&m]<int Row, int Col>() {
        if constexpr (Row == K) {
            register_product<T, R, K, Col>(m);
        }
    };
    (one.template operator()<Rows, Cols>(), ...);
    auto cls = nb::borrow<nb::class_<MatrixClass<T, R, K>>>(m.attr(matrix_name<T, R, K>()));
    cls.def_prop_ro(
        "T", [](const MatrixClass<T, R, K>& a) { return MatrixClass<T, K, R>(a.value().transposed()); },
        "The transpose, a copy.");
}

template <class T, int... Rows, int... Cols>
void register_type(nb::module_& m, std::tuple<SmallMatrix<int, Rows, Cols>...>* shapes) {
    (register_one<T, Rows, Cols>(m), ...);
    (register_products<T, Rows, Cols>(m, shapes), ...);
}

}  // namespace

void register_small_matrix(nb::module_& m) {
    register_base(m);
    register_type<float>(m, static_cast<Shapes*>(nullptr));
    register_type<double>(m, static_cast<Shapes*>(nullptr));
    register_type<long double>(m, static_cast<Shapes*>(nullptr));
}

}  // namespace zerofab::python
