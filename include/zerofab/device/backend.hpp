// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one abstract seam between the library and a vendor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
    int dlpack_id = -1;        ///< its number in DLPack if not ours: on SYCL the root device's position among all
};

/// What a backend found: for `python -m amrex` and for error messages.
struct BackendReport {
    std::string library;              ///< the library that was opened, empty if none
    std::string version;              ///< as it says itself
    std::vector<DeviceInfo> devices;  ///< empty if the backend cannot be used
    std::string why_not;              ///< what was searched and what to install, empty if there are devices
};

/// What other libraries call things of a backend, and how it speaks with them: constants that exchange and bindings
/// ask for, so that these know no backend by its name.
struct BackendFacts {
    /// How `__cuda_array_interface__` shows memory: not at all, with the stream of the last work, or when that is done.
    enum class CudaInterface : std::uint8_t { none, with_stream, finished };

    /// What users may write for the device: the first is the word of messages and reports; an empty one is none.
    std::array<std::string_view, 2> names{};
    /// AMReX's word for it, "CUDA"; empty for none.
    std::string_view amrex_name{};
    /// The array library that works on its memory: its module, what to install, and the function of amrex._convert that
    /// makes its arrays (none: NumPy's are made from the host's memory).
    std::string_view array_module{"numpy"}, array_package{"numpy"}, array_converter{};

    /// DLDeviceType of DLPack for each kind of memory, 1 being the host's.  Memory that has the type of the device's
    /// own has the device's number too (DeviceInfo::dlpack_id), other memory the number 0.
    int dlpack_device = 1, dlpack_managed = 1, dlpack_pinned = 1;
    /// Whether its consumers of DLPack want the lowest address for strides that go back, and an address also where
    /// there are no elements.
    bool dlpack_lowest_address = false;
    CudaInterface cuda_interface = CudaInterface::none;

    /// How libraries of Python show a stream: attributes or methods whose value, or its last part, is what
    /// Backend::named_stream takes; the first that there is counts.  And whether a plain integer is a stream too, and
    /// -1 the wish for no order.
    std::array<std::string_view, 3> stream_attributes{};
    bool integer_streams = false;
    /// What a stream must be, for messages: "an address, an object with `ptr`, or None".
    std::string_view stream_forms{"None"};
    /// Whether a Stream that named_stream gave stays valid by itself, whatever becomes of the object.
    bool owns_streams = false;
    /// Whether a consumer that names no stream works on the default one; if not, the host waits before it is given
    /// memory.
    bool unnamed_is_default = true;
    /// A Python module whose consumer_queue(dlpack_id) is the address of a queue that array libraries use by
    /// themselves, for Backend::add_consumer; empty for none.
    std::string_view consumer_module{};

    /// The DLDeviceType of memory of this kind.
    [[nodiscard]] constexpr int dlpack_type(MemoryKind kind) const noexcept {
        return kind == MemoryKind::device    ? dlpack_device
               : kind == MemoryKind::managed ? dlpack_managed
               : kind == MemoryKind::pinned  ? dlpack_pinned
                                             : 1;
    }
};

/// A point in the work of a stream.  Belongs to the backend that made it.
struct Event {
    void* handle = nullptr;
};

/// What the library asks of a backend: memory, order, copies, kernels.  One `final` class per backend, below
/// src/device.
///
/// Nothing is opened before the first call of `report`, which never throws and opens each library once.  All other
/// calls need a device; they leave the calling thread's current device as they found it, may be made from any thread
/// without the GIL, and throw DeviceError with the driver's message.  `deallocate` and `forget` also work while the
/// process exits: they do nothing where the driver is gone.
class ZEROFAB_API Backend {
public:
    virtual ~Backend() = default;

    [[nodiscard]] virtual BackendKind kind() const noexcept = 0;
    /// What Runtime::device() calls it: "cpu", "cuda", "hip", "sycl".
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    [[nodiscard]] virtual const BackendFacts& facts() const noexcept = 0;
    /// What was found, searched for at the first call.
    [[nodiscard]] virtual const BackendReport& report() = 0;
    [[nodiscard]] int device_count() { return static_cast<int>(report().devices.size()); }
    /// One device of the report; DeviceError if it is not there, or no more: in a forked child a driver has none.
    [[nodiscard]] const DeviceInfo& info(int device);

    /// Memory at a multiple of 64 bytes; MemoryError if there is none.  The caller frees it by `deallocate`, when no
    /// work uses it any more.
    [[nodiscard]] virtual void* allocate(MemoryKind kind, std::size_t bytes, int device) = 0;
    virtual void deallocate(MemoryKind kind, void* data, std::size_t bytes, int device) noexcept = 0;
    /// The kind of memory at an address, of which DLPack says no more than `said`.
    [[nodiscard]] virtual MemoryKind kind_of(int device, const void* data, MemoryKind said);

    /// The stream of a run that names none.
    [[nodiscard]] virtual Stream default_stream(int device) = 0;
    /// Whether the handle names another stream on every thread, as 2 does on CUDA and ROCm: equal handles are then the
    /// same stream only on one thread, and on no other thread is there a name for it (see order_streams).
    [[nodiscard]] virtual bool is_per_thread(Stream) const noexcept { return false; }
    /// The stream that another library calls so: as an integer, as DLPack and the array interface of Numba count, or by
    /// an object's attribute (see BackendFacts).  ValueError for what names none.
    [[nodiscard]] virtual Stream named_stream(int device, std::intptr_t number, bool is_object);
    /// The integer that says so to another library; none where it takes no streams.
    [[nodiscard]] virtual std::optional<std::intptr_t> stream_number(Stream stream) const noexcept;
    /// Order all later work of ours after what this queue holds at that time, and what it is given later after ours.
    virtual void add_consumer(int device, void* queue);
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

/// The backend of this kind; the library's own exist in every build.
[[nodiscard]] ZEROFAB_API Backend& backend(BackendKind kind);

/// All of them: the library's own in the order of BackendKind, the host first, then those that were added.
[[nodiscard]] ZEROFAB_API std::vector<Backend*> backends();

/// The backend that users call so ("cpu", "cuda", "hip" or "rocm", "sycl"); null if there is none of that name.
[[nodiscard]] ZEROFAB_API Backend* find_backend(std::string_view name) noexcept;

/// A kind for a backend of a program's or test's own, to be returned by its `kind()`: the n-th, n from 0.
[[nodiscard]] constexpr BackendKind added_kind(std::uint8_t n) noexcept {
    return static_cast<BackendKind>(static_cast<std::uint8_t>(BackendKind::added) + n);
}
/// Make it known, for the life of the process.  ValueError if its kind is none of those, or it or a name is taken.
ZEROFAB_API void add_backend(Backend& made);

}  // namespace zerofab
