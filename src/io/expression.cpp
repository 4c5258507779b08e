// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Numbers of inputs files: arithmetic expressions over reals or integers.
#include "io/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <type_traits>
#include <vector>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

constexpr int max_depth = 200;

[[noreturn]] void fail(const std::string& what) { throw ValueError(what); }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool same_word(std::string_view a, std::string_view lower) {
    return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
        return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
    });
}

bool is_true(std::string_view word) { return same_word(word, "true") || same_word(word, "t"); }
bool is_false(std::string_view word) { return same_word(word, "false") || same_word(word, "f"); }

template <class T>
T divided(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        if (b == 0) fail("integer division by zero");
        if (a == std::numeric_limits<T>::min() && b == -1) fail("integer overflow");
    }
    return a / b;
}

// Division downward.
Long divided_down(Long a, Long b) {
    const Long quotient = divided(a, b);
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

template <class T>
T added(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        T sum;
        if (__builtin_add_overflow(a, b, &sum)) fail("integer overflow");
        return sum;
    } else {
        return a + b;
    }
}

template <class T>
T multiplied(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        T product;
        if (__builtin_mul_overflow(a, b, &product)) fail("integer overflow");
        return product;
    } else {
        return a * b;
    }
}

template <class T>
T negated(T a) {
    return multiplied(a, T{-1});
}

template <class T>
T power(T base, T exponent) {
    if constexpr (std::is_integral_v<T>) {
        if (exponent < 0) {
            if (base == 0) fail("integer division by zero");
            return base == 1 ? 1 : (base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0);
        }
        T result = 1;
        while (true) {
            if (exponent % 2 != 0) result = multiplied(result, base);
            exponent /= 2;
            if (exponent == 0) return result;
            base = multiplied(base, base);
        }
    } else {
        return std::pow(base, exponent);
    }
}

struct RealFunction {
    std::string_view name;
    Real (*call)(Real);
};
constexpr std::array<RealFunction, 19> real_functions{{
    {"sqrt", [](Real x) { return std::sqrt(x); }},   {"exp", [](Real x) { return std::exp(x); }},
    {"log", [](Real x) { return std::log(x); }},     {"log10", [](Real x) { return std::log10(x); }},
    {"sin", [](Real x) { return std::sin(x); }},     {"cos", [](Real x) { return std::cos(x); }},
    {"tan", [](Real x) { return std::tan(x); }},     {"asin", [](Real x) { return std::asin(x); }},
    {"acos", [](Real x) { return std::acos(x); }},   {"atan", [](Real x) { return std::atan(x); }},
    {"sinh", [](Real x) { return std::sinh(x); }},   {"cosh", [](Real x) { return std::cosh(x); }},
    {"tanh", [](Real x) { return std::tanh(x); }},   {"asinh", [](Real x) { return std::asinh(x); }},
    {"acosh", [](Real x) { return std::acosh(x); }}, {"atanh", [](Real x) { return std::atanh(x); }},
    {"floor", [](Real x) { return std::floor(x); }}, {"ceil", [](Real x) { return std::ceil(x); }},
    {"erf", [](Real x) { return std::erf(x); }},
}};

template <class T>
class Evaluator {
public:
    Evaluator(std::string_view text, const NameLookup& lookup, EvalBudget& budget)
        : text_(text), lookup_(lookup), budget_(budget) {}

