// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A counting sort by destination; then each component is read in order and written to one stream per box.
#include "zerofab/particles/redistribution.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "particles/cells.hpp"
#include "particles/installation.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/device/parallel.hpp"

namespace zerofab {
namespace {

constexpr std::size_t chunk_rows = std::size_t{1} << 14;     // enough work for a thread to be worth while
constexpr std::size_t most_counters = std::size_t{1} << 24;  // chunks x destinations

// A destination: the number of a slot, or none; the highest bit says that the position is not to be changed.
constexpr std::uint32_t gone = UINT32_MAX;
constexpr std::uint32_t kept_bit = std::uint32_t{1} << 31;

void mark(std::uint8_t& flag) noexcept { std::atomic_ref(flag).store(1, std::memory_order_relaxed); }

}  // namespace

/// Where a particle goes. One per thread and chunk: it remembers the last box.
template <int D>
class Redistribution<D>::Finder {
public:
    explicit Finder(const Redistribution& move)
        : move_(move), lev_max_(move.lev_max_), may_stay_(move.options_.ngrow != IntVect<D>()) {
        for (const Level& level : move.levels_) {
            cells_.emplace_back(level.geom);
            indexes_.push_back(&level.layout->boxes().index());
        }
    }

    /// The destination of a row: a slot, or -1 if it goes away.
    int operator()(const Source& source, const TileView& view, std::size_t row, bool& keep, bool& folded) {
        keep = folded = false;
        if (source.slot >= 0 && !source.moves) {
            keep = true;
            return source.slot;
        }
        const IdCpu word = view.id_word(row);
        if (!is_valid(word) && (move_.options_.remove_negative || source.slot < 0)) {
            if (word >> 24 == 0 && has_place(view, row)) ++lost.without_id;
            return -1;
        }
        std::array<Real, D> x;
        const detail::CellFinder<D>& coarse = cells_.front();
        bool inside = true;
        for (int d = 0; d < D; ++d) {
            const Real seen = view.position(row, d);
            Real& folded_x = x[static_cast<std::size_t>(d)];
            folded_x = coarse.fold(seen, d);
            folded = folded || !(folded_x == seen);
            inside = inside && coarse.inside(folded_x, d);
        }
        if (may_stay_ && source.slot >= 0 && is_near(source, view, row)) {
            keep = true;
            return source.slot;
        }
        for (int lev = lev_max_; inside && lev >= 0; --lev) {
            const int slot = find(lev, x);
            if (slot >= 0) return slot;
        }
        if (!is_finite(view, row))
            ++lost.without_position;
        else if (inside)
            ++lost.without_box;
        return -1;
    }

    LostParticles lost;

private:
    static bool has_place(const TileView& view, std::size_t row) noexcept {
        bool any = false;
        for (int d = 0; d < D; ++d) any = any || view.position(row, d) != 0;
        return any;
    }
    static bool is_finite(const TileView& view, std::size_t row) noexcept {
        bool all = true;
        for (int d = 0; d < D; ++d) all = all && std::isfinite(view.position(row, d));
        return all;
    }
    int find(int lev, const std::array<Real, D>& x) {
        IntVect<D> cell;
        for (int d = 0; d < D; ++d) {
            if (!cells_[static_cast<std::size_t>(lev)].cell(x[static_cast<std::size_t>(d)], d, cell[d])) return -1;
        }
        if (lev == last_level_ && last_box_.contains(cell)) return last_slot_;
        const Level& level = move_.levels_[static_cast<std::size_t>(lev)];
        const int grid = indexes_[static_cast<std::size_t>(lev)]->find(cell);
        if (grid < 0) return -1;
        last_level_ = lev;
        last_box_ = level.layout->boxes().cells()[static_cast<std::size_t>(grid)];
        last_slot_ = level.slots[static_cast<std::size_t>(grid)];
        return last_slot_;
    }
    /// Whether the cell of a row, not folded, is in its present box grown by ngrow.
    bool is_near(const Source& source, const TileView& view, std::size_t row) const {
        const Level& level = move_.levels_[static_cast<std::size_t>(source.level)];
        Box<D> box = level.layout->boxes().cells()[static_cast<std::size_t>(source.key.first)];
        box.grow(move_.options_.ngrow);
        IntVect<D> cell;
        for (int d = 0; d < D; ++d) {
            if (!cells_[static_cast<std::size_t>(source.level)].cell(view.position(row, d), d, cell[d])) return false;
        }
        return box.contains(cell);
    }

