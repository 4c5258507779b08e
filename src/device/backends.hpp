// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The backends that exist, one function and one folder each.
#pragma once

#include "zerofab/device/backend.hpp"

namespace zerofab {

Backend& host_backend();
Backend& cuda_backend();
Backend& hip_backend();
Backend& sycl_backend();

}  // namespace zerofab
