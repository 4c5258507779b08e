// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The one copy between two memories with a stride for each axis and side.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "zerofab/exchange/tensor_view.hpp"
#include "zerofab/memory/arena.hpp"

namespace zerofab::detail {

/// The first `view.axes` are the axes of a tensor, from the one that moves least in memory to the one that moves most.
using AxisOrder = std::array<std::size_t, max_axes>;
[[nodiscard]] AxisOrder by_stride(const TensorView& view) noexcept;

/// New memory for the same elements without gaps, in the order in which `like` has them; none for no elements.
[[nodiscard]] TensorView compact_like(const TensorView& like, Arena& arena);

/// Extents, and a stride in elements for each side; the first axis is the innermost.  Axes that follow each other
/// without a gap on both sides become one.
class StridedCopy {
public:
    StridedCopy() = default;
    /// All elements of two tensors of one shape, in the order in which `to` lies in memory.
    StridedCopy(const TensorView& to, const TensorView& from);

    void add(std::int64_t n, std::int64_t to, std::int64_t from) noexcept {
        if (n == 1) return;
        if (axes_ > 0 && to_[axes_ - 1] * count_[axes_ - 1] == to && from_[axes_ - 1] * count_[axes_ - 1] == from) {
            count_[axes_ - 1] *= n;
            return;
        }
        count_[axes_] = n;
        to_[axes_] = to;
        from_[axes_] = from;
        ++axes_;
    }

    [[nodiscard]] std::size_t axes() const noexcept { return axes_; }
    [[nodiscard]] std::int64_t count(std::size_t axis) const noexcept { return axis < axes_ ? count_[axis] : 1; }
    [[nodiscard]] std::int64_t to(std::size_t axis) const noexcept { return axis < axes_ ? to_[axis] : 0; }
    [[nodiscard]] std::int64_t from(std::size_t axis) const noexcept { return axis < axes_ ? from_[axis] : 0; }

    /// Copy, in memory of the host; `Word` has the size of an element.
    template <class Word>
    void run(Word* to, const Word* from) const noexcept {
        if (axes_ == 0) {
            std::memcpy(to, from, sizeof(Word));
        } else {
            copy_axis(axes_ - 1, to, from);
        }
    }
    /// The same for elements of 1, 2, 4, 8, 16 or 32 bytes at any address.
    void run(void* to, const void* from, std::size_t element_bytes) const;

private:
    template <class Word>
    void copy_axis(std::size_t axis, Word* to, const Word* from) const noexcept {
        if (axis == 0) return copy_rows(1, 0, 0, to, from);
        if (axis == 1) return copy_rows(count_[1], to_[1], from_[1], to, from);
        for (std::int64_t i = 0; i < count_[axis]; ++i) copy_axis(axis - 1, to + i * to_[axis], from + i * from_[axis]);
    }
    template <class Word>
    void copy_rows(std::int64_t rows, std::int64_t to_row, std::int64_t from_row, Word* to,
                   const Word* from) const noexcept {
        const std::int64_t n = count_[0], to_step = to_[0], from_step = from_[0];
        const auto each_row = [&](auto copy_row) {
            for (std::int64_t j = 0; j < rows; ++j) copy_row(to + j * to_row, from + j * from_row);
        };
        if (to_step == 1 && from_step == 1) {
            if (n == 8) return each_row([](Word* a, const Word* b) { std::memcpy(a, b, 8 * sizeof(Word)); });
            return each_row(
                [n](Word* a, const Word* b) { std::memcpy(a, b, static_cast<std::size_t>(n) * sizeof(Word)); });
        }
        if (to_step == 1 && from_step == 0) return each_row([n](Word* a, const Word* b) { std::fill_n(a, n, *b); });
        each_row([n, to_step, from_step](Word* a, const Word* b) {
            for (std::int64_t i = 0; i < n; ++i) a[i * to_step] = b[i * from_step];
        });
    }

    std::size_t axes_ = 0;
    std::array<std::int64_t, max_axes> count_, to_, from_;  // the first axes_ of each
};

}  // namespace zerofab::detail
