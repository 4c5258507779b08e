// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hip/backend.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::hip {

void HipBackend::launch(int, const KernelCall& call, Stream) {
    throw DeviceError("hip: no text of the kernel '" + std::string(call.kernel) + "' is built in");
}

}  // namespace zerofab::hip
