// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Running a plan on a device: one launch, and more where copies meet (kernels/halo.h).
#pragma once

#include <memory>

#include "halo/execute.hpp"
#include "memory/device_queue.hpp"

namespace zerofab::halo {

/// Run the local copies of a plan between two fields that the device reaches.
template <int D>
void run_on_device(Device device, KernelType type, const std::shared_ptr<const HaloPlan<D>>& plan,
                   const FabBody<D>& dst, const FabBody<D>& src, const Run& run);

}  // namespace zerofab::halo
