// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Local boxes, tiles and the cache of plans.
#include "zerofab/mesh/fab_layout.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <tuple>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/index/format.hpp"

namespace zerofab {
namespace {

std::int64_t next_id() {
    static std::atomic<std::int64_t> last{0};
    return ++last;
}

/// First cell of tile i of `tiles` over n cells; i may be `tiles`, which gives n.
int tile_start(int n, int tiles, int i) { return n / tiles * i + std::min(i, n % tiles); }

template <int D>
void append_tiles(int local, const Box<D>& cells, const IntVect<D>& tile_size, std::vector<Tile<D>>& tiles) {
    const IntVect<D> n = cells.length(), many = max(n / tile_size, IntVect<D>(1));
    for_each_point(Box<D>(IntVect<D>(), many - 1), [&](const IntVect<D>& at) {
        IntVect<D> lo = cells.small_end(), hi = lo;
        for (int d = 0; d < D; ++d) {
            lo[d] += tile_start(n[d], many[d], at[d]);
            hi[d] += tile_start(n[d], many[d], at[d] + 1) - 1;
        }
        tiles.push_back({local, Box<D>(lo, hi)});
    });
}

}  // namespace

struct PlanCache::Store {
    /// A type is known by where its name is: to compare names takes longer than many an operation.
    using FullKey = std::pair<const void*, Key>;
    struct Wanted {
        const void* type;
        const Key& key;
    };
    struct Less {
        using is_transparent = void;
        static bool less(const void* type_a, const Key& a, const void* type_b, const Key& b) {
            return type_a != type_b ? std::less<>()(type_a, type_b) : a < b;
        }
        bool operator()(const FullKey& a, const FullKey& b) const { return less(a.first, a.second, b.first, b.second); }
        bool operator()(const FullKey& a, const Wanted& b) const { return less(a.first, a.second, b.type, b.key); }
        bool operator()(const Wanted& a, const FullKey& b) const { return less(a.type, a.key, b.first, b.second); }
    };
    struct Entry {
        std::shared_ptr<const void> plan;
        std::size_t bytes = 0;
        std::uint64_t used = 0;
        const Store* other = nullptr;  ///< of the other layout that it is about, if any: that drops it
    };
    using Entries = std::map<FullKey, Entry, Less>;
    using Plans = std::vector<std::shared_ptr<const void>>;  // freed without the lock: a destructor may take time

    mutable std::mutex mutex;
    Entries entries;
    std::uint64_t clock = 0;
    std::size_t bytes = 0;
    std::vector<std::weak_ptr<Store>> keepers;  ///< hold entries about our layout

