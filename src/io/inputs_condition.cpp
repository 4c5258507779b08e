// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Conditions of inputs files: which of their lines are meant for the space that reads them.
#include "io/inputs_condition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/types.hpp"

namespace zerofab::detail {
namespace {

constexpr int max_depth = 100;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || is_upper(c) || is_digit(c) || c == '_'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// The text before a comment of any of the usual kinds.
std::string_view without_comment(std::string_view text) {
    text = text.substr(0, text.find('#'));
    text = text.substr(0, text.find("//"));
    return trimmed(text.substr(0, text.find("/*")));
}

std::string shown(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string quoted = "'";
    quoted += text.substr(0, most);
    quoted += text.size() <= most ? "'" : "...'";
    return quoted;
}

/// A name of the preprocessor: whether this library knows of it, whether it is defined, and as what. What is not
/// defined is 0, as in C.
struct Name {
    bool heard_of = false;
    std::optional<bool> defined;
    std::optional<Long> value;
};

Name name_of(std::string_view name, InputsReader reader) {
    if (name == "AMREX_SPACEDIM" || name == "BL_SPACEDIM") {
        return {true, true, reader.dim > 0 ? std::optional<Long>(reader.dim) : std::nullopt};
    }
    if (name == "AMREX_USE_FLOAT" || name == "BL_USE_FLOAT") return {true, false, 0};  // Real is double
    constexpr std::array<std::array<std::string_view, 2>, 5> backends{{{"AMREX_USE_GPU", ""},
                                                                       {"AMREX_USE_CUDA", "cuda"},
                                                                       {"AMREX_USE_HIP", "hip"},
                                                                       {"AMREX_USE_SYCL", "sycl"},
                                                                       {"AMREX_USE_DPCPP", "sycl"}}};
    for (const auto& [known, backend] : backends) {
        if (name != known) continue;
        if (reader.backend.empty()) return {true, std::nullopt, std::nullopt};
        const bool used = backend.empty() ? reader.backend != "cpu" : reader.backend == backend;
        return {true, used, used ? 1 : 0};
    }
    return {};
}

/// Numbers that may be unknown: no value where the truth hangs on a name that nobody knows.
using Maybe = std::optional<Long>;

class Condition {
public:
    Condition(std::string_view text, InputsReader reader) : text_(text), reader_(reader) {}

    /// False if it is no condition.
    bool read() {
        value = either();
        return good_ && pos_ == text_.size();
    }

    Maybe value;
    std::string_view unknown;   // the first name without a value
    bool like_macros = true;    // all names look like names of the preprocessor
    bool only_heard_of = true;  // all names are of this library, or in defined()

private:
    void skip_blanks() {
        while (pos_ < text_.size() && is_blank(text_[pos_])) ++pos_;
    }

    bool accept(std::string_view symbol) {
        skip_blanks();
        if (text_.substr(pos_, symbol.size()) != symbol) return false;
        const std::size_t end = pos_ + symbol.size();
        if (is_word(symbol[0]) && end < text_.size() && is_word(text_[end])) return false;
        pos_ = end;
        return true;
    }

    std::string_view name() {
        skip_blanks();
        const std::size_t begin = pos_;
        while (pos_ < text_.size() && is_word(text_[pos_])) ++pos_;
        return text_.substr(begin, pos_ - begin);
    }

    Maybe none() {
        good_ = false;
        pos_ = text_.size();
        return {};
    }

    Maybe either() {
        if (++depth_ > max_depth) return none();
        Maybe left = both();
        while (accept("||") || accept("or")) {
            const Maybe right = both();
            const bool yes = left.value_or(0) != 0 || right.value_or(0) != 0;
            left = yes ? Maybe(1) : (left && right ? Maybe(0) : Maybe());
        }
        --depth_;
        return left;
    }

    Maybe both() {
        Maybe left = comparison();
        while (accept("&&") || accept("and")) {
            const Maybe right = comparison();
            const bool no = left.value_or(1) == 0 || right.value_or(1) == 0;
            left = no ? Maybe(0) : (left && right ? Maybe(1) : Maybe());
        }
        return left;
    }

