// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// PODVector against std::vector, with views that must keep what they show.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "zerofab/memory/pod_vector.hpp"

using namespace zerofab;

namespace {

/// A share of a vector's memory and the values that it showed when it was taken.
struct View {
    AllocationPtr share;
    const long* data;
    std::vector<long> values;

    explicit View(const PODVector<long>& v) : share(v.share()), data(v.data()), values(v.begin(), v.end()) {}
    [[nodiscard]] bool holds() const { return std::vector<long>(data, data + values.size()) == values; }
};

std::vector<long> values_of(const PODVector<long>& v) { return {v.begin(), v.end()}; }

/// One random change of the size or storage, done to both.
void change(PODVector<long>& v, std::vector<long>& model, std::mt19937& random) {
    const auto upto = [&random](std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(0, most)(random);
    };
    const long number = static_cast<long>(random());
    switch (upto(8)) {
        case 0:
            v.push_back(number);
            model.push_back(number);
            break;
        case 1:
            if (!model.empty()) {
                v.pop_back();
                model.pop_back();
            }
            break;
        case 2: {
            const std::size_t size = upto(60);
            v.resize(size);
            model.resize(size);
            break;
        }
        case 3: {
            const std::size_t size = upto(60);
            v.resize(size, number, static_cast<GrowthStrategy>(upto(2)));
            model.resize(size, number);
            break;
        }
        case 4:
            v.reserve(upto(100), static_cast<GrowthStrategy>(upto(2)));
            break;
        case 5:
            v.shrink_to_fit();
            break;
        case 6:
            if (upto(3) == 0) {
                v.clear();
                model.clear();
            }
            break;
        case 7: {
            std::vector<long> fresh(upto(7), number);
            const std::size_t first = upto(model.size());
            std::size_t last = first + upto(model.size() - first);
            if (fresh.size() == last - first) {  // as many: written in place, which views see
                fresh.push_back(number);
            }
            v.splice(first, last, fresh.data(), fresh.size());
            const auto at = [&model](std::size_t n) { return model.begin() + static_cast<std::ptrdiff_t>(n); };
            model.erase(at(first), at(last));
            model.insert(at(first), fresh.begin(), fresh.end());
            break;
        }
        default:
            v.set_arena(upto(1) == 0 ? The_Pinned_Arena() : The_Cpu_Arena());
            break;
    }
}

}  // namespace

TEST_CASE("a vector is what std::vector is, and views keep what they show") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        PODVector<long> v(The_Cpu_Arena());
        std::vector<long> model;
        std::vector<View> views;
        for (int step = 0; step < 400; ++step) {
            if (random() % 4 == 0) {
                views.emplace_back(v);
            }
            if (random() % 8 == 0) {
                views.clear();
            }
            change(v, model, random);
            REQUIRE(values_of(v) == model);
            REQUIRE(v.capacity() >= v.size());
            REQUIRE(reinterpret_cast<std::uintptr_t>(v.data()) % 64 == 0);
            for (const View& view : views) {
                REQUIRE(view.holds());
            }
        }
    }
}

TEST_CASE("within the capacity too, a view keeps its values") {
    PODVector<int> v(std::size_t{10});
    v.reserve(100);
    v.assign(3);
    const AllocationPtr view = v.share();
    const int* shown = v.data();
    SUBCASE("resize down and up") {
        v.resize(5);
        v.resize(10, 9);
    }
    SUBCASE("pop and push") {
        v.pop_back();
        v.push_back(9);
    }
    SUBCASE("clear and fill") {
        v.clear();
        v.resize(10, 9);
    }
    SUBCASE("splice") {
        const int one = 9;
        v.splice(0, 2, &one, 1);
    }
    v[0] = 77;
    CHECK(std::vector<int>(shown, shown + 10) == std::vector<int>(10, 3));
}

TEST_CASE("without a view, memory stays within the capacity") {
    PODVector<int> v(std::size_t{10});
    v.reserve(100);
    const int* data = v.data();
    v.resize(50);
    v.push_back(1);
    v.pop_back();
    v.clear();
    v.resize(100, 4);
    CHECK(v.data() == data);
    CHECK(v[99] == 4);
    v.resize(10);
    const int three[] = {7, 8, 9};
    v.splice(2, 4, three, 3);
    v.splice(0, 5, three, 1);
    CHECK(v.data() == data);
    CHECK(v.capacity() == 100);
    CHECK(std::vector<int>(v.begin(), v.end()) == std::vector<int>{7, 4, 4, 4, 4, 4, 4});
}

TEST_CASE("elements of the vector itself may be added") {
    PODVector<int> v;
    v.push_back(1);
    for (int n = 0; n < 100; ++n) {
        v.push_back(v[0]);
    }
    CHECK(v.size() == 101);
    CHECK(v[100] == 1);
    for (int n = 0; n < 101; ++n) {
        v[static_cast<std::size_t>(n)] = n;
    }
    const std::vector<int> old(v.begin(), v.end());
    v.splice(50, 50, v.data() + 10, 80);
    CHECK(v.size() == 181);
    CHECK(std::equal(old.begin() + 10, old.begin() + 90, v.begin() + 50));
    CHECK(std::equal(old.begin() + 50, old.end(), v.begin() + 130));
}

