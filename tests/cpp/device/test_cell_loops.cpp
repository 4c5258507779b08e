// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The loops over cells of every instruction set against their description, one position at a time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "device/host/cell_loops.hpp"

using namespace zerofab;

namespace {

constexpr HostIsa all_isas[] = {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512};

/// A domain of `cells` cells, and positions in, around and far from it.
struct Sample {
    CellAxis axis{};
    double hi = 0;
    std::vector<double> x;

    Sample(std::mt19937& random, std::size_t count) {
        const auto in = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
        const int cells = in(1, 40);
        const double lo = in(-20, 20) / 7., size = in(1, 30) / 11.;
        hi = lo + cells * size;
        const bool periodic = in(0, 1) == 1;
        axis = {lo, periodic ? std::nextafter(hi, lo) : hi, 1 / size, static_cast<double>(cells - 1)};
        for (std::size_t i = 0; i < count; ++i) {
            using L = std::numeric_limits<double>;
            const double face = lo + in(-3, cells + 3) * size;
            const double odd[] = {L::quiet_NaN(), L::infinity(), -L::infinity(), 1e300, -1e300, L::denorm_min(), lo, hi,
                                  0x1p40,         -0x1p40};
            switch (in(0, 4)) {
                case 0:
                    x.push_back(odd[in(0, 9)]);
                    break;
                case 1:
                    x.push_back(std::nextafter(face, in(0, 1) == 0 ? -L::infinity() : L::infinity()));
                    break;
                case 2:
                    x.push_back(face);
                    break;
                default:
                    x.push_back(std::uniform_real_distribution<double>(lo - 3 * size, hi + 3 * size)(random));
            }
        }
    }
    /// From the description.
    double cell(double at) const {
        const double offset = (at - axis.lo) * axis.inverse;
        if (!(std::abs(offset) < 0x1p30)) return no_cell;
        const bool inside = at >= axis.lo && at <= axis.last;
        return inside ? std::min(std::max(std::floor(offset), 0.), axis.most) : std::floor(offset);
    }
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

TEST_CASE("cells of positions are those of the description, one by one and in loops of every instruction set") {
    std::mt19937 random(31);
    int tables = 0;
    for (const HostIsa isa : all_isas) {
        const CellLoops* const loops = cell_loops(isa);
        if (loops == nullptr) continue;
        ++tables;
        for (int round = 0; round < 300; ++round) {
            const auto n = static_cast<std::size_t>(round % 70);
            const Sample sample(random, n);
            const auto in = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
            const double first = in(-4, 20), last = first + in(0, 20), stride = in(1, 100), bin = in(1, 5);
            std::vector<std::uint64_t> words(n);
            std::vector<double> index(n, -1.), kept(n), bins(n, 0.), wanted_index(n), wanted_kept(n), wanted_bins(n);
            std::int64_t marked = 0;
            for (std::size_t i = 0; i < n; ++i) {
                words[i] = (std::uint64_t{random()} << 32) | random();
                const bool valid = words[i] >> 63 != 0;
                marked += valid ? 1 : 0;
                const double cell = sample.cell(sample.x[i]);
                CHECK(cell_of(sample.axis, sample.x[i]) == cell);
                const bool found = valid && cell >= first && cell <= last;
                wanted_index[i] = found ? (cell - first) * stride : no_cell;
                const bool inside = sample.x[i] >= sample.axis.lo && sample.x[i] <= sample.axis.last;
                wanted_kept[i] = found && inside ? 0. : no_cell;
                const double near = std::min(std::max(cell, first), last) - first;
                wanted_bins[i] = std::floor(near / bin) * stride;
            }
            const auto count = static_cast<std::int64_t>(n);
            CHECK(loops->count_marked(words.data(), count) == marked);
            loops->start(words.data(), count, index.data());
            loops->add_cell(sample.axis, {first, last, bin, stride}, sample.x.data(), count, index.data());
            loops->start(words.data(), count, kept.data());
            loops->keep_cell(sample.axis, {first, last, bin, stride}, sample.x.data(), count, kept.data());
            loops->add_bin(sample.axis, {first, last, bin, stride}, sample.x.data(), count, bins.data());
            for (double& i : index) i = i < 0 ? no_cell : i;
            CHECK(same_bits(index, wanted_index));
            CHECK(same_bits(kept, wanted_kept));
            CHECK(same_bits(bins, wanted_bins));
        }
    }
    CHECK(tables > 0);
    CHECK(&cell_loops() == cell_loops(host_isa()));
}

TEST_CASE("positions are folded, and their cells found, as one by one") {
    std::mt19937 random(32);
    for (const HostIsa isa : all_isas) {
        const CellLoops* const loops = cell_loops(isa);
        if (loops == nullptr) continue;
        for (int round = 0; round < 300; ++round) {
            const auto n = static_cast<std::size_t>(round % 70);
            const Sample sample(random, n);
            const CellAxis& axis = sample.axis;
            const FoldAxis fold{axis.lo, sample.hi, axis.last, axis.last < sample.hi};
            std::vector<double> cell(n), index(n, 2.), wanted_cell(n), wanted_index(n);
            for (std::size_t i = 0; i < n; ++i) {
                const double at = sample.x[i], length = fold.hi - fold.lo;
                double x = at;
                if (fold.periodic && !(x >= fold.lo && x < fold.hi)) {
                    x -= std::floor((x - fold.lo) / length) * length;
                    if (x < fold.lo) x += length;
                    if (x >= fold.hi) x = fold.lo;
                    CHECK(std::memcmp(&x, std::vector{folded_into(fold, at)}.data(), std::isnan(x) ? 0 : 8) == 0);
                }
                wanted_cell[i] = sample.cell(x);
                wanted_index[i] = x >= fold.lo && x <= fold.last ? (x == at ? 2. : 3.) : no_cell;
            }
            loops->fold_cell(fold, axis, sample.x.data(), static_cast<std::int64_t>(n), cell.data(), index.data());
            CHECK(same_bits(cell, wanted_cell));
            CHECK(same_bits(index, wanted_index));
        }
    }
}

TEST_CASE("what is in no cell stays so, whatever is added to it") {
    std::vector<double> index(3), x{-1, 0.5, 2};
    const std::vector<std::uint64_t> words{~std::uint64_t{0}, 0, ~std::uint64_t{0}};
    const CellLoops& loops = cell_loops();
    loops.start(words.data(), 3, index.data());
    const CellAxis axis{0, 1, 1e9, 1e9 - 1};
    for (int direction = 0; direction < 3; ++direction) {
        loops.add_cell(axis, {0, 1e9 - 1, 1, 1e6}, x.data(), 3, index.data());
        x = {0.999, 0.5, 0.999};
    }
    for (const double i : index) CHECK(i < 0);
}

}  // namespace
