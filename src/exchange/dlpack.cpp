// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "zerofab/exchange/dlpack.hpp"

#include <dlpack/dlpack.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/ledger.hpp"
#include "zerofab/memory/arena.hpp"

namespace zerofab {
namespace {

// One block per exported tensor: both managed forms, the share, the links of the ledger.  No Python, no GIL, no owner:
// its deleter runs anywhere.
struct ExportBlock {
    union {
        DLManagedTensor legacy;
        DLManagedTensorVersioned versioned;
    };
    Allocation* owner = nullptr;  // a share; plain, so that slots need no destructor
    ExportBlock* previous = nullptr;
    ExportBlock* next = nullptr;
    const char* what = nullptr;
    const DType* dtype = nullptr;
    unsigned long serial = 0;
    std::string* origin = nullptr;
    bool copied = false;
    bool is_versioned = false;
    bool is_slot = false;
    std::atomic<bool> in_use{false};  // of a slot
    std::int64_t extents[2 * max_axes];

    constexpr ExportBlock() noexcept : legacy(), extents() {}
};

// Held for a few instructions at each export and release: half the price of a std::mutex.
class SpinLock {
public:
    void lock() noexcept {
        while (held_.exchange(true, std::memory_order_acquire)) {
            std::this_thread::yield();
        }
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

// Never destroyed, nothing dynamic: deleters run after static destructors too.
constinit SpinLock ledger_mutex;
constinit ExportBlock* newest = nullptr;
constinit unsigned long last_serial = 0;
// Blocks for the tensors that come and go one after the other: no malloc, and a release without the lock, together a
// quarter of an export from C.  More tensors at once have blocks of their own, in a list.
constinit ExportBlock slots[4];

// A fork while another thread holds the mutex must not leave it locked in the child.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork([] { ledger_mutex.lock(); }, [] { ledger_mutex.unlock(); }, [] { ledger_mutex.unlock(); });

/// A block of the ledger; the lock is held until finish_export.
ExportBlock* begin_export() {
    ledger_mutex.lock();
    for (ExportBlock& slot : slots) {
        if (!slot.in_use.load(std::memory_order_acquire)) {
            slot.is_slot = true;
            return &slot;
        }
    }
    ledger_mutex.unlock();
    auto* block = new ExportBlock;
    ledger_mutex.lock();
    return block;
}

void finish_export(ExportBlock* block) noexcept {
    block->serial = ++last_serial;
    if (block->is_slot) {
        block->in_use.store(true, std::memory_order_relaxed);
    } else {
        block->next = newest;
        if (newest != nullptr) {
            newest->previous = block;
        }
        newest = block;
    }
    ledger_mutex.unlock();
}

void unlink(ExportBlock* block) noexcept {
    const std::lock_guard lock(ledger_mutex);
    delete std::exchange(block->origin, nullptr);
    if (block->is_slot) {
        block->in_use.store(false, std::memory_order_release);
        return;
    }
    (block->previous != nullptr ? block->previous->next : newest) = block->next;
    if (block->next != nullptr) {
        block->next->previous = block->previous;
    }
}

void leave(ExportBlock* block) noexcept {
    const auto owner = AllocationPtr::take(block->owner);  // released last, without the lock
    if (block->is_slot && block->origin == nullptr) {
        block->in_use.store(false, std::memory_order_release);
        return;
    }
    const bool is_slot = block->is_slot;
    unlink(block);
    if (!is_slot) {
        delete block;
    }
}

/// Calls `each(block)` for all that are alive, in no order; the lock is held.
template <class Each>
void for_each_export(Each each) {
    for (ExportBlock& slot : slots) {
        if (slot.in_use.load(std::memory_order_acquire)) {
            each(&slot);
        }
    }
    for (ExportBlock* block = newest; block != nullptr; block = block->next) {
        each(block);
    }
}

constexpr std::int64_t most_bytes = std::int64_t{1} << 57;  // no processor has a larger space of addresses

DLDevice to_dl(DLPackDevice device) noexcept { return {static_cast<DLDeviceType>(device.type), device.id}; }

/// What dpctl and dpnp need: a pointer of the device, also where there are no elements.
void require_pointer(TensorView& view) {
    if (view.data != nullptr || !from_lowest_address(view)) {
        return;
    }
    if (!view.owner) {
        view.own(arena_at(view.space()).allocate(view.dtype->size));
    }
    view.data = view.owner->data();
}

void fill(DLTensor& tensor, ExportBlock* block, TensorView& view) noexcept {
    std::int64_t* shape = block->extents;
    std::int64_t* strides = shape + view.axes;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
        shape[axis] = view.shape[axis];
        strides[axis] = view.strides[axis];
    }
    // dpctl and dpnp take strides that go back only from the lowest address; the others expect no offset.
    const std::int64_t low = from_lowest_address(view) ? byte_extent(view).low : 0;
    tensor.data = static_cast<char*>(view.data) + low;
    tensor.device = to_dl(dlpack_device(view));
    tensor.ndim = view.axes;
    tensor.dtype = {static_cast<std::uint8_t>(view.dtype->code), view.dtype->bits, 1};
    tensor.shape = shape;
    tensor.strides = strides;
    tensor.byte_offset = static_cast<std::uint64_t>(-low);
    block->owner = view.owner.release();
    block->what = view.what;
    block->dtype = view.dtype;
}

template <class Managed>
void release_managed(void* context) noexcept {
    auto* tensor = static_cast<Managed*>(context);
    if (tensor->deleter != nullptr) {
        tensor->deleter(tensor);
    }
}

void require_tensor(const void* tensor) {
    if (tensor == nullptr) {
        throw BufferError("there is no tensor to take in: the pointer is null");
    }
}

/// What a foreign tensor says, checked; throws BufferError.
template <class Managed>
TensorView import_checked(Managed* managed, bool read_only) {
    std::unique_ptr<Managed, void (*)(Managed*)> guard(managed,
                                                       [](Managed* tensor) { release_managed<Managed>(tensor); });
    const DLTensor& tensor = managed->dl_tensor;
    TensorView view;
    if (tensor.ndim < 0 || tensor.ndim > max_axes) {
        throw BufferError(
            concat("a tensor with ", tensor.ndim, " axes cannot be taken in: at most ", max_axes, " are supported"));
    }
    const MemorySpace space = memory_space_of({tensor.device.device_type, tensor.device.device_id}, tensor.data);
    view.dtype = tensor.dtype.lanes == 1 ? find_dtype(tensor.dtype.code, tensor.dtype.bits) : nullptr;
    if (view.dtype == nullptr) {
        throw ElementTypeError(concat("elements of DLPack type (code ", tensor.dtype.code, ", bits ", tensor.dtype.bits,
                                      ", lanes ", tensor.dtype.lanes, ") cannot be taken in"));
    }
    view.axes = tensor.ndim;
    view.read_only = read_only;
    view.what = "imported tensor";
    if (tensor.ndim > 0 && tensor.shape == nullptr) {
        throw BufferError("a tensor without a shape cannot be taken in");
    }
    std::copy_n(tensor.shape, tensor.ndim, view.shape.begin());
    if (tensor.strides != nullptr) {
        std::copy_n(tensor.strides, tensor.ndim, view.strides.begin());
    }
    std::uintptr_t first = 0;
    if (tensor.byte_offset > most_bytes ||
        __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset, &first)) {
        throw BufferError("a tensor whose byte_offset leads beyond any memory cannot be taken in");
    }
    view.data = reinterpret_cast<void*>(first);
    check_extent(view, tensor.strides != nullptr);
    if (tensor.data == nullptr && view.size() > 0) {
        throw BufferError("a tensor with elements but without data cannot be taken in");
    }
    if (first % std::min<std::size_t>(view.dtype->size, 8) != 0 && view.data != nullptr) {
        throw BufferError("a tensor whose data is not aligned to its elements cannot be taken in: pass a copy");
    }
    const Extent extent = byte_extent(view);
    void* base = view.data != nullptr ? static_cast<char*>(view.data) + extent.low : nullptr;
    const auto bytes = static_cast<std::size_t>(extent.high - extent.low);
    view.own(Allocation::adopt(base, bytes, space.device, space.kind, managed, &release_managed<Managed>));
    guard.release();
    return view;
}

}  // namespace

MemorySpace memory_space_of(DLPackDevice device, const void* data) {
    const Device run = Runtime::run_device();
    Backend& vendor = backend(run.backend);
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed}) {
        const int type = vendor.facts().dlpack_type(kind);
        if (type == kDLCPU || type != device.type) continue;
        if (type == vendor.facts().dlpack_device && device.id != dlpack_number(run)) break;
        return {run, data == nullptr ? kind : vendor.kind_of(run.id, data, kind)};
    }
    constexpr std::array reached_by_the_host{kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged};
    if (std::find(reached_by_the_host.begin(), reached_by_the_host.end(), device.type) == reached_by_the_host.end()) {
        throw BufferError(concat("a tensor on device (", device.type, ", ", device.id,
                                 ") cannot be taken in by a run on '", Runtime::device(),
                                 "': copy it to the host first"));
    }
    return {};
}

