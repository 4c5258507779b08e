// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/halo/halo_plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"

namespace zerofab {
namespace {

template <int D>
using Request = HaloRequest<D>;

/// A pair of boxes that meet, before it is cut into pieces: `common` is the part of the destination.
template <int D>
struct Meeting {
    int src, dst;  ///< global
    IntVect<D> shift;
    Box<D> common;
};

/// x counts most.
template <int D>
bool shift_before(const IntVect<D>& a, const IntVect<D>& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// Finds what meets, and cuts it into the boxes that are copied.
template <int D>
class Planner {
public:
    Planner(const BoxArray<D>& dst, const BoxArray<D>& src, const Request<D>& request)
        : dst_(dst), src_(src), request_(request), own_(request.kind != Request<D>::Kind::all) {
        for (int d = 0; d < D; ++d) {
            // A shared node has images on both ends of a period. Sums take all of them, ghost cells need only one.
            const bool both_ends = request.kind != Request<D>::Kind::ghosts && dst.ix_type().node_centered(d);
            int width = request.src_nghost[d] + request.dst_nghost[d] + (both_ends ? 1 : 0);
            // The owner is the lowest of all images, also where a period is shorter than the boxes.
            if (request.kind == Request<D>::Kind::owned) width = std::max(width, dst.minimal_box().length(d) - 1);
            const int period = request.period.period()[d];
            wraps_[d] = period > 0 ? std::max(1, detail::ceil_div(width, period)) : 0;
        }
    }

    /// Everything that flows into box `dst`, in order.
    void into(int dst, std::vector<Meeting<D>>& found) const {
        const Box<D> region = grow(dst_[dst], request_.dst_nghost);
        each_shift(region, grow(src_.minimal_box(), request_.src_nghost), [&](const IntVect<D>& shift) {
            const std::size_t first = found.size();
            src_.visit(region + shift, request_.src_nghost, [&](int src, const Box<D>& common) {
                if (!is_self(src, dst, shift)) found.push_back({src, dst, shift, common - shift});
                return true;
            });
            std::sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                      [](const auto& a, const auto& b) { return a.src < b.src; });
        });
    }

    /// Every destination box that box `src` flows into, each once.
    void from(int src, std::vector<int>& found) const {
        const Box<D> region = grow(src_[src], request_.src_nghost);
        each_shift(region, grow(dst_.minimal_box(), request_.dst_nghost), [&](const IntVect<D>& shift) {
            dst_.visit(region + shift, request_.dst_nghost, [&](int dst, const Box<D>&) {
                if (!is_self(src, dst, shift)) found.push_back(dst);
                return true;
            });
        });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }

    /// Call emit(meeting, box) for every box that is copied into destination `dst`, in order.
    template <class Emit>
    void pieces(int dst, std::vector<Meeting<D>>& meetings, Emit&& emit) const {
        switch (request_.kind) {
            case Request<D>::Kind::all:
            case Request<D>::Kind::others:
                for (const Meeting<D>& m : meetings) emit(m, m.common);
                return;
            case Request<D>::Kind::ghosts:
                for (const Meeting<D>& m : meetings) ghost_pieces(dst_[dst], m, emit);
                return;
            case Request<D>::Kind::owned:
                return owned_pieces(dst, meetings, emit);
        }
    }

private:
    bool is_self(int src, int dst, const IntVect<D>& shift) const {
        return own_ && src == dst && shift == IntVect<D>();
    }

    /// The shifts after which `region` may meet `bounds`, in order.
    template <class F>
    void each_shift(const Box<D>& region, const Box<D>& bounds, F&& f) const {
        IntVect<D> lo, hi;
        for (int d = 0; d < D; ++d) {
            const int period = request_.period.period()[d];
            if (period == 0) continue;
            const auto floor_div = [](Long a, Long b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); };
            const Long low = -floor_div(Long{region.big_end(d)} - bounds.small_end(d), period);
            const Long high = floor_div(Long{bounds.big_end(d)} - region.small_end(d), period);
            lo[d] = static_cast<int>(std::clamp<Long>(low, -wraps_[d], wraps_[d] + 1));
            hi[d] = static_cast<int>(std::clamp<Long>(high, -wraps_[d] - 1, wraps_[d]));
        }
        if (!lo.all_le(hi)) return;
        IntVect<D> at = lo;
        while (true) {
            f(at * request_.period.period());
            int d = D - 1;
            while (d >= 0 && at[d] == hi[d]) {
                at[d] = lo[d];
                --d;
            }
            if (d < 0) return;
            ++at[d];
        }
    }

