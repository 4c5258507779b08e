// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What can be asked of particles: how many, where, and whether they are where they belong.
#include "particles/cells.hpp"
#include "particles/deposit.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/particles/particle_container.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab {
namespace {

/// The tiles of a level, and where their particles are: valid whatever becomes of the container while this thread
/// waits for a device.
template <int D>
struct Places {
    explicit Places(const ParticleLevel<D>& level) : geom(level.geom), layout(level.layout) {
        for (const auto& [key, tile] : level.tiles) {
            keys.push_back(key);
            tiles.emplace_back(*tile, TileView::Columns::positions);
        }
    }
    void to_host() {
        for (TileView& view : tiles) view.places_to_host();
    }
    Geometry<D> geom;
    std::shared_ptr<const FabLayout<D>> layout;
    std::vector<TileKey> keys;
    std::vector<TileView> tiles;
};

/// How many rows are valid, on several threads where that is worth it.
class ValidRows {
public:
    /// The rows of a tile count for `grid`.
    void add(int grid, const ParticleTile& tile) {
        sources_.push_back({grid, TileView(tile, TileView::Columns::words)});
        total_ += sources_.back().view.rows;
    }
    /// Add them to the counts of their grids.
    void count(std::vector<Long>& counts) {
        struct Chunk {
            const Source* source;
            std::size_t begin, end;
            Long count = 0;
        };
        std::vector<Chunk> chunks;
        for (Source& source : sources_) {
            source.view.idcpu.to_host(TileData::element_size(source.view.layout, 0, 0));
            for (std::size_t row = 0; row < source.view.rows; row += chunk_rows) {
                chunks.push_back({&source, row, std::min(row + chunk_rows, source.view.rows)});
            }
        }
        const auto count_chunk = [&](std::int64_t i) {
            Chunk& chunk = chunks[static_cast<std::size_t>(i)];
            chunk.count = valid_between(chunk.source->view, chunk.begin, chunk.end);
        };
        const auto size = static_cast<std::int64_t>(chunks.size());
        if (total_ >= worth_threads) {
            parallel_for(size, count_chunk);
        } else {
            for (std::int64_t i = 0; i < size; ++i) count_chunk(i);
        }
        for (const Chunk& chunk : chunks) counts[static_cast<std::size_t>(chunk.source->grid)] += chunk.count;
    }

private:
    struct Source {
        int grid;
        TileView view;
    };
    static constexpr std::size_t chunk_rows = std::size_t{1} << 16, worth_threads = std::size_t{1} << 17;

    static Long valid_between(const TileView& view, std::size_t begin, std::size_t end) noexcept {
        end = std::min(end, view.idcpu.rows);
        if (begin >= end) return 0;
        if (view.layout.pure_soa) {
            const auto* words = reinterpret_cast<const IdCpu*>(view.idcpu.data);
            return cell_loops().count_marked(words + begin, static_cast<std::int64_t>(end - begin));
        }
        Long count = 0;
        for (std::size_t row = begin; row < end; ++row) count += is_valid(view.id_word(row)) ? 1 : 0;
        return count;
    }

    std::vector<Source> sources_;
    std::size_t total_ = 0;
};

}  // namespace

template <int D>
bool ParticleContainer<D>::ok(int lev_min, int lev_max, const IntVect<D>& ngrow) const {
    if (levels_.empty()) return true;
    if (lev_max < 0) lev_max = finest_level();
    static_cast<void>(checked_level(lev_min));
    static_cast<void>(checked_level(lev_max));
    for (int lev = lev_min; lev <= lev_max; ++lev) {
        Places<D> here(level(lev));
        here.to_host();
        const detail::CellFinder<D> cells(here.geom);
        for (std::size_t t = 0; t < here.tiles.size(); ++t) {
            const TileView& view = here.tiles[t];
            Box<D> box = here.layout->boxes().cells()[static_cast<std::size_t>(here.keys[t].first)];
            box.grow(ngrow);
            for (std::size_t row = 0; row < view.rows; ++row) {
                if (!is_valid(view.id_word(row))) continue;
                IntVect<D> cell;
                for (int d = 0; d < D; ++d) {
                    if (!cells.cell(view.position(row, d), d, cell[d])) return false;
                }
                if (!box.contains(cell)) return false;
            }
        }
    }
    return true;
}

template <int D>
std::vector<Long> ParticleContainer<D>::count_in_grids(int lev, bool only_valid) const {
    if (levels_.empty() && lev == 0) return {};
    const ParticleLevel<D>& here = level(lev);
    std::vector<Long> counts(static_cast<std::size_t>(here.layout->size()));
    ValidRows valid;
    for (const auto& [key, tile] : here.tiles) {
        if (only_valid)
            valid.add(key.first, *tile);
        else
            counts[static_cast<std::size_t>(key.first)] += static_cast<Long>(tile->num_particles());
    }
    valid.count(counts);  // the level itself may change while this thread waits for a device
    return counts;
}

template <int D>
Long ParticleContainer<D>::count_at_level(int lev, bool only_valid) const {
    Long sum = 0;
    for (const Long count : count_in_grids(lev, only_valid)) sum += count;
    return sum;
}

template <int D>
Long ParticleContainer<D>::count(bool only_valid) const {
    Long sum = 0;
    for (int lev = 0; lev < num_levels(); ++lev) sum += count_at_level(lev, only_valid);
    return sum;
}

template <int D>
Long ParticleContainer<D>::bytes() const {
    const std::size_t row = (layout_.pure_soa ? sizeof(IdCpu) : layout_.record_size()) +
                            static_cast<std::size_t>(num_real()) * sizeof(Real) +
                            static_cast<std::size_t>(num_int()) * sizeof(int);
    return count(false) * static_cast<Long>(row);
}

template <int D>
Long ParticleContainer<D>::capacity() const {
    std::size_t bytes = 0;
    for (const ParticleLevel<D>& level : levels_) {
        for (const auto& [key, tile] : level.tiles) bytes += tile->capacity();
    }
    return static_cast<Long>(bytes);
}

template <int D>
void ParticleContainer<D>::increment(MultiFab<D>& counts, int lev) const {
    const ParticleLevel<D>& here = level(lev);
    const Lease<D> body = counts.lease();
    if (!same_layout(*body->layout, *here.layout) || body->layout->ix_type() != IndexType<D>::cell()) {
        throw ValueError(concat("the MultiFab must have the boxes of level ", lev, ", cell-centred"));
    }
    if (body->ncomp < 1 || body->num_local() != body->layout->num_local()) {
        throw ValueError("the MultiFab has no component or no memory");
    }
    Places<D> places(here);
    std::vector<int> fabs;
    for (const TileKey& key : places.keys) fabs.push_back(places.layout->local_index(key.first));
    if (detail::deposit_on_device(*body, places.geom, places.tiles, fabs)) return;
    places.to_host();
    detail::deposit_on_host(*body, places.geom, places.tiles, fabs);
}

#define ZEROFAB_INSTANTIATE(D)                                                        \
    template bool ParticleContainer<D>::ok(int, int, const IntVect<D>&) const;        \
    template std::vector<Long> ParticleContainer<D>::count_in_grids(int, bool) const; \
    template Long ParticleContainer<D>::count_at_level(int, bool) const;              \
    template Long ParticleContainer<D>::count(bool) const;                            \
    template Long ParticleContainer<D>::bytes() const;                                \
    template Long ParticleContainer<D>::capacity() const;                             \
    template void ParticleContainer<D>::increment(MultiFab<D>&, int) const;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
