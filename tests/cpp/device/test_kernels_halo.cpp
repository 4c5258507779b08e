// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels that run a halo plan, in the host build of their text, against the library's own operations on the host.
#include <doctest/doctest.h>

#include <algorithm>

#include "../halo/reference.hpp"
#include "kernel_runner.hpp"

namespace zerofab {
namespace {

using test::Launcher;

template <int D>
std::vector<zf_fab> table_of(const FabBody<D>& field) {
    std::vector<zf_fab> table;
    for (const FabMemory<D>& memory : field.fabs) {
        zf_fab fab{test::address(memory.data), {0, 0, 0}, {1, 1, 1}, 0, 0, 0};
        for (int d = 0; d < D; ++d) {
            fab.lo[d] = memory.box.small_end(d);
            fab.len[d] = memory.box.length(d);
        }
        fab.jstride = fab.len[0];
        fab.kstride = fab.jstride * fab.len[1];
        fab.nstride = fab.kstride * fab.len[2];
        table.push_back(fab);
    }
    return table;
}

template <int D>
zf_copy copy_of(const HaloCopy<D>& from) {
    zf_copy copy{from.src, from.dst, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, 0, from.stage};
    for (int d = 0; d < D; ++d) {
        copy.lo[d] = from.box.small_end(d);
        copy.len[d] = from.box.length(d);
        copy.shift[d] = from.shift[d];
    }
    return copy;
}

/// The copies in rounds: none of a round meets another, and those that meet are in the plan's order.
template <int D>
std::vector<std::vector<zf_copy>> rounds_of(const HaloPlan<D>& plan) {
    std::vector<std::vector<zf_copy>> rounds;
    for (const auto& group : plan.groups) {
        std::vector<std::size_t> round(group.last - group.first);
        for (std::size_t c = group.first; c < group.last; ++c) {
            for (std::size_t e = group.first; e < c; ++e) {
                if ((plan.copies[c].box & plan.copies[e].box).is_empty()) continue;
                round[c - group.first] = std::max(round[c - group.first], round[e - group.first] + 1);
            }
            rounds.resize(std::max(rounds.size(), round[c - group.first] + 1));
            rounds[round[c - group.first]].push_back(copy_of(plan.copies[c]));
        }
    }
    return rounds;
}

template <int D, class T>
struct Device {
    Launcher& random;
    const char* kernel;
    int scomp, dcomp, ncomp;