    template <class F>
    static Maybe combined(Maybe a, Maybe b, F function) {
        return a && b ? Maybe(function(*a, *b)) : Maybe();
    }

    Maybe comparison() {
        Maybe left = sum();
        while (good_) {
            if (accept("=="))
                left = combined(left, sum(), [](Long a, Long b) { return Long{a == b}; });
            else if (accept("!="))
                left = combined(left, sum(), [](Long a, Long b) { return Long{a != b}; });
            else if (accept("<="))
                left = combined(left, sum(), [](Long a, Long b) { return Long{a <= b}; });
            else if (accept(">="))
                left = combined(left, sum(), [](Long a, Long b) { return Long{a >= b}; });
            else if (accept("<"))
                left = combined(left, sum(), [](Long a, Long b) { return Long{a < b}; });
            else if (accept(">"))
                left = combined(left, sum(), [](Long a, Long b) { return Long{a > b}; });
            else
                break;
        }
        return left;
    }

    Maybe sum() {
        Maybe left = atom();
        while (good_) {
            // numbers have at most 9 digits and are not multiplied: a line of them cannot overflow
            if (accept("+"))
                left = combined(left, atom(), [](Long a, Long b) { return a + b; });
            else if (accept("-"))
                left = combined(left, atom(), [](Long a, Long b) { return a - b; });
            else
                break;
        }
        return left;
    }

    Maybe atom() {
        if (++depth_ > max_depth) return none();
        const Maybe result = sign_or_name();
        --depth_;
        return result;
    }

    Maybe sign_or_name() {
        if (accept("!") || accept("not")) {
            const Maybe operand = atom();
            return operand ? Maybe(*operand == 0) : Maybe();
        }
        if (accept("-")) {
            const Maybe operand = atom();
            return operand ? Maybe(-*operand) : Maybe();
        }
        if (accept("(")) {
            const Maybe inner = either();
            return accept(")") ? inner : none();
        }
        const std::string_view word = name();
        if (word.empty()) return none();
        if (is_digit(word[0])) return number(word);
        if (word == "defined") return is_defined();
        return look(word).value;
    }

    Maybe number(std::string_view word) {
        while (word.size() > 1 && std::string_view("uUlL").find(word.back()) != std::string_view::npos) {
            word.remove_suffix(1);
        }
        Long number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc{} || end != word.data() + word.size() || word.size() > 9) return none();
        return number;
    }

    Maybe is_defined() {
        const bool bracket = accept("(");
        const std::string_view word = name();
        if (word.empty() || is_digit(word[0]) || (bracket && !accept(")"))) return none();
        const bool known_before = only_heard_of;
        const Name found = look(word, false);
        only_heard_of = known_before;
        return found.defined ? Maybe(*found.defined) : Maybe();
    }

    Name look(std::string_view word, bool for_value = true) {
        Name found = name_of(word, reader_);
        only_heard_of = only_heard_of && found.heard_of;
        like_macros = like_macros && (found.heard_of || !for_value || std::any_of(word.begin(), word.end(), is_upper));
        if (unknown.empty() && !(for_value ? found.value.has_value() : found.defined.has_value())) unknown = word;
        return found;
    }

    std::string_view text_;
    InputsReader reader_;
    std::size_t pos_ = 0;
    int depth_ = 0;
    bool good_ = true;
};

}  // namespace

void InputsConditions::fail(int number, const std::string& what) const {
    throw ValueError(concat("ParmParse: ", where_, ", line ", number, ": ", what));
}

void InputsConditions::unmatched(std::string_view word, int number) const {
    std::string what = std::string("'").append(word) + "' without an #if before it";
    if (doubtful_ > 0) {
        what += concat("; line ", doubtful_,
                       " begins like one, but what follows cannot be read as a condition, so that it is a comment");
    }
    fail(number, what);
}

