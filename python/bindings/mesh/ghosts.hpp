// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A count of ghost points as an argument from Python: an int for all directions, or an IntVect.
#pragma once

#include <nanobind/nanobind.h>

#include "zerofab/index/int_vect.hpp"

namespace zerofab::python {

/// What a parameter `nghost: int | IntVect3D` becomes.
template <int D>
struct Ghosts {
    IntVect<D> n{};
};

}  // namespace zerofab::python

namespace nanobind::detail {

template <int D>
struct type_caster<zerofab::python::Ghosts<D>> {
    using Vect = zerofab::IntVect<D>;
    using Ghosts = zerofab::python::Ghosts<D>;
    NB_TYPE_CASTER(Ghosts, const_name("int | ") + make_caster<Vect>::Name)

    bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
        make_caster<int> all;
        if (all.from_python(source, flags, cleanup)) {
            value.n = Vect(all.value);
            return true;
        }
        make_caster<Vect> each;
        if (!each.from_python(source, flags, cleanup)) return false;
        value.n = each.operator cast_t<const Vect&>();
        return true;
    }

    static handle from_cpp(const Ghosts& ghosts, rv_policy policy, cleanup_list* cleanup) noexcept {
        if (ghosts.n == Vect(ghosts.n[0])) return make_caster<int>::from_cpp(ghosts.n[0], policy, cleanup);
        return make_caster<Vect>::from_cpp(ghosts.n, rv_policy::copy, cleanup);
    }
};

}  // namespace nanobind::detail
