// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels for particles, in the host build of their text, against the particle container on the host.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "kernel_runner.hpp"
#include "zerofab/particles/particle_container.hpp"
#include "zerofab/particles/redistribution.hpp"
#include "zerofab/particles/rows.hpp"

namespace zerofab {
namespace {

using test::Launcher;

template <class T>
using Rows = std::vector<T>;

/// Two levels, the whole domain and twice finer boxes over a part of it, with particles anywhere.
template <int D>
ParticleContainer<D> random_container(Launcher& random) {
    std::array<int, D> periodic;
    for (int& p : periodic) p = static_cast<int>(random.in(0, 1));
    const int first = static_cast<int>(random.in(-5, 5)), size = static_cast<int>(random.in(3, 6));
    const Geometry<D> coarse(Box<D>(IntVect<D>(first), IntVect<D>(first + 11)),
                             RealBox<D>(RealVect<D>(-1.), RealVect<D>(2.)), CoordType::cartesian, periodic);
    Geometry<D> fine = coarse;
    fine.refine(IntVect<D>(2));
    BoxArray<D> whole(coarse.domain()), part(Box<D>(IntVect<D>(2 * first + 4), IntVect<D>(2 * first + 15)));
    whole.max_size(size);
    part.max_size(size);
    const bool pure = random.in(0, 1) == 0;
    const ParticleLayout layout = pure ? ParticleLayout{D, true, 0, 0, D + 1, 1} : ParticleLayout{D, false, 1, 1, 1, 1};
    ParticleContainer<D> pc(layout);
    pc.define({coarse, fine},
              {DistributionMapping(std::vector<int>(whole.size())), DistributionMapping(std::vector<int>(part.size()))},
              {whole, part});
    const auto count = random.in(0, 400);
    for (std::int64_t n = 0; n < count; ++n) {
        const int lev = static_cast<int>(random.in(0, 1));
        const int grid = static_cast<int>(random.in(0, static_cast<std::int64_t>(pc.level(lev).layout->size()) - 1));
        Particle particle(D, layout.struct_real + layout.array_real, layout.struct_int + layout.array_int);
        particle.idcpu = pack_id(0, random.in(0, 6) == 0 ? -(n + 1) : n + 1);
        for (int d = 0; d < D; ++d) {
            using L = std::numeric_limits<Real>;
            const Real odd[] = {L::quiet_NaN(), L::infinity(), 2., -1., 1e300, 2. - 1e-15};
            particle.pos[static_cast<std::size_t>(d)] =
                random.in(0, 40) == 0 ? odd[random.in(0, 5)] : static_cast<Real>(random.in(-1500, 2500)) / 1000;
        }
        for (Real& x : particle.rdata) x = static_cast<Real>(n);
        for (int& x : particle.idata) x = static_cast<int>(n);
        pc.tile(lev, grid).push_back(particle);
    }
    return pc;
}

template <int D>
zf_geometry geometry_of(const Geometry<D>& from) {
    zf_geometry g{};
    g.dim = D;
    for (int d = 0; d < D; ++d) {
        g.lo[d] = from.prob_lo(d);
        g.hi[d] = from.prob_hi(d);
        g.inverse[d] = from.inv_cell_size(d);
        g.first[d] = from.domain().small_end(d);
        g.last[d] = from.domain().big_end(d);
        g.periodic[d] = from.is_periodic(d) ? 1 : 0;
    }
    return g;
}

template <int D>
zf_box box_of(const Box<D>& from, int fab) {
    zf_box box{fab, {0, 0, 0}, {1, 1, 1}, 0};
    for (int d = 0; d < D; ++d) {
        box.lo[d] = from.small_end(d);
        box.len[d] = from.length(d);
    }
    return box;
}

/// The boxes of a level in bins of any width.
template <int D>
struct Level {
    std::vector<zf_box> boxes;
    std::vector<k_u32> starts{0};
    std::vector<k_i32> items;
    zf_level table{};

