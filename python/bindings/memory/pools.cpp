// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Our arenas for other libraries' pools, and theirs for ours.
#include "memory/pools.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "base/text.hpp"
#include "base/without_gil.hpp"
#include "exchange/device_exchange.hpp"
#include "exchange/importer.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/recorded.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena_source.hpp"

namespace zerofab::python {
namespace {

/// A block of an arena, for an allocator of another library, which uses it on streams of its own.
class MemoryBlock {
public:
    MemoryBlock(Arena& arena, std::size_t bytes, nb::handle stream) : memory(arena.allocate(bytes)) {
        if (memory->space().is_plain()) {
            require_no_stream(stream);
            known_ = true;
            return;
        }
        // The pool has put what was done with the memory before ours: their stream comes after that.
        const Device device = memory->device();
        order_streams(device, Runtime::stream(device), stream_of(device, stream));
    }
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;
    /// Unless its streams were named, work on any may still use the memory.
    ~MemoryBlock() {
        if (!known_) memory->used_elsewhere();
    }

    void used_on(nb::handle stream) {
        if (memory->space().is_plain()) return require_no_stream(stream);
        memory->used_on(stream_of(memory->device(), stream));
        streams_.push_back(nb::borrow(stream));
        known_ = true;
    }

private:
    static void require_no_stream(nb::handle stream) {
        if (!stream.is_none()) throw ValueError("memory of the host has no streams: stream must be None");
    }

    std::vector<nb::object> streams_;  ///< they live until the memory is put back: it goes first
    bool known_ = false;

public:
    const AllocationPtr memory;
};

/// The stream of ours comes after what a library has queued for memory that it gives.
void order_after_owner(Device device, nb::handle owner) {
    const nb::object stream = nb::module_::import_("amrex.pools").attr("_stream_of_owner")(owner);
    Stream theirs = backend(device.backend).default_stream(device.id);
    try {
        theirs = stream_of(device, stream);
    } catch (const ValueError&) {  // `stream` is something else
    }
    order_streams(device, theirs, Runtime::stream(device));
}

/// Memory by a Python function from a size to an object with its address in `ptr`, which owns it.
class PythonSource final : public ArenaSource {
public:
    explicit PythonSource(nb::handle allocate) : allocate_(allocate.inc_ref().ptr()) {}
    ~PythonSource() override { release_object(allocate_); }

    AllocationPtr allocate(std::size_t bytes, MemorySpace space) override {
        const WithGil locked;
        try {
            nb::object owner = nb::handle(allocate_)(std::max<std::size_t>(bytes, 1));
            const auto address = nb::cast<std::uintptr_t>(nb::int_(owner.attr("ptr")));
            if (address == 0 || address % 64 != 0) {
                throw MemoryError("the allocator gave memory at " + repr_of(owner.attr("ptr")) +
                                  ": it must be at a multiple of 64 bytes");
            }
            if (!space.is_plain()) order_after_owner(space.device, owner);
            AllocationPtr memory = Allocation::adopt(reinterpret_cast<void*>(address), bytes, space.device, space.kind,
                                                     owner.ptr(), &release_object);
            static_cast<void>(owner.release());  // the memory holds it now
            return memory;
        } catch (nb::python_error& error) {
            throw MemoryError(std::string("the allocator gave no memory: ") + error.what());
        } catch (const nb::cast_error&) {
            throw MemoryError("the allocator gave an object whose `ptr` is no address");
        }
    }

private:
    PyObject* allocate_;
};

}  // namespace

void add_pool_methods(nb::class_<Arena>& arena, nb::module_& m) {
    nb::class_<MemoryBlock> cls(
        m, "MemoryBlock", "Memory of an arena for an allocator of another library; it lives as long as the object.");
    refuse_copies(cls, "copy what lies in its memory");
    cls.def_prop_ro(
           "ptr", [](const MemoryBlock& block) { return reinterpret_cast<std::uintptr_t>(block.memory->data()); },
           "Its address.")
        .def(
            "used_on", &MemoryBlock::used_on, nb::arg("stream").none(),
            nb::sig("def used_on(self, stream: object) -> None"),
            "Say that work on this stream uses the memory: whoever gets it next comes after that work. Name all such\n"
            "streams before the object goes. A block of which no stream was named may be in use on any, and waits for\n"
            "the whole device. stream: as for use_stream(); None is the default stream, and all that the host has.")
        .def_prop_ro(
            "size", [](const MemoryBlock& block) { return block.memory->bytes(); }, "Its bytes.")
        .def_prop_ro(
            "device_id", [](const MemoryBlock& block) { return block.memory->device().id; }, "Its device's number.");
    arena
        .def(
            "allocate",
            [](Arena& self, std::size_t bytes, nb::handle stream) {
                return std::make_unique<MemoryBlock>(self, bytes, stream);
            },
            nb::arg("nbytes"), nb::arg("stream").none() = nb::none(),
            nb::sig("def allocate(self, nbytes: int, stream: object = None) -> MemoryBlock"),
            "Memory of this arena, not initialized, for work on this stream, which need not wait for anything (None\n"
            "is the default stream); MemoryError if there is none.")
        .def(
            "use_allocator",
            [](Arena& self, nb::handle allocate) {
                if (!allocate.is_none() && PyCallable_Check(allocate.ptr()) == 0) {
                    throw TypeError("an allocator must be a function of a size, or None, not " + repr_of(allocate));
                }
                set_source(self, allocate.is_none() ? nullptr : std::make_shared<PythonSource>(allocate));
            },
            nb::arg("allocate").none(),
            nb::sig("def use_allocator(self, allocate: collections.abc.Callable[[int], typing.Any] | None) -> None"),
            "Take memory from another library's pool from now on; None: from the arena's own again.\n\n"
            "allocate(nbytes) returns an object that owns memory of the arena's kind, at a multiple of 64 bytes, with\n"
            "its address in `ptr`: `cupy.get_default_memory_pool().malloc`, or\n"
            "`lambda nbytes: rmm.DeviceBuffer(size=nbytes)`. It may be called from any thread. The library's work\n"
            "on the memory comes after that of CuPy's current stream, or of the stream that the object says in\n"
            "`stream`, else of the default stream; the object is released after it. Such memory is not in the arena's\n"
            "statistics.");
}

}  // namespace zerofab::python
