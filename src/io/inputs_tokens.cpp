// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of inputs files, taken apart into names, values and equals signs.
#include "io/inputs_tokens.hpp"

#include <algorithm>
#include <utility>

#include "io/expression.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

constexpr std::string_view triple = "\"\"\"";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_opening(char c) { return c == '(' || c == '[' || c == '{'; }
bool is_closing(char c) { return c == ')' || c == ']' || c == '}'; }
char closing(char open) { return open == '(' ? ')' : (open == '[' ? ']' : '}'); }

// The bytes of the blank at `at`, 0 if there is none: ASCII's, and those of UTF-8 that editors and web pages leave
// behind (no-break spaces, spaces of all widths, byte-order marks).
std::size_t blank_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t n) { return n < text.size() ? static_cast<unsigned char>(text[n]) : 0U; };
    const unsigned first = byte(at);
    if (first == ' ' || (first >= '\t' && first <= '\r')) return 1;
    if (first < 0x80) return 0;
    if (first == 0xC2) return byte(at + 1) == 0xA0 ? 2 : 0;
    if (first == 0xA0) return at == 0 || byte(at - 1) < 0x80 ? 1 : 0;  // Latin-1
    const unsigned rest = (byte(at + 1) << 8U) | byte(at + 2);
    const bool wide = (first == 0xE2 && ((rest >= 0x8080 && rest <= 0x808B) || rest == 0x80AF || rest == 0x819F)) ||
                      (first == 0xE3 && rest == 0x8080) || (first == 0xEF && rest == 0xBBBF);
    return wide ? 3 : 0;
}

// A line that begins with a #, its blanks those of ASCII; nothing of any other line.
std::string directive(std::string_view line) {
    std::size_t at = 0;
    while (const std::size_t bytes = blank_at(line, at)) at += bytes;
    std::string text;
    if (at == line.size() || line[at] != '#') return text;
    while (at < line.size()) {
        const std::size_t bytes = blank_at(line, at);
        text += bytes > 0 ? ' ' : line[at];
        at += std::max(bytes, std::size_t{1});
    }
    return text;
}

// What stands between brackets, put together piece by piece: as one text, and of a list the values.
class Group {
public:
    explicit Group(char open) : verbatim_(open == '('), list_(open == '[') {}

    // Blanks between pieces: of "(1, 2)" they are kept, of other brackets those that part words.
    void add_blanks(std::string_view blanks) { blanks_ += blanks; }

    bool after_word() const { return blanks_.empty() && !text_.empty() && kind_ == 'w'; }

    // A piece within `depth` brackets: 'w' a word, 's' a string, ',', '(' any opening and ')' any closing bracket.
    // False for a comma with nothing before it in a list.
    bool add(char kind, std::string_view piece, std::size_t depth) {
        const bool parted = !blanks_.empty();
        const bool tight = kind_ == '(' || kind_ == ',' || kind == ')' || kind == ',';
        const std::string_view between = verbatim_ ? std::string_view(blanks_) : (parted && !tight ? " " : "");
        text_.append(between).append(piece);
        list_ = list_ && (depth == 0 || piece != "[");
        if (list_ && depth == 0) {
            if (kind == ')') end_value();
        } else if (list_ && depth > 1) {
            value_.append(between).append(piece);
        } else if (list_ && !add_to_list(kind, piece, parted)) {
            return false;
        }
        blanks_.clear();
        kind_ = kind;
        return true;
    }

    // Whether it is a list, none within it.
    bool is_list() const { return list_; }
    std::string& text() { return text_; }
    std::vector<std::string>& values() { return values_; }

private:
    bool add_to_list(char kind, std::string_view piece, bool parted) {
        if (kind == ',') {
            end_value();
            return std::exchange(place_is_full_, false);
        }
        place_is_full_ = true;
        if (kind == 's') {
            end_value();
            const std::size_t marks = piece.size() >= 6 && piece.starts_with(triple) ? 3 : 1;
            values_.emplace_back(piece.substr(marks, piece.size() - 2 * marks));
            return true;
        }
        if (parted && !value_.empty() && kind != ')') {
            if (goes_on(value_, piece))
                value_ += ' ';
            else
                end_value();
        }
        value_ += piece;
        return true;
    }

    void end_value() {
        if (!value_.empty()) values_.push_back(std::exchange(value_, {}));
    }

