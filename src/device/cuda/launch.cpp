// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/backend.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::cuda {

void CudaBackend::launch(int, const KernelCall& call, Stream) {
    throw DeviceError("cuda: no text of the kernel '" + std::string(call.kernel) + "' is built in");
}

}  // namespace zerofab::cuda
