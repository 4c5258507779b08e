// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Drawings of boxes for notebooks.
#pragma once

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "base/binding.hpp"
#include "zerofab/mesh/box_array.hpp"

namespace zerofab::python {

/// HTML with a line of text and a drawing of the boxes, made by amrex._display.
template <int D>
std::string drawing(const BoxArray<D>& boxes, const std::string& title) {
    constexpr int enough = 401;  // one more than is drawn
    nb::list corners;
    for (int i = 0; i < std::min(static_cast<int>(boxes.size()), enough); ++i) {
        corners.append(nb::make_tuple(nb::cast(boxes[i].small_end().array()), nb::cast(boxes[i].big_end().array())));
    }
    return nb::cast<std::string>(nb::module_::import_("amrex._display").attr("boxes_html")(title, corners));
}

}  // namespace zerofab::python