    bool verbatim_, list_;
    bool place_is_full_ = false;  // something stands since the last comma
    char kind_ = '(';             // of the last piece
    std::string text_, value_, blanks_;
    std::vector<std::string> values_;
};

}  // namespace

void inputs_error(std::string_view where, int line, const std::string& what) {
    throw ValueError(concat("ParmParse: ", where, ", line ", line, ": ", what));
}

std::string shown_text(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string quoted = "'";
    quoted += text.substr(0, most);
    quoted += text.size() <= most ? "'" : "...'";
    return quoted;
}

InputsTokens::InputsTokens(std::string_view text, std::string_view where, bool one_line, InputsReader reader)
    : text_(text), where_(where), one_line_(one_line), conditions_(where, reader) {
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
        fail("the text is in UTF-16; save it as UTF-8");
    }
    if (const std::size_t zero = text_.find('\0'); zero != std::string_view::npos) {
        advance_to(zero);
        fail("a byte 0: this is no text");
    }
    enter_line();
}

const Token* InputsTokens::peek(std::size_t ahead) {
    while (ahead_.size() <= ahead) {
        Token token;
        if (!read(token)) return nullptr;
        ahead_.push_back(std::move(token));
    }
    return &ahead_[ahead];
}

Token InputsTokens::take() {
    Token token = std::move(ahead_.front());
    ahead_.pop_front();
    return token;
}

void InputsTokens::fail(const std::string& what) const { inputs_error(where_, line_, what); }

bool InputsTokens::read(Token& token) {
    while (true) {
        if (!skip_blanks()) {
            conditions_.finish();
            return false;
        }
        if (one_line_ || text_[pos_] != '&' || last_sentence_ == sentence_ || pos_ + 1 == text_.size() ||
            !is_letter(text_[pos_ + 1])) {
            break;
        }
        skip_namelist();
    }
    token.line = line_;
    token.sentence = last_sentence_ = sentence_;
    const char c = text_[pos_];
    if (c == '=') {
        token.kind = TokenKind::equals;
        token.text = c;
        ++pos_;
    } else if (c == '"') {
        token.kind = TokenKind::quoted;
        std::string_view text = quoted();
        const std::size_t marks = text.size() >= 6 && text.starts_with(triple) ? 3 : 1;
        token.text = text.substr(marks, text.size() - 2 * marks);
    } else if (is_opening(c)) {
        bracketed(token);
    } else {
        while (at_word()) token.text += text_[pos_++];
    }
    return true;
}

// At the beginning of a line: past lines that are not to be read.
void InputsTokens::enter_line() {
    while (!one_line_ && pos_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', pos_), text_.size());
        if (!conditions_.takes(directive(text_.substr(pos_, end - pos_)), line_)) break;
        pos_ = end;
        if (pos_ < text_.size()) next_line();
    }
}

void InputsTokens::next_line() {
    ++pos_;
    ++line_;
}

// To the next token; false at the end.
bool InputsTokens::skip_blanks() {
    while (pos_ < text_.size()) {
        if (text_[pos_] == '#' && !one_line_) {
            skip_comment();
        } else if (text_[pos_] == '\n') {
            next_line();
            if (!one_line_) ++sentence_;
            enter_line();
        } else if (!skip_blank()) {
            return true;
        }
    }
    return false;
}

void InputsTokens::skip_comment() { pos_ = std::min(text_.find('\n', pos_), text_.size()); }

// Past a blank that is no line end, or past the end of a line that is continued; false if there is none.
bool InputsTokens::skip_blank() {
    if (const std::size_t bytes = blank_at(text_, pos_); bytes > 0) {
        pos_ += bytes;
        return true;
    }
    const std::size_t end = continuation(pos_);
    if (end == 0) return false;
    advance_to(end);
    enter_line();
    return true;
}

// One past the line end if a backslash at `at` is the last thing in its line, else 0.
std::size_t InputsTokens::continuation(std::size_t at) const {
    if (text_[at] != '\\') return 0;
    ++at;
    while (const std::size_t bytes = blank_at(text_, at)) {
        if (text_[at] == '\n') return at + 1;
        at += bytes;
    }
    return at == text_.size() ? at : 0;
}

bool InputsTokens::at_word() const {
    return pos_ < text_.size() && blank_at(text_, pos_) == 0 && text_[pos_] != '=' && continuation(pos_) == 0;
}

