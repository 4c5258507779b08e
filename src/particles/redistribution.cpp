// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What a move takes from a container, and gives back to it. The work is in host_move.cpp and device_move.cpp.
#include "zerofab/particles/redistribution.hpp"

#include "particles/installation.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"

namespace zerofab {

template <int D>
Redistribution<D>::Redistribution(const ParticleContainer<D>& particles, const Options& options) : options_(options) {
    look(particles);
    const int finest = particles.num_levels() - 1;
    lev_max_ = options.lev_max < 0 ? finest : options.lev_max;
    if (finest >= 0 && (options.lev_min < 0 || options.lev_min > finest || lev_max_ > finest)) {
        throw IndexError(
            concat("levels ", options.lev_min, " to ", options.lev_max, " do not exist: the finest is ", finest));
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
            throw ValueError(concat("particles with ", view.real.size(), " real and ", view.integer.size(),
                                    " int components cannot join particles with ", reals_, " and ", ints_));
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
void Redistribution<D>::run() {
    if (levels_.empty()) return;
    lost_ = {};
    if (!run_on_device()) run_on_host();
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

#define ZEROFAB_INSTANTIATE(D) template class Redistribution<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
