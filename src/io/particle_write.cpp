// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Writing particles.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include "io/growing_folder.hpp"
#include "io/text_cursor.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/io/particle_file.hpp"

namespace zerofab {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;  // rows are put together in blocks of about this size

void check_part(const std::string& part) {
    if (part.empty() || part == "." || part == ".." ||
        part.find_first_of(std::string_view("/\n\r\0", 4)) != std::string::npos) {
        throw ValueError("particles: '" + part + "' is no name of a folder in a plotfile");
    }
}

void check_names(const std::vector<std::string>& names, std::size_t wanted, const char* kind) {
    if (names.size() != wanted) {
        throw ValueError(concat("particles: ", wanted, " ", kind, " components need as many names, not ", names.size(),
                                " (the position has none)"));
    }
    for (const std::string& name : names) {
        if (name.empty() || name.find_first_of(" \t\n\r") != std::string::npos) {
            throw ValueError("particles: the name of a component must be one word, not '" + name + "'");
        }
    }
}

template <class T>
T value_at(const ColumnView& column, std::size_t row) noexcept {
    T value{};
    if (row < column.rows) std::memcpy(&value, column.data + row * sizeof(T), sizeof(T));
    return value;
}

void put(std::byte*& to, const void* from, std::size_t bytes) noexcept {
    if (bytes > 0) std::memcpy(to, from, bytes);
    to += bytes;
}

/// Integers of a row: the word, then those of the record, then those of the arrays.
void put_integers(std::byte*& to, const TileView& view, std::size_t row, bool words) noexcept {
    const IdCpu word = view.id_word(row);
    if (words) {
        const std::uint32_t halves[2] = {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
        put(to, halves, sizeof halves);
    } else {
        const std::int32_t numbers[2] = {static_cast<std::int32_t>(unpack_id(word)), unpack_cpu(word)};
        put(to, numbers, sizeof numbers);
    }
    if (!view.layout.pure_soa) {
        const std::byte* record = view.idcpu.data + row * view.layout.record_size();
        put(to, record + view.layout.int_offset(), static_cast<std::size_t>(view.layout.struct_int) * sizeof(int));
    }
    for (const ColumnView& column : view.integer) {
        const int value = value_at<int>(column, row);
        put(to, &value, sizeof value);
    }
}

void put_reals(std::byte*& to, const TileView& view, std::size_t row) noexcept {
    if (!view.layout.pure_soa) {
        put(to, view.idcpu.data + row * view.layout.record_size(), view.layout.id_offset());
    }
    for (const ColumnView& column : view.real) {
        const Real value = value_at<Real>(column, row);
        put(to, &value, sizeof value);
    }
}

template <class Put>
void write_rows(detail::OutputFile& file, const std::vector<TileView>& tiles,
                const std::vector<std::vector<std::size_t>>& rows, std::size_t row_bytes, Put put_row) {
    std::vector<std::byte> block(std::max(block_bytes, row_bytes));
    std::byte* to = block.data();
    const auto flush = [&] {
        file.write(block.data(), static_cast<std::size_t>(to - block.data()));
        to = block.data();
    };
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        for (const std::size_t row : rows[t]) {
            if (static_cast<std::size_t>(block.data() + block.size() - to) < row_bytes) flush();
            put_row(to, tiles[t], row);
        }
    }
    flush();
}

// yt looks for particles in a plotfile only if its file job_info has the word "amrex" in a line. None for a folder that
// is no plotfile, or has such a file.
std::unique_ptr<detail::OutputFile> job_info(const std::string& dir) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(dir + "/Header", ignored)) return nullptr;
    const std::string name = dir + "/job_info";
    if (std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) return nullptr;
    auto file = std::make_unique<detail::OutputFile>(name);
    file->write("written by zerofab\nlayout: AMReX plotfile with particles\n");
    file->close();
    return file;
}

}  // namespace

