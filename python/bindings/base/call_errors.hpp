// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Calls with wrong arguments: messages that name the wrong argument and the nearest right call.
#pragma once

#include "base/binding.hpp"

namespace zerofab::python {

/// Let the functions of a module and of its classes say which argument is wrong.
///
/// nanobind answers a call that fits no overload with all signatures. Every function object has its own entry for calls
/// (the vectorcall protocol, PEP 590); this puts one in front of it that passes calls on, and only after that one
/// TypeError, or one that CPython raises when an argument is no number, has amrex._explain write the message anew. A
/// call that succeeds pays one jump.
///
/// Call it again whenever functions were added: those that have it already stay as they are.
void explain_calls(const nb::module_& scope);

}  // namespace zerofab::python
