// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/mf_iter.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <new>

#include "base/copies.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::python {
namespace {

template <int D>
PyObject* mf_iter_type = nullptr;
template <int D>
PyObject* loop_type = nullptr;

/// What iter(mf) gives.  It hands out MFIter objects, and one of two again if nobody else holds it: a plain loop
/// allocates nothing, while list(mf), zip and a kept mfi get objects of their own.
template <int D>
class Loop : public MFIter<D> {
public:
    explicit Loop(const FabBody<D>& body) : MFIter<D>(body) {}
    explicit Loop(const MFIter<D>& from) : MFIter<D>(from) {}
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() { drop(); }

    PyObject* next() {
        if (!this->is_valid()) {
            drop();
            return nullptr;  // StopIteration
        }
        PyObject*& slot = handed_[turn_];
        turn_ = 1 - turn_;
        if (slot != nullptr && Py_REFCNT(slot) == 1) {
            nb::inst_ptr<MFIter<D>>(slot)->set_position(this->position());
        } else {
            PyObject* fresh = nb::inst_alloc(mf_iter_type<D>).release().ptr();
            if (fresh == nullptr) {
                throw nb::python_error();
            }
            new (nb::inst_ptr<void>(fresh)) MFIter<D>(*this);
            nb::inst_mark_ready(fresh);
            Py_XDECREF(slot);
            slot = fresh;
        }
        ++*this;
        Py_INCREF(slot);
        return slot;
    }

private:
    void drop() noexcept {
        Py_CLEAR(handed_[0]);
        Py_CLEAR(handed_[1]);
    }

