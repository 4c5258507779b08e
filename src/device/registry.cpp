// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "backends.hpp"

namespace zerofab {

Backend& backend(BackendKind kind) {
    switch (kind) {
        case BackendKind::cuda:
            return cuda_backend();
        case BackendKind::hip:
            return hip_backend();
        case BackendKind::sycl:
            return sycl_backend();
        default:
            return host_backend();
    }
}

Backend* find_backend(std::string_view name) noexcept {
    if (name == "cpu" || name == "host") return &host_backend();
    if (name == "cuda") return &cuda_backend();
    if (name == "hip" || name == "rocm") return &hip_backend();
    if (name == "sycl") return &sycl_backend();
    return nullptr;
}

}  // namespace zerofab
