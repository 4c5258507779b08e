// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <memory>

#include "particles/cells.hpp"
#include "particles/deposit.hpp"
#include "particles/place_block.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab::detail {
namespace {

constexpr std::size_t least_part = std::size_t{1} << 16;  // rows that are worth a thread's while
constexpr std::size_t most_part = INT32_MAX;              // what a counter holds
constexpr std::size_t slice_cells = std::size_t{1} << 15;

/// Some rows of the tiles of a target, counted through all of them, and how many of these are in each cell.
struct Part {
    std::size_t begin, end;
    std::unique_ptr<std::int32_t[]> counts = nullptr;
};

/// A fab that gets particles.
template <int D>
struct Target {
    const FabMemory<D>* fab = nullptr;
    std::vector<const TileView*> tiles;
    std::size_t rows = 0;
    std::vector<Part> parts;  ///< none where particles are added one by one
    Real* data = nullptr;     ///< component 0, or a copy of it on the host
    std::vector<Real> copy;

    [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(fab->box.num_pts()); }
    [[nodiscard]] MemorySpace space() const { return fab->memory ? fab->memory->space() : MemorySpace{}; }

    void open() {
        data = static_cast<Real*>(fab->data);
        if (space().is_plain()) return;
        copy.resize(cells());
        copy_bytes(copy.data(), {}, data, space(), copy.size() * sizeof(Real));
        data = copy.data();
    }
    void close() const {
        if (!copy.empty()) copy_bytes(fab->data, space(), copy.data(), {}, copy.size() * sizeof(Real));
    }
    /// Where counting is worth it: in up to so many parts.
    void divide(std::size_t most_parts) {
        if (rows < cells()) return;
        const std::size_t count = std::max(std::min(most_parts, rows / std::max(least_part, cells())), std::size_t{1});
        const std::size_t size = std::min((rows + count - 1) / count, most_part);
        for (std::size_t begin = 0; begin < rows; begin += size) parts.push_back({begin, std::min(begin + size, rows)});
    }
    /// Call see(place of its cell in the fab) for each valid particle of the rows whose cell the fab has.
    template <class See>
    void each_cell(const CellFinder<D>& finder, std::size_t begin, std::size_t end, See see) const {
        std::array<CellRange, D> ranges;
        double stride = 1;
        for (int d = 0; d < D; ++d) {
            ranges[static_cast<std::size_t>(d)] = finder.range(fab->box, d, stride);
            stride *= fab->box.length(d);
        }
        const CellLoops& loops = cell_loops();
        PlaceBlock<D> block;
        std::array<double, PlaceBlock<D>::most> index;
        std::size_t first = 0;  // of the tile's rows
        for (const TileView* tile : tiles) {
            const std::size_t stop = std::min(tile->rows, std::max(end, first) - first);
            for (std::size_t row = std::max(begin, first) - first; row < stop; row += block.rows()) {
                block.read(*tile, row, stop);
                const auto n = static_cast<std::int64_t>(block.rows());
                loops.start(block.words(), n, index.data());
                for (int d = 0; d < D; ++d) {
                    loops.add_cell(finder.axis(d), ranges[static_cast<std::size_t>(d)], block.positions(d), n,
                                   index.data());
                }
                block.each([&](std::size_t i) {
                    if (index[i] >= 0) see(static_cast<std::int64_t>(index[i]));
                });
            }
            first += tile->rows;
        }
    }
    void count(const CellFinder<D>& finder, Part& part) const {
        part.counts = std::make_unique<std::int32_t[]>(cells());
        std::int32_t* const counts = part.counts.get();
        each_cell(finder, part.begin, part.end, [counts](std::int64_t at) { ++counts[at]; });
    }
    /// Add what was counted in some cells.
    void add(std::size_t begin, std::size_t end) const noexcept {
        const std::int32_t* const counts = parts.front().counts.get();
        if (parts.size() == 1) {
            for (std::size_t at = begin; at < end; ++at) data[at] += counts[at];
            return;
        }
        for (std::size_t at = begin; at < end; ++at) {
            Long sum = 0;
            for (const Part& part : parts) sum += part.counts[at];
            data[at] += static_cast<Real>(sum);
        }
    }
};

}  // namespace

template <int D>
void deposit_on_host(const FabBody<D>& body, const Geometry<D>& geom, const std::vector<TileView>& tiles,
                     const std::vector<int>& fabs) {
    std::vector<Target<D>> targets(body.fabs.size());
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        Target<D>& target = targets[static_cast<std::size_t>(fabs[t])];
        target.fab = &body.fabs[static_cast<std::size_t>(fabs[t])];
        target.tiles.push_back(&tiles[t]);
        target.rows += tiles[t].rows;
    }
    std::erase_if(targets, [](const Target<D>& target) { return target.rows == 0; });
    if (targets.empty()) return;
    const CellFinder<D> finder(geom);
    const std::size_t most_parts = (static_cast<std::size_t>(num_threads()) - 1) / targets.size() + 1;
    struct Count {
        Target<D>* target;
        Part* part;
    };
    struct Slice {
        Target<D>* target;
        std::size_t begin, end;
    };
    std::vector<Count> counts;
    std::vector<Slice> slices;
    for (Target<D>& target : targets) {
        target.open();
        target.divide(most_parts);
        for (Part& part : target.parts) counts.push_back({&target, &part});
        const std::size_t size = target.parts.empty() ? target.cells() : slice_cells;
        for (std::size_t begin = 0; begin < target.cells(); begin += size) {
            slices.push_back({&target, begin, std::min(begin + size, target.cells())});
        }
    }
    // All that needs memory first: after an error nothing has changed.
    parallel_for(static_cast<std::int64_t>(counts.size()), [&](std::int64_t i) {
        const Count& task = counts[static_cast<std::size_t>(i)];
        task.target->count(finder, *task.part);
    });
    parallel_for(static_cast<std::int64_t>(slices.size()), [&](std::int64_t i) {
        const Slice& task = slices[static_cast<std::size_t>(i)];
        const Target<D>& target = *task.target;
        if (!target.parts.empty()) return target.add(task.begin, task.end);
        target.each_cell(finder, 0, target.rows, [data = target.data](std::int64_t at) { data[at] += 1; });
    });
    for (const Target<D>& target : targets) target.close();
}

#define ZEROFAB_INSTANTIATE(D)                                                                         \
    template void deposit_on_host(const FabBody<D>&, const Geometry<D>&, const std::vector<TileView>&, \
                                  const std::vector<int>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::detail
