// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/absent.hpp"
#include "device/backends.hpp"

namespace zerofab {

Backend& cuda_backend() {
    static auto& absent = *new AbsentBackend(BackendKind::cuda, "cuda");
    return absent;
}

}  // namespace zerofab
