// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The particles of a tile as rows of columns, whatever the layout; what moving, sorting and writing work on.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "zerofab/particles/particle_tile.hpp"

namespace zerofab {

/// One component of a tile, held by a share: valid while the tile is resized, cleared or deleted.
struct ZEROFAB_API ColumnView {
    AllocationPtr share;
    const std::byte* data = nullptr;
    std::size_t rows = 0;  ///< what there is; further rows are zero

    /// Elements of `bytes` bytes are in the host's own memory from now on: a copy of them if they were elsewhere.
    void to_host(std::size_t bytes);
};

/// What a tile was when this was made. Neighbors are left out.
///
/// Memory of a device is only held: what reads rows calls to_host() first.
struct ZEROFAB_API TileView {
    /// What it holds: all columns; number words and positions; number words (of legacy particles, the records).
    enum class Columns : std::uint8_t { all, positions, words };

    explicit TileView(const ParticleTile& tile, Columns which = Columns::all);

    /// All columns are in the host's own memory from now on; waits for a device.
    void to_host();
    /// The same for number words and positions.
    void places_to_host();

    ParticleLayout layout;
    std::size_t rows = 0;
    ColumnView idcpu;  ///< or, for legacy particles, the records
    std::vector<ColumnView> real;
    std::vector<ColumnView> integer;

    /// A column by its number in TileData.
    [[nodiscard]] const ColumnView& column(std::size_t number) const noexcept {
        if (number == 0) return idcpu;
        return number <= real.size() ? real[number - 1] : integer[number - 1 - real.size()];
    }
    /// The number word of a row.
    [[nodiscard]] IdCpu id_word(std::size_t row) const noexcept {
        IdCpu word = 0;
        if (row < idcpu.rows) {
            std::memcpy(&word,
                        layout.pure_soa ? idcpu.data + row * sizeof(IdCpu)
                                        : idcpu.data + row * layout.record_size() + layout.id_offset(),
                        sizeof word);
        }
        return word;
    }
    /// The position of a row in direction d.
    [[nodiscard]] Real position(std::size_t row, int d) const noexcept {
        Real x = 0;
        if (layout.pure_soa) {
            const ColumnView& column = real[static_cast<std::size_t>(d)];
            if (row < column.rows) std::memcpy(&x, column.data + row * sizeof(Real), sizeof x);
        } else if (row < idcpu.rows) {
            std::memcpy(&x, idcpu.data + row * layout.record_size() + static_cast<std::size_t>(d) * sizeof(Real),
                        sizeof x);
        }
        return x;
    }
};

/// A tile as it was when this was made, to see later whether another thread has changed it.
///
/// Seen are changes of the number of particles and neighbors, of the components, and of whole particles by
/// ParticleTile::set() and its kin; not what is written into components by way of a view.
class ZEROFAB_API TileMark {
public:
    /// There was no tile.
    TileMark() = default;
    explicit TileMark(std::shared_ptr<const ParticleTile> tile);

    /// Whether `now`, null if there is none, is the tile of then and unchanged. A tile without particles is as good as
    /// none.
    [[nodiscard]] bool is(const ParticleTile* now) const noexcept;
    [[nodiscard]] bool has_neighbors() const noexcept { return neighbors_ > 0; }

private:
    struct Column {
        AllocationPtr share;  // held: a change then takes other memory
        std::size_t size = 0;
    };
    template <class See>
    static void each_column(const ParticleTile& tile, See see);

    std::shared_ptr<const ParticleTile> tile_;
    std::vector<Column> columns_;
    std::size_t neighbors_ = 0;
    std::uint64_t writes_ = 0;
};

/// A row of one of several tiles.
struct RowRef {
    std::uint64_t word = 0;

    static constexpr int row_bits = 40;

    RowRef() = default;
    RowRef(std::size_t source, std::size_t row) noexcept : word(std::uint64_t{source} << row_bits | row) {}
    [[nodiscard]] std::size_t source() const noexcept { return static_cast<std::size_t>(word >> row_bits); }
    [[nodiscard]] std::size_t row() const noexcept {
        return static_cast<std::size_t>(word & ((std::uint64_t{1} << row_bits) - 1));
    }
};

/// New memory with rows of several tiles: the host's until settle().
struct ZEROFAB_API TileData {
    TileData(const ParticleLayout& layout_, std::size_t reals, std::size_t ints, Arena& arena_);

    ParticleLayout layout;
    Arena* arena;  ///< for the tile
    PODVector<IdCpu> idcpu;
    PODVector<std::byte> records;
    std::vector<PODVector<Real>> real;
    std::vector<PODVector<int>> integer;

    [[nodiscard]] std::size_t columns() const noexcept { return 1 + real.size() + integer.size(); }
    /// So many rows, not initialized, in one column.
    void allocate(std::size_t column, std::size_t rows);
    /// Where a column begins, and the bytes of one of its elements.
    [[nodiscard]] std::byte* data(std::size_t column) noexcept;
    [[nodiscard]] static std::size_t element_size(const ParticleLayout& layout, std::size_t reals,
                                                  std::size_t column) noexcept;
    /// Fill column `column` with the rows.
    void gather(std::size_t column, std::span<const TileView> sources, std::span<const RowRef> rows);
    /// When what is written is read again: soon, or after so much else that caches need not keep it.
    enum class Reuse : std::uint8_t { soon, late };
    /// The same with rows of a single tile.
    void gather(std::size_t column, const TileView& source, std::span<const std::uint32_t> rows,
                Reuse reuse = Reuse::soon);
    /// All rows are there: move to memory of the arena.
    void settle();
    /// Make it the content of the tile, in place of its own. Does not throw if the tile has as many components.
    void install(ParticleTile& tile) noexcept;
};

}  // namespace zerofab
