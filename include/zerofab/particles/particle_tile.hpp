// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The particles of one box.
#pragma once

#include <cstdint>
#include <memory>

#include "zerofab/particles/array_of_structs.hpp"
#include "zerofab/particles/struct_of_arrays.hpp"

namespace zerofab {

/// Particles in either layout: a struct of arrays, and for legacy particles an array of structs beside it.
///
/// The two parts are shared: who holds one may go on using it after the tile is gone.
///
///     ParticleTile tile(ParticleLayout{});
///     tile.resize(10);
///     tile.soa().real(0)[3] = 0.25;
class ZEROFAB_API ParticleTile {
public:
    explicit ParticleTile(const ParticleLayout& layout, Arena& arena = The_Arena());
    // No copies: they would share their parts.
    ParticleTile(ParticleTile&&) noexcept = default;
    ParticleTile& operator=(ParticleTile&&) noexcept = default;

    [[nodiscard]] const ParticleLayout& layout() const noexcept { return soa_->layout(); }
    [[nodiscard]] StructOfArrays& soa() const noexcept { return *soa_; }
    [[nodiscard]] const std::shared_ptr<StructOfArrays>& share_soa() const noexcept { return soa_; }
    /// The array of structs; StateError if these are struct-of-arrays particles.
    [[nodiscard]] ArrayOfStructs& aos() const { return *share_aos(); }
    [[nodiscard]] const std::shared_ptr<ArrayOfStructs>& share_aos() const;

    /// As StructOfArrays::define, in memory of the arena.
    void define(int runtime_real, int runtime_int, std::vector<std::string> real_names,
                std::vector<std::string> int_names, Arena& arena);

    [[nodiscard]] std::size_t size() const noexcept { return aos_ ? aos_->size() : soa_->size(); }
    [[nodiscard]] std::size_t num_neighbors() const noexcept {
        return aos_ ? aos_->num_neighbors() : soa_->num_neighbors();
    }
    [[nodiscard]] std::size_t num_particles() const noexcept { return size() - num_neighbors(); }
    void resize(std::size_t size, GrowthStrategy growth = GrowthStrategy::Poisson);
    void set_num_neighbors(std::size_t count);
    /// No particle counts as a neighbor any more.
    void forget_neighbors() noexcept;
    void shrink_to_fit();
    void set_arena(Arena& arena);
    /// Whether all components are in the host's own memory.
    [[nodiscard]] bool is_plain() const noexcept;
    /// Exchange all particles with those of another tile.
    void swap(ParticleTile& other) noexcept;
    /// Bytes of memory held.
    [[nodiscard]] std::size_t capacity() const noexcept;

    /// Real and int components of a particle with everything that the layout names.
    [[nodiscard]] int super_real() const noexcept { return layout().struct_real + layout().array_real; }
    [[nodiscard]] int super_int() const noexcept { return layout().struct_int + layout().array_int; }
    /// A particle with all components that the layout names; IndexError if there is none. Those of a struct-of-arrays
    /// particle begin with its position.
    [[nodiscard]] Particle get(Long index) const;
    /// Overwrite it; the position of `particle` counts, not the components that repeat it. ValueError if it has other
    /// components.
    void set(Long index, const Particle& particle);
    /// Append a particle with all components; run-time ones are zero. A legacy particle may come without those of the
    /// struct of arrays, which then does not grow. After an error nothing has grown.
    void push_back(const Particle& particle);
    /// How often a particle was overwritten.
    [[nodiscard]] std::uint64_t writes() const noexcept { return writes_ + (aos_ ? aos_->writes() : 0); }

private:
    template <class See>
    void each_column(See see) const;
    void resize_to(std::size_t size, const Particle* last, GrowthStrategy growth);
    [[nodiscard]] bool is_record(const Particle& particle) const noexcept;
    void check_super(const Particle& particle) const;
    void check_index(Long index) const;
    [[nodiscard]] Particle record_of(const Particle& particle) const;

    std::shared_ptr<StructOfArrays> soa_;
    std::shared_ptr<ArrayOfStructs> aos_;
    std::uint64_t writes_ = 0;
};

}  // namespace zerofab
