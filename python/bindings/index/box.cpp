// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Box of one space.
#include "index/common.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

/// The points of a box as it was when the loop began, x fastest.
template <int D>
struct BoxIterator {
    Box<D> box;
    Long next = 0;
    Long count = 0;
};

template <int D>
void register_box_iterator(nb::module_& space) {
    using It = BoxIterator<D>;
    nb::class_<It> cls(space, "BoxIterator", "The points of a box, x fastest; made by iter(box).");
    refuse_copies(cls, "it is a position in a loop; begin another loop");
    cls.def(
           "__iter__", [](nb::object self) { return self; }, nb::sig("def __iter__(self) -> BoxIterator"), "Itself.")
        .def(
            "__length_hint__", [](const It& it) { return it.count - it.next; }, "Points left.")
        .def(
            "__next__",
            [](It& it) {
                if (it.next == it.count) throw nb::stop_iteration();
                return it.box.point_at(it.next++);
            },
            "The next point.");
}

template <int D, class Class>
void def_box_changes(Class& c) {
    using B = Box<D>;
    using IV = IntVect<D>;
    constexpr auto same = nb::rv_policy::none;  // the object itself is found and returned
    // clang-format off
    c.def("shift", [](B& b, int dir, int n) -> B& { return b.shift(checked_direction<D>(dir), n); }, nb::arg("dir"), nb::arg("nzones"), same, "Move in place by nzones, or by a vector; returns the box.")
     .def("shift", [](B& b, const IV& iv) -> B& { return b.shift(iv); }, nb::arg("iv"), same)
     .def("grow", [](B& b, int n) -> B& { return b.grow(n); }, nb::arg("n_cell"), same, "Add n points on every side, in place; returns the box. A vector: n per direction; a direction first: there only.")
     .def("grow", [](B& b, const IV& n) -> B& { return b.grow(n); }, nb::arg("n_cells"), same)
     .def("grow", [](B& b, int dir, int n) -> B& { return b.grow(checked_direction<D>(dir), n); }, nb::arg("idir"), nb::arg("n_cell"), same)
     .def("grow", [](B& b, Direction d, int n) -> B& { return b.grow(checked_direction<D>(d), n); }, nb::arg("d"), nb::arg("n_cell"), same)
     .def("grow_low", [](B& b, int dir, int n) -> B& { return b.grow_low(checked_direction<D>(dir), n); }, nb::arg("idir"), nb::arg("n_cell") = 1, same, "Add n points at the low side of a direction, in place; returns the box.")
     .def("grow_low", [](B& b, Direction d, int n) -> B& { return b.grow_low(checked_direction<D>(d), n); }, nb::arg("d"), nb::arg("n_cell") = 1, same)
     .def("grow_high", [](B& b, int dir, int n) -> B& { return b.grow_high(checked_direction<D>(dir), n); }, nb::arg("idir"), nb::arg("n_cell") = 1, same, "Add n points at the high side of a direction, in place; returns the box.")
     .def("grow_high", [](B& b, Direction d, int n) -> B& { return b.grow_high(checked_direction<D>(d), n); }, nb::arg("d"), nb::arg("n_cell") = 1, same)
     .def("refine", [](B& b, int ratio) -> B& { return b.refine(ratio); }, nb::arg("ratio"), same, "Replace each cell by ratio cells per direction, in place; returns the box.")
     .def("refine", [](B& b, const IV& ratio) -> B& { return b.refine(ratio); }, nb::arg("ratio"), same)
     .def("coarsen", [](B& b, int ratio) -> B& { return b.coarsen(ratio); }, nb::arg("ratio"), same, "Become the smallest coarse box that covers this one, in place; returns the box.")
     .def("coarsen", [](B& b, const IV& ratio) -> B& { return b.coarsen(ratio); }, nb::arg("ratio"), same)
     .def("convert", [](B& b, IndexType<D> t) -> B& { return b.convert(t); }, nb::arg("typ"), same, "Change between cells and nodes, in place; returns the box.")
     .def("convert", [](B& b, const IV& t) -> B& { return b.convert(t); }, nb::arg("typ"), same)
     .def("surrounding_nodes", [](B& b) -> B& { return b.surrounding_nodes(); }, same, "Become the nodes around the cells, in all directions or one, in place; returns the box.")
     .def("surrounding_nodes", [](B& b, int dir) -> B& { return b.surrounding_nodes(checked_direction<D>(dir)); }, nb::arg("dir"), same)
     .def("surrounding_nodes", [](B& b, Direction d) -> B& { return b.surrounding_nodes(checked_direction<D>(d)); }, nb::arg("d"), same)
     .def("enclosed_cells", [](B& b) -> B& { return b.enclosed_cells(); }, same, "Become the cells between the nodes, in all directions or one, in place; returns the box.")
     .def("enclosed_cells", [](B& b, int dir) -> B& { return b.enclosed_cells(checked_direction<D>(dir)); }, nb::arg("dir"), same)
     .def("enclosed_cells", [](B& b, Direction d) -> B& { return b.enclosed_cells(checked_direction<D>(d)); }, nb::arg("d"), same)
     .def("make_slab", [](B& b, int dir, int index) -> B& { return b.make_slab(checked_direction<D>(dir), index); }, nb::arg("direction"), nb::arg("slab_index"), same, "Become one layer of points at slab_index, in place; returns the box.")
     .def("normalize", [](B& b) { b.normalize(); }, "Give one point to every direction of length 0: there the high end becomes the low end. Others stay.")
     .def("__iadd__", [](B& b, const IV& iv) -> B& { return b += iv; }, nb::is_operator(), same, "Move in place.")
     .def("__isub__", [](B& b, const IV& iv) -> B& { return b -= iv; }, nb::is_operator(), same, "Move back in place.")
     .def("__iand__", [](B& b, const B& other) -> B& { return b &= other; }, nb::is_operator(), same, "Intersect in place.")
     .def("__add__", [](const B& b, const IV& iv) { return b + iv; }, nb::is_operator(), "The box moved by a vector.")
     .def("__sub__", [](const B& b, const IV& iv) { return b - iv; }, nb::is_operator(), "The box moved back by a vector.")
     .def("__and__", [](const B& b, const B& other) { return b & other; }, nb::is_operator(), "The common points; ValueError if one is nodal where the other is not.");
    // clang-format on
}

