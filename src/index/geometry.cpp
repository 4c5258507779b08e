// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Geometry: cell sizes, the round-off domain, and the defaults.
#include "zerofab/index/geometry.hpp"

#include <cmath>
#include <mutex>
#include <string>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/index/format.hpp"

namespace zerofab {
namespace {

template <int D>
struct Defaults {
    std::mutex mutex;
    RealBox<D> prob_domain{};
    std::array<int, D> is_periodic{};
    CoordType coord = CoordType::undef;
};

template <int D>
Defaults<D>& defaults() {
    static Defaults<D> instance;
    return instance;
}

template <std::size_t N>
std::array<int, N> as_flags(std::array<int, N> a) {
    for (int& x : a) x = x != 0 ? 1 : 0;
    return a;
}

/// How many cells x is from lo, as a kernel computes it.
Real cells_from(Real x, Real lo, Real inv_dx) { return std::floor((x - lo) * inv_dx); }

/// The largest x up to hi that falls into one of n cells. cells_from never decreases with x, so bisection finds it.
Real last_inside(Real lo, Real hi, Real inv_dx, int n) {
    auto inside = [&](Real x) { return cells_from(x, lo, inv_dx) < n; };
    if (inside(hi)) return hi;  // the quotient rounds down
    Real good = lo;
    Real bad = hi;
    if (const Real below = std::nextafter(hi, lo); inside(below)) return below;
    while (std::nextafter(good, bad) < bad) {
        const Real middle = good + (bad - good) / 2;
        const Real x = (middle > good && middle < bad) ? middle : std::nextafter(good, bad);
        (inside(x) ? good : bad) = x;
    }
    return good;
}

}  // namespace

CoordType coord_type(int value) {
    if (value < -1 || value > 2) {
        throw ValueError(concat("coordinates ", value,
                                " are not known; use -1 (undefined), 0 (Cartesian), 1 (RZ) or 2 (spherical)"));
    }
    return static_cast<CoordType>(value);
}

template <int D>
Geometry<D>::Geometry() {
    Defaults<D>& given = defaults<D>();
    const std::lock_guard lock(given.mutex);
    prob_domain_ = given.prob_domain;
    is_periodic_ = given.is_periodic;
    set_coord(given.coord);
}

template <int D>
Geometry<D>::Geometry(const Box<D>& domain, const RealBox<D>& prob_domain, CoordType coord,
                      const std::array<int, D>& is_periodic) {
    define(domain, prob_domain, coord, is_periodic);
}

template <int D>
void Geometry<D>::define(const Box<D>& domain, const RealBox<D>& prob_domain, CoordType coord,
                         const std::array<int, D>& is_periodic) {
    assign(domain, prob_domain);
    if (coord == CoordType::undef) {
        const std::lock_guard lock(defaults<D>().mutex);
        coord = defaults<D>().coord;
    }
    set_coord(coord == CoordType::undef ? CoordType::cartesian : coord);
    is_periodic_ = as_flags(is_periodic);
}

template <int D>
void Geometry<D>::assign(const Box<D>& domain, const RealBox<D>& prob_domain) {
    if (domain.is_empty()) throw ValueError("the domain " + to_string(domain) + " of a geometry is empty");
    const IntVect<D> n = domain.length();
    RealVect<D> dx, inv_dx, last;
    for (int d = 0; d < D; ++d) {
        const Real length = prob_domain.length(d);
        dx[d] = length / n[d];
        inv_dx[d] = Real{1} / dx[d];
        if (!(length > 0) || !std::isfinite(length) || !std::isfinite(inv_dx[d])) {
            throw ValueError("the physical domain " + to_string(prob_domain) + " has no volume, or is not finite");
        }
        last[d] = last_inside(prob_domain.lo(d), prob_domain.hi(d), inv_dx[d], n[d]);
    }
    domain_ = domain;
    prob_domain_ = prob_domain;
    dx_ = dx;
    inv_dx_ = inv_dx;
    last_inside_ = last;
    set_ok();
}

template <int D>
GeometryData<D> Geometry<D>::data() const {
    return {prob_domain_, domain_, dx_, is_periodic_, coord_int()};
}

template <int D>
void Geometry<D>::set_domain(const Box<D>& domain) {
    if (prob_domain_.ok()) return assign(domain, prob_domain_);
    if (domain.is_empty()) throw ValueError("the domain " + to_string(domain) + " of a geometry is empty");
    domain_ = domain;  // the physical domain comes later
}

template <int D>
void Geometry<D>::set_prob_domain(const RealBox<D>& prob_domain) {
    if (domain_.ok()) return assign(domain_, prob_domain);
    if (!prob_domain.ok()) throw ValueError("the physical domain " + to_string(prob_domain) + " is empty");
    prob_domain_ = prob_domain;
}

template <int D>
bool Geometry<D>::is_any_periodic() const {
    return IntVect<D>(is_periodic_).max() > 0;
}

template <int D>
bool Geometry<D>::is_all_periodic() const {
    return IntVect<D>(is_periodic_).min() > 0;
}

template <int D>
std::array<int, D> Geometry<D>::set_periodicity(const std::array<int, D>& is_periodic) {
    const std::array<int, D> before = is_periodic_;
    is_periodic_ = as_flags(is_periodic);
    return before;
}

template <int D>
int Geometry<D>::period(int d) const {
    if (!is_periodic(d)) {
        throw StateError(concat("direction ", d, " of this geometry is not periodic; ask is_periodic first"));
    }
    return domain_.length(d);
}

template <int D>
Periodicity<D> Geometry<D>::periodicity(const Box<D>& b) const {
    return Periodicity<D>(b.length() * IntVect<D>(is_periodic_));
}

template <int D>
Box<D> Geometry<D>::grow_periodic_domain(const IntVect<D>& n) const {
    return grow(domain_, n * IntVect<D>(is_periodic_));
}

template <int D>
Box<D> Geometry<D>::grow_non_periodic_domain(const IntVect<D>& n) const {
    return grow(domain_, n * (1 - IntVect<D>(is_periodic_)));
}

template <int D>
void Geometry<D>::refine(const IntVect<D>& ratio) {
    set_domain(zerofab::refine(domain_, ratio));
}

template <int D>
void Geometry<D>::coarsen(const IntVect<D>& ratio) {
    set_domain(zerofab::coarsen(domain_, ratio));
}

template <int D>
bool Geometry<D>::inside_roundoff_domain(const RealVect<D>& x) const {
    return prob_domain_.lo().all_le(x) && x.all_le(last_inside_) && domain_.ok() && prob_domain_.ok();
}

template <int D>
IntVect<D> Geometry<D>::cell_index(const RealVect<D>& x) const {
    RealVect<D> i;
    for (int d = 0; d < D; ++d) i[d] = cells_from(x[d], prob_lo(d), inv_dx_[d]) + domain_.small_end(d);
    return i.floor();
}

template <int D>
void Geometry<D>::reset_default_prob_domain(const RealBox<D>& prob_domain) {
    if (!prob_domain.ok()) throw ValueError("the physical domain " + to_string(prob_domain) + " is empty");
    const std::lock_guard lock(defaults<D>().mutex);
    defaults<D>().prob_domain = prob_domain;
}

template <int D>
void Geometry<D>::reset_default_periodicity(const std::array<int, D>& is_periodic) {
    const std::lock_guard lock(defaults<D>().mutex);
    defaults<D>().is_periodic = as_flags(is_periodic);
}

template <int D>
void Geometry<D>::reset_default_coord(CoordType coord) {
    const std::lock_guard lock(defaults<D>().mutex);
    defaults<D>().coord = coord;
}

template <int D>
void Geometry<D>::clear_defaults() {
    const std::lock_guard lock(defaults<D>().mutex);
    defaults<D>().prob_domain = RealBox<D>();
    defaults<D>().is_periodic = {};
    defaults<D>().coord = CoordType::undef;
}

#define ZEROFAB_INSTANTIATE(D) template class Geometry<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
