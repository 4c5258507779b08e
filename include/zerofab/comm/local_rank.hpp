// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Which of the ranks on this machine a process is, so that each can take a GPU of its own.
#pragma once

#include "zerofab/comm/communicator.hpp"

namespace zerofab {

/// The number of lower ranks that run on the same machine (collective).
[[nodiscard]] ZEROFAB_API int local_rank(Communicator& ranks);

}  // namespace zerofab