void check_extent(TensorView& view, bool has_strides) {
    // In __int128, and refused before it can overflow.
    const auto item = static_cast<std::int64_t>(view.dtype->size);
    const std::int64_t most = PTRDIFF_MAX / item;
    const auto refuse = [&](const char* what) {
        throw BufferError(concat("a tensor whose ", what, " cannot be taken in"));
    };
    std::array<std::int64_t, max_axes> compact;
    __int128 product = 1;
    bool empty = false;
    for (auto axis = static_cast<std::size_t>(view.axes); axis-- > 0;) {
        const std::int64_t extent = view.shape[axis];
        if (extent < 0) {
            throw BufferError(concat("a tensor with a negative extent (", extent, ") cannot be taken in"));
        }
        compact[axis] = static_cast<std::int64_t>(product);
        product *= std::max<std::int64_t>(extent, 1);
        if (product > most) {
            refuse("shape exceeds any memory");
        }
        empty = empty || extent == 0;
    }
    __int128 low = 0;
    __int128 high = 0;
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(view.axes); ++axis) {
        std::int64_t& stride = view.strides[axis];
        const bool absurd = has_strides && (stride > most || stride < -most);
        if (!has_strides || empty || (absurd && view.shape[axis] == 1)) {
            stride = compact[axis];
        }
        const __int128 reach = static_cast<__int128>(view.shape[axis] - 1) * stride;
        (reach < 0 ? low : high) += empty ? 0 : reach;  // one reach is below 2^126, the rest below 2^63
        if (high - low > most) {
            refuse("strides exceed any memory");
        }
    }
    if (empty) {
        view.data = nullptr;
        return;
    }
    const auto first = static_cast<__int128>(reinterpret_cast<std::uintptr_t>(view.data));
    if ((high - low + 1) * item > most_bytes || first + low * item < 0 ||
        first + (high + 1) * item > static_cast<__int128>(UINTPTR_MAX)) {
        refuse("elements would lie beyond any memory");
    }
}

