// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The version of the library.
#pragma once

namespace zerofab {

inline constexpr const char* version = "0.1.0";

}  // namespace zerofab
