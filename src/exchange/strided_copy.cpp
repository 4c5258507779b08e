// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/strided_copy.hpp"

#include <cstdlib>
#include <numeric>

#include "zerofab/base/error.hpp"

namespace zerofab::detail {
namespace {

/// An element of which only the size is known; it has no alignment.
template <std::size_t N>
struct Bytes {
    unsigned char bytes[N];
};

template <std::size_t N>
void run_as(const StridedCopy& copy, void* to, const void* from) {
    copy.run(static_cast<Bytes<N>*>(to), static_cast<const Bytes<N>*>(from));
}

}  // namespace

AxisOrder by_stride(const TensorView& view) noexcept {
    AxisOrder order{};
    const auto end = order.begin() + view.axes;
    std::iota(order.begin(), end, std::size_t{0});
    std::reverse(order.begin(), end);  // ties: the last axis is the fastest, as in C order
    std::stable_sort(order.begin(), end, [&](std::size_t a, std::size_t b) {
        return std::abs(view.strides[a]) < std::abs(view.strides[b]);
    });
    return order;
}

TensorView compact_like(const TensorView& like, Arena& arena) {
    TensorView result = like;
    result.read_only = false;
    result.data = nullptr;
    result.owner.reset();
    result.device = arena.device();
    result.kind = arena.kind();
    const AxisOrder order = by_stride(like);
    std::int64_t step = 1;
    for (auto axis = order.begin(); axis != order.begin() + like.axes; ++axis) {
        result.strides[*axis] = step;
        step *= std::max<std::int64_t>(like.shape[*axis], 1);
    }
    if (const std::int64_t size = like.size(); size > 0) {
        result.own(arena.allocate(static_cast<std::size_t>(size) * like.dtype->size));
        result.data = result.owner->data();
    }
    return result;
}

StridedCopy::StridedCopy(const TensorView& to, const TensorView& from) {
    const AxisOrder order = by_stride(to);
    for (auto axis = order.begin(); axis != order.begin() + to.axes; ++axis)
        add(to.shape[*axis], to.strides[*axis], from.strides[*axis]);
}

void StridedCopy::run(void* to, const void* from, std::size_t element_bytes) const {
    switch (element_bytes) {
        case 1:
            return run_as<1>(*this, to, from);
        case 2:
            return run_as<2>(*this, to, from);
        case 4:
            return run_as<4>(*this, to, from);
        case 8:
            return run_as<8>(*this, to, from);
        case 16:
            return run_as<16>(*this, to, from);
        case 32:
            return run_as<32>(*this, to, from);
        default:
            ensure(false, "elements of this size");
    }
}

}  // namespace zerofab::detail
