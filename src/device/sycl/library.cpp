// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/sycl/library.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <shared_mutex>

#include "device/fork_count.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::sycl {
namespace {

void (*finish_work)() noexcept = nullptr;
constinit std::atomic<bool> exiting{false};
auto& calls = *new std::shared_timed_mutex;  ///< shared by every call, taken alone by the exit; never destroyed
unsigned forks_before = 0;                   ///< written once, by guard_process

bool forked() noexcept { return finish_work != nullptr && fork_count() != forks_before; }

/// Add a variable without the harm that setenv does where other threads read the environment: those that are at it
/// read on in the old table, which is left as it is, for good, and the new one is there at once.
void add_to_environment(const std::string& name, const std::string& value) {
    std::size_t count = 0;
    while (environ != nullptr && environ[count] != nullptr) ++count;
    // Both are never closed: the environment lasts as long as the process.
    auto* const text = new std::string(name + "=" + value);
    auto** const table = new char*[count + 2];
    std::copy_n(environ, count, table);
    table[count] = text->data();
    table[count + 1] = nullptr;
    __atomic_store_n(&environ, table, __ATOMIC_RELEASE);
}

/// Intel's OpenCL runtime for CPUs comes as a Python package whose vendor file names a folder that does not exist: the
/// loader finds the runtime only by this variable, read at the first look for devices.
void name_cpu_runtime(const std::string& dpctl_path) {
    if (std::getenv("OCL_ICD_FILENAMES") != nullptr) return;
    std::error_code ignored;
    // site-packages/dpctl/libDPCTLSyclInterface.so is below the folder of the runtime's libraries by three.
    const auto folder = std::filesystem::path(dpctl_path).parent_path() / "../../..";
    auto runtime = std::filesystem::weakly_canonical(folder / "libintelocl.so", ignored).string();
    if (!std::filesystem::exists(runtime, ignored)) runtime = find_in_library_folders({"libintelocl.so"});
    if (!runtime.empty()) add_to_environment("OCL_ICD_FILENAMES", runtime);
}

void at_exit() {
    if (forked() || exiting.exchange(true)) return;
    // A call that never ends must not keep the process from exiting.
    const std::unique_lock lock(calls, std::chrono::seconds(2));
    if (lock.owns_lock()) finish_work();
}

bool enter() noexcept {
    if (forked()) return false;
    calls.lock_shared();
    if (!exiting) return true;
    calls.unlock_shared();
    return false;
}

}  // namespace

const Dpctl& dpctl() {
    static const Dpctl& table = []() -> const Dpctl& {
        auto& made = *new Dpctl;
        made.library = find_library({"ZEROFAB_SYCL_LIBRARY",
                                     {"libDPCTLSyclInterface.so"},
                                     {"dpctl/libDPCTLSyclInterface.so", "libDPCTLSyclInterface.so"}});
        if (made.library) {
            made.missing = made.resolve(made.library.handle);
            name_cpu_runtime(made.library.path);
        }
        return made;
    }();
    return table;
}

std::string take(const char* text) {
    if (text == nullptr) return {};
    const Owned owned(text, dpctl().string_delete);
    return text;
}

void require(const void* reference, std::string_view what) {
    if (reference != nullptr) return;
    throw DeviceError(concat("sycl: ", what, " failed; dpctl prints the reason if DPCTL_VERBOSITY=error is set"));
}

void guard_process(void (*finish)() noexcept) {
    forks_before = fork_count();
    finish_work = finish;
    if (std::atexit(&at_exit) != 0) throw DeviceError("sycl: the process can register no more functions for its exit");
}

void guard_process_again() {
    static std::once_flag once;
    std::call_once(once, [] { static_cast<void>(std::atexit(&at_exit)); });
}

InUse::InUse() : there(enter()) {
    if (there) return;
    if (!forked()) throw DeviceError("sycl: the process is exiting");
    throw DeviceError(
        "sycl: this process was forked from one that had used its SYCL devices, which the driver does not survive: "
        "start workers by spawn, multiprocessing.set_start_method('spawn'), or fork earlier");
}

InUse::InUse(std::nothrow_t) noexcept : there(enter()) {}

InUse::~InUse() {
    if (there) calls.unlock_shared();
}

}  // namespace zerofab::sycl
