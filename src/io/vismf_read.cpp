// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Reading a MultiFab from files.
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "io/fab_format.hpp"
#include "mesh/checks.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/io/vismf.hpp"
#include "zerofab/mesh/arithmetic.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr int most_components = 1 << 24;
constexpr int most_ghosts = 1 << 20;

// Another directory, or a device, is not the business of a header.
void check_file_name(const detail::TextCursor& cursor, const std::string& file) {
    if (file.find('/') != std::string::npos || file.find('\0') != std::string::npos || file == "." || file == "..") {
        cursor.fail("the data file '" + file + "' is not beside the header");
    }
}

template <int D>
BoxArray<D> parse_boxes(detail::TextCursor& cursor) {
    cursor.expect('(');
    const auto count =
        cursor.integer<std::int64_t>("the number of boxes is expected here", 0, std::numeric_limits<int>::max());
    if (static_cast<std::size_t>(count) > cursor.left()) cursor.fail("there are fewer boxes than this");
    cursor.integer<std::int64_t>("a number is expected here", 0, std::numeric_limits<std::int64_t>::max());
    std::vector<Box<D>> boxes;
    for (std::int64_t i = 0; i < count; ++i) {
        boxes.push_back(cursor.box<D>());
        if (boxes.back().ix_type() != boxes.front().ix_type()) cursor.fail("the boxes have more than one index type");
    }
    cursor.expect(')');
    return BoxArray<D>(boxes);
}

// "n,m" and n * m numbers: not needed, but a header without them was cut short.
void skip_extrema(detail::TextCursor& cursor, std::size_t boxes, int ncomp) {
    constexpr std::string_view what = "the smallest and largest values are damaged";
    const auto is = [&](std::size_t n) {
        if (cursor.integer<std::size_t>(what, 0, std::numeric_limits<std::size_t>::max()) != n) cursor.fail(what);
    };
    is(boxes);
    cursor.expect(',');
    is(static_cast<std::size_t>(ncomp));
    for (std::size_t i = 0; i < boxes; ++i) {
        for (int n = 0; n < ncomp; ++n) {
            cursor.real(what, false);
            cursor.expect(',');
        }
    }
}

// Where the numbers of one fab begin, and what they are.
struct FabLocation {
    int global;
    std::uint64_t first_number;
    RealFormat format;
};

template <int D>
class Reader {
public:
    Reader(const VisMFHeader<D>& header, const DistributionMapping& owners) : header_(header), owners_(owners) {}

    MultiFab<D> run(int first, int ncomp) {
        std::map<std::string, std::vector<int>> by_file;
        for (int i = 0; i < static_cast<int>(header_.fabs.size()); ++i) {
            by_file[header_.fabs[static_cast<std::size_t>(i)].file].push_back(i);
        }
        locations_.resize(header_.fabs.size());
        for (const auto& [file, fabs] : by_file) check_file(file, fabs);
        MultiFab<D> mf(header_.boxes, owners_, ncomp, header_.ngrow);
        for (const auto& [file, fabs] : by_file) read_file(file, fabs, first, mf);
        return mf;
    }

private:
    std::string path_of(const std::string& file) const {
        return header_.name.substr(0, header_.name.rfind('/') + 1) + file;
    }
    Box<D> fab_box(int global) const { return grow(header_.boxes[global], header_.ngrow); }

    // All fabs lie within the file, and do not claim more bytes together than it has.
    void check_file(const std::string& name, const std::vector<int>& fabs) {
        const detail::InputFile file(path_of(name));
        unsigned __int128 claimed = 0;
        for (const int global : fabs) {
            const FabLocation location = locate(file, global);
            const Box<D> box = fab_box(global);
            unsigned __int128 numbers = 1;
            for (int d = 0; d < D; ++d)
                numbers *= static_cast<unsigned __int128>(Long{box.big_end(d)} - box.small_end(d) + 1);
            // not more than 2^96 points, 2^24 components and 2^3 bytes
            const unsigned __int128 bytes =
                numbers * static_cast<unsigned>(header_.ncomp) * static_cast<unsigned>(location.format.bytes);
            claimed += bytes;
            if (location.first_number > file.size() || bytes > file.size() - location.first_number ||
                claimed > file.size()) {
                detail::throw_bad_file(file.path(),
                                       concat("the file is too short for box ", global, " of '", header_.name,
                                              "_H'; it was cut short or belongs to another header"));
            }
            locations_[static_cast<std::size_t>(global)] = location;
        }
    }