    template <class Emit>
    void ghost_pieces(const Box<D>& valid, const Meeting<D>& m, Emit&& emit) const {
        if (!request_.cross) {
            parts_.clear();
            subtract(m.common, valid, parts_);
            for (const Box<D>& part : parts_) emit(m, part);
            return;
        }
        for (int d = 0; d < D; ++d) {
            const Box<D> arms = m.common & grow(valid, d, request_.dst_nghost[d]);
            if (arms.is_empty()) continue;
            parts_.clear();
            subtract(arms, valid, parts_);
            for (const Box<D>& part : parts_) emit(m, part);
        }
    }

    /// The owner of a point is the box of the lowest number that holds it or one of its images; in that box, the
    /// lowest image. So take the sources in this order, and give each what is left.
    template <class Emit>
    void owned_pieces(int dst, std::vector<Meeting<D>>& meetings, Emit&& emit) const {
        std::stable_sort(meetings.begin(), meetings.end(), [](const auto& a, const auto& b) {
            return a.src != b.src ? a.src < b.src : shift_before(a.shift, b.shift);
        });
        std::vector<Box<D>> left{dst_[dst]}, next;
        for (const Meeting<D>& m : meetings) {
            if (m.src > dst || (m.src == dst && !shift_before(m.shift, IntVect<D>()))) break;
            next.clear();
            for (const Box<D>& box : left) {
                const Box<D> common = box & m.common;
                if (common.ok()) {
                    emit(m, common);
                    subtract(box, common, next);
                } else {
                    next.push_back(box);
                }
            }
            left.swap(next);
            if (left.empty()) break;
        }
    }

    const BoxArray<D>& dst_;
    const BoxArray<D>& src_;
    const Request<D>& request_;
    bool own_;
    IntVect<D> wraps_;
    mutable std::vector<Box<D>> parts_;
};

/// Local numbers of a rank's boxes, -1 elsewhere.
std::vector<int> local_numbers(const std::vector<int>& owners, int rank) {
    std::vector<int> numbers(owners.size(), -1);
    int count = 0;
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] == rank) numbers[i] = count++;
    }
    return numbers;
}

/// Give staging memory to the copies that read points which other copies write.
template <int D>
void plan_staging(const BoxArray<D>& boxes, const std::vector<int>& locals, const Request<D>& request,
                  HaloPlan<D>& plan) {
    std::vector<Box<D>> written(locals.size());
    for (std::size_t i = 0; i < locals.size(); ++i) {
        if (locals[i] >= 0) written[static_cast<std::size_t>(locals[i])] = grow(boxes[i], request.dst_nghost);
    }
    for (HaloCopy<D>& copy : plan.copies) {
        if (!(copy.box + copy.shift).intersects(written[static_cast<std::size_t>(copy.src)])) continue;
        copy.stage = plan.staged;
        plan.staged += copy.box.num_pts();
    }
}

}  // namespace

template <int D>
std::size_t HaloPlan<D>::bytes() const noexcept {
    std::size_t all = copies.capacity();
    for (const auto& [rank, list] : sends) all += list.capacity();
    for (const auto& [rank, list] : receives) all += list.capacity();
    return sizeof *this + all * sizeof(HaloCopy<D>) + groups.capacity() * sizeof(Group);
}

