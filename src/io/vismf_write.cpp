// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Writing a MultiFab to files.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>

#include "io/text_cursor.hpp"
#include "mesh/checks.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/comm/communicator.hpp"
#include "zerofab/io/vismf.hpp"
#include "zerofab/mesh/mirror.hpp"

namespace zerofab {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;  // stays in the second-level cache

// Call f(pointer, count) for the runs of neighbouring numbers of component n in `box`.
template <int D, class T, class F>
void for_each_run(const Array4<const T>& a, const Box<D>& box, int n, F&& f) {
    std::array<int, 3> lo{}, hi{};
    for (int d = 0; d < D; ++d) {
        lo[static_cast<std::size_t>(d)] = box.small_end(d);
        hi[static_cast<std::size_t>(d)] = box.big_end(d);
    }
    const auto length = [&](std::size_t d) { return static_cast<std::size_t>(hi[d] - lo[d] + 1); };
    if (length(0) == static_cast<std::size_t>(a.size[0]) && length(1) == static_cast<std::size_t>(a.size[1])) {
        f(a.ptr(lo[0], lo[1], lo[2], n), length(0) * length(1) * length(2));
        return;
    }
    for (int k = lo[2]; k <= hi[2]; ++k) {
        for (int j = lo[1]; j <= hi[1]; ++j) f(a.ptr(lo[0], j, k, n), length(0));
    }
}

struct Extrema {
    Real low = std::numeric_limits<Real>::max();
    Real high = std::numeric_limits<Real>::lowest();
};

// NaN does not count. Four lanes, because the order of comparisons is not the compiler's to change.
template <class T>
void take_extrema(const T* x, std::size_t n, Extrema& extrema) {
    std::array<Real, 4> low, high;
    low.fill(extrema.low);
    high.fill(extrema.high);
    const auto take = [&](std::size_t lane, Real value) {
        low[lane] = value < low[lane] ? value : low[lane];
        high[lane] = value > high[lane] ? value : high[lane];
    };
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        take(0, x[i]);
        take(1, x[i + 1]);
        take(2, x[i + 2]);
        take(3, x[i + 3]);
    }
    for (; i < n; ++i) take(0, x[i]);
    extrema.low = *std::min_element(low.begin(), low.end());
    extrema.high = *std::max_element(high.begin(), high.end());
}

// The numbers of `box`, all components, in the file's format. `look(n, x, count)` sees them while they are in the
// cache.
template <int D, class T, class Look>
void write_numbers(detail::OutputFile& file, const Array4<const T>& a, const Box<D>& box, RealFormat format,
                   std::vector<std::byte>& buffer, Look&& look) {
    const auto size = static_cast<std::size_t>(format.bytes);
    const bool as_is = format == (std::is_same_v<T, Real> ? RealFormat::native_double() : RealFormat::native_float());
    std::vector<Real> wider;  // of numbers of single precision
    std::size_t used = 0;
    const auto flush = [&] {
        file.write(buffer.data(), used);
        used = 0;
    };
    for (int n = 0; n < a.ncomp; ++n) {
        for_each_run(a, box, n, [&](const T* from, std::size_t count) {
            while (count > 0) {
                const std::size_t part = std::min(count, buffer_bytes / size);
                look(n, from, part);
                if (as_is && part * size >= buffer_bytes / 4) {
                    flush();
                    file.write(from, part * size);
                } else {
                    if (part * size > buffer_bytes - used) flush();
                    if constexpr (std::is_same_v<T, Real>) {
                        encode_reals(from, part, format, buffer.data() + used);
                    } else {
                        wider.assign(from, from + part);
                        encode_reals(wider.data(), part, format, buffer.data() + used);
                    }
                    used += part * size;
                }
                from += part;
                count -= part;
            }
        });
    }
    flush();
}

// What one rank has written; plain data, so that it can be sent.
struct Written {
    int global;
    int file;
    std::uint64_t offset;
};

std::string data_file_name(const std::string& name, int number) {
    std::array<char, 24> digits;
    std::snprintf(digits.data(), digits.size(), "_D_%05d", number);
    return name + digits.data();
}

