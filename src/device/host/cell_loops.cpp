// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The choice among the tables of loops over cells.
#include "device/host/cell_loops.hpp"

namespace zerofab {
namespace {

const CellLoops& table(HostIsa isa) noexcept {
    switch (isa) {
        case HostIsa::avx512:
            return cell_loops_avx512;
        case HostIsa::avx2:
            return cell_loops_avx2;
        default:
            return cell_loops_baseline;
    }
}

}  // namespace

const CellLoops& cell_loops() noexcept {
    static const CellLoops& chosen = table(host_isa());
    return chosen;
}

const CellLoops* cell_loops(HostIsa isa) noexcept { return host_loops<double>(isa) != nullptr ? &table(isa) : nullptr; }

}  // namespace zerofab