std::int32_t dlpack_number(Device device) noexcept {
    const auto& devices = backend(device.backend).report().devices;  // none in a child that was forked
    const auto id = static_cast<std::size_t>(device.id);
    return id < devices.size() && devices[id].dlpack_id >= 0 ? devices[id].dlpack_id : device.id;
}

DLPackDevice dlpack_device(const TensorView& view) noexcept {
    if (view.space().is_plain()) {
        return {kDLCPU, 0};
    }
    const BackendFacts& facts = backend(view.device.backend).facts();
    const int type = facts.dlpack_type(view.kind);
    return {type, type == facts.dlpack_device ? dlpack_number(view.device) : 0};
}

bool from_lowest_address(const TensorView& view) noexcept {
    return !view.space().is_plain() && backend(view.device.backend).facts().dlpack_lowest_address;
}

void require_dlpack_type(const TensorView& view) {
    if (!view.dtype->dlpack) {
        throw BufferError(concat("DLPack cannot describe elements of type ", view.dtype->name, " (of ", view.what,
                                 "): use the array interface, np.asarray(obj)"));
    }
}

DLManagedTensor* export_legacy(TensorView& view, bool copied) {
    if (view.read_only) {
        throw BufferError(std::string(view.what) +
                          " is read-only, which a legacy DLPack capsule cannot say: ask with max_version=(1, 0), or "
                          "for a copy with copy=True");
    }
    require_dlpack_type(view);
    require_pointer(view);
    ExportBlock* block = begin_export();
    fill(block->legacy.dl_tensor, block, view);
    block->legacy.manager_ctx = block;
    block->legacy.deleter = [](DLManagedTensor* self) { leave(static_cast<ExportBlock*>(self->manager_ctx)); };
    block->copied = copied;
    block->is_versioned = false;
    finish_export(block);
    return &block->legacy;
}

