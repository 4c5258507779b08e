// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Vector_string.
#pragma once

#include <string>

#include "base/binding.hpp"
#include "memory/object_vector.hpp"

namespace zerofab::python {

/// What Python sees as Vector_string; functions take any sequence of str.
using StringVector = ObjectVector<std::string>;

}  // namespace zerofab::python
