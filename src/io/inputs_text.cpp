// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of inputs files and command lines, taken apart into definitions.
#include "io/inputs_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "io/file.hpp"
#include "io/inputs_tokens.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
constexpr std::size_t max_definitions = 4'000'000;
constexpr int max_file_depth = 32;
constexpr int max_files = 1000;

// Windows' line ends become those of everybody else, in strings too.
std::string read_all(const std::string& path) {
    std::string text;
    try {
        text = InputFile(path).all(max_file_bytes);
    } catch (const IoError& error) {
        throw IoError(concat("ParmParse: ", error.what(), "; an inputs file is a text of at most 16 MiB"));
    }
    std::size_t kept = 0;
    for (std::size_t n = 0; n < text.size(); ++n) {
        if (text[n] != '\r' || n + 1 == text.size() || text[n + 1] != '\n') text[kept++] = text[n];
    }
    text.resize(kept);
    return text;
}

struct Parsed {
    InputsReader reader;
    std::vector<Definition> definitions;
    int files = 0;
};

void parse(std::string_view text, std::string_view where, bool one_line, int depth, Parsed& found);

void parse_file(const std::string& path, int depth, Parsed& found) {
    if (depth > max_file_depth) {
        throw ValueError("ParmParse: more than 32 inputs files within each other at '" + path +
                         "'; does one name itself?");
    }
    if (++found.files > max_files) throw ValueError("ParmParse: more than 1000 inputs files at '" + path + "'");
    parse(read_all(path), "file '" + path + "'", false, depth, found);
}

bool is_equals(const Token* token) { return token != nullptr && token->kind == TokenKind::equals; }

[[noreturn]] void no_definition(std::string_view where, const Token& name) {
    std::string what =
        shown_text(name.text) + " is no definition: write `name = value`, and end a line that goes on with \\";
    if (name.text.starts_with('&') || name.text.starts_with('$')) {
        what = shown_text(name.text) + " is no definition. A Fortran namelist begins a line with &name and ends with /";
    }
    inputs_error(where, name.line, what);
}

void parse(std::string_view text, std::string_view where, bool one_line, int depth, Parsed& found) {
    InputsTokens tokens(text, where, one_line, found.reader);
    while (tokens.peek() != nullptr) {
        Token name = tokens.take();
        if (name.kind == TokenKind::equals) inputs_error(where, name.line, "'=' without a name before it");
        if (!is_equals(tokens.peek())) no_definition(where, name);
        if (name.text.empty() || name.kind == TokenKind::list || tokens.peek()->sentence != name.sentence) {
            inputs_error(where, name.line, shown_text(name.text) + " is no name for a parameter");
        }
        tokens.take();
        if (is_equals(tokens.peek())) tokens.take();  // "a = = 1" and "a == 1" are read as "a = 1"
        Definition definition{std::move(name.text), {}};
        bool has_value = false;
        while (tokens.peek() != nullptr && tokens.peek()->kind != TokenKind::equals && !is_equals(tokens.peek(1)) &&
               tokens.peek()->sentence == name.sentence) {
            Token value = tokens.take();
            has_value = true;
            if (value.kind == TokenKind::list)
                std::move(value.values.begin(), value.values.end(), std::back_inserter(definition.values));
            else
                definition.values.push_back(std::move(value.text));
        }
        if (!has_value) inputs_error(where, name.line, "no value for " + shown_text(definition.name));
        if (definition.name == "FILE") {
            for (const std::string& path : definition.values) parse_file(path, depth + 1, found);
        } else {
            if (found.definitions.size() >= max_definitions)
                inputs_error(where, name.line, "more than 4000000 definitions");
            found.definitions.push_back(std::move(definition));
        }
    }
}

bool reads_back(const std::string& line, const std::string& name, const std::vector<std::string>& values) {
    try {
        const std::vector<Definition> found = parse_inputs(line, {}, false);
        return found.size() == 1 && found[0].name == name && found[0].values == values;
    } catch (const ValueError&) {
        return false;
    }
}

/// As it is, with quotation marks, with three of them.
std::array<std::string, 3> written_ways(const std::string& text) {
    return {text, '"' + text + '"', "\"\"\"" + text + "\"\"\""};
}

/// The value as it is, or with quotation marks, whichever is the same value again between others and at the line's end.
std::string write_value(const std::string& name, const std::string& value) {
    for (const std::string& text : written_ways(value)) {
        if (reads_back("v = " + text + " 0 " + text + '\n', "v", {value, "0", value})) return text;
    }
    throw ValueError(
        "ParmParse: no inputs file can hold the value " + shown_text(value) + " of '" + name +
        "': it has bytes 0, or quotation marks at its end or three in a row besides blanks, brackets, = or "
        "a backslash");
}

}  // namespace

std::string write_definition(const Definition& definition) {
    for (const std::string& name : written_ways(definition.name)) {
        if (definition.name == "FILE" || !reads_back(name + " = 0", definition.name, {"0"})) continue;
        std::string line = name + (definition.values.empty() ? " = []" : " =");
        for (const std::string& value : definition.values) line += ' ' + write_value(definition.name, value);
        return line + '\n';
    }
    throw ValueError("ParmParse: no inputs file can define a parameter named " + shown_text(definition.name));
}

std::vector<Definition> parse_inputs(std::string_view text, std::string_view where, bool one_line,
                                     InputsReader reader) {
    Parsed found{reader, {}};
    parse(text, where, one_line, 0, found);
    return std::move(found.definitions);
}

std::vector<Definition> parse_inputs_file(const std::string& path, InputsReader reader) {
    Parsed found{reader, {}};
    parse_file(path, 0, found);
    return std::move(found.definitions);
}

}  // namespace zerofab::detail
