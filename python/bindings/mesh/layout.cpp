// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BoxArray, DistributionMapping and the ranks of the run.
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "base/display.hpp"
#include "base/without_gil.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/mesh/box_array.hpp"
#include "zerofab/mesh/distribution_mapping.hpp"

namespace zerofab::python {
namespace {

[[noreturn]] void throw_no_box(const char* what, Long i, std::size_t size) {
    const nb::object type = nb::module_::import_("amrex._core").attr("IndexRangeError");
    const std::string message =
        concat("box ", i, " does not exist: this ", what, " has ", size, size == 1 ? " box" : " boxes");
    PyErr_SetString(type.ptr(), message.c_str());
    throw nb::python_error();
}

/// Python's index: negative ones count from the end.
std::size_t checked_index(const char* what, Long i, std::size_t size) {
    const Long n = static_cast<Long>(size);
    if (i < -n || i >= n) throw_no_box(what, i, size);
    return static_cast<std::size_t>(i < 0 ? i + n : i);
}

template <int D>
int checked_direction(int dir) {
    if (dir < 0 || dir >= D) {
        throw nb::index_error((concat("direction ", dir, " does not exist: there are ", D)).c_str());
    }
    return dir;
}

template <class T>
std::string repr_of(const char* name, const T& object) {
    return concat("<amrex.", name, " of size '", object.size(), "'>");
}

template <int D>
std::string titled_drawing(const BoxArray<D>& boxes) {
    const char* word = boxes.size() == 1 ? " box, " : " boxes, ";
    return drawing(boxes, concat("BoxArray: ", boxes.size(), word, boxes.num_pts(), " points"));
}

template <int D>
void register_box_array(nb::module_& space) {
    using BA = BoxArray<D>;
    using IV = IntVect<D>;
    constexpr auto self = nb::rv_policy::reference;  // the same Python object comes back

    nb::class_<BA> cls(space, "BoxArray",
                       "An ordered set of boxes of one index type.\n\n"
                       "A copy is a handle on the same boxes; what changes one handle leaves the others as they are.\n"
                       "Methods that change the array return it. Searches do not look at all boxes.");
    cls.def(nb::init<>(), "No boxes.")
        .def(nb::init<const BA&>(), nb::arg("other"), "Another handle on the same boxes.")
        .def(nb::init<const Box<D>&>(), nb::arg("box"), "One box.")
        .def(nb::init<const std::vector<Box<D>>&>(), nb::arg("boxes"),
             "These boxes, in this order; ValueError unless all have one index type.")
        .def("__repr__", [](const BA& ba) { return repr_of("BoxArray", ba); })
        .def("__len__", &BA::size)
        .def(
            "__getitem__", [](const BA& ba, Long i) { return ba[checked_index("BoxArray", i, ba.size())]; },
            nb::arg("index"), "Box `index`; negative ones count from the end. IndexError (and RuntimeError) outside.")
        .def(
            "get", [](const BA& ba, Long i) { return ba[checked_index("BoxArray", i, ba.size())]; }, nb::arg("index"),
            "The same as [index].")
        .def(
            "__iter__", [](const BA& ba) { return nb::iter(nb::cast(ba.to_vector())); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[Box]"), "All boxes, in order.")
        .def(
            "__eq__", [](const BA& a, const BA& b) { return a == b; }, nb::arg("other"), nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"),
            "Equal boxes in equal order, and the same index type.")
        .def(
            "__ne__", [](const BA& a, const BA& b) { return !(a == b); }, nb::arg("other"), nb::is_operator(),
            nb::sig("def __ne__(self, other: object, /) -> bool"))
        .def(
            "__contains__",
            [](const BA& ba, nb::handle p) {
                IV point;
                Box<D> box;
                return nb::try_cast(p, point) ? ba.contains(point) : nb::try_cast(p, box) && ba.contains(box);
            },
            nb::arg("point").none(), nb::sig("def __contains__(self, point: object, /) -> bool"),
            "Whether a box holds the point, or the boxes together cover a box; False for what is neither.")
        .def_prop_ro("size", &BA::size, "Number of boxes.")
        .def_prop_ro("capacity", &BA::capacity, "Number of boxes for which memory is held.")
        .def_prop_ro("empty", &BA::empty, "Whether there are no boxes.")
        .def_prop_ro("numPts", &BA::num_pts, "Points of all boxes together.")
        .def_prop_ro("num_pts", &BA::num_pts, "Points of all boxes together.")
        .def_prop_ro("d_numPts", &BA::d_num_pts, "Points of all boxes together, as a float.")
        .def("ix_type", &BA::ix_type, "The index type of the boxes.")
        .def("minimal_box", &BA::minimal_box, "The smallest box around all boxes.")
        .def("cell_equal", &BA::cell_equal, nb::arg("other"), "Equal cells in equal order, whatever the index types.")
        .def("same_data", &BA::same_data, nb::arg("other"), "Whether both handles share their boxes in memory.")
        .def("is_disjoint", &BA::is_disjoint, "Whether no cell is in two boxes.");

    cls.def("define", nb::overload_cast<const Box<D>&>(&BA::define), nb::arg("box"), self, "One box in place of all.")
        .def("define", nb::overload_cast<const std::vector<Box<D>>&>(&BA::define), nb::arg("boxes"), self,
             "These boxes in place of all.")
        .def("clear", &BA::clear, self, "No boxes.")
        .def("resize", &BA::resize, nb::arg("size"), self, "Drop boxes at the end, or append empty ones.")
        .def("max_size", nb::overload_cast<int>(&BA::max_size), nb::arg("block_size"), self,
             "Cut boxes until no side is longer than `block_size` cells; the pieces follow each other x fastest.")
        .def("max_size", nb::overload_cast<const IV&>(&BA::max_size), nb::arg("block_size"), self,
             "The same with a length per direction.")
        .def("refine", nb::overload_cast<int>(&BA::refine), nb::arg("ratio"), self,
             "Each cell becomes `ratio` per side.")
        .def("refine", nb::overload_cast<const IV&>(&BA::refine), nb::arg("ratio"), self)
        .def("coarsen", nb::overload_cast<int>(&BA::coarsen), nb::arg("ratio"), self,
             "The boxes of coarse cells, `ratio` times as long, that cover these.")
        .def("coarsen", nb::overload_cast<const IV&>(&BA::coarsen), nb::arg("ratio"), self)
        .def("grow", nb::overload_cast<int>(&BA::grow), nb::arg("n"), self,
             "`n` more cells on every side of every box.")
        .def("grow", nb::overload_cast<const IV&>(&BA::grow), nb::arg("n"), self)
        .def("shift", &BA::shift, nb::arg("iv"), self, "Move every box.")
        .def(
            "convert", [](BA& ba, const IndexType<D>& t) -> BA& { return ba.convert(t); }, nb::arg("typ"), self,
            "Another index type over the same cells.")
        .def("convert", [](BA& ba, const IV& t) -> BA& { return ba.convert(t); }, nb::arg("typ"), self);
    for (const char* name : {"surroundingNodes", "surrounding_nodes"}) {
        cls.def(
               name, [](BA& ba) -> BA& { return ba.surrounding_nodes(); }, self, "Nodes in every direction.")
            .def(
                name, [](BA& ba, int dir) -> BA& { return ba.surrounding_nodes(checked_direction<D>(dir)); },
                nb::arg("dir"), self, "Nodes in one direction.");
    }
    cls.def(
           "enclosed_cells", [](BA& ba) -> BA& { return ba.enclosed_cells(); }, self, "Cells in every direction.")
        .def(
            "enclosed_cells", [](BA& ba, int dir) -> BA& { return ba.enclosed_cells(checked_direction<D>(dir)); },
            nb::arg("dir"), self, "Cells in one direction.");

    cls.def(
           "coarsenable", [](const BA& ba, int ratio, int width) { return ba.coarsenable(ratio, width); },
           nb::arg("ratio"), nb::arg("min_width") = 1,
           "Whether every box can be coarsened without loss, and has at least ratio * min_width points on every side.")
        .def(
            "coarsenable", [](const BA& ba, const IV& ratio, int width) { return ba.coarsenable(ratio, IV(width)); },
            nb::arg("ratio"), nb::arg("min_width") = 1)
        .def(
            "coarsenable", [](const BA& ba, const IV& ratio, const IV& width) { return ba.coarsenable(ratio, width); },
            nb::arg("ratio"), nb::arg("min_width"))
        .def("find", &BA::find, nb::arg("point"), "Number of the first box that holds a point, or -1.")
        .def(
            "contains", [](const BA& ba, const IV& p) { return ba.contains(p); }, nb::arg("point"),
            "Whether a box holds the point.")
        .def(
            "contains", [](const BA& ba, const Box<D>& box) { return ba.contains(box); }, nb::arg("box"),
            "Whether the boxes together cover `box`.")
        .def(
            "intersects", [](const BA& ba, const Box<D>& box, int ngrow) { return ba.intersects(box, ngrow); },
            nb::arg("box"), nb::arg("ngrow") = 0, "Whether a box, grown by `ngrow`, shares a point with `box`.")
        .def(
            "intersections", [](const BA& ba, const Box<D>& box, int ngrow) { return ba.intersections(box, ngrow); },
            nb::arg("box"), nb::arg("ngrow") = 0,
            "All boxes that, grown by `ngrow`, share a point with `box`: their numbers, ascending, with the common "
            "part.")
        .def("complement_in", &BA::complement_in, nb::arg("box"), "The parts of `box` that no box covers.")
        .def("_repr_html_", &titled_drawing<D>, "A drawing of the boxes, for notebooks.");
    def_reduce(cls, [](const BA& ba) { return nb::make_tuple(ba.to_vector()); });
    cls.attr("__hash__") = nb::none();
}

/// The constructors of DistributionMapping that take the boxes of one dimension.
template <int D>
void add_boxes(nb::class_<DistributionMapping>& cls) {
    using DM = DistributionMapping;
    cls.def(nb::init<const BoxArray<D>&>(), nb::arg("boxes"), "Deal the boxes to the ranks of the run.")
        .def(nb::init<const BoxArray<D>&, int>(), nb::arg("boxes"), nb::arg("nprocs"),
             "Deal the boxes to at most `nprocs` ranks.")
        .def(
            "define", [](DM& dm, const BoxArray<D>& boxes) -> DM& { return dm.define(boxes); }, nb::arg("boxes"),
            nb::rv_policy::reference, "Deal the boxes to the ranks of the run.")
        .def(
            "define", [](DM& dm, const BoxArray<D>& boxes, int nprocs) -> DM& { return dm.define(boxes, nprocs); },
            nb::arg("boxes"), nb::arg("nprocs"), nb::rv_policy::reference);
}

void register_distribution_mapping(nb::module_& m) {
    using DM = DistributionMapping;
    nb::class_<DM> cls(m, "DistributionMapping",
                       "The rank that owns each box of a BoxArray. Making one from boxes needs initialize().");
    nb::enum_<DM::Strategy>(cls, "Strategy", "How boxes are dealt to ranks.")
        .value("ROUNDROBIN", DM::Strategy::round_robin, "Box i to rank i modulo the number of ranks.")
        .value("KNAPSACK", DM::Strategy::knapsack, "Equal cells per rank, without regard to positions.")
        .value("SFC", DM::Strategy::sfc, "Equal cells per rank along a space-filling curve.");
    cls.def(nb::init<>(), "No boxes.")
        .def(nb::init<const DM&>(), nb::arg("other"), "Another handle on the same owners.");
    add_boxes<1>(cls);
    add_boxes<2>(cls);
    add_boxes<3>(cls);
    cls.def(nb::init<std::vector<int>>(), nb::arg("pmap"), "These owners, one per box.")
        .def(
            "define", [](DM& dm, std::vector<int> owners) -> DM& { return dm.define(std::move(owners)); },
            nb::arg("pmap"), nb::rv_policy::reference, "These owners, one per box.")
        .def("__repr__", [](const DM& dm) { return repr_of("DistributionMapping", dm); })
        .def("__len__", &DM::size)
        .def(
            "__getitem__", [](const DM& dm, Long i) { return dm[checked_index("DistributionMapping", i, dm.size())]; },
            nb::arg("index"), "The rank of box `index`; negative ones count from the end.")
        .def(
            "__iter__", [](const DM& dm) { return nb::iter(nb::cast(dm.processor_map())); },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"), "All ranks, in the order of the boxes.")
        .def(
            "__eq__", [](const DM& a, const DM& b) { return a == b; }, nb::arg("other"), nb::is_operator(),
            nb::sig("def __eq__(self, other: object, /) -> bool"), "Equal owners.")
        .def(
            "__ne__", [](const DM& a, const DM& b) { return !(a == b); }, nb::arg("other"), nb::is_operator(),
            nb::sig("def __ne__(self, other: object, /) -> bool"))
        .def_prop_ro("size", &DM::size, "Number of boxes.")
        .def_prop_ro("capacity", &DM::capacity, "Number of boxes for which memory is held.")
        .def_prop_ro("empty", &DM::empty, "Whether there are no boxes.")
        .def_prop_ro("link_count", &DM::link_count, "How many handles share the owners.")
        .def("ProcessorMap", &DM::processor_map, "The rank of every box.")
        .def_static("strategy", &DM::strategy, "How boxes are dealt from now on.")
        .def_static("set_strategy", &DM::set_strategy, nb::arg("strategy"), "Choose how boxes are dealt from now on.");
    def_reduce(cls, [](const DM& dm) { return nb::make_tuple(dm.processor_map()); });
    cls.attr("__hash__") = nb::none();
}

void register_parallel_descriptor(nb::module_& m) {
    nb::module_ parallel = m.def_submodule("ParallelDescriptor", "The ranks of this run.");
    parallel.def(
                "MyProc", [] { return communicator().rank(); }, "The rank of this process.")
        .def(
            "NProcs", [] { return communicator().size(); }, "The number of ranks.")
        .def(
            "IOProcessor", [] { return communicator().is_io_rank(); }, "Whether this process writes files and prints.")
        .def(
            "IOProcessorNumber", [] { return Communicator::io_rank(); }, "The rank that writes files and prints.")
        .def(
            "Barrier", [] { communicator().barrier(); }, nb::call_guard<WithoutGil>(),
            "Return when every rank has called it.");
}

}  // namespace

void register_layout(nb::module_& m) {
    register_distribution_mapping(m);
    register_parallel_descriptor(m);
}

template <int D>
void register_layout_space(nb::module_& space) {
    register_box_array<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_layout_space<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
