// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Kernels on fields: one launch for all boxes of an operation (kernels/arithmetic.h, kernels/reduce.h).
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

#include "memory/device_queue.hpp"
#include "mesh/pieces.hpp"

namespace zerofab::detail {

/// Parts of local boxes in memory of a device: zf_box, in the order that they were given in.
struct BoxTable {
    AllocationPtr memory;
    LaunchSize rows;

    [[nodiscard]] std::size_t bytes() const noexcept { return sizeof *this + (memory ? memory->bytes() : 0); }
};

template <int D>
[[nodiscard]] BoxTable make_box_table(const DeviceQueue& queue, const std::vector<Piece<D>>& parts);

/// The selected points of each local box, where there are any.
template <int D>
[[nodiscard]] std::vector<Piece<D>> selected_parts(const FabBody<D>& body, const Selection<D>& where);
/// The same as a table, which is kept with the layout.
template <int D>
[[nodiscard]] std::shared_ptr<const BoxTable> selected_boxes(const DeviceQueue& queue, const FabBody<D>& body,
                                                             const Selection<D>& where);

/// The fabs of a field in memory of a device, for kernels: zf_fab, by local number; kept with the field.
template <int D>
[[nodiscard]] const void* fab_table(const DeviceQueue& queue, const FabBody<D>& body);

/// A field that a kernel works on, from component `comp` on.
template <int D>
struct FieldOperand {
    const FabBody<D>& body;
    int comp;
};

/// What kernels on fields begin with: regions and components (in the order of `step`, 1 or -1), then the fields.
template <int D>
[[nodiscard]] std::vector<KernelArg> field_arguments(const DeviceQueue& queue, const BoxTable& boxes, int ncomp,
                                                     int step, std::initializer_list<FieldOperand<D>> fields);

/// Run a kernel of kernels/reduce.h: its results, of type R, as many for each box as there are groups to a row.
template <class R, int D>
std::vector<R> reduce_fields(const DeviceQueue& queue, std::string_view kernel, KernelType type, const BoxTable& boxes,
                             int ncomp, std::initializer_list<FieldOperand<D>> fields,
                             const FabBody<D>* mask = nullptr) {
    if (boxes.rows.count == 0) return {};
    std::vector<KernelArg> args = field_arguments<D>(queue, boxes, ncomp, 1, fields);
    if (mask != nullptr) args.emplace_back(fab_table(queue, *mask));
    std::vector<R> results(static_cast<std::size_t>(boxes.rows.count * queue.groups_x(boxes.rows)));
    const AllocationPtr memory = queue.scratch(results.size() * sizeof(R));
    args.emplace_back(memory->data());
    queue.launch(kernel, type, boxes.rows, args);
    copy_bytes(results.data(), {}, memory->data(), queue.space(), memory->bytes());
    return results;
}

/// Whether a kernel that asks a question of T finds an element for which the answer is yes.
template <class T, int D>
bool any_of_field(Device device, std::string_view kernel, const FabBody<D>& body, const Selection<D>& where) {
    const DeviceQueue queue(device);
    const auto answers = reduce_fields<int, D>(queue, kernel, kernel_type<T>, *selected_boxes(queue, body, where),
                                               where.ncomp, {{body, where.comp}});
    return std::any_of(answers.begin(), answers.end(), [](int answer) { return answer != 0; });
}

}  // namespace zerofab::detail
