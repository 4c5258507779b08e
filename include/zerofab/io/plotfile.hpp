// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Plotfiles: a folder with the MultiFabs of all levels, their names and their place in space.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "zerofab/index/geometry.hpp"
#include "zerofab/io/vismf.hpp"
#include "zerofab/mesh/fab_array.hpp"

namespace zerofab {

/// How a plotfile is written.
struct PlotFileOptions {
    std::string version_name = "HyperCLaw-V1.1";  ///< first line of the header
    std::string level_prefix = "Level_";          ///< folders of the levels: Level_0, Level_1, ...
    std::string mf_prefix = "Cell";               ///< name of the MultiFab in them
    std::vector<std::string> extra_dirs;          ///< more folders, each with one for every level
    RealFormat format = RealFormat::native_double();
    int nfiles = 1;  ///< data files per level; with several ranks there is one per rank
};

/// "root" followed by the number with at least `min_digits` digits: concatenate("plt", 7) is "plt00007".
/// ValueError if min_digits < 0.
ZEROFAB_API std::string concatenate(const std::string& root, int num, int min_digits = 5);

/// Write the valid cells of one MultiFab or fMultiFab (its lease) per level as a plotfile, readable by yt, VisIt,
/// ParaView and PlotFileData.
///
///     NAME/Header                       names, time, domains, cell sizes, boxes in space (the low end of a domain is
///                                       at prob_lo, whatever its first cell is)
///     NAME/Level_0/Cell_H               boxes, smallest and largest values
///     NAME/Level_0/Cell_D_00000         numbers
///
/// `geom`, `level_steps`: one per level; `ref_ratio`: one per level but the last. What is written grows under another
/// name and gets its own only when it is whole; an existing NAME becomes NAME.old.NNNNNNN. Collective. ValueError if
/// the arguments do not fit together, IoError with path and reason; after an error NAME is as it was.
template <int D>
ZEROFAB_API void write_plotfile(const std::string& name, const std::vector<Lease<D>>& levels,
                                const std::vector<std::string>& varnames, const std::vector<Geometry<D>>& geom,
                                Real time, const std::vector<int>& level_steps,
                                const std::vector<IntVect<D>>& ref_ratio, const PlotFileOptions& options = {});

/// The same for MultiFabs; write_plotfile() takes the leases of fMultiFabs too.
template <int D>
void write_multi_level_plotfile(const std::string& name, const std::vector<MultiFab<D>>& levels,
                                const std::vector<std::string>& varnames, const std::vector<Geometry<D>>& geom,
                                Real time, const std::vector<int>& level_steps,
                                const std::vector<IntVect<D>>& ref_ratio, const PlotFileOptions& options = {}) {
    std::vector<Lease<D>> leases;
    for (const MultiFab<D>& mf : levels) leases.push_back(mf.lease());
    write_plotfile<D>(name, leases, varnames, geom, time, level_steps, ref_ratio, options);
}

/// The same for one level.
template <int D>
void write_single_level_plotfile(const std::string& name, const MultiFab<D>& mf,
                                 const std::vector<std::string>& varnames, const Geometry<D>& geom, Real time,
                                 int level_step, const PlotFileOptions& options = {}) {
    write_multi_level_plotfile<D>(name, std::vector{mf}, varnames, std::vector{geom}, time, {level_step}, {}, options);
}

/// A plotfile, open for reading. Headers are read and checked when it is made, numbers when they are asked for.
///
///     PlotFileData<3> plot("plt00100");
///     MultiFab<3> density = plot.get(0, "density");
///
/// Headers are read as codes write them: names without the blanks around them, lists that are longer than there are
/// levels, no variables at all (particles only; then the boxes are those of the header).
/// Errors: IoError for a folder that is no plotfile, is damaged, cut short or of another dimension, IndexError for a
/// level that is not there, ValueError for a variable that is not there, StateError for numbers before initialize().
template <int D>
class ZEROFAB_API PlotFileData {
public:
    explicit PlotFileData(const std::string& name);

    int space_dim() const noexcept { return D; }
    Real time() const noexcept { return time_; }
    int finest_level() const noexcept { return static_cast<int>(levels_.size()) - 1; }
    int n_comp() const noexcept { return static_cast<int>(var_names_.size()); }
    const std::vector<std::string>& var_names() const noexcept { return var_names_; }
    int coord_sys() const noexcept { return coord_sys_; }
    const std::array<Real, D>& prob_lo() const noexcept { return prob_lo_; }
    const std::array<Real, D>& prob_hi() const noexcept { return prob_hi_; }
    std::array<Real, D> prob_size() const noexcept;

    /// To the next finer level; 0 for the finest.
    int ref_ratio(int level) const { return at(level).ref_ratio; }
    int level_step(int level) const { return at(level).step; }
    const Box<D>& prob_domain(int level) const { return at(level).domain; }
    const std::array<Real, D>& cell_size(int level) const { return at(level).cell_size; }
    const BoxArray<D>& box_array(int level) const { return at(level).header.boxes; }
    /// Ghost cells that the file holds, most often 0.
    const IntVect<D>& n_grow_vect(int level) const { return at(level).header.ngrow; }
    /// Owners of the boxes of what get() returns.
    DistributionMapping distribution_map(int level);
    /// Take the owners of another plotfile on the levels where both have the same boxes.
    void sync_distribution_map(PlotFileData& other);
    void sync_distribution_map(int level, PlotFileData& other);

    /// All variables of a level.
    MultiFab<D> get(int level);
    /// One variable of a level; only its numbers are read.
    MultiFab<D> get(int level, const std::string& var_name);

private:
    void parse(const std::string& text, const std::string& path);
    struct Level {
        Box<D> domain;
        std::array<Real, D> cell_size{};
        int ref_ratio = 0;
        int step = 0;
        VisMFHeader<D> header;
        std::optional<DistributionMapping> owners;  // none until needed
    };
    const Level& at(int level) const;
    Level& at(int level) { return const_cast<Level&>(static_cast<const PlotFileData&>(*this).at(level)); }

    std::string name_;
    std::vector<std::string> var_names_;
    Real time_ = 0;
    int coord_sys_ = 0;
    std::array<Real, D> prob_lo_{}, prob_hi_{};
    std::vector<Level> levels_;
    std::mutex owners_mutex_;
};

}  // namespace zerofab
