// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Where vendors' libraries may lie that came as Python packages.
#pragma once

#include <string>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// Let the backends look for vendors' libraries in this folder too, before the first of them is asked what it found.
///
/// PyPI's packages put `dpctl/libDPCTLSyclInterface.so` or `nvidia/cu13/lib/libnvrtc.so.13` below the folder of Python
/// packages.  Known without this call: the one that this library is installed in, and each one from which a library is
/// in the process already, NumPy's for instance.  A folder that does not exist, or is known, changes nothing.
ZEROFAB_API void add_library_folder(const std::string& path);

}  // namespace zerofab