template <int D>
HaloPlan<D> build_halo_plan(const BoxArray<D>& dst, const std::vector<int>& dst_owners, const BoxArray<D>& src,
                            const std::vector<int>& src_owners, const HaloRequest<D>& request, int rank) {
    if (dst.ix_type() != src.ix_type()) {
        throw ValueError("cannot move data between fabs of different index types: convert one of them");
    }
    const Planner<D> planner(dst, src, request);
    const std::vector<int> dst_local = local_numbers(dst_owners, rank);
    const bool same = &dst_owners == &src_owners;
    const std::vector<int> other = same ? std::vector<int>() : local_numbers(src_owners, rank);
    const std::vector<int>& src_local = same ? dst_local : other;

    const auto locals =
        static_cast<std::size_t>(std::count_if(dst_local.begin(), dst_local.end(), [](int i) { return i >= 0; }));
    HaloPlan<D> plan;
    std::vector<Meeting<D>> meetings;
    for (std::size_t i = 0; i < dst.size(); ++i) {
        if (dst_local[i] < 0) continue;
        const int number = static_cast<int>(i);
        const std::size_t first = plan.copies.size();
        meetings.clear();
        planner.into(number, meetings);
        planner.pieces(number, meetings, [&](const Meeting<D>& m, const Box<D>& box) {
            const auto from = static_cast<std::size_t>(m.src);
            if (src_owners[from] == rank) {
                plan.copies.push_back({src_local[from], dst_local[i], box, m.shift});
                plan.points += box.num_pts();
            } else {
                plan.receives[src_owners[from]].push_back({m.src, dst_local[i], box, m.shift});
            }
        });
        if (plan.copies.size() > first) plan.groups.push_back({dst_local[i], first, plan.copies.size()});
        if (plan.groups.size() == 8) plan.copies.reserve(plan.copies.size() / 8 * locals);  // the rest is much the same
    }

    // What others get from here is what they would find themselves, so that both lists agree.
    std::vector<int> targets, reached;
    const bool alone = std::all_of(dst_owners.begin(), dst_owners.end(), [&](int owner) { return owner == rank; });
    for (std::size_t i = 0; i < src.size() && !alone; ++i) {
        if (src_local[i] < 0) continue;
        reached.clear();
        planner.from(static_cast<int>(i), reached);
        for (const int number : reached) {
            if (dst_owners[static_cast<std::size_t>(number)] != rank) targets.push_back(number);
        }
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const int number : targets) {
        meetings.clear();
        planner.into(number, meetings);
        planner.pieces(number, meetings, [&](const Meeting<D>& m, const Box<D>& box) {
            const int from = src_local[static_cast<std::size_t>(m.src)];
            if (from >= 0)
                plan.sends[dst_owners[static_cast<std::size_t>(number)]].push_back({from, number, box, m.shift});
        });
    }

    if (request.kind == HaloRequest<D>::Kind::others) plan_staging(dst, dst_local, request, plan);
    // Along x, neighbours touch the same cache lines: let them follow each other.
    std::vector<IntVect<D>> low;
    for (std::size_t i = 0; i < dst.size(); ++i) {
        if (dst_local[i] >= 0) low.push_back(dst.cells()[i].small_end());
    }
    std::stable_sort(plan.groups.begin(), plan.groups.end(), [&](const auto& a, const auto& b) {
        return low[static_cast<std::size_t>(a.dst)].lex_less(low[static_cast<std::size_t>(b.dst)]);
    });
    if (plan.copies.capacity() > plan.copies.size() / 2 * 3) plan.copies.shrink_to_fit();
    return plan;
}

template <int D>
std::shared_ptr<const HaloPlan<D>> halo_plan(const FabLayout<D>& dst, const FabLayout<D>& src,
                                             const HaloRequest<D>& request) {
    PlanCache::Key key;
    key.reserve(4 + 3 * D);
    key.insert(key.end(), {src.id(), static_cast<std::int64_t>(request.kind), request.cross ? 1 : 0});
    for (int d = 0; d < D; ++d) {
        key.insert(key.end(), {request.src_nghost[d], request.dst_nghost[d], request.period.period()[d]});
    }
    const auto make = [&] {
        const auto& dst_owners = dst.owners().processor_map();
        const auto& src_owners = src.owners().processor_map();
        return build_halo_plan(dst.boxes(), dst_owners, src.boxes(), src_owners, request, communicator().rank());
    };
    return dst.plans().template get<HaloPlan<D>>(key, make, &src.plans());
}

#define ZEROFAB_INSTANTIATE(D)                                                                            \
    template struct HaloPlan<D>;                                                                          \
    template HaloPlan<D> build_halo_plan(const BoxArray<D>&, const std::vector<int>&, const BoxArray<D>&, \
                                         const std::vector<int>&, const HaloRequest<D>&, int);            \
    template std::shared_ptr<const HaloPlan<D>> halo_plan(const FabLayout<D>&, const FabLayout<D>&,       \
                                                          const HaloRequest<D>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