    Level(Launcher& random, const ParticleLevel<D>& from, int first_slot) {
        const auto& cells = from.layout->boxes().cells();
        Box<D> all = from.layout->boxes().minimal_box();
        table.geometry = geometry_of(from.geom);
        for (std::size_t i = 0; i < cells.size(); ++i)
            boxes.push_back(box_of(cells[i], first_slot + static_cast<int>(i)));
        for (int d = 0; d < 3; ++d) table.width[d] = table.bins[d] = 1;
        for (int d = 0; d < D; ++d) {
            table.lo[d] = all.small_end(d);
            table.hi[d] = all.big_end(d);
            table.width[d] = static_cast<k_i32>(random.in(1, all.length(d)));
            table.bins[d] = (all.length(d) + table.width[d] - 1) / table.width[d];
        }
        for (int k = 0; k < table.bins[2]; ++k)
            for (int j = 0; j < table.bins[1]; ++j)
                for (int i = 0; i < table.bins[0]; ++i) fill(i, j, k);
        table.boxes = test::address(boxes.data());
        table.starts = test::address(starts.data());
        table.items = test::address(items.data());
    }
    void fill(int i, int j, int k) {
        const int bin[3] = {i, j, k};
        for (std::size_t n = 0; n < boxes.size(); ++n) {
            bool meets = true;
            for (int d = 0; d < 3; ++d) {
                const int lo = table.lo[d] + bin[d] * table.width[d];
                meets = meets && boxes[n].lo[d] < lo + table.width[d] && boxes[n].lo[d] + boxes[n].len[d] > lo;
            }
            if (meets) items.push_back(static_cast<k_i32>(n));
        }
        starts.push_back(static_cast<k_u32>(items.size()));
    }
};

/// The particles of all tiles as tables.
template <int D>
struct Tiles {
    std::vector<TileView> views;
    std::vector<zf_tile> tiles;
    std::vector<zf_box> boxes;
    std::int64_t rows = 0;

    Tiles(const ParticleContainer<D>& pc, int lev_min, int lev_max) {
        int first_slot = 0;
        for (int lev = 0; lev < pc.num_levels(); ++lev) {
            const ParticleLevel<D>& level = pc.level(lev);
            for (const auto& [key, tile] : level.tiles) {
                const TileView& view = views.emplace_back(*tile);
                zf_tile made{};
                const std::size_t record = view.layout.pure_soa ? sizeof(Real) : view.layout.record_size();
                for (int d = 0; d < D; ++d) {
                    const ColumnView& x = view.layout.pure_soa ? view.real[static_cast<std::size_t>(d)] : view.idcpu;
                    made.position[d] = column(x, record);
                    if (!view.layout.pure_soa) made.position[d].data += sizeof(Real) * static_cast<std::size_t>(d);
                }
                made.word = column(view.idcpu, record);
                if (!view.layout.pure_soa) made.word.data += view.layout.id_offset();
                made.first = rows;
                made.rows = static_cast<std::int64_t>(view.rows);
                made.fab = static_cast<k_i32>(boxes.size());
                made.level = lev;
                made.slot = first_slot + key.first;
                made.moves = lev >= lev_min && lev <= lev_max ? 1 : 0;
                tiles.push_back(made);
                boxes.push_back(box_of(level.layout->boxes().cells()[static_cast<std::size_t>(key.first)], 0));
                rows += made.rows;
            }
            first_slot += level.layout->size();
        }
    }
    static zf_column column(const ColumnView& view, std::size_t stride) {
        return {test::address(view.data), static_cast<k_i64>(stride), static_cast<k_i64>(view.rows), 0};
    }
    std::int64_t count() const { return static_cast<std::int64_t>(tiles.size()); }
};

/// The stable order of keys by the kernels, and where each key begins.
struct Order {
    std::vector<k_u32> rows, starts;

