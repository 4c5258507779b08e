// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles as records, one after the other: the legacy layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "zerofab/memory/pod_vector.hpp"
#include "zerofab/particles/particle.hpp"

namespace zerofab {

/// Records {position, reals, idcpu, integers} of `layout().record_size()` bytes.
///
///     | x y z | rdata_0 ... | idcpu | idata_0 ... | padding to 8 bytes |
///
/// The last num_neighbors() particles are copies of particles of other tiles.
class ZEROFAB_API ArrayOfStructs {
public:
    explicit ArrayOfStructs(const ParticleLayout& layout, Arena& arena = The_Arena());

    [[nodiscard]] const ParticleLayout& layout() const noexcept { return layout_; }
    /// The memory, as bytes.
    [[nodiscard]] PODVector<std::byte>& bytes() noexcept { return bytes_; }
    [[nodiscard]] const PODVector<std::byte>& bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / layout_.record_size(); }
    [[nodiscard]] std::size_t num_neighbors() const noexcept { return neighbors_; }
    [[nodiscard]] std::size_t num_particles() const noexcept { return size() - neighbors_; }

    /// A copy of a particle; IndexError if there is none.
    [[nodiscard]] Particle get(Long index) const;
    /// ValueError if it has other components.
    void set(Long index, const Particle& particle);
    /// ValueError if it has other components; the array grows by it, or not at all.
    void push_back(const Particle& particle);
    /// IndexError if there is none.
    void pop_back();
    void resize(std::size_t size, GrowthStrategy growth = GrowthStrategy::Poisson);
    /// Memory for at least so many particles.
    void reserve(std::size_t size, GrowthStrategy growth = GrowthStrategy::Poisson);
    /// Keep the particles, and make room for this many neighbors after them.
    void set_num_neighbors(std::size_t count);
    /// So many of the particles, the last ones, count as neighbors.
    void mark_neighbors(std::size_t count) noexcept { neighbors_ = count; }
    /// No particle counts as a neighbor any more.
    void forget_neighbors() noexcept { neighbors_ = 0; }
    void shrink_to_fit() { bytes_.shrink_to_fit(); }
    void set_arena(Arena& arena) { bytes_.set_arena(arena); }
    void swap(ArrayOfStructs& other) noexcept;
    /// How often a particle was overwritten.
    [[nodiscard]] std::uint64_t writes() const noexcept { return writes_; }

    /// The bytes of one record; ValueError if the particle has other components.
    [[nodiscard]] std::vector<std::byte> record_of(const Particle& particle) const;
    /// The bytes of so many records; MemoryError if they fit no memory.
    [[nodiscard]] std::size_t bytes_of(std::size_t size) const;

private:
    [[nodiscard]] std::byte* record(Long index) const;
    void write(std::byte* record, const Particle& particle) const noexcept;

    ParticleLayout layout_;
    PODVector<std::byte> bytes_;
    std::size_t neighbors_ = 0;
    std::uint64_t writes_ = 0;
};

}  // namespace zerofab
