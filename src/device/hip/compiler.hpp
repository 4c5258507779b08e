// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The kernels' text becomes a program for one architecture of AMD's.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "device/hip/library.hpp"

namespace zerofab::hip {

/// hipRTC, opened with the run time.
class Compiler {
public:
    void open(const Opened& driver, int version);
    /// Why there is none, or empty.
    [[nodiscard]] const std::string& why_not() const noexcept { return opened_.why_not; }
    /// "5.2", empty if there is none.
    [[nodiscard]] const std::string& version() const noexcept { return version_; }

    /// Machine code for an architecture such as "gfx90a".  From the cache on disk if it was made before.  DeviceError
    /// with the compiler's log if it refuses the text, if there is no compiler, or if the architecture is not one that
    /// this version of it is known to make: hipRTC ends the process over one that it does not know.
    [[nodiscard]] std::string compile(std::string_view text, std::span<const std::string> options,
                                      std::string_view architecture) const;

private:
    Hiprtc hiprtc_;
    Opened opened_;
    std::string version_;
    int number_ = 0;
};

}  // namespace zerofab::hip
