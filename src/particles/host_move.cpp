// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Moving particles on the host: a counting sort by destination; then each component is read in order and written to one
// stream per box.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "particles/destination_finder.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/parallel.hpp"

namespace zerofab {
namespace {

constexpr std::size_t chunk_rows = std::size_t{1} << 14;     // enough work for a thread to be worth while
constexpr std::size_t most_counters = std::size_t{1} << 24;  // groups of chunks x destinations

// A destination: the number of a slot, or none; the highest bit says that the position is not to be changed.
constexpr std::uint32_t gone = UINT32_MAX;
constexpr std::uint32_t kept_bit = std::uint32_t{1} << 31;

/// Rows of one source; `first` is the number of the first of them among all rows.
struct Chunk {
    std::size_t source, begin, end, first;
};

/// Where a row goes: its destination, and its place there.
struct Goal {
    std::uint32_t destination = gone, place = 0;

    [[nodiscard]] bool has_slot() const noexcept { return destination != gone; }
    [[nodiscard]] std::size_t slot() const noexcept { return destination & ~kept_bit; }
    [[nodiscard]] bool may_fold() const noexcept { return (destination & kept_bit) == 0; }
};

/// Chunks that one thread works on at a time, so that one set of counters serves many small tiles.
struct Group {
    std::size_t begin, end;         ///< of its chunks
    std::vector<std::size_t> next;  ///< by slot: how many rows it sends there, then the place of the next one
    LostParticles lost = {};
};

/// What becomes of the particles of a slot. Set by several threads.
struct SlotState {
    std::size_t rows = 0;
    std::uint8_t changed = 0;

    void set_changed() noexcept { std::atomic_ref(changed).store(1, std::memory_order_relaxed); }
};

template <class See>
void each(std::size_t count, See see) {
    parallel_for(static_cast<std::int64_t>(count), [&](std::int64_t i) { see(static_cast<std::size_t>(i)); });
}

}  // namespace

/// The steps of a move, one after the other, and what they hand on.
template <int D>
class Redistribution<D>::HostMove {
public:
    explicit HostMove(Redistribution& move)
        : move_(move), slots_(move.slots_.size()), columns_(1 + move.reals_ + move.ints_) {
        cut_into_chunks();
        deal_out();
        for (const Source& source : move.sources_) {
            if (source.has_neighbors) slots_[static_cast<std::size_t>(source.slot)].changed = 1;
        }
    }

    void run() {
        find_destinations();
        number_groups();
        find_places();
        allocate();
        copy_rows();
    }

private:
    [[nodiscard]] std::size_t most_groups() const noexcept {
        return std::max<std::size_t>(1, most_counters / std::max<std::size_t>(1, slots_.size()));
    }

    void cut_into_chunks() {
        std::size_t total = 0, first = 0;
        for (const TileView& view : move_.views_) total += view.rows;
        // A group counts for every destination: fewer, larger chunks where there are many of those.
        const std::size_t rows = std::max(chunk_rows, total / most_groups() + 1);
        for (std::size_t s = 0; s < move_.views_.size(); ++s) {
            const std::size_t all = move_.views_[s].rows;
            for (std::size_t begin = 0; begin < all; begin += rows) {
                chunks_.push_back({s, begin, std::min(begin + rows, all), first + begin});
            }
            first += all;
        }
        goals_.resize(total);
    }

    /// Groups of about as many rows.
    void deal_out() {
        const std::size_t count =
            std::min({chunks_.size(), static_cast<std::size_t>(8 * num_threads()), most_groups()});
        std::size_t chunk = 0;
        for (std::size_t g = 1; g <= count; ++g) {
            const std::size_t begin = chunk, rows = goals_.size() * g / count;
            while (chunk < chunks_.size() && (g == count || chunks_[chunk].first < rows)) ++chunk;
            groups_.push_back({begin, chunk, std::vector<std::size_t>(slots_.size())});
        }
    }

