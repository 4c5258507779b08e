// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Inputs of a run: for which space they are read, which options exist, which parameters nobody has read.
#include "io/inputs.hpp"

#include <atomic>
#include <bit>

#include "zerofab/io/parm_parse.hpp"

namespace zerofab::python {
namespace {

constinit std::atomic<unsigned> spaces{0};  // bit `dim` for each that is imported

}  // namespace

int only_space() noexcept {
    const unsigned all = spaces;
    return std::has_single_bit(all) ? std::countr_zero(all) : 0;
}

void note_space(int dim) noexcept { spaces |= 1U << static_cast<unsigned>(dim); }

void say_unknown_options() { nb::module_::import_("amrex._options").attr("say_unknown")(); }

void require_inputs_used() {
    bool wanted = false;
    ParmParse("amrex").query("abort_on_unused_inputs", wanted);
    if (wanted) nb::module_::import_("amrex._options").attr("require_used")();
}

}  // namespace zerofab::python
