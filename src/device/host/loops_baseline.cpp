// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The host loops for the instructions that every CPU of the architecture has.
#include "device/host/loops.hpp"
#include "device/host/loops_tables.hpp"

namespace zerofab {

constinit const LoopTables loops_baseline{Loops<float>::table(), Loops<double>::table(), Loops<int>::table(),
                                          Loops<std::int64_t>::table()};

}  // namespace zerofab
