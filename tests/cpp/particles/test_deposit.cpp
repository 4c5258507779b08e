// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Counting particles into cells, sorting them by bins, and counting them: against one particle at a time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "zerofab/base/error.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/particles/particle_container.hpp"

namespace zerofab {
namespace {

struct Running {
    Running() {
        if (!Runtime::initialized()) Runtime::initialize("cpu");
    }
};

/// The number of threads, for a while.
struct Threads {
    explicit Threads(int n) : before(num_threads()) { set_num_threads(n); }
    ~Threads() { set_num_threads(before); }
    int before;
};

template <int D>
Geometry<D> geometry_of(const IntVect<D>& cells, bool periodic) {
    std::array<int, D> periods;
    periods.fill(periodic ? 1 : 0);
    return Geometry<D>(Box<D>(IntVect<D>(-3), cells - 4), RealBox<D>(RealVect<D>(-1.), RealVect<D>(2.)),
                       CoordType::cartesian, periods);
}

template <int D>
ParticleContainer<D> container_of(const Geometry<D>& geom, int size, bool pure) {
    BoxArray<D> boxes(geom.domain());
    boxes.max_size(size);
    ParticleContainer<D> pc(pure ? ParticleLayout{D, true, 0, 0, D + 1, 1} : ParticleLayout{D, false, 1, 1, 1, 0});
    pc.define(geom, DistributionMapping(std::vector<int>(boxes.size())), boxes);
    return pc;
}

Real position(const Particle& particle, int d) { return particle.pos[static_cast<std::size_t>(d)]; }

/// The cell of a particle, as the redistribution is described; false if it has none.
template <int D>
bool cell_of_particle(const Geometry<D>& geom, const Particle& particle, IntVect<D>& cell) {
    for (int d = 0; d < D; ++d) {
        const Real x = position(particle, d), lo = geom.prob_lo(d), hi = geom.prob_hi(d);
        const Real offset = std::floor((x - lo) * geom.inv_cell_size(d));
        if (!(std::abs(offset) < 1e9)) return false;
        cell[d] = static_cast<int>(offset) + geom.domain().small_end(d);
        const bool inside = x >= lo && (x < hi || (x == hi && !geom.is_periodic(d)));
        if (inside) cell[d] = std::clamp(cell[d], geom.domain().small_end(d), geom.domain().big_end(d));
    }
    return true;
}

/// Particles anywhere in and around each box, some of them invalid, on faces, or nowhere.
template <int D>
void scatter(ParticleContainer<D>& pc, std::mt19937& random, int most) {
    const auto in = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    const ParticleLayout layout = pc.layout();
    const Geometry<D>& geom = pc.level(0).geom;
    for (int grid = 0; grid < pc.level(0).layout->size(); ++grid) {
        ParticleTile& tile = pc.tile(0, grid, in(0, 1));
        const auto count = static_cast<std::size_t>(in(0, most));
        tile.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            Particle particle(D, layout.struct_real + layout.array_real, layout.struct_int + layout.array_int);
            particle.idcpu = pack_id(0, in(0, 9) == 0 ? -1 - static_cast<Long>(i) : 1 + static_cast<Long>(i));
            for (int d = 0; d < D; ++d) {
                using L = std::numeric_limits<Real>;
                const Real face = geom.prob_lo(d) + in(-2, 14) * geom.cell_size(d);
                const Real odd[] = {L::quiet_NaN(), L::infinity(), 1e300, -1e300, 2., std::nextafter(2., 0.), -1.};
                particle.pos[static_cast<std::size_t>(d)] =
                    in(0, 30) == 0  ? odd[in(0, 6)]
                    : in(0, 5) == 0 ? std::nextafter(face, in(0, 1) == 0 ? -1e9 : 1e9)
                                    : std::uniform_real_distribution<Real>(-1.2, 2.2)(random);
            }
            for (Real& x : particle.rdata) x = static_cast<Real>(i);
            tile.set(static_cast<Long>(i), particle);
        }
    }
}

template <int D>
std::vector<Real> numbers_of(const MultiFab<D>& field) {
    std::vector<Real> all;
    for (const FabMemory<D>& fab : field.lease()->fabs) {
        const auto* data = static_cast<const Real*>(fab.data);
        all.insert(all.end(), data, data + fab.memory->bytes() / sizeof(Real));
    }
    return all;
}

template <int D>
void fill(MultiFab<D>& field, Real value) {
    for (const FabMemory<D>& fab : field.lease()->fabs) {
        std::fill_n(static_cast<Real*>(fab.data), fab.memory->bytes() / sizeof(Real), value);
    }
}

TEST_CASE_TEMPLATE("increment counts each valid particle in its cell, with any number of threads", Dim,
                   std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    std::mt19937 random(5);
    for (int round = 0; round < 24; ++round) {
        const bool pure = round % 2 == 0, dense = round % 3 == 0;
        const Geometry<D> geom = geometry_of<D>(IntVect<D>(10), round % 4 < 2);
        ParticleContainer<D> pc = container_of<D>(geom, 4, pure);
        scatter<D>(pc, random, dense ? 1500 : 20);  // more and fewer than there are cells
        const BoxArray<D>& boxes = pc.level(0).layout->boxes();
        const DistributionMapping owners(std::vector<int>(boxes.size()));
        MultiFab<D> counts(boxes, owners, 2, IntVect<D>(round % 2)), wanted(boxes, owners, 2, IntVect<D>(round % 2));
        fill(counts, 0.25);
        fill(wanted, 0.25);
        for (const auto& [key, tile] : pc.level(0).tiles) {
            const auto array = wanted.array(key.first);
            const Box<D> box = wanted.lease()->fabs[static_cast<std::size_t>(key.first)].box;
            for (Long i = 0; i < static_cast<Long>(tile->size()); ++i) {
                IntVect<D> cell;
                const Particle particle = tile->get(i);
                if (!is_valid(particle.idcpu) || !cell_of_particle(geom, particle, cell) || !box.contains(cell))
                    continue;
                std::array<int, 3> at{};
                for (int d = 0; d < D; ++d) at[static_cast<std::size_t>(d)] = cell[d];
                array(at[0], at[1], at[2]) += 1;
            }
        }
        pc.increment(counts, 0);
        CHECK(numbers_of(counts) == numbers_of(wanted));
        // The sum of numbers that are not whole depends on neither threads nor chance.
        std::vector<std::vector<Real>> results;
        for (const int threads : {1, 2, 5}) {
            const Threads now(threads);
            fill(counts, 0.1);
            pc.increment(counts, 0);
            results.push_back(numbers_of(counts));
        }
        CHECK(results[0] == results[1]);
        CHECK(results[0] == results[2]);
    }
}

TEST_CASE("many particles of one box are shared among the threads") {
    const Running running;
    const Geometry<1> geom = geometry_of<1>(IntVect<1>(7), true);
    for (const bool pure : {true, false}) {
        ParticleContainer<1> pc = container_of<1>(geom, 7, pure);
        pc.init_random(300000, 3, ParticleInit(pc.layout()), geom.prob_domain());
        pc.tile(0, 0, 1).resize(70000);  // rows of a second tile, invalid
        MultiFab<1> counts(pc.level(0).layout->boxes(), DistributionMapping(std::vector<int>(1)), 1, IntVect<1>(0));
        std::vector<std::vector<Real>> results;
        for (const int threads : {1, 2, 3, 8}) {
            const Threads now(threads);
            fill(counts, 0.1);
            pc.increment(counts, 0);
            results.push_back(numbers_of(counts));
            CHECK(results.back() == results.front());
            CHECK(pc.count(true) == 300000);
            CHECK(pc.count(false) == 370000);
        }
        Real sum = 0;
        for (const Real number : results.front()) sum += std::round(number - 0.1);
        CHECK(sum == 300000);
    }
}

TEST_CASE_TEMPLATE("what the redistribution puts into a box has a cell there", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    std::mt19937 random(11);
    for (int round = 0; round < 20; ++round) {
        const Geometry<D> geom = geometry_of<D>(IntVect<D>(7 + round % 3), round % 4 < 2);
        ParticleContainer<D> pc = container_of<D>(geom, 3, round % 2 == 0);
        scatter<D>(pc, random, 200);
        pc.redistribute();
        CHECK(pc.ok());
        const BoxArray<D>& boxes = pc.level(0).layout->boxes();
        MultiFab<D> counts(boxes, DistributionMapping(std::vector<int>(boxes.size())), 1, IntVect<D>(0));
        fill(counts, 0);
        pc.increment(counts, 0);
        const std::vector<Real> numbers = numbers_of(counts);
        CHECK(std::accumulate(numbers.begin(), numbers.end(), 0.) == static_cast<Real>(pc.count(true)));
    }
}

TEST_CASE_TEMPLATE("counts of valid particles", Dim, std::integral_constant<int, 1>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    std::mt19937 random(3);
    for (int round = 0; round < 10; ++round) {
        ParticleContainer<D> pc = container_of<D>(geometry_of<D>(IntVect<D>(8), true), 4, round % 2 == 0);
        scatter<D>(pc, random, 100);
        std::vector<Long> valid(static_cast<std::size_t>(pc.level(0).layout->size())), all = valid;
        for (const auto& [key, tile] : pc.level(0).tiles) {
            if (round % 3 == 0) tile->set_num_neighbors(5);  // they do not count
            for (std::size_t i = 0; i < tile->num_particles(); ++i) {
                ++all[static_cast<std::size_t>(key.first)];
                if (is_valid(tile->get(static_cast<Long>(i)).idcpu)) ++valid[static_cast<std::size_t>(key.first)];
            }
        }
        CHECK(pc.count_in_grids(0, true) == valid);
        CHECK(pc.count_in_grids(0, false) == all);
        CHECK(pc.count(true) == std::accumulate(valid.begin(), valid.end(), Long{0}));
    }
}

TEST_CASE_TEMPLATE("particles are sorted by bins, and keep their order within one", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    std::mt19937 random(23);
    for (int round = 0; round < 24; ++round) {
        const bool pure = round % 2 == 0;
        // Few particles in many bins are sorted in another way.
        IntVect<D> cells(10), bin(1 + round % 3);
        if (round % 3 == 0) cells[0] = 1 << 17;
        const Geometry<D> geom = geometry_of<D>(cells, round % 4 < 2);
        ParticleContainer<D> pc = container_of<D>(geom, round % 3 == 0 ? 1 << 17 : 5, pure);
        scatter<D>(pc, random, 80);
        pc.add_real_comp("row");
        const int last = pc.num_real() - 1;
        struct Expected {
            Long bin;
            Particle particle;
            Real row;  // 0 beyond the end of a component that is too short
        };
        std::vector<std::vector<Expected>> wanted;
        for (const auto& [key, tile] : pc.level(0).tiles) {
            const Box<D> box = pc.level(0).layout->boxes()[key.first];
            std::vector<Expected>& keyed = wanted.emplace_back();
            const std::size_t rows = round % 4 == 0 ? tile->size() / 2 : tile->size();
            tile->soa().real(last).resize(rows);
            for (std::size_t i = 0; i < tile->size(); ++i) {
                const Particle particle = tile->get(static_cast<Long>(i));
                if (i < rows) tile->soa().real(last)[i] = static_cast<Real>(i + 1);
                Long key_of = 0, stride = 1;
                IntVect<D> cell;
                for (int d = 0; d < D; ++d) {
                    // One direction at a time: those without a cell count for the first.
                    Particle only = particle;
                    for (int e = 0; e < D; ++e) {
                        if (e != d) only.pos[static_cast<std::size_t>(e)] = 0;
                    }
                    if (!cell_of_particle(geom, only, cell)) cell[d] = box.small_end(d);
                    const int at = std::clamp(cell[d], box.small_end(d), box.big_end(d)) - box.small_end(d);
                    key_of += at / bin[d] * stride;
                    stride *= (Long{box.length(d)} + bin[d] - 1) / bin[d];
                }
                keyed.push_back({key_of, particle, i < rows ? static_cast<Real>(i + 1) : 0});
            }
            std::stable_sort(keyed.begin(), keyed.end(),
                             [](const Expected& a, const Expected& b) { return a.bin < b.bin; });
        }
        const Threads now(1 + round % 3);
        pc.sort_by_bin(bin);
        std::size_t t = 0;
        for (const auto& [key, tile] : pc.level(0).tiles) {
            REQUIRE(tile->size() == wanted[t].size());
            for (std::size_t i = 0; i < tile->size(); ++i) {
                const Particle got = tile->get(static_cast<Long>(i)), &expected = wanted[t][i].particle;
                CHECK(got.idcpu == expected.idcpu);
                CHECK(std::memcmp(got.pos.data(), expected.pos.data(), sizeof got.pos) == 0);
                CHECK(std::memcmp(got.rdata.data(), expected.rdata.data(), got.rdata.size() * sizeof(Real)) == 0);
                CHECK(got.idata == expected.idata);
                if (tile->soa().real(last).size() == tile->size()) {
                    CHECK(tile->soa().real(last)[i] == wanted[t][i].row);
                }
            }
            ++t;
        }
        // What is in order stays where it is.
        std::vector<AllocationPtr> memory;
        for (const auto& tile : pc.tiles()) memory.push_back(tile->soa().real(0).share());
        pc.sort_by_bin(bin);
        t = 0;
        for (const auto& tile : pc.tiles()) CHECK(tile->soa().real(0).share() == memory[t++]);
    }
}

TEST_CASE("more bins than numbers count are an error, and nothing has changed") {
    const Running running;
    const Geometry<3> geom = geometry_of<3>(IntVect<3>(1 << 20), true);
    ParticleContainer<3> pc = container_of<3>(geom, 1 << 20, true);
    pc.init_random(10, 1, ParticleInit(pc.layout()), geom.prob_domain());
    const AllocationPtr memory = pc.tile(0, 0).soa().real(0).share();
    CHECK_THROWS_AS(pc.sort_by_bin(IntVect<3>(1)), ValueError);
    CHECK(pc.tile(0, 0).soa().real(0).share() == memory);
    pc.sort_by_bin(IntVect<3>(1 << 10));
    CHECK(pc.count(true) == 10);
    CHECK(pc.ok());
}

}  // namespace
}  // namespace zerofab
