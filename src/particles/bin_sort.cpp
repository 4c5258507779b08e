// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <numeric>

#include "particles/cells.hpp"
#include "particles/installation.hpp"
#include "particles/place_block.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/particles/redistribution.hpp"

namespace zerofab {
namespace {

/// The numbers of the bins of a box, x fastest. Particles that are not in the box yet count for its nearest bin, those
/// without a position for its first.
template <int D>
class BinNumbers {
public:
    BinNumbers(const Geometry<D>& geom, const Box<D>& box, const IntVect<D>& bin) : finder_(geom) {
        for (int d = 0; d < D; ++d) {
            ranges_[static_cast<std::size_t>(d)] = finder_.range(box, d, count_, bin[d]);
            count_ *= static_cast<double>((Long{box.big_end(d)} - box.small_end(d)) / bin[d] + 1);
        }
        if (count_ > 0x1p53) throw ValueError("a box has too many bins: choose larger ones");
    }

    [[nodiscard]] double count() const noexcept { return count_; }

    /// Call see(number) for each row, in order.
    template <class See>
    void each(const TileView& view, See see) const {
        const CellLoops& loops = cell_loops();
        detail::PlaceBlock<D> block;
        std::array<double, detail::PlaceBlock<D>::most> number;
        for (std::size_t row = 0; row < view.rows; row += block.rows()) {
            block.read(view, row, view.rows);
            std::fill_n(number.data(), block.rows(), 0.);
            for (int d = 0; d < D; ++d) {
                loops.add_bin(finder_.axis(d), ranges_[static_cast<std::size_t>(d)], block.positions(d),
                              static_cast<std::int64_t>(block.rows()), number.data());
            }
            block.each([&](std::size_t i) { see(number[i]); });
        }
    }

private:
    detail::CellFinder<D> finder_;
    std::array<CellRange, D> ranges_;
    double count_ = 1;
};

using Order = std::vector<std::uint32_t>;

constexpr std::size_t most_cached = std::size_t{1} << 25;  // more than this leaves nothing else in the caches

/// The stable order of the rows by their bins; empty if that is the order they are in.
template <int D>
Order order_by_counting(const BinNumbers<D>& bins, const TileView& view, std::size_t count) {
    const auto keys = std::make_unique_for_overwrite<std::uint32_t[]>(view.rows);
    std::vector<std::uint32_t> next(count + 1);
    std::uint32_t last = 0, row = 0;
    bool sorted = true;
    bins.each(view, [&](double number) {
        const auto key = static_cast<std::uint32_t>(static_cast<std::int64_t>(number));
        sorted = sorted && last <= key;
        last = key;
        keys[row++] = key;
        ++next[std::size_t{key} + 1];
    });
    if (sorted) return {};
    std::partial_sum(next.begin(), next.end(), next.begin());
    Order order(view.rows);
    for (std::uint32_t r = 0; r < row; ++r) order[next[keys[r]]++] = r;
    return order;
}

template <int D>
Order order_by_comparing(const BinNumbers<D>& bins, const TileView& view) {
    std::vector<double> keys;
    keys.reserve(view.rows);
    bins.each(view, [&](double number) { keys.push_back(number); });
    if (std::is_sorted(keys.begin(), keys.end())) return {};
    Order order(view.rows);
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    return order;
}

}  // namespace

template <int D>
BinSort<D>::BinSort(const ParticleContainer<D>& particles, const IntVect<D>& bin)
    : bin_(bin),
      reals_(static_cast<std::size_t>(particles.num_real())),
      ints_(static_cast<std::size_t>(particles.num_int())),
      arena_(&particles.arena()) {
    if (!bin.all_ge(1)) throw ValueError("a bin must have at least one cell in each direction");
    particles.check_tiles();
    for (int lev = 0; lev < particles.num_levels(); ++lev) {
        const ParticleLevel<D>& level = particles.level(lev);
        for (const auto& [key, tile] : level.tiles) {
            const Box<D> box = level.layout->boxes().cells()[static_cast<std::size_t>(key.first)];
            tiles_.push_back({lev, key, level.geom, box, TileMark(tile), TileView(*tile), {}, nullptr});
        }
    }
}

template <int D>
void BinSort<D>::find_order(Tile& tile) const {
    const std::size_t rows = tile.view.rows;
    if (rows < 2) return;
    if (rows > UINT32_MAX) throw ValueError("a tile has too many particles");
    const BinNumbers<D> bins(tile.geom, tile.box, bin_);
    tile.order = bins.count() <= std::min<double>(8 * static_cast<double>(rows) + 1024, UINT32_MAX)
                     ? order_by_counting(bins, tile.view, static_cast<std::size_t>(bins.count()))
                     : order_by_comparing(bins, tile.view);
}

template <int D>
void BinSort<D>::run() {
    if (run_on_device()) return;
    for (Tile& tile : tiles_) tile.view.to_host();
    parallel_for(static_cast<std::int64_t>(tiles_.size()),
                 [&](std::int64_t i) { find_order(tiles_[static_cast<std::size_t>(i)]); });
    std::vector<Tile*> unordered;
    std::size_t bytes = 0;
    for (Tile& tile : tiles_) {
        if (tile.order.empty()) continue;
        tile.sorted = std::make_unique<TileData>(tile.view.layout, reals_, ints_, *arena_);
        unordered.push_back(&tile);
        bytes += tile.order.size() * (sizeof(IdCpu) + reals_ * sizeof(Real) + ints_ * sizeof(int));
    }
    const auto reuse = bytes > most_cached ? TileData::Reuse::late : TileData::Reuse::soon;
    const std::size_t columns = 1 + reals_ + ints_;
    parallel_for(static_cast<std::int64_t>(unordered.size() * columns), [&](std::int64_t task) {
        const Tile& tile = *unordered[static_cast<std::size_t>(task) / columns];
        tile.sorted->gather(static_cast<std::size_t>(task) % columns, tile.view, tile.order, reuse);
    });
    for (Tile* tile : unordered) tile->sorted->settle();
}

template <int D>
void BinSort<D>::install(ParticleContainer<D>& particles) {
    if (static_cast<std::size_t>(particles.num_real()) != reals_ ||
        static_cast<std::size_t>(particles.num_int()) != ints_) {
        throw StateError("the components of the particles changed while they were being sorted");
    }
    particles.check_tiles();
    detail::Installation<D> all(particles, "sorted");
    for (Tile& tile : tiles_) {
        if (!tile.sorted) continue;
        if (tile.level >= particles.num_levels()) {
            throw StateError("the levels of the particles changed while they were being sorted");
        }
        all.add(tile.level, tile.key, tile.mark, *tile.sorted);
    }
    all.install();
}

#define ZEROFAB_INSTANTIATE(D) template class BinSort<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
