// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Global indexing against a table of all cells.
#include <doctest/doctest.h>

#include <limits>
#include <map>
#include <vector>

#include "mesh/random_boxes.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/mesh/global_index.hpp"

using namespace zerofab;
using zerofab::test::Random;
using Kind = IndexBound::Kind;

namespace {

struct Running {
    Running() { Runtime::initialize(); }
    ~Running() { Runtime::finalize(); }
};

IndexBound integer(Long value) { return {Kind::integer, value}; }
IndexBound imaginary(Long value) { return {Kind::imaginary, value}; }
constexpr IndexBound open{};

template <int D>
struct Case {
    Box<D> domain;
    MultiFab<D> field;
    std::map<std::array<int, D + 1>, double> table;  ///< what a read must give

    static Real value(int global, const IntVect<D>& p, int n) {
        Real v = global + 1;
        for (int d = 0; d < D; ++d) v = v * 1000 + p[d] + 100;
        return v * 10 + n;
    }
    static std::array<int, D + 1> key(const IntVect<D>& p, int n) {
        std::array<int, D + 1> k{};
        for (int d = 0; d < D; ++d) k[static_cast<std::size_t>(d)] = p[d];
        k[D] = n;
        return k;
    }

    explicit Case(Random& random) : domain(random.box<D>(20, 24)) {
        BoxArray<D> boxes(domain);
        boxes.max_size(random.in(3, 12));
        if (random.in(0, 3) == 0 && boxes.size() > 2) {  // a hole
            std::vector<Box<D>> fewer = boxes.to_vector();
            fewer.erase(fewer.begin() + 1);
            boxes.define(fewer);
        }
        boxes.convert(random.type<D>());
        if (random.in(0, 2) == 0) {  // a plane of nodes, apart from all others
            for (int d = 0; d < D; ++d) {
                if (!boxes.ix_type().node_centered(d)) continue;
                std::vector<Box<D>> more = boxes.to_vector();
                more.push_back(Box<D>(domain).convert(boxes.ix_type()).make_slab(d, domain.big_end(d) + 5));
                boxes.define(more);
                break;
            }
        }
        domain = boxes.minimal_box();
        const IntVect<D> ngrow = random.vect<D>(0, 2);
        const int ncomp = random.in(1, 3);
        field.define(boxes, DistributionMapping(boxes), ncomp, ngrow);
        for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
            const Array4<Real> a = field.array(i);
            for (int n = 0; n < ncomp; ++n) {
                for_each_point(grow(boxes[i], ngrow), [&](const IntVect<D>& p) {
                    at(a, p, n) = value(i, p, n);
                    table[key(p, n)] = value(i, p, n);  // a ghost cell of the last box, unless a valid one replaces it
                });
            }
        }
        for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
            for (int n = 0; n < ncomp; ++n) {
                for_each_point(grow(boxes[i], ngrow), [&](const IntVect<D>& p) {
                    const IntVect<D> inner = min(max(p, domain.small_end()), domain.big_end());
                    if (boxes[i].contains(inner)) table[key(p, n)] = value(i, p, n);  // later boxes win
                });
            }
        }
    }
    static Real& at(const Array4<Real>& a, const IntVect<D>& p, int n) {
        return a(p[0], D > 1 ? p[D > 1 ? 1 : 0] : 0, D > 2 ? p[D > 2 ? 2 : 0] : 0, n);
    }
};

template <int D>
GlobalSelection<D> random_selection(Random& random, const FabBody<D>& body) {
    GlobalSelection<D> selection;
    for (int axis = 0; axis <= D; ++axis) {
        const AxisDomain domain = axis_domain(body, axis);
        const auto pick = [&] {
            return random.in(static_cast<int>(domain.low - domain.ghosts),
                             static_cast<int>(domain.high + domain.ghosts));
        };
        const int a = pick(), b = pick(), step = random.in(1, 4) * (a <= b ? 1 : -1);
        AxisRange& range = axis < D ? selection.cells[static_cast<std::size_t>(axis)] : selection.comps;
        range = {a, step, (b - a) / step + 1};
    }
    return selection;
}

/// Call f(position, cell, component) for all selected numbers, x fastest.
template <int D, class F>
void for_each_selected(const GlobalSelection<D>& selection, F f) {
    IntVect<D> last;
    for (int d = 0; d < D; ++d) last[d] = static_cast<int>(selection.cells[static_cast<std::size_t>(d)].count) - 1;
    std::size_t position = 0;
    for (Long n = 0; n < selection.comps.count; ++n) {
        for_each_point(Box<D>(IntVect<D>(), last), [&](const IntVect<D>& t) {
            IntVect<D> p;
            for (int d = 0; d < D; ++d) p[d] = static_cast<int>(selection.cells[static_cast<std::size_t>(d)].at(t[d]));
            f(position++, p, static_cast<int>(selection.comps.at(n)));
        });
    }
}

