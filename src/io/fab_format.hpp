// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reading descriptors of number formats.
#pragma once

#include "io/text_cursor.hpp"
#include "zerofab/io/fab_io.hpp"

namespace zerofab::detail {

/// A descriptor; IoError for what is none, or is one of numbers that are not IEEE.
RealFormat parse_real_format(TextCursor& cursor);

}  // namespace zerofab::detail
