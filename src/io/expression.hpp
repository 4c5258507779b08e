// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Numbers of inputs files: arithmetic expressions over reals or integers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "zerofab/base/types.hpp"

namespace zerofab::detail {

/// Bounds what one evaluation may cost, the parameters that it looks up included.
struct EvalBudget {
    int steps = 200'000;  ///< tokens that may still be read
    int depth = 0;        ///< expressions within each other
};

/// The text of the parameter that an expression names; empty if there is none.
using NameLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// The value of `text`; T is Real or Long. Integer arithmetic divides toward zero, or by // downward, and refuses to
/// overflow; among reals // begins a comment, as in AMReX. true and false, in any case, are values only as the whole
/// text. ValueError says what is wrong with the text, without naming the parameter.
template <class T>
T evaluate(std::string_view text, const NameLookup& lookup, EvalBudget& budget);

/// Whether a text and the word after it, with a blank between, are parts of one expression: the text ends with an
/// operator or the word begins with one. "2 -3" are two numbers, "2 - 3" is one expression.
bool goes_on(std::string_view left, std::string_view right);

}  // namespace zerofab::detail