template <int D, class Class>
void def_box_ends(Class& c) {
    using B = Box<D>;
    using IV = IntVect<D>;
    auto low = [](const B& b) { return b.small_end(); };
    auto high = [](const B& b) { return b.big_end(); };
    auto set_low = [](B& b, const IV& iv) { b.set_small(iv); };
    auto set_high = [](B& b, const IV& iv) { b.set_big(iv); };
    c.def_prop_rw("small_end", low, set_low, "A copy of the low end; assign to change it.")
        .def_prop_rw("big_end", high, set_high, "A copy of the high end, included; assign to change it.")
        .def_prop_rw("lo_vect", low, set_low, "small_end.")
        .def_prop_rw("hi_vect", high, set_high, "big_end.")
        .def_prop_rw(
            "type", [](const B& b) { return b.ix_type().to_int_vect(); }, [](B& b, IndexType<D> t) { b.set_type(t); },
            nb::for_getter(nb::sig((concat("def type(self) -> amrex._core.IntVect", D, "D")).c_str())),
            "1 where nodal, else 0. Assigning an IndexType relabels the points; convert moves the high end as well.")
        .def_prop_ro("ix_type", &B::ix_type, "The IndexType.");
}

template <int D, class Class>
void def_box_questions(Class& c) {
    using B = Box<D>;
    using IV = IntVect<D>;
    c.def(
         "length", [](const B& b) { return b.length(); }, "Points in each direction, or in one.")
        .def(
            "length", [](const B& b, int dir) { return b.length(checked_direction<D>(dir)); }, nb::arg("dir"))
        .def_prop_ro(
            "size", [](const B& b) { return b.length(); }, "Points in each direction.")
        .def("numPts", &B::num_pts, "Number of points.")
        .def_prop_ro("num_pts", &B::num_pts, "Number of points.")
        .def_prop_ro(
            "d_num_pts", [](const B& b) { return static_cast<Real>(b.num_pts()); }, "num_pts as a float.")
        .def_prop_ro("volume", &B::volume, "Number of enclosed cells.")
        .def_prop_ro("is_empty", &B::is_empty, "Whether there is no point.")
        .def_prop_ro("ok", &B::ok, "Whether there is a point.")
        .def_prop_ro("is_square", &B::is_square, "Whether all sides are equally long.")
        .def_prop_ro("cell_centered", &B::cell_centered, "Whether every direction is cell-centred.")
        .def_prop_ro_static(
            "the_unit_box", [](nb::handle) { return B(IV(0), IV(0)); }, "The box of the one cell at zero.")
        .def(
            "contains", [](const B& b, const IV& p) { return b.contains(p); }, nb::arg("p"),
            "Whether a point, or all points of a box of the same type, are inside.")
        .def(
            "contains", [](const B& b, const B& other) { return b.contains(other); }, nb::arg("b"))
        .def(
            "strictly_contains", [](const B& b, const IV& p) { return b.strictly_contains(p); }, nb::arg("p"),
            "Whether they are inside and none is on the rim.")
        .def(
            "strictly_contains", [](const B& b, const B& other) { return b.strictly_contains(other); }, nb::arg("b"))
        .def(
            "intersects",
            [](const B& b, const B& other) {
                return max(b.small_end(), other.small_end()).all_le(min(b.big_end(), other.big_end()));
            },
            nb::arg("b"), "Whether the ranges of indices overlap, whatever the types.")
        .def(
            "same_size", [](const B& b, const B& other) { return b.length() == other.length(); }, nb::arg("b"),
            "Whether the lengths are equal.")
        .def("same_type", &B::same_type, nb::arg("b"), "Whether both are nodal in the same directions.")
        .def(
            "coarsenable", [](const B& b, const IV& ratio, const IV& width) { return b.coarsenable(ratio, width); },
            nb::arg("ratio"), nb::arg("min_width") = IV(1),
            "Whether refining after coarsening gives the box back, with at least ratio * min_width points on every "
            "side.")
        .def(
            "coarsenable", [](const B& b, int ratio) { return b.coarsenable(IV(ratio)); }, nb::arg("ratio"))
        .def(
            "lbound", [](const B&, const B& box) { return lbound(box); }, nb::arg("box"), "The low end of a box.")
        .def(
            "ubound", [](const B&, const B& box) { return ubound(box); }, nb::arg("box"), "The high end of a box.")
        .def(
            "begin", [](const B&, const B& box) { return begin(box); }, nb::arg("box"), "Where loops start.")
        .def("end", [](const B&, const B& box) { return end(box); }, nb::arg("box"), "Where loops stop, not included.");
}

