// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reading particles.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>

#include "io/text_cursor.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/io/particle_file.hpp"

namespace zerofab {
namespace {

namespace fs = std::filesystem;

constexpr Long most = std::numeric_limits<Long>::max();

// A count and so many names: a line for each, blanks around it not counted, or else words.
std::vector<std::string> read_names(detail::TextCursor& text, const char* what, bool lines) {
    const auto count = text.integer<Long>(what, 0, static_cast<Long>(text.left()));
    std::vector<std::string> names;
    for (Long i = 0; i < count; ++i) {
        constexpr std::string_view missing = "the name of a component is missing";
        if (lines) text.skip_blanks();
        names.emplace_back(lines ? text.line(missing) : text.word(missing));
    }
    return names;
}

std::string data_path(const std::string& folder, std::size_t level, int which) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%05d", which);
    return concat(folder, "/Level_", level, "/DATA_", digits);
}

/// How many numbers, and bytes, a particle has in the file.
struct Row {
    explicit Row(const ParticleHeader& header)
        : ints(2 + header.int_comp_names.size()),
          reals(static_cast<std::size_t>(header.dim) + header.real_comp_names.size()),
          single(header.how == "single"),
          bytes(ints * sizeof(int) + reals * (single ? sizeof(float) : sizeof(double))) {}
    std::size_t ints, reals;
    bool single;
    std::size_t bytes;
};

[[noreturn]] void fail_short(const std::string& path, const ParticleHeader::Grid& grid) {
    detail::throw_bad_file(
        path, concat("the file is cut short: ", grid.count, " particles should begin at byte ", grid.where));
}

/// The number of particles; each box lies within its file, and all together do not claim more bytes than it has.
std::size_t check_sizes(const std::string& folder, const ParticleHeader& header) {
    struct File {
        std::uint64_t size = 0, claimed = 0;
    };
    const std::uint64_t row = Row(header).bytes;
    std::size_t total = 0;
    for (std::size_t lev = 0; lev < header.grids.size(); ++lev) {
        std::map<int, File> files;
        for (const ParticleHeader::Grid& grid : header.grids[lev]) {
            if (grid.count == 0) continue;
            const std::string path = data_path(folder, lev, grid.which);
            const auto [found, is_new] = files.try_emplace(grid.which);
            File& file = found->second;
            if (is_new) file.size = detail::InputFile(path).size();
            const auto where = static_cast<std::uint64_t>(grid.where), count = static_cast<std::uint64_t>(grid.count);
            if (where > file.size || count > (file.size - where) / row) fail_short(path, grid);
            file.claimed += count * row;  // below twice the size of a file
            if (file.claimed > file.size) {
                detail::throw_bad_file(path, concat("the file has ", file.size,
                                                    " bytes, too few for the particles of all boxes together"));
            }
            total += count;
        }
    }
    return total;
}

/// The particles of one box, as they are in the file.
struct FileRows {
    std::vector<std::uint32_t> integers;
    std::vector<Real> reals;
};

FileRows read_rows(const detail::InputFile& file, const Row& row, const ParticleHeader::Grid& grid) {
    const auto where = static_cast<std::uint64_t>(grid.where);
    if (where > file.size() || static_cast<std::uint64_t>(grid.count) > (file.size() - where) / row.bytes) {
        fail_short(file.path(), grid);
    }
    const auto count = static_cast<std::size_t>(grid.count);
    FileRows rows{std::vector<std::uint32_t>(count * row.ints), std::vector<Real>(count * row.reals)};
    file.read(where, rows.integers.data(), rows.integers.size() * sizeof(int));
    const std::uint64_t next = where + rows.integers.size() * sizeof(int);
    if (row.single) {
        std::vector<float> numbers(count * row.reals);
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

/// Write the rows into a tile from position `first` on.
void scatter(const FileRows& rows, const Row& row, std::size_t count, const ParticleMatch& match, bool words,
             ParticleTile& tile, std::size_t first, Long& highest) {
    const ParticleLayout& layout = tile.layout();
    const StructOfArrays& soa = tile.soa();
    const auto dim = static_cast<std::size_t>(layout.dim);
    const auto struct_real = static_cast<std::size_t>(layout.struct_real);
    const auto struct_int = static_cast<std::size_t>(layout.struct_int);
    const int position = layout.pure_soa ? layout.dim : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = first + i;
        const std::uint32_t* const integers = rows.integers.data() + i * row.ints;
        const Real* const reals = rows.reals.data() + i * row.reals;
        const auto real = [&](std::size_t k) { return reals[dim + static_cast<std::size_t>(match.real[k])]; };
        const auto integer = [&](std::size_t k) {
            return static_cast<int>(integers[2 + static_cast<std::size_t>(match.integer[k])]);
        };
        const IdCpu word = id_word(integers, words);
        highest = std::max(highest, unpack_id(word));
        if (layout.pure_soa) {
            soa.idcpu()[index] = word;
            for (int d = 0; d < layout.dim; ++d) soa.real(d)[index] = reals[d];
        } else {
            std::byte* const record = tile.aos().bytes().data() + index * layout.record_size();
            std::memcpy(record, reals, dim * sizeof(Real));
            for (std::size_t k = 0; k < struct_real; ++k) {
                const Real value = real(k);
                std::memcpy(record + (dim + k) * sizeof value, &value, sizeof value);
            }
            std::memcpy(record + layout.id_offset(), &word, sizeof word);
            for (std::size_t k = 0; k < struct_int; ++k) {
                const int value = integer(k);
                std::memcpy(record + layout.int_offset() + k * sizeof value, &value, sizeof value);
            }
        }
        for (int k = position; k < soa.num_real(); ++k) {
            soa.real(k)[index] = real(struct_real + static_cast<std::size_t>(k - position));
        }
        for (int k = 0; k < soa.num_int(); ++k) {
            soa.integer(k)[index] = integer(struct_int + static_cast<std::size_t>(k));
        }
    }
}

ParticleHeader parse_header(const std::string& content, const std::string& path, bool lines) {
    detail::TextCursor text(content, path);
    ParticleHeader header;
    header.path = path;
    header.version = std::string(text.word("the version is missing"));
    const bool words = header.version.starts_with("Version_Two_Dot_One");
    if (!words && !header.version.starts_with("Version_Two_Dot_Zero")) {
        text.fail("'" + header.version.substr(0, 60) + "' is no version of particles that can be read");
    }
    header.convert_ids = words;
    header.how = header.version.ends_with("_single") ? "single" : header.version.ends_with("_double") ? "double" : "";
    if (header.how.empty()) text.fail("the version says neither double nor single");
    header.dim = text.integer("the dimension is 1, 2 or 3", 1, 3);
    header.real_comp_names = read_names(text, "the number of real components is missing", lines);
    header.int_comp_names = read_names(text, "the number of int components is missing", lines);
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
        std::vector<ParticleHeader::Grid>& grids = header.grids.emplace_back();
        for (Long i = 0; i < count; ++i) {
            ParticleHeader::Grid grid;
            grid.which = text.integer("the number of a file is missing", 0, 99'999'999);
            grid.count = text.integer<Long>("a number of particles is missing", 0, most);
            grid.where = text.integer<Long>("an offset in a file is missing", 0, most);
            if (__builtin_add_overflow(total, grid.count, &total)) text.fail("too many particles");
            grids.push_back(grid);
        }
    }
    if (text.left() == 0) text.fail("the last line has no end");  // its number may be cut short
    if (total != header.num_particles) {
        text.fail(concat("the boxes hold ", total, " particles, not ", header.num_particles));
    }
    return header;
}

}  // namespace

ParticleHeader ParticleHeader::read(const std::string& dir, const std::string& file) {
    const detail::InputFile input(dir + "/" + file + "/Header");
    const std::string content = input.text();
    try {
        return parse_header(content, input.path(), true);
    } catch (const IoError&) {  // names may also be words, several in a line
        try {
            return parse_header(content, input.path(), false);
        } catch (const IoError&) {
        }
        throw;
    }
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
    const ParticleMatch match = ParticleMatch::of(header, tile);
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
    const Row row(header);
    const std::size_t total = check_sizes(dir + "/" + file, header);  // no memory before
    try {
        Long highest = 0;
        std::size_t first = 0;
        tile.resize(total);
        for (std::size_t lev = 0; lev < header.grids.size(); ++lev) {
            for (const ParticleHeader::Grid& grid : header.grids[lev]) {
                if (grid.count == 0) continue;
                const detail::InputFile data(data_path(dir + "/" + file, lev, grid.which));
                const auto count = static_cast<std::size_t>(grid.count);
                scatter(read_rows(data, row, grid), row, count, match, header.convert_ids, tile, first, highest);
                first += count;
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
