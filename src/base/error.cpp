// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/base/error.hpp"

#include "zerofab/base/concat.hpp"

namespace zerofab {

void ensure(bool holds, std::string_view what, std::source_location where) {
    if (!holds) {
        throw std::logic_error(concat("internal error in ", where.file_name(), ":", where.line(), ": ", what));
    }
}

}  // namespace zerofab
