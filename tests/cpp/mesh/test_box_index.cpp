// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The plain table of BoxIndex, searched as kernels do, against the index itself.
#include <doctest/doctest.h>

#include <climits>

#include "mesh/random_boxes.hpp"
#include "zerofab/mesh/box_index.hpp"

using namespace zerofab;
using zerofab::test::Random;

namespace {

/// The first box that holds a cell, by the table alone.
template <int D>
int find_in_table(const BoxIndex<D>& index, const std::vector<Box<D>>& boxes, const IntVect<D>& cell) {
    if (!index.bounds().contains(cell)) return -1;
    std::uint64_t bin = 0;
    for (int d = D - 1; d >= 0; --d) {
        const auto offset = static_cast<std::uint64_t>(Long{cell[d]} - index.bounds().small_end(d));
        bin = bin * index.bins(d) + offset / index.width(d);
    }
    for (std::uint32_t n = index.starts().at(bin); n < index.starts().at(bin + 1); ++n) {
        const int box = index.items().at(n);
        if (boxes[static_cast<std::size_t>(box)].contains(cell)) return box;
    }
    return -1;
}

TEST_CASE_TEMPLATE("a plain table finds what the index finds, and is not much larger than the boxes", Dim,
                   std::integral_constant<int, 1>, std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
    constexpr int D = Dim::value;
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        const int reach = round % 4 == 0 ? INT_MAX / 2 - 100 : random.in(1, 300);
        std::vector<Box<D>> boxes;
        for (int n = random.in(0, 30); n > 0; --n) boxes.push_back(random.box<D>(reach, random.in(0, 9) == 0 ? 80 : 8));
        const BoxIndex<D> any(boxes), plain(boxes, BinTable::plain);
        std::uint64_t bins = 1;
        for (int d = 0; d < D && !boxes.empty(); ++d) {
            bins *= plain.bins(d);
            CHECK(plain.width(d) < 1U << 31);
        }
        CHECK(bins <= 16 * boxes.size() + 64);
        if (!boxes.empty()) CHECK(plain.starts().size() == bins + 1);
        for (int n = 0; n < 100; ++n) {
            IntVect<D> cell;
            const bool near = !boxes.empty() && random.in(0, 3) > 0;
            const IntVect<D> corner =
                near ? boxes[static_cast<std::size_t>(random.in(0, static_cast<int>(boxes.size()) - 1))].small_end()
                     : IntVect<D>();
            for (int d = 0; d < D; ++d) cell[d] = corner[d] + (near ? random.in(-2, 9) : random.in(-reach, reach));
            CHECK(plain.find(cell) == any.find(cell));
            CHECK(find_in_table(plain, boxes, cell) == any.find(cell));
        }
    }
}

}  // namespace
