// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels for vectors, strided tensors and rows in an order, in the host build of their text, against plain loops.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "kernel_runner.hpp"

namespace zerofab {
namespace {

using test::Launcher;

template <class T>
std::vector<T> random_vector(Launcher& random, std::size_t size) {
    std::vector<T> v(size);
    for (T& x : v) x = static_cast<T>(random.in(-1000, 1000));
    return v;
}

template <class T>
void check_vectors(Launcher& random) {
    const auto type = test::kernel_type<T>;
    const auto size = random.in(0, 300), other = random.in(0, 300);
    const T a = static_cast<T>(random.in(-9, 9)), b = static_cast<T>(random.in(-9, 9));
    std::vector<T> v(static_cast<std::size_t>(size) + 1, T{99});
    random.choose(0);
    random("vector_fill", type, {v.data(), size, a});
    CHECK(std::count(v.begin(), v.end() - 1, a) == size);
    random("vector_iota", type, {v.data(), size, a, b});
    for (std::int64_t i = 0; i < size; ++i) CHECK(v[static_cast<std::size_t>(i)] == a + static_cast<T>(i) * b);
    CHECK(v.back() == T{99});

    const std::vector<T> from = random_vector<T>(random, static_cast<std::size_t>(other));
    std::vector<std::int64_t> index(static_cast<std::size_t>(size));
    for (auto& i : index) i = random.in(-3, other + 2);
    std::vector<T> got(index.size(), T{7});
    random("vector_gather", type, {got.data(), size, from.data(), other, index.data()});
    for (std::size_t i = 0; i < index.size(); ++i) {
        CHECK(got[i] == (index[i] >= 0 && index[i] < other ? from[static_cast<std::size_t>(index[i])] : T{0}));
    }

    std::vector<std::int64_t> places(static_cast<std::size_t>(other));
    std::iota(places.begin(), places.end(), -2);
    for (std::size_t i = places.size(); i > 1; --i)
        std::swap(places[i - 1], places[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
    std::vector<T> to = random_vector<T>(random, static_cast<std::size_t>(size)), wanted = to;
    random("vector_scatter", type, {to.data(), size, from.data(), other, places.data()});
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= 0 && places[i] < size) wanted[static_cast<std::size_t>(places[i])] = from[i];
    }
    CHECK(to == wanted);
    if constexpr (std::is_same_v<T, int>) {
        std::vector<std::int64_t> inverse(static_cast<std::size_t>(size), -1);
        random("vector_invert", type, {inverse.data(), size, places.data(), other});
        for (std::int64_t i = 0; i < size; ++i) {
            const auto at = std::find(places.begin(), places.end(), i);
            CHECK(inverse[static_cast<std::size_t>(i)] == (at == places.end() ? -1 : at - places.begin()));
        }
    }
}

void check_strided_copy(Launcher& random, std::size_t bytes) {
    constexpr std::size_t axes = 8;
    std::array<std::int64_t, axes> lengths{}, to_strides{}, from_strides{};
    std::int64_t count = 1;
    for (auto& n : lengths) {
        n = random.in(0, 1) == 0 || count > 5000 ? 1 : random.in(random.in(0, 30) == 0 ? 0 : 1, 5);
        count *= n;
    }
    // Axes in any order of memory, forwards or backwards, with gaps.
    const auto strides = [&](auto& all, std::int64_t& first) {
        std::array<std::size_t, axes> order;
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = axes; i > 1; --i)
            std::swap(order[i - 1], order[static_cast<std::size_t>(random.in(0, static_cast<std::int64_t>(i) - 1))]);
        std::int64_t step = 1;
        first = 0;
        for (const std::size_t axis : order) {
            all[axis] = step;
            step *= std::max<std::int64_t>(lengths[axis], 1) + (random.in(0, 3) == 0 ? 1 : 0);
            if (random.in(0, 3) != 0) continue;
            first += all[axis] * (std::max<std::int64_t>(lengths[axis], 1) - 1);
            all[axis] = -all[axis];
        }
        return static_cast<std::size_t>(step) * bytes;
    };
    std::int64_t to_first = 0, from_first = 0;
    std::vector<unsigned char> to(strides(to_strides, to_first)), from(strides(from_strides, from_first));
    for (auto& x : to) x = static_cast<unsigned char>(random.in(0, 255));
    for (auto& x : from) x = static_cast<unsigned char>(random.in(0, 255));
    std::vector<unsigned char> wanted = to;
    for (std::int64_t n = 0; n < count; ++n) {
        std::int64_t left = n, at_to = to_first, at_from = from_first;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            at_to += left % lengths[axis] * to_strides[axis];
            at_from += left % lengths[axis] * from_strides[axis];
            left /= lengths[axis];
        }
        std::memcpy(wanted.data() + at_to * static_cast<std::int64_t>(bytes),
                    from.data() + at_from * static_cast<std::int64_t>(bytes), bytes);
    }
    std::vector<KernelArg> args{to.data() + to_first * static_cast<std::int64_t>(bytes),
                                from.data() + from_first * static_cast<std::int64_t>(bytes)};
    for (const auto* numbers : {&lengths, &to_strides, &from_strides})
        args.insert(args.end(), numbers->begin(), numbers->end());
    random.choose(0);
    random("copy_" + std::to_string(bytes), KernelType::i32, args);
    CHECK(to == wanted);
}

