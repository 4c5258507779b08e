// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/execute.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "halo/device_execute.hpp"
#include "mesh/operand.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/host_loops.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab::halo {
namespace {

/// Into how many slabs, across the last direction, each destination is cut, so that every thread has some.
template <int D>
int slabs_per_group(const HaloPlan<D>& plan) {
    const std::int64_t threads = num_threads();
    const auto groups = static_cast<std::int64_t>(plan.groups.size());
    if (threads == 1 || groups == 0 || groups >= 4 * threads) return 1;
    const std::int64_t worth = plan.points / groups / 4096 + 1;
    return static_cast<int>(std::min((4 * threads + groups - 1) / groups, worth));
}

/// Slab `at` of `slabs` of the points lo..hi of one direction.
struct Slab {
    int lo, hi;
    Slab(int first, int last, int at, int slabs) {
        const std::int64_t n = std::int64_t{last} - first + 1;
        lo = static_cast<int>(first + n * at / slabs);
        hi = static_cast<int>(first + n * (at + 1) / slabs - 1);
    }
};

template <int D, class T>
class Runner {
public:
    Runner(const HaloPlan<D>& plan, const FabBody<D>& dst, const FabBody<D>& src, const Run& run)
        : plan_(plan), dst_(dst), src_(src), run_(run), move_(run.add ? host_loops<T>().add : host_loops<T>().copy) {}

    void operator()() {
        stage();
        const int slabs = slabs_per_group(plan_);
        parallel_for(static_cast<std::int64_t>(plan_.groups.size()) * slabs, [&](std::int64_t i) {
            into(plan_.groups[static_cast<std::size_t>(i / slabs)], static_cast<int>(i % slabs), slabs);
        });
    }

private:
    /// Read what will be overwritten.
    void stage() {
        std::int64_t points = plan_.staged;
        if (run_.stage_all) {
            points = 0;
            stages_.reserve(plan_.copies.size());
            for (const HaloCopy<D>& copy : plan_.copies) {
                stages_.push_back(points);
                points += copy.box.num_pts();
            }
        }
        if (points == 0) return;
        memory_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(points * run_.ncomp));
        parallel_for(static_cast<std::int64_t>(plan_.copies.size()), [&](std::int64_t i) {
            const HaloCopy<D>& copy = plan_.copies[static_cast<std::size_t>(i)];
            if (stage_of(copy) < 0) return;
            const LoopRegion region = detail::loop_region(copy.box);
            T* to = memory_.get() + stage_of(copy) * run_.ncomp;
            for (int n = 0; n < run_.ncomp; ++n) {
                host_loops<T>().copy(region, {to, region.nx, region.nx * region.ny}, source(copy, copy.box, n));
                to += region.nx * region.ny * region.nz;
            }
        });
    }

    std::int64_t stage_of(const HaloCopy<D>& copy) const {
        return run_.stage_all ? stages_[static_cast<std::size_t>(&copy - plan_.copies.data())] : copy.stage;
    }

    LoopOperand<const T> source(const HaloCopy<D>& copy, const Box<D>& part, int n) const {
        const Array4<const T> from = src_.template array<const T>(copy.src);
        return detail::operand(from, zerofab::shift(part, copy.shift), run_.scomp + n);
    }

    /// All copies into one slab of one destination, in the plan's order.
    void into(const typename HaloPlan<D>::Group& group, int at, int slabs) const {
        const Array4<T> to = dst_.template array<T>(group.dst);
        constexpr int last = D - 1;
        const Slab slab(to.lo[last], to.lo[last] + to.size[last] - 1, at, slabs);
        for (std::size_t c = group.first; c < group.last; ++c) {
            const HaloCopy<D>& copy = plan_.copies[c];
            Box<D> part = copy.box;
            part.set_small(last, std::max(part.small_end(last), slab.lo));
            part.set_big(last, std::min(part.big_end(last), slab.hi));
            if (part.small_end(last) > part.big_end(last)) continue;
            const LoopRegion region = detail::loop_region(part);
            for (int n = 0; n < run_.ncomp; ++n) {
                move_(region, detail::operand(to, part, run_.dcomp + n),
                      stage_of(copy) < 0 ? source(copy, part, n) : staged(copy, part, n));
            }
        }
    }

    LoopOperand<const T> staged(const HaloCopy<D>& copy, const Box<D>& part, int n) const {
        const LoopRegion size = detail::loop_region(copy.box);
        const std::int64_t step[3] = {1, size.nx, size.nx * size.ny};
        const T* data = memory_.get() + stage_of(copy) * run_.ncomp + n * size.nx * size.ny * size.nz;
        for (int d = 0; d < D; ++d) data += (std::int64_t{part.small_end(d)} - copy.box.small_end(d)) * step[d];
        return {data, step[1], step[2]};
    }

    const HaloPlan<D>& plan_;
    const FabBody<D>& dst_;
    const FabBody<D>& src_;
    const Run& run_;
    void (*move_)(const LoopRegion&, const LoopOperand<T>&, const LoopOperand<const T>&);
    std::unique_ptr<T[]> memory_;
    std::vector<std::int64_t> stages_;
};

}  // namespace

template <int D>
void check_local(const char* what, const HaloPlan<D>& plan) {
    if (plan.sends.empty() && plan.receives.empty()) return;
    throw StateError(std::string(what) + ": the field is spread over ranks, and this run has no message passing");
}

template <int D, class T>
void run_plan(const std::shared_ptr<const HaloPlan<D>>& plan, const Lease<D>& dst, const Lease<D>& src,
              const Run& run) {
    const MemorySpace work = space_of_work(dst->space());
    const Mirror<D> to(dst, work), from(src, work);
    if (work.is_plain()) {
        Runner<D, T>(*plan, *to.body(), *from.body(), run)();
    } else {
        run_on_device(work.device, detail::kernel_type<T>, plan, *to.body(), *from.body(), run);
    }
}

#define ZEROFAB_INSTANTIATE(D)                                                                                     \
    template void check_local(const char*, const HaloPlan<D>&);                                                    \
    template void run_plan<D, double>(const std::shared_ptr<const HaloPlan<D>>&, const Lease<D>&, const Lease<D>&, \
                                      const Run&);                                                                 \
    template void run_plan<D, float>(const std::shared_ptr<const HaloPlan<D>>&, const Lease<D>&, const Lease<D>&,  \
                                     const Run&);                                                                  \
    template void run_plan<D, int>(const std::shared_ptr<const HaloPlan<D>>&, const Lease<D>&, const Lease<D>&,    \
                                   const Run&);                                                                    \
    template void run_plan<D, std::int64_t>(const std::shared_ptr<const HaloPlan<D>>&, const Lease<D>&,            \
                                            const Lease<D>&, const Run&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::halo