// Past a string, with the one or three quotation marks on both sides.
std::string_view InputsTokens::quoted() {
    const std::string_view mark = text_.substr(pos_, 3) == triple ? triple : triple.substr(0, 1);
    const std::size_t begin = pos_;
    const std::size_t end = text_.find(mark, begin + mark.size());
    if (end == std::string_view::npos) {
        fail("the quotation mark before " + shown_text(text_.substr(begin + mark.size())) + " is never closed");
    }
    advance_to(end + mark.size());
    return text_.substr(begin, pos_ - begin);
}

// "(1, 2, 3)" is one value, line ends within it included, with what follows without a blank: "(1+2)*3".
void InputsTokens::bracketed(Token& token) {
    const std::size_t begin = pos_;
    Group group(text_[pos_]);
    std::string closers;
    do {
        if (pos_ == text_.size()) {
            inputs_error(where_, token.line, "the bracket in " + shown_text(text_.substr(begin)) + " is never closed");
        }
        const char c = text_[pos_];
        if (const std::size_t bytes = blank_at(text_, pos_); bytes > 0) {
            group.add_blanks(text_.substr(pos_, bytes));
            advance_to(pos_ + bytes);
            if (c == '\n') enter_line();
        } else if (continuation(pos_) != 0) {
            skip_blank();
            group.add_blanks(" ");
        } else if (c == '#' && !one_line_) {
            if (group.after_word()) {
                fail("in brackets a # behind " + shown_text(text_.substr(begin, pos_ - begin)) +
                     " wants a blank before it, to begin a comment, or quotation marks around the text");
            }
            skip_comment();
        } else if (c == '"') {
            group.add('s', quoted(), closers.size());
        } else if (is_opening(c)) {
            group.add('(', text_.substr(pos_++, 1), closers.size());
            closers += closing(c);
        } else if (is_closing(c)) {
            if (c != closers.back()) {
                fail(concat("'", c, "' where '", closers.back(), "' has to close the bracket in ",
                            shown_text(text_.substr(begin, pos_ - begin))));
            }
            closers.pop_back();
            group.add(')', text_.substr(pos_++, 1), closers.size());
        } else if (c == ',') {
            if (!group.add(',', text_.substr(pos_++, 1), closers.size())) {
                fail("no value before a comma in " + shown_text(text_.substr(begin, pos_ - begin)));
            }
        } else {
            const std::size_t from = pos_;
            while (pos_ < text_.size() && blank_at(text_, pos_) == 0 && continuation(pos_) == 0 && text_[pos_] != ',' &&
                   text_[pos_] != '"' && !is_opening(text_[pos_]) && !is_closing(text_[pos_]) &&
                   (text_[pos_] != '#' || one_line_)) {
                ++pos_;
            }
            group.add('w', text_.substr(from, pos_ - from), closers.size());
        }
    } while (!closers.empty());
    token.text = std::move(group.text());
    if (group.is_list() && !at_word()) {
        token.kind = TokenKind::list;
        token.values = std::move(group.values());
    }
    while (at_word()) token.text += text_[pos_++];
}

// Past "&name ... /": what codes in Fortran read from the same file. Their strings may hold a "/", their comments too.
void InputsTokens::skip_namelist() {
    const int begin_line = line_;
    const std::string name = shown_text(text_.substr(pos_, text_.find_first_of(" \t\r\n", pos_) - pos_));
    const auto word_is_end = [&] {
        const std::string_view word = text_.substr(pos_ + 1, 3);
        return std::equal(word.begin(), word.end(), "end", [](char a, char b) { return (a | 0x20) == b; }) &&
               word.size() == 3 && (pos_ + 4 == text_.size() || !is_letter(text_[pos_ + 4]));
    };
    if (word_is_end()) fail(name + " without the beginning of a Fortran namelist");
    char quote = '\0';
    for (++pos_; pos_ < text_.size(); advance_to(pos_ + 1)) {
        const char c = text_[pos_];
        if (quote != '\0') {
            if (c == quote || c == '\n') quote = '\0';
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '!') {
            pos_ = std::min(text_.find('\n', pos_), text_.size()) - 1;
        } else if (c == '/' || (c == '&' && word_is_end())) {
            skip_comment();
            return;
        }
    }
    inputs_error(where_, begin_line, "the Fortran namelist " + name + " is never closed by a /");
}

void InputsTokens::advance_to(std::size_t end) {
    for (; pos_ < end; ++pos_) line_ += text_[pos_] == '\n';
}

}  // namespace zerofab::detail
