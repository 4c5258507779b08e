// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/absent.hpp"
#include "device/backends.hpp"

namespace zerofab {

Backend& sycl_backend() {
    static auto& absent = *new AbsentBackend(BackendKind::sycl, "sycl");
    return absent;
}

}  // namespace zerofab