void append_extrema(std::string& text, const std::vector<Real>& values, std::size_t boxes, std::size_t ncomp,
                    std::size_t first) {
    text += concat('\n', boxes, ',', ncomp, '\n');
    for (std::size_t box = 0; box < boxes; ++box) {
        for (std::size_t n = 0; n < ncomp; ++n) {
            detail::append_real(text, values[(box * ncomp + n) * 2 + first], std::chars_format::scientific);
            text += ',';
        }
        text += '\n';
    }
}

template <int D>
std::string header_text(const FabBody<D>& body, const IntVect<D>& ngrow, const std::string& base,
                        const std::vector<Written>& written, const std::vector<Real>& extrema) {
    const BoxArray<D>& boxes = body.layout->boxes();
    const auto ncomp = static_cast<std::size_t>(body.ncomp);
    std::string text = concat("1\n1\n", ncomp, '\n');
    if (ngrow == IntVect<D>(ngrow[0])) {
        text += std::to_string(ngrow[0]);
    } else {
        for (int d = 0; d < D; ++d) text.append(d == 0 ? "(" : ",").append(std::to_string(ngrow[d]));
        text += ')';
    }
    text += concat("\n(", boxes.size(), " 0\n");
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        detail::append_box(text, boxes[i]);
        text += '\n';
    }
    text += concat(")\n", boxes.size(), '\n');
    std::vector<const Written*> by_box(boxes.size());
    std::vector<std::size_t> position(boxes.size());
    for (std::size_t i = 0; i < written.size(); ++i) {
        by_box[static_cast<std::size_t>(written[i].global)] = &written[i];
        position[static_cast<std::size_t>(written[i].global)] = i;
    }
    std::vector<Real> ordered;
    ordered.reserve(extrema.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        ensure(by_box[i] != nullptr, "every box was written by one rank");
        text += concat("FabOnDisk: ", data_file_name(base, by_box[i]->file), ' ', by_box[i]->offset, '\n');
        const auto from = extrema.begin() + static_cast<std::ptrdiff_t>(position[i] * ncomp * 2);
        ordered.insert(ordered.end(), from, from + static_cast<std::ptrdiff_t>(ncomp * 2));
    }
    append_extrema(text, ordered, boxes.size(), ncomp, 0);
    append_extrema(text, ordered, boxes.size(), ncomp, 1);
    return text + '\n';
}

// Everything of one rank, but for giving the files their names.
template <int D>
struct RankWriter {
    Lease<D> lease;
    VisMFOptions options;
    std::string name;
    std::vector<std::unique_ptr<detail::OutputFile>> files;
    std::vector<Written> written;
    std::vector<Real> extrema;  // low and high of each component of each box

    void run() {
        const FabBody<D>& body = *lease;
        detail::check_memory("writing a MultiFab", "it", body);
        const int count = body.num_local();
        const int ranks = communicator().size();
        const int nfiles = ranks > 1 ? 1 : std::clamp(options.nfiles, 1, std::max(count, 1));
        std::vector<std::byte> buffer(buffer_bytes);
        for (int number = 0; number < nfiles; ++number) {
            const int file_number = ranks > 1 ? communicator().rank() : number;
            files.push_back(std::make_unique<detail::OutputFile>(data_file_name(name, file_number)));
            const auto begin = [&](int file) { return static_cast<int>(Long{count} * file / nfiles); };
            for (int local = begin(number); local < begin(number + 1); ++local) {
                if (body.dtype->size == sizeof(Real)) {
                    write_fab<Real>(local, *files.back(), file_number, buffer);
                } else {
                    write_fab<float>(local, *files.back(), file_number, buffer);
                }
            }
            files.back()->close();
        }
    }