/// Rows of several tiles by key: the order, and the columns moved to where their key says.
void check_rows(Launcher& random) {
    const std::int64_t keys_there = random.in(1, random.in(0, 1) == 0 ? 5 : 70000);
    std::vector<zf_column> from(static_cast<std::size_t>(random.in(1, 5)));
    std::vector<std::vector<std::uint32_t>> memory;
    const std::int64_t words = random.in(1, 4);
    std::int64_t count = 0;
    for (zf_column& column : from) {
        const std::int64_t rows = random.in(0, 200);
        column = {0, 4 * (words + random.in(0, 2)), std::max<std::int64_t>(0, rows - random.in(0, 1)), count};
        memory.push_back(random_vector<std::uint32_t>(random, static_cast<std::size_t>(column.stride / 4 * rows)));
        column.data = test::address(memory.back().data());
        count += rows;
    }
    std::vector<std::uint32_t> keys(static_cast<std::size_t>(count));
    for (auto& key : keys) {
        key = static_cast<std::uint32_t>(random.in(0, keys_there));  // keys_there: goes away
        if (random.in(0, 3) == 0) key |= std::uint32_t{1} << 31;
    }
    const auto plain = [&](std::uint32_t row) { return keys[row] & 0x7fffffffU; };
    std::vector<std::uint32_t> wanted(keys.size()), order, next(keys.size());
    std::iota(wanted.begin(), wanted.end(), 0U);
    std::stable_sort(wanted.begin(), wanted.end(), [&](auto a, auto b) { return plain(a) < plain(b); });

    constexpr auto type = KernelType::i32;
    const std::int64_t chunk = random.in(1, 40), chunks = (count + chunk - 1) / chunk;
    std::vector<std::uint32_t> counts(static_cast<std::size_t>(256 * chunks));
    for (int shift = 0; shift < 24; shift += 8) {
        random.choose(0);
        const void* before = order.empty() ? nullptr : order.data();
        random("sort_count", type, {keys.data(), before, count, shift, chunk, counts.data()});
        const std::int64_t size = 256 * chunks, part = random.in(1, 500);
        const std::int64_t parts = (size + part - 1) / part;
        std::vector<std::uint32_t> sums(static_cast<std::size_t>(parts)), prefixed(counts.size());
        std::exclusive_scan(counts.begin(), counts.end(), prefixed.begin(), 0U);
        random("prefix_sums", type, {counts.data(), size, part, sums.data()});
        random("prefix", type, {sums.data(), parts, parts == 0 ? 1 : parts, nullptr});
        random("prefix", type, {counts.data(), size, part, sums.data()});
        CHECK(counts == prefixed);
        random("sort_place", type, {keys.data(), before, count, shift, chunk, counts.data(), next.data()});
        order.resize(next.size());
        order.swap(next);
    }
    CHECK(order == wanted);
    std::vector<std::uint32_t> starts(static_cast<std::size_t>(keys_there) + 1, 77U);
    random("sort_starts", type, {keys.data(), order.data(), count, starts.data(), keys_there});
    for (std::int64_t key = 0; key <= keys_there; ++key) {
        const auto first =
            std::partition_point(wanted.begin(), wanted.end(), [&](auto row) { return plain(row) < key; });
        if (starts[static_cast<std::size_t>(key)] != first - wanted.begin()) FAIL("a key begins elsewhere");
    }

    std::vector<zf_column> to(static_cast<std::size_t>(keys_there));
    std::vector<std::vector<std::uint32_t>> out(to.size());
    for (std::size_t key = 0; key < to.size(); ++key) {
        const std::uint32_t rows = starts[key + 1] - starts[key];
        out[key].assign(static_cast<std::size_t>(words + 1) * rows, 5U);
        to[key] = {random.in(0, 4) == 0 ? 0 : test::address(out[key].data()), 4 * (words + 1), rows, starts[key]};
    }
    auto expected = out;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t row = order[i], key = plain(row);
        if (key == keys_there || to[key].data == 0) continue;
        std::size_t source = from.size() - 1;
        while (from[source].first > row) --source;
        const std::int64_t at = row - from[source].first;
        for (std::int64_t n = 0; n < words; ++n) {
            expected[key][static_cast<std::size_t>((static_cast<std::int64_t>(i) - starts[key]) * (words + 1) + n)] =
                at < from[source].rows ? memory[source][static_cast<std::size_t>(at * from[source].stride / 4 + n)] : 0;
        }
    }
    random("rows_gather", type,
           {from.data(), static_cast<std::int64_t>(from.size()), to.data(), keys_there, order.data(),
            std::int64_t{starts.back()}, static_cast<int>(words)});
    CHECK(out == expected);
}

TEST_CASE_TEMPLATE("kernels for vectors", T, double, float, int, std::int64_t) {
    for (const auto& runner : test::runners()) {
        Launcher random(31, runner);
        for (int n = 0; n < 100; ++n) check_vectors<T>(random);
    }
}

TEST_CASE("kernels that copy between strided tensors") {
    for (const auto& runner : test::runners()) {
        Launcher random(32, runner);
        for (int n = 0; n < 100; ++n) {
            for (const std::size_t bytes : {1, 2, 4, 8, 16}) check_strided_copy(random, bytes);
        }
    }
}

TEST_CASE("kernels that put rows in order") {
    for (const auto& runner : test::runners()) {
        Launcher random(33, runner);
        for (int n = 0; n < 100; ++n) check_rows(random);
    }
}

}  // namespace
}  // namespace zerofab
