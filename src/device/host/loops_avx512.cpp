// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The host loops for AVX-512 (F, DQ, VL, BW).
#include "device/host/loops.hpp"
#include "device/host/loops_tables.hpp"

namespace zerofab {

constinit const LoopTables loops_avx512{Loops<float>::table(), Loops<double>::table(), Loops<int>::table(),
                                        Loops<std::int64_t>::table()};

}  // namespace zerofab
