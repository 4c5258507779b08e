// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/execute.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "halo/device_execute.hpp"
#include "zerofab/device/host_loops.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab::halo {
namespace {

/// A box of copied points in three directions.
struct Points {
    std::array<int, 3> lo{}, hi{};

    template <int D>
    explicit Points(const Box<D>& box) {
        for (int d = 0; d < D; ++d) {
            lo[static_cast<std::size_t>(d)] = box.small_end(d);
            hi[static_cast<std::size_t>(d)] = box.big_end(d);
        }
    }
    [[nodiscard]] LoopRegion region() const {
        return {std::int64_t{hi[0]} - lo[0] + 1, std::int64_t{hi[1]} - lo[1] + 1, std::int64_t{hi[2]} - lo[2] + 1};
    }
};

template <int D>
std::array<int, 3> three(const IntVect<D>& v) {
    std::array<int, 3> r{};
    std::copy(v.begin(), v.end(), r.begin());
    return r;
}

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
            places_.reserve(plan_.copies.size());
            for (const HaloCopy<D>& copy : plan_.copies) {
                places_.push_back(points);
                points += copy.box.num_pts();
            }
        }
        if (points == 0) return;
        memory_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(points * run_.ncomp));
        parallel_for(static_cast<std::int64_t>(plan_.copies.size()), [&](std::int64_t i) {
            const HaloCopy<D>& copy = plan_.copies[static_cast<std::size_t>(i)];
            if (place(copy) < 0) return;
            const Points points_of(copy.box);
            const LoopRegion region = points_of.region();
            T* to = memory_.get() + place(copy) * run_.ncomp;
            for (int n = 0; n < run_.ncomp; ++n) {
                host_loops<T>().copy(region, {to, region.nx, region.nx * region.ny}, source(copy, points_of, n));
                to += region.nx * region.ny * region.nz;
            }
        });
    }

    std::int64_t place(const HaloCopy<D>& copy) const {
        return run_.stage_all ? places_[static_cast<std::size_t>(&copy - plan_.copies.data())] : copy.stage;
    }

    LoopOperand<const T> source(const HaloCopy<D>& copy, const Points& p, int n) const {
        const Array4<const T> a = src_.template array<const T>(copy.src);
        const std::array<int, 3> s = three(copy.shift);
        return {a.ptr(p.lo[0] + s[0], p.lo[1] + s[1], p.lo[2] + s[2], run_.scomp + n), a.jstride, a.kstride};
    }

    /// All copies into one slab of one destination, in the plan's order.
    void into(const typename HaloPlan<D>::Group& group, int at, int slabs) const {
        const Array4<T> to = dst_.template array<T>(group.dst);
        constexpr std::size_t last = D - 1;
        const Slab slab(to.lo[last], to.lo[last] + to.size[last] - 1, at, slabs);
        for (std::size_t c = group.first; c < group.last; ++c) {
            const HaloCopy<D>& copy = plan_.copies[c];
            const Points all(copy.box);
            Points part = all;
            part.lo[last] = std::max(part.lo[last], slab.lo);
            part.hi[last] = std::min(part.hi[last], slab.hi);
            if (part.lo[last] > part.hi[last]) continue;
            const LoopRegion region = part.region();
            for (int n = 0; n < run_.ncomp; ++n) {
                const LoopOperand<T> z{to.ptr(part.lo[0], part.lo[1], part.lo[2], run_.dcomp + n), to.jstride,
                                       to.kstride};
                move_(region, z, place(copy) < 0 ? source(copy, part, n) : staged(copy, all, part, n));
            }
        }
    }

    LoopOperand<const T> staged(const HaloCopy<D>& copy, const Points& all, const Points& part, int n) const {
        const LoopRegion size = all.region();
        const std::array<std::int64_t, 3> step{1, size.nx, size.nx * size.ny};
        const T* data = memory_.get() + place(copy) * run_.ncomp + n * size.nx * size.ny * size.nz;
        for (std::size_t d = 0; d < 3; ++d) data += (std::int64_t{part.lo[d]} - all.lo[d]) * step[d];
        return {data, step[1], step[2]};
    }

    const HaloPlan<D>& plan_;
    const FabBody<D>& dst_;
    const FabBody<D>& src_;
    const Run& run_;
    void (*move_)(const LoopRegion&, const LoopOperand<T>&, const LoopOperand<const T>&);
    std::unique_ptr<T[]> memory_;
    std::vector<std::int64_t> places_;
};

std::string text(const auto& v) {
    std::string r = "(";
    for (const int x : v) r += (r.size() > 1 ? "," : "") + std::to_string(x);
    return r + ")";
}

}  // namespace

