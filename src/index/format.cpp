// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// The text of index types.
#include "zerofab/index/format.hpp"

#include <array>
#include <charconv>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/instantiate.hpp"

namespace zerofab {
namespace {

std::string text(int x) { return std::to_string(x); }
std::string text(Real x) { return to_string(x); }

/// "(a,b,c)" of the n numbers v[0], v[1], ...
template <class V>
std::string list(const V& v, int n) {
    std::string s = "(";
    for (int d = 0; d < n; ++d) s.append(d > 0 ? "," : "").append(text(v[d]));
    return s + ")";
}

}  // namespace

std::string to_string(Real x) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x).ptr;
    return std::string(buffer.data(), end);
}

std::string to_string(const Dim3& a) { return to_string(IntVect<3>(a.x, a.y, a.z)); }
std::string to_string(const XDim3& a) { return to_string(RealVect<3>(a.x, a.y, a.z)); }

template <int D>
std::string to_string(const IntVect<D>& a) {
    return list(a, D);
}

template <int D>
std::string to_string(const RealVect<D>& a) {
    return list(a, D);
}

template <int D>
std::string to_string(IndexType<D> t) {
    std::string s = "(";
    for (int d = 0; d < D; ++d) s.append(d > 0 ? "," : "").append(t.node_centered(d) ? "N" : "C");
    return s + ")";
}

template <int D>
std::string to_string(const Box<D>& b) {
    return concat("(", b.small_end(), " ", b.big_end(), " ", b.ix_type().to_int_vect(), ")");
}

template <int D>
std::string to_string(const RealBox<D>& b) {
    std::string s = "(RealBox";
    for (int d = 0; d < D; ++d) s.append(" ").append(to_string(b.lo(d))).append(" ").append(to_string(b.hi(d)));
    return s + ")";
}

template <int D>
std::string to_string(const Periodicity<D>& p) {
    std::string s;
    for (int d = 0; d < D; ++d) s.append(d > 0 ? ", " : "").append(p.is_periodic(d) ? "true" : "false");
    return s;
}

template <int D>
std::string to_string(const Geometry<D>& g) {
    return concat("(", g.coord_int(), " ", g.prob_lo(), g.cell_size(), " ", g.ok() ? "1" : "0", ")\n", g.prob_domain(),
                  g.domain(), "P", IntVect<D>(g.is_periodic()));
}

#define ZEROFAB_INSTANTIATE(D)                             \
    template std::string to_string(const IntVect<D>&);     \
    template std::string to_string(const RealVect<D>&);    \
    template std::string to_string(IndexType<D>);          \
    template std::string to_string(const Box<D>&);         \
    template std::string to_string(const RealBox<D>&);     \
    template std::string to_string(const Periodicity<D>&); \
    template std::string to_string(const Geometry<D>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
