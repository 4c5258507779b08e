// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Particles get where they belong, and none is lost.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/io/particle_file.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {
namespace {

struct Running {
    Running() {
        if (!Runtime::initialized()) Runtime::initialize("cpu");
    }
};

template <int D>
ParticleLayout layout_of(bool pure) {
    return pure ? ParticleLayout{D, true, 0, 0, D + 2, 1} : ParticleLayout{D, false, 1, 1, 2, 1};
}

template <int D>
Geometry<D> geometry_of(int cells, bool periodic) {
    std::array<int, D> periods;
    periods.fill(periodic ? 1 : 0);
    return Geometry<D>(Box<D>(IntVect<D>(0), IntVect<D>(cells - 1)), RealBox<D>(RealVect<D>(-1.), RealVect<D>(2.)),
                       CoordType::cartesian, periods);
}

/// Two levels: the whole domain, and twice finer boxes over its middle.
template <int D>
ParticleContainer<D> container_of(bool pure, bool periodic, int cells = 16, int size = 4) {
    const Geometry<D> coarse = geometry_of<D>(cells, periodic);
    Geometry<D> fine = coarse;
    fine.refine(IntVect<D>(2));
    BoxArray<D> whole(coarse.domain()), middle(Box<D>(IntVect<D>(cells / 2), IntVect<D>(cells - 1)));
    whole.max_size(size);
    middle.max_size(size);
    ParticleContainer<D> pc(layout_of<D>(pure));
    pc.define(
        {coarse, fine},
        {DistributionMapping(std::vector<int>(whole.size())), DistributionMapping(std::vector<int>(middle.size()))},
        {whole, middle});
    return pc;
}

template <int D>
void set_x(ParticleTile& tile, std::size_t row, int d, Real x) {
    Particle particle = tile.get(static_cast<Long>(row));
    particle.pos[static_cast<std::size_t>(d)] = x;
    tile.set(static_cast<Long>(row), particle);
}

/// Every particle by its id: level, box and all its numbers.
struct Seen {
    int level, grid;
    Particle particle;
};
template <int D>
std::map<Long, Seen> by_id(const ParticleContainer<D>& pc) {
    std::map<Long, Seen> all;
    for (int lev = 0; lev < pc.num_levels(); ++lev) {
        for (const auto& [key, tile] : pc.level(lev).tiles) {
            for (std::size_t i = 0; i < tile->size(); ++i) {
                const Particle particle = tile->get(static_cast<Long>(i));
                CHECK(all.emplace(unpack_id(particle.idcpu), Seen{lev, key.first, particle}).second);
            }
        }
    }
    return all;
}

TEST_CASE_TEMPLATE("particles at random moves keep their numbers and get into the finest box that holds them", Dim,
                   std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    for (const bool pure : {true, false}) {
        for (const bool periodic : {true, false}) {
            ParticleContainer<D> pc = container_of<D>(pure, periodic);
            pc.add_real_comp("weight");
            ParticleInit init(pc.layout());
            std::fill(init.array_real.begin(), init.array_real.end(), 0.5);
            pc.init_random(2000, 3, init, pc.level(0).geom.prob_domain());
            REQUIRE(pc.count(true) == 2000);
            REQUIRE(pc.ok());
            std::mt19937 random(17);
            std::normal_distribution<Real> step(0., 1.);
            for (int round = 0; round < 5; ++round) {
                std::map<Long, Particle> expected;
                for (int lev = 0; lev < 2; ++lev) {
                    for (const auto& [key, tile] : pc.level(lev).tiles) {
                        for (std::size_t i = 0; i < tile->size(); ++i) {
                            tile->soa().real(pc.num_real() - 1)[i] = step(random);
                            for (int d = 0; d < D; ++d) {
                                set_x<D>(
                                    *tile, i, d,
                                    tile->get(static_cast<Long>(i)).pos[static_cast<std::size_t>(d)] + step(random));
                            }
                            const Particle moved = tile->get(static_cast<Long>(i));
                            expected[unpack_id(moved.idcpu)] = moved;
                        }
                    }
                }
                const auto inside = [&](const Particle& p) {
                    for (std::size_t d = 0; d < D; ++d) {
                        if (!periodic && !(p.pos[d] >= -1. && p.pos[d] < 2.)) return false;
                    }
                    return true;
                };
                std::erase_if(expected, [&](const auto& item) { return !inside(item.second); });
                pc.redistribute();
                CHECK(pc.ok());
                const auto found = by_id(pc);
                REQUIRE(found.size() == expected.size());
                for (const auto& [id, seen] : found) {
                    const Particle& was = expected.at(id);
                    CHECK(seen.particle.idata == was.idata);
                    RealVect<D> x;
                    for (int d = 0; d < D; ++d) {
                        const auto s = static_cast<std::size_t>(d);
                        x[d] = seen.particle.pos[s];
                        CHECK(x[d] >= -1.);
                        CHECK(x[d] < 2.);
                        const Real periods = (x[d] - was.pos[s]) / 3.;
                        CHECK(periods == doctest::Approx(std::round(periods)).epsilon(1e-9));
                        if (!periodic) CHECK(x[d] == was.pos[s]);
                    }
                    for (int lev = 1; lev >= seen.level; --lev) {
                        const auto& level = pc.level(lev);
                        const int grid = level.layout->boxes().find(level.geom.cell_index(x));
                        CHECK(grid == (lev == seen.level ? seen.grid : -1));
                    }
                }
                if (!periodic) break;  // most have left
            }
        }
    }
}

TEST_CASE("a second redistribution leaves all memory where it is") {
    const Running running;
    ParticleContainer<2> pc = container_of<2>(true, true);
    pc.init_random(500, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
    std::vector<const Real*> before, after;
    for (const auto& [key, tile] : pc.level(0).tiles) before.push_back(tile->soa().real(0).data());
    pc.redistribute();
    for (const auto& [key, tile] : pc.level(0).tiles) after.push_back(tile->soa().real(0).data());
    CHECK(before == after);
}

TEST_CASE("a view keeps what it shows through a redistribution") {
    const Running running;
    ParticleContainer<1> pc = container_of<1>(true, true);
    pc.init_random(500, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
    ParticleTile& tile = *pc.level(0).tiles.begin()->second;
    const auto component = tile.soa().share_real(0);
    const AllocationPtr share = component->share();
    const Real* seen = component->data();
    component->assign(1.9);
    pc.redistribute();
    CHECK(seen[0] == 1.9);
    CHECK(component->size() == 0);  // the vector of the tile
}

TEST_CASE("invalid, lost and impossible positions") {
    const Running running;
    for (const bool pure : {true, false}) {
        ParticleContainer<2> pc = container_of<2>(pure, false);
        pc.init_random(8, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
        int n = 0;
        for (int lev = 0; lev < 2; ++lev) {
            for (const auto& [key, tile] : pc.level(lev).tiles) {
                for (std::size_t i = 0; i < tile->size(); ++i, ++n) {
                    Particle p = tile->get(static_cast<Long>(i));
                    if (n == 0) p.idcpu = make_invalid(p.idcpu);
                    if (n == 1) p.pos[0] = 2.0;  // the high end is inside
                    if (n == 2) p.pos[1] = -1.0000001;
                    if (n == 3) p.pos[0] = std::numeric_limits<Real>::quiet_NaN();
                    if (n == 4) p.pos[1] = std::numeric_limits<Real>::infinity();
                    if (n == 5) p.pos[0] = -1e300;
                    if (n == 6) p.pos[0] = std::nextafter(2.0, 0.0);
                    tile->set(static_cast<Long>(i), p);
                }
            }
        }
        CHECK(pc.count(true) == 7);
        CHECK(pc.count(false) == 8);
        CHECK_FALSE(pc.ok());
        pc.redistribute({0, -1, IntVect<2>(), false});
        CHECK(pc.count(false) == 4);
        pc.redistribute();
        CHECK(pc.count(false) == 3);
        CHECK(pc.ok());
        CHECK_THROWS_AS(pc.redistribute({0, 2, {}, true}), IndexError);
        CHECK_THROWS_AS(pc.redistribute({-1, 1, {}, true}), IndexError);
        CHECK_THROWS_AS(pc.redistribute({0, 1, IntVect<2>(-1), true}), ValueError);
    }
}

TEST_CASE("periodic positions end inside the domain, whatever the rounding") {
    const Running running;
    ParticleContainer<1> pc = container_of<1>(true, true);
    const std::vector<Real> starts = {
        -1., 2., std::nextafter(-1., -2.), std::nextafter(2., 3.), -1e-300 - 1., 1e17, -1e17, 302., -298., 5e15 + 0.5};
    ParticleTile tile = pc.fresh_tile();
    tile.resize(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        tile.soa().real(0)[i] = starts[i];
        tile.soa().idcpu()[i] = pack_id(0, static_cast<Long>(i) + 1);
    }
    pc.add_particles_at_level(tile, 1);
    CHECK(pc.count(true) == static_cast<Long>(starts.size()));
    CHECK(pc.ok());
    for (const auto& [id, seen] : by_id(pc)) {
        CHECK(seen.particle.pos[0] >= -1.);
        CHECK(seen.particle.pos[0] < 2.);
    }
}

TEST_CASE("particles at the faces of their box and of the domain go where the description says") {
    const Running running;
    for (const bool pure : {true, false}) {
        for (const bool periodic : {true, false}) {
            for (const int lev_max : {0, 1}) {
                ParticleContainer<1> pc = container_of<1>(pure, periodic, 23, 5);
                const Geometry<1> geom = pc.level(0).geom;
                std::vector<Real> starts;
                for (int face = -24; face <= 48; ++face) {
                    const Real x = -1. + face * geom.cell_size(0);
                    starts.insert(starts.end(), {std::nextafter(x, -9.), x, std::nextafter(x, 9.), x + 0.01});
                }
                starts.insert(starts.end(), {2., std::nextafter(2., 9.), std::nextafter(2., -9.), -0., NAN, INFINITY});
                const std::size_t count = starts.size();
                ParticleTile& tile = pc.tile(0, 2);
                tile.resize(3 * count);  // valid, invalid, and valid once more
                for (std::size_t i = 0; i < 3 * count; ++i) {
                    Particle particle = tile.get(static_cast<Long>(i));
                    particle.pos[0] = starts[i % count];
                    particle.idcpu = pack_id(0, static_cast<Long>(i) + 1);
                    if (i / count == 1) particle.idcpu &= ~valid_bit;
                    tile.set(static_cast<Long>(i), particle);
                }
                pc.redistribute({0, lev_max, {}, true});
                CHECK(pc.ok());
                std::size_t found = 0;
                for (const auto& [id, seen] : by_id(pc)) {
                    const Real was = starts[static_cast<std::size_t>(id - 1) % count], x = seen.particle.pos[0];
                    CHECK(is_valid(seen.particle.idcpu));
                    CHECK((x == was || (periodic && std::abs(std::remainder(x - was, 3.)) < 1e-12)));
                    CHECK((x >= -1. && (periodic ? x < 2. : x <= 2.)));
                    const int fine =
                        lev_max == 0 ? -1
                                     : pc.level(1).layout->boxes().find(pc.level(1).geom.cell_index(RealVect<1>(x)));
                    CHECK(seen.level == (fine < 0 ? 0 : 1));
                    ++found;
                }
                const auto stays = [&](Real x) { return std::isfinite(x) && (periodic || (x >= -1. && x <= 2.)); };
                CHECK(found == 2 * static_cast<std::size_t>(std::count_if(starts.begin(), starts.end(), stays)));
                for (const auto& [key, box] : pc.level(0).tiles) {  // in the order that they were in
                    Long last = 0;
                    for (std::size_t i = 0; i < box->size(); ++i) {
                        const Long id = unpack_id(box->get(static_cast<Long>(i)).idcpu);
                        CHECK(id > last);
                        last = id;
                    }
                }
            }
        }
    }
}

TEST_CASE("particles within ngrow of their box may stay, and other levels are left alone") {
    const Running running;
    ParticleContainer<1> pc = container_of<1>(true, false);
    ParticleTile& tile = pc.tile(0, 0);
    tile.resize(2);
    tile.soa().idcpu().assign(valid_bit);
    tile.soa().real(0)[0] = -1. + 4.5 * 3. / 16;  // one cell beyond box 0
    tile.soa().real(0)[1] = -1. + 5.5 * 3. / 16;  // two
    pc.redistribute({0, 0, IntVect<1>(1), true});
    CHECK(tile.size() == 1);
    CHECK(pc.tile(0, 1).size() == 1);
    CHECK_FALSE(pc.ok());
    CHECK(pc.ok(0, 0, IntVect<1>(1)));
    pc.redistribute({1, 1, {}, true});
    CHECK(tile.size() == 1);
    pc.redistribute();
    CHECK(tile.size() == 0);
}

TEST_CASE("a tile with other components is refused, and nothing has changed") {
    const Running running;
    ParticleContainer<1> pc = container_of<1>(true, false);
    pc.init_random(100, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
    pc.level(0).tiles.begin()->second->soa().add_real("mine");
    CHECK_THROWS_AS(pc.redistribute(), StateError);
    CHECK_THROWS_AS(pc.sort_by_bin(IntVect<1>(1)), StateError);
    CHECK_THROWS_AS(pc.add_real_comp("w"), StateError);
    CHECK(pc.count(true) == 100);
    CHECK(pc.num_real() == 3);
}

TEST_CASE("a container that changed while particles were moved is left alone") {
    const Running running;
    ParticleContainer<1> pc = container_of<1>(true, false);
    pc.init_random(100, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
    Redistribution<1> move(pc, {});
    pc.add_real_comp("w");
    move.run();
    CHECK_THROWS_AS(move.install(pc), StateError);
    Redistribution<1> late(pc, {});
    pc.clear();  // views of the columns keep them
    late.run();
    late.install(pc);
    CHECK(pc.count(true) <= 100);
}

TEST_CASE("particles that change while others move or are sorted: nothing is installed") {
    const Running running;
    using Change = std::function<void(ParticleContainer<2>&, ParticleTile&)>;
    const auto one = [](ParticleTile& tile) {
        Particle particle = tile.get(0);
        particle.idcpu = pack_id(0, take_particle_ids(1));
        return particle;
    };
    const std::vector<Change> changes = {
        [&](ParticleContainer<2>&, ParticleTile& tile) { tile.push_back(one(tile)); },
        [&](ParticleContainer<2>&, ParticleTile& tile) { tile.set(0, one(tile)); },
        [](ParticleContainer<2>&, ParticleTile& tile) { tile.resize(tile.size() - 1); },
        [](ParticleContainer<2>&, ParticleTile& tile) { tile.resize(0); },
        [](ParticleContainer<2>&, ParticleTile& tile) { tile.set_num_neighbors(3); },
        [](ParticleContainer<2>&, ParticleTile& tile) { tile.soa().real(0).push_back(0.5); },
        [](ParticleContainer<2>& pc, ParticleTile& tile) {
            ParticleTile other = pc.fresh_tile();
            other.resize(tile.size());
            other.soa().idcpu().assign(valid_bit);
            tile.swap(other);
        },
        [](ParticleContainer<2>& pc, ParticleTile&) { pc.clear(); },
        [](ParticleContainer<2>& pc, ParticleTile&) { pc.clear_level(0); },
        [](ParticleContainer<2>& pc, ParticleTile& tile) { pc.add_particles_at_level(tile, 0); },
        [](ParticleContainer<2>& pc, ParticleTile&) {
            pc.init_random(50, 9, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
        },
    };
    for (const bool pure : {true, false}) {
        for (std::size_t n = 0; n < changes.size(); ++n) {
            if (!pure && n == 6) continue;  // ids of records are elsewhere
            for (const int what : {0, 1}) {
                INFO("change ", n, pure ? " pure " : " legacy ", what == 0 ? "moving" : "sorting");
                ParticleContainer<2> pc = container_of<2>(pure, true);
                pc.init_random(4000, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
                for (auto& [key, tile] : pc.level(0).tiles) {
                    for (std::size_t row = 0; row < tile->size(); ++row) {
                        set_x<2>(*tile, row, 0, std::fmod(tile->get(static_cast<Long>(row)).pos[0] + 2.7, 3.) - 1.);
                    }
                }
                const auto held = pc.level(0).tiles.begin()->second;
                Redistribution<2> move(pc, {});
                BinSort<2> sort(pc, IntVect<2>(1));
                changes[n](pc, *held);
                const Long count = pc.count(false);
                const auto tiles = pc.tiles();
                std::vector<AllocationPtr> memory;
                for (const auto& tile : tiles) memory.push_back(tile->soa().real(0).share());
                if (what == 0) {
                    move.run();
                    CHECK_THROWS_AS(move.install(pc), StateError);
                } else {
                    sort.run();
                    CHECK_THROWS_AS(sort.install(pc), StateError);
                }
                CHECK(pc.count(false) == count);
                CHECK(pc.tiles() == tiles);
                for (std::size_t i = 0; i < tiles.size(); ++i) CHECK(tiles[i]->soa().real(0).share() == memory[i]);
            }
        }
    }
}

TEST_CASE("particles that would be lost without a word are counted before anything changes") {
    const Running running;
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), infinite = std::numeric_limits<Real>::infinity();
    for (const bool pure : {true, false}) {
        for (const bool periodic : {false, true}) {
            ParticleContainer<2> pc = container_of<2>(pure, periodic);
            struct Case {
                Real x, y;
                IdCpu word;
                int reason;  // 0: not counted
                bool kept;
            };
            const IdCpu valid = pack_id(0, 7);
            const std::vector<Case> cases = {{0.5, 0.5, valid, 0, true},
                                             {0.5, 0.5, make_invalid(valid), 0, false},
                                             {0.5, 0.5, 0, 1, false},
                                             {0.5, 0, 3, 1, false},
                                             {0, 0, 0, 0, false},
                                             {nan, 0.5, valid, 2, false},
                                             {0.5, infinite, valid, 2, false},
                                             {-infinite, nan, valid, 2, false},
                                             {nan, 0.5, make_invalid(valid), 0, false},
                                             {nan, 0.5, 0, 1, false},
                                             {2.5, 0.5, valid, 0, periodic},
                                             {2.0, 0.5, valid, 0, true},
                                             {2.0, 2.0, valid, 0, true},
                                             {std::nextafter(2.0, 3.0), 0.5, valid, 0, periodic}};
            ParticleTile tile = pc.fresh_tile();
            tile.resize(cases.size());
            LostParticles expected;
            Long kept = 0;
            for (std::size_t i = 0; i < cases.size(); ++i) {
                Particle particle = tile.get(static_cast<Long>(i));
                particle.pos = {cases[i].x, cases[i].y};
                particle.idcpu = cases[i].word;
                tile.set(static_cast<Long>(i), particle);
                if (cases[i].reason == 1) ++expected.without_id;
                if (cases[i].reason == 2) ++expected.without_position;
                kept += cases[i].kept ? 1 : 0;
            }
            LostParticles lost;
            CHECK_THROWS_AS(pc.add_particles_at_level(tile, 1, [](const LostParticles&) { throw ValueError("stop"); }),
                            ValueError);
            CHECK(pc.count(false) == 0);
            CHECK(pc.tiles().empty());
            pc.add_particles_at_level(tile, 1, [&](const LostParticles& counts) { lost = counts; });
            CHECK(lost.without_id == expected.without_id);
            CHECK(lost.without_position == expected.without_position);
            CHECK(lost.without_box == 0);
            CHECK(pc.count(false) == kept);
            CHECK(pc.ok());
            pc.tile(0, 0).swap(tile);
            Redistribution<2> stay(pc, {0, -1, {}, false});
            stay.run();
            CHECK(stay.lost().without_id == 0);
            Redistribution<2> move(pc, {});
            move.run();
            CHECK(move.lost().without_id == expected.without_id);
            CHECK(move.lost().without_position == expected.without_position);
            move.install(pc);
            CHECK(pc.ok());
        }
    }
    const Geometry<1> geom = geometry_of<1>(8, false);
    const BoxArray<1> half(Box<1>(IntVect<1>(0), IntVect<1>(3)));
    ParticleContainer<1> pc(layout_of<1>(true), geom, DistributionMapping(std::vector<int>(1)), half);
    LostParticles lost;
    pc.init_random(1000, 1, ParticleInit(pc.layout()), geom.prob_domain(),
                   [&](const LostParticles& counts) { lost = counts; });
    CHECK(lost.without_box + pc.count(true) == 1000);
    CHECK(lost.without_box > 400);
}

TEST_CASE_TEMPLATE("sorting by bins", Dim, std::integral_constant<int, 1>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    for (const int width : {1, 2, 3, 100}) {
        for (const bool pure : {true, false}) {
            ParticleContainer<D> pc = container_of<D>(pure, true, 8, 8);
            pc.init_random(800, 5, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
            const auto before = by_id(pc);
            pc.sort_by_bin(IntVect<D>(width));
            const auto after = by_id(pc);
            REQUIRE(before.size() == after.size());
            for (const auto& [id, seen] : after) {
                CHECK(before.at(id).particle.pos == seen.particle.pos);
                CHECK(before.at(id).grid == seen.grid);
            }
            for (const auto& [key, tile] : pc.level(0).tiles) {
                const Box<D> box = pc.level(0).layout->boxes()[key.first];
                std::vector<int> last(D, -1);
                for (std::size_t i = 0; i < tile->size(); ++i) {
                    RealVect<D> x;
                    for (int d = 0; d < D; ++d) x[d] = tile->get(static_cast<Long>(i)).pos[static_cast<std::size_t>(d)];
                    const IntVect<D> bin = coarsen(pc.level(0).geom.cell_index(x) - box.small_end(), width);
                    std::vector<int> now(bin.begin(), bin.end());
                    std::reverse(now.begin(), now.end());
                    CHECK(last <= now);
                    last = now;
                }
            }
        }
    }
    ParticleContainer<D> pc = container_of<D>(true, true, 8, 8);
    CHECK_THROWS_AS(pc.sort_by_bin(IntVect<D>(0)), ValueError);
}

TEST_CASE_TEMPLATE("counts, one per cell, per box, increment", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    ParticleContainer<D> pc(layout_of<D>(true));
    const Geometry<D> geom = geometry_of<D>(8, false);
    BoxArray<D> boxes(geom.domain());
    boxes.max_size(4);
    const DistributionMapping owners(std::vector<int>(boxes.size()));
    CHECK_THROWS_AS(pc.init_random(1, 1, ParticleInit(pc.layout()), geom.prob_domain()), StateError);
    pc.define(geom, owners, boxes);
    pc.init_one_per_cell(RealVect<D>(0.5), ParticleInit(pc.layout()));
    MultiFab<D> counts(boxes, owners, 1, IntVect<D>(1));
    const auto& body = *counts.lease();
    for (int i = 0; i < body.num_local(); ++i) {
        const FabMemory<D>& fab = body.fabs[static_cast<std::size_t>(i)];
        std::fill_n(static_cast<Real*>(fab.data), fab.box.num_pts(), 0.);
    }
    pc.increment(counts, 0);
    for (int i = 0; i < body.num_local(); ++i) {
        const FabMemory<D>& fab = body.fabs[static_cast<std::size_t>(i)];
        const auto* data = static_cast<const Real*>(fab.data);
        Real sum = 0;
        for (Long n = 0; n < fab.box.num_pts(); ++n) {
            CHECK(data[n] <= 1.);
            sum += data[n];
        }
        CHECK(sum == static_cast<Real>(body.valid_box(i).num_pts()));
    }
    pc.clear();
    pc.init_random_per_box(3, 1, ParticleInit(pc.layout()));
    for (const Long n : pc.count_in_grids(0, true)) CHECK(n == 3);
    CHECK_THROWS_AS(pc.init_random(-1, 1, ParticleInit(pc.layout()), geom.prob_domain()), ValueError);
    CHECK_THROWS_AS(pc.init_random(1, 1, ParticleInit(layout_of<D>(false)), geom.prob_domain()), ValueError);
    CHECK_THROWS_AS(pc.init_random(1, 1, ParticleInit(pc.layout()), RealBox<D>(RealVect<D>(0.), RealVect<D>(9.))),
                    ValueError);
    CHECK_THROWS_AS(static_cast<void>(pc.tile(0, 1000)), IndexError);
    CHECK_THROWS_AS(static_cast<void>(pc.level(1)), IndexError);
}

TEST_CASE("particles of another container are added") {
    const Running running;
    for (const bool pure : {true, false}) {
        ParticleContainer<2> a = container_of<2>(pure, true), b = container_of<2>(pure, true);
        a.init_random(50, 1, ParticleInit(a.layout()), a.level(0).geom.prob_domain());
        b.init_random(70, 2, ParticleInit(b.layout()), b.level(0).geom.prob_domain());
        a.add_particles(b, false);
        CHECK(a.count(true) == 120);
        CHECK(a.ok());
        a.add_particles(b, true);
        CHECK(a.count(true) == 190);
        CHECK(a.ok());
        CHECK(b.count(true) == 70);
        b.add_real_comp("other");
        CHECK_THROWS_AS(a.add_particles(b, true), ValueError);
        CHECK_THROWS_AS(a.add_particles(b, false), ValueError);
        CHECK(a.count(true) == 190);
    }
}

// ---- files

struct Folder {
    Folder()
        : path(std::filesystem::temp_directory_path() /
               ("zerofab_particles_" + std::to_string(std::random_device()()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

TEST_CASE_TEMPLATE("what was written is read back", Dim, std::integral_constant<int, 1>, std::integral_constant<int, 2>,
                   std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    const Running running;
    for (const bool pure : {true, false}) {
        for (const bool checkpoint : {true, false}) {
            const Folder folder;
            ParticleContainer<D> pc = container_of<D>(pure, true);
            pc.add_int_comp("k");
            pc.init_random(300, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
            int n = 0;
            for (auto& [key, tile] : pc.level(0).tiles) {
                for (int& k : tile->soa().integer(1)) k = --n;
            }
            ParticleWriter<D>(pc).write(folder.path.string(), "electrons", checkpoint);
            CHECK(list_particle_species(folder.path.string()) == std::vector<std::string>{"electrons"});
            const ParticleHeader header = ParticleHeader::read(folder.path.string(), "electrons");
            CHECK(header.num_particles == 300);
            CHECK(header.convert_ids == checkpoint);
            CHECK(header.int_comp_names.back() == "k");
            ParticleTile tile = pc.fresh_tile();
            read_particles(folder.path.string(), "electrons", tile);
            ParticleContainer<D> again = container_of<D>(pure, true);
            CHECK_THROWS_AS(again.add_particles_at_level(tile, 1), ValueError);
            again.add_int_comp("k");
            again.add_particles_at_level(tile, 1);
            const auto before = by_id(pc), after = by_id(again);
            REQUIRE(before.size() == after.size());
            for (const auto& [id, seen] : before) {
                CHECK(after.at(id).grid == seen.grid);
                CHECK(after.at(id).particle.pos == seen.particle.pos);
                CHECK(after.at(id).particle.rdata == seen.particle.rdata);
                CHECK(after.at(id).particle.idcpu == seen.particle.idcpu);
            }
        }
    }
}

TEST_CASE("damaged files are errors, and the tile is empty") {
    const Running running;
    const Folder folder;
    ParticleContainer<1> pc = container_of<1>(true, true);
    pc.init_random(300, 1, ParticleInit(pc.layout()), pc.level(0).geom.prob_domain());
    ParticleWriter<1>(pc).write(folder.path.string(), "p", false);
    const auto header = folder.path / "p" / "Header", data = folder.path / "p" / "Level_1" / "DATA_00000";
    std::ifstream in(header);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    ParticleTile tile = pc.fresh_tile();
    std::mt19937 random(5);
    for (std::size_t length = 0; length + 1 < text.size(); length += 1 + random() % 20) {
        std::ofstream(header) << text.substr(0, length);
        CHECK_THROWS_AS(read_particles(folder.path.string(), "p", tile), std::exception);
        CHECK(tile.size() == 0);
    }
    std::ofstream(header) << text;
    read_particles(folder.path.string(), "p", tile);
    CHECK(tile.size() == 300);
    tile.resize(0);
    std::filesystem::resize_file(data, std::filesystem::file_size(data) - 1);
    CHECK_THROWS_AS(read_particles(folder.path.string(), "p", tile), IoError);
    CHECK(tile.size() == 0);
    CHECK_THROWS_AS(read_particles((folder.path / "none").string(), "p", tile), IoError);
    CHECK_THROWS_AS(static_cast<void>(list_particle_species((folder.path / "none").string())), IoError);
    ParticleTile other(layout_of<1>(false));
    CHECK_THROWS_AS(read_particles(folder.path.string(), "p", other), ValueError);
    CHECK_THROWS_AS(ParticleWriter<1>(pc, {"a"}, {}), ValueError);
    CHECK_THROWS_AS(ParticleWriter<1>(pc).write(folder.path.string(), "../x", false), ValueError);
}

TEST_CASE("a container defined like another shares nothing with it") {
    const Running running;
    for (const bool pure : {true, false}) {
        ParticleContainer<2> pc = container_of<2>(pure, true);
        pc.add_real_comp("first");
        pc.init_random_per_box(3, 1, ParticleInit(pc.layout()));
        const Long count = pc.count(true);
        ParticleContainer<2> other(pc.layout());
        other.define_like(pc);
        CHECK(other.num_levels() == pc.num_levels());
        CHECK(other.real_names() == pc.real_names());
        CHECK(other.count(false) == 0);
        const std::vector<std::string> names = pc.real_names();
        other.add_real_comp("second");
        other.set_arena(The_Pinned_Arena());
        CHECK(pc.real_names() == names);
        CHECK(&pc.arena() != &other.arena());
        pc.redistribute();
        CHECK(pc.count(true) == count);
        pc.define_like(pc);
        CHECK(pc.count(false) == 0);
        CHECK(pc.real_names() == names);
    }
}

}  // namespace
}  // namespace zerofab