    FabLocation locate(const detail::InputFile& file, int global) const {
        const std::uint64_t offset = header_.fabs[static_cast<std::size_t>(global)].offset;
        if (header_.version > 1) return {global, offset, header_.format};
        const std::string text = file.text(offset, 1024);
        const std::size_t end = text.find('\n');
        detail::TextCursor cursor(std::string_view(text).substr(0, end == std::string::npos ? text.size() : end),
                                  file.path());
        const auto fail = [&](const std::string& what) {
            detail::throw_bad_file(file.path(), concat("at byte ", offset, ": ", what));
        };
        if (!text.starts_with("FAB (")) fail("no fab begins here");
        if (end == std::string::npos) fail("the line that describes the fab does not end");
        cursor.expect("FAB");
        const RealFormat format = detail::parse_real_format(cursor);
        const Box<D> box = cursor.box<D>();
        const int ncomp = cursor.integer("the number of components is expected here", 1, most_components);
        if (box != fab_box(global) || ncomp != header_.ncomp || !cursor.at_end()) {
            fail("the fab is not the one that '" + header_.name + "_H' describes");
        }
        return {global, offset + end + 1, format};
    }

    void read_file(const std::string& name, const std::vector<int>& fabs, int first, MultiFab<D>& mf) {
        std::optional<detail::InputFile> file;
        const FabBody<D>& body = *mf.lease();
        for (const int global : fabs) {
            const int local = body.layout->local_index(global);
            if (local < 0) continue;
            if (!file) file.emplace(path_of(name));
            const Mirror<D> seen(mf.lease(), std::vector<int>{local});
            const FabMemory<D>& fab = seen.body()->fabs[static_cast<std::size_t>(local)];
            const FabLocation& location = locations_[static_cast<std::size_t>(global)];
            const auto points = static_cast<std::size_t>(fab.box.num_pts());
            const auto size = static_cast<std::size_t>(location.format.bytes);
            read_numbers(*file, location.first_number + points * static_cast<std::size_t>(first) * size,
                         location.format, points * static_cast<std::size_t>(body.ncomp), static_cast<Real*>(fab.data));
            seen.write_back();
        }
    }

    void read_numbers(const detail::InputFile& file, std::uint64_t offset, RealFormat format, std::size_t count,
                      Real* to) {
        if (format == RealFormat::native_double()) {
            file.read(offset, to, count * sizeof(Real));
            return;
        }
        buffer_.resize(chunk_bytes);
        const auto size = static_cast<std::size_t>(format.bytes);
        while (count > 0) {
            const std::size_t part = std::min(count, chunk_bytes / size);
            file.read(offset, buffer_.data(), part * size);
            decode_reals(buffer_.data(), part, format, to);
            offset += part * size;
            to += part;
            count -= part;
        }
    }

    const VisMFHeader<D>& header_;
    DistributionMapping owners_;
    std::vector<FabLocation> locations_;
    std::vector<std::byte> buffer_;
};

}  // namespace

