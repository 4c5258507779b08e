// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Errors of boxes.
#include "zerofab/index/box.hpp"

#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::detail {

namespace {
std::string type_name(int dim, unsigned bits) {
    std::string s = "(";
    for (int d = 0; d < dim; ++d) {
        if (d > 0) s += ",";
        s += ((bits >> d) & 1u) != 0 ? "node" : "cell";
    }
    return s + ")";
}
}  // namespace

void throw_type_mismatch(const char* what, int dim, unsigned a, unsigned b) {
    throw ValueError(concat(what, " of boxes with different index types ", type_name(dim, a), " and ",
                            type_name(dim, b), "; convert one of them first"));
}

}  // namespace zerofab::detail
