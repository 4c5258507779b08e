// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles in memory of a device, which the host cannot reach, on the fake drivers of the tests: every operation has
// the same result as in memory of the host.
#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "device/fakes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/io/particle_file.hpp"
#include "zerofab/particles/particle_container.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab {
namespace {

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int in(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

private:
    std::mt19937 engine_;
};

/// Two levels, the fine one over a part of the domain, with particles anywhere, in memory of the host.
template <int D>
ParticleContainer<D> random_container(Random random) {
    std::array<int, D> periodic;
    for (int& p : periodic) p = random.in(0, 1);
    const int first = random.in(-5, 5), size = random.in(2, 6);
    const Geometry<D> coarse(Box<D>(IntVect<D>(first), IntVect<D>(first + 11)),
                             RealBox<D>(RealVect<D>(-1.), RealVect<D>(2.)), CoordType::cartesian, periodic);
    Geometry<D> fine = coarse;
    fine.refine(IntVect<D>(2));
    BoxArray<D> whole(coarse.domain()), part(Box<D>(IntVect<D>(2 * first + 4), IntVect<D>(2 * first + 15)));
    whole.max_size(size);
    part.max_size(size);
    const ParticleLayout layout =
        random.in(0, 1) == 0 ? ParticleLayout{D, true, 0, 0, D + 1, 1} : ParticleLayout{D, false, 1, 1, 1, 1};
    ParticleContainer<D> pc(layout, The_Cpu_Arena());
    pc.define({coarse, fine},
              {DistributionMapping(std::vector<int>(whole.size())), DistributionMapping(std::vector<int>(part.size()))},
              {whole, part});
    pc.add_real_comp("more");
    const int count = random.in(0, 3) == 0 ? random.in(0, 3) : random.in(0, 200);
    for (int n = 0; n < count; ++n) {
        const int lev = random.in(0, 1), grid = random.in(0, pc.level(lev).layout->size() - 1);
        Particle particle(D, layout.struct_real + layout.array_real, layout.struct_int + layout.array_int);
        particle.idcpu = pack_id(0, random.in(0, 6) == 0 ? -(n + 1) : n + 1);
        for (int d = 0; d < D; ++d) {
            using L = std::numeric_limits<Real>;
            const Real odd[] = {L::quiet_NaN(), L::infinity(), 2., -1., 1e300, 2. - 1e-15};
            particle.pos[static_cast<std::size_t>(d)] =
                random.in(0, 40) == 0 ? odd[random.in(0, 5)] : random.in(-1500, 2500) / 1000.;
        }
        for (Real& x : particle.rdata) x = n;
        for (int& x : particle.idata) x = n;
        ParticleTile& tile = pc.tile(lev, grid, random.in(0, 9) == 0 ? 1 : 0);
        tile.push_back(particle);
        tile.soa().real(tile.soa().num_real() - 1)[tile.size() - 1] = n + 0.5;
    }
    return pc;
}

/// Whether both have the same particles in the same places, bit by bit.
template <int D>
bool same(const ParticleContainer<D>& a, const ParticleContainer<D>& b) {
    const auto has = [](const auto& tiles, const auto& key) {
        const auto found = tiles.find(key);
        return found != tiles.end() && found->second->num_particles() > 0;
    };
    for (int lev = 0; lev < a.num_levels(); ++lev) {
        const auto &one = a.level(lev).tiles, &two = b.level(lev).tiles;
        for (const auto& [key, tile] : two) {
            if (has(two, key) && !has(one, key)) return false;
        }
        for (const auto& [key, tile] : one) {
            if (!has(one, key)) continue;
            if (!has(two, key)) return false;
            TileView x(*tile), y(*two.at(key));
            x.to_host();
            y.to_host();
            if (x.rows != y.rows) return false;
            for (std::size_t n = 0; n <= x.real.size() + x.integer.size(); ++n) {
                const std::size_t bytes = TileData::element_size(x.layout, x.real.size(), n);
                const ColumnView &p = x.column(n), &q = y.column(n);
                if (p.rows != q.rows || std::memcmp(p.data, q.data, p.rows * bytes) != 0) return false;
            }
        }
    }
    return true;
}

template <int D>
bool in_memory_of(const ParticleContainer<D>& pc, Arena& arena) {
    for (int lev = 0; lev < pc.num_levels(); ++lev) {
        for (const auto& [key, tile] : pc.level(lev).tiles) {
            if (tile->size() > 0 && tile->soa().real(0).space() != arena.space()) return false;
        }
    }
    return true;
}

template <int D>
typename ParticleContainer<D>::RedistributeOptions random_options(Random& random) {
    typename ParticleContainer<D>::RedistributeOptions options;
    options.lev_max = random.in(-1, 1);
    options.lev_min = options.lev_max == 0 ? 0 : random.in(0, 1);
    options.remove_negative = random.in(0, 1) == 0;
    if (random.in(0, 2) == 0) options.ngrow = IntVect<D>(random.in(0, 3));
    return options;
}

template <int D>
void check_container(unsigned seed, Arena& arena) {
    Random random(seed);
    ParticleContainer<D> host = random_container<D>(random), device = random_container<D>(random);
    device.set_arena(arena);
    const auto both = [&](auto act) {
        const Long id = next_particle_id();
        act(host);
        set_next_particle_id(id);
        act(device);
        CHECK(same(host, device));
        CHECK(in_memory_of(device, arena));
    };
    both([](auto&) {});
    const auto options = random_options<D>(random);
    for (int step = 0; step < 6; ++step) {
        const int what = random.in(0, 6);
        const auto number = static_cast<unsigned>(random.in(0, 1000));
        INFO("step ", step, " is ", what);
        both([&](ParticleContainer<D>& pc) {
            Random same_random(number);
            const ParticleInit init(pc.layout());
            if (what == 0) pc.redistribute(options);
            if (what == 1) pc.sort_by_bin(IntVect<D>(same_random.in(1, 4)));
            if (what == 2) pc.init_random(same_random.in(0, 100), number, init, pc.level(0).geom.prob_domain());
            if (what == 3) pc.init_one_per_cell(RealVect<D>(0.5), init);
            if (what == 4) pc.add_particles(random_container<D>(Random(seed)), same_random.in(0, 1) == 0);
            if (what == 5) pc.init_random_per_box(2, number, init);
            if (what == 6) pc.shrink_to_fit();
        });
    }
    both([&](ParticleContainer<D>& pc) { pc.redistribute(); });
    CHECK(device.ok());
    CHECK(device.ok() == host.ok());
    for (const bool valid : {false, true}) {
        CHECK(device.count(valid) == host.count(valid));
        CHECK(device.count_in_grids(0, valid) == host.count_in_grids(0, valid));
    }
}

template <int D>
void check_deposit(unsigned seed, Arena& arena, Arena& field_arena) {
    Random random(seed);
    ParticleContainer<D> host = random_container<D>(random), device = random_container<D>(random);
    device.set_arena(arena);
    for (int lev = 0; lev < 2; ++lev) {
        const FabLayout<D>& layout = *host.level(lev).layout;
        const DistributionMapping owners(std::vector<int>(static_cast<std::size_t>(layout.size())));
        const IntVect<D> ngrow(random.in(0, 2));
        MultiFab<D> wanted(layout.boxes(), owners, 2, ngrow, {true, &The_Cpu_Arena(), {}}),
            got(layout.boxes(), owners, 2, ngrow, {true, &field_arena, {}});
        for (const auto* field : {&wanted, &got}) {
            for (const FabMemory<D>& fab : field->lease()->fabs) {
                fill_bytes(fab.data, fab.memory->space(), 0, fab.memory->bytes());
            }
        }
        host.increment(wanted, lev);
        device.increment(got, lev);
        for (std::size_t i = 0; i < got.lease()->fabs.size(); ++i) {
            const FabMemory<D>&a = wanted.lease()->fabs[i], &b = got.lease()->fabs[i];
            std::vector<Real> numbers(a.memory->bytes() / sizeof(Real));
            copy_bytes(numbers.data(), {}, b.data, b.memory->space(), numbers.size() * sizeof(Real));
            CHECK(std::memcmp(numbers.data(), a.data, numbers.size() * sizeof(Real)) == 0);
        }
    }
}

template <int D>
void check_elements_and_files(unsigned seed, Arena& arena) {
    const ParticleContainer<D> host = random_container<D>(Random(seed));
    ParticleContainer<D> device = random_container<D>(Random(seed));
    device.set_arena(arena);
    const auto folder = std::filesystem::temp_directory_path() / ("zerofab_device_particles_" + std::to_string(seed));
    for (auto& [key, tile] : device.level(0).tiles) {
        const ParticleTile& twin = *host.level(0).tiles.at(key);
        const auto size = static_cast<Long>(tile->size());
        for (Long n = 0; n < size; ++n) {
            const Particle p = tile->get(n), q = twin.get(n);
            CHECK(p.idcpu == q.idcpu);
            CHECK(std::memcmp(p.pos.data(), q.pos.data(), sizeof p.pos) == 0);
            CHECK(p.idata == q.idata);
            tile->set(n, q);
        }
        CHECK_THROWS_AS(static_cast<void>(tile->get(size)), IndexError);
        if (size == 0) continue;
        Particle last = tile->get(0);
        last.pos[0] = 0.125;
        tile->push_back(last);
        CHECK(tile->get(size).pos[0] == 0.125);
        CHECK(tile->get(size).idcpu == last.idcpu);
        tile->set_num_neighbors(2);
        tile->set_num_neighbors(0);
        tile->resize(static_cast<std::size_t>(size));
    }
    CHECK(same(host, device));
    const ParticleWriter<D> one(host, {}, {}), two(device, {}, {});
    one.write((folder / "host").string(), "p", true);
    two.write((folder / "device").string(), "p", true);
    ParticleTile a = host.fresh_tile(), b = device.fresh_tile();
    read_particles((folder / "host").string(), "p", a);
    read_particles((folder / "device").string(), "p", b);
    CHECK(a.size() == b.size());
    CHECK((b.size() == 0 || b.soa().real(0).space() == arena.space()));
    for (Long n = 0; n < static_cast<Long>(a.size()); ++n) CHECK(a.get(n).idcpu == b.get(n).idcpu);
    std::filesystem::remove_all(folder);
}

TEST_CASE_TEMPLATE("particles of a device are as those of the host", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    for (const char* name : {"cuda", "hip"}) {
        if (Runtime::initialized()) Runtime::finalize();
        Runtime::initialize(name);
        INFO("device ", name);
        Arena* const arenas[] = {&The_Device_Arena(), &The_Managed_Arena(), &The_Device_Arena(), &The_Pinned_Arena()};
        for (unsigned seed = 0; seed < (D == 3 ? 4U : 8U); ++seed) {
            INFO("seed ", seed);
            Arena &one = *arenas[seed % 4], &other = *arenas[seed / 4 % 4];
            check_container<D>(seed, one);
            check_deposit<D>(seed, one, seed % 5 == 0 ? The_Cpu_Arena() : other);
            if (seed < 2) check_elements_and_files<D>(seed, one);
        }
        Runtime::synchronize();
        Runtime::finalize();
    }
}

}  // namespace
}  // namespace zerofab
