// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/absent.hpp"
#include "device/backends.hpp"

namespace zerofab {

Backend& hip_backend() {
    static auto& absent = *new AbsentBackend(BackendKind::hip, "hip");
    return absent;
}

}  // namespace zerofab