    const Redistribution& move_;
    int lev_max_;
    bool may_stay_;
    std::vector<detail::CellFinder<D>> cells_;
    std::vector<const BoxIndex<D>*> indexes_;
    int last_level_ = -1, last_slot_ = -1;
    Box<D> last_box_;
};

template <int D>
Redistribution<D>::Redistribution(const ParticleContainer<D>& particles, const Options& options) : options_(options) {
    look(particles);
    const int finest = particles.num_levels() - 1;
    lev_max_ = options.lev_max < 0 ? finest : options.lev_max;
    if (finest >= 0 && (options.lev_min < 0 || options.lev_min > finest || lev_max_ > finest)) {
        throw IndexError("levels " + std::to_string(options.lev_min) + " to " + std::to_string(options.lev_max) +
                         " do not exist: the finest is " + std::to_string(finest));
    }
    if (!options.ngrow.all_ge(0)) throw ValueError("particles cannot stay a negative number of cells outside");
    for (Source& source : sources_) {
        source.moves = source.level >= options.lev_min && source.level <= lev_max_;
        source.has_neighbors = source.has_neighbors && options.ngrow == IntVect<D>();
    }
}

template <int D>
Redistribution<D>::Redistribution(const ParticleContainer<D>& particles, std::vector<TileView> joining, int level) {
    look(particles);
    static_cast<void>(particles.level(level));  // checks it
    lev_max_ = level;
    for (TileView& view : joining) {
        if (!(view.layout == layout_) || view.real.size() != reals_ || view.integer.size() != ints_) {
            throw ValueError("particles with " + std::to_string(view.real.size()) + " real and " +
                             std::to_string(view.integer.size()) + " int components cannot join particles with " +
                             std::to_string(reals_) + " and " + std::to_string(ints_));
        }
        sources_.push_back({-1, {0, 0}, -1, true, {}, false});
        views_.push_back(std::move(view));
    }
}

template <int D>
int Redistribution<D>::slot_of(int level, const TileKey& key, int source) {
    slots_.push_back({level, key, source});
    return static_cast<int>(slots_.size()) - 1;
}

template <int D>
void Redistribution<D>::look(const ParticleContainer<D>& particles) {
    if (communicator().size() > 1) throw StateError("particles cannot move between ranks yet: run on one rank");
    layout_ = particles.layout();
    reals_ = static_cast<std::size_t>(particles.num_real());
    ints_ = static_cast<std::size_t>(particles.num_int());
    arena_ = &particles.arena();
    particles.check_tiles();
    for (int lev = 0; lev < particles.num_levels(); ++lev) {
        const ParticleLevel<D>& from = particles.level(lev);
        Level level{from.geom, from.layout, {}};
        for (int grid = 0; grid < from.layout->size(); ++grid) level.slots.push_back(slot_of(lev, {grid, 0}, -1));
        for (const auto& [key, tile] : from.tiles) {
            const int source = static_cast<int>(sources_.size());
            int slot = level.slots[static_cast<std::size_t>(key.first)];
            if (key.second != 0) slot = slot_of(lev, key, source);
            slots_[static_cast<std::size_t>(slot)].source = source;
            sources_.push_back({lev, key, slot, false, TileMark(tile), tile->num_neighbors() > 0});
            views_.emplace_back(*tile);
        }
        levels_.push_back(std::move(level));
    }
}

template <int D>
void Redistribution<D>::cut_into_chunks() {
    std::size_t total = 0;
    for (const TileView& view : views_) {
        total += view.rows;
    }
    // Each chunk counts for every destination: fewer chunks where there are many of those.
    const std::size_t most = std::max<std::size_t>(1, most_counters / std::max<std::size_t>(1, slots_.size()));
    const std::size_t rows = std::max(chunk_rows, total / most + 1);
    for (std::size_t s = 0; s < views_.size(); ++s) {
        for (std::size_t begin = 0; begin < views_[s].rows; begin += rows) {
            chunks_.push_back({s, begin, std::min(begin + rows, views_[s].rows)});
        }
    }
}

template <int D>
void Redistribution<D>::run() {
    if (levels_.empty()) return;
    lost_ = {};
    if (run_on_device()) return;
    for (TileView& view : views_) view.to_host();
    cut_into_chunks();
    const std::size_t slots = slots_.size();
    std::vector<std::size_t> first_row(chunks_.size() + 1);
    for (std::size_t c = 0; c < chunks_.size(); ++c)
        first_row[c + 1] = first_row[c] + chunks_[c].end - chunks_[c].begin;

    // Chunks of small tiles are dealt out together, so that one set of counters serves many of them.
    const std::size_t groups = std::min({chunks_.size(), static_cast<std::size_t>(8 * num_threads()),
                                         std::max<std::size_t>(1, most_counters / std::max<std::size_t>(1, slots))});
    std::vector<std::size_t> group_begin(groups + 1);
    for (std::size_t g = 0, c = 0; g <= groups; ++g) {
        const std::size_t rows = groups == 0 ? 0 : first_row.back() * g / groups;
        while (c < chunks_.size() && first_row[c] < rows) ++c;
        group_begin[g] = g == groups ? chunks_.size() : c;
    }

    std::vector<std::uint32_t> destination(first_row.back());
    std::vector<std::size_t> counts(groups * slots);
    std::vector<std::uint8_t> changed(slots);
    for (const Source& source : sources_) {
        if (source.has_neighbors) changed[static_cast<std::size_t>(source.slot)] = 1;
    }
    std::vector<LostParticles> lost(groups);
    parallel_for(static_cast<std::int64_t>(groups), [&](std::int64_t group) {
        const auto g = static_cast<std::size_t>(group);
        std::size_t* const count = counts.data() + g * slots;
        Finder find(*this);
        for (std::size_t c = group_begin[g]; c < group_begin[g + 1]; ++c) {
            const Chunk& chunk = chunks_[c];
            const Source& source = sources_[chunk.source];
            const TileView& view = views_[chunk.source];
            std::uint32_t* out = destination.data() + first_row[c];
            for (std::size_t row = chunk.begin; row < chunk.end; ++row) {
                bool keep = false, folded = false;
                const int slot = find(source, view, row, keep, folded);
                *out++ = slot < 0 ? gone : static_cast<std::uint32_t>(slot) | (keep ? kept_bit : 0);
                if (slot >= 0) ++count[slot];
                if (slot != source.slot || (folded && !keep)) {
                    if (slot >= 0) mark(changed[static_cast<std::size_t>(slot)]);
                    if (source.slot >= 0) mark(changed[static_cast<std::size_t>(source.slot)]);
                }
            }
        }
        lost[g] = find.lost;
    });
    for (const LostParticles& part : lost) {
        lost_.without_id += part.without_id;
        lost_.without_position += part.without_position;
        lost_.without_box += part.without_box;
    }

    std::vector<std::size_t> rows_of(slots);
    for (std::size_t s = 0; s < slots; ++s) {
        for (std::size_t g = 0; g < groups; ++g) rows_of[s] += std::exchange(counts[g * slots + s], rows_of[s]);
        if (rows_of[s] > UINT32_MAX) throw ValueError("a box would get too many particles");
    }
    // A tile whose particles all stay needs no look at them.
    const auto moves = [&](const Chunk& chunk) {
        const int slot = sources_[chunk.source].slot;
        return slot < 0 || changed[static_cast<std::size_t>(slot)] != 0;
    };
    std::vector<std::uint32_t> place(destination.size());
    parallel_for(static_cast<std::int64_t>(groups), [&](std::int64_t group) {
        const auto g = static_cast<std::size_t>(group);
        std::size_t* const next = counts.data() + g * slots;
        for (std::size_t c = group_begin[g]; c < group_begin[g + 1]; ++c) {
            if (!moves(chunks_[c])) continue;
            for (std::size_t row = first_row[c]; row < first_row[c + 1]; ++row) {
                const std::uint32_t word = destination[row];
                if (word != gone) place[row] = static_cast<std::uint32_t>(next[word & ~kept_bit]++);
            }
        }
    });

    results_.clear();
    for (std::size_t s = 0; s < slots; ++s) {
        if (changed[s] == 0 || (rows_of[s] == 0 && slots_[s].source < 0)) continue;
        results_.push_back({static_cast<int>(s), TileData(layout_, reals_, ints_, *arena_)});
    }
    const std::size_t columns = 1 + reals_ + ints_;
    std::vector<std::vector<std::byte*>> begin(columns, std::vector<std::byte*>(slots));
    parallel_for(static_cast<std::int64_t>(results_.size() * columns), [&](std::int64_t task) {
        Result& result = results_[static_cast<std::size_t>(task) / columns];
        const std::size_t column = static_cast<std::size_t>(task) % columns;
        const auto slot = static_cast<std::size_t>(result.slot);
        result.data.allocate(column, rows_of[slot]);
        begin[column][slot] = result.data.data(column);
    });
    parallel_for(static_cast<std::int64_t>(groups * columns), [&](std::int64_t task) {
        const std::size_t g = static_cast<std::size_t>(task) / columns,
                          column = static_cast<std::size_t>(task) % columns;
        for (std::size_t c = group_begin[g]; c < group_begin[g + 1]; ++c) {
            if (!moves(chunks_[c])) continue;
            scatter(column, chunks_[c], destination.data() + first_row[c], place.data() + first_row[c], begin[column]);
        }
    });
    for (Result& result : results_) result.data.settle();
}

template <int D>
void Redistribution<D>::scatter(std::size_t column, const Chunk& chunk, const std::uint32_t* destination,
                                const std::uint32_t* place, const std::vector<std::byte*>& begin) const {
    const ColumnView& from = views_[chunk.source].column(column);
    const std::size_t end = std::min(chunk.end, std::max(chunk.begin, from.rows));
    const auto copy = [&](auto copy_one) {
        for (std::size_t row = chunk.begin; row < end; ++row, ++destination, ++place) {
            if (*destination != gone)
                copy_one(begin[*destination & ~kept_bit], *place, row, (*destination & kept_bit) == 0);
        }
    };
    const detail::CellFinder<D> cells(levels_.front().geom);
    const std::size_t bytes = TileData::element_size(layout_, reals_, column);
    for (std::size_t row = end; row < chunk.end; ++row) {  // what the source has not
        const std::size_t i = row - chunk.begin;
        if (destination[i] != gone) std::memset(begin[destination[i] & ~kept_bit] + place[i] * bytes, 0, bytes);
    }
    if (layout_.pure_soa && column >= 1 && column <= D && cells.is_periodic(static_cast<int>(column) - 1)) {
        copy([&](std::byte* to, std::size_t at, std::size_t row, bool fold) {
            Real x = 0;
            std::memcpy(&x, from.data + row * sizeof x, sizeof x);
            if (fold) x = cells.fold(x, static_cast<int>(column) - 1);
            std::memcpy(to + at * sizeof x, &x, sizeof x);
        });
    } else if (bytes == sizeof(int)) {
        copy([&](std::byte* to, std::size_t at, std::size_t row, bool) {
            std::memcpy(to + at * sizeof(int), from.data + row * sizeof(int), sizeof(int));
        });
    } else if (bytes == sizeof(Real) && (layout_.pure_soa || column > 0)) {
        copy([&](std::byte* to, std::size_t at, std::size_t row, bool) {
            std::memcpy(to + at * sizeof(Real), from.data + row * sizeof(Real), sizeof(Real));
        });
    } else {
        copy([&](std::byte* to, std::size_t at, std::size_t row, bool fold) {
            std::byte* record = to + at * bytes;
            std::memcpy(record, from.data + row * bytes, bytes);
            for (int d = 0; d < D && fold; ++d, record += sizeof(Real)) {
                Real x = 0;
                std::memcpy(&x, record, sizeof x);
                x = cells.fold(x, d);
                std::memcpy(record, &x, sizeof x);
            }
        });
    }
}

template <int D>
void Redistribution<D>::install(ParticleContainer<D>& particles) {
    bool same = particles.layout() == layout_ && static_cast<std::size_t>(particles.num_real()) == reals_ &&
                static_cast<std::size_t>(particles.num_int()) == ints_ &&
                static_cast<std::size_t>(particles.num_levels()) == levels_.size();
    for (std::size_t lev = 0; same && lev < levels_.size(); ++lev) {
        const ParticleLevel<D>& now = particles.level(static_cast<int>(lev));
        same = now.layout == levels_[lev].layout && now.geom == levels_[lev].geom;
    }
    if (!same) throw StateError("the levels or components of the particles changed while they were being moved");
    particles.check_tiles();
    detail::Installation<D> all(particles, "moved");
    const TileMark none;
    for (Result& result : results_) {
        const Slot& slot = slots_[static_cast<std::size_t>(result.slot)];
        all.add(slot.level, slot.key, slot.source < 0 ? none : sources_[static_cast<std::size_t>(slot.source)].mark,
                result.data);
    }
    all.install();
    results_.clear();
}

template class Redistribution<1>;
template class Redistribution<2>;
template class Redistribution<3>;

}  // namespace zerofab
