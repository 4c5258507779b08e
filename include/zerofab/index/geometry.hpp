// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Geometry<D>: how the index space of one level lies in physical space.
#pragma once

#include <array>

#include "zerofab/base/export.hpp"
#include "zerofab/base/types.hpp"
#include "zerofab/index/box.hpp"
#include "zerofab/index/coord_sys.hpp"
#include "zerofab/index/periodicity.hpp"
#include "zerofab/index/real_box.hpp"

namespace zerofab {

/// The plain numbers of a Geometry, for kernels. dx is 0 and the domain empty before they are defined.
template <int D>
struct GeometryData {
    RealBox<D> prob_domain{};
    Box<D> domain{};
    RealVect<D> dx{};
    std::array<int, D> is_periodic{};  ///< 1 where periodic, else 0
    int coord = 0;
};

/// One level's index domain, physical domain, cell size, periodicity and coordinates.
///
/// Cell size = physical length / number of cells, so that changing either domain changes it. Works before initialize.
///
///     Box<2> domain(IntVect<2>(0, 0), IntVect<2>(63, 63));
///     RealBox<2> rb(RealVect<2>(0., 0.), RealVect<2>(1., 1.));
///     Geometry<2> geom(domain, rb, CoordType::cartesian, {1, 0});
///     Real dx = geom.cell_size(0);                    // 1/64
///     Periodicity<2> period = geom.periodicity();     // (64, 0)
template <int D>
class ZEROFAB_API Geometry : public CoordSys {
public:
    /// The default physical domain, periodicity and coordinates, if they were set; an empty index domain.
    Geometry();
    /// See define.
    Geometry(const Box<D>& domain, const RealBox<D>& prob_domain, CoordType coord,
             const std::array<int, D>& is_periodic);

    /// Set everything. `coord` undef means the default, else Cartesian. A non-zero `is_periodic` means periodic.
    /// ValueError for an empty domain or a physical domain without volume.
    void define(const Box<D>& domain, const RealBox<D>& prob_domain, CoordType coord,
                const std::array<int, D>& is_periodic);

    GeometryData<D> data() const;
    const Box<D>& domain() const { return domain_; }
    const RealBox<D>& prob_domain() const { return prob_domain_; }
    void set_domain(const Box<D>& domain);
    void set_prob_domain(const RealBox<D>& prob_domain);

    const RealVect<D>& cell_size() const { return dx_; }
    Real cell_size(int d) const { return dx_[d]; }
    Real inv_cell_size(int d) const { return inv_dx_[d]; }
    const RealVect<D>& prob_lo() const { return prob_domain_.lo(); }
    const RealVect<D>& prob_hi() const { return prob_domain_.hi(); }
    Real prob_lo(int d) const { return prob_domain_.lo(d); }
    Real prob_hi(int d) const { return prob_domain_.hi(d); }
    Real prob_length(int d) const { return prob_domain_.length(d); }
    /// Area or volume of the physical domain.
    Real prob_size() const { return prob_domain_.volume(); }

    const std::array<int, D>& is_periodic() const { return is_periodic_; }
    bool is_periodic(int d) const { return is_periodic_[static_cast<std::size_t>(d)] != 0; }
    bool is_any_periodic() const;
    bool is_all_periodic() const;
    /// Returns what was set before.
    std::array<int, D> set_periodicity(const std::array<int, D>& is_periodic);
    /// Length of the domain in a periodic direction; StateError in another one.
    int period(int d) const;
    /// The lengths of the domain where periodic.
    Periodicity<D> periodicity() const { return periodicity(domain_); }
    /// The lengths of `b`, a cell-centred or nodal box, where periodic.
    Periodicity<D> periodicity(const Box<D>& b) const;

    Box<D> grow_periodic_domain(const IntVect<D>& n) const;
    Box<D> grow_non_periodic_domain(const IntVect<D>& n) const;
    /// Finer or coarser cells on the same physical domain; ratio >= 1, else ValueError.
    void refine(const IntVect<D>& ratio);
    void coarsen(const IntVect<D>& ratio);

    /// Whether the cell that x falls into, as computed in floating point, lies in the domain: lo <= x < hi but for
    /// the last bits; hi itself is inside where the quotient by the cell size rounds down.
    bool inside_roundoff_domain(const RealVect<D>& x) const;
    bool outside_roundoff_domain(const RealVect<D>& x) const { return !inside_roundoff_domain(x); }
    /// The cell that x falls into; ValueError if its index does not fit an int.
    IntVect<D> cell_index(const RealVect<D>& x) const;

    friend bool operator==(const Geometry&, const Geometry&) = default;

    // What Geometry() and `undef` coordinates mean from now on, one set per dimension, for the whole process.
    static void reset_default_prob_domain(const RealBox<D>& prob_domain);
    static void reset_default_periodicity(const std::array<int, D>& is_periodic);
    static void reset_default_coord(CoordType coord);
    /// Forget all three.
    static void clear_defaults();

private:
    void assign(const Box<D>& domain, const RealBox<D>& prob_domain);

    Box<D> domain_{};
    RealBox<D> prob_domain_{};
    RealVect<D> dx_{}, inv_dx_{}, last_inside_{};
    std::array<int, D> is_periodic_{};
};

extern template class Geometry<1>;
extern template class Geometry<2>;
extern template class Geometry<3>;

}  // namespace zerofab
