// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What an operation made of the particles of a container, put into all its tiles or into none.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/particles/particle_container.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab::detail {

/// First add() everything, then install().
template <int D>
class Installation {
public:
    /// `doing` says in errors what was being done: "moved".
    Installation(ParticleContainer<D>& particles, const char* doing) : particles_(particles), doing_(doing) {}

    /// `data` becomes the content of a tile, made if there is none. StateError if the tile is no longer what `mark`
    /// saw.
    void add(int level, const TileKey& key, const TileMark& mark, TileData& data) {
        auto& tiles = particles_.level(level).tiles;
        const auto found = tiles.find(key);
        if (!mark.is(found == tiles.end() ? nullptr : found->second.get())) {
            throw StateError(concat("the particles of box ", key.first, " of level ", level,
                                    " were changed by another thread while they were being ", doing_,
                                    ": nothing was done; call it again"));
        }
        std::shared_ptr<ParticleTile> tile;
        if (found != tiles.end()) {
            tile = found->second;
        } else {
            tile = std::make_shared<ParticleTile>(particles_.fresh_tile());
            fresh_[level].emplace(key, tile);
        }
        items_.push_back({std::move(tile), &data});
    }

    void install() {
        for (auto& [level, tiles] : fresh_) particles_.level(level).tiles.merge(tiles);
        for (const Item& item : items_) item.data->install(*item.tile);
    }

private:
    struct Item {
        std::shared_ptr<ParticleTile> tile;
        TileData* data;
    };

    ParticleContainer<D>& particles_;
    const char* doing_;
    std::map<int, std::map<TileKey, std::shared_ptr<ParticleTile>>> fresh_;
    std::vector<Item> items_;
};

}  // namespace zerofab::detail
