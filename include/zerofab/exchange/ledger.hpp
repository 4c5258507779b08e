// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What is alive: the DLPack tensors that consumers or capsules hold.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// One live DLPack tensor.
struct LiveExport {
    std::string what;    ///< class of the container it came from
    std::string tensor;  ///< element type and shape
    bool copied;         ///< made with copy=True
    unsigned long serial;
    std::string where;  ///< "file:line" when exports are traced, else empty
};

/// How many DLPack tensors are alive.
[[nodiscard]] ZEROFAB_API std::size_t live_export_count() noexcept;

/// All of them, oldest first.
[[nodiscard]] ZEROFAB_API std::vector<LiveExport> live_exports();

/// Give the newest living export an origin, "file:line"; used only when exports are traced.
ZEROFAB_API void note_export_origin(const void* managed, const std::string& origin);

}  // namespace zerofab
