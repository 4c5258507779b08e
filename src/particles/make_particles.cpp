// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// New particles: at random, or one in each cell.
#include <cmath>
#include <cstring>
#include <random>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/index/format.hpp"
#include "zerofab/particles/particle_container.hpp"

namespace zerofab {
namespace {

/// Fill all particles of a tile with start values and new ids.
void start(ParticleTile& tile, const ParticleInit& init) {
    const ParticleLayout& layout = tile.layout();
    const std::size_t size = tile.size();
    const Long id = take_particle_ids(static_cast<Long>(size));
    const int rank = communicator().rank();
    const auto word = [&](std::size_t i) { return pack_cpu(pack_id(0, id + static_cast<Long>(i)), rank); };
    StructOfArrays& soa = tile.soa();
    for (int i = 0; i < layout.array_real; ++i) soa.real(i).assign(init.array_real[static_cast<std::size_t>(i)]);
    for (int i = 0; i < layout.array_int; ++i) soa.integer(i).assign(init.array_int[static_cast<std::size_t>(i)]);
    if (layout.pure_soa) {
        IdCpu* const words = soa.idcpu().data();
        for (std::size_t i = 0; i < size; ++i) words[i] = word(i);
        return;
    }
    Particle record(layout.dim, layout.struct_real, layout.struct_int);
    record.rdata = init.struct_real;
    record.idata = init.struct_int;
    for (std::size_t i = 0; i < size; ++i) {
        record.idcpu = word(i);
        tile.aos().set(static_cast<Long>(i), record);
    }
}

void set_position(ParticleTile& tile, std::size_t row, int d, Real x) {
    if (tile.layout().pure_soa) {
        tile.soa().real(d)[row] = x;
    } else {
        std::byte* record = tile.aos().bytes().data() + row * tile.layout().record_size();
        std::memcpy(record + static_cast<std::size_t>(d) * sizeof(Real), &x, sizeof x);
    }
}

/// A number in [0, 1): the same everywhere for the same generator.
Real uniform(std::mt19937_64& random) { return static_cast<Real>(random() >> 11) * 0x1.0p-53; }

std::size_t checked_count(Long count) {
    if (count < 0) throw ValueError(concat("there cannot be ", count, " particles"));
    return static_cast<std::size_t>(count);
}

}  // namespace

template <int D>
Arena& ParticleContainer<D>::host_arena() const {
    return arena().space().is_plain() ? arena() : The_Cpu_Arena();
}

template <int D>
void ParticleContainer<D>::check_init(const ParticleInit& init) const {
    if (!(init.layout == layout_)) {
        throw ValueError(concat("start values for particles ", init.layout.name(), " in ", init.layout.dim,
                                " dimensions do not fit particles ", layout_.name()));
    }
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    if (init.array_real.size() != size(layout_.array_real) || init.array_int.size() != size(layout_.array_int) ||
        init.struct_real.size() != size(layout_.struct_real) || init.struct_int.size() != size(layout_.struct_int)) {
        throw ValueError("there must be one start value for each component of particles " + layout_.name());
    }
}

template <int D>
void ParticleContainer<D>::init_random(Long count, unsigned seed, const ParticleInit& init, const RealBox<D>& region,
                                       const OnLost& on_lost) {
    check_init(init);
    const std::size_t rows = checked_count(count);
    const RealBox<D>& domain = level(0).geom.prob_domain();
    if (!region.ok() || !domain.contains(region)) {
        throw ValueError("the region " + to_string(region) + " is not in the physical domain " + to_string(domain));
    }
    ParticleTile made = fresh_tile(host_arena());
    made.resize(rows);
    start(made, init);
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
        for (int d = 0; d < D; ++d) {
            const Real x = region.lo(d) + uniform(random) * region.length(d);
            // The domain does not hold its high end.
            set_position(made, i, d, x < domain.hi(d) ? x : std::nextafter(domain.hi(d), domain.lo(d)));
        }
    }
    absorb({&made}, finest_level(), on_lost);
}

