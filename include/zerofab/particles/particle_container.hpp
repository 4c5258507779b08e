// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles on the boxes of all levels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "zerofab/index/geometry.hpp"
#include "zerofab/mesh/fab_array.hpp"
#include "zerofab/particles/particle_tile.hpp"

namespace zerofab {

/// Number of a box over all ranks, and of the tile in it.
using TileKey = std::pair<int, int>;

/// Where the particles of one level live.
template <int D>
struct ParticleLevel {
    Geometry<D> geom;
    std::shared_ptr<const FabLayout<D>> layout;
    std::map<TileKey, std::shared_ptr<ParticleTile>> tiles;
};

/// Particles that a move removed although nobody said that they should go.
struct LostParticles {
    Long without_id = 0;        ///< they have a position other than 0, and no id: their number word is 0
    Long without_position = 0;  ///< their position is NaN or infinite
    Long without_box = 0;       ///< their position is in the domain, but in no box of the levels

    [[nodiscard]] Long count() const noexcept { return without_id + without_position + without_box; }
};
/// Told of them before the particles move; if it throws, nothing has changed.
using OnLost = std::function<void(const LostParticles&)>;

/// Component values that new particles start with; the position is not among them.
struct ParticleInit {
    explicit ParticleInit(const ParticleLayout& layout_ = {})
        : layout(layout_),
          struct_real(static_cast<std::size_t>(layout.struct_real)),
          array_real(static_cast<std::size_t>(layout.array_real)),
          struct_int(static_cast<std::size_t>(layout.struct_int)),
          array_int(static_cast<std::size_t>(layout.array_int)) {}

    ParticleLayout layout;
    std::vector<Real> struct_real, array_real;
    std::vector<int> struct_int, array_int;
};

/// Particles of one kind on a hierarchy of levels, sorted by the box that their position falls into.
///
/// Any number of components in one class: `layout()` says which there are from the start, add_real_comp() and
/// add_int_comp() add more.  Particles get where they belong by redistribute(); until then they may be anywhere.
///
///     ParticleContainer<3> pc(ParticleLayout{}, geom, dm, ba);
///     pc.init_random(1000, 1, ParticleInit(pc.layout()), geom.prob_domain());
///     for (auto& [key, tile] : pc.level(0).tiles) move(*tile);
///     pc.redistribute();
template <int D>
class ZEROFAB_API ParticleContainer {
public:
    /// Without levels: define() them.
    explicit ParticleContainer(const ParticleLayout& layout, Arena& arena = The_Arena());
    ParticleContainer(const ParticleLayout& layout, const Geometry<D>& geom, const DistributionMapping& owners,
                      const BoxArray<D>& boxes, Arena& arena = The_Arena());

    /// Forget our particles, and get the levels, components and arena of another container.
    void define_like(const ParticleContainer& other);
    /// One level, without particles. ValueError if boxes and owners do not fit.
    void define(const Geometry<D>& geom, const DistributionMapping& owners, const BoxArray<D>& boxes);
    /// Several levels, the coarsest first.
    void define(const std::vector<Geometry<D>>& geom, const std::vector<DistributionMapping>& owners,
                const std::vector<BoxArray<D>>& boxes);

    [[nodiscard]] const ParticleLayout& layout() const noexcept { return layout_; }
    [[nodiscard]] int num_levels() const noexcept { return static_cast<int>(levels_.size()); }
    [[nodiscard]] int finest_level() const noexcept { return std::max(num_levels() - 1, 0); }
    /// IndexError if there is no such level.
    [[nodiscard]] ParticleLevel<D>& level(int number) { return levels_[checked_level(number)]; }
    [[nodiscard]] const ParticleLevel<D>& level(int number) const { return levels_[checked_level(number)]; }
    /// The tile of a local box, made if there is none; IndexError if there is no such box on this rank.
    ParticleTile& tile(int level, int grid, int tile = 0) { return *share_tile(level, grid, tile); }
    /// A tile without particles and outside any box, with our components.
    [[nodiscard]] ParticleTile fresh_tile() const { return fresh_tile(arena()); }
    [[nodiscard]] ParticleTile fresh_tile(Arena& arena) const;
    const std::shared_ptr<ParticleTile>& share_tile(int level, int grid, int tile = 0);

