// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A position in the text of a file that somebody else may have damaged.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "io/file.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/types.hpp"
#include "zerofab/index/box.hpp"

namespace zerofab::detail {

/// Reads numbers, words and boxes one after the other; what is not there is an IoError with file and line.
class TextCursor {
public:
    TextCursor(std::string_view text, std::string path) : text_(text), path_(std::move(path)) {}

    std::size_t position() const noexcept { return pos_; }
    /// Bytes that are left: a bound for every count that the text may claim.
    std::size_t left() const noexcept { return text_.size() - pos_; }
    const std::string& path() const noexcept { return path_; }

    [[noreturn]] void fail(std::string_view what) const {
        long line = 1;
        for (const char c : text_.substr(0, pos_)) line += c == '\n';
        std::string message = concat("line ", line, ": ");
        message += what;
        if (pos_ >= text_.size()) message += " (the file is cut short)";
        throw_bad_file(path_, message);
    }

    void skip_blanks() {
        while (pos_ < text_.size() && is_blank(text_[pos_])) ++pos_;
    }
    bool at_end() {
        skip_blanks();
        return pos_ == text_.size();
    }
    /// Whether the next thing, after blanks, is this character; it stays.
    bool next_is(char c) {
        skip_blanks();
        return pos_ < text_.size() && text_[pos_] == c;
    }
    void expect(char c) {
        if (!next_is(c)) fail(std::string(1, c) + " is missing");
        ++pos_;
    }
    void expect(std::string_view symbol) {
        if (!next_is(symbol)) fail(std::string(symbol) + " is missing");
        pos_ += symbol.size();
    }
    /// Whether the next thing, after blanks, is this text; it stays.
    bool next_is(std::string_view symbol) {
        skip_blanks();
        return text_.substr(pos_, symbol.size()) == symbol;
    }
    /// The rest of the line without blanks around it and without its end; the line must have an end.
    std::string_view line(std::string_view what) {
        const std::size_t end = text_.find('\n', pos_);
        if (end == std::string_view::npos) {
            pos_ = text_.size();
            fail(what);
        }
        std::string_view result = text_.substr(pos_, end - pos_);
        pos_ = end + 1;
        while (!result.empty() && is_blank(result.back())) result.remove_suffix(1);
        while (!result.empty() && is_blank(result.front())) result.remove_prefix(1);
        return result;
    }
    /// The same, but it stays; without an end at the end of the text.
    std::string_view rest_of_line() const { return text_.substr(pos_, text_.find('\n', pos_) - pos_); }
    /// Characters to the next blank.
    std::string_view word(std::string_view what) {
        skip_blanks();
        const std::size_t begin = pos_;
        while (pos_ < text_.size() && !is_blank(text_[pos_])) ++pos_;
        if (pos_ == begin) fail(what);
        return text_.substr(begin, pos_ - begin);
    }
    template <class T>
    T integer(std::string_view what, T lowest, T highest) {
        skip_blanks();
        T value{};
        const char* const begin = text_.data() + pos_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error != std::errc{} || value < lowest || value > highest) fail(what);
        pos_ += static_cast<std::size_t>(end - begin);
        return value;
    }
    /// A real number; NaN and infinity only where `finite` is false.
    Real real(std::string_view what, bool finite = true) {
        skip_blanks();
        Real value{};
        const char* const begin = text_.data() + pos_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (end == begin || (finite && (error != std::errc{} || !std::isfinite(value)))) fail(what);
        pos_ += static_cast<std::size_t>(end - begin);
        return value;
    }
    /// "(1,2,3)"
    template <int D>
    IntVect<D> point(std::string_view what, int lowest, int highest) {
        IntVect<D> result;
        expect('(');
        for (int d = 0; d < D; ++d) {
            if (d > 0) expect(',');
            result[d] = integer(what, lowest, highest);
        }
        if (!next_is(')')) fail(concat(what, " with ", D, " dimensions"));
        expect(')');
        return result;
    }
    /// "((0,0,0) (7,7,7) (0,0,0))", not empty
    template <int D>
    Box<D> box() {
        constexpr int limit = 1 << 30;  // room for ghosts and lengths
        constexpr std::string_view what = "a box is expected here";
        expect('(');
        const IntVect<D> lo = point<D>(what, -limit, limit);
        const IntVect<D> hi = point<D>(what, -limit, limit);
        const IndexType<D> type(point<D>(what, 0, 1));
        expect(')');
        if (!lo.all_le(hi)) fail("the box is empty");
        return Box<D>(lo, hi, type);
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

    std::string_view text_;
    std::string path_;
    std::size_t pos_ = 0;
};

/// "((0,0,0) (7,7,7) (0,0,0))" at the end of `text`.
template <int D>
void append_box(std::string& text, const Box<D>& box) {
    const auto point = [&](const IntVect<D>& p) {
        for (int d = 0; d < D; ++d) {
            text += d == 0 ? '(' : ',';
            text += std::to_string(p[d]);
        }
        text += ')';
    };
    text += '(';
    point(box.small_end());
    text += ' ';
    point(box.big_end());
    text += ' ';
    point(box.ix_type().to_int_vect());
    text += ')';
}

/// A number with 17 significant digits at the end of `text`.
inline void append_real(std::string& text, Real value, std::chars_format format = std::chars_format::general) {
    char buffer[40];
    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format, 17).ptr);
}

}  // namespace zerofab::detail
