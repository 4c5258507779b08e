// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one abstract seam between the library and a vendor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"

namespace zerofab {

/// What the library asks of a backend: memory, copies, waiting.  One `final` class per folder below src/device.
class ZEROFAB_API Backend {
public:
    virtual ~Backend() = default;

    [[nodiscard]] virtual BackendKind kind() const noexcept = 0;
    /// The user's word for it: "cpu", "cuda", "hip", "sycl".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /// How many devices can be used; 0 if `why_not()` has a reason.
    [[nodiscard]] virtual int device_count() const noexcept = 0;
    /// What was searched and what to install if there is no device, else an empty string.
    [[nodiscard]] virtual std::string why_not() const = 0;

    /// Memory at a multiple of 64 bytes; MemoryError if there is none.  The caller frees it by `deallocate`.
    [[nodiscard]] virtual void* allocate(MemoryKind kind, std::size_t bytes, int device) = 0;
    virtual void deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept = 0;

    /// Copy bytes between memory of any kinds that this backend knows; ordered on the stream.
    virtual void copy(void* to, const void* from, std::size_t bytes, Stream stream) = 0;
    /// Wait until the work of the stream is done.
    virtual void synchronize(Stream stream) = 0;
};

/// The backend of this kind; StateError if this build does not have it.
ZEROFAB_API Backend& backend(BackendKind kind);

}  // namespace zerofab
