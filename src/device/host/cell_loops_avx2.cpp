// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The loops over cells for AVX2.
#include "device/host/cell_loops_text.hpp"

namespace zerofab {

constinit const CellLoops cell_loops_avx2 = cell_loops_table;

}  // namespace zerofab
