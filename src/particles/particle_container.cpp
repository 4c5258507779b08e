// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/particles/particle_container.hpp"

#include <type_traits>
#include <utility>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {
template <int D>
ParticleContainer<D>::ParticleContainer(const ParticleLayout& layout, Arena& arena)
    : layout_(layout), pattern_(layout, arena) {
    if (layout.dim != D) {
        throw ValueError(concat("a layout of ", layout.dim, " dimensions does not fit a container of ", D));
    }
}

template <int D>
ParticleContainer<D>::ParticleContainer(const ParticleLayout& layout, const Geometry<D>& geom,
                                        const DistributionMapping& owners, const BoxArray<D>& boxes, Arena& arena)
    : ParticleContainer(layout, arena) {
    define(geom, owners, boxes);
}

template <int D>
void ParticleContainer<D>::define(const Geometry<D>& geom, const DistributionMapping& owners,
                                  const BoxArray<D>& boxes) {
    define(std::vector{geom}, std::vector{owners}, std::vector{boxes});
}

template <int D>
void ParticleContainer<D>::define(const std::vector<Geometry<D>>& geom, const std::vector<DistributionMapping>& owners,
                                  const std::vector<BoxArray<D>>& boxes) {
    if (geom.empty() || geom.size() != owners.size() || geom.size() != boxes.size()) {
        throw ValueError(concat("each level needs a geometry, owners and boxes: there are ", geom.size(), ", ",
                                owners.size(), " and ", boxes.size()));
    }
    std::vector<ParticleLevel<D>> levels;
    for (std::size_t i = 0; i < geom.size(); ++i) {
        if (geom[i].domain().is_empty() || !(geom[i].prob_domain().volume() > 0)) {
            throw ValueError(concat("the geometry of level ", i, " is not defined"));
        }
        levels.push_back({geom[i], FabLayout<D>::of(boxes[i], owners[i]), {}});
    }
    levels_.swap(levels);
}

template <int D>
void ParticleContainer<D>::define_like(const ParticleContainer& other) {
    if (this == &other) return clear();
    ParticleTile pattern = other.fresh_tile();
    std::vector<ParticleLevel<D>> levels;
    for (const ParticleLevel<D>& level : other.levels_) levels.push_back({level.geom, level.layout, {}});
    layout_ = other.layout_;
    pattern_ = std::move(pattern);
    levels_.swap(levels);
}

template <int D>
std::size_t ParticleContainer<D>::checked_level(int number) const {
    if (levels_.empty()) throw StateError("this container has no levels: define() it");
    if (number < 0 || number >= num_levels()) {
        throw IndexError(concat("level ", number, " does not exist: the finest is ", finest_level()));
    }
    return static_cast<std::size_t>(number);
}

template <int D>
ParticleTile ParticleContainer<D>::fresh_tile(Arena& arena) const {
    ParticleTile tile(layout_, arena);
    tile.define(num_real() - layout_.array_real, num_int() - layout_.array_int, real_names(), int_names(), arena);
    return tile;
}

template <int D>
void ParticleContainer<D>::check_tile(int lev, int grid, int tile) const {
    const ParticleLevel<D>& here = level(lev);
    if (grid < 0 || grid >= here.layout->size() || here.layout->local_index(grid) < 0 || tile < 0) {
        throw IndexError(concat("tile ", tile, " of box ", grid, " does not exist on this rank: level ", lev, " has ",
                                here.layout->size(), " boxes"));
    }
}

template <int D>
const std::shared_ptr<ParticleTile>& ParticleContainer<D>::share_tile(int lev, int grid, int tile) {
    check_tile(lev, grid, tile);
    ParticleLevel<D>& here = level(lev);
    std::shared_ptr<ParticleTile>& found = here.tiles[{grid, tile}];
    if (!found) {
        try {
            found = std::make_shared<ParticleTile>(fresh_tile());
        } catch (...) {
            here.tiles.erase({grid, tile});
            throw;
        }
    }
    return found;
}

template <int D>
void ParticleContainer<D>::check_tiles() const {
    for (const ParticleLevel<D>& level : levels_) {
        for (const auto& [key, tile] : level.tiles) {
            if (tile->layout() != layout_ || tile->soa().real_names() != real_names() ||
                tile->soa().int_names() != int_names()) {
                throw StateError(
                    concat("the tile of box ", key.first, " was given other components than its container has"));
            }
        }
    }
}

