// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The tables of loops, one set per instruction set; only host_loops.cpp chooses among them.
#pragma once

#include <cstdint>

#include "zerofab/device/host_loops.hpp"

namespace zerofab {

/// One table per element type.
struct LoopTables {
    HostLoops<float> for_float;
    HostLoops<double> for_double;
    HostLoops<int> for_int;
    HostLoops<std::int64_t> for_int64;
};

extern const LoopTables loops_baseline;
extern const LoopTables loops_avx2;
extern const LoopTables loops_avx512;

}  // namespace zerofab
