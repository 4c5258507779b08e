// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Random boxes for the property tests of the mesh module.
#pragma once

#include <random>
#include <vector>

#include "zerofab/index/box.hpp"

namespace zerofab::test {

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int in(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine_); }

    template <int D>
    IntVect<D> vect(int lo, int hi) {
        IntVect<D> v;
        for (int d = 0; d < D; ++d) v[d] = in(lo, hi);
        return v;
    }
    template <int D>
    Box<D> box(int reach, int longest, IndexType<D> type = {}) {
        const IntVect<D> lo = vect<D>(-reach, reach);
        return Box<D>(lo, lo + vect<D>(0, longest - 1), type);
    }
    template <int D>
    IndexType<D> type() {
        return IndexType<D>(vect<D>(0, 1));
    }

private:
    std::mt19937 engine_;
};

}  // namespace zerofab::test
