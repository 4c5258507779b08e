// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Moving particles to the boxes that hold them, in three steps.
#pragma once

#include <vector>

#include "zerofab/particles/particle_container.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab {

/// Where particles go: a look at the container, the work, and the exchange of the result.
///
/// A particle goes to the finest box, at or below the highest level of the move, that holds the cell of its position.
/// Positions in periodic directions are first brought back into the domain; particles that left it in other
/// directions, those without a finite position, and invalid ones (unless they are to stay) are removed.  The upper end
/// of a direction that is not periodic belongs to the domain.  Particles of levels outside the move stay, and their
/// order within a box is kept.
///
/// run() uses nothing but what the constructor took shares of: containers may meanwhile change in any way.
///
///     Redistribution<3> move(pc, {});
///     move.run();         // parallel, without any lock
///     move.lost();        // what went although nobody said so
///     move.install(pc);   // StateError if another thread changed what was read
template <int D>
class ZEROFAB_API Redistribution {
public:
    using Options = typename ParticleContainer<D>::RedistributeOptions;

    /// Of the particles of the container. IndexError for a level that does not exist; StateError with several ranks.
    Redistribution(const ParticleContainer<D>& particles, const Options& options);
    /// Of the particles of other tiles, which join those of the container, up to level `level`. The container's own
    /// stay where they are.
    Redistribution(const ParticleContainer<D>& particles, std::vector<TileView> joining, int level);

    void run();
    [[nodiscard]] const LostParticles& lost() const noexcept { return lost_; }
    /// StateError, and nothing has changed, if the container has other components or levels than it had, or a tile that
    /// would get other particles is not as it was (see TileMark).
    void install(ParticleContainer<D>& particles);

private:
    struct Source {
        int level = -1;  ///< -1: joining
        TileKey key;
        int slot = -1;  ///< where its particles are now
        bool moves = false;
        TileMark mark = {};
        bool has_neighbors = false;  ///< that are to go
    };
    struct Slot {
        int level = 0;
        TileKey key;
        int source = -1;  ///< what is there now
    };
    struct Level {
        Geometry<D> geom;
        std::shared_ptr<const FabLayout<D>> layout;
        std::vector<int> slots;  ///< of each local box
    };
    struct Result {
        int slot;
        TileData data;
    };
    class Finder;
    class StayingRows;
    class HostMove;

    void look(const ParticleContainer<D>& particles);
    /// The work by kernels; false if the host must do it.
    bool run_on_device();
    void run_on_host();
    int slot_of(int level, const TileKey& key, int source);

    ParticleLayout layout_;
    std::size_t reals_ = 0, ints_ = 0;
    Arena* arena_;
    Options options_;
    int lev_max_ = 0;
    std::vector<Level> levels_;
    std::vector<Slot> slots_;
    std::vector<Source> sources_;
    std::vector<TileView> views_;
    std::vector<Result> results_;
    LostParticles lost_;
};

/// The order of the particles of each tile by bins of cells; in three steps as Redistribution.
template <int D>
class ZEROFAB_API BinSort {
public:
    /// ValueError if a bin has no cells.
    BinSort(const ParticleContainer<D>& particles, const IntVect<D>& bin);

    void run();
    /// As Redistribution::install.
    void install(ParticleContainer<D>& particles);

private:
    struct Tile {
        int level;
        TileKey key;
        Geometry<D> geom;
        Box<D> box;
        TileMark mark;
        TileView view;
        std::vector<std::uint32_t> order;  ///< its rows as they are to be; empty: as they are
        std::unique_ptr<TileData> sorted;
    };
    void find_order(Tile& tile) const;
    /// The work by kernels; false if the host must do it.
    bool run_on_device();

    IntVect<D> bin_;
    std::size_t reals_, ints_;
    Arena* arena_;
    std::vector<Tile> tiles_;
};

extern template class Redistribution<1>;
extern template class Redistribution<2>;
extern template class Redistribution<3>;
extern template class BinSort<1>;
extern template class BinSort<2>;
extern template class BinSort<3>;

}  // namespace zerofab