    // ---- components
    [[nodiscard]] const std::vector<std::string>& real_names() const noexcept { return pattern_.soa().real_names(); }
    [[nodiscard]] const std::vector<std::string>& int_names() const noexcept { return pattern_.soa().int_names(); }
    [[nodiscard]] int num_real() const noexcept { return pattern_.soa().num_real(); }
    [[nodiscard]] int num_int() const noexcept { return pattern_.soa().num_int(); }
    /// StateError if somebody gave a tile other components than all have.
    void check_tiles() const;
    /// All tiles, held whatever becomes of the container.
    [[nodiscard]] std::vector<std::shared_ptr<ParticleTile>> tiles() const;
    /// A further component of all particles, zero; ValueError if the name is taken.
    void add_real_comp(const std::string& name = "");
    void add_int_comp(const std::string& name = "");
    /// Names of the components that the layout has.
    void set_names(std::vector<std::string> real_names, std::vector<std::string> int_names);
    [[nodiscard]] Arena& arena() const noexcept { return pattern_.soa().arena(); }
    /// Where new memory comes from; particles move there.
    void set_arena(Arena& arena);

    // ---- making and removing particles
    /// `count` particles at random in `region`, which must lie in the physical domain; the same for the same seed.
    void init_random(Long count, unsigned seed, const ParticleInit& init, const RealBox<D>& region,
                     const OnLost& on_lost = {});
    /// `count` particles at random in each box of level 0.
    void init_random_per_box(Long count, unsigned seed, const ParticleInit& init, const OnLost& on_lost = {});
    /// One particle in each cell of level 0, at these fractions of a cell from its low corner.
    void init_one_per_cell(const RealVect<D>& offset, const ParticleInit& init, const OnLost& on_lost = {});
    /// Copies of the valid particles of a tile, put into the boxes of a level (or coarser ones where it has none).
    void add_particles_at_level(const ParticleTile& tile, int level, const OnLost& on_lost = {});
    /// Copies of all particles of another container with the same components; with `local`, each stays in the box and
    /// level of the same number.
    void add_particles(const ParticleContainer& other, bool local, const OnLost& on_lost = {});
    void clear();
    void clear_level(int level);
    /// Memory for the particles that there are, and no more.
    void shrink_to_fit();

    // ---- order
    struct RedistributeOptions {
        int lev_min = 0;
        int lev_max = -1;  ///< -1: the finest
        IntVect<D> ngrow;  ///< particles so many cells outside their box may stay
        bool remove_negative = true;
    };
    /// Put each particle into the finest box that holds its position; see Redistribution.
    void redistribute(const RedistributeOptions& options);
    void redistribute() { redistribute(RedistributeOptions{}); }
    /// Order the particles of each tile by bins of cells, x fastest; their order within a bin stays.
    void sort_by_bin(const IntVect<D>& bin);

    // ---- questions
    /// Whether every valid particle is in the box, grown by ngrow, that its position falls into.
    [[nodiscard]] bool ok(int lev_min = 0, int lev_max = -1, const IntVect<D>& ngrow = {}) const;
    /// Particles of this rank, neighbors not counted, in each box of a level.
    [[nodiscard]] std::vector<Long> count_in_grids(int level, bool only_valid) const;
    [[nodiscard]] Long count_at_level(int level, bool only_valid) const;
    [[nodiscard]] Long count(bool only_valid) const;
    /// Bytes in use by particles, and bytes held.
    [[nodiscard]] Long bytes() const;
    [[nodiscard]] Long capacity() const;
    /// Add to each cell of component 0 how many valid particles of a level are in it; the result does not depend on the
    /// number of threads. ValueError unless the MultiFab has the boxes of that level.
    void increment(MultiFab<D>& counts, int level) const;

private:
    template <class Vector>
    void add_component(void (StructOfArrays::*install)(std::string, std::shared_ptr<Vector>), const std::string& name);
    [[nodiscard]] std::size_t checked_level(int number) const;
    void check_init(const ParticleInit& init) const;
    /// Memory of the host for particles that it makes.
    [[nodiscard]] Arena& host_arena() const;
    void absorb(const std::vector<const ParticleTile*>& tiles, int level, const OnLost& on_lost);
    void check_tile(int level, int grid, int tile) const;

    ParticleLayout layout_;
    ParticleTile pattern_;  ///< without particles: what components tiles have
    std::vector<ParticleLevel<D>> levels_;
};

extern template class ParticleContainer<1>;
extern template class ParticleContainer<2>;
extern template class ParticleContainer<3>;

}  // namespace zerofab
