// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vector_IntVect, Vector_Box, Vector_Geometry and Vector_BCRec of one space.
#include <nanobind/stl/shared_ptr.h>

#include <memory>

#include "index/common.hpp"
#include "memory/object_vector.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/index/bc_rec.hpp"
#include "zerofab/index/geometry.hpp"

namespace zerofab::python {
namespace {

/// An element that Python may change in its vector: scripts call vector[0].set_lo(...). Copies are of the value.
template <class T>
struct Shared {
    std::shared_ptr<T> object = std::make_shared<T>();

    Shared() = default;
    explicit Shared(const T& value) : object(std::make_shared<T>(value)) {}
    Shared(const Shared& other) : Shared(*other.object) {}
    Shared(Shared&&) noexcept = default;
    Shared& operator=(const Shared& other) { return *this = Shared(other); }
    Shared& operator=(Shared&&) noexcept = default;
    ~Shared() = default;
    friend bool operator==(const Shared& a, const Shared& b) { return *a.object == *b.object; }
};

}  // namespace
}  // namespace zerofab::python

namespace nanobind::detail {

template <class T>
struct type_caster<zerofab::python::Shared<T>> {
    using Object = make_caster<T>;
    using Pointer = make_caster<std::shared_ptr<T>>;
    NB_TYPE_CASTER(zerofab::python::Shared<T>, Object::Name)

    bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        Object object;
        if (!object.from_python(source, flags, cleanup) || !object.template can_cast<T&>()) return false;
        value = Value(static_cast<T&>(object));
        return true;
    }
    static handle from_cpp(const Value& element, rv_policy policy, cleanup_list* cleanup) noexcept {
        return Pointer::from_cpp(element.object, policy, cleanup);
    }
};

}  // namespace nanobind::detail

namespace zerofab::python {

template <int D>
void register_index_vectors(nb::module_& space) {
    const std::string here = nb::cast<std::string>(space.attr("__name__")) + ".";
    const std::string int_vect = concat("amrex._core.IntVect", D, "D");
    register_object_vector<IntVect<D>>(space, "Vector_IntVect", int_vect,
                                       [](const IntVect<D>& a) { return to_string(a); });
    register_object_vector<Box<D>>(space, "Vector_Box", here + "Box", [](const Box<D>& b) { return to_string(b); });
    register_object_vector<Geometry<D>>(space, "Vector_Geometry", here + "Geometry",
                                        [](const Geometry<D>& g) { return to_string(g); });
    register_object_vector<Shared<BCRec<D>>>(space, "Vector_BCRec", here + "BCRec", [](const Shared<BCRec<D>>& bc) {
        std::string text;
        for (int d = 0; d < D; ++d) {
            text.append(d > 0 ? " " : "").append(concat(bc.object->lo(d), ":"));
            text += std::to_string(bc.object->hi(d));
        }
        return "(" + text + ")";
    });
}

#define ZEROFAB_INSTANTIATE(D) template void register_index_vectors<D>(nb::module_&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::python
