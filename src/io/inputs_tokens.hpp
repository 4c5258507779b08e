// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of inputs files, taken apart into names, values and equals signs.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "io/inputs_condition.hpp"

namespace zerofab::detail {

/// A list is what stands in [brackets], its values apart; one that holds another list is a word.
enum class TokenKind { word, quoted, equals, list };

struct Token {
    TokenKind kind = TokenKind::word;
    std::string text;
    int line = 0;                     ///< in the file, for messages
    int sentence = 0;                 ///< the same for all tokens of one definition: a continued line does not end it
    std::vector<std::string> values;  ///< of a list
};

/// The tokens of a text, one after the other. ValueError with the line's number for what cannot be read.
class InputsTokens {
public:
    /// `where` names the text in messages. With `one_line` line ends are blanks, # begins no comment, and there are no
    /// conditions and namelists (a command line).
    InputsTokens(std::string_view text, std::string_view where, bool one_line, InputsReader reader);

    /// The token `ahead` of the next one; nullptr beyond the end.
    const Token* peek(std::size_t ahead = 0);
    Token take();

private:
    bool read(Token& token);
    void enter_line();
    void next_line();
    bool skip_blanks();
    bool skip_blank();
    void skip_comment();
    void skip_namelist();
    std::size_t continuation(std::size_t at) const;
    bool at_word() const;
    std::string_view quoted();
    void bracketed(Token& token);
    void advance_to(std::size_t end);
    [[noreturn]] void fail(const std::string& what) const;

    std::string_view text_;
    std::string_view where_;
    bool one_line_;
    InputsConditions conditions_;
    std::deque<Token> ahead_;
    std::size_t pos_ = 0;
    int line_ = 1;
    int sentence_ = 1;
    int last_sentence_ = 0;  // of the token before
};

/// Throw ValueError "ParmParse: `where`, line `line`: `what`".
[[noreturn]] void inputs_error(std::string_view where, int line, const std::string& what);

/// The beginning of a text, in quotation marks.
std::string shown_text(std::string_view text);

}  // namespace zerofab::detail
