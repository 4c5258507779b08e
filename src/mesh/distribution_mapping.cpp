// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Dealing boxes to ranks.
#include "zerofab/mesh/distribution_mapping.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <queue>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/device/runtime.hpp"

namespace zerofab {
namespace {

std::atomic<DistributionMapping::Strategy> current_strategy{DistributionMapping::Strategy::sfc};

std::vector<int> round_robin(std::size_t n, int nprocs) {
    std::vector<int> owners(n);
    for (std::size_t i = 0; i < n; ++i) owners[i] = static_cast<int>(i % static_cast<std::size_t>(nprocs));
    return owners;
}

/// The heaviest box first, each to the rank that has least.
std::vector<int> knapsack(const std::vector<double>& weights, int nprocs) {
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    using Load = std::pair<double, int>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> ranks;
    for (int rank = 0; rank < nprocs; ++rank) ranks.emplace(0.0, rank);
    std::vector<int> owners(weights.size());
    for (const std::size_t box : order) {
        const Load least = ranks.top();
        ranks.pop();
        owners[box] = least.second;
        ranks.emplace(least.first + weights[box], least.second);
    }
    return owners;
}

/// Whether a comes before b on the Morton curve: the direction whose coordinates differ in the highest bit decides.
template <int D>
bool morton_less(const std::array<std::uint32_t, D>& a, const std::array<std::uint32_t, D>& b) {
    std::size_t decides = D - 1;
    std::uint32_t most = 0;
    for (std::size_t d = D; d-- > 0;) {
        const std::uint32_t differ = a[d] ^ b[d];
        if (most < differ && most < (most ^ differ)) {  // differ has a higher top bit
            most = differ;
            decides = d;
        }
    }
    return a[decides] < b[decides];
}

template <int D>
std::vector<std::size_t> morton_order(const BoxArray<D>& boxes) {
    const IntVect<D> origin = boxes.empty() ? IntVect<D>() : enclosed_cells(boxes.minimal_box()).small_end();
    std::vector<std::array<std::uint32_t, D>> positions(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (int d = 0; d < D; ++d) {
            positions[i][static_cast<std::size_t>(d)] =
                static_cast<std::uint32_t>(boxes.cells()[i].small_end(d)) - static_cast<std::uint32_t>(origin[d]);
        }
    }
    std::vector<std::size_t> order(boxes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return morton_less<D>(positions[a], positions[b]); });
    return order;
}

/// Cut a sequence into nprocs runs of about equal weight; no rank is empty while boxes suffice.
std::vector<int> split(const std::vector<std::size_t>& order, const std::vector<double>& weights, int nprocs) {
    double left = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<int> owners(order.size());
    std::size_t next = 0;
    for (int rank = 0; rank < nprocs; ++rank) {
        const auto ranks_after = static_cast<std::size_t>(nprocs - rank - 1);
        const double target = left / static_cast<double>(ranks_after + 1);
        double taken = 0;
        for (bool first = true; next < order.size(); first = false) {
            const bool needed_later = order.size() - next <= ranks_after;
            const double weight = weights[order[next]];
            const bool full = taken + 0.5 * weight > target;
            if (!first && ranks_after > 0 && (full || needed_later)) break;
            owners[order[next++]] = rank;
            taken += weight;
        }
        left -= taken;
    }
    return owners;
}

int checked_nprocs(int nprocs) {
    if (nprocs < 0) throw ValueError(concat("nprocs must not be negative, not ", nprocs));
    const int all = communicator().size();
    return nprocs == 0 ? all : std::min(nprocs, all);
}

template <int D>
std::vector<int> planned(const BoxArray<D>& boxes, int nprocs) {
    require_initialized("DistributionMapping");
    return DistributionMapping::plan(boxes, checked_nprocs(nprocs), DistributionMapping::strategy());
}

}  // namespace

DistributionMapping::DistributionMapping() : owners_(std::make_shared<const std::vector<int>>()) {}

DistributionMapping::DistributionMapping(std::vector<int> owners) {
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] < 0) {
            throw ValueError(concat("box ", i, " cannot belong to rank ", owners[i], ": ranks start at 0"));
        }
    }
    owners_ = std::make_shared<const std::vector<int>>(std::move(owners));
}

template <int D>
DistributionMapping::DistributionMapping(const BoxArray<D>& boxes, int nprocs)
    : owners_(std::make_shared<const std::vector<int>>(planned(boxes, nprocs))) {}

int DistributionMapping::get(Long i) const {
    if (i < 0 || i >= static_cast<Long>(size())) {
        throw IndexError(concat("box ", i, " does not exist: this DistributionMapping has ", size(),
                                size() == 1 ? " box" : " boxes"));
    }
    return (*this)[static_cast<std::size_t>(i)];
}

DistributionMapping::Strategy DistributionMapping::strategy() noexcept { return current_strategy.load(); }

void DistributionMapping::set_strategy(Strategy strategy) noexcept { current_strategy.store(strategy); }

template <int D>
std::vector<int> DistributionMapping::plan(const BoxArray<D>& boxes, int nprocs, Strategy strategy) {
    if (nprocs < 1) throw ValueError(concat("boxes need at least one rank, not ", nprocs));
    if (nprocs == 1) return std::vector<int>(boxes.size(), 0);
    if (strategy == Strategy::round_robin) return round_robin(boxes.size(), nprocs);
    std::vector<double> weights(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i)
        weights[i] = static_cast<double>(Box<D>(boxes.cells()[i]).normalize().num_pts());
    return strategy == Strategy::knapsack ? knapsack(weights, nprocs) : split(morton_order(boxes), weights, nprocs);
}

#define ZEROFAB_INSTANTIATE(D)                                                              \
    template ZEROFAB_API DistributionMapping::DistributionMapping(const BoxArray<D>&, int); \
    template ZEROFAB_API std::vector<int> DistributionMapping::plan(const BoxArray<D>&, int, Strategy);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
