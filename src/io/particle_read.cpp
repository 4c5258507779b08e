// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reading particles.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "io/text_cursor.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/io/particle_file.hpp"

namespace zerofab {
namespace {

namespace fs = std::filesystem;

constexpr Long most = std::numeric_limits<Long>::max();

std::vector<std::string> read_names(detail::TextCursor& text, const char* what) {
    const auto count = text.integer<Long>(what, 0, static_cast<Long>(text.left()));
    std::vector<std::string> names;
    for (Long i = 0; i < count; ++i) names.emplace_back(text.word("the name of a component is missing"));
    return names;
}

std::string data_path(const std::string& folder, std::size_t level, int which) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%05d", which);
    return folder + "/Level_" + std::to_string(level) + "/DATA_" + digits;
}

/// The particles of one box, as they are in the file.
struct Rows {
    std::vector<std::uint32_t> integers;
    std::vector<Real> reals;
};

Rows read_rows(const detail::InputFile& file, const ParticleHeader& header, const ParticleHeader::Grid& grid) {
    const std::size_t ints = 2 + header.int_comp_names.size();
    const std::size_t reals = static_cast<std::size_t>(header.dim) + header.real_comp_names.size();
    const bool single = header.how == "single";
    const std::size_t row = ints * sizeof(int) + reals * (single ? sizeof(float) : sizeof(double));
    const auto where = static_cast<std::uint64_t>(grid.where);
    if (where > file.size() || static_cast<std::uint64_t>(grid.count) > (file.size() - where) / row) {
        detail::throw_bad_file(file.path(), "the file is cut short: " + std::to_string(grid.count) +
                                                " particles should begin at byte " + std::to_string(grid.where));
    }
    const auto count = static_cast<std::size_t>(grid.count);
    Rows rows{std::vector<std::uint32_t>(count * ints), std::vector<Real>(count * reals)};
    file.read(where, rows.integers.data(), rows.integers.size() * sizeof(int));
    const std::uint64_t next = where + rows.integers.size() * sizeof(int);
    if (single) {
        std::vector<float> numbers(count * reals);
        file.read(next, numbers.data(), numbers.size() * sizeof(float));
        std::copy(numbers.begin(), numbers.end(), rows.reals.begin());
    } else {
        file.read(next, rows.reals.data(), rows.reals.size() * sizeof(Real));
    }
    return rows;
}

IdCpu id_word(const std::uint32_t* integers, bool words) noexcept {
    if (words) return IdCpu{integers[0]} << 32 | integers[1];
    return pack_cpu(pack_id(0, static_cast<std::int32_t>(integers[0])), static_cast<int>(integers[1]));
}

/// Write the rows into a tile from place `first` on.
void scatter(const Rows& rows, std::size_t count, bool words, ParticleTile& tile, std::size_t first, Long& highest) {
    const ParticleLayout& layout = tile.layout();
    const StructOfArrays& soa = tile.soa();
    const auto dim = static_cast<std::size_t>(layout.pure_soa ? 0 : layout.dim);
    const std::uint32_t* integer = rows.integers.data();
    const Real* real = rows.reals.data();
    for (std::size_t place = first; place < first + count; ++place) {
        const IdCpu word = id_word(integer, words);
        highest = std::max(highest, unpack_id(word));
        integer += 2;
        if (layout.pure_soa) {
            soa.idcpu()[place] = word;
        } else {
            std::byte* record = tile.aos().bytes().data() + place * layout.record_size();
            const std::size_t reals = dim + static_cast<std::size_t>(layout.struct_real);
            const auto ints = static_cast<std::size_t>(layout.struct_int);
            std::memcpy(record, real, reals * sizeof(Real));
            std::memcpy(record + layout.id_offset(), &word, sizeof word);
            if (ints > 0) std::memcpy(record + layout.int_offset(), integer, ints * sizeof(int));
            real += reals;
            integer += ints;
        }
        for (int i = 0; i < soa.num_real(); ++i) soa.real(i)[place] = *real++;
        for (int i = 0; i < soa.num_int(); ++i) soa.integer(i)[place] = static_cast<int>(*integer++);
    }
}

}  // namespace

