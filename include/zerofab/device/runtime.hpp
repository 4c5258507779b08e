// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The run-time state between initialize and finalize: one for the process, all dimensions share it.
#pragma once

#include <string>
#include <string_view>

#include "zerofab/base/export.hpp"

namespace zerofab {

/// The state that `initialize` starts and `finalize` ends.
///
/// Only state ends: memory belongs to the Allocations that show it, and no driver is ever unloaded.  Every cycle of
/// initialize and finalize has a number, so that caches made in one cycle can be told from those of another.
class ZEROFAB_API Runtime {
public:
    /// Start.  `device` names the device ("" or "cpu" here); StateError if already started, ValueError for a device
    /// that does not exist, with what was found.
    static void initialize(std::string_view device = {});

    /// End.  StateError if not started.  The caller has checked that no exported tensor is alive.
    static void finalize();

    [[nodiscard]] static bool initialized() noexcept;

    /// How many times `initialize` has succeeded in this process.
    [[nodiscard]] static long cycle() noexcept;

    /// The device of this cycle, or the one that an `initialize` without arguments would take: ZEROFAB_DEVICE, else
    /// cpu.
    [[nodiscard]] static std::string device();
};

/// StateError "`what` needs initialize() first" unless the run time is started.
ZEROFAB_API void require_initialized(std::string_view what);

}  // namespace zerofab
