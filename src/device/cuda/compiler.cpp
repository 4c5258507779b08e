// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/compiler.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

#include "device/library_finder.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::cuda {
namespace {

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

gpu::Opened open_nvrtc(Nvrtc& nvrtc, int driver_version) {
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
    if (!found) return {nullptr, {}, "no run-time compiler (NVRTC): searched " + found.searched + remedy};
    if (const std::string missing = nvrtc.resolve(found.handle); !missing.empty()) {
        return {nullptr, {}, found.path + " is no NVRTC that can be used: it lacks " + missing + remedy};
    }
    preload_builtins(found.path);
    return {found.handle, found.path, {}};
}

int number_of(std::string_view architecture) {
    int number = 0;
    const auto at = architecture.find('_');
    std::from_chars(architecture.data() + at + 1, architecture.data() + architecture.size(), number);
    return number;
}

}  // namespace

void Compiler::open(const gpu::Opened&, int driver_version) {
    opened(open_nvrtc(nvrtc_, driver_version), nvrtc_, driver_version);
}

/// "sm_90", or "compute_90" where that is the newest that the compiler knows.
gpu::Compiler::Target Compiler::target(std::string_view architecture) const {
    int count = 0;
    nvrtc_.architecture_count(&count);
    std::vector<int> known(static_cast<std::size_t>(std::max(count, 0)));
    nvrtc_.architectures(known.data());
    const int wanted = number_of(architecture);
    int best = 0;
    for (const int one : known) best = one <= wanted ? std::max(best, one) : best;
    if (best == 0) {
        throw DeviceError(
            concat("cuda: ", description(), " makes no program for ", architecture, ": the GPU is too old for it"));
    }
    if (best == wanted) {
        const std::string name(architecture);
        return {name, "--gpu-architecture=" + name, &nvrtc_.cubin_size, &nvrtc_.cubin};
    }
    const std::string name = concat("compute_", best);
    return {name, "--gpu-architecture=" + name, &nvrtc_.ptx_size, &nvrtc_.ptx};
}

}  // namespace zerofab::cuda
