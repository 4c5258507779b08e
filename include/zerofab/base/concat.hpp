// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Messages and names from their parts.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace zerofab {

namespace detail {
template <class Part>
void append(std::string& text, const Part& part) {
    if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
        text += std::string_view(part);
    } else if constexpr (std::is_same_v<Part, char>) {
        text += part;
    } else if constexpr (std::is_same_v<Part, bool>) {
        text += part ? "true" : "false";
    } else if constexpr (std::is_integral_v<Part>) {
        char digits[24];
        text.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
    } else {
        text += to_string(part);
    }
}
}  // namespace detail

/// The parts one after another: texts and characters as they are, integers in digits, others by their to_string().
template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
    std::string text;
    (detail::append(text, parts), ...);
    return text;
}

}  // namespace zerofab
