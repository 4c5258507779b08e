// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles that join those of a container.
#include <utility>

#include "particles/installation.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {
namespace {

/// Copies of the particles of another container on their way into the boxes of the same numbers; in three steps as
/// Redistribution, so that after an error nothing has changed.
template <int D>
class LocalJoin {
public:
    /// Both have the same components.
    LocalJoin(const ParticleContainer<D>& ours, const ParticleContainer<D>& others)
        : reals_(static_cast<std::size_t>(ours.num_real())), ints_(static_cast<std::size_t>(ours.num_int())) {
        ours.check_tiles();
        others.check_tiles();
        for (int lev = 0; lev < others.num_levels(); ++lev) {
            const auto& tiles = ours.level(lev).tiles;
            for (const auto& [key, tile] : others.level(lev).tiles) {
                Join& join =
                    joins_.emplace_back(Join{lev, key, {}, {}, TileData(ours.layout(), reals_, ints_, ours.arena())});
                if (const auto found = tiles.find(key); found != tiles.end()) {
                    join.mark = TileMark(found->second);
                    join.views.emplace_back(*found->second);
                }
                join.views.emplace_back(*tile);
            }
        }
    }

    void run() {
        for (Join& join : joins_) {
            std::vector<RowRef> rows;
            for (std::size_t source = 0; source < join.views.size(); ++source) {
                join.views[source].to_host();
                for (std::size_t row = 0; row < join.views[source].rows; ++row) rows.emplace_back(source, row);
            }
            for (std::size_t column = 0; column < join.data.columns(); ++column) {
                join.data.gather(column, join.views, rows);
            }
            join.data.settle();
        }
    }

    void install(ParticleContainer<D>& ours) {
        if (static_cast<std::size_t>(ours.num_real()) != reals_ || static_cast<std::size_t>(ours.num_int()) != ints_) {
            throw StateError("the components of the particles changed while they were being added");
        }
        ours.check_tiles();
        detail::Installation<D> all(ours, "added");
        for (Join& join : joins_) all.add(join.level, join.key, join.mark, join.data);
        all.install();
    }

private:
    struct Join {
        int level;
        TileKey key;
        TileMark mark;  // of ours: the other's particles are copies
        std::vector<TileView> views;
        TileData data;
    };

    std::size_t reals_, ints_;
    std::vector<Join> joins_;
};

}  // namespace

template <int D>
void ParticleContainer<D>::absorb(const std::vector<const ParticleTile*>& tiles, int lev, const OnLost& on_lost) {
    std::vector<TileView> views;
    for (const ParticleTile* tile : tiles) views.emplace_back(*tile);
    Redistribution<D> move(*this, std::move(views), lev);
    move.run();
    if (on_lost && move.lost().count() > 0) on_lost(move.lost());
    move.install(*this);
}

template <int D>
void ParticleContainer<D>::add_particles_at_level(const ParticleTile& tile, int lev, const OnLost& on_lost) {
    absorb({&tile}, lev, on_lost);
}

template <int D>
void ParticleContainer<D>::add_particles(const ParticleContainer& other, bool local, const OnLost& on_lost) {
    if (!(other.layout_ == layout_) || other.num_real() != num_real() || other.num_int() != num_int()) {
        throw ValueError(concat("particles ", other.layout_.name(), " with ", other.num_real(), " real and ",
                                other.num_int(), " int components cannot join particles ", layout_.name(), " with ",
                                num_real(), " and ", num_int()));
    }
    if (!local) {
        std::vector<const ParticleTile*> tiles;
        for (const ParticleLevel<D>& from : other.levels_) {
            for (const auto& [key, tile] : from.tiles) tiles.push_back(tile.get());
        }
        if (!tiles.empty()) absorb(tiles, finest_level(), on_lost);
        return;
    }
    for (int lev = 0; lev < other.num_levels(); ++lev) {
        for (const auto& [key, tile] : other.level(lev).tiles) check_tile(lev, key.first, key.second);
    }
    LocalJoin<D> join(*this, other);
    join.run();
    join.install(*this);
}

#define ZEROFAB_INSTANTIATE(D)                                                                               \
    template void ParticleContainer<D>::absorb(const std::vector<const ParticleTile*>&, int, const OnLost&); \
    template void ParticleContainer<D>::add_particles_at_level(const ParticleTile&, int, const OnLost&);     \
    template void ParticleContainer<D>::add_particles(const ParticleContainer<D>&, bool, const OnLost&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
