// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Where vendors' libraries may lie that came as Python packages.
#pragma once

#include <string>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// Let the backends look for vendors' libraries in this folder too, before the first of them is asked what it found.
///
/// The binding gives it the interpreter's `purelib`, `platlib` and `sys.prefix + "/lib"`; PyPI's packages put
/// `dpctl/libDPCTLSyclInterface.so` or `nvidia/cu13/lib/libnvrtc.so.13` below them.  The folder that the Python package
/// with this library is installed in is known already.  A folder that does not exist, or is known, changes nothing.
ZEROFAB_API void add_library_folder(const std::string& path);

}  // namespace zerofab