    void find_destinations() {
        each(groups_.size(), [this](std::size_t g) {
            Group& group = groups_[g];
            Finder find(move_);
            for (std::size_t c = group.begin; c < group.end; ++c) find_destinations(chunks_[c], group, find);
            group.lost = find.lost;
        });
        for (const Group& group : groups_) {
            move_.lost_.without_id += group.lost.without_id;
            move_.lost_.without_position += group.lost.without_position;
            move_.lost_.without_box += group.lost.without_box;
        }
    }
    void find_destinations(const Chunk& chunk, Group& group, Finder& find) {
        const Source& source = move_.sources_[chunk.source];
        const TileView& view = move_.views_[chunk.source];
        const StayingRows staying(move_, source);
        detail::PlaceBlock<D> block;
        std::array<double, detail::PlaceBlock<D>::most> stays;
        Goal* goals = goals_.data() + chunk.first;
        for (std::size_t row = chunk.begin; row < chunk.end; row += block.rows(), goals += block.rows()) {
            block.read(view, row, chunk.end);
            staying.mark(block, stays.data());
            std::size_t staying_here = 0;
            for (std::size_t i = 0; i < block.rows(); ++i) staying_here += stays[i] >= 0 ? 1 : 0;
            if (staying_here > 0) group.next[static_cast<std::size_t>(source.slot)] += staying_here;
            if (staying_here < block.rows()) find.look(source, block, block.rows() - staying_here);
            block.each([&](std::size_t i) {
                if (stays[i] >= 0) {
                    goals[i].destination = static_cast<std::uint32_t>(source.slot);
                    return;
                }
                bool keep = false, folded = false;
                const int slot = find(source, view, row + i, i, keep, folded);
                send(source, slot, keep, folded, goals[i], group);
            });
        }
    }
    void send(const Source& source, int slot, bool keep, bool folded, Goal& goal, Group& group) {
        if (slot >= 0) {
            goal.destination = static_cast<std::uint32_t>(slot) | (keep ? kept_bit : 0);
            ++group.next[static_cast<std::size_t>(slot)];
        }
        if (slot != source.slot || (folded && !keep)) {
            if (slot >= 0) slots_[static_cast<std::size_t>(slot)].set_changed();
            if (source.slot >= 0) slots_[static_cast<std::size_t>(source.slot)].set_changed();
        }
    }

    /// Counts become places: rows of earlier groups come first.
    void number_groups() {
        for (std::size_t s = 0; s < slots_.size(); ++s) {
            for (Group& group : groups_) slots_[s].rows += std::exchange(group.next[s], slots_[s].rows);
            if (slots_[s].rows > UINT32_MAX) throw ValueError("a box would get too many particles");
        }
    }

    /// A tile whose particles all stay needs no look at them.
    [[nodiscard]] bool moves(const Chunk& chunk) const noexcept {
        const int slot = move_.sources_[chunk.source].slot;
        return slot < 0 || slots_[static_cast<std::size_t>(slot)].changed != 0;
    }

    void find_places() {
        each(groups_.size(), [this](std::size_t g) {
            Group& group = groups_[g];
            for (std::size_t c = group.begin; c < group.end; ++c) {
                const Chunk& chunk = chunks_[c];
                if (!moves(chunk)) continue;
                for (Goal& goal : goals_of(chunk)) {
                    if (goal.has_slot()) goal.place = static_cast<std::uint32_t>(group.next[goal.slot()]++);
                }
            }
        });
    }
    [[nodiscard]] std::span<Goal> goals_of(const Chunk& chunk) noexcept {
        return {goals_.data() + chunk.first, chunk.end - chunk.begin};
    }

