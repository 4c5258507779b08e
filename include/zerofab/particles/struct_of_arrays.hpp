// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Components of particles, each a vector of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "zerofab/memory/pod_vector.hpp"
#include "zerofab/particles/particle.hpp"

namespace zerofab {

/// One vector per component, with its name.
///
/// Vectors are shared: who holds one keeps it, and what views show, whatever becomes of the particles.  Components
/// may have different lengths while particles are being appended; `size()` is that of the first vector.
/// The last num_neighbors() particles are copies of particles of other tiles.
///
///     StructOfArrays soa(ParticleLayout{});
///     soa.resize(100);
///     soa.real(0).assign(0.5);
class ZEROFAB_API StructOfArrays {
public:
    using RealVector = PODVector<Real>;
    using IntVector = PODVector<int>;
    using IdVector = PODVector<IdCpu>;

    explicit StructOfArrays(const ParticleLayout& layout, Arena& arena = The_Arena());

    /// So many run-time components, and the names of all components; none: default names.
    /// ValueError if the names do not fit; nothing has changed then.
    void define(int runtime_real, int runtime_int, std::vector<std::string> real_names,
                std::vector<std::string> int_names);
    /// A further component, zero for all particles; an empty name: the default one. ValueError if it is taken.
    void add_real(std::string name = "");
    void add_int(std::string name = "");
    /// The same with values that are there, as many as there are particles.
    void install_real(std::string name, std::shared_ptr<RealVector> values);
    void install_int(std::string name, std::shared_ptr<IntVector> values);

    [[nodiscard]] const ParticleLayout& layout() const noexcept { return layout_; }
    [[nodiscard]] bool has_idcpu() const noexcept { return idcpu_ != nullptr; }
    [[nodiscard]] int num_real() const noexcept { return static_cast<int>(real_.size()); }
    [[nodiscard]] int num_int() const noexcept { return static_cast<int>(int_.size()); }
    [[nodiscard]] const std::vector<std::string>& real_names() const noexcept { return real_names_; }
    [[nodiscard]] const std::vector<std::string>& int_names() const noexcept { return int_names_; }

    // Vectors; the component must exist.
    [[nodiscard]] IdVector& idcpu() const noexcept { return *idcpu_; }
    [[nodiscard]] RealVector& real(int component) const noexcept { return *real_[static_cast<std::size_t>(component)]; }
    [[nodiscard]] IntVector& integer(int component) const noexcept {
        return *int_[static_cast<std::size_t>(component)];
    }
    // Shares of vectors; IndexError, or StateError without idcpu.
    [[nodiscard]] const std::shared_ptr<IdVector>& share_idcpu() const;
    [[nodiscard]] const std::shared_ptr<RealVector>& share_real(Long component) const;
    [[nodiscard]] const std::shared_ptr<IntVector>& share_int(Long component) const;

    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] std::size_t num_neighbors() const noexcept { return std::min(neighbors_, size()); }
    [[nodiscard]] std::size_t num_particles() const noexcept { return size() - num_neighbors(); }
    /// All components get this length.
    void resize(std::size_t size, GrowthStrategy growth = GrowthStrategy::Poisson);
    /// Append one value to each of the first components, as many as there are values; all or none.
    void push_back_real(const std::vector<Real>& values);
    void push_back_int(const std::vector<int>& values);
    /// Keep the particles, and make room for this many neighbors after them.
    void set_num_neighbors(std::size_t count);
    /// So many of the particles, the last ones, count as neighbors.
    void mark_neighbors(std::size_t count) noexcept { neighbors_ = count; }
    /// No particle counts as a neighbor any more.
    void forget_neighbors() noexcept { neighbors_ = 0; }
    void shrink_to_fit();
    [[nodiscard]] Arena& arena() const noexcept { return *arena_; }
    void set_arena(Arena& arena);
    /// Whether all components are in the host's own memory.
    [[nodiscard]] bool is_plain() const noexcept;
    /// Bytes that the components hold.
    [[nodiscard]] std::size_t capacity() const noexcept;
    /// Exchange particles and components: each object keeps its identity.
    void swap(StructOfArrays& other) noexcept;

private:
    template <class Do>
    void each_vector(Do act);
    template <class T>
    void push_back(const std::vector<std::shared_ptr<PODVector<T>>>& all, const std::vector<T>& values);

    ParticleLayout layout_;
    Arena* arena_;
    std::shared_ptr<IdVector> idcpu_;
    std::vector<std::shared_ptr<RealVector>> real_;
    std::vector<std::shared_ptr<IntVector>> int_;
    std::vector<std::string> real_names_, int_names_;
    std::size_t neighbors_ = 0;
};

/// ValueError unless `name` is a new, non-empty name among `real_names` and `int_names`.
ZEROFAB_API void check_component_name(const std::string& name, const std::vector<std::string>& real_names,
                                      const std::vector<std::string>& int_names);

}  // namespace zerofab
