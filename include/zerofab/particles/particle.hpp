// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What one particle is: its number, and the components that it has.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "zerofab/base/export.hpp"
#include "zerofab/base/types.hpp"

namespace zerofab {

/// Number and birthplace of a particle in 64 bits: bit 63 says that it is valid, 39 bits hold the id, the lowest 24
/// the rank that made it.  An invalid particle reads as a negative id and goes at the next redistribution.
///
///     IdCpu word = pack_id(0, 7);       // 0x8000000007000000
///     make_invalid(word);               // id -7
using IdCpu = std::uint64_t;

inline constexpr IdCpu valid_bit = IdCpu{1} << 63;
inline constexpr IdCpu cpu_bits = (IdCpu{1} << 24) - 1;
inline constexpr Long max_particle_id = (Long{1} << 39) - 1;

[[nodiscard]] constexpr bool is_valid(IdCpu word) noexcept { return (word & valid_bit) != 0; }
[[nodiscard]] constexpr IdCpu make_valid(IdCpu word) noexcept { return word | valid_bit; }
[[nodiscard]] constexpr IdCpu make_invalid(IdCpu word) noexcept { return word & ~valid_bit; }
[[nodiscard]] constexpr Long unpack_id(IdCpu word) noexcept {
    const auto number = static_cast<Long>((word & ~valid_bit) >> 24);
    return is_valid(word) ? number : -number;
}
[[nodiscard]] constexpr int unpack_cpu(IdCpu word) noexcept { return static_cast<int>(word & cpu_bits); }
/// The word with another id (its lowest 39 bits; negative: invalid) or another rank (its lowest 24 bits).
[[nodiscard]] constexpr IdCpu pack_id(IdCpu word, Long id) noexcept {
    const IdCpu number = id < 0 ? IdCpu{0} - static_cast<IdCpu>(id) : static_cast<IdCpu>(id);
    return (word & cpu_bits) | ((number << 24) & ~valid_bit) | (id < 0 ? 0 : valid_bit);
}
[[nodiscard]] constexpr IdCpu pack_cpu(IdCpu word, int cpu) noexcept {
    return (word & ~cpu_bits) | (static_cast<IdCpu>(cpu) & cpu_bits);
}

/// `count` ids that nobody else gets: the first of them. StateError when 39 bits are used up.
[[nodiscard]] ZEROFAB_API Long take_particle_ids(Long count);
/// The id that comes next, and a way to set it.
[[nodiscard]] ZEROFAB_API Long next_particle_id() noexcept;
ZEROFAB_API void set_next_particle_id(Long id);

/// Which components a kind of particle has from the start; more can be added at run time.
///
/// A pure struct-of-arrays particle has `array_real` reals, the first `dim` of them its position, and `array_int`
/// integers.  A legacy particle has a record {position, struct_real reals, number, struct_int integers} in an array of
/// structs, and array_real and array_int further components in a struct of arrays.
struct ParticleLayout {
    int dim = 3;
    bool pure_soa = true;
    int struct_real = 0;
    int struct_int = 0;
    int array_real = 3;
    int array_int = 0;

    friend constexpr auto operator<=>(const ParticleLayout&, const ParticleLayout&) = default;

    /// ValueError for a dimension other than 1, 2, 3, negative counts, or too few reals for a position.
    ZEROFAB_API void check() const;
    /// "pureSoA_3_0" or "2_1_3_1".
    [[nodiscard]] ZEROFAB_API std::string name() const;
    /// "x", "y", "z", "real_comp0", ... and "int_comp0", ...
    [[nodiscard]] ZEROFAB_API std::string real_name(int component) const;
    [[nodiscard]] ZEROFAB_API std::string int_name(int component) const;
    /// Where the parts of a legacy record begin, and its size, a multiple of 8, in bytes.
    [[nodiscard]] constexpr std::size_t id_offset() const noexcept {
        return static_cast<std::size_t>(dim + struct_real) * sizeof(Real);
    }
    [[nodiscard]] constexpr std::size_t int_offset() const noexcept { return id_offset() + sizeof(IdCpu); }
    [[nodiscard]] constexpr std::size_t record_size() const noexcept {
        return (int_offset() + static_cast<std::size_t>(struct_int) * sizeof(int) + 7) / 8 * 8;
    }
};

/// One particle by itself, not in a container.
struct Particle {
    Particle() = default;
    Particle(int dim_, int reals, int ints)
        : dim(dim_), rdata(static_cast<std::size_t>(reals)), idata(static_cast<std::size_t>(ints)) {}

    int dim = 3;
    std::array<Real, 3> pos{};
    IdCpu idcpu = 0;
    std::vector<Real> rdata;
    std::vector<int> idata;
};

}  // namespace zerofab
