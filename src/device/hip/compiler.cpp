// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hip/compiler.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "device/library_finder.hpp"

namespace zerofab::hip {
namespace {

gpu::Opened open_hiprtc(Hiprtc& hiprtc, const gpu::Opened& driver, int version) {
    const char* named = std::getenv("ZEROFAB_HIPRTC_LIBRARY");
    const bool is_named = named != nullptr && *named != '\0';
    if (!is_named && hiprtc.resolve(driver.handle).empty()) return driver;
    const int major = version / 10000000;
    const FoundLibrary found =
        find_library(library_names("ZEROFAB_HIPRTC_LIBRARY", "libhiprtc", {.newest = major, .oldest = major}));
    if (!found) return {nullptr, {}, "no run-time compiler (hipRTC): searched " + found.searched + remedy};
    if (const std::string missing = hiprtc.resolve(found.handle); !missing.empty()) {
        return {nullptr, {}, found.path + " is no hipRTC that can be used: it lacks " + missing + remedy};
    }
    return {found.handle, found.path, {}};
}

/// Whether there is a list of architectures.  The library is a neighbour of hipRTC, or in the process with it.
bool open_comgr(Comgr& comgr, const gpu::Opened& hiprtc, int version) {
    if (hiprtc.handle == nullptr) return false;
    if (comgr.resolve(hiprtc.handle).empty()) return true;
    const int newest = version < 60400000 ? 2 : 3;
    const FoundLibrary found =
        find_library(library_names("ZEROFAB_COMGR_LIBRARY", "libamd_comgr", {.newest = newest, .oldest = 2}));
    return found && comgr.resolve(found.handle).empty();
}

/// "gfx90a" for each "amdgcn-amd-amdhsa--gfx90a", with or without settings behind it.
std::vector<std::string> architectures_of(const Comgr& comgr) {
    std::vector<std::string> all;
    std::size_t count = 0;
    if (comgr.count(&count) != 0) return all;
    for (std::size_t n = 0; n < count; ++n) {
        const char* name = nullptr;
        if (comgr.name(n, &name) != 0 || name == nullptr) continue;
        std::string one(name);
        if (const auto at = one.rfind("--"); at != std::string::npos) one.erase(0, at + 2);
        one.resize(std::min(one.find_first_of(":+"), one.size()));
        if (all.empty() || all.back() != one) all.push_back(one);
    }
    return all;
}

}  // namespace

void Compiler::open(const gpu::Opened& driver, int version) {
    const gpu::Opened found = open_hiprtc(hiprtc_, driver, version);
    rocm_ = "ROCm " + dotted(version);
    ends_process_ = version < 60000000;
    lists_ = open_comgr(comgr_, found, version);
    opened(found, hiprtc_, version);
}

gpu::Compiler::Target Compiler::target(std::string_view architecture) const {
    const std::string name(architecture);
    const std::vector<std::string> known = lists_ ? architectures_of(comgr_) : std::vector<std::string>{};
    if (known.empty() && ends_process_) {
        throw DeviceError("hip: kernels cannot be compiled for " + name + " by " + rocm_ +
                          ": libamd_comgr.so.2, which says whether it knows that, was not found or does not say it; "
                          "set ZEROFAB_COMGR_LIBRARY to its path, or install a newer ROCm");
    }
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
        std::string text;
        for (const std::string& one : known) text += (text.empty() ? "" : ", ") + one;
        throw DeviceError("hip: kernels cannot be compiled for " + name + " by " + rocm_ +
                          ": install a newer one; this one knows " + text);
    }
    return {name + " with " + rocm_, "--offload-arch=" + name, &hiprtc_.code_size, &hiprtc_.code};
}

}  // namespace zerofab::hip
