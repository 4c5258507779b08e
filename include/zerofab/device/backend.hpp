// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one abstract seam between the library and a vendor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "zerofab/base/export.hpp"
#include "zerofab/device/device.hpp"
#include "zerofab/device/kernel.hpp"

namespace zerofab {

/// One device as its driver describes it.
struct DeviceInfo {
    std::string name;          ///< "NVIDIA H200", "Intel(R) Xeon(R) ..."
    std::string architecture;  ///< what kernels are compiled for: "sm_90", "gfx90a", "opencl:cpu"
    std::size_t bytes = 0;     ///< memory, 0 if unknown
    bool has_f64 = true;       ///< whether kernels for double run there
    int dlpack_id = -1;        ///< its number in DLPack if not ours: on SYCL the root device's place among all
};

/// What a backend found: for `python -m amrex` and for error messages.
struct BackendReport {
    std::string library;              ///< the library that was opened, empty if none
    std::string version;              ///< as it says itself
    std::vector<DeviceInfo> devices;  ///< empty if the backend cannot be used
    std::string why_not;              ///< what was searched and what to install, empty if there are devices
};

/// A point in the work of a stream.  Belongs to the backend that made it.
struct Event {
    void* handle = nullptr;
};

/// What the library asks of a backend: memory, order, copies, kernels.  One `final` class per folder below src/device.
///
/// Nothing is opened before the first call of `report`, which never throws and opens each library once.  All other
/// calls need a device; they leave the calling thread's current device as they found it, may be made from any thread
/// without the GIL, and throw DeviceError with the driver's own words.  `deallocate` and `forget` also work while the
/// process exits: they do nothing where the driver is gone.
class ZEROFAB_API Backend {
public:
    virtual ~Backend() = default;

    [[nodiscard]] virtual BackendKind kind() const noexcept = 0;
    /// The user's word for it: "cpu", "cuda", "hip", "sycl".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /// What was found, searched for at the first call.
    [[nodiscard]] virtual const BackendReport& report() = 0;
    [[nodiscard]] int device_count() { return static_cast<int>(report().devices.size()); }

    /// Memory at a multiple of 64 bytes; MemoryError if there is none.  The caller frees it by `deallocate`, when no
    /// work uses it any more.
    [[nodiscard]] virtual void* allocate(MemoryKind kind, std::size_t bytes, int device) = 0;
    virtual void deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept = 0;

    /// The stream of a run that names none.
    [[nodiscard]] virtual Stream default_stream(int device) = 0;
    /// Wait until the work of the stream is done.
    virtual void synchronize(int device, Stream stream) = 0;
    /// Wait until all work of the device is done, on streams that nobody knows any more too.
    virtual void synchronize_all(int device) = 0;
    /// Whether the stream's work is being recorded for a graph instead of done: then nobody may wait for it.
    [[nodiscard]] virtual bool capturing(int device, Stream stream) = 0;
    /// A point after all work that is now in the stream.
    [[nodiscard]] virtual Event record(int device, Stream stream) = 0;
    /// What comes into the stream from now on starts after the event; the host does not wait.
    virtual void wait(int device, Stream stream, Event event) = 0;
    /// Whether the event has been reached.
    [[nodiscard]] virtual bool reached(int device, Event event) = 0;
    virtual void forget(int device, Event event) noexcept = 0;

    /// Copy bytes between memory of any kinds that this device or the host reaches, ordered on the stream; may return
    /// before it is done, except that pageable memory of the host has been read when it returns.
    virtual void copy(int device, void* to, const void* from, std::size_t bytes, Stream stream) = 0;
    /// Set bytes, ordered on the stream.
    virtual void fill(int device, void* to, unsigned char byte, std::size_t bytes, Stream stream) = 0;
    /// Start a kernel on the stream.  The first call for a type compiles its program (see kernels/).
    virtual void launch(int device, const KernelCall& call, Stream stream) = 0;
};

/// The backend of this kind; all four exist in every build.
[[nodiscard]] ZEROFAB_API Backend& backend(BackendKind kind);

/// The backend that users call so ("cpu", "cuda", "hip" or "rocm", "sycl"); null if there is none of that name.
[[nodiscard]] ZEROFAB_API Backend* find_backend(std::string_view name) noexcept;

}  // namespace zerofab
