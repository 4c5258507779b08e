// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Building the bins of BoxIndex.
#include "zerofab/mesh/box_index.hpp"

#include <algorithm>
#include <bit>

#include "zerofab/base/instantiate.hpp"

namespace zerofab {
namespace {

/// Call f(bin) for all bins between first and last, x fastest.
template <std::size_t D, class F>
void for_each_bin(const std::array<Long, D>& first, const std::array<Long, D>& last, F f) {
    std::array<Long, D> bin = first;
    while (true) {
        f(bin);
        std::size_t d = 0;
        while (d < D && bin[d] == last[d]) {
            bin[d] = first[d];
            ++d;
        }
        if (d == D) return;
        ++bin[d];
    }
}

}  // namespace

template <int D>
Box<D> BoxIndex<D>::bounds_of(std::span<const Box<D>> boxes) {
    Box<D> bounds(IntVect<D>::max_vector(), IntVect<D>::min_vector());
    for (const Box<D>& box : boxes) {
        if (box.ok()) bounds = Box<D>(min(bounds.small_end(), box.small_end()), max(bounds.big_end(), box.big_end()));
    }
    return bounds;
}

template <int D>
BoxIndex<D>::BoxIndex(std::span<const Box<D>> boxes, BinTable table) : boxes_(boxes), bounds_(bounds_of(boxes)) {
    if (bounds_.ok()) {
        choose_bins(boxes);
        if (table == BinTable::plain) widen_bins(boxes.size());
        fill(boxes);
    }
}

template <int D>
void BoxIndex<D>::choose_bins(std::span<const Box<D>> boxes) {
    // Nearly all boxes fit into a bin; the few larger ones, if there are any, lie in many.
    std::vector<std::uint32_t> lengths;
    for (int d = 0; d < D; ++d) {
        lengths.clear();
        for (const Box<D>& box : boxes) {
            if (box.ok()) lengths.push_back(static_cast<std::uint32_t>(Long{box.big_end(d)} - box.small_end(d) + 1));
        }
        const auto nearly_all = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) * 15 / 16);
        std::nth_element(lengths.begin(), nearly_all, lengths.end());
        width_[static_cast<std::size_t>(d)] = *nearly_all;
    }
    count_bins();
    while (listed(boxes) > 16.0 * static_cast<double>(boxes.size()) + 64.0) {
        for (std::uint32_t& width : width_) width += std::min(width, 0x80000000u - width);
        count_bins();
    }
}

template <int D>
void BoxIndex<D>::widen_bins(std::size_t boxes) {
    constexpr std::uint32_t widest = 1U << 30;
    for (std::uint32_t& width : width_) width = std::min(width, widest);
    count_bins();
    while (!few_bins(boxes)) {  // at the latest, 4 bins are left in each direction
        const auto most = static_cast<std::size_t>(std::max_element(count_.begin(), count_.end()) - count_.begin());
        width_[most] = std::min(2 * width_[most], widest);
        count_bins();
    }
}

template <int D>
void BoxIndex<D>::count_bins() {
    // Keys must fit 64 bits: at most 2^20 bins in a direction, more than any real set of boxes needs.
    bins_ = 1;
    for (std::size_t d = 0; d < D; ++d) {
        const Long extent = Long{bounds_.big_end(static_cast<int>(d))} - bounds_.small_end(static_cast<int>(d)) + 1;
        width_[d] = std::max(width_[d], static_cast<std::uint32_t>((extent >> 20) + 1));
        count_[d] = static_cast<std::uint64_t>((extent - 1) / width_[d] + 1);
        bins_ *= count_[d];
    }
}

template <int D>
double BoxIndex<D>::listed(std::span<const Box<D>> boxes) const {
    double sum = 0;
    for (const Box<D>& box : boxes) {
        if (box.is_empty()) continue;
        const Bin first = bin_of(box.small_end()), last = bin_of(box.big_end());
        double bins = 1;
        for (std::size_t d = 0; d < D; ++d) bins *= static_cast<double>(last[d] - first[d] + 1);
        sum += bins;
    }
    return sum;
}

template <int D>
void BoxIndex<D>::fill(std::span<const Box<D>> boxes) {
    struct Entry {
        std::uint64_t key;
        int box;
    };
    std::vector<Entry> entries;
    entries.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].is_empty()) continue;
        for_each_bin<D>(bin_of(boxes[i].small_end()), bin_of(boxes[i].big_end()),
                        [&](const Bin& bin) { entries.push_back({key_of(bin), static_cast<int>(i)}); });
    }
    items_.resize(entries.size());

    if (few_bins(boxes.size())) {  // a counting sort, which keeps the order of the boxes
        starts_.assign(bins_ + 1, 0);
        for (const Entry& entry : entries) ++starts_[entry.key + 1];
        for (std::size_t b = 0; b < bins_; ++b) starts_[b + 1] += starts_[b];
        std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
        for (const Entry& entry : entries) items_[next[entry.key]++] = entry.box;
        return;
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    slots_.assign(std::bit_ceil(2 * entries.size()), Slot{0, no_slot});
    for (std::size_t e = 0; e < entries.size(); ++e) {
        items_[e] = entries[e].box;
        if (e != 0 && entries[e].key == entries[e - 1].key) continue;
        std::size_t at = spread(entries[e].key) & (slots_.size() - 1);
        while (slots_[at].index != no_slot) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {entries[e].key, starts_.size()};
        starts_.push_back(static_cast<std::uint32_t>(e));
    }
    starts_.push_back(static_cast<std::uint32_t>(entries.size()));
}

template <int D>
std::size_t BoxIndex<D>::bytes() const noexcept {
    return sizeof *this + slots_.capacity() * sizeof(Slot) + starts_.capacity() * sizeof(std::uint32_t) +
           items_.capacity() * sizeof(int);
}

#define ZEROFAB_INSTANTIATE(D) template class ZEROFAB_API BoxIndex<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