    Order(Launcher& random, const std::vector<k_u32>& keys, std::int64_t key_count) {
        const auto count = static_cast<std::int64_t>(keys.size()), chunk = random.in(1, 50);
        const std::int64_t chunks = (count + chunk - 1) / chunk, size = 256 * chunks;
        rows.resize(keys.size());
        std::iota(rows.begin(), rows.end(), 0U);
        std::vector<k_u32> counts(static_cast<std::size_t>(size)), next(keys.size());
        random.choose(0);
        for (int shift = 0; shift < 24; shift += 8) {
            random("sort_count", KernelType::i32, {keys.data(), rows.data(), count, shift, chunk, counts.data()});
            random("prefix", KernelType::i32, {counts.data(), size, size + 1, nullptr});
            random("sort_place", KernelType::i32,
                   {keys.data(), rows.data(), count, shift, chunk, counts.data(), next.data()});
            rows.swap(next);
        }
        starts.resize(static_cast<std::size_t>(key_count) + 1);
        random("sort_starts", KernelType::i32, {keys.data(), rows.data(), count, starts.data(), key_count});
    }
};

/// The bytes of column `number` of all rows in an order, by rows_gather, into tiles that begin at these places.
template <int D>
std::vector<std::vector<std::byte>> gathered(Launcher& random, const Tiles<D>& from, std::size_t number,
                                             const Order& order, const std::vector<k_u32>& begins,
                                             std::vector<zf_column>& to) {
    const TileView& any = from.views.front();
    const std::size_t bytes = TileData::element_size(any.layout, any.real.size(), number);
    std::vector<zf_column> columns;
    for (std::size_t t = 0; t < from.tiles.size(); ++t) {
        columns.push_back(Tiles<D>::column(from.views[t].column(number), bytes));
        columns.back().first = from.tiles[t].first;
    }
    std::vector<std::vector<std::byte>> out;
    to.clear();
    for (std::size_t t = 0; t + 1 < begins.size(); ++t) {
        out.emplace_back(bytes * (begins[t + 1] - begins[t]));
        to.push_back(
            {test::address(out.back().data()), static_cast<k_i64>(bytes), begins[t + 1] - begins[t], begins[t]});
    }
    random.choose(0);
    random("rows_gather", KernelType::i32,
           {columns.data(), static_cast<std::int64_t>(columns.size()), to.data(), static_cast<std::int64_t>(to.size()),
            order.rows.data(), std::int64_t{begins.back()}, static_cast<int>(bytes / 4)});
    return out;
}

/// The bytes of a column of every box of every level; boxes without a tile are empty.
template <int D>
std::vector<std::vector<std::byte>> columns_of(const ParticleContainer<D>& pc, std::size_t number) {
    std::vector<std::vector<std::byte>> all;
    for (int lev = 0; lev < pc.num_levels(); ++lev) {
        for (int grid = 0; grid < pc.level(lev).layout->size(); ++grid) {
            all.emplace_back();
            const auto found = pc.level(lev).tiles.find({grid, 0});
            if (found == pc.level(lev).tiles.end()) continue;
            const TileView view(*found->second);
            const ColumnView& column = view.column(number);
            all.back().assign(
                column.data, column.data + column.rows * TileData::element_size(view.layout, view.real.size(), number));
        }
    }
    return all;
}

template <int D>
std::size_t columns(const ParticleContainer<D>& pc) {
    return 1 + static_cast<std::size_t>(pc.num_real()) + static_cast<std::size_t>(pc.num_int());
}

template <int D>
void check_redistribute(Launcher& random) {
    ParticleContainer<D> pc = random_container<D>(random);
    typename ParticleContainer<D>::RedistributeOptions options;
    options.lev_max = static_cast<int>(random.in(-1, 1));
    options.lev_min = options.lev_max == 0 ? 0 : static_cast<int>(random.in(0, 1));
    options.remove_negative = random.in(0, 1) == 0;
    if (random.in(0, 2) == 0) options.ngrow = IntVect<D>(static_cast<int>(random.in(0, 3)));
    const int lev_max = options.lev_max < 0 ? 1 : options.lev_max;
    const Tiles<D> from(pc, options.lev_min, lev_max);
    if (from.rows == 0) return;

    const int coarse_boxes = pc.level(0).layout->size(), slots = coarse_boxes + pc.level(1).layout->size();
    const Level<D> level0(random, pc.level(0), 0), level1(random, pc.level(1), coarse_boxes);
    const zf_level levels[] = {level0.table, level1.table};
    std::vector<k_u32> keys(static_cast<std::size_t>(from.rows));
    int ghosts[3] = {0, 0, 0};
    for (int d = 0; d < D; ++d) ghosts[d] = options.ngrow[d];
    random.choose(from.count());
    double lost[3] = {0, 0, 0};
    random("particle_destinations", KernelType::f64,
           {from.tiles.data(), from.count(), levels, lev_max, from.boxes.data(), ghosts[0], ghosts[1], ghosts[2],
            options.remove_negative ? 1 : 0, slots, keys.data(), lost});
    const Order order(random, keys, slots);
    Redistribution<D> move(pc, options);
    move.run();
    const LostParticles& counts = move.lost();
    CHECK(lost[0] == static_cast<double>(counts.without_id));
    CHECK(lost[1] == static_cast<double>(counts.without_position));
    CHECK(lost[2] == static_cast<double>(counts.without_box));
    move.install(pc);
    for (std::size_t number = 0; number < columns(pc); ++number) {
        std::vector<zf_column> to;
        auto got = gathered(random, from, number, order, order.starts, to);
        const bool pure = pc.layout().pure_soa;
        for (int d = 0; d < D; ++d) {
            const bool here = pure ? number == static_cast<std::size_t>(d) + 1 : number == 0;
            if (!here || !pc.level(0).geom.is_periodic(d)) continue;
            std::vector<zf_column> positions = to;
            if (!pure) {
                for (zf_column& column : positions) column.data += sizeof(Real) * static_cast<std::size_t>(d);
            }
            random("rows_fold", KernelType::f64,
                   {positions.data(), static_cast<std::int64_t>(positions.size()), keys.data(), order.rows.data(),
                    std::int64_t{order.starts.back()}, pc.level(0).geom.prob_lo(d), pc.level(0).geom.prob_hi(d)});
        }
        INFO("column ", number);
        CHECK(got == columns_of(pc, number));
    }
}

template <int D>
void check_bins(Launcher& random) {
    ParticleContainer<D> pc = random_container<D>(random);
    Tiles<D> from(pc, 0, 1);
    if (from.rows == 0) return;
    IntVect<D> bin;
    int width[3] = {1, 1, 1};
    for (int d = 0; d < D; ++d)
        width[d] = bin[d] = static_cast<int>(random.in(0, 9) == 0 ? 2147483647 : random.in(1, 4));
    std::vector<k_u32> first_bin{0}, begins;
    for (zf_box& box : from.boxes) {
        box.bins = static_cast<k_i32>(first_bin.back());
        std::int64_t bins = 1;
        for (int d = 0; d < D; ++d) bins *= (std::int64_t{box.len[d]} + width[d] - 1) / width[d];
        first_bin.push_back(first_bin.back() + static_cast<k_u32>(bins));
    }
    std::vector<k_u32> keys(static_cast<std::size_t>(from.rows));
    std::int64_t tile = 0;
    for (int lev = 0; lev < 2; ++lev) {  // each with its own geometry
        const zf_geometry geometry = geometry_of(pc.level(lev).geom);
        const auto count = static_cast<std::int64_t>(pc.level(lev).tiles.size());
        random.choose(count == 0 ? 1 : count);
        random(
            "particle_bins", KernelType::f64,
            {from.tiles.data() + tile, count, &geometry, from.boxes.data(), width[0], width[1], width[2], keys.data()});
        tile += count;
    }
    const Order order(random, keys, first_bin.back());
    for (const k_u32 bins : first_bin) begins.push_back(order.starts[bins]);
    CHECK(begins.back() == from.rows);
    pc.sort_by_bin(bin);
    const Tiles<D> sorted(pc, 0, 1);
    for (std::size_t number = 0; number < columns(pc); ++number) {
        std::vector<zf_column> to;
        const auto got = gathered(random, from, number, order, begins, to);
        for (std::size_t t = 0; t < got.size(); ++t) {
            const ColumnView& wanted = sorted.views[t].column(number);
            CHECK(std::memcmp(got[t].data(), wanted.data, got[t].size()) == 0);
        }
    }
}

template <int D>
void check_deposit(Launcher& random) {
    const ParticleContainer<D> pc = random_container<D>(random);
    for (int lev = 0; lev < 2; ++lev) {
        const ParticleLevel<D>& level = pc.level(lev);
        const IntVect<D> ngrow(static_cast<int>(random.in(0, 2)));
        MultiFab<D> wanted(level.layout->boxes(),
                           DistributionMapping(std::vector<int>(static_cast<std::size_t>(level.layout->size()))), 1,
                           ngrow),
            got(level.layout->boxes(),
                DistributionMapping(std::vector<int>(static_cast<std::size_t>(level.layout->size()))), 2, ngrow);
        std::vector<zf_fab> fabs;
        for (int i = 0; i < level.layout->size(); ++i) {
            const FabMemory<D>& memory = got.body()->fabs[static_cast<std::size_t>(i)];
            std::fill_n(static_cast<Real*>(wanted.body()->fabs[static_cast<std::size_t>(i)].data), memory.box.num_pts(),
                        3.);
            std::fill_n(static_cast<Real*>(memory.data), 2 * memory.box.num_pts(), 3.);
            const zf_box box = box_of(memory.box, 0);
            zf_fab fab{test::address(memory.data),
                       {box.lo[0], box.lo[1], box.lo[2]},
                       {box.len[0], box.len[1], box.len[2]},
                       0,
                       0,
                       0};
            fab.jstride = fab.len[0];
            fab.kstride = fab.jstride * fab.len[1];
            fab.nstride = fab.kstride * fab.len[2];
            fabs.push_back(fab);
        }
        pc.increment(wanted, lev);
        Tiles<D> all(pc, 0, 1);
        std::vector<zf_tile> tiles;
        for (zf_tile tile : all.tiles) {
            if (tile.level != lev) continue;
            tile.fab = tile.slot - (lev == 0 ? 0 : pc.level(0).layout->size());
            tiles.push_back(tile);
        }
        const std::vector<double> halves(static_cast<std::size_t>(all.rows), 0.5);
        std::vector<zf_column> weights(tiles.size(), zf_column{test::address(halves.data()), 8, all.rows, 0});
        const zf_geometry geometry = geometry_of(level.geom);
        const auto count = static_cast<std::int64_t>(tiles.size());
        random.choose(count == 0 ? 1 : count);
        random("particle_deposit", KernelType::f64, {tiles.data(), count, &geometry, fabs.data(), 1, nullptr});
        random("particle_deposit", KernelType::f64, {tiles.data(), count, &geometry, fabs.data(), 0, weights.data()});
        for (std::size_t i = 0; i < fabs.size(); ++i) {
            const auto* w = static_cast<const Real*>(wanted.body()->fabs[i].data);
            const auto* g = static_cast<const Real*>(got.body()->fabs[i].data);
            const auto points = fabs[i].nstride;
            CHECK(std::equal(w, w + points, g + points));
            for (std::int64_t p = 0; p < points; ++p) CHECK(g[p] - 3 == (w[p] - 3) / 2);
        }
        std::vector<k_i32> cells(static_cast<std::size_t>(3 * all.rows), 12345);
        random("particle_cells", KernelType::f64, {tiles.data(), count, &geometry, cells.data()});
        for (const zf_tile& tile : tiles) {
            for (std::int64_t row = 0; row < tile.rows; ++row) {
                for (int d = 0; d < D; ++d) {
                    Real x = 0;
                    std::memcpy(&x,
                                reinterpret_cast<const char*>(tile.position[d].data) + row * tile.position[d].stride,
                                sizeof x);
                    const Real at = std::floor((x - geometry.lo[d]) * geometry.inverse[d]) + geometry.first[d];
                    const k_i32 cell = cells[static_cast<std::size_t>(3 * (tile.first + row) + d)];
                    if (!(std::abs(at) < 1e9))
                        CHECK(cell == std::numeric_limits<k_i32>::min());
                    else if (x == 2. - 1e-15 || (x == geometry.hi[d] && !geometry.periodic[d]))
                        CHECK(cell == geometry.last[d]);
                    else
                        CHECK(cell == at);
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("kernels for particles do what the container does", Dim, std::integral_constant<int, 1>,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    const test::HostRun run;
    constexpr int D = Dim::value;
    for (const auto& runner : test::runners()) {
        Launcher random(41 + D, runner);
        for (int n = 0; n < (runner ? 10 : 40); ++n) {
            check_redistribute<D>(random);
            check_bins<D>(random);
            check_deposit<D>(random);
        }
    }
}

}  // namespace
}  // namespace zerofab
