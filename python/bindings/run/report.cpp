// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What `python -m amrex` prints: the build, and the devices found or why not.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "base/binding.hpp"
#include "base/without_gil.hpp"
#include "zerofab/base/concat.hpp"
#include "zerofab/device/backend.hpp"
#include "zerofab/device/blocking.hpp"
#include "zerofab/device/host_loops.hpp"
#include "zerofab/device/library_folder.hpp"
#include "zerofab/device/parallel.hpp"
#include "zerofab/device/runtime.hpp"
#include "zerofab/exchange/dlpack.hpp"

namespace zerofab::python {
namespace {

std::vector<std::string> build_info() {
    return {concat("compiler ", __VERSION__, ", C++ ", __cplusplus / 100),
            concat("nanobind ", NB_VERSION_MAJOR, ".", NB_VERSION_MINOR, ".", NB_VERSION_PATCH, ", Python's API ",
                   PY_VERSION)};
}

std::string isa_name(HostIsa isa) {
    switch (isa) {
        case HostIsa::avx512:
            return "AVX-512";
        case HostIsa::avx2:
            return "AVX2";
        default:
            return "baseline instructions";
    }
}

/// "NVIDIA H200, sm_90, 140 GiB".
std::string describe(const DeviceInfo& device) {
    std::string text = device.name + ", " + device.architecture;
    if (device.bytes > 0) text += concat(", ", (device.bytes + (1U << 29U)) >> 30U, " GiB");
    if (!device.has_f64) text += ", no double precision";
    return text;
}

std::vector<std::string> device_report() {
    std::vector<std::string> lines{concat("cpu: ", num_threads(), " threads, ", isa_name(host_isa()))};
    for (Backend* each : backends()) {
        if (each->kind() == BackendKind::host) {
            continue;
        }
        const BackendReport& found = each->report();
        const std::string name(each->facts().names[0]);
        const std::string start = name + ": ";
        if (found.devices.empty()) {
            lines.push_back(start + "none: " + found.why_not);
            continue;
        }
        lines.push_back(start + found.version + " (" + found.library + ")");
        for (std::size_t n = 0; n < found.devices.size(); ++n) {
            lines.push_back(concat(name, ":", n, " ", describe(found.devices[n])));
        }
    }
    return lines;
}

/// Python's lock is released while a thread waits for a device.
void let_go_of_the_lock() {
    set_blocking_hooks({.enter = []() noexcept -> void* {
                            return Py_IsInitialized() != 0 && PyGILState_Check() != 0 ? PyEval_SaveThread() : nullptr;
                        },
                        .leave =
                            [](void* thread) noexcept {
                                if (thread != nullptr) {
                                    take_gil(static_cast<PyThreadState*>(thread));
                                }
                            }});
}

/// Tell the library where this interpreter's packages lie: vendors' libraries may be among them.
void name_package_folders() {
    const nb::module_ sys = nb::module_::import_("sys");
    add_library_folder(nb::cast<std::string>(sys.attr("prefix")) + "/lib");
    for (nb::handle entry : sys.attr("path")) {
        std::string path;
        if (nb::try_cast(entry, path) && path.ends_with("-packages")) {  // site- or Debian's dist-packages
            add_library_folder(path);
        }
    }
}

}  // namespace

void register_report(nb::module_& m) {
    name_package_folders();
    let_go_of_the_lock();
    m.def("_run_device", &Runtime::device,
          "The device of this run; before initialize the one that ZEROFAB_DEVICE names, else cpu.");
    m.def("_build_info", &build_info, "Compiler and tools that built this module, a line each.");
    m.def(
        "_array_library",
        [](const std::string& device) -> std::optional<std::pair<std::string, std::string>> {
            const Backend* found = find_backend(device.substr(0, device.find(':')));
            if (found == nullptr) return std::nullopt;
            return std::pair{std::string(found->facts().array_module), std::string(found->facts().array_package)};
        },
        nb::arg("device"),
        "Module and package of the array library that works on the memory of this device; None if there is no such\n"
        "device.");
    m.def(
        "_device_type",
        [](int type, std::string_view library) -> std::optional<int> {
            for (const Backend* one : backends()) {
                const BackendFacts& facts = one->facts();
                const bool has =
                    type == facts.dlpack_device || type == facts.dlpack_managed || type == facts.dlpack_pinned;
                if (facts.array_module == library && has) return facts.dlpack_device;
            }
            return std::nullopt;
        },
        nb::arg("type"), nb::arg("library"),
        "The type in DLPack of the device that reaches memory of this type, if the array library works on it; else "
        "None.");
    m.def(
        "_device_number",
        [](std::string_view library) -> std::optional<int> {
            const Device device = Runtime::run_device();
            if (backend(device.backend).facts().array_module != library) return std::nullopt;
            return dlpack_number(device);
        },
        nb::arg("library"), "The number of this run's device in DLPack, if the array library works on it; else None.");
    m.def("_device_report", &device_report, "The devices found, or why not, a line for each backend.");
}

}  // namespace zerofab::python
