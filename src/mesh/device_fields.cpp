// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/device_fields.hpp"

#include <algorithm>

#include "kernels/tables.h"
#include "zerofab/base/instantiate.hpp"

namespace zerofab::detail {
namespace {

/// Set lower ends and lengths of a box as tables have them.
template <int D>
void set_points(const Box<D>& box, k_i32 (&lo)[3], k_i32 (&len)[3]) {
    for (int d = 0; d < 3; ++d) {
        lo[d] = d < D ? box.small_end(d) : 0;
        len[d] = d < D ? box.length(d) : 1;
    }
}

template <int D>
zf_fab row_of(const FabMemory<D>& fab) {
    zf_fab row{};
    row.data = reinterpret_cast<std::uintptr_t>(fab.data);
    set_points(fab.box, row.lo, row.len);
    row.jstride = row.len[0];
    row.kstride = row.jstride * row.len[1];
    row.nstride = row.kstride * row.len[2];
    return row;
}

}  // namespace

template <int D>
BoxTable make_box_table(const DeviceQueue& queue, const std::vector<Piece<D>>& parts) {
    BoxTable table;
    std::vector<zf_box> rows;
    rows.reserve(parts.size());
    for (const Piece<D>& part : parts) {
        if (part.box.is_empty()) continue;
        zf_box row{};
        row.fab = part.local;
        set_points(part.box, row.lo, row.len);
        rows.push_back(row);
        table.rows.longest = std::max<std::int64_t>(table.rows.longest, part.box.num_pts());
        table.rows.points += part.box.num_pts();
    }
    table.rows.count = static_cast<std::int64_t>(rows.size());
    table.memory = queue.upload(rows);
    return table;
}

template <int D>
std::vector<Piece<D>> selected_parts(const FabBody<D>& body, const Selection<D>& where) {
    std::vector<Piece<D>> parts;
    for (int local = 0; local < body.num_local(); ++local) {
        Box<D> box = zerofab::grow(body.valid_box(local), where.nghost);
        if (where.region) box &= *where.region;
        if (!box.is_empty()) parts.push_back({local, box});
    }
    return parts;
}

template <int D>
std::shared_ptr<const BoxTable> selected_boxes(const DeviceQueue& queue, const FabBody<D>& body,
                                               const Selection<D>& where) {
    PlanCache::Key key;
    key.reserve(2 + 3 * D);
    key.insert(key.end(), {queue.device_key(), queue.stream_key()});
    key.insert(key.end(), where.nghost.begin(), where.nghost.end());
    if (where.region) {
        for (int d = 0; d < D; ++d) key.insert(key.end(), {where.region->small_end(d), where.region->big_end(d)});
    }
    return body.layout->plans().template get<BoxTable>(key, [&] {
        return make_box_table(queue, queue.is_host() ? Pieces<D>(body, where).all() : selected_parts(body, where));
    });
}

template <int D>
const void* fab_table(const DeviceQueue& queue, const FabBody<D>& body) {
    const auto stream = static_cast<std::uint64_t>(queue.stream_key());
    const DeviceTables::Key key{0, static_cast<std::int32_t>(stream), static_cast<std::int32_t>(stream >> 32)};
    AllocationPtr table = body.tables.get(key, [&] {
        std::vector<zf_fab> rows;
        for (const FabMemory<D>& fab : body.fabs) {
            rows.push_back(row_of(fab));
            if (fab.memory && !queue.is_host()) fab.memory->used_on(queue.stream());
        }
        return queue.upload(rows);
    });
    const void* const data = table ? table->data() : nullptr;  // of no fabs there is none
    queue.keep(std::move(table));
    return data;
}

template <int D>
std::vector<KernelArg> field_arguments(const DeviceQueue& queue, const BoxTable& boxes, int ncomp, int step,
                                       std::initializer_list<FieldOperand<D>> fields) {
    std::vector<KernelArg> args;
    args.reserve(16);  // the numbers of an operation follow
    args.insert(args.end(), {boxes.memory->data(), boxes.rows.count, ncomp, step});
    for (const FieldOperand<D>& field : fields) {
        args.emplace_back(fab_table(queue, field.body));
        args.emplace_back(step > 0 ? field.comp : field.comp + ncomp - 1);
    }
    return args;
}

#define ZEROFAB_INSTANTIATE(D)                                                                     \
    template BoxTable make_box_table(const DeviceQueue&, const std::vector<Piece<D>>&);            \
    template std::vector<Piece<D>> selected_parts(const FabBody<D>&, const Selection<D>&);         \
    template std::shared_ptr<const BoxTable> selected_boxes(const DeviceQueue&, const FabBody<D>&, \
                                                            const Selection<D>&);                  \
    template const void* fab_table(const DeviceQueue&, const FabBody<D>&);                         \
    template std::vector<KernelArg> field_arguments(const DeviceQueue&, const BoxTable&, int, int, \
                                                    std::initializer_list<FieldOperand<D>>);

ZEROFAB_FOR_DIMENSIONS(ZEROFAB_INSTANTIATE)

}  // namespace zerofab::detail
