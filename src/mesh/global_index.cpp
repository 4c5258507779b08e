// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Copying between fabs and memory that is numbered over the whole domain.
#include "zerofab/mesh/global_index.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "exchange/strided_copy.hpp"
#include "mesh/checks.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/base/instantiate.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/exchange/tensor_view.hpp"
#include "zerofab/memory/transfer.hpp"

namespace zerofab {
namespace {

constexpr Long parallel_elements = 16384;  // below this, waking a thread costs more than it saves

[[noreturn]] void throw_outside(Long index, const AxisDomain& domain) {
    const bool component = domain.name == 'n';
    std::string text = component ? "component " : concat("index ", domain.name, " = ");
    text += concat(index, " does not exist: ");
    text += component ? "components are " : "cells are ";
    text += concat(domain.low, " to ", domain.high);
    if (domain.ghosts > 0) text += concat(", with ", domain.ghosts, " ghost cells on each side");
    throw IndexError(text);
}

void check_inside(Long index, const AxisDomain& domain) {
    if (index < domain.low - domain.ghosts || index > domain.high + domain.ghosts) throw_outside(index, domain);
}

/// The copy where one of the two is memory that only a device reaches, and the other the host's, without an owner.
void copy_by_device(const detail::StridedCopy& copy, void* to, const AllocationPtr& to_owner, const void* from,
                    const AllocationPtr& from_owner, const DType& dtype) {
    const auto view = [&](const void* data, const AllocationPtr& owner, auto stride_of) {
        TensorView result;
        result.own(owner);
        result.data = const_cast<void*>(data);
        result.dtype = &dtype;
        result.axes = static_cast<std::int32_t>(copy.axes());
        result.what = "a field";
        for (std::size_t axis = 0; axis < copy.axes(); ++axis) {
            result.shape[axis] = copy.count(axis);
            result.strides[axis] = stride_of(axis);
        }
        return result;
    };
    copy_elements(view(to, to_owner, [&](std::size_t axis) { return copy.to(axis); }),
                  view(from, from_owner, [&](std::size_t axis) { return copy.from(axis); }));
}

/// Element types differ in their size only where numbers are moved unchanged.
template <class F>
void with_word(std::size_t bytes, F f) {
    switch (bytes) {
        case 2:
            return f(std::uint16_t{});
        case 4:
            return f(std::uint32_t{});
        case 8:
            return f(std::uint64_t{});
        default:
            return f(std::array<std::uint64_t, 2>{});
    }
}

// ---- which part of a selection a box has

/// Positions begin..end-1 of a range that lie in low..high.
struct Positions {
    Long begin = 0, end = 0;
};

Positions positions_in(const AxisRange& range, Long low, Long high) {
    if (range.count == 0 || low > high) return {};
    Long nearest = low - range.first, farthest = high - range.first, step = range.step;
    if (step < 0) {
        std::swap(nearest, farthest);
        nearest = -nearest;
        farthest = -farthest;
        step = -step;
    }
    if (farthest < 0) return {};
    const Long begin = nearest > 0 ? (nearest + step - 1) / step : 0;
    return {begin, std::max(begin, std::min(range.count, farthest / step + 1))};
}

/// The box around the selected cells.
template <int D>
Box<D> region_of(const GlobalSelection<D>& selection, IndexType<D> type) {
    IntVect<D> lo, hi;
    for (int d = 0; d < D; ++d) {
        const AxisRange& range = selection.cells[static_cast<std::size_t>(d)];
        const Long a = range.first, b = range.at(range.count - 1);
        lo[d] = static_cast<int>(std::min(a, b));
        hi[d] = static_cast<int>(std::max(a, b));
    }
    return Box<D>(lo, hi, type);
}

template <int D>
const FabMemory<D>* local_fab(const FabBody<D>& body, int global) {
    const int local = body.layout->local_index(global);
    return local < 0 ? nullptr : &body.fabs[static_cast<std::size_t>(local)];
}

/// Copy the selected cells of `part`, which `fab` holds, to (read) or from (write) the other memory.
template <bool read, int D, class Word>
void copy_part(const FabBody<D>& body, const FabMemory<D>& fab, const Box<D>& part, const GlobalSelection<D>& selection,
               Word* other, const SelectionStrides<D>& strides) {
    auto* data = static_cast<Word*>(fab.data);
    detail::StridedCopy copy;
    std::int64_t stride = 1;
    const auto axis = [&](const AxisRange& range, Positions at, Long low, Long length, std::int64_t outer) {
        const std::int64_t inner = stride * range.step;
        data += (range.at(at.begin) - low) * stride;
        other += at.begin * outer;
        if constexpr (read) {
            copy.add(at.end - at.begin, outer, inner);
        } else {
            copy.add(at.end - at.begin, inner, outer);
        }
        stride *= length;
    };
    std::array<Positions, D> positions;
    for (int d = 0; d < D; ++d) {
        const auto s = static_cast<std::size_t>(d);
        positions[s] = positions_in(selection.cells[s], part.small_end(d), part.big_end(d));
        if (positions[s].begin == positions[s].end) return;
    }
    for (int d = 0; d < D; ++d) {
        const auto s = static_cast<std::size_t>(d);
        axis(selection.cells[s], positions[s], fab.box.small_end(d), fab.box.length(d), strides[s]);
    }
    axis(selection.comps, {0, selection.comps.count}, 0, 1, strides[D]);
    if (!body.space().host_reaches()) {
        read ? copy_by_device(copy, other, {}, data, fab.memory, *body.dtype)
             : copy_by_device(copy, data, fab.memory, other, {}, *body.dtype);
    } else if constexpr (read) {
        copy.run<Word>(other, data);
    } else {
        copy.run<Word>(data, other);
    }
}

/// The cells that box `valid` answers for: its own, and the ghosts beyond the domain where it touches the rim.
template <int D>
Box<D> answers_for(Box<D> valid, const Box<D>& domain, const IntVect<D>& ngrow) {
    for (int d = 0; d < D; ++d) {
        if (valid.small_end(d) == domain.small_end(d)) valid.grow_low(d, ngrow[d]);
        if (valid.big_end(d) == domain.big_end(d)) valid.grow_high(d, ngrow[d]);
    }
    return valid;
}

template <int D>
IntVect<D> nearest_in(const Box<D>& domain, const IntVect<D>& p) {
    return min(max(p, domain.small_end()), domain.big_end());
}

/// What is known of the cells of a layout; worked out once per layout.
struct Cover {
    bool disjoint;  ///< no cell is in two boxes
    bool filled;    ///< the boxes fill their minimal box, so that every point is a valid one or beyond the rim
};
template <int D>
Cover cover_of(const FabLayout<D>& layout) {
    return *layout.plans().template get<Cover>({}, [&] {
        const BoxArray<D> cells = convert(layout.boxes(), IndexType<D>::cell());
        const bool disjoint = layout.all_local() && cells.is_disjoint();
        const Box<D> whole = convert(layout.boxes().minimal_box(), IndexType<D>::cell());
        return Cover{disjoint, disjoint && cells.num_pts() == whole.num_pts() && whole.ok()};
    });
}

/// The boxes, by global number, whose valid cells a selection is read from; `whole`: they have all of it.
template <int D>
auto read_boxes(const FabBody<D>& body, const GlobalSelection<D>& selection, const Cover& cover, bool& whole) {
    const BoxArray<D>& boxes = body.layout->boxes();
    const Box<D> domain = boxes.minimal_box(), region = region_of(selection, boxes.ix_type());
    const Box<D> inner(nearest_in(domain, region.small_end()), nearest_in(domain, region.big_end()), region.ix_type());
    auto found = boxes.intersections(inner);
    whole = cover.filled;
    if (!whole && cover.disjoint && boxes.ix_type().cell_centered()) {
        Long points = 0;
        for (const auto& [box, common] : found) points += common.num_pts();
        whole = points == inner.num_pts();
    }
    return found;
}

/// Wait for the device where the host is about to touch memory of both.  Whether threads may share the work: what a
/// device does goes to the stream of the thread that calls.
template <int D>
bool ready_for_threads(const FabBody<D>& body, Long elements) {
    const MemorySpace space = body.space();
    if (!space.host_reaches()) return false;
    ready_for_host(space, "a field");
    return elements >= parallel_elements;
}

template <int D, class Word>
void read_serial(const FabBody<D>& body, const GlobalSelection<D>& selection, Word* out,
                 const SelectionStrides<D>& strides, const Cover& cover) {
    const BoxArray<D>& boxes = body.layout->boxes();
    const Box<D> domain = boxes.minimal_box(), region = region_of(selection, boxes.ix_type());
    bool whole = false;
    const auto valid = read_boxes(body, selection, cover, whole);
    if (!whole) {
        const Word zero{};
        detail::StridedCopy copy;
        for (std::size_t d = 0; d < D; ++d) copy.add(selection.cells[d].count, strides[d], 0);
        copy.add(selection.comps.count, strides[D], 0);
        copy.run<Word>(out, &zero);
    }
    if (!whole && body.ngrow != IntVect<D>()) {  // what no box has as a valid cell may be a ghost cell of several
        for (const auto& [global, part] : boxes.intersections(region, body.ngrow)) {
            if (const FabMemory<D>* fab = local_fab(body, global)) {
                copy_part<true>(body, *fab, part, selection, out, strides);
            }
        }
    }
    for (const auto& found : valid) {
        if (const FabMemory<D>* fab = local_fab(body, found.first)) {
            copy_part<true>(body, *fab, answers_for(boxes[found.first], domain, body.ngrow) & region, selection, out,
                            strides);
        }
    }
}

/// The last direction with more than one selected cell: the one to divide between threads.
template <int D>
std::size_t dividing_axis(const GlobalSelection<D>& selection) {
    for (std::size_t d = D; d-- > 0;) {
        if (selection.cells[d].count > 1) return d;
    }
    return 0;
}

/// Where a local fab has a cell that it holds.
template <int D>
void* element_of(const FabBody<D>& body, int local, const IntVect<D>& cell, int comp) noexcept {
    const FabMemory<D>& fab = body.fabs[static_cast<std::size_t>(local)];
    Long at = comp;
    for (int d = D - 1; d >= 0; --d) {
        const Long length = Long{fab.box.big_end(d)} - fab.box.small_end(d) + 1;
        at = at * length + (cell[d] - fab.box.small_end(d));
    }
    return static_cast<char*>(fab.data) + at * static_cast<Long>(body.dtype->size);
}

template <int D>
void check_selection(const FabBody<D>& body, const GlobalSelection<D>& selection) {
    detail::check_memory("global indexing", "the field", body);
    const auto check = [](const AxisRange& range, const AxisDomain& domain) {
        if (range.count == 0) return;
        check_inside(range.first, domain);
        check_inside(range.at(range.count - 1), domain);
    };
    for (int d = 0; d < D; ++d) check(selection.cells[static_cast<std::size_t>(d)], axis_domain(body, d));
    check(selection.comps, axis_domain(body, D));
}

}  // namespace

Long global_index_of(const IndexBound& bound, const AxisDomain& domain) {
    constexpr Long far = Long{1} << 40;  // farther than any cell, near enough to calculate with
    const Long value = std::clamp(bound.value, -far, far);
    if (bound.kind == IndexBound::Kind::imaginary) return (value <= 0 ? domain.low : domain.high) + value;
    if (value >= 0) return value;
    if (domain.high + 1 + value < domain.low) {
        throw IndexError(concat("index ", value, " counts back beyond the first of ", domain.high - domain.low + 1,
                                " along ", domain.name, ": use an imaginary number for a ghost cell"));
    }
    return domain.high + 1 + value;
}

AxisRange select_one(const IndexBound& bound, const AxisDomain& domain) {
    const Long index = global_index_of(bound, domain);
    check_inside(index, domain);
    return {index, 1, 1};
}

AxisRange select_slice(const IndexBound& start, const IndexBound& stop, Long step, const AxisDomain& domain) {
    if (step == 0) throw ValueError("a slice cannot have step 0");
    const bool up = step > 0;
    const auto resolve = [&](const IndexBound& bound, Long open) {
        if (bound.kind == IndexBound::Kind::open) return open;
        const Long index = global_index_of(bound, domain);
        // Imaginary bounds mean "so many ghost cells, if there are": -1j:2j is all of a field without any.
        return bound.kind == IndexBound::Kind::imaginary
                   ? std::clamp(index, domain.low - domain.ghosts - !up, domain.high + domain.ghosts + up)
                   : index;
    };
    const Long first = resolve(start, up ? domain.low : domain.high);
    const Long end = resolve(stop, up ? domain.high + 1 : domain.low - 1);
    const Long span = up ? end - first : first - end;
    if (span <= 0) return {first, step, 0};
    // A step longer than the span selects one number; the quotient needs no |step|, which may not exist.
    const Long count = up ? (span - 1) / step + 1 : 1 - (span - 1) / step;
    const AxisRange range{first, count == 1 ? 1 : step, count};
    check_inside(range.first, domain);
    check_inside(range.at(count - 1), domain);
    return range;
}

AxisRange select_all(const AxisDomain& domain, bool with_ghosts) noexcept {
    const Long ghosts = with_ghosts ? domain.ghosts : 0;
    return {domain.low - ghosts, 1, domain.high - domain.low + 1 + 2 * ghosts};
}

template <int D>
AxisDomain axis_domain(const FabBody<D>& body, int axis) {
    if (axis == D) return {0, body.ncomp - 1, 0, 'n'};
    const Box<D> domain = body.layout->boxes().minimal_box();
    return {domain.small_end(axis), domain.big_end(axis), body.ngrow[axis], "xyz"[axis]};
}

template <int D>
void read_selection(const FabBody<D>& body, const GlobalSelection<D>& selection, void* out,
                    const SelectionStrides<D>& strides) {
    check_selection(body, selection);
    const Long total = selection.size();
    if (total == 0) return;
    const Cover cover = cover_of(*body.layout);
    const bool threads = ready_for_threads(body, total);
    with_word(body.dtype->size, [&](auto word) {
        auto* words = static_cast<decltype(word)*>(out);
        const std::size_t d = dividing_axis(selection);
        const Long count = selection.cells[d].count;
        const Long parts = threads ? std::min<Long>(count, 4 * num_threads()) : 1;
        if (parts == 1) return read_serial(body, selection, words, strides, cover);
        // Threads divide the result, not the boxes: where boxes overlap, the last one wins on any number of threads.
        parallel_for(parts, [&](std::int64_t p) {
            const Long begin = count * p / parts, end = count * (p + 1) / parts;
            GlobalSelection<D> slab = selection;
            slab.cells[d] = {selection.cells[d].at(begin), selection.cells[d].step, end - begin};
            read_serial(body, slab, words + begin * strides[d], strides, cover);
        });
    });
}

template <int D>
void write_selection(const FabBody<D>& body, const GlobalSelection<D>& selection, const void* in,
                     const SelectionStrides<D>& strides) {
    check_selection(body, selection);
    const Long total = selection.size();
    if (total == 0) return;
    const BoxArray<D>& boxes = body.layout->boxes();
    const auto found = boxes.intersections(region_of(selection, boxes.ix_type()), body.ngrow);
    if (found.empty()) throw IndexError("no box has one of these cells");
    const bool threads = ready_for_threads(body, total);
    with_word(body.dtype->size, [&](auto word) {
        using Word = decltype(word);
        auto* words = const_cast<Word*>(static_cast<const Word*>(in));  // copy_part only reads it
        const auto write = [&](std::int64_t i) {
            const auto& [global, part] = found[static_cast<std::size_t>(i)];
            if (const FabMemory<D>* fab = local_fab(body, global)) {
                copy_part<false>(body, *fab, part, selection, words, strides);
            }
        };
        const auto n = static_cast<std::int64_t>(found.size());
        if (threads) return parallel_for(n, write);
        for (std::int64_t i = 0; i < n; ++i) write(i);
    });
}

template <int D>
bool overlaps(const FabBody<D>& body, const GlobalSelection<D>& selection, const void* begin, const void* end) {
    if (selection.size() == 0 || body.fabs.empty()) return false;
    const BoxArray<D>& boxes = body.layout->boxes();
    const auto from = reinterpret_cast<std::uintptr_t>(begin), to = reinterpret_cast<std::uintptr_t>(end);
    return !boxes.visit(region_of(selection, boxes.ix_type()), body.ngrow, [&](int global, const Box<D>&) {
        const FabMemory<D>* fab = local_fab(body, global);
        if (fab == nullptr) return true;
        const auto data = reinterpret_cast<std::uintptr_t>(fab->data);
        const auto bytes = static_cast<std::uintptr_t>(fab->box.num_pts() * body.ncomp) * body.dtype->size;
        return to <= data || data + bytes <= from;
    });
}

template <int D>
void* find_element(const FabBody<D>& body, const IntVect<D>& cell, int comp) {
    const FabLayout<D>& layout = *body.layout;
    const BoxArray<D>& boxes = layout.boxes();
    const Box<D> domain = boxes.minimal_box();
    for (int d = 0; d < D; ++d) {
        if (cell[d] < domain.small_end(d) - body.ngrow[d] || cell[d] > domain.big_end(d) + body.ngrow[d])
            return nullptr;
    }
    int global = boxes.find_last(nearest_in(domain, cell));
    if (global < 0) {
        boxes.visit(Box<D>(cell, cell, boxes.ix_type()), body.ngrow, [&](int i, const Box<D>&) {
            global = std::max(global, i);
            return true;
        });
    }
    const int local = global < 0 ? -1 : layout.local_index(global);
    if (local < 0 || body.fabs.empty()) return nullptr;
    return element_of(body, local, cell, comp);
}

template <int D>
bool write_element(const FabBody<D>& body, const IntVect<D>& cell, int comp, const void* value) {
    const BoxArray<D>& boxes = body.layout->boxes();
    bool written = false;
    boxes.visit(Box<D>(cell, cell, boxes.ix_type()), body.ngrow, [&](int global, const Box<D>&) {
        const int local = body.layout->local_index(global);
        if (local < 0 || body.fabs.empty()) return true;
        copy_bytes(element_of(body, local, cell, comp), body.space(), value, {}, body.dtype->size);
        written = true;
        return true;
    });
    return written;
}

#define ZEROFAB_INSTANTIATE(D)                                                                                  \
    template ZEROFAB_API AxisDomain axis_domain(const FabBody<D>&, int);                                        \
    template ZEROFAB_API void read_selection(const FabBody<D>&, const GlobalSelection<D>&, void*,               \
                                             const SelectionStrides<D>&);                                       \
    template ZEROFAB_API void write_selection(const FabBody<D>&, const GlobalSelection<D>&, const void*,        \
                                              const SelectionStrides<D>&);                                      \
    template ZEROFAB_API bool overlaps(const FabBody<D>&, const GlobalSelection<D>&, const void*, const void*); \
    template ZEROFAB_API void* find_element(const FabBody<D>&, const IntVect<D>&, int);                         \
    template ZEROFAB_API bool write_element(const FabBody<D>&, const IntVect<D>&, int, const void*);
ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab
