// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// PODVector_*: growing vectors of plain numbers in memory of an arena.
#include "memory/pod_vector.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "base/binding.hpp"
#include "base/own_methods.hpp"
#include "base/without_gil.hpp"
#include "exchange/importer.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::python {
namespace {

PyType_Slot slots[] = {{Py_sq_length, reinterpret_cast<void*>(vector_length)},
                       {Py_mp_length, reinterpret_cast<void*>(vector_length)},
                       {Py_sq_item, reinterpret_cast<void*>(vector_item)},
                       {Py_mp_subscript, reinterpret_cast<void*>(vector_subscript)},
                       {Py_mp_ass_subscript, reinterpret_cast<void*>(vector_assign)},
                       {0, nullptr}};

template <class T>
constexpr const char* word = std::is_same_v<T, double> ? "real"
                             : std::is_same_v<T, int>  ? "int"
                                                       : "uint64";

/// A new, empty object of the class.
nb::object made_by(nb::handle cls) { return cls(); }

AnyVector& vector_in(nb::handle object) {
    AnyVector* vector = vector_of(object.ptr());
    if (vector == nullptr) {
        throw nb::python_error();
    }
    return *vector;
}

/// Why this memory cannot be a vector in place; empty if it can.
std::string why_not_in_place(const TensorView& view, const DType& dtype) {
    if (!same_elements(*view.dtype, dtype)) {
        return concat("its elements are of type ", view.dtype->name, ", not ", dtype.name);
    }
    if (view.shape[0] > 1 && view.strides[0] != 1) {
        return "its elements do not lie side by side";
    }
    return view.read_only ? "it is read-only" : "";
}

/// Show the memory of `source` in place if it can be; false, or BufferError if `must`, if it cannot.
bool adopt(AnyVector& vector, nb::handle source, bool must) {
    std::string why;
    TensorView view;
    try {
        view = import_view(source);
        if (view.axes == 1) {
            why = why_not_in_place(view, vector.dtype());
        } else {
            why = concat("it has ", view.axes, " axes");
        }
    } catch (const TypeError& error) {  // a list: no memory to show
        why = error.what();
    } catch (const BufferError& error) {  // memory that cannot be described
        why = error.what();
    }
    if (why.empty()) {
        if (view.data != nullptr) {
            vector.adopt(std::move(view.owner), view.data, static_cast<std::size_t>(view.shape[0]));
        }
        return true;
    }
    if (must) {
        throw BufferError(
            concat("this object cannot be a ", vector.what(), " without a copy (", why, "): use copy=True"));
    }
    return false;
}

nb::object from_array(nb::handle cls, nb::handle arr, nb::handle copy) {
    nb::object result = made_by(cls);
    AnyVector& vector = vector_in(result);
    if (!copy.is_none() && !PyBool_Check(copy.ptr())) {
        throw TypeError("copy must be True, False or None");
    }
    const bool never = copy.ptr() == Py_False;
    if (arr.is_none() || copy.ptr() == Py_True || !adopt(vector, arr, never)) {
        const TensorView view = import_vector(arr, vector.dtype());
        const auto count = static_cast<std::size_t>(view.shape[0]);
        const bool plain = view.strides[0] == 1 && view.space().is_plain() && vector.arena().space().is_plain();
        if (plain) {                                                    // without zeros first
            const WithoutGilFor released(count * vector.dtype().size);  // nobody else knows the vector yet
            vector.reserve(count, GrowthStrategy::Exact);
            vector.splice(0, 0, view.data, count);
        } else {
            vector.resize(count, nullptr, GrowthStrategy::Exact);
            copy_into(vector, view, 0);
        }
    }
    return result;
}

void copy_from(PyPODVector& vector, nb::handle arr, Py_ssize_t offset) {
    copy_into(vector, import_vector(arr, vector.dtype()), offset);
}

/// A class method written in C++.
template <class F>
void def_class_method(nb::handle cls, const char* name, F function, const char* signature, const char* doc,
                      auto... arguments) {
    const nb::object plain =
        nb::cpp_function(function, nb::name(name), nb::arg("cls"), arguments..., nb::sig(signature), doc);
    cls.attr(name) = nb::steal(PyClassMethod_New(plain.ptr()));
}

void register_growth(nb::module_& m) {
    nb::enum_<GrowthStrategy>(m, "GrowthStrategy", "How a vector grows that has no room left.")
        .value("Poisson", GrowthStrategy::Poisson, "By the square root of the size more than needed.")
        .value("Exact", GrowthStrategy::Exact, "To just what is needed.")
        .value("Geometric", GrowthStrategy::Geometric, "By half of the capacity.");
}

void register_base(nb::module_& m) {
    nb::class_<PyPODVector, Exporter> cls(
        m, "PODVector",
        "Base of the PODVector classes: a growing vector of plain numbers in memory of an arena.\n\n"
        "    v = amr.PODVector_real_std.from_array([1.0, 2.0])\n"
        "    x = v.to_numpy()      # the same memory\n"
        "    v.push_back(3.0)      # v moves to new memory, x keeps the old\n\n"
        "What changes its size never changes what a view shows; new elements are zero.");
    cls.def("size", &AnyVector::size, "Number of elements.")
        .def("capacity", &AnyVector::capacity, "Number of elements for which memory is held.")
        .def(
            "empty", [](const PyPODVector& v) { return v.size() == 0; }, "Whether there are no elements.")
        .def("__repr__", [](const PyPODVector& v) { return vector_repr(v); })
        .def_prop_ro(
            "arena", [](const PyPODVector& v) -> Arena& { return v.arena(); }, nb::rv_policy::reference,
            "Where new memory of this vector comes from.")
        .def(
            "clear", [](PyPODVector& v) { v.clear(); }, "Remove all elements.")
        .def(
            "shrink_to_fit", [](PyPODVector& v) { v.shrink_to_fit(); }, "Give up memory that no element uses.")
        .def(
            "pop_back", [](PyPODVector& v) { v.pop_back(); }, "Remove the last element; IndexError if there is none.")
        .def(
            "reserve",
            [](PyPODVector& v, nb::handle capacity, GrowthStrategy strategy) {
                v.reserve(checked_count(capacity, "a capacity"), strategy);
            },
            nb::arg("capacity"), nb::arg("strategy") = GrowthStrategy::Poisson,
            nb::sig("def reserve(self, capacity: int, strategy: GrowthStrategy = GrowthStrategy.Poisson) -> None"),
            "Hold memory for at least so many elements.")
        .def(
            "copy_from", &copy_from, nb::arg("arr").none(), nb::arg("offset") = 0,
            nb::sig("def copy_from(self, arr: object, offset: int = 0) -> None"),
            "Overwrite elements, from position `offset` on, with those of any array or sequence.\n\n"
            "Elements are converted. IndexError if they do not fit, ValueError unless there is one axis; then nothing\n"
            "is written.")
        .def("copy_from_numpy", &copy_from, nb::arg("arr").none(), nb::arg("offset") = 0,
             nb::sig("def copy_from_numpy(self, arr: numpy.typing.ArrayLike, offset: int = 0) -> None"),
             "The same as copy_from.")
        .def(
            "__reduce__",
            [](nb::object self) {
                TensorView view;
                vector_in(self).describe(view);
                return nb::make_tuple(self.type().attr("from_array"), nb::make_tuple(to_ndarray(view, true, false)));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickled and copied by value.");

    const auto without_copy = [](nb::handle cls_, nb::handle arr) { return from_array(cls_, arr, nb::bool_(true)); };
    def_class_method(
        cls, "from_array", from_array, "def from_array(cls, arr: object, copy: bool | None = True) -> typing.Self",
        "A vector with the elements of any array or sequence with one axis.\n\n"
        "copy=True: an isolated, converted copy. copy=False: the memory itself, in place, until the vector\n"
        "changes its size; BufferError if it is read-only, strided or of another element type. None: in\n"
        "place if possible.",
        nb::arg("arr").none(), nb::arg("copy").none() = true);
    def_class_method(cls, "from_numpy", without_copy, "def from_numpy(cls, arr: numpy.typing.ArrayLike) -> typing.Self",
                     "A vector with a copy of the elements of a NumPy array.", nb::arg("arr"));
    def_class_method(cls, "from_xp", without_copy, "def from_xp(cls, arr: typing.Any) -> typing.Self",
                     "A vector with a copy of the elements of an array of amr.xp.", nb::arg("arr"));
    def_class_method(cls, "from_cupy", without_copy, "def from_cupy(cls, arr: typing.Any) -> typing.Self",
                     "A vector with a copy of the elements of a CuPy array.", nb::arg("arr"));
    def_class_method(cls, "from_dpnp", without_copy, "def from_dpnp(cls, arr: typing.Any) -> typing.Self",
                     "A vector with a copy of the elements of a dpnp array.", nb::arg("arr"));
}

/// A copy in memory of this arena; other threads may change the vector meanwhile.
template <class T>
std::shared_ptr<PODVector<T>> copy_in(Arena& arena, const PODVector<T>& from) {
    const AllocationPtr held = from.share();
    const T* const data = from.data();
    const std::size_t size = from.size();
    const MemorySpace memory = from.space();
    const WithoutGilFor released(size * sizeof(T));
    auto copy = std::make_shared<PODVector<T>>(arena);
    copy->assign(data, size, memory);
    return copy;
}

template <class T, VectorMemory P>
nb::object copy_at(const PyPODVectorOf<T>& from) {
    return nb::cast(PODVectorClass<T, P>(copy_in(arena_of(P), from.vector())));
}

/// What depends on the element type.
template <class T>
void register_typed(nb::module_& m) {
    using Class = PyPODVectorOf<T>;
    const std::string name = std::string("PODVector_") + word<T>;
    const std::string number = std::is_same_v<T, double> ? "float" : "int";
    nb::class_<Class, PyPODVector> cls(m, name.c_str(), nb::type_slots(slots),
                                       "Base of the PODVector classes with elements of one type.");
    cls.def(
           "push_back", [](Class& v, nb::handle value) { v.push_back(ElementValue(v.dtype(), value)); },
           nb::arg("value"), nb::sig(("def push_back(self, value: " + number + ") -> None").c_str()),
           "Add an element at the end.")
        .def(
            "assign", [](Class& v, nb::handle value) { v.fill(ElementValue(v.dtype(), value)); }, nb::arg("value"),
            nb::sig(("def assign(self, value: " + number + ") -> None").c_str()), "Set all elements to one value.")
        .def(
            "resize",
            [](Class& v, nb::handle size, GrowthStrategy strategy) {
                v.resize(checked_count(size, "a size"), nullptr, strategy);
            },
            nb::arg("new_size"), nb::arg("strategy") = GrowthStrategy::Poisson,
            nb::sig("def resize(self, new_size: int, strategy: GrowthStrategy = GrowthStrategy.Poisson) -> None"),
            "Change the number of elements; new ones are zero.")
        .def(
            "resize",
            [](Class& v, nb::handle size, nb::handle value, GrowthStrategy strategy) {
                const ElementValue element(v.dtype(), value);
                v.resize(checked_count(size, "a size"), element, strategy);
            },
            nb::arg("new_size"), nb::arg("value"), nb::arg("strategy") = GrowthStrategy::Poisson,
            nb::sig(("def resize(self, new_size: int, value: " + number +
                     ", strategy: GrowthStrategy = GrowthStrategy.Poisson) -> None")
                        .c_str()),
            "Change the number of elements; new ones are `value`.")
        .def(
            "copy_from_podvector",
            [](Class& v, const Class& src, Py_ssize_t offset) {
                TensorView view;
                src.describe(view);
                copy_into(v, view, offset);
            },
            nb::arg("src"), nb::arg("offset") = 0,
            "Overwrite elements, from position `offset` on, with those of another vector of any arena.");
}

template <class T, VectorMemory P>
void register_one(nb::module_& m) {
    using Class = PODVectorClass<T, P>;
    using Typed = PyPODVectorOf<T>;
    constexpr const char* docs[] = {"In plain memory of the host.", "In memory of The_Arena().",
                                    "In page-locked memory of The_Pinned_Arena().", "In memory of The_Managed_Arena().",
                                    "In memory of an arena that is chosen at run time, first The_Arena()."};
    nb::class_<Class, Typed> cls(m, pod_vector_name<T, P>(), docs[static_cast<int>(P)]);
    own_exports(cls);
    if constexpr (P == VectorMemory::polymorphic) {
        cls.def(
            "__init__",
            [](Class* self, const Typed& other, Arena* arena) {
                new (self) Class(copy_in(arena != nullptr ? *arena : other.arena(), other.vector()));
            },
            nb::arg("other"), nb::arg("arena") = nb::none(), "A copy; in the arena of the other if none is given.");
        cls.def(
            "__init__",
            [](Class* self, nb::handle size, Arena* arena) {
                auto& from = arena != nullptr ? *arena : The_Arena();
                new (self) Class(std::make_shared<PODVector<T>>(checked_count(size, "a size"), from));
            },
            nb::arg("size") = 0, nb::arg("arena") = nb::none(),
            nb::sig("def __init__(self, size: int = 0, arena: Arena | None = None) -> None"),
            "So many elements, all zero, in memory of the arena.");
        cls.def(
            "set_arena", [](Class& v, Arena& arena) { v.set_arena(arena); }, nb::arg("arena"),
            "Move to memory of another arena, with the values.");
    } else {
        cls.def(
            "__init__", [](Class* self, const Typed& other) { new (self) Class(copy_in(arena_of(P), other.vector())); },
            nb::arg("other"), "A copy.");
        cls.def(
            "__init__",
            [](Class* self, nb::handle size) {
                new (self) Class(std::make_shared<PODVector<T>>(checked_count(size, "a size"), arena_of(P)));
            },
            nb::arg("size") = 0, nb::sig("def __init__(self, size: int = 0) -> None"), "So many elements, all zero.");
    }
}

/// Methods that return another class, when all classes are there.
template <class T>
void register_moves(nb::module_& m) {
    nb::object typed = m.attr((std::string("PODVector_") + word<T>).c_str());
    auto cls = nb::borrow<nb::class_<PyPODVectorOf<T>>>(typed);
    cls.def("to_host", &copy_at<T, VectorMemory::pinned>,
            nb::sig((std::string("def to_host(self) -> ") + pod_vector_name<T, VectorMemory::pinned>()).c_str()),
            "An isolated copy in page-locked memory of the host.");
    cls.def("to_device", &copy_at<T, VectorMemory::arena>,
            nb::sig((std::string("def to_device(self) -> ") + pod_vector_name<T, VectorMemory::arena>()).c_str()),
            "An isolated copy in memory of The_Arena().");
}

template <class T>
void register_family(nb::module_& m) {
    register_typed<T>(m);
    register_one<T, VectorMemory::std>(m);
    register_one<T, VectorMemory::arena>(m);
    register_one<T, VectorMemory::pinned>(m);
    register_one<T, VectorMemory::managed>(m);
    register_one<T, VectorMemory::polymorphic>(m);
    register_moves<T>(m);
    const auto alias = [&m](const std::string& name, const char* memory) {
        m.attr(name.c_str()) = m.attr((std::string("PODVector_") + word<T> + "_" + memory).c_str());
    };
    const std::string type = word<T>;
    for (const char* front : {"DeviceVector_", "NonManagedDeviceVector_", "AsyncVector_"}) {
        alias(front + type, "arena");
    }
    alias("PODVector_" + type + "_default", "arena");
    for (const char* front : {"ManagedVector_", "ManagedDeviceVector_"}) {
        alias(front + type, "managed");
    }
    for (const char* front : {"PinnedVector_", "HostVector_"}) {
        alias(front + type, "pinned");
    }
}

}  // namespace

void register_pod_vector(nb::module_& m) {
    register_growth(m);
    register_base(m);
    register_family<double>(m);
    register_family<int>(m);
    register_family<std::uint64_t>(m);
}

}  // namespace zerofab::python