template <int D>
SelectionStrides<D> compact(const GlobalSelection<D>& selection) {
    SelectionStrides<D> strides;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < D; ++d) {
        strides[d] = stride;
        stride *= selection.cells[d].count;
    }
    strides[D] = stride;
    return strides;
}

template <int D>
void reads_agree_with_the_table(unsigned seed) {
    const Running running;
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
        const Case<D> test(random);
        const FabBody<D>& body = *test.field.lease();
        for (int query = 0; query < 5; ++query) {
            const GlobalSelection<D> selection = random_selection<D>(random, body);
            std::vector<double> got(static_cast<std::size_t>(selection.size()), -1.0);
            read_selection(body, selection, got.data(), compact(selection));
            int wrong = 0;
            for_each_selected(selection, [&](std::size_t position, const IntVect<D>& p, int n) {
                const auto known = test.table.find(test.key(p, n));
                const double want = known == test.table.end() ? 0.0 : known->second;
                wrong += got[position] != want ? 1 : 0;
                const auto* element = static_cast<const double*>(find_element(body, p, n));
                wrong += known == test.table.end() ? element != nullptr : element == nullptr || *element != want;
            });
            CHECK(wrong == 0);
        }
    }
}

template <int D>
void writes_reach_every_copy(unsigned seed) {
    const Running running;
    Random random(seed);
    for (int round = 0; round < 60; ++round) {
        const Case<D> test(random);
        const FabBody<D>& body = *test.field.lease();
        const GlobalSelection<D> selection = random_selection<D>(random, body);
        std::vector<double> values(static_cast<std::size_t>(selection.size()));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = -1.0 - static_cast<double>(i);
        std::map<std::array<int, D + 1>, double> written;
        for_each_selected(selection, [&](std::size_t position, const IntVect<D>& p, int n) {
            written[test.key(p, n)] = values[position];
        });
        bool any = false;
        for (int i = 0; i < body.num_local(); ++i) {
            for_each_point(body.fabs[static_cast<std::size_t>(i)].box, [&](const IntVect<D>& p) {
                for (int n = 0; n < body.ncomp; ++n) any = any || written.count(test.key(p, n)) > 0;
            });
        }
        if (!any) {
            CHECK_THROWS_AS(write_selection(body, selection, values.data(), compact(selection)), IndexError);
            continue;
        }
        if (round % 2 == 0) {
            write_selection(body, selection, values.data(), compact(selection));
        } else {
            for_each_selected(selection, [&](std::size_t position, const IntVect<D>& p, int n) {
                (void)write_element(body, p, n, &values[position]);
            });
        }
        int wrong = 0;
        for (int i = 0; i < body.num_local(); ++i) {
            for_each_point(body.fabs[static_cast<std::size_t>(i)].box, [&](const IntVect<D>& p) {
                for (int n = 0; n < body.ncomp; ++n) {
                    const auto set = written.find(test.key(p, n));
                    const double want = set == written.end() ? test.value(i, p, n) : set->second;
                    wrong += test.at(test.field.array(i), p, n) != want ? 1 : 0;
                }
            });
        }
        CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("what numbers mean") {
    const AxisDomain domain{10, 19, 2, 'x'};
    CHECK(global_index_of(integer(12), domain) == 12);
    CHECK(global_index_of(integer(-1), domain) == 19);
    CHECK(global_index_of(integer(-10), domain) == 10);
    CHECK(global_index_of(imaginary(0), domain) == 10);
    CHECK(global_index_of(imaginary(-2), domain) == 8);
    CHECK(global_index_of(imaginary(2), domain) == 21);
    CHECK(select_one(integer(8), domain).first == 8);
    CHECK_THROWS_AS((void)select_one(integer(7), domain), IndexError);
    CHECK_THROWS_AS((void)select_one(integer(22), domain), IndexError);
    CHECK_THROWS_AS((void)select_one(integer(-11), domain), IndexError);
    CHECK_THROWS_AS((void)select_slice(integer(-11), open, 1, domain), IndexError);
    CHECK_THROWS_AS((void)select_one(imaginary(-3), domain), IndexError);
    CHECK_THROWS_AS((void)select_one(integer(std::numeric_limits<Long>::max()), domain), IndexError);
    CHECK_THROWS_AS((void)select_one(integer(std::numeric_limits<Long>::min()), domain), IndexError);
}

TEST_CASE("slices") {
    const AxisDomain domain{10, 19, 2, 'x'};
    const auto is = [](const AxisRange& range, Long first, Long last, Long count) {
        return range.first == first && range.count == count && range.at(count - 1) == last;
    };
    CHECK(is(select_slice(open, open, 1, domain), 10, 19, 10));
    CHECK(is(select_slice(open, open, -1, domain), 19, 10, 10));
    CHECK(is(select_slice(open, open, 3, domain), 10, 19, 4));
    CHECK(is(select_slice(open, open, -4, domain), 19, 11, 3));
    CHECK(is(select_slice(imaginary(-1), imaginary(2), 1, domain), 9, 20, 12));
    CHECK(is(select_slice(integer(12), integer(-1), 1, domain), 12, 18, 7));
    CHECK(is(select_slice(integer(12), open, std::numeric_limits<Long>::max(), domain), 12, 12, 1));
    CHECK(is(select_slice(integer(12), open, std::numeric_limits<Long>::min(), domain), 12, 12, 1));
    CHECK(select_slice(integer(15), integer(12), 1, domain).count == 0);
    CHECK(select_slice(integer(99), integer(99), 1, domain).count == 0);
    CHECK_THROWS_AS((void)select_slice(integer(12), integer(99), 1, domain), IndexError);
    CHECK_THROWS_AS((void)select_slice(integer(0), integer(12), 1, domain), IndexError);
    CHECK_THROWS_AS((void)select_slice(open, open, 0, domain), ValueError);
    CHECK(is(select_all(domain, false), 10, 19, 10));
    CHECK(is(select_all(domain, true), 8, 21, 14));
}

TEST_CASE("reads agree with a table of all cells") {
    reads_agree_with_the_table<1>(61);
    reads_agree_with_the_table<2>(62);
    reads_agree_with_the_table<3>(63);
}

TEST_CASE("writes reach every copy of a cell and nothing else") {
    writes_reach_every_copy<1>(71);
    writes_reach_every_copy<2>(72);
    writes_reach_every_copy<3>(73);
}

TEST_CASE("large copies, on several threads, and values of the field itself") {
    const Running running;
    const BoxArray<3> boxes = BoxArray<3>(Box<3>(IntVect<3>(0), IntVect<3>(39))).max_size(8);
    MultiFab<3> field(boxes, DistributionMapping(boxes), 1, IntVect<3>(1));
    const FabBody<3>& body = *field.lease();
    GlobalSelection<3> all;
    for (int d = 0; d < 3; ++d) all.cells[static_cast<std::size_t>(d)] = select_all(axis_domain(body, d), true);
    all.comps = {0, 1, 1};
    std::vector<double> in(static_cast<std::size_t>(all.size())), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i);
    write_selection(body, all, in.data(), compact(all));
    read_selection(body, all, out.data(), compact(all));
    CHECK(in == out);
    CHECK_FALSE(overlaps(body, all, in.data(), in.data() + in.size()));
    CHECK(overlaps(body, all, body.fabs[3].data, static_cast<char*>(body.fabs[3].data) + 8));
    GlobalSelection<3> elsewhere = all;
    elsewhere.cells[0] = {0, 1, 1};
    CHECK_FALSE(overlaps(body, elsewhere, body.fabs[4].data, static_cast<char*>(body.fabs[4].data) + 8));
}

TEST_CASE("bad selections change nothing") {
    const Running running;
    const BoxArray<1> boxes(Box<1>(IntVect<1>(0), IntVect<1>(9)));
    MultiFab<1> field(boxes, DistributionMapping(boxes), 1, IntVect<1>(0));
    const FabBody<1>& body = *field.lease();
    for (int i = 0; i < 10; ++i) field.array(0)(i, 0, 0) = i;
    const double value = -1;
    const auto refused = [&](AxisRange cells, AxisRange comps) {
        const GlobalSelection<1> selection{{cells}, comps};
        CHECK_THROWS_AS(write_selection(body, selection, &value, {0, 0}), IndexError);
        double out = 0;
        CHECK_THROWS_AS(read_selection(body, selection, &out, {0, 0}), IndexError);
    };
    refused({0, 1, 11}, {0, 1, 1});
    refused({9, -1, 11}, {0, 1, 1});
    refused({0, 1, 1}, {1, 1, 1});
    for (int i = 0; i < 10; ++i) CHECK(field.array(0)(i, 0, 0) == i);
    MFInfo info;
    info.alloc = false;
    MultiFab<1> bare(boxes, DistributionMapping(boxes), 1, IntVect<1>(0), info);
    CHECK_THROWS_AS(write_selection(*bare.lease(), GlobalSelection<1>{{AxisRange{0, 1, 1}}, {0, 1, 1}}, &value, {0, 0}),
                    StateError);
}
