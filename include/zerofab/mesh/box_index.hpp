// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// BoxIndex<D>: finds the boxes that meet a region without looking at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zerofab/index/box.hpp"

namespace zerofab {

/// How bins are kept: as is best, or always as a plain table.
enum class BinTable : std::uint8_t { any, plain };

/// Uniform bins over the region that the boxes cover; a bin lists the boxes that have a cell in it.
///
/// A bin is as large as the largest box, so a box lies in at most 2^D bins, and in one where boxes form a grid. The
/// bins are a plain table where they are not many more than the boxes, else a hash table of those that are occupied;
/// for those who want the plain table itself, larger ones. Queries only read: any number of threads may ask at once.
/// Empty boxes are in no bin.
///
///     BoxIndex<2> index(boxes);                                  // keeps a span: boxes must live as long
///     index.visit(region, [&](int i) { use(boxes[i]); return true; });
template <int D>
class BoxIndex {
public:
    /// Index cell-centred boxes. `boxes` must outlive the index.
    ZEROFAB_API explicit BoxIndex(std::span<const Box<D>> boxes, BinTable table = BinTable::any);

    /// Call f(i) once for every box i that shares a cell with `region` (cell-centred), in no special order, until f
    /// returns false. Returns false if f did.
    template <class F>
    bool visit(const Box<D>& region, F&& f) const;

    /// The first box that holds cell p, or -1.
    int find(const IntVect<D>& p) const noexcept;
    /// The last box that holds cell p, or -1.
    int find_last(const IntVect<D>& p) const noexcept;

    /// Bytes that the index holds.
    ZEROFAB_API std::size_t bytes() const noexcept;

    // With BinTable::plain the table, for searches elsewhere: the boxes of bin b, in ascending order, are
    // items()[starts()[b] ... starts()[b + 1] - 1]; bins of width(d) < 2^31 cells are numbered from the low end of
    // bounds(), x fastest.
    /// The cells that the boxes cover; empty without boxes.
    [[nodiscard]] const Box<D>& bounds() const noexcept { return bounds_; }
    [[nodiscard]] std::uint32_t width(int d) const noexcept { return width_[static_cast<std::size_t>(d)]; }
    [[nodiscard]] std::uint64_t bins(int d) const noexcept { return count_[static_cast<std::size_t>(d)]; }
    [[nodiscard]] const std::vector<std::uint32_t>& starts() const noexcept { return starts_; }
    [[nodiscard]] const std::vector<int>& items() const noexcept { return items_; }

private:
    using Bin = std::array<Long, D>;

    /// The bin of a cell that lies within bounds_.
    Bin bin_of(const IntVect<D>& p) const noexcept {
        Bin bin;
        for (int d = 0; d < D; ++d) {
            // Cells within the bounds are not negative after the shift: unsigned division is the fast one.
            const auto offset = static_cast<std::uint32_t>(p[d]) - static_cast<std::uint32_t>(bounds_.small_end(d));
            bin[static_cast<std::size_t>(d)] = offset / width_[static_cast<std::size_t>(d)];
        }
        return bin;
    }
    std::uint64_t key_of(const Bin& bin) const noexcept {
        std::uint64_t key = 0;
        for (std::size_t d = D; d-- > 0;) key = key * count_[d] + static_cast<std::uint64_t>(bin[d]);
        return key;
    }
    /// The boxes of a bin.
    std::span<const int> boxes_in(std::uint64_t key) const noexcept {
        const std::size_t slot = slots_.empty() ? static_cast<std::size_t>(key) : slot_of(key);
        if (slot == no_slot) return {};
        return {items_.data() + starts_[slot], starts_[slot + 1] - starts_[slot]};
    }
    std::size_t slot_of(std::uint64_t key) const noexcept {
        for (std::size_t at = spread(key);; ++at) {
            const Slot& slot = slots_[at & (slots_.size() - 1)];
            if (slot.index == no_slot || slot.key == key) return slot.index;
        }
    }
    static std::size_t spread(std::uint64_t key) noexcept {
        key *= 0x9E3779B97F4A7C15u;
        return static_cast<std::size_t>(key ^ (key >> 32));
    }
    static Box<D> bounds_of(std::span<const Box<D>> boxes);
    void choose_bins(std::span<const Box<D>> boxes);
    /// Fewer bins, until a plain table of them is not much larger than the boxes.
    void widen_bins(std::size_t boxes);
    void count_bins();
    [[nodiscard]] bool few_bins(std::size_t boxes) const noexcept { return bins_ <= 16 * boxes + 64; }
    /// Places of all boxes in all bins, with the present width.
    double listed(std::span<const Box<D>> boxes) const;
    void fill(std::span<const Box<D>> boxes);

    static constexpr std::size_t no_slot = static_cast<std::size_t>(-1);
    struct Slot {
        std::uint64_t key;
        std::size_t index;  ///< no_slot: free
    };

    std::span<const Box<D>> boxes_;
    Box<D> bounds_;
    std::array<std::uint32_t, D> width_{};  ///< cells of a bin
    std::array<std::uint64_t, D> count_{};  ///< bins in each direction
    std::uint64_t bins_ = 0;
    std::vector<Slot> slots_;  ///< open addressing, a power of two; empty where starts_ is the table itself
    std::vector<std::uint32_t> starts_;
    std::vector<int> items_;
};

template <int D>
int BoxIndex<D>::find(const IntVect<D>& p) const noexcept {
    if (!bounds_.contains(p)) return -1;
    // Items of a bin are in ascending order, so the first that fits is the lowest.
    for (const int i : boxes_in(key_of(bin_of(p)))) {
        if (boxes_[static_cast<std::size_t>(i)].contains(p)) return i;
    }
    return -1;
}

template <int D>
int BoxIndex<D>::find_last(const IntVect<D>& p) const noexcept {
    if (!bounds_.contains(p)) return -1;
    const std::span<const int> items = boxes_in(key_of(bin_of(p)));
    for (std::size_t at = items.size(); at-- > 0;) {
        if (boxes_[static_cast<std::size_t>(items[at])].contains(p)) return items[at];
    }
    return -1;
}

template <int D>
template <class F>
bool BoxIndex<D>::visit(const Box<D>& region, F&& f) const {
    const IntVect<D> lo = max(region.small_end(), bounds_.small_end());
    const IntVect<D> hi = min(region.big_end(), bounds_.big_end());
    if (!lo.all_le(hi)) return true;
    const Bin first = bin_of(lo), last = bin_of(hi);
    std::uint64_t wanted = 1;
    for (std::size_t d = 0; d < D; ++d) wanted *= static_cast<std::uint64_t>(last[d] - first[d] + 1);
    const Box<D> asked(lo, hi);
    if (wanted >= boxes_.size()) {  // the region is about as large as all boxes: reading them in order is cheaper
        for (std::size_t i = 0; i < boxes_.size(); ++i) {
            if ((boxes_[i] & asked).ok() && !f(static_cast<int>(i))) return false;
        }
        return true;
    }
    Bin bin = first;
    while (true) {
        for (const int i : boxes_in(key_of(bin))) {
            const Box<D> common = boxes_[static_cast<std::size_t>(i)] & asked;
            // A box that lies in several bins counts in the first of them that the region touches.
            if (common.ok() && bin_of(common.small_end()) == bin && !f(i)) return false;
        }
        std::size_t d = 0;
        while (d < D && bin[d] == last[d]) {
            bin[d] = first[d];
            ++d;
        }
        if (d == D) return true;
        ++bin[d];
    }
}

}  // namespace zerofab
