// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/base/error.hpp"

namespace zerofab {

void ensure(bool holds, std::string_view what, std::source_location where) {
    if (!holds) {
        throw std::logic_error(std::string("internal error in ") + where.file_name() + ":" +
                               std::to_string(where.line()) + ": " + std::string(what));
    }
}

}  // namespace zerofab