template <int D>
VisMFHeader<D> read_vismf_header(const std::string& name) {
    const detail::InputFile file(name + "_H");
    const std::string text = file.text();
    detail::TextCursor cursor(text, file.path());
    VisMFHeader<D> header;
    header.name = name;
    header.version = cursor.integer("a header of version 1 to 4 is expected", 1, 4);
    cursor.integer("how the files were written is expected here", 0, 1);
    header.ncomp = cursor.integer("the number of components is expected here", 0, most_components);
    constexpr std::string_view ghosts = "the number of ghost cells is expected here";
    header.ngrow = cursor.next_is('(') ? cursor.point<D>(ghosts, 0, most_ghosts)
                                       : IntVect<D>(cursor.integer(ghosts, 0, most_ghosts));
    header.boxes = parse_boxes<D>(cursor);
    const std::size_t count = header.boxes.size();
    if (cursor.integer<std::size_t>("the number of fabs is expected here", 0,
                                    std::numeric_limits<std::size_t>::max()) != count) {
        cursor.fail("there is not one fab for each box");
    }
    for (std::size_t i = 0; i < count; ++i) {
        cursor.expect("FabOnDisk:");
        std::string data_file(cursor.word("the name of a data file is expected here"));
        check_file_name(cursor, data_file);
        const auto offset = cursor.integer<std::int64_t>("an offset in a file is expected here", 0,
                                                         std::numeric_limits<std::int64_t>::max());
        header.fabs.push_back({std::move(data_file), static_cast<std::uint64_t>(offset)});
    }
    if (header.version == 1 || header.version == 3) {
        skip_extrema(cursor, count, header.ncomp);
        skip_extrema(cursor, count, header.ncomp);
    } else if (header.version == 4) {
        for (int n = 0; n < 2 * header.ncomp; ++n) {
            cursor.real("the smallest and largest values are expected here", false);
            cursor.expect(',');
        }
    }
    if (header.version > 1) header.format = detail::parse_real_format(cursor);
    if (!cursor.at_end()) cursor.fail("the header should end here");
    return header;
}

template <int D>
MultiFab<D> read_vismf(const VisMFHeader<D>& header, const DistributionMapping& owners, int first, int ncomp) {
    if (header.ncomp == 0) detail::throw_bad_file(header.name + "_H", "this MultiFab has no components");
    if (ncomp == -1 && first >= 0 && first < header.ncomp) ncomp = header.ncomp - first;
    if (first < 0 || ncomp < 1 || ncomp > header.ncomp - first) {
        throw IndexError(concat("'", header.name, "' has ", header.ncomp, " components, not ", ncomp, " from number ",
                                first, " on"));
    }
    return Reader<D>(header, owners).run(first, ncomp);
}

template <int D>
MultiFab<D> read_vismf(const std::string& name) {
    const VisMFHeader<D> header = read_vismf_header<D>(name);
    return read_vismf(header, DistributionMapping(header.boxes));
}

template <int D>
void read_vismf(const std::string& name, MultiFab<D>& mf) {
    const Lease<D> target = mf.body();
    if (target == nullptr) {
        mf = read_vismf<D>(name);
        return;
    }
    const VisMFHeader<D> header = read_vismf_header<D>(name);
    if (!(header.boxes == target->layout->boxes()) || header.ncomp != target->ncomp) {
        throw ValueError(concat("the MultiFab in '", name,
                                "' has other boxes or components than the one to read into: ", header.boxes.size(),
                                " boxes and ", header.ncomp, " components, not ", target->layout->size(), " and ",
                                target->ncomp));
    }
    detail::check_memory("reading into a MultiFab", "it", *target);
    const MultiFab<D> fresh = read_vismf(header, target->layout->owners());
    const IntVect<D> nghost = min(target->ngrow, header.ngrow);
    copy(FabArray<D, Real>(target), {.comp = 0, .ncomp = target->ncomp, .nghost = nghost}, Source<D, Real>{fresh, 0});
}

#define ZEROFAB_INSTANTIATE(D)                                                                                \
    template ZEROFAB_API VisMFHeader<D> read_vismf_header(const std::string&);                                \
    template ZEROFAB_API MultiFab<D> read_vismf(const VisMFHeader<D>&, const DistributionMapping&, int, int); \
    template ZEROFAB_API MultiFab<D> read_vismf(const std::string&);                                          \
    template ZEROFAB_API void read_vismf(const std::string&, MultiFab<D>&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
