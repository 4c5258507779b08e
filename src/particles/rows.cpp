// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/rows.hpp"

#include <array>

#include "device/host/write_through.hpp"

namespace zerofab {
namespace {

template <class T>
ColumnView view_of(const PODVector<T>& vector, std::size_t rows) {
    return {vector.share(), reinterpret_cast<const std::byte*>(vector.data()), std::min(rows, vector.size())};
}

template <class T, class Column>
void gather_into(PODVector<T>& to, std::span<const TileView> sources, std::span<const RowRef> rows, Column column) {
    to.resize_for_overwrite(rows.size());
    T* out = to.data();
    const ColumnView* from = nullptr;
    std::size_t source = sources.size();
    for (const RowRef ref : rows) {
        if (ref.source() != source) {
            source = ref.source();
            from = &column(sources[source]);
        }
        if (ref.row() < from->rows)
            std::memcpy(out, from->data + ref.row() * sizeof(T), sizeof(T));
        else
            *out = T{};
        ++out;
    }
}

/// Elements of `bytes` bytes, known where this is compiled. Rows are anywhere: elements are fetched long before they
/// are needed, and read several at a time, so that many reads are under way at once.
template <std::size_t bytes, bool through>
void gather_elements(std::byte* out, const std::byte* from, std::span<const std::uint32_t> rows) {
    constexpr std::size_t at_once = 16, ahead = 256;
    const auto element = [&](std::size_t i) { return from + std::size_t{rows[i]} * bytes; };
    std::size_t i = 0;
    for (; i + at_once + ahead <= rows.size(); i += at_once) {
        alignas(64) std::array<std::byte, at_once * bytes> some;
        for (std::size_t k = 0; k < at_once; ++k) __builtin_prefetch(element(i + k + ahead));
        for (std::size_t k = 0; k < at_once; ++k) std::memcpy(some.data() + k * bytes, element(i + k), bytes);
        if constexpr (through)
            write_through<some.size()>(out + i * bytes, some.data());
        else
            std::memcpy(out + i * bytes, some.data(), some.size());
    }
    for (; i < rows.size(); ++i) std::memcpy(out + i * bytes, element(i), bytes);
    if constexpr (through) finish_writes();
}

/// Elements of any size; those that the column has not are 0.
void gather_elements(std::byte* out, const ColumnView& from, std::size_t bytes, std::span<const std::uint32_t> rows) {
    for (const std::uint32_t row : rows) {
        if (row < from.rows)
            std::memcpy(out, from.data + std::size_t{row} * bytes, bytes);
        else
            std::memset(out, 0, bytes);
        out += bytes;
    }
}

}  // namespace

TileView::TileView(const ParticleTile& tile, Columns which) : layout(tile.layout()), rows(tile.num_particles()) {
    const StructOfArrays& soa = tile.soa();
    if (layout.pure_soa) {
        idcpu = view_of(soa.idcpu(), rows);
    } else {
        idcpu = view_of(tile.aos().bytes(), rows * layout.record_size());
        idcpu.rows /= layout.record_size();
    }
    if (which == Columns::words) return;
    const int places = layout.pure_soa ? layout.dim : 0;
    const int reals = which == Columns::all ? soa.num_real() : places;
    const int ints = which == Columns::all ? soa.num_int() : 0;
    real.reserve(static_cast<std::size_t>(reals));
    integer.reserve(static_cast<std::size_t>(ints));
    for (int i = 0; i < reals; ++i) real.push_back(view_of(soa.real(i), rows));
    for (int i = 0; i < ints; ++i) integer.push_back(view_of(soa.integer(i), rows));
}

template <class See>
void TileMark::each_column(const ParticleTile& tile, See see) {
    const StructOfArrays& soa = tile.soa();
    if (tile.layout().pure_soa)
        see(soa.idcpu());
    else
        see(tile.aos().bytes());
    for (int i = 0; i < soa.num_real(); ++i) see(soa.real(i));
    for (int i = 0; i < soa.num_int(); ++i) see(soa.integer(i));
}

TileMark::TileMark(std::shared_ptr<const ParticleTile> tile)
    : tile_(std::move(tile)), neighbors_(tile_->num_neighbors()), writes_(tile_->writes()) {
    each_column(*tile_, [this](const auto& vector) { columns_.push_back({vector.share(), vector.size()}); });
}

bool TileMark::is(const ParticleTile* now) const noexcept {
    if (!tile_) return now == nullptr || now->size() == 0;
    if (now != tile_.get() || now->num_neighbors() != neighbors_ || now->writes() != writes_) return false;
    std::size_t count = 0;
    bool same = true;
    each_column(*now, [&](const auto& vector) {
        same = same && count < columns_.size() && vector.share().get() == columns_[count].share.get() &&
               vector.size() == columns_[count].size;
        ++count;
    });
    return same && count == columns_.size();
}

void ColumnView::to_host(std::size_t bytes) {
    if (!share || share->space().is_plain()) return;
    AllocationPtr copy;
    if (rows > 0) {
        copy = The_Cpu_Arena().allocate(rows * bytes);
        copy_bytes(copy->data(), copy->space(), data, share->space(), rows * bytes);
    }
    data = copy ? static_cast<const std::byte*>(copy->data()) : nullptr;
    share = std::move(copy);
}

void TileView::to_host() {
    places_to_host();
    for (ColumnView& column : real) column.to_host(sizeof(Real));
    for (ColumnView& column : integer) column.to_host(sizeof(int));
}

void TileView::places_to_host() {
    idcpu.to_host(TileData::element_size(layout, real.size(), 0));
    for (std::size_t d = 0; layout.pure_soa && d < static_cast<std::size_t>(layout.dim); ++d) {
        real[d].to_host(sizeof(Real));
    }
}

TileData::TileData(const ParticleLayout& layout_, std::size_t reals, std::size_t ints, Arena& arena_)
    : layout(layout_), arena(&arena_) {
    Arena& first = arena_.space().is_plain() ? arena_ : The_Cpu_Arena();
    idcpu.set_arena(first);
    records.set_arena(first);
    real.assign(reals, PODVector<Real>(first));
    integer.assign(ints, PODVector<int>(first));
}

void TileData::allocate(std::size_t column, std::size_t rows) {
    if (column == 0 && layout.pure_soa) {
        idcpu.resize_for_overwrite(rows);
    } else if (column == 0) {
        records.resize_for_overwrite(rows * layout.record_size());
    } else if (column <= real.size()) {
        real[column - 1].resize_for_overwrite(rows);
    } else {
        integer[column - 1 - real.size()].resize_for_overwrite(rows);
    }
}

std::byte* TileData::data(std::size_t column) noexcept {
    if (column == 0) return layout.pure_soa ? reinterpret_cast<std::byte*>(idcpu.data()) : records.data();
    return column <= real.size() ? reinterpret_cast<std::byte*>(real[column - 1].data())
                                 : reinterpret_cast<std::byte*>(integer[column - 1 - real.size()].data());
}

std::size_t TileData::element_size(const ParticleLayout& layout, std::size_t reals, std::size_t column) noexcept {
    if (column == 0) return layout.pure_soa ? sizeof(IdCpu) : layout.record_size();
    return column <= reals ? sizeof(Real) : sizeof(int);
}

void TileData::gather(std::size_t column, std::span<const TileView> sources, std::span<const RowRef> rows) {
    if (column == 0 && layout.pure_soa) {
        gather_into(idcpu, sources, rows, [](const TileView& view) -> const ColumnView& { return view.idcpu; });
    } else if (column == 0) {
        const std::size_t bytes = layout.record_size();
        records.resize(rows.size() * bytes, GrowthStrategy::Exact);
        std::byte* out = records.data();
        for (const RowRef ref : rows) {
            const ColumnView& from = sources[ref.source()].idcpu;
            if (ref.row() < from.rows) std::memcpy(out, from.data + ref.row() * bytes, bytes);
            out += bytes;
        }
    } else if (const std::size_t i = column - 1; i < real.size()) {
        gather_into(real[i], sources, rows, [i](const TileView& view) -> const ColumnView& { return view.real[i]; });
    } else {
        const std::size_t j = i - real.size();
        gather_into(integer[j], sources, rows,
                    [j](const TileView& view) -> const ColumnView& { return view.integer[j]; });
    }
}

void TileData::gather(std::size_t column, const TileView& source, std::span<const std::uint32_t> rows, Reuse reuse) {
    allocate(column, rows.size());
    const ColumnView& from = source.column(column);
    const std::size_t bytes = element_size(layout, real.size(), column);
    std::byte* out = data(column);
    const bool through = reuse == Reuse::late && reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
    if (from.rows < source.rows || (bytes != sizeof(Real) && bytes != sizeof(int))) {
        gather_elements(out, from, bytes, rows);
    } else if (bytes == sizeof(Real)) {
        (through ? gather_elements<sizeof(Real), true> : gather_elements<sizeof(Real), false>)(out, from.data, rows);
    } else {
        (through ? gather_elements<sizeof(int), true> : gather_elements<sizeof(int), false>)(out, from.data, rows);
    }
}

void TileData::settle() {
    idcpu.set_arena(*arena);
    records.set_arena(*arena);
    for (PODVector<Real>& vector : real) vector.set_arena(*arena);
    for (PODVector<int>& vector : integer) vector.set_arena(*arena);
}

void TileData::install(ParticleTile& tile) noexcept {
    StructOfArrays& soa = tile.soa();
    if (layout.pure_soa) {
        soa.idcpu().swap(idcpu);
    } else {
        tile.aos().bytes().swap(records);
    }
    for (std::size_t i = 0; i < real.size(); ++i) soa.real(static_cast<int>(i)).swap(real[i]);
    for (std::size_t i = 0; i < integer.size(); ++i) soa.integer(static_cast<int>(i)).swap(integer[i]);
    tile.forget_neighbors();
}

}  // namespace zerofab
