// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/sycl/library.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

namespace zerofab::sycl {
namespace {

enum class Process { alive, forked, exiting };
constinit std::atomic<Process> process{Process::alive};
void (*finish_work)() noexcept = nullptr;

/// Intel's OpenCL runtime for CPUs comes as a Python package whose vendor file names a folder that does not exist: the
/// loader finds the runtime only by this variable, read at the first look for devices.
void name_cpu_runtime(const std::string& dpctl_path) {
    if (std::getenv("OCL_ICD_FILENAMES") != nullptr) return;
    std::error_code ignored;
    // site-packages/dpctl/libDPCTLSyclInterface.so is below the folder of the runtime's libraries by three.
    const auto folder = std::filesystem::path(dpctl_path).parent_path() / "../../..";
    auto runtime = std::filesystem::weakly_canonical(folder / "libintelocl.so", ignored).string();
    if (!std::filesystem::exists(runtime, ignored)) runtime = find_in_library_folders({"libintelocl.so"});
    if (!runtime.empty()) setenv("OCL_ICD_FILENAMES", runtime.c_str(), 0);
}

void at_fork() { process = Process::forked; }

void at_exit() {
    if (process == Process::alive) finish_work();
    process = Process::exiting;
}

}  // namespace

const Dpctl& dpctl() {
    static const Dpctl& table = []() -> const Dpctl& {
        auto& made = *new Dpctl(find_library({"ZEROFAB_SYCL_LIBRARY",
                                              {"libDPCTLSyclInterface.so"},
                                              {"dpctl/libDPCTLSyclInterface.so", "libDPCTLSyclInterface.so"}}));
        if (made.library) name_cpu_runtime(made.library.path);
        return made;
    }();
    return table;
}

std::string take(const char* text) {
    if (text == nullptr) return {};
    std::string copy(text);
    dpctl().string_delete(text);
    return copy;
}

void require(const void* reference, std::string_view what) {
    if (reference != nullptr) return;
    throw DeviceError("sycl: " + std::string(what) +
                      " failed; dpctl prints the reason if DPCTL_VERBOSITY=error is set");
}

void guard_process(void (*finish)() noexcept) {
    static const bool guarded = [finish] {
        finish_work = finish;
        return pthread_atfork(nullptr, nullptr, &at_fork) == 0 && std::atexit(&at_exit) == 0;
    }();
    if (!guarded) throw DeviceError("sycl: the process can register no more functions for fork and exit");
}

bool alive() noexcept { return process.load(std::memory_order_relaxed) == Process::alive; }

void require_alive() {
    switch (process.load(std::memory_order_relaxed)) {
        case Process::forked:
            throw DeviceError(
                "sycl: this process was forked from one that had used its SYCL devices, which the driver does not "
                "survive: start workers by spawn, multiprocessing.set_start_method('spawn'), or fork earlier");
        case Process::exiting:
            throw DeviceError("sycl: the process is exiting");
        default:
            return;
    }
}

}  // namespace zerofab::sycl
