// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// FabLayout<D>: boxes, owners and what is worked out from them once: local boxes, tiles, halo plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <typeindex>
#include <vector>

#include "zerofab/mesh/box_array.hpp"
#include "zerofab/mesh/distribution_mapping.hpp"

namespace zerofab {

/// A piece of a local box that one thread works on.
template <int D>
struct Tile {
    int local;     ///< position in FabLayout::local_boxes()
    Box<D> cells;  ///< cell-centred; its ends are the box's own where it touches them
};

/// Type-erased, thread-safe map from a key to something costly that was worked out once.
///
/// A key is the type of the value and a few integers. Whoever uses a value holds a share. The values used longest ago
/// go when there are more than `most_plans`, or when all together have more than `most_bytes`; then the last
/// `most_used` stay all the same, for those take turns. A value must not hold a share of the layout that the cache
/// hangs on: that cycle would never be freed.
class ZEROFAB_API PlanCache {
public:
    using Key = std::vector<std::int64_t>;
    static constexpr std::size_t most_plans = 256, most_used = 4, most_bytes = std::size_t{256} << 20U;

    PlanCache();
    PlanCache(const PlanCache&) = delete;
    PlanCache& operator=(const PlanCache&) = delete;
    /// Also drops what other caches hold of this one's layout.
    ~PlanCache();

    /// The value of type Plan under `key`, made by `make()` (returning Plan, or something std::shared_ptr<const Plan>
    /// can be made from) if there is none. Two threads that ask first at once may both make one; both get the same.
    /// A value that is about another layout too names the cache of that one: it goes when that layout does. Its size is
    /// what its `bytes()` says, if it has that.
    template <class Plan, class Make>
    std::shared_ptr<const Plan> get(const Key& key, Make&& make, const PlanCache* other = nullptr) {
        const std::type_index type(typeid(Plan));
        if (std::shared_ptr<const void> found = find(type, key)) return std::static_pointer_cast<const Plan>(found);
        auto made = std::make_shared<const Plan>(make());
        std::size_t bytes = sizeof(Plan);
        if constexpr (requires { made->bytes(); }) bytes = made->bytes();
        return std::static_pointer_cast<const Plan>(insert(type, key, std::move(made), bytes, other));
    }

    std::size_t size() const;
    /// Of all values.
    std::size_t bytes() const;
    void clear();

private:
    struct Store;
    std::shared_ptr<const void> find(std::type_index type, const Key& key);
    std::shared_ptr<const void> insert(std::type_index type, const Key& key, std::shared_ptr<const void> plan,
                                       std::size_t bytes, const PlanCache* other);

    std::shared_ptr<Store> store_;
};

/// What all FabArrays over the same boxes and owners share. Immutable; get it from `of`.
///
/// Boxes are numbered twice: `global` 0..size()-1 over all ranks, `local` 0..num_local()-1 over those of this rank, in
/// the same order.
///
///     std::shared_ptr<const FabLayout<3>> layout = FabLayout<3>::of(ba, dm);
///     for (int local = 0; local < layout->num_local(); ++local) use(layout->local_box(local));
template <int D>
class ZEROFAB_API FabLayout {
public:
    /// ValueError unless there are as many owners as boxes, every owner is a rank of communicator(), and no box is
    /// empty.
    FabLayout(BoxArray<D> boxes, DistributionMapping owners);
    /// The layout of these boxes and owners. Where one exists over the same data and index type, it is that one, so
    /// that arrays made apart still share their tiles and plans. Errors as above.
    static std::shared_ptr<const FabLayout> of(const BoxArray<D>& boxes, const DistributionMapping& owners);
    FabLayout(const FabLayout&) = delete;
    FabLayout& operator=(const FabLayout&) = delete;

    const BoxArray<D>& boxes() const noexcept { return boxes_; }
    const DistributionMapping& owners() const noexcept { return owners_; }
    IndexType<D> ix_type() const noexcept { return boxes_.ix_type(); }
    /// Boxes of all ranks.
    int size() const noexcept { return static_cast<int>(boxes_.size()); }
    /// Boxes of this rank.
    int num_local() const noexcept { return static_cast<int>(local_boxes_.size()); }
    /// Global numbers of this rank's boxes, ascending.
    const std::vector<int>& local_boxes() const noexcept { return local_boxes_; }
    /// Local number of a box, or -1 where another rank owns it; 0 <= global < size(), not checked.
    int local_index(int global) const noexcept { return local_index_[static_cast<std::size_t>(global)]; }
    /// The typed box of a global or local number, not checked.
    Box<D> box(int global) const { return boxes_[global]; }
    Box<D> local_box(int local) const { return boxes_[local_boxes_[static_cast<std::size_t>(local)]]; }
    /// Whether every box is on this rank.
    bool all_local() const noexcept { return num_local() == size(); }
    /// A number that no other layout of this process has, ever: part of a key in another layout's cache.
    std::int64_t id() const noexcept { return id_; }

    /// The tiles of all local boxes, box after box, x fastest; made once per tile size, from any thread.
    ///
    /// A side of n cells has max(n / size, 1) tiles, nearly equal, the longer ones first. ValueError if a size is < 1.
    const std::vector<Tile<D>>& tiles(const IntVect<D>& tile_size) const;
    /// One tile per local box.
    const std::vector<Tile<D>>& whole_boxes() const noexcept { return whole_boxes_; }

    /// Plans that belong to this layout (halo exchange, copies from another layout, ...).
    PlanCache& plans() const noexcept { return plans_; }

    /// Whether local numbers of both mean the same cells: at once where data is shared, whatever the index types, else
    /// by comparing boxes and owners.
    friend bool same_layout(const FabLayout& a, const FabLayout& b) noexcept {
        return &a == &b || (a.boxes_.cell_equal(b.boxes_) && a.owners_ == b.owners_);
    }

private:
    struct TileLess {
        bool operator()(const IntVect<D>& a, const IntVect<D>& b) const { return a.lex_less(b); }
    };

    BoxArray<D> boxes_;
    DistributionMapping owners_;
    std::vector<int> local_boxes_, local_index_;
    std::vector<Tile<D>> whole_boxes_;
    std::int64_t id_;
    mutable std::mutex tiles_mutex_;
    mutable std::map<IntVect<D>, std::unique_ptr<const std::vector<Tile<D>>>, TileLess> tiles_;
    mutable PlanCache plans_;
};

}  // namespace zerofab
