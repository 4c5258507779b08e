// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/library.hpp"

#include <cstdlib>
#include <filesystem>

#include "device/library_finder.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::cuda {
namespace {

constexpr int oldest_driver = 12000;

std::string dotted(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

/// NVRTC opens libnvrtc-builtins by name at the first compilation, and some versions do not look beside themselves.
void preload_builtins(const std::string& nvrtc) {
    std::error_code error;
    const auto folder = std::filesystem::path(nvrtc).parent_path();
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with("libnvrtc-builtins.so")) {
            static_cast<void>(dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL));
        }
    }
}

std::string visible() {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    return list == nullptr ? "" : std::string("; CUDA_VISIBLE_DEVICES is '") + list + "'";
}

}  // namespace

Opened open_driver(Driver& driver, int& version) {
    const FoundLibrary found =
        find_library({.variable = "ZEROFAB_CUDA_LIBRARY", .sonames = {"libcuda.so.1"}, .files = {}});
    if (!found) {
        return {{},
                "no NVIDIA driver: searched " + found.searched +
                    "; install the driver of the GPU (it brings libcuda.so.1)"};
    }
    if (const std::string missing = driver.resolve(found.handle); !missing.empty()) {
        return {{},
                found.path + " is no driver that can be used: it lacks " + missing + "; install a driver for CUDA " +
                    dotted(oldest_driver) + " or newer"};
    }
    if (driver.version(&version) != success || version < oldest_driver) {
        return {{},
                "the NVIDIA driver " + found.path + " is too old: it is for CUDA " + dotted(version) + ", and " +
                    dotted(oldest_driver) + " is needed; install a newer driver"};
    }
    if (const Result result = driver.init(0); result != success) {
        return {{}, "the NVIDIA driver " + found.path + " does not start: " + words(driver, result) + visible()};
    }
    return {found.path, {}};
}

Opened open_nvrtc(Nvrtc& nvrtc, int driver_version) {
    LibraryNames names{.variable = "ZEROFAB_NVRTC_LIBRARY", .sonames = {}, .files = {}};
    const bool has_13 = driver_version >= 13000;
    if (has_13) {
        names.sonames.emplace_back("libnvrtc.so.13");
        names.files.emplace_back("nvidia/cu13/lib/libnvrtc.so.13");
    }
    names.sonames.emplace_back("libnvrtc.so.12");
    names.files.emplace_back("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
    const FoundLibrary found = find_library(names);
    const std::string remedy =
        has_13 ? "; pip install nvidia-cuda-nvrtc" : "; pip install nvidia-cuda-nvrtc-cu12 (the driver is for CUDA 12)";
    if (!found) return {{}, "no run-time compiler (NVRTC): searched " + found.searched + remedy};
    if (const std::string missing = nvrtc.resolve(found.handle); !missing.empty()) {
        return {{}, found.path + " is no NVRTC that can be used: it lacks " + missing + remedy};
    }
    preload_builtins(found.path);
    return {found.path, {}};
}

std::string words(const Driver& driver, Result result) {
    const char* name = nullptr;
    const char* text = nullptr;
    driver.error_name(result, &name);
    driver.error_text(result, &text);
    std::string both = name != nullptr ? name : "error " + std::to_string(result);
    if (text != nullptr) both += std::string(" (") + text + ")";
    return both;
}

void check(const Driver& driver, Result result, const char* what) {
    if (result == success) return;
    const std::string text = std::string("cuda: ") + what + " failed: " + words(driver, result);
    if (result == out_of_memory) throw MemoryError(text);
    throw DeviceError(text);
}

}  // namespace zerofab::cuda
