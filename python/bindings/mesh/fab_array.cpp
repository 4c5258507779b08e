// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// FabArrays in Python: layout, loops, Array4 per box, lists of views.  Other topics add their methods themselves.
#include "mesh/fab_array.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/copies.hpp"
#include "base/display.hpp"
#include "base/errors.hpp"
#include "base/own_methods.hpp"
#include "base/shown.hpp"
#include "base/without_gil.hpp"
#include "exchange/device_exchange.hpp"
#include "mesh/adopt.hpp"
#include "mesh/arithmetic.hpp"
#include "mesh/array4.hpp"
#include "mesh/fab.hpp"
#include "mesh/global_index.hpp"
#include "mesh/mf_iter.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab::python {
namespace {

/// Makes fabs of the plain kind; there is no other yet.
template <int D, class T>
struct FabFactory {};

// ---- names per element type

template <class T>
struct Names;
template <>
struct Names<Real> {
    static constexpr const char* base = "FabArray_FArrayBox";
    static constexpr const char* multi = "MultiFab";
    static constexpr const char* factory = "FabFactory_FArrayBox";
};
template <>
struct Names<int> {
    static constexpr const char* base = "FabArray_IArrayBox";
    static constexpr const char* multi = "iMultiFab";
    static constexpr const char* factory = "FabFactory_IArrayBox";
};
template <>
struct Names<float> {
    static constexpr const char* base = "FabArray_float";
    static constexpr const char* multi = "fMultiFab";
    static constexpr const char* factory = "FabFactory_float";
};

// ---- array(mfi): a raw slot, for it stands in every loop

bool is_ready(PyObject* self) noexcept {
    if (!nb::inst_ready(self)) {
        PyErr_Format(PyExc_RuntimeError, "%s object was not initialized: call __init__ of its base class first",
                     Py_TYPE(self)->tp_name);
        return false;
    }
    return true;
}

/// The local fab at the place of `mfi`; -1 with an exception set.
template <int D>
int local_fab(const FabArrayBase<D>& fabs, PyObject* mfi) noexcept {
    const MFIter<D>* at = mf_iter_if<D>(mfi);
    if (at == nullptr) {
        PyErr_Format(PyExc_TypeError, "expected an MFIter of this space, not %s", Shown(mfi).text());
        return -1;
    }
    const FabBody<D>* body = fabs.body().get();
    if (body == nullptr || body->fabs.empty()) {
        PyErr_SetString(PyExc_RuntimeError, "this FabArray is empty: it was made without memory, or cleared");
        return -1;
    }
    if (!at->is_valid()) {
        PyErr_SetString(PyExc_IndexError, "this MFIter is past the end of its loop");
        return -1;
    }
    if (at->layout() != body->layout && !same_layout(*at->layout(), *body->layout)) {
        PyErr_SetString(PyExc_ValueError,
                        "this MFIter loops over another layout: boxes and owners must be those of this FabArray");
        return -1;
    }
    return at->local_index();
}

template <int D, class T>
PyObject* new_array_of(const FabBody<D>& body, int local) noexcept {
    const FabMemory<D>& fab = body.fabs[static_cast<std::size_t>(local)];
    return new_array4<T>(body.template array<T>(local), fab.memory, ArraySpace(fab.box.ix_type()));
}

template <int D, class T>
PyObject* array_at(PyObject* self, PyObject* mfi) noexcept {
    using Value = std::remove_const_t<T>;
    if (!is_ready(self)) {
        return nullptr;
    }
    const auto& fabs = *nb::inst_ptr<FabArray<D, Value>>(self);
    const int local = local_fab<D>(fabs, mfi);
    if (local < 0) {
        return nullptr;
    }
    const FabBody<D>& body = *fabs.body();
    return new_array_of<D, T>(body, local);
}

template <int D>
PyObject* loop_over(PyObject* self) noexcept {
    if (!is_ready(self)) {
        return nullptr;
    }
    try {
        return new_loop(*nb::inst_ptr<FabArrayBase<D>>(self)->lease());
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

// ---- views of all local boxes

template <int D, class T>
TensorView view_of(const FabBody<D>& body, int local) {
    const Array4<T> array = body.template array<T>(local);
    TensorView view;
    view.own(body.fabs[static_cast<std::size_t>(local)].memory);
    view.data = array.data;
    view.dtype = &dtype_of<T>;
    view.axes = 4;
    view.what = Names<T>::multi;
    view.shape = {array.ncomp, array.size[2], array.size[1], array.size[0]};
    view.strides = {array.nstride, array.kstride, array.jstride, 1};
    return view;
}

template <int D, class T>
nb::list all_views(const FabArray<D, T>& fabs, bool copy, const std::string& order) {
    const Lease<D> body = fabs.lease();
    const bool f_order = is_f_order(order);
    std::vector<TensorView> shown;
    std::size_t bytes = 0;
    for (int local = 0; local < body->num_local(); ++local) {
        shown.push_back(view_of<D, T>(*body, local));
        bytes += static_cast<std::size_t>(shown.back().size()) * sizeof(T);
    }
    if (copy) {
        const WithoutGilFor released(bytes);
        for (TensorView& view : shown) view = copied(view);
    }
    nb::list views;
    for (TensorView& view : shown) views.append(to_ndarray(view, false, f_order));
    return views;
}

template <int D, class T>
nb::list staged_views(const char* function, const FabArray<D, T>& fabs, bool copy, const std::string& order) {
    const Lease<D> body = fabs.lease();
    const bool f_order = is_f_order(order);
    const nb::object convert = nb::module_::import_("amrex._convert").attr(function);
    nb::list views;
    for (int local = 0; local < body->num_local(); ++local) {
        const auto array = nb::steal(new_array_of<D, T>(*body, local));
        views.append(convert(array, copy, f_order));
    }
    return views;
}

template <int D, class T>
nb::list xp_views(const FabArray<D, T>& fabs, bool copy, const std::string& order) {
    const char* function = xp_converter();
    return function != nullptr ? staged_views<D, T>(function, fabs, copy, order) : all_views<D, T>(fabs, copy, order);
}

// ---- shape of the whole

template <int D>
nb::tuple global_shape(const FabArrayBase<D>& fabs, bool ghosts) {
    const Lease<D> body = fabs.lease();
    Box<D> domain = body->layout->boxes().minimal_box();
    if (ghosts) {
        domain.grow(body->ngrow);
    }
    nb::list shape;
    for (int d = 0; d < D; ++d) {
        shape.append(domain.length(d));
    }
    shape.append(body->ncomp);
    return nb::tuple(shape);
}

/// The coordinates, in index units, of the points in one direction: cell centres at half-integers.
template <int D>
nb::object index_mesh(const FabArrayBase<D>& fabs, int idir, bool include_ghosts) {
    const Lease<D> body = fabs.lease();
    if (idir < 0 || idir >= D) {
        throw IndexError(concat("direction ", idir, " does not exist in ", D, " dimensions"));
    }
    Box<D> domain = body->layout->boxes().minimal_box();
    if (include_ghosts) {
        domain.grow(body->ngrow);
    }
    const double shift = domain.ix_type().node_centered(idir) ? 0.0 : 0.5;
    TensorView view;
    view.dtype = &dtype_of<double>;
    view.axes = 1;
    view.what = "mesh";
    const std::int64_t length = domain.length(idir);
    TensorView mesh = allocated(view, &length);
    for (std::int64_t n = 0; n < length; ++n) {
        static_cast<double*>(mesh.data)[n] = domain.small_end(idir) + static_cast<double>(n) + shift;
    }
    return to_ndarray(mesh, false, false);
}

template <int D>
void register_base(nb::module_& space) {
    using Base = FabArrayBase<D>;
    static PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void*>(&loop_over<D>)}, {0, nullptr}};
    nb::class_<Base> cls(space, "FabArrayBase", nb::type_slots(slots), nb::dynamic_attr(), nb::is_weak_referenceable(),
                         "What all FabArrays have in common: layout, components, ghost cells, loops.");
    refuse_arrays(cls,
                  "f[...] gives all its cells in a new array, f.to_numpy() and f.to_xp() views of its boxes, "
                  "amr.exchange(library, f) its boxes as tensors of any library");
    refuse_copies(cls,
                  "f.copy() makes an independent one here; to another process write it (VisMF.Write, "
                  "write_single_level_plotfile) or send f.box_array(), f.dm() and f.to_numpy(copy=True)");
    cls.def("__len__", &Base::size, "Number of boxes over all ranks.")
        .def_prop_ro("size", &Base::size, "Number of boxes over all ranks.")
        .def_prop_ro("nComp", &Base::n_comp, "Number of components.")
        .def_prop_ro("num_comp", &Base::n_comp, "Number of components.")
        .def_prop_ro("n_comp", &Base::n_comp, "Number of components.")
        .def_prop_ro("n_grow_vect", &Base::n_grow_vect, "Ghost cells in each direction.")
        .def_prop_ro(
            "is_all_cell_centered", [](const Base& fabs) { return fabs.ix_type().cell_centered(); },
            "Whether the points are cells in all directions.")
        .def_prop_ro(
            "is_all_nodal", [](const Base& fabs) { return fabs.ix_type().node_centered(); },
            "Whether the points are nodes in all directions.")
        .def(
            "is_nodal",
            [](const Base& fabs, int dir) {
                if (dir < 0 || dir >= D) {
                    throw IndexError(concat("direction ", dir, " does not exist in ", D, " dimensions"));
                }
                return fabs.ix_type().node_centered(dir);
            },
            nb::arg("dir"), "Whether the points are nodes in this direction.")
        .def(
            "is_nodal", [](const Base& fabs) { return fabs.ix_type().node_centered(); }, "Whether they are in all.")
        .def("ok", &Base::ok, "Whether there is a layout and memory.")
        .def("clear", &Base::clear, "Release layout and memory. Views keep what they show.")
        .def(
            "box_array", [](const Base& fabs) { return fabs.lease()->layout->boxes(); }, "The boxes, a share.")
        .def(
            "dm", [](const Base& fabs) { return fabs.lease()->layout->owners(); }, "The owners, a share.")
        .def_prop_ro(
            "arena", [](const Base& fabs) { return fabs.lease()->arena; }, nb::rv_policy::reference,
            "The arena that the memory came from.")
        .def_prop_ro(
            "has_EB_fab_factory", [](const Base&) { return false; }, "Whether there are embedded boundaries.")
        .def_prop_ro(
            "shape", [](const Base& fabs) { return global_shape<D>(fabs, false); },
            nb::sig("def shape(self) -> tuple[int, ...]"),
            "Points of the whole domain in each direction, and components.")
        .def_prop_ro(
            "shape_with_ghosts", [](const Base& fabs) { return global_shape<D>(fabs, true); },
            nb::sig("def shape_with_ghosts(self) -> tuple[int, ...]"), "The same, with ghosts.")
        .def("imesh", &index_mesh<D>, nb::arg("idir"), nb::arg("include_ghosts") = false,
             nb::sig("def imesh(self, idir: int, include_ghosts: bool = False) -> numpy.typing.NDArray[numpy.float64]"),
             "Coordinates of the points in one direction in units of the index: cell centres at half-integers.");
}

template <int D, class T, class Multi>
void add_constructors(nb::class_<Multi, FabArray<D, T>>& cls) {
    using Factory = FabFactory<D, T>;
    cls.def(
           "__init__",
           [](Multi* self) {
               require_initialized(Names<T>::multi);
               new (self) Multi();
           },
           "An empty one, to be given a layout later.")
        .def(
            "__init__",
            [](Multi* self, const Arena&) {
                require_initialized(Names<T>::multi);
                new (self) Multi();
            },
            nb::arg("a"))
        .def(
            "__init__",
            [](Multi* self, const BoxArray<D>& bxs, const DistributionMapping& dm, int ncomp, int ngrow,
               const MFInfo& info, const Factory*) { new (self) Multi(bxs, dm, ncomp, IntVect<D>(ngrow), info); },
            nb::arg("bxs"), nb::arg("dm"), nb::arg("ncomp"), nb::arg("ngrow"), nb::arg("info") = MFInfo{},
            nb::arg("factory").none() = nb::none(),
            "`ncomp` components with `ngrow` ghost cells on all boxes; memory is not initialized.\n\n"
            "RuntimeError before initialize; ValueError for negative numbers or if boxes and owners do not fit.")
        .def(
            "__init__",
            [](Multi* self, const BoxArray<D>& bxs, const DistributionMapping& dm, int ncomp, const IntVect<D>& ngrow,
               const MFInfo& info, const Factory*) { new (self) Multi(bxs, dm, ncomp, ngrow, info); },
            nb::arg("bxs"), nb::arg("dm"), nb::arg("ncomp"), nb::arg("ngrow"), nb::arg("info") = MFInfo{},
            nb::arg("factory").none() = nb::none())
        .def(
            "define",
            [](Multi& self, const BoxArray<D>& bxs, const DistributionMapping& dm, int ncomp, const IntVect<D>& ngrow,
               const MFInfo& info) { self.define(bxs, dm, ncomp, ngrow, info); },
            nb::arg("bxs"), nb::arg("dm"), nb::arg("ncomp"), nb::arg("ngrow"), nb::arg("info") = MFInfo{},
            "Another layout and new memory. Views keep the old memory.");
}

template <int D, class T>
nb::list all_arrays(const FabArray<D, T>& fabs) {
    const Lease<D> body = fabs.lease();
    nb::list arrays;
    for (int local = 0; local < body->num_local(); ++local) {
        arrays.append(nb::steal(new_array_of<D, T>(*body, local)));
    }
    return arrays;
}

template <int D, class T, class Multi>
void add_adoption(nb::class_<Multi, FabArray<D, T>>& cls) {
    cls.def_static(
        "from_arrays",
        [](const BoxArray<D>& ba, const DistributionMapping& dm, nb::handle arrays, int ncomp, const IntVect<D>& ngrow,
           bool copy, const std::string& order, Arena* arena) {
            return Multi(adopt_body(ba, dm, arrays, ncomp, ngrow, dtype_of<T>, {copy, is_f_order(order), arena}));
        },
        nb::arg("ba"), nb::arg("dm"), nb::arg("arrays"), nb::arg("ncomp") = 1, nb::arg("ngrow") = IntVect<D>(0),
        nb::kw_only(), nb::arg("copy") = false, nb::arg("order") = "C", nb::arg("arena").none() = nb::none(),
        "A FabArray whose memory is that of arrays of any library, in place: one per local box, ghosts included.\n\n"
        "Axes: (component, k, j, i), or (i, j, k, component) with order=\"F\". The memory lives as long as the field.\n"
        "ValueError for another shape or count, TypeError for another element type, BufferError for memory that is\n"
        "read-only or has gaps (copy=True takes it); then nothing is made.");
    cls.def_static(
        "from_arrays",
        [](const BoxArray<D>& ba, const DistributionMapping& dm, nb::handle arrays, int ncomp, int ngrow, bool copy,
           const std::string& order, Arena* arena) {
            return Multi(
                adopt_body(ba, dm, arrays, ncomp, IntVect<D>(ngrow), dtype_of<T>, {copy, is_f_order(order), arena}));
        },
        nb::arg("ba"), nb::arg("dm"), nb::arg("arrays"), nb::arg("ncomp"), nb::arg("ngrow"), nb::kw_only(),
        nb::arg("copy") = false, nb::arg("order") = "C", nb::arg("arena").none() = nb::none());
    cls.def("exporters", &all_arrays<D, T>, nb::sig("def exporters(self) -> list[amrex._core.Exporter]"),
            "The Array4 of every local box, in order: what amr.exchange hands to a library.");
}

template <int D, class T, class Multi>
void add_views(nb::class_<Multi, FabArray<D, T>>& cls) {
    cls.def("to_numpy", &all_views<D, T>, nb::arg("copy") = false, nb::arg("order") = "F",
            nb::sig("def to_numpy(self, copy: bool = False, order: str = \"F\") -> "
                    "list[numpy.typing.NDArray[typing.Any]]"),
            "NumPy views of all local boxes with their ghosts, or isolated copies; axes as Array4.to_numpy.")
        .def("to_xp", &xp_views<D, T>, nb::arg("copy") = false, nb::arg("order") = "F",
             nb::sig("def to_xp(self, copy: bool = False, order: str = \"F\") -> list[typing.Any]"),
             "Arrays of amr.xp of all local boxes with their ghosts.")
        .def(
            "to_cupy",
            [](const Multi& self, bool copy, const std::string& order) {
                return staged_views<D, T>("to_cupy", self, copy, order);
            },
            nb::arg("copy") = false, nb::arg("order") = "F",
            nb::sig("def to_cupy(self, copy: bool = False, order: str = \"F\") -> list[typing.Any]"),
            "CuPy arrays of all local boxes with their ghosts; of host memory, staged copies.")
        .def(
            "to_dpnp",
            [](const Multi& self, bool copy, const std::string& order) {
                return staged_views<D, T>("to_dpnp", self, copy, order);
            },
            nb::arg("copy") = false, nb::arg("order") = "F",
            nb::sig("def to_dpnp(self, copy: bool = False, order: str = \"F\") -> list[typing.Any]"),
            "dpnp arrays of all local boxes with their ghosts; of host memory, staged copies.");
}

/// An independent field of the same Python class; what Python code has put on it comes from `attributes`.
template <class Multi>
nb::object independent(nb::handle self, nb::handle attributes) {
    nb::object made = nb::cast(nb::cast<const Multi&>(self)).attr("copy")();
    if (!self.type().is(made.type())) {  // a subclass
        nb::object instance = nb::inst_alloc(self.type());
        new (nb::inst_ptr<void>(instance)) Multi(std::move(nb::cast<Multi&>(made)));
        nb::inst_mark_ready(instance);
        made = std::move(instance);
    }
    made.attr("__dict__").attr("update")(attributes);
    return made;
}

template <int D, class T, class Multi>
void add_copies(nb::class_<Multi, FabArray<D, T>>& cls) {
    cls.def(
           "__copy__", [](nb::handle self) { return independent<Multi>(self, self.attr("__dict__")); },
           nb::sig("def __copy__(self) -> typing.Self"), "For copy.copy: as copy(), numbers in memory of their own.")
        .def(
            "__deepcopy__",
            [](nb::handle self, nb::handle memo) {
                const nb::object deepcopy = nb::module_::import_("copy").attr("deepcopy");
                return independent<Multi>(self, deepcopy(self.attr("__dict__"), memo));
            },
            nb::arg("memo"), nb::sig("def __deepcopy__(self, memo: dict[int, typing.Any], /) -> typing.Self"),
            "For copy.deepcopy: as copy(), numbers in memory of their own.");
}

template <int D, class T>
std::string title(const FabArray<D, T>& fabs) {
    return concat(Names<T>::multi, " with ", fabs.n_comp(), fabs.n_comp() == 1 ? " component on " : " components on ",
                  fabs.size(), fabs.size() == 1 ? " box" : " boxes");
}

template <int D, class T, class Multi>
void register_type(nb::module_& space) {
    using Base = FabArray<D, T>;
    static PyMethodDef methods[] = {
        {"array", &array_at<D, T>, METH_O, "The memory of the box at `mfi`, indexed in the box's index space."},
        {"const_array", &array_at<D, const T>, METH_O, "The same, read-only."},
        {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_methods, methods},
                                  {Py_mp_subscript, reinterpret_cast<void*>(&global_subscript<Base>)},
                                  {Py_mp_ass_subscript, reinterpret_cast<void*>(&global_ass_subscript<Base>)},
                                  {0, nullptr}};
    nb::class_<FabFactory<D, T>> factory(space, Names<T>::factory, "How fabs are made.");
    refuse_copies(factory, "take the factory of the other field");
    nb::class_<Base, FabArrayBase<D>> base(space, Names<T>::base, nb::type_slots(slots),
                                           "Numbers of one type on all boxes of a layout.");
    nb::class_<Multi, Base> multi(space, Names<T>::multi,
                                  "Numbers with components and ghost cells on all boxes of a layout.\n\n"
                                  "    for mfi in mf:\n"
                                  "        x = mf.array(mfi).to_xp()   # axes i, j, k, component; ghosts included\n\n"
                                  "Views of it own a share of the memory: they outlive it, clear() and finalize().");
    base.def_prop_ro("factory", [](const Base&) { return FabFactory<D, T>{}; }, "How its fabs are made.");
    add_constructors<D, T, Multi>(multi);
    add_views<D, T, Multi>(multi);
    add_adoption<D, T, Multi>(multi);
    add_copies<D, T, Multi>(multi);
    own_methods(multi, {"array", "const_array"});
    multi.def_static(
             "initialize", [] {}, "Nothing to do: initialize() of the module starts everything.")
        .def_static(
            "finalize", [] {}, "Nothing to do: finalize() of the module ends everything.")
        .def("__repr__", [](const Multi& self) { return "<amrex." + title<D, T>(self) + ">"; })
        .def(
            "_repr_html_",
            [](const Multi& self) {
                return drawing(self.ok() ? self.lease()->layout->boxes() : BoxArray<D>(), title<D, T>(self));
            },
            "A drawing of the boxes, for notebooks.");
    const FabArrayClasses<D, T, Multi> classes{base, multi};
    add_arithmetic_methods(classes);
    add_global_index_methods(classes);
    add_halo_methods(classes);
}

}  // namespace

