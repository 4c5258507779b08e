// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// DistributionMapping: which rank owns which box.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "zerofab/base/types.hpp"
#include "zerofab/mesh/box_array.hpp"

namespace zerofab {

/// The owner of every box of a BoxArray, by box number; copies share it.
///
/// The owners follow from the boxes, the strategy of the process and the number of ranks only, so every rank computes
/// the same ones without a message.
///
///     BoxArray<3> ba = ...;
///     DistributionMapping dm(ba);         // needs initialize()
///     dm[0];                              // the rank of box 0
class ZEROFAB_API DistributionMapping {
public:
    /// How boxes are dealt to ranks.
    enum class Strategy {
        round_robin,  ///< box i to rank i modulo the number of ranks
        knapsack,     ///< equal cells per rank, without regard to positions
        sfc,          ///< equal cells per rank, in order along a Morton curve, so that neighbours stay together
    };

    /// No boxes.
    DistributionMapping();
    /// These owners. ValueError if one is negative.
    explicit DistributionMapping(std::vector<int> owners);
    /// By the strategy of the process, over at most `nprocs` ranks (0: all of communicator()). StateError before
    /// initialize(), ValueError if nprocs < 0.
    template <int D>
    explicit DistributionMapping(const BoxArray<D>& boxes, int nprocs = 0);

    /// Change this handle; others that share the owners stay.
    DistributionMapping& define(std::vector<int> owners) { return *this = DistributionMapping(std::move(owners)); }
    template <int D>
    DistributionMapping& define(const BoxArray<D>& boxes, int nprocs = 0) {
        return *this = DistributionMapping(boxes, nprocs);
    }

    std::size_t size() const noexcept { return owners_->size(); }
    bool empty() const noexcept { return owners_->empty(); }
    std::size_t capacity() const noexcept { return owners_->capacity(); }
    /// How many handles share the owners.
    long link_count() const noexcept { return owners_.use_count(); }
    /// The rank of box i, 0 <= i < size(), not checked.
    int operator[](std::size_t i) const noexcept { return (*owners_)[i]; }
    /// The rank of box i; IndexError if there is none.
    int get(Long i) const;
    /// All ranks, by box number.
    const std::vector<int>& processor_map() const noexcept { return *owners_; }

    /// The same owners in memory.
    bool same_data(const DistributionMapping& other) const noexcept { return owners_ == other.owners_; }
    friend bool operator==(const DistributionMapping& a, const DistributionMapping& b) noexcept {
        return a.same_data(b) || *a.owners_ == *b.owners_;
    }

    /// The strategy of the process; sfc at the start.
    static Strategy strategy() noexcept;
    static void set_strategy(Strategy strategy) noexcept;

    /// What the constructor computes, for any strategy and number of ranks; needs no initialize().
    template <int D>
    static std::vector<int> plan(const BoxArray<D>& boxes, int nprocs, Strategy strategy);

private:
    std::shared_ptr<const std::vector<int>> owners_;
};

}  // namespace zerofab