DLManagedTensorVersioned* export_versioned(TensorView& view, bool copied, std::uint32_t minor) {
    require_dlpack_type(view);
    require_pointer(view);
    ExportBlock* block = begin_export();
    DLManagedTensorVersioned& tensor = block->versioned;
    tensor.version = {dlpack_major, minor};
    tensor.flags =
        (view.read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0UL) | (copied ? DLPACK_FLAG_BITMASK_IS_COPIED : 0UL);
    fill(tensor.dl_tensor, block, view);
    tensor.manager_ctx = block;
    tensor.deleter = [](DLManagedTensorVersioned* self) { leave(static_cast<ExportBlock*>(self->manager_ctx)); };
    block->copied = copied;
    block->is_versioned = true;
    finish_export(block);
    return &tensor;
}

TensorView import_legacy(DLManagedTensor* tensor) {
    require_tensor(tensor);
    return import_checked(tensor, false);
}

TensorView import_versioned(DLManagedTensorVersioned* tensor) {
    require_tensor(tensor);
    if (tensor->version.major != dlpack_major) {  // only version, context and deleter may be read then
        const std::uint32_t major = tensor->version.major;
        release_managed<DLManagedTensorVersioned>(tensor);
        throw BufferError(concat("a tensor of DLPack ", major, ".x cannot be taken in: ask for 1.x"));
    }
    return import_checked(tensor, (tensor->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
}

const DType* find_dtype(std::uint8_t code, std::uint8_t bits) noexcept {
    static constexpr const DType* known[] = {&dtype_of<double>,
                                             &dtype_of<float>,
                                             &dtype_of<int>,
                                             &dtype_of<long>,
                                             &dtype_of<unsigned long>,
                                             &dtype_of<unsigned int>,
                                             &dtype_of<short>,
                                             &dtype_of<unsigned short>,
                                             &dtype_of<std::complex<double>>,
                                             &dtype_of<std::complex<float>>};
    for (const DType* type : known) {
        if (static_cast<std::uint8_t>(type->code) == code && type->bits == bits) {
            return type;
        }
    }
    return nullptr;
}

std::size_t live_export_count() noexcept {
    const std::lock_guard lock(ledger_mutex);
    std::size_t count = 0;
    for_each_export([&](ExportBlock*) { ++count; });
    return count;
}

std::vector<LiveExport> live_exports() {
    const std::lock_guard lock(ledger_mutex);
    std::vector<LiveExport> found;
    for_each_export([&](const ExportBlock* block) {
        const DLTensor& tensor = block->is_versioned ? block->versioned.dl_tensor : block->legacy.dl_tensor;
        TensorView view;
        view.dtype = block->dtype;
        view.axes = tensor.ndim;
        std::copy_n(block->extents, tensor.ndim, view.shape.begin());
        found.push_back({block->what, describe(view), block->copied, block->serial,
                         block->origin != nullptr ? *block->origin : std::string()});
    });
    std::sort(found.begin(), found.end(), [](const LiveExport& a, const LiveExport& b) { return a.serial < b.serial; });
    return found;
}

void note_export_origin(const void* managed, const std::string& origin) {
    const std::lock_guard lock(ledger_mutex);
    for_each_export([&](ExportBlock* block) {
        if (managed == &block->legacy || managed == &block->versioned) {
            delete std::exchange(block->origin, new std::string(origin));
        }
    });
}

}  // namespace zerofab