    PyObject* handed_[2] = {nullptr, nullptr};
    int turn_ = 0;
};

bool ready(PyObject* self) noexcept {
    if (!nb::inst_ready(self)) {
        PyErr_SetString(PyExc_RuntimeError, "this iterator was not initialized");
        return false;
    }
    return true;
}

template <int D>
PyObject* loop_next(PyObject* self) noexcept {
    if (!ready(self)) {
        return nullptr;
    }
    try {
        return nb::inst_ptr<Loop<D>>(self)->next();
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

template <int D>
const MFIter<D>& valid(const MFIter<D>& self) {
    if (!self.is_valid()) {
        throw IndexError("this MFIter is past the end of its loop");
    }
    return self;
}

/// -1 for all directions, or one of them.
template <int D>
int checked_dir(int dir) {
    if (dir < -1 || dir >= D) {
        throw IndexError(concat("direction ", dir, " does not exist in ", D, " dimensions"));
    }
    return dir;
}

template <int D>
MFIter<D> make_iter(const FabArrayBase<D>& fabs, const MFItInfo<D>& info) {
    const Lease<D>& body = fabs.lease();
    return info.do_tiling ? MFIter<D>(*body, info.tilesize) : MFIter<D>(*body);
}

template <int D>
void register_info(nb::module_& space) {
    using Info = MFItInfo<D>;
    nb::class_<Info> cls(space, "MFItInfo", "Options of a loop: tiles, and what a device may do.");
    def_reduce_by(cls, "with_attributes", [](nb::handle self) {
        nb::dict values;
        for (const char* name : {"do_tiling", "dynamic", "device_sync", "num_streams", "tilesize"}) {
            values[name] = self.attr(name);
        }
        return nb::make_tuple(self.type(), values);
    });
    cls.def(nb::init<>(), "One step per box.")
        .def_rw("do_tiling", &Info::do_tiling, "Whether a step is a tile rather than a box.")
        .def_rw("dynamic", &Info::dynamic, "Whether threads take steps as they come.")
        .def_rw("device_sync", &Info::device_sync, "Whether the end of a loop waits for the device.")
        .def_rw("num_streams", &Info::num_streams, "Streams of a device that steps are dealt to.")
        .def_rw("tilesize", &Info::tilesize, "Cells of a tile in each direction.")
        .def(
            "enable_tiling",
            [](Info& info, const IntVect<D>& ts) -> Info& {
                info.do_tiling = true;
                info.tilesize = ts;
                return info;
            },
            nb::arg("ts"), "Loop over tiles of this size.")
        .def(
            "set_dynamic",
            [](Info& info, bool f) -> Info& {
                info.dynamic = f;
                return info;
            },
            nb::arg("f"), "Set `dynamic`.")
        .def(
            "disable_device_sync",
            [](Info& info) -> Info& {
                info.device_sync = false;
                return info;
            },
            "Clear `device_sync`.")
        .def(
            "set_device_sync",
            [](Info& info, bool f) -> Info& {
                info.device_sync = f;
                return info;
            },
            nb::arg("f"), "Set `device_sync`.")
        .def(
            "set_num_streams",
            [](Info& info, int n) -> Info& {
                info.num_streams = n;
                return info;
            },
            nb::arg("n"), "Set `num_streams`.")
        .def(
            "use_default_stream",
            [](Info& info) -> Info& {
                info.num_streams = 1;
                return info;
            },
            "One stream.");
}

template <int D>
void register_boxes(nb::class_<MFIter<D>>& cls) {
    using Iter = MFIter<D>;
    cls.def(
           "validbox", [](const Iter& self) { return valid(self).validbox(); }, "The box without ghosts.")
        .def(
            "fabbox", [](const Iter& self) { return valid(self).fabbox(); }, "The box with ghosts.")
        .def(
            "tilebox", [](const Iter& self) { return valid(self).tilebox(); },
            "The tile of this step; without tiling, the box without ghosts.")
        .def(
            "tilebox",
            [](const Iter& self, const IntVect<D>& nodal) { return valid(self).tilebox(IndexType<D>(nodal)); },
            nb::arg("nodal"), "The tile as another index type (1: nodes, 0: cells, per direction).")
        .def(
            "tilebox",
            [](const Iter& self, const IntVect<D>& nodal, const IntVect<D>& ngrow) {
                return valid(self).grown_tilebox(IndexType<D>(nodal), ngrow);
            },
            nb::arg("nodal"), nb::arg("ngrow"),
            "The tile as another index type, grown where it touches its box's side.")
        .def(
            "nodaltilebox", [](const Iter& self, int dir) { return valid(self).nodaltilebox(checked_dir<D>(dir)); },
            nb::arg("dir") = -1,
            "The tile of nodes in direction `dir` and cells in all others, or of nodes in all (-1), whatever the "
            "field's own type.")
        .def(
            "growntilebox",
            [](const Iter& self, std::optional<IntVect<D>> ng) {
                return valid(self).growntilebox(ng.value_or(self.ngrow()));
            },
            nb::arg("ng") = nb::none(), "The tile, grown where it touches its box's side; by default by all ghosts.")
        .def(
            "growntilebox", [](const Iter& self, int ng) { return valid(self).growntilebox(IntVect<D>(ng)); },
            nb::arg("ng"))
        .def(
            "grownnodaltilebox",
            [](const Iter& self, int dir, std::optional<int> ng) {
                return valid(self).grownnodaltilebox(checked_dir<D>(dir), ng ? IntVect<D>(*ng) : self.ngrow());
            },
            nb::arg("dir") = -1, nb::arg("ng") = nb::none(), "nodaltilebox, grown as growntilebox.")
        .def(
            "grownnodaltilebox",
            [](const Iter& self, int dir, const IntVect<D>& ng) {
                return valid(self).grownnodaltilebox(checked_dir<D>(dir), ng);
            },
            nb::arg("dir"), nb::arg("ng"));
}

}  // namespace

template <int D>
const MFIter<D>* mf_iter_if(PyObject* object) noexcept {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    if (type != mf_iter_type<D> &&
        (!PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(mf_iter_type<D>)) || !nb::inst_ready(object))) {
        return nullptr;
    }
    return nb::inst_ready(object) ? nb::inst_ptr<MFIter<D>>(object) : nullptr;
}

template <int D>
PyObject* new_loop(const FabBody<D>& body) {
    PyObject* object = nb::inst_alloc(loop_type<D>).release().ptr();
    if (object == nullptr) {
        throw nb::python_error();
    }
    new (nb::inst_ptr<void>(object)) Loop<D>(body);
    nb::inst_mark_ready(object);
    return object;
}

template <int D>
void register_mf_iter(nb::module_& space) {
    using Iter = MFIter<D>;
    register_info<D>(space);
    nb::class_<Iter> cls(
        space, "MFIter",
        "A position in a loop over the local boxes, or tiles, of a FabArray: what `for mfi in mf` yields.\n\n"
        "It holds the layout, not the FabArray. Many loops may run at once, be nested and abandoned.");
    mf_iter_type<D> = cls.ptr();
    refuse_copies(cls, "it is a position in a loop; begin another loop");
    cls.def(
           "__init__", [](Iter* self, const FabArrayBase<D>& fabs) { new (self) Iter(*fabs.lease()); }, nb::arg("fabs"),
           "The first box.")
        .def(
            "__init__",
            [](Iter* self, const FabArrayBase<D>& fabs, const MFItInfo<D>& info) {
                new (self) Iter(make_iter(fabs, info));
            },
            nb::arg("fabs"), nb::arg("info"), "The first step of a loop with options.")
        .def_prop_ro("is_valid", &Iter::is_valid, "Whether the position is within the loop.")
        .def_prop_ro("length", &Iter::length, "Steps of the whole loop.")
        .def_prop_ro(
            "index", [](const Iter& self) { return valid(self).index(); }, "Number of the box over all ranks.")
        .def_prop_ro(
            "local_index", [](const Iter& self) { return valid(self).local_index(); },
            "Number of the box on this rank.")
        .def(
            "_incr", [](Iter& self) { valid(self), ++self; }, "Step to the next box or tile.")
        .def(
            "finalize", [](Iter& self) { self.set_position(static_cast<std::size_t>(self.length())); }, "End the loop.")
        .def(
            "__iter__",
            [](const Iter& self) {
                PyObject* object = nb::inst_alloc(loop_type<D>).release().ptr();
                if (object == nullptr) {
                    throw nb::python_error();
                }
                new (nb::inst_ptr<void>(object)) Loop<D>(self);
                nb::inst_mark_ready(object);
                return nb::steal(object);
            },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[MFIter]"), "The steps from this position on.")
        .def(
            "__next__",
            [](Iter& self) -> Iter& {
                if (!self.is_valid()) {
                    throw nb::stop_iteration();
                }
                ++self;
                if (!self.is_valid()) {
                    throw nb::stop_iteration();
                }
                return self;
            },
            nb::rv_policy::none, "Step to the next box or tile and return this same object; StopIteration at the end.")
        .def("__repr__", [](const Iter& self) {
            return self.is_valid() ? concat("<amrex.MFIter at box ", self.index(), ", step ", self.position() + 1,
                                            " of ", self.length(), ">")
                                   : std::string("<amrex.MFIter past the end of its loop>");
        });
    register_boxes<D>(cls);
    static PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                                  {Py_tp_iternext, reinterpret_cast<void*>(&loop_next<D>)},
                                  {0, nullptr}};
    nb::class_<Loop<D>, Iter> loop(space, "MFLoop", nb::type_slots(slots), "The iterator of a loop over a FabArray.");
    loop_type<D> = loop.ptr();
}

#define ZEROFAB_INSTANTIATE(D)                                   \
    template const MFIter<D>* mf_iter_if<D>(PyObject*) noexcept; \
    template PyObject* new_loop(const FabBody<D>&);              \
    template void register_mf_iter<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
