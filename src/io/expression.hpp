// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Numbers of inputs files: arithmetic expressions over reals or integers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "zerofab/base/types.hpp"

namespace zerofab::detail {

/// Bounds what one evaluation may cost, the parameters that it looks up included.
struct EvalBudget {
    int steps = 200'000;  ///< tokens that may still be read
    int depth = 0;        ///< expressions within each other
};

/// The text of the parameter that an expression names; nullptr if there is none.
using NameLookup = std::function<const std::string*(std::string_view name)>;

/// The value of `text`; T is Real or Long. Integer arithmetic divides toward zero and refuses to overflow.
/// ValueError says what is wrong with the text, without naming the parameter.
template <class T>
T evaluate(std::string_view text, const NameLookup& lookup, EvalBudget& budget);

}  // namespace zerofab::detail
