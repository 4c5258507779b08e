// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Writing plotfiles.
#include <cmath>
#include <filesystem>

#include "io/growing_folder.hpp"
#include "io/text_cursor.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/io/plotfile.hpp"

namespace zerofab {
namespace {

namespace fs = std::filesystem;
using detail::GrowingFolder;
using detail::make_folders;
using detail::on_io_rank;

[[noreturn]] void refuse(const std::string& what) { throw ValueError("plotfile: " + what); }

// A path below the plotfile, as one part of a line of text.
void check_part(const std::string& part, const char* what, bool folders) {
    bool good = !part.empty() && part.front() != '/' &&
                part.find_first_of(std::string_view("\n\r\0", 3)) == std::string::npos &&
                (folders || part.find_first_of("/ \t") == std::string::npos);
    for (const fs::path& step : fs::path(part)) good = good && step != "..";
    if (!good) refuse(concat(what, " '", part, "' is not allowed: it must be a name within the plotfile"));
}

template <int D>
void check(const std::vector<Lease<D>>& levels, const std::vector<std::string>& varnames, std::size_t geometries,
           Real time, std::size_t steps, const std::vector<IntVect<D>>& ref_ratio, const PlotFileOptions& options) {
    if (levels.empty()) refuse("there must be at least one level");
    const std::size_t n = levels.size();
    if (geometries != n || steps != n || ref_ratio.size() + 1 < n) {
        refuse(concat(n, " levels need as many geometries and steps and one ratio fewer, not ", geometries, ", ", steps,
                      " and ", ref_ratio.size()));
    }
    for (const Lease<D>& mf : levels) {
        if (mf->ncomp != static_cast<int>(varnames.size())) {
            refuse(concat(mf->ncomp, " components need as many names, not ", varnames.size()));
        }
    }
    for (const IntVect<D>& ratio : ref_ratio) {
        if (!ratio.all_ge(1)) refuse("a refinement ratio must be at least 1");
    }
    for (const std::string& varname : varnames) {
        if (varname.empty() || varname.find_first_of("\r\n") != std::string::npos) {
            refuse("the name of a variable must be one line of text, not '" + varname + "'");
        }
    }
    if (options.version_name.empty() || options.version_name.find('\n') != std::string::npos)
        refuse("versionName must be one line");
    if (!std::isfinite(time)) refuse("the time must be finite");
    check_part(options.level_prefix + "0", "levelPrefix", false);
    check_part(options.mf_prefix, "mfPrefix", false);
    for (const std::string& dir : options.extra_dirs) check_part(dir, "extra_dirs", true);
}

template <int D, class Value>
void append_row(std::string& text, const Value& value) {
    for (int d = 0; d < D; ++d) {
        detail::append_real(text, value(d));
        text += ' ';
    }
    text += '\n';
}

template <int D>
std::string header_text(const std::vector<Lease<D>>& levels, const std::vector<std::string>& varnames,
                        const std::vector<Geometry<D>>& geom, Real time, const std::vector<int>& level_steps,
                        const std::vector<IntVect<D>>& ref_ratio, const PlotFileOptions& options) {
    const std::size_t n = levels.size();
    std::string time_text;
    detail::append_real(time_text, time);
    std::string text = concat(options.version_name, '\n', varnames.size(), '\n');
    for (const std::string& varname : varnames) text += varname + '\n';
    text += concat(D, '\n', time_text, '\n', n - 1, '\n');
    append_row<D>(text, [&](int d) { return geom[0].prob_lo(d); });
    append_row<D>(text, [&](int d) { return geom[0].prob_hi(d); });
    for (std::size_t i = 0; i + 1 < n; ++i) text += concat(ref_ratio[i][0], ' ');
    text += '\n';
    for (const Geometry<D>& g : geom) {
        detail::append_box(text, g.domain());
        text += ' ';
    }
    text += '\n';
    for (const int step : level_steps) text += concat(step, ' ');
    text += '\n';
    for (const Geometry<D>& g : geom) append_row<D>(text, [&](int d) { return g.cell_size(d); });
    text += concat(geom[0].coord_int(), "\n0\n");
    for (std::size_t i = 0; i < n; ++i) {
        const BoxArray<D>& boxes = levels[i]->layout->boxes();
        text += concat(i, ' ', boxes.size(), ' ', time_text, '\n');
        text += concat(level_steps[i], '\n');
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            const Box<D> box = boxes[b];
            for (int d = 0; d < D; ++d) {
                const Long origin = geom[i].domain().small_end(d);  // this cell is at prob_lo
                const auto face = [&](Long index) {                 // rounded once, on every machine alike
                    return std::fma(geom[i].cell_size(d), static_cast<Real>(index - origin), geom[i].prob_lo(d));
                };
                detail::append_real(text, face(box.small_end(d)));
                text += ' ';
                detail::append_real(text, face(Long{box.big_end(d)} + (box.ix_type().node_centered(d) ? 0 : 1)));
                text += '\n';
            }
        }
        text += concat(options.level_prefix, i, '/', options.mf_prefix, '\n');
    }
    return text;
}

}  // namespace

std::string concatenate(const std::string& root, int num, int min_digits) {
    if (min_digits < 0) throw ValueError(concat("a number cannot have ", min_digits, " digits"));
    const std::string digits = std::to_string(num);
    std::string result = root;
    if (static_cast<std::size_t>(min_digits) > digits.size()) {
        result.append(static_cast<std::size_t>(min_digits) - digits.size(), '0');
    }
    return result + digits;
}

template <int D>
void write_plotfile(const std::string& name, const std::vector<Lease<D>>& levels,
                    const std::vector<std::string>& varnames, const std::vector<Geometry<D>>& geom, Real time,
                    const std::vector<int>& level_steps, const std::vector<IntVect<D>>& ref_ratio,
                    const PlotFileOptions& options) {
    check(levels, varnames, geom.size(), time, level_steps.size(), ref_ratio, options);
    std::string path = name;
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (path.empty() || path.find('\0') != std::string::npos) refuse("'" + name + "' is no name of a folder");
    GrowingFolder folder(path);
    const auto level_folder = [&](const std::string& base, std::size_t i) {
        return fs::path(base) / (concat(options.level_prefix, i));
    };
    on_io_rank(
        [&] {
            folder.make();
            for (std::size_t i = 0; i < levels.size(); ++i) {
                make_folders(level_folder(folder.temporary(), i));
                for (const std::string& dir : options.extra_dirs) {
                    make_folders(level_folder(folder.temporary() + '/' + dir, i));
                }
            }
        },
        path);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::string mf_name = (level_folder(folder.temporary(), i) / options.mf_prefix).string();
        write_body(levels[i], mf_name, VisMFOptions{options.format, options.nfiles, false});
    }
    on_io_rank(
        [&] {
            detail::OutputFile header(folder.temporary() + "/Header");
            header.write(header_text(levels, varnames, geom, time, level_steps, ref_ratio, options));
            header.commit();
            folder.finish();
        },
        path);
}

#define ZEROFAB_INSTANTIATE(D)                                                                                       \
    template ZEROFAB_API void write_plotfile(const std::string&, const std::vector<Lease<D>>&,                       \
                                             const std::vector<std::string>&, const std::vector<Geometry<D>>&, Real, \
                                             const std::vector<int>&, const std::vector<IntVect<D>>&,                \
                                             const PlotFileOptions&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