TEST_CASE("adopted memory is never changed in size") {
    int foreign[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int released = 0;
    const auto make = [&] {
        return PODVector<int>::adopt(Allocation::adopt(foreign, sizeof foreign, {}, MemoryKind::host, &released,
                                                       [](void* count) noexcept { ++*static_cast<int*>(count); }),
                                     foreign + 2, 4);
    };
    {
        PODVector<int> v = make();
        CHECK(v.size() == 4);
        v[0] = 20;
        CHECK(foreign[2] == 20);
        SUBCASE("push_back") { v.push_back(9); }
        SUBCASE("pop_back and push_back") {
            v.pop_back();
            CHECK(v.size() == 3);
            v.push_back(9);
        }
        SUBCASE("resize") { v.resize(40, 9); }
        SUBCASE("clear") { v.clear(); }
        SUBCASE("reserve") { v.reserve(100); }
        SUBCASE("copy") { v = PODVector<int>(v); }
        CHECK(released == 1);
        v.assign(-1);
        CHECK(foreign[2] == 20);
        CHECK(foreign[3] == 3);
        CHECK(foreign[6] == 6);
    }
    CHECK(released == 1);
    make();
    CHECK(released == 2);
}

TEST_CASE("code that runs when old memory is released finds a whole vector, and may change it") {
    // So may another thread where freeing or waiting for a device releases Python's lock.
    struct Owner {
        PODVector<int>* vector = nullptr;
        std::size_t size = 0;
        bool clears = false, whole = false;
    };
    int foreign[4] = {1, 2, 3, 4};
    for (const bool clears : {false, true}) {
        for (int change = 0; change < 6; ++change) {
            Owner owner;
            auto v = PODVector<int>::adopt(Allocation::adopt(foreign, sizeof foreign, {}, MemoryKind::host, &owner,
                                                             [](void* context) noexcept {
                                                                 auto& found = *static_cast<Owner*>(context);
                                                                 PODVector<int>& it = *found.vector;
                                                                 found.size = it.size();
                                                                 found.whole = it.size() <= it.capacity();
                                                                 for (const int number : it) found.whole &= number < 10;
                                                                 if (!found.clears) return;
                                                                 it.clear();
                                                                 it.shrink_to_fit();
                                                             }),
                                           foreign, 4);
            owner.vector = &v;
            owner.clears = clears;
            const int more[] = {5, 6, 7};
            switch (change) {
                case 0:
                    v.push_back(5);
                    break;
                case 1:
                    v.pop_back();
                    break;
                case 2:
                    v.resize(9, 8);
                    break;
                case 3:
                    v.resize(1);
                    break;
                case 4:
                    v.splice(1, 2, more, 3);
                    break;
                default:
                    v.clear();
                    break;
            }
            const std::size_t sizes[] = {5, 3, 9, 1, 6, 0};
            CHECK(owner.whole);
            CHECK(owner.size == sizes[change]);
            CHECK(v.size() == (clears ? 0 : sizes[change]));
            CHECK(v.size() <= v.capacity());
        }
    }
}

TEST_CASE("sizes that no memory holds are refused, and nothing changes") {
    PODVector<double> v(std::size_t{3});
    v.assign(1.0);
    const double* data = v.data();
    for (const std::size_t size : {SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 16 + 1}) {
        CHECK_THROWS_AS(v.resize(size), MemoryError);
        CHECK_THROWS_AS(v.reserve(size), MemoryError);
        CHECK_THROWS_AS(v.splice(1, 2, data, size), MemoryError);
    }
    CHECK_THROWS_AS(PODVector<double>().pop_back(), IndexError);
    CHECK(v.size() == 3);
    CHECK(v.data() == data);
    CHECK(v[2] == 1.0);
}

TEST_CASE("growth strategies give room for at least what was asked") {
    for (const auto growth : {GrowthStrategy::Poisson, GrowthStrategy::Exact, GrowthStrategy::Geometric}) {
        for (std::size_t size = 1; size < 2000; size = size * 3 / 2 + 1) {
            PODVector<std::uint64_t> v;
            v.resize(size, growth);
            CHECK(v.capacity() >= size);
            v.resize(size + 1, growth);
            CHECK(v[size] == 0);
        }
    }
    PODVector<int> v;
    v.resize(100, GrowthStrategy::Exact);
    CHECK(v.capacity() == 100);
    // push_back is amortized: the number of moves grows with the logarithm
    PODVector<int> pushed;
    int moves = 0;
    for (int n = 0; n < 100000; ++n) {
        const int* data = pushed.data();
        pushed.push_back(n);
        moves += data != pushed.data() ? 1 : 0;
    }
    CHECK(moves < 40);
}

TEST_CASE("move and swap") {
    PODVector<int> a(std::size_t{5}, The_Pinned_Arena());
    a.assign(2);
    PODVector<int> b(std::move(a));
    CHECK(a.empty());  // NOLINT(bugprone-use-after-move): visibly empty
    CHECK(a.data() == nullptr);
    CHECK(b.size() == 5);
    CHECK(&b.arena() == &The_Pinned_Arena());
    PODVector<int> c;
    c = b;
    CHECK(c.size() == 5);
    CHECK(c.data() != b.data());
    c.swap(b);
    CHECK(c[4] == 2);
}

TEST_CASE("new elements for overwriting are what is written, and views keep theirs") {
    PODVector<int> v;
    v.resize_for_overwrite(5);
    for (int i = 0; i < 5; ++i) v[static_cast<std::size_t>(i)] = i;
    const AllocationPtr seen = v.share();
    const int* const old = v.data();
    v.resize_for_overwrite(9);
    CHECK(v.size() == 9);
    for (int i = 0; i < 5; ++i) {
        CHECK(v[static_cast<std::size_t>(i)] == i);
        v[static_cast<std::size_t>(i)] = 7;
        CHECK(old[i] == i);
    }
    v.resize_for_overwrite(0);
    CHECK(v.empty());
}