/// "(4,4,4)", also where a length does not fit an int.
template <int D>
std::string lengths_text(const Box<D>& b) {
    std::string s = "(";
    for (int d = 0; d < D; ++d) {
        s.append(d > 0 ? "," : "").append(std::to_string(Long{b.big_end(d)} - b.small_end(d) + 1));
    }
    return s + ")";
}

template <int D>
void register_box(nb::module_& space) {
    using B = Box<D>;
    using IV = IntVect<D>;
    using Ints = std::array<int, D>;
    auto c =
        nb::class_<B>(space, "Box",
                      "A rectangle of the index space, both ends included, on cells or nodes.\n\n"
                      "Methods that change the box do so in place and return it; use copy.copy to keep the old one.");
    c.def(nb::init<>(), "An empty box.")
        .def(nb::init<const IV&, const IV&>(), nb::arg("small"), nb::arg("big"), "A box of cells, ends included.")
        .def(nb::init<const IV&, const IV&, IndexType<D>>(), nb::arg("small"), nb::arg("big"), nb::arg("t"))
        .def(
            "__init__", [](B* self, const IV& lo, const IV& hi, const IV& t) { new (self) B(lo, hi, IndexType<D>(t)); },
            nb::arg("small"), nb::arg("big"), nb::arg("typ"), "1 in typ: nodal in that direction.")
        .def(
            "__init__", [](B* self, const Ints& lo, const Ints& hi) { new (self) B(IV(lo), IV(hi)); }, nb::arg("small"),
            nb::arg("big"), "From any sequences with one integer per direction.")
        .def(
            "__init__",
            [](B* self, const Ints& lo, const Ints& hi, IndexType<D> t) { new (self) B(IV(lo), IV(hi), t); },
            nb::arg("small"), nb::arg("big"), nb::arg("t"))
        .def(nb::init<const B&>(), nb::arg("other"), "A copy.");
    def_box_ends<D>(c);
    def_box_questions<D>(c);
    def_box_changes<D>(c);
    c.def(
         "__eq__", [](const B& a, const B& b) { return a == b; }, nb::is_operator(),
         nb::sig("def __eq__(self, arg: object, /) -> bool"), "Same ends and type.")
        .def(
            "__ne__", [](const B& a, const B& b) { return !(a == b); }, nb::is_operator(),
            nb::sig("def __ne__(self, arg: object, /) -> bool"), "Not the same.")
        .def(
            "__hash__", [](const B& b) { return static_cast<Py_hash_t>(std::hash<B>()(b) >> 1); },
            "By value; do not change a box while it is a key.")
        .def(
            "__contains__",
            [](const B& b, nb::handle p) {
                IV point;
                return nb::try_cast(p, point) && b.contains(point);
            },
            nb::arg("point").none(), nb::sig("def __contains__(self, point: object, /) -> bool"),
            "Whether it is one of the points; False for what is none.")
        .def(
            "__iter__", [](const B& b) { return BoxIterator<D>{b, 0, b.num_pts()}; },
            "Points, x fastest; each unpacks as i, j, k.")
        .def(
            "__repr__", [](const B& b) { return concat("<amrex.Box of size '", lengths_text(b), "'>"); },
            "With its size.")
        .def(
            "__str__", [](const B& b) { return to_string(b); }, "((low end) (high end) (1 where nodal))")
        .def(
            "_repr_html_",
            [](const B& b) {
                nb::list boxes;
                boxes.append(nb::make_tuple(as_tuple(b.small_end().array()), as_tuple(b.big_end().array())));
                return nb::module_::import_("amrex._display").attr("boxes_html")("Box " + to_string(b), boxes);
            },
            nb::sig("def _repr_html_(self) -> str"), "A drawing for notebooks.");
    def_reduce(c, [](const B& b) { return nb::make_tuple(b.small_end(), b.big_end(), b.ix_type()); });
}

}  // namespace

template <int D>
void register_boxes(nb::module_& space) {
    register_box_iterator<D>(space);
    register_box<D>(space);
}

#define ZEROFAB_INSTANTIATE(D) template void register_boxes<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
