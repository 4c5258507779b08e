// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// What `python -m amrex` prints: the build, and the devices found or why not.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "binding.hpp"
#include "without_gil.hpp"
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
    return {std::string("compiler ") + __VERSION__ + ", C++ " + std::to_string(__cplusplus / 100),
            "nanobind " + std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR) + "." +
                std::to_string(NB_VERSION_PATCH) + ", Python's API " + PY_VERSION};
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
    if (device.bytes > 0) text += ", " + std::to_string((device.bytes + (1U << 29U)) >> 30U) + " GiB";
    if (!device.has_f64) text += ", no double precision";
    return text;
}

std::vector<std::string> device_report() {
    std::vector<std::string> lines{"cpu: " + std::to_string(num_threads()) + " threads, " + isa_name(host_isa())};
    for (const auto& [kind, name] : {std::pair{BackendKind::cuda, "cuda"}, std::pair{BackendKind::hip, "rocm"},
                                     std::pair{BackendKind::sycl, "sycl"}}) {
        const BackendReport& found = backend(kind).report();
        const std::string start = std::string(name) + ": ";
        if (found.devices.empty()) {
            lines.push_back(start + "none: " + found.why_not);
            continue;
        }
        lines.push_back(start + found.version + " (" + found.library + ")");
        for (std::size_t n = 0; n < found.devices.size(); ++n) {
            lines.push_back(std::string(name) + ":" + std::to_string(n) + " " + describe(found.devices[n]));
        }
    }
    return lines;
}

/// Python's lock is let go while a thread waits for a device.
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
        "_sycl_device",
        []() -> std::optional<int> {
            const Device device = Runtime::run_device();
            if (device.backend != BackendKind::sycl) return std::nullopt;
            return dlpack_number(device);
        },
        "The position of this run's device among all SYCL devices, as DLPack and dpnp number it; None without SYCL.");
    m.def("_device_report", &device_report, "The devices found, or why not, a line for each backend.");
}

}  // namespace zerofab::python