    template <class T>
    void write_fab(int local, detail::OutputFile& file, int file_number, std::vector<std::byte>& buffer) {
        const Mirror<D> seen(lease, std::vector<int>{local});
        const FabBody<D>& body = *seen.body();
        const Array4<const T> a = body.template array<const T>(local);
        const Box<D> valid = body.valid_box(local);
        const Box<D> box = options.ghosts ? body.fabs[static_cast<std::size_t>(local)].box : valid;
        written.push_back({body.layout->local_boxes()[static_cast<std::size_t>(local)], file_number, file.size()});
        std::string line = "FAB " + to_string(options.format);
        detail::append_box(line, box);
        line += concat(' ', body.ncomp, '\n');
        file.write(line);
        std::vector<Extrema> found(static_cast<std::size_t>(body.ncomp));
        const auto look = [&](int n, const T* x, std::size_t count) {
            take_extrema(x, count, found[static_cast<std::size_t>(n)]);
        };
        if (box == valid) {
            write_numbers(file, a, box, options.format, buffer, look);
        } else {  // ghosts are written, but do not count
            write_numbers(file, a, box, options.format, buffer, [](int, const T*, std::size_t) {});
            for (int n = 0; n < body.ncomp; ++n) {
                for_each_run(a, valid, n, [&](const T* x, std::size_t count) { look(n, x, count); });
            }
        }
        for (const Extrema& of_component : found) {
            extrema.push_back(of_component.low);
            extrema.push_back(of_component.high);
        }
    }
};

// Run `step`; if it fails on any rank, throw on all of them.
template <class F>
void on_all_ranks(F&& step, const std::string& name) {
    std::exception_ptr error;
    try {
        step();
    } catch (...) {
        error = std::current_exception();
    }
    const int failed = communicator().all_reduce(error != nullptr ? 1 : 0, ReduceOp::max);
    if (error != nullptr) std::rethrow_exception(error);
    if (failed != 0) throw IoError("another rank could not write '" + name + "'");
}

}  // namespace

template <int D>
std::uint64_t write_body(const Lease<D>& body, const std::string& name, const VisMFOptions& options) {
    ensure(body->dtype->code == DTypeCode::real && body->dtype->size <= sizeof(Real), "the numbers are real");
    if (options.nfiles < 1)
        throw ValueError(concat("a MultiFab is written to at least one file, not ", options.nfiles));
    if (options.format.bytes != 4 && options.format.bytes != 8) throw ValueError("numbers in files have 4 or 8 bytes");
    const std::string base = name.substr(name.rfind('/') + 1);
    if (base.empty() || base.find('\n') != std::string::npos || base.find(' ') != std::string::npos) {
        throw ValueError("'" + name + "' cannot name the files of a MultiFab: its last part is empty or has blanks");
    }
    std::unique_ptr<detail::OutputFile> header;  // the last to get its name: no header, no MultiFab
    RankWriter<D> writer{body, options, name, {}, {}, {}};
    on_all_ranks([&] { writer.run(); }, name);
    const std::vector<Written> written = communicator().all_gather_varying(std::span<const Written>(writer.written));
    const std::vector<Real> extrema = communicator().all_gather_varying(std::span<const Real>(writer.extrema));
    std::uint64_t bytes = 0;
    for (const auto& file : writer.files) bytes += file->size();
    bytes = communicator().all_reduce(bytes, ReduceOp::sum);
    on_all_ranks(
        [&] {
            if (!communicator().is_io_rank()) return;
            header = std::make_unique<detail::OutputFile>(name + "_H");
            header->write(header_text(*body, options.ghosts ? body->ngrow : IntVect<D>(0), base, written, extrema));
            bytes += header->size();
            header->close();
            header->make_way();
        },
        name);
    on_all_ranks(
        [&] {
            for (const auto& file : writer.files) {
                file->make_way();
                file->install();
            }
        },
        name);
    on_all_ranks(
        [&] {
            detail::sync_folder(detail::folder_of(name));
            if (header) header->install();
        },
        name);
    for (const auto& file : writer.files) file->keep();
    if (header) header->keep();
    return bytes;
}

#define ZEROFAB_INSTANTIATE(D) \
    template ZEROFAB_API std::uint64_t write_body(const Lease<D>&, const std::string&, const VisMFOptions&);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
