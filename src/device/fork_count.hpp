// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Neither drivers nor threads survive a fork: whether this process was forked since something was made.
#pragma once

namespace zerofab {

/// How often this process and its parents were forked since the first call: a number that is compared, never shown.
[[nodiscard]] unsigned fork_count() noexcept;

}  // namespace zerofab
