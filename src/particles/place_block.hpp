// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Number words and positions of some rows of a tile, as loops take them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "zerofab/particles/rows.hpp"

namespace zerofab::detail {

/// Up to `most` rows: number words, and positions by direction, each one after the other in memory. They are where
/// they are in the tile, or copies where its layout puts something between them.
///
///     PlaceBlock<3> block;
///     for (std::size_t row = 0; row < view.rows; row += block.rows()) {
///         block.read(view, row, view.rows);
///         find(block.words(), block.positions(0), block.rows(), places);
///         block.each([&](std::size_t i) { write(places[i]); });
///     }
template <int D>
class PlaceBlock {
public:
    static constexpr std::size_t most = 128;  // what is worked out for each row stays in the nearest cache

    /// The rows from `first` on, at most to `end`. The tile must be in the host's own memory.
    void read(const TileView& view, std::size_t first, std::size_t end) {
        rows_ = std::min(most, end - first);
        const bool pure = view.layout.pure_soa;
        const std::size_t record = pure ? sizeof(IdCpu) : view.layout.record_size();
        words_ = elements(view.idcpu, record, pure ? 0 : view.layout.id_offset(), first, word_copies_.data());
        for (std::size_t d = 0; d < D; ++d) {
            positions_[d] = pure ? elements(view.real[d], sizeof(Real), 0, first, copies_[d].data())
                                 : elements(view.idcpu, record, d * sizeof(Real), first, copies_[d].data());
        }
    }

    [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
    [[nodiscard]] const IdCpu* words() const noexcept { return words_; }
    [[nodiscard]] const Real* positions(int d) const noexcept { return positions_[static_cast<std::size_t>(d)]; }

    /// Call see(i) for each row. Rows to come are fetched meanwhile: where see() writes here and there, the CPU loses
    /// track of what is read one after the other.
    template <class See>
    void each(See see) const {
        constexpr std::size_t line = 64 / sizeof(Real), ahead = 512;
        for (std::size_t begin = 0; begin < rows_; begin += line) {
            __builtin_prefetch(words_ + begin + ahead);
            for (const Real* x : positions_) __builtin_prefetch(x + begin + ahead);
            const std::size_t end = std::min(begin + line, rows_);
            for (std::size_t i = begin; i < end; ++i) see(i);
        }
    }

private:
    /// Elements `stride` bytes apart, which begin `offset` bytes into their rows; 0 beyond what there is.
    template <class T>
    const T* elements(const ColumnView& column, std::size_t stride, std::size_t offset, std::size_t first, T* copies) {
        if (stride == sizeof(T) && first + rows_ <= column.rows) {
            const std::byte* const data = column.data + first * stride;
            if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0) return reinterpret_cast<const T*>(data);
        }
        for (std::size_t i = 0; i < rows_; ++i) {
            copies[i] = T{};
            if (first + i < column.rows) {
                std::memcpy(copies + i, column.data + (first + i) * stride + offset, sizeof(T));
            }
        }
        return copies;
    }

    std::size_t rows_ = 0;
    const IdCpu* words_ = nullptr;
    std::array<const Real*, D> positions_{};
    std::array<IdCpu, most> word_copies_;  // not initialized: read() does
    std::array<std::array<Real, most>, D> copies_;
};

}  // namespace zerofab::detail