    // statements `name = expression` and one expression, separated by ";"
    T run() {
        bool has_value = false;
        T value{};
        while (true) {
            skip_spaces();
            if (pos_ == text_.size()) break;
            const std::size_t start = pos_;
            const std::string_view name = read_name();
            skip_spaces();
            const bool assigns = !name.empty() && peek() == '=' && peek(1) != '=';
            if (has_value) fail("it has two values");
            if (assigns) {
                ++pos_;
                locals_[std::string(name)] = comparison_chain();
            } else {
                pos_ = start;
                value = comparison_chain();
                has_value = true;
            }
            skip_spaces();
            if (pos_ == text_.size()) break;
            if (!accept(";")) fail(concat("cannot read it from '", text_.substr(pos_, 20), "' on"));
        }
        if (!has_value) fail("it is empty");
        return value;
    }

private:
    char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }

    // Past blanks; of reals also past comments, from // to the line's end.
    void skip_spaces() {
        while (true) {
            while (is_space(peek())) ++pos_;
            if (std::is_integral_v<T> || peek() != '/' || peek(1) != '/') return;
            pos_ = std::min(text_.find('\n', pos_), text_.size());
        }
    }

    bool accept(std::string_view symbol) {
        skip_spaces();
        if (text_.substr(pos_, symbol.size()) != symbol) return false;
        if (is_letter(symbol[0]) && (is_letter(peek(symbol.size())) || is_digit(peek(symbol.size())))) return false;
        if (--budget_.steps < 0) fail("it takes too long to evaluate");
        pos_ += symbol.size();
        return true;
    }

    void expect(std::string_view symbol) {
        if (!accept(symbol)) fail(concat("'", symbol, "' is missing at '", text_.substr(pos_, 20), "'"));
    }

    std::string_view read_name() {
        const std::size_t begin = pos_;
        if (is_letter(peek())) {
            while (is_letter(peek()) || is_digit(peek()) || peek() == '.') ++pos_;
        }
        return text_.substr(begin, pos_ - begin);
    }

    // or < and < comparisons < sums < products < signs < powers < atoms
    T comparison_chain() {
        if (++budget_.depth > max_depth) fail("it is nested too deeply");
        T left = conjunction();
        while (accept("or")) {
            const T right = conjunction();
            left = T(left != T{0} || right != T{0});
        }
        --budget_.depth;
        return left;
    }

    T conjunction() {
        T left = comparison();
        while (accept("and")) {
            const T right = comparison();
            left = T(left != T{0} && right != T{0});
        }
        return left;
    }

    T comparison() {
        T left = sum();
        while (true) {
            if (accept("=="))
                left = T(left == sum());
            else if (accept("!="))
                left = T(left != sum());
            else if (accept("<="))
                left = T(left <= sum());
            else if (accept(">="))
                left = T(left >= sum());
            else if (accept("<"))
                left = T(left < sum());
            else if (accept(">"))
                left = T(left > sum());
            else
                return left;
        }
    }

    T sum() {
        T left = product();
        while (true) {
            if (accept("+"))
                left = added(left, product());
            else if (accept("-"))
                left = added(left, negated(product()));
            else
                return left;
        }
    }

    T product() {
        T left = sign();
        while (true) {
            skip_spaces();
            if (peek() == '*' && peek(1) != '*' && accept("*"))
                left = multiplied(left, sign());
            else if (std::is_integral_v<T> && accept("//"))
                left = static_cast<T>(divided_down(static_cast<Long>(left), static_cast<Long>(sign())));
            else if (accept("/"))
                left = divided(left, sign());
            else
                return left;
        }
    }

    T sign() {
        bool negative = false;
        while (true) {
            if (accept("-"))
                negative = !negative;
            else if (!accept("+"))
                break;
        }
        const T value = powers();
        return negative ? negated(value) : value;
    }

    T powers() {
        const T base = atom();
        if (!accept("**") && !accept("^")) return base;
        if (++budget_.depth > max_depth) fail("it is nested too deeply");
        const T exponent = sign();
        --budget_.depth;
        return power(base, exponent);
    }

    T atom() {
        if (accept("(")) {
            const T value = comparison_chain();
            expect(")");
            return value;
        }
        if (--budget_.steps < 0) fail("it takes too long to evaluate");
        if (is_digit(peek()) || peek() == '.') return number();
        const std::string_view name = read_name();
        if (name.empty()) {
            fail(pos_ == text_.size() ? "it ends too early"
                                      : concat("cannot read it from '", text_.substr(pos_, 20), "' on"));
        }
        if (accept("(")) return call(name, arguments());
        return value_of(name);
    }

    T number() {
        const char* const begin = text_.data() + pos_;
        const char* const end = text_.data() + text_.size();
        Real real{};
        const auto [stop, error] = std::from_chars(begin, end, real);
        if (error == std::errc::result_out_of_range) fail("a number in it is too large or too small");
        if (error != std::errc{} || (stop != end && (is_letter(*stop) || is_digit(*stop) || *stop == '.'))) {
            fail(concat("'", text_.substr(pos_, 20), "' is no number"));
        }
        pos_ += static_cast<std::size_t>(stop - begin);
        if constexpr (std::is_integral_v<T>) {
            T integer{};
            const auto exact = std::from_chars(begin, stop, integer);
            if (exact.ptr == stop && exact.ec == std::errc{}) return integer;
            constexpr Real limit = 9007199254740992.0;  // above, not every integer is a double
            if (exact.ec == std::errc::result_out_of_range) fail("an integer in it needs more than 64 bits");
            if (real != std::floor(real)) fail(concat("'", std::string(begin, stop), "' is no integer"));
            if (real > limit)
                fail(concat("'", std::string(begin, stop),
                            "' is too large for an integer written with an exponent or a point"));
            return static_cast<T>(real);
        } else {
            return real;
        }
    }

    std::vector<T> arguments() {
        std::vector<T> values;
        if (accept(")")) return values;
        do {
            values.push_back(comparison_chain());
        } while (accept(","));
        expect(")");
        return values;
    }

    T call(std::string_view name, const std::vector<T>& args) {
        const auto takes = [&](std::size_t n) {
            if (args.size() != n) {
                fail(concat(name, "() takes ", n, " arguments, not ", args.size()));
            }
        };
        if (name == "if") return takes(3), args[0] != T{0} ? args[1] : args[2];
        if (name == "abs" || name == "fabs") return takes(1), args[0] < T{0} ? negated(args[0]) : args[0];
        if (name == "pow") return takes(2), power(args[0], args[1]);
        if (name == "min" || name == "max") {
            if (args.empty()) takes(2);
            return name == "min" ? *std::min_element(args.begin(), args.end())
                                 : *std::max_element(args.begin(), args.end());
        }
        if constexpr (std::is_floating_point_v<T>) {
            if (name == "atan2") return takes(2), std::atan2(args[0], args[1]);
            if (name == "fmod") return takes(2), std::fmod(args[0], args[1]);
            if (name == "heaviside") return takes(2), args[0] < 0 ? 0 : (args[0] > 0 ? 1 : args[1]);
            for (const RealFunction& function : real_functions) {
                if (function.name == name) return takes(1), function.call(args[0]);
            }
        }
        fail(concat("there is no function '", name, "' for ", std::is_integral_v<T> ? "integers" : "reals"));
    }

    T value_of(std::string_view name) {
        if (const auto local = locals_.find(std::string(name)); local != locals_.end()) return local->second;
        if (const std::optional<std::string> text = lookup_(name)) {
            if (++budget_.depth > max_depth) fail(concat("parameters that need each other, at '", name, "'"));
            const T value = evaluate<T>(*text, lookup_, budget_);
            --budget_.depth;
            return value;
        }
        if constexpr (std::is_floating_point_v<T>) {
            if (name == "pi") return std::numbers::pi;
            if (same_word(name, "inf") || same_word(name, "infinity")) return std::numeric_limits<T>::infinity();
            if (same_word(name, "nan")) return std::numeric_limits<T>::quiet_NaN();
        }
        fail(concat("unknown name '", name.substr(0, 60), "'"));
    }

    std::string_view text_;
    const NameLookup& lookup_;
    EvalBudget& budget_;
    std::size_t pos_ = 0;
    std::map<std::string, T> locals_;
};

}  // namespace

template <class T>
T evaluate(std::string_view text, const NameLookup& lookup, EvalBudget& budget) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    // the whole text is the word: no parameter of that name is meant
    if (is_true(text)) return T{1};
    if (is_false(text)) return T{0};
    return Evaluator<T>(text, lookup, budget).run();
}

bool goes_on(std::string_view left, std::string_view right) {
    if (left.empty() || right.empty()) return false;
    constexpr std::string_view operators = "*/^<>=%&|";
    const auto ends_with_word = [&](std::string_view word) {
        return left.ends_with(word) && (left.size() == word.size() || is_space(left[left.size() - word.size() - 1]));
    };
    return operators.find(right.front()) != std::string_view::npos || right == "+" || right == "-" ||
           right.starts_with("!=") || right == "and" || right == "or" ||
           operators.find(left.back()) != std::string_view::npos || left.back() == '+' || left.back() == '-' ||
           ends_with_word("and") || ends_with_word("or");
}

template Real evaluate<Real>(std::string_view, const NameLookup&, EvalBudget&);
template Long evaluate<Long>(std::string_view, const NameLookup&, EvalBudget&);

}  // namespace zerofab::detail