bool InputsConditions::holds(std::string_view text, int number) const {
    Condition condition(text, reader_);
    if (!condition.read()) fail(number, "cannot read the condition " + shown(text));
    if (condition.value) return *condition.value != 0;
    std::string why = concat("the condition ", shown(text), " hangs on '", condition.unknown, "', ");
    const Name name = name_of(condition.unknown, reader_);
    if (!name.heard_of) {
        why +=
            "of which this library knows nothing: delete the condition and the branches that are not meant (it knows "
            "AMREX_SPACEDIM, and AMREX_USE_GPU, AMREX_USE_CUDA, AMREX_USE_HIP and AMREX_USE_SYCL in a run)";
    } else if (name.defined) {
        why +=
            "but it is not known which space reads the file: several are in use. Say it: addfile(filename, dim=2), or "
            "read the file by initialize() of that space";
    } else {
        why += "which is known only after initialize(): read the file then, by addfile()";
    }
    fail(number, why);
}

void InputsConditions::begin(std::string_view condition, int number) {
    const bool outer = active();
    const bool yes = outer && holds(condition, number);
    open_.push_back({number, outer, yes, yes});
}

void InputsConditions::next(std::string_view condition, int number) {
    Branch& branch = open_.back();
    if (branch.last) fail(number, concat("#elif after the #else of the #if of line ", branch.line));
    const bool asked = branch.outer && !branch.taken;
    branch.active = asked && holds(condition, number);
    branch.taken = branch.taken || branch.active;
}

// False if it is a comment.
bool InputsConditions::otherwise(std::string_view rest, bool spaced, int number) {
    const bool bare = without_comment(rest).empty();
    if (open_.empty()) {
        if (!bare || spaced) return false;
        unmatched("#else", number);
    }
    if (!bare) fail(number, "text after #else, " + shown(rest) + ": write it as a comment, after another #");
    Branch& branch = open_.back();
    if (branch.last) fail(number, concat("a second #else for the #if of line ", branch.line));
    branch.last = true;
    branch.active = branch.outer && !branch.taken;
    branch.taken = true;
    return true;
}

bool InputsConditions::takes(std::string_view line, int number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text[0] != '#') return !active();
    std::size_t at = 1;
    while (at < text.size() && is_blank(text[at])) ++at;
    const bool spaced = at > 1;  // "# if": more likely a comment than "#if"
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::string_view rest = trimmed(text.substr(end));

    if (word == "ifdef" || word == "ifndef" || word == "elifdef" || word == "elifndef") {
        const std::string_view name = without_comment(rest);
        if (name.empty() || is_digit(name[0]) || !std::all_of(name.begin(), name.end(), is_word)) {
            fail(number, concat(std::string("#").append(word), " wants one name, not ", shown(rest)));
        }
        std::string condition = word.find('n') == std::string_view::npos ? "defined(" : "!defined(";
        condition.append(name) += ')';
        if (word[0] == 'e' && open_.empty()) unmatched(text, number);
        word[0] == 'i' ? begin(condition, number) : next(condition, number);
        return true;
    }
    if (word == "if") {
        const std::string_view condition = without_comment(rest);
        Condition tried(condition, reader_);
        if (tried.read() && (spaced ? tried.only_heard_of : tried.like_macros)) {
            begin(condition, number);
            return true;
        }
        const bool meant = !spaced && (condition.find("AMREX_") != std::string_view::npos ||
                                       condition.find("BL_") != std::string_view::npos ||
                                       condition.find("defined") != std::string_view::npos);
        if (meant) fail(number, "cannot read the condition " + shown(condition));
        doubtful_ = number;
        return !active();
    }
    if (word == "elif") {
        if (open_.empty()) unmatched("#elif", number);
        next(without_comment(rest), number);
        return true;
    }
    if (word == "else" && otherwise(rest, spaced, number)) return true;
    if (word == "endif") {
        if (open_.empty()) unmatched("#endif", number);
        open_.pop_back();
        return true;
    }
    if (active() && !spaced && word == "include" && rest.size() > 2 &&
        ((rest.front() == '"' && rest.back() == '"') || (rest.front() == '<' && rest.back() == '>'))) {
        fail(number, "inputs files read others by `FILE = name`, not by #include");
    }
    if (active() && !spaced && word == "error" && !open_.empty()) fail(number, "the file refuses: " + shown(rest));
    return !active();
}

void InputsConditions::finish() const {
    if (!open_.empty()) fail(open_.back().line, "this condition is never closed by an #endif");
}

}  // namespace zerofab::detail
