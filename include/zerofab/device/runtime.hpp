// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The run-time state between initialize and finalize: one for the process, all dimensions share it.
#pragma once

#include <string>
#include <string_view>

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

/// The state that `initialize` starts and `finalize` ends.
///
/// Only state ends: memory belongs to the Allocations that show it, and no driver is ever unloaded.  Every cycle of
/// initialize and finalize has a number, so that caches made in one cycle can be told from those of another.
class ZEROFAB_API Runtime {
public:
    /// Start on a device: "cpu", "cuda", "hip" (or "rocm"), "sycl", each with ":number" for one of several; "" means
    /// ZEROFAB_DEVICE, else cpu.  Without a number it is `local_rank` modulo the devices that the driver shows, so that
    /// the ranks on one machine share its GPUs evenly.  StateError if already started, ValueError for a name that does
    /// not exist or a number beyond the devices, DeviceError if the backend has none, saying what was searched.
    static void initialize(std::string_view device = {}, int local_rank = 0);

    /// End.  StateError if not started.  The caller has checked that no exported tensor is alive.
    static void finalize();

    [[nodiscard]] static bool initialized() noexcept;

    /// How many times `initialize` has succeeded in this process.
    [[nodiscard]] static long cycle() noexcept;

    /// The device of this cycle by name, or the one that an `initialize` without arguments would take.
    [[nodiscard]] static std::string device();

    /// The device of this cycle; the host before initialize and after finalize.
    [[nodiscard]] static Device run_device() noexcept;

    /// Where the calling thread's work on the run's device goes: what use_stream said, else the backend's default.
    [[nodiscard]] static Stream stream();
    /// The same for any device: on another than the run's, whose memory may outlive its run, the backend's default.
    [[nodiscard]] static Stream stream(Device device);
    /// Order the calling thread's work on this stream of the run's device from now on, until the cycle ends; null:
    /// the backend's default again.  Work that is under way is ordered before what comes.
    static void use_stream(Stream stream);
    /// Wait for the run's device: for the calling thread's stream and everything that consumers were told of.
    static void synchronize();
};

/// StateError "`what` needs initialize() first" unless the run time is started.
ZEROFAB_API void require_initialized(std::string_view what);

}  // namespace zerofab
