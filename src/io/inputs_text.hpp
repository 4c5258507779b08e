// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of inputs files and command lines, taken apart into definitions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/inputs_condition.hpp"

namespace zerofab::detail {

/// `name = value value ...`, in the order of the text.
struct Definition {
    std::string name;
    std::vector<std::string> values;
};

/// Definitions of a text; `where` names it in messages. With `one_line` line ends are blanks (a command line).
/// `FILE = name` definitions are replaced by the definitions in that file; `reader` is who reads. ValueError, IoError.
std::vector<Definition> parse_inputs(std::string_view text, std::string_view where, bool one_line,
                                     InputsReader reader = {});

/// The line that reads back as this definition. ValueError if there is none: a value with three quotation marks in a
/// row, say, or the name FILE.
std::string write_definition(const Definition& definition);

/// Definitions of a file.
std::vector<Definition> parse_inputs_file(const std::string& path, InputsReader reader = {});

}  // namespace zerofab::detail