    void allocate() {
        auto& results = move_.results_;
        results.clear();
        for (std::size_t s = 0; s < slots_.size(); ++s) {
            if (slots_[s].changed == 0 || (slots_[s].rows == 0 && move_.slots_[s].source < 0)) continue;
            results.push_back({static_cast<int>(s), TileData(move_.layout_, move_.reals_, move_.ints_, *move_.arena_)});
        }
        columns_begin_.resize(columns_ * slots_.size());
        each(results.size() * columns_, [&](std::size_t task) {
            Result& result = results[task / columns_];
            const std::size_t column = task % columns_;
            const auto slot = static_cast<std::size_t>(result.slot);
            result.data.allocate(column, slots_[slot].rows);
            columns_begin_[column * slots_.size() + slot] = result.data.data(column);
        });
    }

    void copy_rows() {
        each(groups_.size() * columns_, [this](std::size_t task) {
            const Group& group = groups_[task / columns_];
            for (std::size_t c = group.begin; c < group.end; ++c) {
                if (moves(chunks_[c])) copy_column(task % columns_, chunks_[c]);
            }
        });
        for (Result& result : move_.results_) result.data.settle();
    }

    /// Copy one column of the rows of a chunk to their places in the results.
    void copy_column(std::size_t column, const Chunk& chunk) {
        const ColumnView& from = move_.views_[chunk.source].column(column);
        const std::size_t bytes = TileData::element_size(move_.layout_, move_.reals_, column);
        std::byte* const* const begin = columns_begin_.data() + column * slots_.size();
        const std::size_t end = std::min(chunk.end, std::max(chunk.begin, from.rows));
        const std::span<const Goal> goals = goals_of(chunk);
        const auto copy = [&](auto copy_one) {
            const Goal* goal = goals.data();
            for (std::size_t row = chunk.begin; row < end; ++row, ++goal) {
                if (goal->has_slot()) copy_one(begin[goal->slot()], goal->place, row, goal->may_fold());
            }
        };
        for (const Goal& goal : goals.subspan(end - chunk.begin)) {  // what the source has not
            if (goal.has_slot()) std::memset(begin[goal.slot()] + goal.place * bytes, 0, bytes);
        }
        const bool pure = move_.layout_.pure_soa;
        const detail::CellFinder<D> cells(move_.levels_.front().geom);
        const int direction = static_cast<int>(column) - 1;
        if (pure && direction >= 0 && direction < D && cells.is_periodic(direction)) {
            copy([&](std::byte* to, std::size_t at, std::size_t row, bool fold) {
                Real x = 0;
                std::memcpy(&x, from.data + row * sizeof x, sizeof x);
                if (fold) x = cells.fold(x, direction);
                std::memcpy(to + at * sizeof x, &x, sizeof x);
            });
        } else if (bytes == sizeof(int)) {
            copy([&](std::byte* to, std::size_t at, std::size_t row, bool) {
                std::memcpy(to + at * sizeof(int), from.data + row * sizeof(int), sizeof(int));
            });
        } else if (bytes == sizeof(Real) && (pure || column > 0)) {
            copy([&](std::byte* to, std::size_t at, std::size_t row, bool) {
                std::memcpy(to + at * sizeof(Real), from.data + row * sizeof(Real), sizeof(Real));
            });
        } else {
            copy([&](std::byte* to, std::size_t at, std::size_t row, bool fold) {
                std::byte* record = to + at * bytes;
                std::memcpy(record, from.data + row * bytes, bytes);
                for (int d = 0; d < D && fold; ++d, record += sizeof(Real)) {
                    Real x = 0;
                    std::memcpy(&x, record, sizeof x);
                    x = cells.fold(x, d);
                    std::memcpy(record, &x, sizeof x);
                }
            });
        }
    }

    Redistribution& move_;
    std::vector<SlotState> slots_;
    std::size_t columns_;
    std::vector<Chunk> chunks_;
    std::vector<Group> groups_;
    std::vector<Goal> goals_;                ///< of all rows
    std::vector<std::byte*> columns_begin_;  ///< by column and slot: where new memory begins
};

template <int D>
void Redistribution<D>::run_on_host() {
    for (TileView& view : views_) view.to_host();
    HostMove(*this).run();
}

#define ZEROFAB_INSTANTIATE(D) template void Redistribution<D>::run_on_host();
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
