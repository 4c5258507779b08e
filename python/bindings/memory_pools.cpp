// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Our arenas for other libraries' pools, and theirs for ours.
#include "memory_pools.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <string>

#include "binding.hpp"
#include "copies.hpp"
#include "importer.hpp"
#include "text.hpp"
#include "without_gil.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/memory/arena_source.hpp"

namespace zerofab::python {
namespace {

/// A block of an arena, for an allocator of another library.
struct MemoryBlock {
    AllocationPtr memory;
};

/// Let go of a Python object after our work on the memory that it owns.
void release_after_work(void* object) noexcept {
    try {
        Runtime::synchronize();
    } catch (const std::exception&) {  // the driver is gone, and the work with it
    }
    release_object(object);
}

/// Memory by a Python function from a size to an object with its address in `ptr`, which owns it.
class PythonSource final : public ArenaSource {
public:
    explicit PythonSource(nb::handle allocate) : allocate_(allocate.inc_ref().ptr()) {}
    ~PythonSource() override { release_object(allocate_); }

    AllocationPtr allocate(std::size_t bytes, Place place) override {
        const WithGil locked;
        try {
            nb::object owner = nb::handle(allocate_)(std::max<std::size_t>(bytes, 1));
            const auto address = nb::cast<std::uintptr_t>(nb::int_(owner.attr("ptr")));
            if (address == 0 || address % 64 != 0) {
                throw MemoryError("the allocator gave memory at " + repr_of(owner.attr("ptr")) +
                                  ": it must be at a multiple of 64 bytes");
            }
            AllocationPtr memory = Allocation::adopt(reinterpret_cast<void*>(address), bytes, place.device, place.kind,
                                                     owner.ptr(), &release_after_work);
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
        .def_prop_ro(
            "size", [](const MemoryBlock& block) { return block.memory->bytes(); }, "Its bytes.")
        .def_prop_ro(
            "device_id", [](const MemoryBlock& block) { return block.memory->device().id; }, "Its device's number.");
    arena
        .def(
            "allocate", [](Arena& self, std::size_t bytes) { return MemoryBlock{self.allocate(bytes)}; },
            nb::arg("nbytes"), "Memory of this arena, not initialized; MemoryError if there is none.")
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
            "`lambda nbytes: rmm.DeviceBuffer(size=nbytes)`. It may be called from any thread; the object is let go\n"
            "after the library's work on the memory. Such memory is not in the arena's statistics.");
}

}  // namespace zerofab::python