template <int D>
void ParticleContainer<D>::init_random_per_box(Long count, unsigned seed, const ParticleInit& init,
                                               const OnLost& on_lost) {
    check_init(init);
    const std::size_t rows = checked_count(count);
    const ParticleLevel<D>& coarse = level(0);
    const auto boxes = static_cast<std::size_t>(coarse.layout->num_local());
    ParticleTile made = fresh_tile(host_arena());
    std::size_t total = 0;
    if (__builtin_mul_overflow(rows, boxes, &total)) throw MemoryError("so many particles do not fit any memory");
    made.resize(total);
    start(made, init);
    std::size_t row = 0;
    for (std::size_t b = 0; b < boxes; ++b) {
        const auto grid = static_cast<std::size_t>(coarse.layout->local_boxes()[b]);
        const Box<D> box = coarse.layout->boxes().cells()[grid];
        std::seed_seq seeds{seed, static_cast<unsigned>(grid)};
        std::mt19937_64 random(seeds);
        for (std::size_t i = 0; i < rows; ++i, ++row) {
            for (int d = 0; d < D; ++d) {
                // Half a cell of rounding away from the rim would be too much; a thousandth keeps it in its box.
                const Real cells = 1e-3 + uniform(random) * (static_cast<Real>(box.length(d)) - 2e-3);
                const Real first = static_cast<Real>(box.small_end(d) - coarse.geom.domain().small_end(d));
                set_position(made, row, d, coarse.geom.prob_lo(d) + (first + cells) * coarse.geom.cell_size(d));
            }
        }
    }
    absorb({&made}, finest_level(), on_lost);
}

template <int D>
void ParticleContainer<D>::init_one_per_cell(const RealVect<D>& offset, const ParticleInit& init,
                                             const OnLost& on_lost) {
    check_init(init);
    const ParticleLevel<D>& coarse = level(0);
    for (int d = 0; d < D; ++d) {
        if (!(offset[d] >= 0 && offset[d] < 1)) throw ValueError("an offset must be in [0, 1), in cells");
    }
    ParticleTile made = fresh_tile(host_arena());
    std::size_t total = 0;
    for (const int grid : coarse.layout->local_boxes()) {
        total += static_cast<std::size_t>(coarse.layout->boxes().cells()[static_cast<std::size_t>(grid)].num_pts());
    }
    made.resize(total);
    start(made, init);
    std::size_t row = 0;
    for (const int grid : coarse.layout->local_boxes()) {
        const Box<D> box = coarse.layout->boxes().cells()[static_cast<std::size_t>(grid)];
        IntVect<D> cell = box.small_end();
        for (Long n = box.num_pts(); n > 0; --n, ++row) {
            for (int d = 0; d < D; ++d) {
                const Real cells = static_cast<Real>(cell[d] - coarse.geom.domain().small_end(d)) + offset[d];
                set_position(made, row, d, coarse.geom.prob_lo(d) + cells * coarse.geom.cell_size(d));
            }
            for (int d = 0; d < D && ++cell[d] > box.big_end(d); ++d) cell[d] = box.small_end(d);
        }
    }
    absorb({&made}, finest_level(), on_lost);
}

#define ZEROFAB_INSTANTIATE(D)                                                                                   \
    template Arena& ParticleContainer<D>::host_arena() const;                                                    \
    template void ParticleContainer<D>::check_init(const ParticleInit&) const;                                   \
    template void ParticleContainer<D>::init_random(Long, unsigned, const ParticleInit&, const RealBox<D>&,      \
                                                    const OnLost&);                                              \
    template void ParticleContainer<D>::init_random_per_box(Long, unsigned, const ParticleInit&, const OnLost&); \
    template void ParticleContainer<D>::init_one_per_cell(const RealVect<D>&, const ParticleInit&, const OnLost&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