    void add_keeper(const std::shared_ptr<Store>& keeper) {
        const std::lock_guard lock(mutex);
        std::erase_if(keepers, [](const auto& known) { return known.expired(); });
        for (const auto& known : keepers) {
            if (!known.owner_before(keeper) && !keeper.owner_before(known)) return;
        }
        keepers.push_back(keeper);
    }
    void drop(Entries::iterator entry, Plans& dropped) {
        bytes -= entry->second.bytes;
        dropped.push_back(std::move(entry->second.plan));
        entries.erase(entry);
    }
    void drop_all_about(const Store* other) {
        Plans dropped;
        const std::lock_guard lock(mutex);
        for (auto entry = entries.begin(); entry != entries.end();) {
            const auto next = std::next(entry);
            if (entry->second.other == other) drop(entry, dropped);
            entry = next;
        }
    }
    bool is_full() const { return entries.size() > most_plans || (bytes > most_bytes && entries.size() > most_used); }
};

PlanCache::PlanCache() : store_(new Store) {}

PlanCache::~PlanCache() {
    for (const std::weak_ptr<Store>& known : store_->keepers) {  // nobody uses this cache any more
        if (const std::shared_ptr<Store> keeper = known.lock()) keeper->drop_all_about(store_.get());
    }
}

std::shared_ptr<const void> PlanCache::find(std::type_index type, const Key& key) {
    const std::lock_guard lock(store_->mutex);
    const auto at = store_->entries.find(Store::Wanted{type.name(), key});
    if (at == store_->entries.end()) return nullptr;
    at->second.used = ++store_->clock;
    return at->second.plan;
}

std::shared_ptr<const void> PlanCache::insert(std::type_index type, const Key& key, std::shared_ptr<const void> plan,
                                              std::size_t bytes, const PlanCache* other) {
    if (other != nullptr && other != this) other->store_->add_keeper(store_);
    Store::Plans dropped;
    const std::lock_guard lock(store_->mutex);
    Store::Entry& entry = store_->entries[Store::FullKey(type.name(), key)];
    if (!entry.plan) {
        entry.plan = std::move(plan);
        entry.bytes = bytes;
        entry.other = other != nullptr ? other->store_.get() : nullptr;
        store_->bytes += bytes;
    }
    entry.used = ++store_->clock;
    std::shared_ptr<const void> kept = entry.plan;
    while (store_->is_full()) {
        store_->drop(std::min_element(store_->entries.begin(), store_->entries.end(),
                                      [](const auto& a, const auto& b) { return a.second.used < b.second.used; }),
                     dropped);
    }
    return kept;
}

std::size_t PlanCache::size() const {
    const std::lock_guard lock(store_->mutex);
    return store_->entries.size();
}

std::size_t PlanCache::bytes() const {
    const std::lock_guard lock(store_->mutex);
    return store_->bytes;
}

void PlanCache::clear() {
    Store::Entries dropped;
    const std::lock_guard lock(store_->mutex);
    dropped.swap(store_->entries);
    store_->bytes = 0;
}

template <int D>
FabLayout<D>::FabLayout(BoxArray<D> boxes, DistributionMapping owners)
    : boxes_(std::move(boxes)), owners_(std::move(owners)), local_index_(boxes_.size(), -1), id_(next_id()) {
    if (boxes_.size() != owners_.size()) {
        throw ValueError(concat("the BoxArray has ", boxes_.size(), " boxes but the DistributionMapping ",
                                owners_.size(), ": make it from this BoxArray"));
    }
    const int me = communicator().rank(), ranks = communicator().size();
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        if (boxes_[i].is_empty()) {
            throw ValueError(concat("box ", i, ", ", boxes_[i], ", has no points"));
        }
        if (owners_[i] >= ranks) {
            throw ValueError(concat("box ", i, " belongs to rank ", owners_[i], ", but this run has ", ranks,
                                    ranks == 1 ? " rank" : " ranks"));
        }
        if (owners_[i] != me) continue;
        local_index_[i] = num_local();
        whole_boxes_.push_back({num_local(), boxes_.cells()[i]});
        local_boxes_.push_back(static_cast<int>(i));
    }
}

template <int D>
std::shared_ptr<const FabLayout<D>> FabLayout<D>::of(const BoxArray<D>& boxes, const DistributionMapping& owners) {
    // A living layout keeps its data, so the address of living data names it; entries of dead ones are swept out.
    using Key = std::tuple<const void*, const void*, unsigned>;
    struct Known {
        std::mutex mutex;
        std::map<Key, std::weak_ptr<const FabLayout>> layouts;
        std::size_t sweep_at = 64;
    };
    static Known& known = *new Known;  // never destroyed: arrays may outlive every static object
    const Key key(boxes.data_id(), &owners.processor_map(), boxes.ix_type().bits());
    const std::lock_guard lock(known.mutex);
    auto& weak = known.layouts[key];
    std::shared_ptr<const FabLayout> layout = weak.lock();
    if (layout) return layout;
    try {
        layout = std::make_shared<const FabLayout>(boxes, owners);
    } catch (...) {
        known.layouts.erase(key);
        throw;
    }
    weak = layout;
    if (known.layouts.size() > known.sweep_at) {
        std::erase_if(known.layouts, [](const auto& entry) { return entry.second.expired(); });
        known.sweep_at = 2 * known.layouts.size() + 64;
    }
    return layout;
}

template <int D>
const std::vector<Tile<D>>& FabLayout<D>::tiles(const IntVect<D>& tile_size) const {
    if (!tile_size.all_ge(1)) {
        throw ValueError(concat("a tile size must be at least 1 in every direction, not ", tile_size.min()));
    }
    const std::lock_guard lock(tiles_mutex_);
    auto& tiles = tiles_[tile_size];
    if (!tiles) {
        std::vector<Tile<D>> made;
        for (const Tile<D>& whole : whole_boxes_) append_tiles(whole.local, whole.cells, tile_size, made);
        tiles = std::make_unique<const std::vector<Tile<D>>>(std::move(made));
    }
    return *tiles;
}

#define ZEROFAB_INSTANTIATE(D) template class FabLayout<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
