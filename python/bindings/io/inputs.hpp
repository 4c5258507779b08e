// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Inputs of a run: for which space they are read, which options exist, which parameters nobody has read.
#pragma once

#include "base/binding.hpp"

namespace zerofab::python {

/// The dimensions of the one space that is imported; 0 if there are several or none.
int only_space() noexcept;
/// A space is imported.
void note_space(int dim) noexcept;

/// Warn of `amrex.*` parameters that are no options of this library, or that come too late.
void say_unknown_options();

/// RuntimeError that names the parameters nobody has read, if amrex.abort_on_unused_inputs is set.
void require_inputs_used();

}  // namespace zerofab::python
