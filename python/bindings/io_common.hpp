// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What the files of the io bindings share.
#pragma once

#include <string>
#include <vector>

#include "binding.hpp"

namespace zerofab::python {

/// What Python sees as Vector_string; functions take any sequence of str.
struct StringVector {
    std::vector<std::string> values;
};

void register_vector_string(nb::module_& m);

}  // namespace zerofab::python