    /// Run a plan; `stage_all`: all goes through the buffer.
    void run(const HaloPlan<D>& plan, const Lease<D>& dst, const Lease<D>& src, bool stage_all) {
        const std::vector<zf_fab> to = table_of(*dst), from = table_of(*src);
        std::vector<std::vector<zf_copy>> rounds = rounds_of(plan);
        k_i64 staged = plan.staged;
        for (auto& round : rounds) {
            for (zf_copy& copy : round) {
                if (!stage_all) continue;
                copy.stage = staged;
                staged += k_i64{copy.len[0]} * copy.len[1] * copy.len[2];
            }
        }
        std::vector<T> buffer(static_cast<std::size_t>(staged * ncomp));
        for (const auto& round : rounds) pack(round, from, buffer);
        for (const auto& round : rounds) {
            random.choose(static_cast<std::int64_t>(round.size()));
            random(kernel, test::kernel_type<T>,
                   {round.data(), static_cast<std::int64_t>(round.size()), ncomp, to.data(), dcomp, from.data(), scomp,
                    buffer.data()});
        }
    }
    void pack(const std::vector<zf_copy>& copies, const std::vector<zf_fab>& from, std::vector<T>& buffer) {
        random.choose(static_cast<std::int64_t>(copies.size()));
        random("halo_pack", test::kernel_type<T>,
               {copies.data(), static_cast<std::int64_t>(copies.size()), ncomp, from.data(), scomp, buffer.data()});
    }
};

template <int D, class T>
Lease<D> random_field(const BoxArray<D>& ba, int ncomp, const IntVect<D>& ngrow, test::Random& random) {
    const Lease<D> field = make_body(ba, test::one_rank(ba), ncomp, ngrow, MFInfo(), dtype_of<T>);
    test::fill_random<D, T>(field, random);
    return field;
}

template <int D, class T>
void copy_values(const Lease<D>& to, const Lease<D>& from) {
    for (std::size_t i = 0; i < from->fabs.size(); ++i) {
        const auto* data = static_cast<const T*>(from->fabs[i].data);
        std::copy_n(data, from->fabs[i].box.num_pts() * from->ncomp, static_cast<T*>(to->fabs[i].data));
    }
}

template <int D, class T>
void check_one_field(test::Random& random, Launcher& launcher) {
    using Kind = typename HaloRequest<D>::Kind;
    const BoxArray<D> ba = test::random_layout<D>(random, random.in(0, 3) == 0);
    const IntVect<D> ngrow = random.vect<D>(0, 3), a = min(ngrow, random.vect<D>(0, 3)),
                     b = min(ngrow, random.vect<D>(0, 2));
    const Periodicity<D> period = test::random_period(random, ba);
    const int ncomp = random.in(1, 3), comp = random.in(0, ncomp - 1), many = random.in(1, ncomp - comp);
    const Lease<D> field = random_field<D, T>(ba, ncomp, ngrow, random),
                   other = random_field<D, T>(ba, ncomp, ngrow, random);

    copy_values<D, T>(other, field);
    const bool cross = random.in(0, 2) == 0;
    fill_boundary(field, comp, many, a, period, cross);
    const HaloRequest<D> ghosts{Kind::ghosts, IntVect<D>(), a, period, cross};
    if (a != IntVect<D>()) {
        const auto plan = halo_plan(*field->layout, *field->layout, ghosts);
        Device<D, T>{launcher, "halo_copy", comp, comp, many}.run(*plan, other, other, random.in(0, 2) == 0);
    }
    CHECK(test::values_of<D, T>(other) == test::values_of<D, T>(field));

    sum_boundary(field, comp, many, a, b, period);
    const auto sum = halo_plan(*field->layout, *field->layout, HaloRequest<D>{Kind::others, a, b, period, false});
    Device<D, T>{launcher, "halo_add", comp, comp, many}.run(*sum, other, other, random.in(0, 2) == 0);
    CHECK(test::values_of<D, T>(other) == test::values_of<D, T>(field));
}

template <int D, class T>
void check_two_fields(test::Random& random, Launcher& launcher) {
    const BoxArray<D> to_boxes = test::random_layout<D>(random, true);
    BoxArray<D> from_boxes = test::random_layout<D>(random, true);
    from_boxes.convert(to_boxes.ix_type());
    const IntVect<D> to_ghosts = random.vect<D>(0, 2), from_ghosts = random.vect<D>(0, 2);
    const Periodicity<D> period = test::random_period(random, to_boxes);
    const Lease<D> to = random_field<D, T>(to_boxes, 3, to_ghosts, random),
                   other = random_field<D, T>(to_boxes, 3, to_ghosts, random);
    const Lease<D> from = random_field<D, T>(from_boxes, 2, from_ghosts, random);
    const int many = random.in(1, 2), dcomp = random.in(0, 3 - many), scomp = random.in(0, 2 - many);
    const bool add = random.in(0, 1) == 0;
    copy_values<D, T>(other, to);
    parallel_copy(to, from, scomp, dcomp, many, from_ghosts, to_ghosts, period, add ? CopyOp::add : CopyOp::copy);
    const auto plan = halo_plan(*to->layout, *from->layout,
                                HaloRequest<D>{HaloRequest<D>::Kind::all, from_ghosts, to_ghosts, period, false});
    Device<D, T>{launcher, add ? "halo_add" : "halo_copy", scomp, dcomp, many}.run(*plan, other, from,
                                                                                   random.in(0, 1) == 0);
    CHECK(test::values_of<D, T>(other) == test::values_of<D, T>(to));
}

TEST_CASE_TEMPLATE("kernels run halo plans as the host does", T, double, float, int, std::int64_t) {
    const test::HostRun run;
    test::Random random(21);
    for (const auto& runner : test::runners()) {
        Launcher launcher(22, runner);
        for (int n = 0; n < (runner ? 8 : 25); ++n) {
            check_one_field<1, T>(random, launcher);
            check_one_field<2, T>(random, launcher);
            check_one_field<3, T>(random, launcher);
            check_two_fields<1, T>(random, launcher);
            check_two_fields<2, T>(random, launcher);
            check_two_fields<3, T>(random, launcher);
        }
    }
}

}  // namespace
}  // namespace zerofab
