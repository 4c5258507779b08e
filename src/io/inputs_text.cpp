// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of inputs files and command lines, taken apart into definitions.
#include "io/inputs_text.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{16} << 20;
constexpr std::size_t max_definitions = 4'000'000;
constexpr int max_file_depth = 32;
constexpr int max_files = 1000;

enum class TokenKind { word, quoted, equals };

struct Token {
    TokenKind kind;
    std::string text;
    int line;      // in the file, for messages
    int sentence;  // the same for all tokens of one definition: a continued line does not end it
};

[[noreturn]] void syntax_error(std::string_view where, int line, const std::string& what) {
    throw ValueError("ParmParse: " + std::string(where) + ", line " + std::to_string(line) + ": " + what);
}

std::string shown(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string quoted = "'";
    quoted += text.substr(0, most);
    quoted += text.size() <= most ? "'" : "...'";
    return quoted;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

class Tokenizer {
public:
    Tokenizer(std::string_view text, std::string_view where, bool one_line)
        : text_(text), where_(where), one_line_(one_line) {}

    std::vector<Token> run() {
        std::vector<Token> tokens;
        while (skip_blanks()) {
            const char c = text_[pos_];
            if (c == '=') {
                ++pos_;
                tokens.push_back({TokenKind::equals, "=", line_, sentence_});
            } else if (c == '"') {
                tokens.push_back(quoted());
            } else if (c == '(' || c == '[') {
                tokens.push_back(bracketed());
            } else {
                tokens.push_back(word());
            }
        }
        return tokens;
    }

private:
    // To the next token; false at the end.
    bool skip_blanks() {
        while (pos_ < text_.size()) {
            const char c = text_[pos_];
            if (c == '#' && !one_line_) {
                while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
            } else if (c == '\n') {
                next_line();
                if (!one_line_) ++sentence_;
            } else if (is_blank(c)) {
                ++pos_;
            } else if (const std::size_t end = continuation(pos_); end != 0) {
                pos_ = end;
                ++line_;
            } else {
                return true;
            }
        }
        return false;
    }

    // One past the line end if a backslash at `at` is the last thing in its line, else 0.
    std::size_t continuation(std::size_t at) const {
        if (text_[at] != '\\') return 0;
        for (++at; at < text_.size() && is_blank(text_[at]); ++at) {
            if (text_[at] == '\n') return at + 1;
        }
        return at == text_.size() ? at : 0;
    }

    void next_line() {
        ++pos_;
        ++line_;
    }

    Token word() {
        const std::size_t begin = pos_;
        while (pos_ < text_.size() && !is_blank(text_[pos_]) && text_[pos_] != '=' && continuation(pos_) == 0) ++pos_;
        return {TokenKind::word, std::string(text_.substr(begin, pos_ - begin)), line_, sentence_};
    }

    Token quoted() {
        const std::size_t end = text_.find('"', pos_ + 1);
        if (end == std::string_view::npos) {
            syntax_error(where_, line_,
                         "the quotation mark before " + shown(text_.substr(pos_ + 1)) + " is never closed");
        }
        Token token{TokenKind::quoted, std::string(text_.substr(pos_ + 1, end - pos_ - 1)), line_, sentence_};
        advance_to(end + 1);
        return token;
    }

    // "(1, 2, 3)" is one value, blanks and line ends within it included.
    Token bracketed() {
        const char open = text_[pos_];
        const char close = open == '(' ? ')' : ']';
        std::size_t depth = 0;
        std::size_t end = pos_;
        for (; end < text_.size(); ++end) {
            if (text_[end] == open) ++depth;
            if (text_[end] == close && --depth == 0) break;
        }
        if (end == text_.size()) {
            syntax_error(where_, line_, "the bracket in " + shown(text_.substr(pos_)) + " is never closed");
        }
        // "(1+2)*3" goes on to the next blank
        for (++end; end < text_.size() && !is_blank(text_[end]) && text_[end] != '='; ++end) {
        }
        Token token{TokenKind::word, std::string(text_.substr(pos_, end - pos_)), line_, sentence_};
        advance_to(end);
        return token;
    }

    void advance_to(std::size_t end) {
        for (; pos_ < end; ++pos_) line_ += text_[pos_] == '\n';
    }

    std::string_view text_;
    std::string_view where_;
    bool one_line_;
    std::size_t pos_ = 0;
    int line_ = 1;
    int sentence_ = 1;
};

// "[1, 2]" is the values 1 and 2, "[]" none; a nested list stays one text.
void append_value(std::vector<std::string>& values, Token& token) {
    std::string& text = token.text;
    const bool flat_list = token.kind == TokenKind::word && text.size() >= 2 && text.front() == '[' &&
                           text.back() == ']' && text.find_first_of("[]", 1) == text.size() - 1;
    if (!flat_list) {
        values.push_back(std::move(text));
        return;
    }
    std::string item;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ',' || c == ']' || is_blank(c)) {
            if (!item.empty()) values.push_back(std::exchange(item, {}));
        } else {
            item += c;
        }
    }
}

