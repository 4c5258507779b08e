// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reading plotfiles.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/text_cursor.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/io/particle_file.hpp"
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

// Some codes list more levels than there are; the numbers that are left in this line are those.
void skip_more_steps(detail::TextCursor& cursor) {
    constexpr std::string_view digits = "0123456789+- \t\r";
    if (cursor.rest_of_line().find_first_not_of(digits) == std::string_view::npos) cursor.line("a line is cut short");
}

// The box of a level that lies between two ends in space.
template <int D>
Box<D> box_between(const detail::TextCursor& cursor, const std::array<Real, 2 * D>& ends,
                   const std::array<Real, D>& origin, const std::array<Real, D>& cell, const Box<D>& domain) {
    constexpr Real limit = 1 << 30;
    IntVect<D> lo, hi;
    for (int d = 0; d < D; ++d) {
        const auto i = static_cast<std::size_t>(d);
        const Real first = std::round((ends[2 * i] - origin[i]) / cell[i]) + domain.small_end(d);
        const Real last = std::round((ends[2 * i + 1] - origin[i]) / cell[i]) + domain.small_end(d) - 1;
        if (!(first >= -limit && first <= last && last <= limit)) cursor.fail("the ends of a box enclose no cells");
        lo[d] = static_cast<int>(first);
        hi[d] = static_cast<int>(last);
    }
    return Box<D>(lo, hi);
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// The species in a folder, for a message; "" if there are none or it cannot be read.
std::string species_in(const std::string& folder) {
    std::string found;
    try {
        for (const std::string& species : list_particle_species(folder)) found += " '" + species + "'";
    } catch (const IoError&) {
    }
    return found;
}

constexpr const char* readers =
    ": VisMF.Read reads the MultiFabs in it (of Level_0/NAME_H: Level_0/NAME), a container's restart() its particles";

// What a folder with this Header is if it is no plotfile, "" if that cannot be said.
std::string other_kind(const std::string& text) {
    std::string first = text.substr(0, std::min<std::size_t>(text.find('\n'), 80));
    for (char& c : first) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (first.starts_with("version_")) return "this folder holds particles: a container's restart() reads it";
    bool checkpoint = first.find("checkpoint") != std::string::npos;
    // a line "(8 0" begins a list of boxes, which stand beside the numbers in a plotfile
    for (std::size_t at = text.find("\n("); !checkpoint && at != std::string::npos; at = text.find("\n(", at + 1)) {
        const std::size_t blank = text.find_first_not_of("0123456789", at + 2);
        checkpoint = blank != std::string::npos && blank > at + 2 && text[blank] == ' ';
    }
    return checkpoint ? std::string("this is a checkpoint, not a plotfile") + readers : "";
}

// The same for a folder without a Header.
std::string kind_without_header(const std::string& name) {
    if (const std::string species = species_in(name); !species.empty()) {
        return "the folder has no Header, but particles: a container's restart() reads" + species;
    }
    if (exists(name + "/WarpXHeader") || exists(name + "/Level_0")) {
        return std::string("the folder has no Header; if it is a checkpoint, not a plotfile") + readers;
    }
    return exists(name + "_H") ? "VisMF.Read reads the MultiFab of this name" : "";
}

}  // namespace

template <int D>
PlotFileData<D>::PlotFileData(const std::string& name) : name_(name) {
    std::string path, text;
    try {
        const detail::InputFile file(name + "/Header");
        path = file.path();
        text = file.text();
    } catch (const IoError& error) {
        const std::string kind = name.find('\0') == std::string::npos ? kind_without_header(name) : "";
        if (kind.empty()) throw;
        throw IoError(concat(error.what(), "; ", kind));
    }
    try {
        parse(text, path);
    } catch (const IoError& error) {
        const std::string kind = other_kind(text);
        if (kind.empty()) throw;
        throw IoError("'" + path + "': " + kind + " (it begins with '" +
                      text.substr(0, std::min<std::size_t>(text.find('\n'), 80)) + "')");
    }
}

