// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The last step of every reduction.
#pragma once

#include "zerofab/comm/communicator.hpp"

namespace zerofab::detail {

/// This rank's share, or what becomes of the shares of all ranks.
template <class T>
T over_ranks(T mine, ReduceOp op, bool local) {
    return local ? mine : communicator().all_reduce(mine, op);
}

}  // namespace zerofab::detail
