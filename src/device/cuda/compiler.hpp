// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels' text becomes a program for one architecture of NVIDIA's.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "device/cuda/library.hpp"

namespace zerofab::cuda {

/// NVRTC, opened when first asked for.
class Compiler {
public:
    /// Open the compiler for a driver of this version.  Nothing happens if that was done.
    void open(int driver_version);
    /// Why there is none, or empty.
    [[nodiscard]] const std::string& why_not() const noexcept { return opened_.why_not; }
    /// "13.5", empty if there is none.
    [[nodiscard]] const std::string& version() const noexcept { return version_; }

    /// Machine code for an architecture such as "sm_90", or PTX where this compiler is older than the architecture
    /// (the driver goes on from there).  From the cache on disk if it was made before.  DeviceError with the
    /// compiler's log if it refuses the text, or if there is no compiler.
    [[nodiscard]] std::string compile(std::string_view text, std::span<const std::string> options,
                                      std::string_view architecture) const;

private:
    [[nodiscard]] std::string target(std::string_view architecture) const;

    Nvrtc nvrtc_;
    Opened opened_;
    std::string version_;
};

}  // namespace zerofab::cuda