template <int D>
void PlotFileData<D>::parse(const std::string& text, const std::string& path) {
    detail::TextCursor cursor(text, path);
    if (cursor.line("the name of the format is expected here").empty()) cursor.fail("the name of the format is empty");
    const int ncomp = cursor.integer("the number of variables is expected here", 0, most);
    if (static_cast<std::size_t>(ncomp) > cursor.left()) cursor.fail("there are fewer variables than this");
    constexpr std::string_view names = "the name of a variable is expected here";
    if (!cursor.line(names).empty()) cursor.fail(names);
    for (int n = 0; n < ncomp; ++n) var_names_.emplace_back(cursor.line(names));
    const int dim = cursor.integer("the number of dimensions is expected here", 1, 3);
    if (dim != D) {
        cursor.fail(concat("this plotfile has ", dim, " dimensions, not ", D, "; read it with amrex.space", dim, "d"));
    }
    time_ = cursor.real("the time is expected here");
    const int finest = cursor.integer("the number of the finest level is expected here", 0, most_levels);
    levels_.resize(static_cast<std::size_t>(finest) + 1);
    prob_lo_ = row<D>(cursor, "the low end of the physical domain is expected here");
    prob_hi_ = row<D>(cursor, "the high end of the physical domain is expected here");
    constexpr std::string_view ratio = "a refinement ratio is expected here";
    for (int i = 0; i < finest || !cursor.next_is("(("); ++i) {  // there may be more of them than levels
        const int number = cursor.next_is('(') ? cursor.point<D>(ratio, 1, most)[0] : cursor.integer(ratio, 1, most);
        if (i < finest) levels_[static_cast<std::size_t>(i)].ref_ratio = number;
    }
    for (Level& level : levels_) level.domain = cursor.box<D>();
    while (cursor.next_is('(')) static_cast<void>(cursor.box<D>());
    for (Level& level : levels_) level.step = cursor.integer("the step of a level is expected here", -most, most);
    skip_more_steps(cursor);
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
        std::vector<Box<D>> in_space;
        for (int b = 0; b < boxes; ++b) {
            std::array<Real, 2 * D> ends{};
            for (Real& end : ends) end = cursor.real("an end of a box is expected here");
            if (ncomp == 0) in_space.push_back(box_between<D>(cursor, ends, prob_lo_, level.cell_size, level.domain));
        }
        const std::string part(cursor.word("the path of a MultiFab is expected here"));
        check_inside(cursor, part);
        if (ncomp == 0 && !exists(name_ + '/' + part + "_H")) {
            level.header.boxes = BoxArray<D>(in_space);
            continue;
        }
        level.header = read_vismf_header<D>(name_ + '/' + part);
        if (static_cast<int>(level.header.boxes.size()) != boxes || level.header.ncomp < ncomp) {
            cursor.fail(concat("'", part, "_H' has ", level.header.boxes.size(), " boxes and ", level.header.ncomp,
                               " components, not ", boxes, " and ", ncomp));
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
        throw IndexError(concat("'", name_, "' has levels 0 to ", finest_level(), ", there is no level ", level));
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
    static_cast<void>(at(level));
    if (var_names_.empty()) throw ValueError("'" + name_ + "' has no variables, only boxes and perhaps particles");
    return read_vismf(at(level).header, distribution_map(level), 0, n_comp());
}

template <int D>
MultiFab<D> PlotFileData<D>::get(int level, const std::string& var_name) {
    const auto found = std::find(var_names_.begin(), var_names_.end(), var_name);
    if (found == var_names_.end()) {
        std::string message = "'" + name_ + "' has no variable '" + var_name + "'; it has";
        if (var_names_.empty()) message += " none";
        for (const std::string& known : var_names_) message += " '" + known + "'";
        throw ValueError(message);
    }
    return read_vismf(at(level).header, distribution_map(level), static_cast<int>(found - var_names_.begin()), 1);
}

#define ZEROFAB_INSTANTIATE(D) template class ZEROFAB_API PlotFileData<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
