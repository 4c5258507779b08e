// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// DLPack: export and import of TensorViews.  https://dmlc.github.io/dlpack/latest/
#pragma once

#include <cstdint>

#include "zerofab/base/error.hpp"
#include "zerofab/exchange/tensor_view.hpp"

struct DLManagedTensor;  // of dlpack/dlpack.h, which only the .cpp files need
struct DLManagedTensorVersioned;

namespace zerofab {

/// A device as DLPack numbers it: (type, id).
struct DLPackDevice {
    std::int32_t type = 1;  ///< kDLCPU
    std::int32_t id = 0;

    friend constexpr bool operator==(DLPackDevice, DLPackDevice) = default;
};

/// The number of a device in DLPack; its own number where nobody says another, in a forked child for one.
[[nodiscard]] ZEROFAB_API std::int32_t dlpack_number(Device device) noexcept;

/// Where a tensor of DLPack's device is, as this run sees it; `data`, if not null, tells the kinds of SYCL's memory
/// apart.  BufferError for a device that the run does not use.
[[nodiscard]] ZEROFAB_API MemorySpace memory_space_of(DLPackDevice device, const void* data = nullptr);

/// Where DLPack says that this memory is.  In a run on the host, every kind is kDLCPU; on a device memory of the host
/// that the device reaches has the number 0, and SYCL's is kDLOneAPI in each kind.
[[nodiscard]] ZEROFAB_API DLPackDevice dlpack_device(const TensorView& view) noexcept;

/// Whether its consumers want the lowest address and an offset where strides go back, as those of SYCL do.
[[nodiscard]] ZEROFAB_API bool from_lowest_address(const TensorView& view) noexcept;

/// The highest version of DLPack that exports can have.
inline constexpr std::uint32_t dlpack_major = 1;
inline constexpr std::uint32_t dlpack_minor = 3;

/// A tensor that lives until its own deleter is called: once, on any thread, with or without the interpreter.  It
/// holds the view's share of the memory and is counted in the ledger.  Takes the share out of `view`.
/// BufferError for an element type that DLPack cannot describe, and for read-only memory in the legacy form.
[[nodiscard]] ZEROFAB_API DLManagedTensor* export_legacy(TensorView& view, bool copied);
[[nodiscard]] ZEROFAB_API DLManagedTensorVersioned* export_versioned(TensorView& view, bool copied,
                                                                     std::uint32_t minor = dlpack_minor);

/// A tensor whose elements are of a type that this library has no name for, such as float16.
class ZEROFAB_API ElementTypeError : public BufferError {
public:
    using BufferError::BufferError;
};

/// BufferError unless DLPack can describe the element type.
ZEROFAB_API void require_dlpack_type(const TensorView& view);

/// Take over a tensor of another library: its deleter is called once, when the last share of the memory is dropped,
/// or at once if this throws.  BufferError for a version, device, element type, or extent that we cannot describe.
[[nodiscard]] ZEROFAB_API TensorView import_legacy(DLManagedTensor* tensor);
[[nodiscard]] ZEROFAB_API TensorView import_versioned(DLManagedTensorVersioned* tensor);

/// Check what a foreign view says of its shape, strides and memory space, and complete it: strides of compact C order
/// where it gave none, where there are no elements, and where an absurd stride belongs to a single element; no data
/// without elements.  Afterwards no product of shape, strides and element size overflows.  BufferError.
ZEROFAB_API void check_extent(TensorView& view, bool has_strides = true);

/// The element type of these DLPack numbers, or null.
[[nodiscard]] ZEROFAB_API const DType* find_dtype(std::uint8_t code, std::uint8_t bits) noexcept;

}  // namespace zerofab
