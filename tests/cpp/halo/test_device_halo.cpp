// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Halo operations on fields in memory of a device, and of the host and a device mixed, against the host's.
#include <doctest/doctest.h>

#include <cstdint>

#include "device/backends.hpp"
#include "reference.hpp"

namespace zerofab {
namespace {

using test::on_all_devices;
using test::Random;
using test::Twin;

/// What every check begins with.
template <int D>
struct Setting {
    Random random;
    std::mt19937 numbers;
    BoxArray<D> boxes = test::random_layout<D>(random, random.in(0, 2) == 0);
    IntVect<D> ngrow = random.vect<D>(0, 3);
    Periodicity<D> period = test::random_period(random, boxes);
    int ncomp = random.in(1, 3), scomp = random.in(0, ncomp - 1), many = random.in(1, ncomp - scomp);

    explicit Setting(unsigned seed) : random(seed), numbers(seed) {}
    Arena& arena() { return test::arena_number(random.in(0, 2) == 0 ? random.in(1, 3) : 0); }
    IntVect<D> ghosts() { return min(ngrow, random.vect<D>(0, 3)); }
};

template <int D, class T>
void check_ghosts(unsigned seed) {
    Setting<D> s(seed);
    const Twin<D, T> a(s.boxes, s.ncomp, s.ngrow, s.arena(), s.numbers);
    const IntVect<D> nghost = s.ghosts(), more = s.ghosts();
    const bool cross = s.random.in(0, 2) == 0;
    for (int round = 0; round < 2; ++round) {  // the second time with the tables of the first
        for (const auto& field : {a.host, a.other}) {
            fill_boundary(field.lease(), s.scomp, s.many, nghost, s.period, cross);
        }
        CHECK(a.same());
        for (const auto& field : {a.host, a.other}) {
            sum_boundary(field.lease(), s.scomp, s.many, nghost, more, s.period);
        }
        CHECK(a.same());
    }
}

template <int D, class T>
void check_parallel_copy(unsigned seed) {
    Setting<D> s(seed);
    BoxArray<D> to = test::random_layout<D>(s.random, s.random.in(0, 2) == 0);
    to.convert(s.boxes.ix_type());
    const Twin<D, T> src(s.boxes, s.ncomp, s.ngrow, s.arena(), s.numbers);
    const Twin<D, T> dst(to, s.ncomp, s.ngrow, s.arena(), s.numbers);
    const IntVect<D> src_nghost = s.ghosts(), dst_nghost = s.ghosts();
    const int dcomp = s.random.in(0, s.ncomp - s.many);
    for (const CopyOp op : {CopyOp::copy, CopyOp::add}) {
        const auto copy = [&](const auto& into, const auto& from) {
            parallel_copy(into.lease(), from.lease(), s.scomp, dcomp, s.many, src_nghost, dst_nghost, s.period, op);
        };
        copy(dst.host, src.host), copy(dst.other, src.other);
        CHECK(dst.same());
        copy(src.host, src.host), copy(src.other, src.other);
        CHECK(src.same());
    }
}

template <int D, class T>
void check_nodes(unsigned seed) {
    Setting<D> s(seed);
    const Twin<D, T> a(s.boxes, s.ncomp, s.ngrow, s.arena(), s.numbers);
    const Twin<D, T> weight(s.boxes, 1, s.ngrow, s.arena(), s.numbers);
    Twin<D, int> owners(s.boxes, 1, IntVect<D>(), s.arena(), s.numbers);
    owners.host = FabArray<D, int>(owner_mask(a.host.lease(), s.period));
    owners.other = FabArray<D, int>(owner_mask(a.other.lease(), s.period));
    CHECK(owners.same());
    CHECK(owners.other.lease()->space() == a.other.lease()->space());
    weighted_sync(a.host.lease(), weight.host.lease(), s.period);
    weighted_sync(a.other.lease(), weight.other.lease(), s.period);
    CHECK(a.same());
    for (const auto& field : {a.host, a.other}) {
        if constexpr (!std::is_integral_v<T>) average_sync(field.lease(), s.period);
        override_sync(field.lease(), s.scomp, s.many, s.period);
    }
    CHECK(a.same());
    const Twin<D, T> b(s.boxes, s.ncomp, s.ngrow, s.arena(), s.numbers);
    override_sync(b.host.lease(), owners.host.lease(), s.period);
    override_sync(b.other.lease(), owners.other.lease(), s.period);
    CHECK(b.same());
}

template <class F>
void all_types_and_dimensions(F f) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        INFO("seed ", seed);
        f.template operator()<1, double>(seed), f.template operator()<2, double>(seed);
        f.template operator()<3, double>(seed), f.template operator()<2, float>(seed);
        f.template operator()<3, int>(seed), f.template operator()<2, int>(seed);
    }
}

TEST_CASE("ghost cells of devices are filled and summed as on the host") {
    on_all_devices([](const std::string&) {
        all_types_and_dimensions([]<int D, class T>(unsigned seed) { check_ghosts<D, T>(seed); });
        for (unsigned seed = 0; seed < 4; ++seed) check_ghosts<2, std::int64_t>(seed);
    });
}

TEST_CASE("copies between layouts on devices do what they do on the host") {
    on_all_devices([](const std::string&) {
        all_types_and_dimensions([]<int D, class T>(unsigned seed) { check_parallel_copy<D, T>(seed); });
    });
}

TEST_CASE("shared nodes on devices are made the same as on the host") {
    on_all_devices([](const std::string&) {
        all_types_and_dimensions([]<int D, class T>(unsigned seed) { check_nodes<D, T>(seed); });
    });
}

TEST_CASE("a field on a device of one box that is its own neighbour") {
    on_all_devices([](const std::string&) {
        std::mt19937 numbers(1);
        const BoxArray<3> boxes(Box<3>(IntVect<3>(0), IntVect<3>(3)));
        const Twin<3, double> a(boxes, 2, IntVect<3>(3), The_Device_Arena(), numbers);
        for (const auto& field : {a.host, a.other}) {
            fill_boundary(field.lease(), 0, 2, IntVect<3>(3), Periodicity<3>(IntVect<3>(4)));
        }
        CHECK(a.same());
    });
}

}  // namespace
}  // namespace zerofab
