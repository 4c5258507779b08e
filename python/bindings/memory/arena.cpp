// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Arena and the arenas that there are.
#include "zerofab/memory/arena.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <array>
#include <fstream>

#include "base/binding.hpp"
#include "base/copies.hpp"
#include "base/without_gil.hpp"
#include "memory/pools.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/comm/communicator.hpp"

namespace zerofab::python {
namespace {

std::array<Arena*, 6> all_arenas() {
    return {&The_Arena(),         &The_Cpu_Arena(),    &The_Pinned_Arena(),
            &The_Managed_Arena(), &The_Device_Arena(), &The_Async_Arena()};
}

std::string usage_of_all() {
    std::string text;
    for (const Arena* arena : all_arenas()) {
        text += arena->usage() + "\n";
    }
    return text;
}

// In a run on the host there is no device, and all memory is the host's.
bool on_device(const Arena& arena) { return arena.device().backend != BackendKind::host; }

}  // namespace

void register_arena(nb::module_& m) {
    nb::class_<Arena> cls(
        m, "Arena", "A source of memory of one kind. Arenas live as long as the process and need no initialize().");
    refuse_copies(cls, "it belongs to this process; ask for it there, e.g. by The_Arena()");
    cls.def_prop_ro(
           "is_device", [](const Arena& a) { return on_device(a) && a.kind() == MemoryKind::device; },
           "Whether its memory is of a device, out of reach for the host.")
        .def_prop_ro(
            "is_managed", [](const Arena& a) { return on_device(a) && a.kind() == MemoryKind::managed; },
            "Whether its memory moves between device and host.")
        .def_prop_ro(
            "is_pinned", [](const Arena& a) { return on_device(a) && a.kind() == MemoryKind::pinned; },
            "Whether its memory is page-locked memory of the host.")
        .def_prop_ro("is_host_accessible", &Arena::is_host_accessible, "Whether the host can reach its memory.")
        .def_prop_ro(
            "is_device_accessible", [](const Arena& a) { return on_device(a) && a.is_device_accessible(); },
            "Whether a device can reach its memory; False in a run without one.")
        .def(
            "has_free_device_memory", [](const Arena&, std::size_t) { return true; }, nb::arg("sz"),
            "Whether the device can give `sz` bytes more; True in a run without a device.")
        .def_prop_ro("name", &Arena::name, "Its name.")
        .def_prop_ro(
            "bytes", [](const Arena& a) { return a.statistics().bytes; }, "Bytes in use.")
        .def_prop_ro(
            "peak_bytes", [](const Arena& a) { return a.statistics().peak_bytes; }, "The most bytes in use so far.")
        .def_prop_ro(
            "blocks", [](const Arena& a) { return a.statistics().blocks; }, "Number of blocks in use.")
        .def_prop_ro(
            "kept_bytes", [](const Arena& a) { return a.statistics().kept_bytes; },
            "Bytes of freed memory that are kept to be given out again: by all arenas of the host together, up to\n"
            "amrex.the_arena_release_threshold, or by this one of a device.")
        .def(
            "trim",
            [](Arena& a) {
                const WithoutGil other_threads_run;
                return a.trim();
            },
            "Give freed memory that is kept back to the operating system, or to the device after waiting for its "
            "work;\n"
            "returns how many bytes that were.")
        .def("usage", &Arena::usage, "One line for people: bytes in use, blocks, the most so far.")
        .def("__repr__", [](const Arena& a) { return concat("<amrex.Arena ", a.usage(), ">"); })
        .def_static(
            "initialize", [](bool) {}, nb::arg("minimal") = false,
            "Nothing is left to do: arenas live as long as the process.")
        .def_static(
            "finalize", [] {},
            "Nothing is left to do: arenas live as long as the process, and views keep their memory.")
        .def_static(
            "print_usage", [](bool) { nb::print(usage_of_all().c_str(), nb::str("")); }, nb::arg("print_max") = false,
            "Print what every arena has given out, and the most so far.")
        .def_static(
            "print_usage_to_files",
            [](const std::string& filename, const std::string& message) {
                const std::string path = concat(filename, ".", communicator().rank());
                std::ofstream file(path, std::ios::app);
                file << message << "\n" << usage_of_all() << "\n";
                if (!file.flush()) {
                    throw IoError("cannot write to '" + path + "'");
                }
            },
            nb::arg("filename"), nb::arg("message"),
            "Append the usage of every arena, after a line `message`, to the file FILENAME.RANK; OSError if it "
            "cannot.");

    add_pool_methods(cls, m);

    const auto function = [&m](const char* name, Arena& (*get)(), const char* doc) {
        m.def(name, get, nb::rv_policy::reference, doc);
    };
    function("The_Arena", &The_Arena, "The arena of containers that name none.");
    function("The_Async_Arena", &The_Async_Arena, "Memory that is given back in the order of the device's work.");
    function("The_Cpu_Arena", &The_Cpu_Arena, "Plain memory of the host, in every kind of run.");
    function("The_Device_Arena", &The_Device_Arena, "Memory of the device.");
    function("The_Managed_Arena", &The_Managed_Arena, "Memory that moves between device and host.");
    function("The_Pinned_Arena", &The_Pinned_Arena, "Page-locked memory of the host, which the device reaches too.");
}

}  // namespace zerofab::python