template <int D>
ParticleWriter<D>::ParticleWriter(const ParticleContainer<D>& particles, std::vector<std::string> real_names,
                                  std::vector<std::string> int_names)
    : layout_(particles.layout()), real_names_(std::move(real_names)), int_names_(std::move(int_names)) {
    const int position = layout_.pure_soa ? D : 0;
    if (real_names_.empty()) {
        for (int i = 0; i < layout_.struct_real; ++i) real_names_.push_back(concat("rdata_", i));
        const auto& names = particles.real_names();
        real_names_.insert(real_names_.end(), names.begin() + position, names.end());
    }
    if (int_names_.empty()) {
        for (int i = 0; i < layout_.struct_int; ++i) int_names_.push_back(concat("idata_", i));
        int_names_.insert(int_names_.end(), particles.int_names().begin(), particles.int_names().end());
    }
    check_names(real_names_, static_cast<std::size_t>(layout_.struct_real + particles.num_real() - position), "real");
    check_names(int_names_, static_cast<std::size_t>(layout_.struct_int + particles.num_int()), "int");
    if (communicator().size() > 1) throw StateError("particles of several ranks cannot be written yet");
    particles.check_tiles();
    for (int lev = 0; lev < particles.num_levels(); ++lev) {
        const ParticleLevel<D>& from = particles.level(lev);
        Level level{from.layout, std::vector<std::vector<TileView>>(static_cast<std::size_t>(from.layout->size()))};
        for (const auto& [key, tile] : from.tiles) level.boxes[static_cast<std::size_t>(key.first)].emplace_back(*tile);
        levels_.push_back(std::move(level));
    }
    if (levels_.empty()) throw StateError("this container has no levels: there are no boxes to write");
}

template <int D>
std::string ParticleWriter<D>::write_level(const Level& level, const std::string& folder, bool words,
                                           Long& total) const {
    detail::make_folders(folder);
    const std::size_t int_bytes = (2 + int_names_.size()) * sizeof(int);
    const std::size_t real_bytes = (D + real_names_.size()) * sizeof(Real);
    std::string lines;
    detail::OutputFile data(folder + "/DATA_00000");
    for (std::vector<TileView> tiles : level.boxes) {
        std::size_t count = 0;
        std::vector<std::vector<std::size_t>> rows;  // chosen once: other threads may write into the ids meanwhile
        for (TileView& view : tiles) {
            view.to_host();
            std::vector<std::size_t>& valid = rows.emplace_back();
            for (std::size_t row = 0; row < view.rows; ++row) {
                if (is_valid(view.id_word(row))) valid.push_back(row);
            }
            count += valid.size();
        }
        total += static_cast<Long>(count);
        lines += concat("0 ", count, ' ', data.size(), '\n');
        if (count == 0) continue;
        write_rows(data, tiles, rows, int_bytes,
                   [&](std::byte*& to, const TileView& view, std::size_t row) { put_integers(to, view, row, words); });
        write_rows(data, tiles, rows, real_bytes, put_reals);
    }
    data.commit();
    std::string boxes = concat("(", level.layout->size(), " 0\n");
    for (const Box<D>& box : level.layout->boxes().cells()) {
        detail::append_box(boxes, box);
        boxes += '\n';
    }
    detail::OutputFile header(folder + "/Particle_H");
    header.write(boxes + ")\n");
    header.commit();
    return lines;
}

template <int D>
void ParticleWriter<D>::write(const std::string& dir, const std::string& file, bool checkpoint) const {
    check_part(file);
    if (dir.empty() || dir.find('\0') != std::string::npos)
        throw ValueError("particles: '" + dir + "' is no name of a folder");
    Long highest = next_particle_id() - 1;
    for (const Level& level : levels_) {
        for (const auto& tiles : level.boxes) {
            for (TileView view : tiles) {
                view.places_to_host();
                for (std::size_t row = 0; row < view.rows; ++row) {
                    const Long id = unpack_id(view.id_word(row));
                    highest = std::max(highest, id);  // of invalid ones it is negative
                }
            }
        }
    }
    const bool words = checkpoint || highest >= std::numeric_limits<std::int32_t>::max();
    detail::GrowingFolder folder(dir + "/" + file);
    folder.make();
    Long total = 0;
    std::string lines;
    for (std::size_t lev = 0; lev < levels_.size(); ++lev) {
        lines += write_level(levels_[lev], concat(folder.temporary(), "/Level_", lev), words, total);
    }
    std::string text = words ? "Version_Two_Dot_One_double\n" : "Version_Two_Dot_Zero_double\n";
    text += concat(D, '\n', real_names_.size(), '\n');
    for (const std::string& name : real_names_) text += name + '\n';
    text += concat(int_names_.size(), '\n');
    for (const std::string& name : int_names_) text += name + '\n';
    text += concat("1\n", total, '\n', std::min(highest, max_particle_id - 1) + 1, '\n', levels_.size() - 1, '\n');
    for (const Level& level : levels_) text += concat(level.layout->size(), '\n');
    detail::OutputFile header(folder.temporary() + "/Header");
    header.write(text + lines);
    header.commit();
    const std::unique_ptr<detail::OutputFile> info = job_info(dir);
    if (info) info->install();
    folder.finish();
    if (info) info->keep();
}

#define ZEROFAB_INSTANTIATE(D) template class ParticleWriter<D>;
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
