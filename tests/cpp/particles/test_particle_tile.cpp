// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Words of ids, and tiles of both layouts.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

#include "zerofab/base/error.hpp"
#include "zerofab/memory/arena_source.hpp"
#include "zerofab/particles/particle_tile.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab {
namespace {

constexpr ParticleLayout pure{3, true, 0, 0, 5, 1};
constexpr ParticleLayout legacy{3, false, 2, 1, 3, 1};

Particle numbered(const ParticleTile& tile, int n) {
    Particle particle(3, tile.super_real(), tile.super_int());
    for (std::size_t d = 0; d < 3; ++d) particle.pos[d] = n + 0.25 * static_cast<double>(d);
    for (std::size_t i = 0; i < particle.rdata.size(); ++i) particle.rdata[i] = 100. * n + static_cast<double>(i);
    for (std::size_t i = 0; i < particle.idata.size(); ++i) particle.idata[i] = 10 * n + static_cast<int>(i);
    particle.idcpu = pack_cpu(pack_id(0, n + 1), 7);
    return particle;
}

TEST_CASE("a word holds id, rank and whether it is valid") {
    CHECK(pack_id(0, 1) == 0x8000000001000000u);
    CHECK(pack_id(5, -1) == 0x0000000001000005u);
    CHECK(unpack_id(0xffffffffffffffffu) == max_particle_id);
    CHECK(unpack_cpu(0xffffffffffffffffu) == 16777215);
    for (const Long id : {Long{0}, Long{1}, Long{-1}, Long{123456789012}, max_particle_id, -max_particle_id}) {
        for (const int cpu : {0, 1, 16777215}) {
            const IdCpu word = pack_cpu(pack_id(0, id), cpu);
            CHECK(unpack_id(word) == id);
            CHECK(unpack_cpu(word) == cpu);
            CHECK(is_valid(word) == (id >= 0));
            CHECK(unpack_id(make_invalid(make_valid(word))) == -std::abs(id));
        }
    }
}

TEST_CASE("ids are given once") {
    const Long first = take_particle_ids(10);
    CHECK(take_particle_ids(1) == first + 10);
    CHECK_THROWS_AS(set_next_particle_id(0), ValueError);
    CHECK_THROWS_AS(static_cast<void>(take_particle_ids(max_particle_id)), StateError);
    CHECK_THROWS_AS(static_cast<void>(take_particle_ids(-1)), StateError);
}

TEST_CASE("layouts name their components") {
    CHECK(pure.name() == "pureSoA_5_1");
    CHECK(legacy.name() == "2_1_3_1");
    CHECK(legacy.record_size() == 56);
    StructOfArrays soa(pure);
    CHECK(soa.real_names() == std::vector<std::string>{"x", "y", "z", "real_comp0", "real_comp1"});
    soa.add_real();
    soa.add_int("k");
    CHECK(soa.real_names().back() == "real_comp2");
    CHECK_THROWS_AS(soa.add_real("k"), ValueError);
    CHECK_THROWS_AS(StructOfArrays(ParticleLayout{3, true, 0, 0, 2, 0}), ValueError);
    CHECK_THROWS_AS(StructOfArrays(ParticleLayout{3, false, -1, 0, 0, 0}), ValueError);
    CHECK_THROWS_AS(ArrayOfStructs{pure}, ValueError);
}

TEST_CASE("a definition that does not fit changes nothing") {
    StructOfArrays soa(pure);
    CHECK_THROWS_AS(soa.define(1, 0, {"a"}, {}), ValueError);
    CHECK_THROWS_AS(soa.define(0, 0, {"a", "b", "c", "d", "a"}, {}), ValueError);
    CHECK_THROWS_AS(soa.define(-1, 0, {}, {}), ValueError);
    CHECK(soa.num_real() == 5);
    soa.resize(4);
    soa.define(2, 1, {}, {});
    CHECK(soa.real(6).size() == 4);
    CHECK(soa.integer(1).size() == 4);
}

TEST_CASE("particles come out of a tile as they went in") {
    for (const ParticleLayout& layout : {pure, legacy}) {
        ParticleTile tile(layout);
        for (int n = 0; n < 20; ++n) tile.push_back(numbered(tile, n));
        REQUIRE(tile.size() == 20);
        for (int n = 0; n < 20; ++n) {
            const Particle expected = numbered(tile, n), found = tile.get(n);
            CHECK(found.pos == expected.pos);
            CHECK(found.idcpu == expected.idcpu);
            CHECK(found.idata == expected.idata);
            for (std::size_t i = layout.pure_soa ? 3 : 0; i < found.rdata.size(); ++i) {
                CHECK(found.rdata[i] == expected.rdata[i]);
            }
        }
        tile.set(3, numbered(tile, 50));
        CHECK(tile.get(3).pos[1] == 50.25);
        CHECK_THROWS_AS(static_cast<void>(tile.get(20)), IndexError);
        CHECK_THROWS_AS(static_cast<void>(tile.get(-1)), IndexError);
        CHECK_THROWS_AS(tile.push_back(Particle(3, 1, 1)), ValueError);
        CHECK_THROWS_AS(tile.push_back(Particle(2, tile.super_real(), tile.super_int())), ValueError);
        CHECK(tile.size() == 20);
    }
}

TEST_CASE("rows of a tile are gathered in any order") {
    std::mt19937 random(5);
    for (const ParticleLayout& layout : {pure, legacy}) {
        for (const int n : {0, 1, 17, 271, 272, 273, 900}) {
            ParticleTile tile(layout);
            for (int i = 0; i < n; ++i) tile.push_back(numbered(tile, i));
            std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
            std::iota(order.begin(), order.end(), 0U);
            std::shuffle(order.begin(), order.end(), random);
            TileView view(tile);
            for (const bool whole : {true, false}) {
                const auto rows = static_cast<std::size_t>(whole ? n : n / 2);
                view.integer[0].rows = view.real[1].rows = rows;  // what further rows have is 0
                for (const auto reuse : {TileData::Reuse::soon, TileData::Reuse::late}) {
                    TileData data(layout, view.real.size(), view.integer.size(), The_Cpu_Arena());
                    for (std::size_t c = 0; c < data.columns(); ++c) {
                        data.gather(c, view, order, reuse);
                        const std::size_t bytes = TileData::element_size(layout, view.real.size(), c);
                        const ColumnView& from = view.column(c);
                        const std::vector<std::byte> zero(bytes);
                        bool same = true;
                        for (std::size_t i = 0; i < order.size(); ++i) {
                            const std::byte* const wanted =
                                order[i] < from.rows ? from.data + order[i] * bytes : zero.data();
                            same = same && std::memcmp(data.data(c) + i * bytes, wanted, bytes) == 0;
                        }
                        CHECK(same);
                    }
                }
            }
        }
    }
}

TEST_CASE("neighbors follow the particles") {
    for (const ParticleLayout& layout : {pure, legacy}) {
        ParticleTile tile(layout);
        tile.set_num_neighbors(3);
        CHECK(tile.size() == 3);
        tile.resize(5);
        CHECK(tile.num_particles() == 2);
        tile.set_num_neighbors(4);
        CHECK(tile.size() == 6);
        CHECK(tile.soa().size() == 6);
        CHECK(tile.soa().num_particles() == 2);
        tile.resize(1);
        CHECK(tile.num_particles() == 0);
    }
}

TEST_CASE("a component keeps its values when the tile is resized, swapped or gone") {
    auto tile = std::make_unique<ParticleTile>(pure);
    tile->resize(100);
    const auto component = tile->soa().share_real(0);
    component->assign(3.0);
    const AllocationPtr view = component->share();
    const double* seen = component->data();
    tile->resize(100000);
    CHECK(seen[99] == 3.0);
    ParticleTile other(pure);
    tile->swap(other);
    CHECK(tile->size() == 0);
    CHECK(other.size() == 100000);
    tile.reset();
    CHECK((*component)[99] == 3.0);
    CHECK(seen[0] == 3.0);
}

TEST_CASE("an impossible size changes nothing") {
    for (const ParticleLayout& layout : {pure, legacy}) {
        ParticleTile tile(layout);
        tile.resize(3);
        CHECK_THROWS_AS(tile.resize(std::size_t{1} << 61), MemoryError);
        CHECK(tile.size() == 3);
        CHECK(tile.soa().real(1).size() == 3);
    }
}

/// Memory that runs out.
class Scarce : public ArenaSource {
public:
    AllocationPtr allocate(std::size_t bytes, MemorySpace) override {
        if (left-- == 0) throw MemoryError("no more");
        return The_Cpu_Arena().allocate(bytes);
    }
    int left = -1;
};

TEST_CASE("a tile whose memory runs out grows in all its components or in none") {
    const auto scarce = std::make_shared<Scarce>();
    Arena& arena = The_Pinned_Arena();
    set_source(arena, scarce);
    const std::vector<std::function<void(ParticleTile&)>> changes = {
        [](ParticleTile& tile) { tile.push_back(numbered(tile, 7)); },
        [](ParticleTile& tile) { tile.resize(100); },
        [](ParticleTile& tile) { tile.resize(2); },
        [](ParticleTile& tile) { tile.set_num_neighbors(50); },
        [](ParticleTile& tile) { tile.soa().resize(30); },
        [](ParticleTile& tile) { tile.soa().push_back_real({1, 2, 3}); },
        [](ParticleTile& tile) { tile.soa().push_back_int({4}); },
        [](ParticleTile& tile) {
            if (!tile.layout().pure_soa) tile.aos().push_back(Particle(3, 2, 1));
        },
    };
    int failures = 0;
    for (const ParticleLayout& layout : {pure, legacy}) {
        for (const auto& change : changes) {
            for (const bool seen : {false, true}) {
                for (int after = 0; after < 12; ++after) {
                    ParticleTile tile(layout, arena);
                    tile.soa().define(1, 1, {}, {});
                    for (int n = 0; n < 5; ++n) tile.push_back(numbered(tile, n));
                    std::vector<AllocationPtr> views;  // with them also what fits the capacity needs memory
                    const auto sizes = [&] {
                        std::vector<std::size_t> all{tile.size(), tile.soa().size(), tile.num_neighbors()};
                        for (int i = 0; i < tile.soa().num_real(); ++i) all.push_back(tile.soa().real(i).size());
                        for (int i = 0; i < tile.soa().num_int(); ++i) all.push_back(tile.soa().integer(i).size());
                        return all;
                    };
                    for (int i = 0; seen && i < tile.soa().num_real(); ++i) views.push_back(tile.soa().real(i).share());
                    for (int i = 0; seen && i < tile.soa().num_int(); ++i) {
                        views.push_back(tile.soa().integer(i).share());
                    }
                    if (seen && !layout.pure_soa) views.push_back(tile.aos().bytes().share());
                    const auto before = sizes();
                    const Particle kept = tile.get(4);
                    scarce->left = after;
                    try {
                        change(tile);
                    } catch (const MemoryError&) {
                        ++failures;
                        CHECK(sizes() == before);
                        CHECK(tile.get(4).pos == kept.pos);
                        CHECK(tile.get(4).rdata == kept.rdata);
                    }
                    scarce->left = -1;
                }
            }
        }
    }
    CHECK(failures > 100);
    set_source(arena, nullptr);
}

}  // namespace
}  // namespace zerofab
