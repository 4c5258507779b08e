// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one description from which every exchange protocol is made.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "zerofab/base/types.hpp"
#include "zerofab/memory/allocation.hpp"

namespace zerofab {

/// The most axes that an exported or imported tensor may have.
inline constexpr int max_axes = 8;

/// A strided tensor in memory that somebody owns: what a container says of itself.
///
/// Strides are counted in elements and always written, for axes of length 0 and 1 too.  The view holds a share of the
/// memory, never a container; a view without elements may hold none.  Memory of the host may be read at once; that of
/// a device after the work on the run's streams (see Runtime).
struct TensorView {
    AllocationPtr owner;           ///< share of the memory; null only if there are no elements
    void* data = nullptr;          ///< first element; null if there are no elements
    const DType* dtype = nullptr;  ///< element type, a static object
    std::int32_t axes = 0;         ///< number of axes
    bool read_only = false;        ///< whether a consumer may write
    Device device{};               ///< where the memory is
    MemoryKind kind = MemoryKind::host;
    const char* what = "";  ///< class of the container, a static string
    // The first `axes` entries count; the rest is never read.
    std::array<std::int64_t, max_axes> shape;
    std::array<std::int64_t, max_axes> strides;

    TensorView() noexcept {}  // leaves shape and strides unset: exports are counted in nanoseconds

    [[nodiscard]] std::int64_t size() const noexcept {
        std::int64_t product = 1;
        for (int axis = 0; axis < axes; ++axis) {
            product *= shape[static_cast<std::size_t>(axis)];
        }
        return product;
    }
    [[nodiscard]] MemorySpace space() const noexcept { return {device, kind}; }
    /// Set the owner and what follows from it: device and kind.
    void own(const AllocationPtr& share) noexcept {
        owner = share;
        if (share) {
            device = share->device();
            kind = share->kind();
        }
    }
};

/// Whether the elements lie without gaps in C order ('C'), in Fortran order ('F'), or in any order ('K').
[[nodiscard]] ZEROFAB_API bool is_compact(const TensorView& view, char order) noexcept;

/// Byte offsets of the lowest and one past the highest element from `data`; both 0 without elements.
struct Extent {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
[[nodiscard]] ZEROFAB_API Extent byte_extent(const TensorView& view) noexcept;

/// An isolated, finished copy in plain host memory, from memory of any kind: axes keep their order in memory, without
/// gaps.
[[nodiscard]] ZEROFAB_API TensorView copied(const TensorView& view);

/// An isolated copy in memory of the same kind, with the same strides, ordered on the calling thread's stream; of plain
/// host memory, the same as `copied`.
[[nodiscard]] ZEROFAB_API TensorView copied_in_place(const TensorView& view);

/// `like` with this shape in new, compact memory of the same kind in C order, not initialized; BufferError for a
/// negative extent, MemoryError if it does not fit.
[[nodiscard]] ZEROFAB_API TensorView allocated(const TensorView& like, const std::int64_t* shape);

/// Copy the elements of `from` into `to`: same shape, same element type, any strides, memory of any kind.  Ordered as
/// copy_bytes; the two must not overlap.
ZEROFAB_API void copy_elements(const TensorView& to, const TensorView& from);

/// "double (2, 5, 6, 7)": element type and shape, for messages.
[[nodiscard]] ZEROFAB_API std::string describe(const TensorView& view);

}  // namespace zerofab
