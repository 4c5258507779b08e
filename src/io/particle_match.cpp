// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Which component of a particle file goes into which component of a container.
#include <algorithm>
#include <string_view>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/io/particle_file.hpp"

namespace zerofab {
namespace {

using Names = std::vector<std::string>;

/// Whether this is a name that a library gave, by number.
bool is_number(std::string_view name) {
    for (const std::string_view start : {"real_comp", "int_comp", "rdata_", "idata_"}) {
        if (name.starts_with(start) && name.size() > start.size()) {
            return name.find_first_not_of("0123456789", start.size()) == std::string_view::npos;
        }
    }
    return false;
}

std::string list(const Names& names) {
    std::string text;
    for (const std::string& name : names) text.append(text.empty() ? "'" : ", '").append(name).append("'");
    return text.empty() ? "none" : text;
}

struct ColumnMap {
    std::vector<int> from;  ///< for each own component, the number in the file
    Names added;
};

[[noreturn]] void refuse(const std::string& path, const char* kind, const Names& theirs, const Names& own,
                         const Names& only_theirs, const Names& only_own) {
    std::string message =
        "'" + path + "' has the " + kind + " components " + list(theirs) + ", the container " + list(own);
    if (!only_own.empty()) message += "; missing in the file: " + list(only_own);
    if (!only_theirs.empty()) {
        message += "; missing in the container: " + list(only_theirs) + " (add_" + kind + "_comp adds one)";
    }
    throw ValueError(message);
}

ColumnMap match(const std::string& path, const char* kind, const Names& theirs, const Names& own, bool add) {
    ColumnMap columns{std::vector<int>(own.size(), -1), {}};
    std::vector<bool> taken(theirs.size(), false);
    for (std::size_t k = 0; k < own.size(); ++k) {
        for (std::size_t i = 0; i < theirs.size() && columns.from[k] < 0; ++i) {
            if (taken[i] || theirs[i] != own[k]) continue;
            columns.from[k] = static_cast<int>(i);
            taken[i] = true;
        }
    }
    const bool unnamed = std::ranges::all_of(theirs, is_number) || std::ranges::all_of(own, is_number);
    std::vector<std::size_t> own_rest, their_rest;
    Names only_own, only_theirs;
    for (std::size_t k = 0; k < own.size(); ++k) {
        if (columns.from[k] < 0) own_rest.push_back(k), only_own.push_back(own[k]);
    }
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        if (!taken[i]) their_rest.push_back(i), only_theirs.push_back(theirs[i]);
    }
    if (own_rest.empty() && their_rest.empty()) return columns;
    if (unnamed && own.size() == theirs.size()) {
        for (std::size_t k = 0; k < own.size(); ++k) columns.from[k] = static_cast<int>(k);
        return columns;
    }
    if (own_rest.size() == their_rest.size() &&
        (std::ranges::all_of(only_own, is_number) || std::ranges::all_of(only_theirs, is_number))) {
        for (std::size_t n = 0; n < own_rest.size(); ++n) columns.from[own_rest[n]] = static_cast<int>(their_rest[n]);
        return columns;
    }
    if (!add || !own_rest.empty()) refuse(path, kind, theirs, own, only_theirs, only_own);
    for (const std::size_t i : their_rest) {
        columns.from.push_back(static_cast<int>(i));
        columns.added.push_back(theirs[i]);
    }
    return columns;
}

}  // namespace

ParticleMatch ParticleMatch::of(const ParticleHeader& header, const ParticleTile& tile, bool add) {
    const ParticleLayout& layout = tile.layout();
    const StructOfArrays& soa = tile.soa();
    if (header.dim != layout.dim) {
        throw ValueError(concat("'", header.path, "' has particles with components in ", header.dim,
                                " dimensions, not in ", layout.dim));
    }
    Names reals, ints;
    for (int i = 0; i < layout.struct_real; ++i) reals.push_back(concat("rdata_", i));
    for (int i = 0; i < layout.struct_int; ++i) ints.push_back(concat("idata_", i));
    reals.insert(reals.end(), soa.real_names().begin() + (layout.pure_soa ? layout.dim : 0), soa.real_names().end());
    ints.insert(ints.end(), soa.int_names().begin(), soa.int_names().end());
    ColumnMap real = match(header.path, "real", header.real_comp_names, reals, add);
    ColumnMap integer = match(header.path, "int", header.int_comp_names, ints, add);
    return {std::move(real.from), std::move(integer.from), std::move(real.added), std::move(integer.added)};
}

}  // namespace zerofab
