// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Random fields, and what the halo operations must do to them, found by asking every fab about every point.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "../mesh/random_boxes.hpp"
#include "zerofab/halo/halo.hpp"

namespace zerofab::test {

/// The values of all fabs, ghosts included, in memory order.
template <class T>
using Values = std::vector<std::vector<T>>;

template <int D, class T>
Values<T> values_of(const Lease<D>& field) {
    Values<T> all;
    for (const FabMemory<D>& fab : field->fabs) {
        const T* data = static_cast<const T*>(fab.data);
        all.emplace_back(data, data + fab.box.num_pts() * field->ncomp);
    }
    return all;
}

/// Small integers, so that sums are exact in every element type.
template <int D, class T>
void fill_random(const Lease<D>& field, Random& random) {
    for (const FabMemory<D>& fab : field->fabs) {
        T* data = static_cast<T*>(fab.data);
        for (Long i = 0; i < fab.box.num_pts() * field->ncomp; ++i) data[i] = static_cast<T>(random.in(-999, 999));
    }
}

/// A domain cut into boxes, or any boxes at all.
template <int D>
BoxArray<D> random_layout(Random& random, bool overlapping = false) {
    if (overlapping) {
        std::vector<Box<D>> boxes(static_cast<std::size_t>(random.in(1, 6)));
        for (Box<D>& box : boxes) box = random.box<D>(5, 6);
        BoxArray<D> ba(boxes);
        ba.convert(random.type<D>());
        return ba;
    }
    BoxArray<D> ba(random.box<D>(4, D == 3 ? 7 : 12));
    ba.max_size(random.vect<D>(1, 6));
    ba.convert(random.type<D>());
    return ba;
}

/// Periods: none, the domain's, or anything.
template <int D>
Periodicity<D> random_period(Random& random, const BoxArray<D>& ba) {
    IntVect<D> period;
    Box<D> domain = ba.minimal_box();
    domain.enclosed_cells();
    for (int d = 0; d < D; ++d) {
        const int kind = random.in(0, 5);
        period[d] = kind < 2 ? 0 : kind < 5 ? domain.length(d) : random.in(2, 9);
    }
    return Periodicity<D>(period);
}

template <int D>
DistributionMapping one_rank(const BoxArray<D>& ba) {
    return DistributionMapping(std::vector<int>(ba.size(), 0));
}

/// Call f(src, shift) for all sources that have point p + shift, in the order that copies are made in. `reach` says how
/// far images may lie.
template <int D, class F>
void each_source(const BoxArray<D>& src, const IntVect<D>& src_nghost, const Periodicity<D>& period,
                 const IntVect<D>& reach, const IntVect<D>& p, F&& f) {
    IntVect<D> wraps;
    for (int d = 0; d < D; ++d) {
        const int n = period.period()[d];
        if (n > 0) wraps[d] = std::max(1, (reach[d] + n - 1) / n);
    }
    std::vector<IntVect<D>> shifts;
    for_each_point(Box<D>(-wraps, wraps), [&](const IntVect<D>& i) { shifts.push_back(i * period.period()); });
    std::sort(shifts.begin(), shifts.end(), [](const auto& a, const auto& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    });
    for (const IntVect<D>& shift : shifts) {
        for (std::size_t s = 0; s < src.size(); ++s) {
            if (grow(src[s], src_nghost).contains(p + shift)) f(static_cast<int>(s), shift);
        }
    }
}

/// A copy of a field's values that is read and written point by point.
template <int D, class T>
struct Field {
    Lease<D> shape;
    Values<T> values;

    explicit Field(const Lease<D>& field) : shape(field), values(values_of<D, T>(field)) {}
    T& at(int fab, const IntVect<D>& p, int n) {
        const Box<D>& box = shape->fabs[static_cast<std::size_t>(fab)].box;
        return values[static_cast<std::size_t>(fab)][static_cast<std::size_t>(box.index_of(p) + n * box.num_pts())];
    }
};

/// Call f(fab, p) for all points of all fabs of a layout with ghosts.
template <int D, class F>
void each_point(const BoxArray<D>& ba, const IntVect<D>& nghost, F&& f) {
    for (std::size_t i = 0; i < ba.size(); ++i) {
        for_each_point(grow(ba[i], nghost), [&](const IntVect<D>& p) { f(static_cast<int>(i), p); });
    }
}

}  // namespace zerofab::test
