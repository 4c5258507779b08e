// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reading plotfiles.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "io/text_cursor.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/io/plotfile.hpp"

namespace zerofab {
namespace {

constexpr int most_levels = 1000;
constexpr int most = std::numeric_limits<int>::max();

// "Level_0/Cell": below the plotfile, wherever that is.
void check_inside(const detail::TextCursor& cursor, const std::string& part) {
    bool good = part.front() != '/' && part.back() != '/' && part.find('\0') == std::string::npos;
    for (const std::filesystem::path& step : std::filesystem::path(part)) good = good && step != "..";
    if (!good) cursor.fail("the MultiFab '" + part + "' is not in the folder of the plotfile");
}

template <int D>
std::array<Real, D> row(detail::TextCursor& cursor, std::string_view what) {
    std::array<Real, D> values{};
    for (Real& value : values) value = cursor.real(what);
    return values;
}

}  // namespace

template <int D>
PlotFileData<D>::PlotFileData(const std::string& name) : name_(name) {
    const detail::InputFile file(name + "/Header");
    const std::string text = file.text();
    detail::TextCursor cursor(text, file.path());

    if (cursor.line("the name of the format is expected here").empty()) cursor.fail("the name of the format is empty");
    const int ncomp = cursor.integer("the number of variables is expected here", 0, most);
    if (static_cast<std::size_t>(ncomp) > cursor.left()) cursor.fail("there are fewer variables than this");
    constexpr std::string_view names = "the name of a variable is expected here";
    if (!cursor.line(names).empty()) cursor.fail(names);
    for (int n = 0; n < ncomp; ++n) var_names_.emplace_back(cursor.line(names));
    const int dim = cursor.integer("the number of dimensions is expected here", 1, 3);
    if (dim != D) {
        cursor.fail("this plotfile has " + std::to_string(dim) + " dimensions, not " + std::to_string(D) +
                    "; read it with amrex.space" + std::to_string(dim) + "d");
    }
    time_ = cursor.real("the time is expected here");
    const int finest = cursor.integer("the number of the finest level is expected here", 0, most_levels);
    levels_.resize(static_cast<std::size_t>(finest) + 1);
    prob_lo_ = row<D>(cursor, "the low end of the physical domain is expected here");
    prob_hi_ = row<D>(cursor, "the high end of the physical domain is expected here");
    constexpr std::string_view ratio = "a refinement ratio is expected here";
    for (int i = 0; i < finest; ++i) {
        levels_[static_cast<std::size_t>(i)].ref_ratio =
            cursor.next_is('(') ? cursor.point<D>(ratio, 1, most)[0] : cursor.integer(ratio, 1, most);
    }
    for (Level& level : levels_) level.domain = cursor.box<D>();
    for (Level& level : levels_) level.step = cursor.integer("the step of a level is expected here", -most, most);
    for (Level& level : levels_) level.cell_size = row<D>(cursor, "a cell size is expected here");
    coord_sys_ = cursor.integer("the kind of coordinates is expected here", -1, 2);
    cursor.integer("the width of the boundary is expected here", 0, most);
    for (int i = 0; i <= finest; ++i) {
        Level& level = levels_[static_cast<std::size_t>(i)];
        cursor.integer("the number of this level is expected here", i, i);
        const int boxes = cursor.integer("the number of boxes is expected here", 0, most);
        if (static_cast<std::size_t>(boxes) > cursor.left()) cursor.fail("there are fewer boxes than this");
        cursor.real("the time of a level is expected here");
        level.step = cursor.integer("the step of a level is expected here", -most, most);
        for (int b = 0; b < boxes; ++b) {
            for (int d = 0; d < 2 * D; ++d) cursor.real("an end of a box is expected here");
        }
        const std::string part(cursor.word("the place of a MultiFab is expected here"));
        check_inside(cursor, part);
        level.header = read_vismf_header<D>(name + '/' + part);
        if (static_cast<int>(level.header.boxes.size()) != boxes || level.header.ncomp < ncomp) {
            cursor.fail("'" + part + "_H' has " + std::to_string(level.header.boxes.size()) + " boxes and " +
                        std::to_string(level.header.ncomp) + " components, not " + std::to_string(boxes) + " and " +
                        std::to_string(ncomp));
        }
    }
}

template <int D>
std::array<Real, D> PlotFileData<D>::prob_size() const noexcept {
    std::array<Real, D> size{};
    for (std::size_t d = 0; d < D; ++d) size[d] = prob_hi_[d] - prob_lo_[d];
    return size;
}

template <int D>
const typename PlotFileData<D>::Level& PlotFileData<D>::at(int level) const {
    if (level < 0 || level > finest_level()) {
        throw IndexError("'" + name_ + "' has levels 0 to " + std::to_string(finest_level()) + ", there is no level " +
                         std::to_string(level));
    }
    return levels_[static_cast<std::size_t>(level)];
}

template <int D>
DistributionMapping PlotFileData<D>::distribution_map(int level) {
    Level& here = at(level);
    const std::lock_guard lock(owners_mutex_);
    if (!here.owners) here.owners.emplace(here.header.boxes);
    return *here.owners;
}

template <int D>
void PlotFileData<D>::sync_distribution_map(PlotFileData& other) {
    for (int level = 0; level <= std::min(finest_level(), other.finest_level()); ++level) {
        sync_distribution_map(level, other);
    }
}

template <int D>
void PlotFileData<D>::sync_distribution_map(int level, PlotFileData& other) {
    if (&other == this || !(box_array(level) == other.box_array(level))) return;
    const DistributionMapping owners = other.distribution_map(level);
    const std::lock_guard lock(owners_mutex_);
    at(level).owners = owners;
}

template <int D>
MultiFab<D> PlotFileData<D>::get(int level) {
    return read_vismf(at(level).header, distribution_map(level), 0, n_comp());
}

template <int D>
MultiFab<D> PlotFileData<D>::get(int level, const std::string& var_name) {
    const auto found = std::find(var_names_.begin(), var_names_.end(), var_name);
    if (found == var_names_.end()) {
        std::string message = "'" + name_ + "' has no variable '" + var_name + "'; it has";
        for (const std::string& known : var_names_) message += " '" + known + "'";
        throw ValueError(message);
    }
    return read_vismf(at(level).header, distribution_map(level), static_cast<int>(found - var_names_.begin()), 1);
}

template class ZEROFAB_API PlotFileData<1>;
template class ZEROFAB_API PlotFileData<2>;
template class ZEROFAB_API PlotFileData<3>;

}  // namespace zerofab
