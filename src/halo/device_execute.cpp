// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/device_execute.hpp"

#include <algorithm>
#include <vector>

#include "kernels/tables.h"
#include "mesh/device_fields.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::halo {
namespace {

using detail::DeviceQueue;
using detail::LaunchSize;

/// Copies that do not meet, one after the other in the table.
struct Round {
    std::int64_t first = 0;
    LaunchSize rows;
};

/// The copies of a plan in memory of a device.
template <int D>
struct CopyTable {
    std::shared_ptr<const HaloPlan<D>> plan;  ///< held, so that its address stays its own
    AllocationPtr memory;                     ///< of zf_copy, round after round
    std::vector<Round> rounds;
    LaunchSize all;
    std::int64_t staged = 0;  ///< points of the buffer, per component

    /// With the plan, which this keeps alive.
    std::size_t bytes() const noexcept {
        return sizeof *this + plan->bytes() + (memory ? memory->bytes() : 0) + rounds.capacity() * sizeof(Round);
    }
};

/// The round of each copy: a later one than those of all earlier copies into the same fab that it meets.
template <int D>
std::vector<std::size_t> rounds_of(const HaloPlan<D>& plan) {
    std::vector<std::size_t> rounds(plan.copies.size(), 0);
    for (const auto& group : plan.groups) {
        for (std::size_t i = group.first; i < group.last; ++i) {
            for (std::size_t j = group.first; j < i; ++j) {
                if (rounds[j] >= rounds[i] && plan.copies[i].box.intersects(plan.copies[j].box)) {
                    rounds[i] = rounds[j] + 1;
                }
            }
        }
    }
    return rounds;
}

template <int D>
zf_copy row_of(const HaloCopy<D>& copy, std::int64_t stage) {
    zf_copy row{};
    row.src = copy.src;
    row.dst = copy.dst;
    for (int d = 0; d < 3; ++d) {
        row.lo[d] = d < D ? copy.box.small_end(d) : 0;
        row.len[d] = d < D ? copy.box.length(d) : 1;
        row.shift[d] = d < D ? copy.shift[d] : 0;
    }
    row.stage = stage;
    return row;
}

template <int D>
CopyTable<D> make_table(const DeviceQueue& queue, const std::shared_ptr<const HaloPlan<D>>& plan, bool stage_all) {
    const std::vector<std::size_t> rounds = rounds_of(*plan);
    CopyTable<D> table;
    table.plan = plan;
    if (!plan->copies.empty()) table.rounds.resize(*std::max_element(rounds.begin(), rounds.end()) + 1);
    std::vector<zf_copy> rows;
    rows.reserve(plan->copies.size());
    for (std::size_t at = 0; at < table.rounds.size(); ++at) {
        Round& round = table.rounds[at];
        round.first = static_cast<std::int64_t>(rows.size());
        for (std::size_t i = 0; i < plan->copies.size(); ++i) {
            if (rounds[i] != at) continue;
            const HaloCopy<D>& copy = plan->copies[i];
            const std::int64_t points = copy.box.num_pts();
            rows.push_back(row_of(copy, stage_all ? table.staged : copy.stage));
            if (stage_all) table.staged += points;
            round.rows.longest = std::max(round.rows.longest, points);
            ++round.rows.count;
        }
        table.all.longest = std::max(table.all.longest, round.rows.longest);
    }
    table.all.count = static_cast<std::int64_t>(rows.size());
    if (!stage_all) table.staged = plan->staged;
    table.memory = queue.upload(rows);
    return table;
}

}  // namespace

template <int D>
void run_on_device(Device device, KernelType type, const std::shared_ptr<const HaloPlan<D>>& plan,
                   const FabBody<D>& dst, const FabBody<D>& src, const Run& run) {
    if (plan->copies.empty()) return;
    const DeviceQueue queue(device);
    const PlanCache::Key key{reinterpret_cast<std::intptr_t>(plan.get()), queue.device_key(), queue.stream_key(),
                             run.stage_all ? 1 : 0};
    const auto table = dst.layout->plans().template get<CopyTable<D>>(
        key, [&] { return make_table(queue, plan, run.stage_all); }, &src.layout->plans());
    const auto* copies = static_cast<const zf_copy*>(table->memory->data());
    const void* to = detail::fab_table(queue, dst);
    const void* from = detail::fab_table(queue, src);
    AllocationPtr buffer;
    const void* staging = nullptr;
    if (table->staged > 0) {
        const auto elements = static_cast<std::size_t>(table->staged * run.ncomp);
        buffer = queue.scratch(elements * dst.dtype->size);
        staging = buffer->data();
        const KernelArg args[] = {copies, table->all.count, run.ncomp, from, run.scomp, staging};
        queue.launch("halo_pack", type, table->all, args);
    }
    for (const Round& round : table->rounds) {
        const KernelArg args[] = {
            copies + round.first, round.rows.count, run.ncomp, to, run.dcomp, from, run.scomp, staging};
        queue.launch(run.add ? "halo_add" : "halo_copy", type, round.rows, args);
    }
}

#define ZEROFAB_INSTANTIATE(D)                                                                                    \
    template void run_on_device(Device, KernelType, const std::shared_ptr<const HaloPlan<D>>&, const FabBody<D>&, \
                                const FabBody<D>&, const Run&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::halo