template <int D>
void check_components(const char* what, const FabBody<D>& field, int comp, int ncomp) {
    if (comp >= 0 && ncomp >= 0 && ncomp <= field.ncomp && comp <= field.ncomp - ncomp) return;
    throw IndexError(std::string(what) + ": the field has components 0 to " + std::to_string(field.ncomp - 1) +
                     ", not " + std::to_string(ncomp) + " from " + std::to_string(comp));
}

template <int D>
void check_ghosts(const char* what, const FabBody<D>& field, const IntVect<D>& nghost) {
    if (nghost.all_ge(0) && nghost.all_le(field.ngrow)) return;
    throw ValueError(std::string(what) + ": the field has " + text(field.ngrow) + " ghost cells, so " + text(nghost) +
                     " cannot be used");
}

template <int D>
void check_memory(const char* what, const Lease<D>& field) {
    if (field != nullptr && field->num_local() == field->layout->num_local()) return;
    throw StateError(std::string(what) +
                     ": the field has no memory: it is empty, cleared, or was made with alloc=False");
}

template <int D>
void check_local(const char* what, const HaloPlan<D>& plan) {
    if (plan.sends.empty() && plan.receives.empty()) return;
    throw StateError(std::string(what) + ": the field is spread over ranks, and this run has no message passing");
}

template <int D, class T>
void run_plan(const std::shared_ptr<const HaloPlan<D>>& plan, const Lease<D>& dst, const Lease<D>& src,
              const Run& run) {
    const Place work = place_of_work(dst->place());
    const Mirror<D> to(dst, work), from(src, work);
    if (work.is_plain()) {
        Runner<D, T>(*plan, *to.body(), *from.body(), run)();
    } else {
        run_on_device(work.device, detail::kernel_type<T>, plan, *to.body(), *from.body(), run);
    }
}

template void check_components(const char*, const FabBody<1>&, int, int);
template void check_ghosts(const char*, const FabBody<1>&, const IntVect<1>&);
template void check_memory(const char*, const Lease<1>&);
template void check_local(const char*, const HaloPlan<1>&);
template void run_plan<1, double>(const std::shared_ptr<const HaloPlan<1>>&, const Lease<1>&, const Lease<1>&,
                                  const Run&);
template void run_plan<1, float>(const std::shared_ptr<const HaloPlan<1>>&, const Lease<1>&, const Lease<1>&,
                                 const Run&);
template void run_plan<1, int>(const std::shared_ptr<const HaloPlan<1>>&, const Lease<1>&, const Lease<1>&, const Run&);
template void run_plan<1, std::int64_t>(const std::shared_ptr<const HaloPlan<1>>&, const Lease<1>&, const Lease<1>&,
                                        const Run&);
template void check_components(const char*, const FabBody<2>&, int, int);
template void check_ghosts(const char*, const FabBody<2>&, const IntVect<2>&);
template void check_memory(const char*, const Lease<2>&);
template void check_local(const char*, const HaloPlan<2>&);
template void run_plan<2, double>(const std::shared_ptr<const HaloPlan<2>>&, const Lease<2>&, const Lease<2>&,
                                  const Run&);
template void run_plan<2, float>(const std::shared_ptr<const HaloPlan<2>>&, const Lease<2>&, const Lease<2>&,
                                 const Run&);
template void run_plan<2, int>(const std::shared_ptr<const HaloPlan<2>>&, const Lease<2>&, const Lease<2>&, const Run&);
template void run_plan<2, std::int64_t>(const std::shared_ptr<const HaloPlan<2>>&, const Lease<2>&, const Lease<2>&,
                                        const Run&);
template void check_components(const char*, const FabBody<3>&, int, int);
template void check_ghosts(const char*, const FabBody<3>&, const IntVect<3>&);
template void check_memory(const char*, const Lease<3>&);
template void check_local(const char*, const HaloPlan<3>&);
template void run_plan<3, double>(const std::shared_ptr<const HaloPlan<3>>&, const Lease<3>&, const Lease<3>&,
                                  const Run&);
template void run_plan<3, float>(const std::shared_ptr<const HaloPlan<3>>&, const Lease<3>&, const Lease<3>&,
                                 const Run&);
template void run_plan<3, int>(const std::shared_ptr<const HaloPlan<3>>&, const Lease<3>&, const Lease<3>&, const Run&);
template void run_plan<3, std::int64_t>(const std::shared_ptr<const HaloPlan<3>>&, const Lease<3>&, const Lease<3>&,
                                        const Run&);

}  // namespace zerofab::halo