ParticleHeader ParticleHeader::read(const std::string& dir, const std::string& file) {
    const detail::InputFile input(dir + "/" + file + "/Header");
    const std::string content = input.text();
    detail::TextCursor text(content, input.path());
    ParticleHeader header;
    header.version = std::string(text.word("the version is missing"));
    const bool words = header.version.starts_with("Version_Two_Dot_One");
    if (!words && !header.version.starts_with("Version_Two_Dot_Zero")) {
        text.fail("'" + header.version.substr(0, 60) + "' is no version of particles that can be read");
    }
    header.convert_ids = words;
    header.how = header.version.ends_with("_single") ? "single" : header.version.ends_with("_double") ? "double" : "";
    if (header.how.empty()) text.fail("the version says neither double nor single");
    header.dim = text.integer("the dimension is 1, 2 or 3", 1, 3);
    header.real_comp_names = read_names(text, "the number of real components is missing");
    header.int_comp_names = read_names(text, "the number of int components is missing");
    header.is_checkpoint = text.integer("0 or 1 is expected here", 0, 1) != 0;
    header.num_particles = text.integer<Long>("the number of particles is missing", 0, most);
    header.next_id = text.integer<Long>("the next id is missing", 0, most);
    header.finest_level = text.integer<int>("the finest level is missing", 0, 1000);
    std::vector<Long> boxes;
    for (int lev = 0; lev <= header.finest_level; ++lev) {
        boxes.push_back(text.integer<Long>("the number of boxes is missing", 0, static_cast<Long>(text.left())));
    }
    Long total = 0;
    for (const Long count : boxes) {
        std::vector<Grid>& grids = header.grids.emplace_back();
        for (Long i = 0; i < count; ++i) {
            Grid grid;
            grid.which = text.integer("the number of a file is missing", 0, 99'999'999);
            grid.count = text.integer<Long>("a number of particles is missing", 0, most);
            grid.where = text.integer<Long>("a place in a file is missing", 0, most);
            if (__builtin_add_overflow(total, grid.count, &total)) text.fail("too many particles");
            grids.push_back(grid);
        }
    }
    if (text.left() == 0) text.fail("the last line has no end");  // its number may be cut short
    if (total != header.num_particles) {
        text.fail("the boxes hold " + std::to_string(total) + " particles, not " +
                  std::to_string(header.num_particles));
    }
    return header;
}

std::vector<std::string> list_particle_species(const std::string& plotfile) {
    std::error_code error;
    std::vector<std::string> found;
    fs::directory_iterator entry(plotfile, error);
    if (error) detail::throw_io("open the folder", plotfile, error.value());
    for (; entry != fs::directory_iterator(); entry.increment(error)) {
        if (error) detail::throw_io("read the folder", plotfile, error.value());
        std::error_code ignored;
        const fs::path header = entry->path() / "Header";
        if (!fs::is_regular_file(header, ignored)) continue;
        if (detail::InputFile(header.string()).text(0, 8) == "Version_")
            found.push_back(entry->path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

void read_particles(const std::string& dir, const std::string& file, ParticleTile& tile) {
    const ParticleHeader header = ParticleHeader::read(dir, file);
    const ParticleLayout& layout = tile.layout();
    const StructOfArrays& soa = tile.soa();
    const int position = layout.pure_soa ? layout.dim : 0;
    const auto reals = static_cast<std::size_t>(layout.struct_real + soa.num_real() - position);
    const auto ints = static_cast<std::size_t>(layout.struct_int + soa.num_int());
    if (header.dim != layout.dim || header.real_comp_names.size() != reals || header.int_comp_names.size() != ints) {
        throw ValueError("'" + dir + "/" + file + "' has particles with " +
                         std::to_string(header.real_comp_names.size()) + " real and " +
                         std::to_string(header.int_comp_names.size()) + " int components in " +
                         std::to_string(header.dim) + " dimensions, not with " + std::to_string(reals) + " and " +
                         std::to_string(ints) + " in " + std::to_string(layout.dim));
    }
    if (tile.size() != 0) throw ValueError("particles are read into an empty tile");
    if (!tile.is_plain()) {
        ParticleTile read(layout, The_Cpu_Arena());
        read.define(soa.num_real() - layout.array_real, soa.num_int() - layout.array_int, soa.real_names(),
                    soa.int_names(), The_Cpu_Arena());
        read_particles(dir, file, read);
        read.set_arena(soa.arena());
        tile.swap(read);
        return;
    }
    try {
        Long highest = 0;
        for (std::size_t lev = 0; lev < header.grids.size(); ++lev) {
            for (const ParticleHeader::Grid& grid : header.grids[lev]) {
                if (grid.count == 0) continue;
                const detail::InputFile data(data_path(dir + "/" + file, lev, grid.which));
                const Rows rows = read_rows(data, header, grid);  // checks the count: no memory before
                const std::size_t first = tile.size();
                tile.resize(first + static_cast<std::size_t>(grid.count), GrowthStrategy::Geometric);
                scatter(rows, static_cast<std::size_t>(grid.count), header.convert_ids, tile, first, highest);
            }
        }
        highest = std::min(std::max(highest + 1, header.next_id), max_particle_id);
        if (highest > next_particle_id()) set_next_particle_id(highest);
    } catch (...) {
        tile.resize(0);
        throw;
    }
}

}  // namespace zerofab