void register_mesh(nb::module_& m) {
    nb::class_<MFInfo> cls(m, "MFInfo", "What to allocate for a FabArray, and where.");
    refuse_copies(cls, "make another MFInfo");
    cls.def(nb::init<>(), "Memory of The_Arena.")
        .def_rw("alloc", &MFInfo::alloc, "Whether to allocate memory.")
        .def_rw("arena", &MFInfo::arena, nb::rv_policy::reference, nb::for_setter(nb::arg("arena").none()),
                "Where memory comes from; None: The_Arena.")
        .def_rw("tags", &MFInfo::tags, "Names for statistics.")
        .def(
            "set_alloc",
            [](MFInfo& info, bool alloc) -> MFInfo& {
                info.alloc = alloc;
                return info;
            },
            nb::arg("alloc"), "Set `alloc`.")
        .def(
            "set_arena",
            [](MFInfo& info, Arena* arena) -> MFInfo& {
                info.arena = arena;
                return info;
            },
            nb::arg("arena"), "Set `arena`.")
        .def(
            "set_tag", [](MFInfo& info, std::string tag) { info.tags.push_back(std::move(tag)); }, nb::arg("tag"),
            "Add a name for statistics.");
}

template <int D>
void register_mesh_space(nb::module_& space) {
    register_fab_space<D>(space);
    register_base<D>(space);
    register_mf_iter<D>(space);
    register_type<D, Real, MultiFab<D>>(space);
    register_type<D, int, iMultiFab<D>>(space);
    register_type<D, float, fMultiFab<D>>(space);
    register_arithmetic_space<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_mesh_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