std::string read_all(const std::string& path) {
    const auto fail = [&](int error) {
        throw IoError("ParmParse: cannot read the inputs file '" + path + "': " + std::strerror(error));
    };
    if (path.find('\0') != std::string::npos) fail(EINVAL);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail(EISDIR);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) fail(errno);
    std::string text;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
        text.append(buffer.data(), n);
        if (text.size() > max_file_bytes) {
            throw IoError("ParmParse: the inputs file '" + path + "' is larger than 16 MiB; it is no inputs file");
        }
    }
    if (std::ferror(file.get()) != 0) fail(errno);
    return text;
}

struct Found {
    std::vector<Definition> definitions;
    int files = 0;
};

void parse(std::string_view text, std::string_view where, bool one_line, int depth, Found& found);

void parse_file(const std::string& path, int depth, Found& found) {
    if (depth > max_file_depth) {
        throw ValueError("ParmParse: more than 32 inputs files within each other at '" + path +
                         "'; does one name itself?");
    }
    if (++found.files > max_files) throw ValueError("ParmParse: more than 1000 inputs files at '" + path + "'");
    parse(read_all(path), "file '" + path + "'", false, depth, found);
}

void parse(std::string_view text, std::string_view where, bool one_line, int depth, Found& found) {
    std::vector<Token> tokens = Tokenizer(text, where, one_line).run();
    const auto is_equals = [&](std::size_t i) { return i < tokens.size() && tokens[i].kind == TokenKind::equals; };
    std::size_t i = 0;
    while (i < tokens.size()) {
        const Token& name = tokens[i];
        if (name.kind == TokenKind::equals) syntax_error(where, name.line, "'=' without a name before it");
        if (!is_equals(i + 1)) {
            syntax_error(
                where, name.line,
                shown(name.text) + " is no definition: write `name = value`, and end a line that goes on with \\");
        }
        if (name.text.empty() || name.kind == TokenKind::quoted || tokens[i + 1].sentence != name.sentence) {
            syntax_error(where, name.line, shown(name.text) + " is no name for a parameter");
        }
        Definition definition{name.text, {}};
        std::size_t j = i + 2;
        for (; j < tokens.size() && !is_equals(j + 1) && tokens[j].kind != TokenKind::equals; ++j) {
            if (tokens[j].sentence != name.sentence) break;
            append_value(definition.values, tokens[j]);
        }
        if (j == i + 2) syntax_error(where, name.line, "no value for " + shown(definition.name));
        if (definition.name == "FILE") {
            for (const std::string& path : definition.values) parse_file(path, depth + 1, found);
        } else {
            if (found.definitions.size() >= max_definitions)
                syntax_error(where, name.line, "more than 4000000 definitions");
            found.definitions.push_back(std::move(definition));
        }
        i = j;
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

/// The value with or without quotation marks, whichever is the same value again between others and at the line's end.
std::string write_value(const std::string& name, const std::string& value) {
    for (const std::string& text : {value, '"' + value + '"'}) {
        if (reads_back("v = " + text + " 0 " + text + '\n', "v", {value, "0", value})) return text;
    }
    throw ValueError("ParmParse: no inputs file can hold the value " + shown(value) + " of '" + name +
                     "': it has quotation marks besides blanks, brackets, = or a backslash");
}

}  // namespace

std::string write_definition(const Definition& definition) {
    if (definition.name == "FILE" || !reads_back(definition.name + " = 0", definition.name, {"0"})) {
        throw ValueError("ParmParse: no inputs file can define a parameter named " + shown(definition.name));
    }
    std::string line = definition.name + (definition.values.empty() ? " = []" : " =");
    for (const std::string& value : definition.values) line += ' ' + write_value(definition.name, value);
    return line + '\n';
}

std::vector<Definition> parse_inputs(std::string_view text, std::string_view where, bool one_line) {
    Found found;
    parse(text, where, one_line, 0, found);
    return std::move(found.definitions);
}

std::vector<Definition> parse_inputs_file(const std::string& path) {
    Found found;
    parse_file(path, 0, found);
    return std::move(found.definitions);
}

}  // namespace zerofab::detail
