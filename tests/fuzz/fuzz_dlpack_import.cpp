// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzing of DLPack import: a tensor is refused with BufferError or becomes a view within its memory; either way its
// deleter runs once.
#include <dlpack/dlpack.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "check.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/exchange/dlpack.hpp"
#include "zerofab/exchange/ledger.hpp"

namespace {

using namespace zerofab;
using fuzz::check;

constexpr std::int64_t most_bytes = 1 << 20;  // memory is made up to here

/// The numbers of a tensor, one after the other; zeros at the end of the input.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    template <class T>
    T take() {
        T value{};
        const auto count = std::min<std::size_t>(sizeof value, static_cast<std::size_t>(end_ - at_));
        std::memcpy(&value, at_, count);
        at_ += count;
        return value;
    }
    /// Mostly small, sometimes at a limit, sometimes anything.
    std::int64_t number() {
        const auto kind = take<std::uint8_t>();
        if (kind < 176) {
            return kind % 11;
        }
        if (kind < 192) {
            return -(kind % 11);
        }
        if (kind < 224) {
            const std::int64_t power = std::int64_t{1} << (kind - 192) * 2;
            return kind % 2 == 0 ? power : -power;
        }
        if (kind < 232) {
            constexpr std::int64_t limits[] = {INT64_MAX,     INT64_MIN,     INT32_MAX,  INT32_MIN,
                                               INT64_MAX / 8, INT64_MAX / 2, UINT32_MAX, INT64_MIN + 1};
            return limits[kind - 224];
        }
        return take<std::int64_t>();
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

template <class Managed>
struct Foreign {
    Managed managed{};
    std::unique_ptr<std::int64_t[]> shape, strides;  // of the right size, for ASan
    std::unique_ptr<char[]> memory;
    char* low = nullptr;  // of the elements in it
    std::int64_t bytes = 0;
    int* deleted = nullptr;
};

/// Where the elements are, in bytes from the first; false if that is beyond `most_bytes`.
bool extent_of(const DLTensor& tensor, std::int64_t item, std::int64_t& low, std::int64_t& high) {
    low = high = 0;
    bool empty = false;
    for (int axis = 0; axis < tensor.ndim; ++axis) {
        empty = empty || tensor.shape[axis] == 0;
    }
    std::int64_t step = 1;
    for (int axis = tensor.ndim - 1; axis >= 0 && !empty; --axis) {
        const std::int64_t count = tensor.shape[axis];
        const std::int64_t stride = tensor.strides != nullptr ? tensor.strides[axis] : step;
        if (count < 0 || count > most_bytes || step > most_bytes) {
            return false;
        }
        if (count > 1) {
            if (stride > most_bytes || stride < -most_bytes) {
                return false;
            }
            const std::int64_t reach = (count - 1) * stride * item;
            (reach < 0 ? low : high) += reach;
        }
        step *= count;
        if (high - low > most_bytes) {
            return false;
        }
    }
    high += empty ? 0 : item;
    return true;
}

template <class Managed>
Managed* make(Bytes& bytes, int& deleted) {
    auto* foreign = new Foreign<Managed>;
    DLTensor& tensor = foreign->managed.dl_tensor;
    const auto choice = bytes.take<std::uint8_t>();
    tensor.device.device_type = static_cast<DLDeviceType>((choice & 1) != 0 ? bytes.take<std::uint8_t>() % 20 : kDLCPU);
    tensor.device.device_id = (choice & 1) != 0 ? bytes.take<std::int8_t>() : 0;
    const auto type = bytes.take<std::uint8_t>();
    constexpr DLDataType known[] = {
        {kDLFloat, 64, 1}, {kDLFloat, 32, 1}, {kDLInt, 32, 1},      {kDLInt, 64, 1},
        {kDLUInt, 64, 1},  {kDLUInt, 32, 1},  {kDLInt, 16, 1},      {kDLUInt, 16, 1},
        {kDLFloat, 16, 1}, {kDLInt, 4, 1},    {kDLComplex, 128, 1}, {kDLComplex, 64, 1},
        {kDLBool, 8, 1},   {kDLInt, 8, 1},    {kDLFloat, 64, 2},    {kDLOpaqueHandle, 64, 1}};
    tensor.dtype =
        type < 240 ? known[type % 16]
                   : DLDataType{bytes.take<std::uint8_t>(), bytes.take<std::uint8_t>(), bytes.take<std::uint16_t>()};
    tensor.ndim = (choice & 2) != 0 ? static_cast<std::int32_t>(bytes.number()) : bytes.take<std::uint8_t>() % 5;
    const auto axes = static_cast<std::size_t>(std::clamp(tensor.ndim, 0, 16));
    foreign->shape = std::make_unique<std::int64_t[]>(axes);
    foreign->strides = std::make_unique<std::int64_t[]>(axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
        foreign->shape[axis] = bytes.number();
        foreign->strides[axis] = (choice & 4) != 0 ? bytes.number() : 0;
    }
    tensor.shape = (choice & 48) == 48 ? nullptr : foreign->shape.get();
    tensor.strides = (choice & 4) != 0 ? foreign->strides.get() : nullptr;
    tensor.byte_offset = (choice & 8) != 0 ? static_cast<std::uint64_t>(bytes.number()) : 0;
    const auto item = std::max<std::int64_t>(std::int64_t{tensor.dtype.bits} * tensor.dtype.lanes / 8, 1);
    std::int64_t low = 0, high = 0;
    if (tensor.ndim < 0 || tensor.ndim > 16 || tensor.shape == nullptr || !extent_of(tensor, item, low, high)) {
        tensor.data = (choice & 64) != 0 ? nullptr : foreign;  // to be refused, or not to be touched
    } else if ((choice & 64) == 0) {
        const std::int64_t shift = (choice & 128) != 0 ? bytes.take<std::uint8_t>() % 16 : 0;
        foreign->bytes = high - low;
        foreign->memory = std::make_unique<char[]>(static_cast<std::size_t>(foreign->bytes + shift));
        foreign->low = foreign->memory.get() + shift;
        tensor.data = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(foreign->low) -
                                              static_cast<std::uintptr_t>(low) - tensor.byte_offset);
    }
    foreign->deleted = &deleted;
    foreign->managed.manager_ctx = foreign;
    foreign->managed.deleter = [](Managed* self) {
        auto* own = static_cast<Foreign<Managed>*>(self->manager_ctx);
        ++*own->deleted;
        delete own;
    };
    return &foreign->managed;
}

/// All that can be done with a view.
void use(TensorView view, const char* low, std::int64_t bytes, const int& deleted) {
    const Extent extent = byte_extent(view);
    const auto* data = static_cast<const char*>(view.data);
    check(view.size() >= 0 && (view.size() == 0) == (data == nullptr) && extent.low <= 0 && extent.high >= 0);
    check(!describe(view).empty());
    (void)(is_compact(view, 'C') || is_compact(view, 'F') || is_compact(view, 'K'));
    if (data != nullptr && low != nullptr) {
        check(data + extent.low >= low && data + extent.high <= low + bytes);
        check(view.owner->data() == data + extent.low);
        check(static_cast<std::int64_t>(view.owner->bytes()) == extent.high - extent.low);
        if (view.size() <= most_bytes) {
            const TensorView copy = copied(view);
            check(copy.size() == view.size() && is_compact(copy, 'K'));
        }
    }
    TensorView second = view;
    try {
        DLManagedTensor* legacy = export_legacy(second, false);
        legacy->deleter(legacy);
        check(!view.read_only);
    } catch (const BufferError&) {
        check(view.read_only);
    }
    DLManagedTensorVersioned* again = export_versioned(view, false);
    check(deleted == 0 && live_export_count() == 1);
    view = import_versioned(again);  // our own, by the same door
    check(byte_extent(view).low == extent.low && byte_extent(view).high == extent.high && view.data == data);
}

template <class Managed, class Import>
void run(Managed* managed, int& deleted, Import import) {
    const auto* foreign = static_cast<const Foreign<Managed>*>(managed->manager_ctx);
    const char* low = foreign->low;
    const std::int64_t bytes = foreign->bytes;
    try {
        use(import(managed), low, bytes, deleted);
    } catch (const BufferError&) {
    }
    check(deleted == 1 && live_export_count() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    int deleted = 0;
    const auto choice = bytes.take<std::uint8_t>();
    if (choice % 2 == 0) {
        run(make<DLManagedTensor>(bytes, deleted), deleted, [](DLManagedTensor* t) { return import_legacy(t); });
        return 0;
    }
    auto* managed = make<DLManagedTensorVersioned>(bytes, deleted);
    managed->version = {choice < 224 ? 1U : choice % 4U, bytes.take<std::uint8_t>() % 8U};
    managed->flags = bytes.take<std::uint8_t>();
    run(managed, deleted, [](DLManagedTensorVersioned* t) { return import_versioned(t); });
    return 0;
}