template <int D>
std::vector<std::shared_ptr<ParticleTile>> ParticleContainer<D>::tiles() const {
    std::vector<std::shared_ptr<ParticleTile>> all;
    for (const ParticleLevel<D>& level : levels_) {
        for (const auto& [key, tile] : level.tiles) all.push_back(tile);
    }
    return all;
}

/// All memory first: after an error nothing has changed, and no other thread sees half of it.
template <int D>
template <class Vector>
void ParticleContainer<D>::add_component(void (StructOfArrays::*install)(std::string, std::shared_ptr<Vector>),
                                         const std::string& name) {
    const auto held = tiles();
    std::vector<std::shared_ptr<Vector>> fresh;
    for (const auto& tile : held) fresh.push_back(std::make_shared<Vector>(tile->size(), tile->soa().arena()));
    bool same = held == tiles();
    for (std::size_t i = 0; same && i < held.size(); ++i) same = held[i]->size() == fresh[i]->size();
    if (!same) throw StateError("the particles changed while a component was being added");
    check_tiles();
    check_component_name(name, real_names(), int_names());
    for (std::size_t i = 0; i < held.size(); ++i) (held[i]->soa().*install)(name, std::move(fresh[i]));
    (pattern_.soa().*install)(name, std::make_shared<Vector>(0, pattern_.soa().arena()));
}

template <int D>
void ParticleContainer<D>::add_real_comp(const std::string& name) {
    const std::string chosen = name.empty() ? layout_.real_name(num_real()) : name;
    check_component_name(chosen, real_names(), int_names());
    check_tiles();
    add_component(&StructOfArrays::install_real, chosen);
}

template <int D>
void ParticleContainer<D>::add_int_comp(const std::string& name) {
    const std::string chosen = name.empty() ? layout_.int_name(num_int()) : name;
    check_component_name(chosen, real_names(), int_names());
    check_tiles();
    add_component(&StructOfArrays::install_int, chosen);
}

template <int D>
void ParticleContainer<D>::set_names(std::vector<std::string> reals, std::vector<std::string> ints) {
    if (static_cast<int>(reals.size()) != layout_.array_real || static_cast<int>(ints.size()) != layout_.array_int) {
        throw ValueError(concat("names are needed for ", layout_.array_real, " real and ", layout_.array_int,
                                " int components, not for ", reals.size(), " and ", ints.size()));
    }
    reals.insert(reals.end(), real_names().begin() + layout_.array_real, real_names().end());
    ints.insert(ints.end(), int_names().begin() + layout_.array_int, int_names().end());
    pattern_.soa().define(num_real() - layout_.array_real, num_int() - layout_.array_int, reals, ints);
    for (ParticleLevel<D>& level : levels_) {
        for (auto& [key, tile] : level.tiles) {
            tile->soa().define(num_real() - layout_.array_real, num_int() - layout_.array_int, reals, ints);
        }
    }
}

template <int D>
void ParticleContainer<D>::set_arena(Arena& arena) {
    pattern_.set_arena(arena);
    for (const auto& tile : tiles()) tile->set_arena(arena);
}

template <int D>
void ParticleContainer<D>::clear() {
    for (int lev = 0; lev < num_levels(); ++lev) clear_level(lev);
}

template <int D>
void ParticleContainer<D>::clear_level(int lev) {
    const auto old = std::exchange(level(lev).tiles, {});  // freeing memory of a device may let other threads run
}

template <int D>
void ParticleContainer<D>::shrink_to_fit() {
    const auto held = tiles();  // freed last
    for (ParticleLevel<D>& level : levels_) {
        // A tile that somebody else holds stays: they may be about to fill it.
        std::erase_if(level.tiles,
                      [](const auto& item) { return item.second->size() == 0 && item.second.use_count() <= 2; });
    }
    for (const auto& tile : tiles()) tile->shrink_to_fit();
}

template <int D>
void ParticleContainer<D>::redistribute(const RedistributeOptions& options) {
    Redistribution<D> move(*this, options);
    move.run();
    move.install(*this);
}

template <int D>
void ParticleContainer<D>::sort_by_bin(const IntVect<D>& bin) {
    BinSort<D> sort(*this, bin);
    sort.run();
    sort.install(*this);
}

#define ZEROFAB_INSTANTIATE(D) template class ParticleContainer<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
