// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hip/library.hpp"

#include <cstdlib>

#include "device/library_finder.hpp"
#include "zerofab/base/error.hpp"

namespace zerofab::hip {
namespace {

constexpr int oldest = 50000000;
constexpr const char* remedy = "; install ROCm 5 or newer (it brings libamdhip64.so and hipRTC)";

std::string dotted(int version) {
    std::string text = std::to_string(version / 10000000);
    text += '.';
    return text += std::to_string(version / 100000 % 100);
}

/// "libamdhip64.so.7" ... "libamdhip64.so.5", and where ROCm's own and PyPI's packages put them.
LibraryNames names(const char* variable, const std::string& library, int newest, int oldest_major) {
    LibraryNames all{.variable = variable, .sonames = {}, .files = {}};
    for (int major = newest; major >= oldest_major; --major) {
        const std::string file = library + ".so." + std::to_string(major);
        all.sonames.push_back(file);
        all.files.push_back("_rocm_sdk_core/lib/" + file);
    }
    all.sonames.push_back(library + ".so");
    all.sonames.push_back("/opt/rocm/lib/" + library + ".so");
    all.files.push_back("torch/lib/" + library + ".so");
    return all;
}

std::string visible() {
    std::string text;
    for (const char* name : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
        if (const char* list = std::getenv(name)) text += std::string("; ") + name + " is '" + list + "'";
    }
    return text;
}

}  // namespace

Opened open_driver(Driver& driver, int& version) {
    const FoundLibrary found = find_library(names("ZEROFAB_HIP_LIBRARY", "libamdhip64", 7, 5));
    if (!found) return {nullptr, {}, "no ROCm: searched " + found.searched + remedy};
    if (const std::string missing = driver.resolve(found.handle); !missing.empty()) {
        return {nullptr, {}, found.path + " is no ROCm that can be used: it lacks " + missing + remedy};
    }
    // Without the kernel's driver it is hipInit that says so, and a version is not always given.
    if (const Result result = driver.init(0); result != success) {
        return {nullptr,
                {},
                "ROCm, " + found.path + ", does not start: " + words(driver, result) + visible() +
                    "; is there a GPU of AMD's, and may this user open /dev/kfd and /dev/dri?"};
    }
    if (driver.version(&version) != success || version < oldest) {
        return {nullptr, {}, "ROCm, " + found.path + ", is too old: it is " + dotted(version) + remedy};
    }
    return {found.handle, found.path, {}};
}

Opened open_hiprtc(Hiprtc& hiprtc, const Opened& driver, int version) {
    const char* named = std::getenv("ZEROFAB_HIPRTC_LIBRARY");
    const bool is_named = named != nullptr && *named != '\0';
    if (!is_named && hiprtc.resolve(driver.handle).empty()) return driver;
    const int major = version / 10000000;
    const FoundLibrary found = find_library(names("ZEROFAB_HIPRTC_LIBRARY", "libhiprtc", major, major));
    if (!found) return {nullptr, {}, "no run-time compiler (hipRTC): searched " + found.searched + remedy};
    if (const std::string missing = hiprtc.resolve(found.handle); !missing.empty()) {
        return {nullptr, {}, found.path + " is no hipRTC that can be used: it lacks " + missing + remedy};
    }
    return {found.handle, found.path, {}};
}

std::string words(const Driver& driver, Result result) {
    static_cast<void>(driver.last_error());
    const char* name = driver.error_name(result);
    const char* text = driver.error_text(result);
    std::string both = name != nullptr ? name : "error " + std::to_string(result);
    if (text != nullptr && both != text) both += std::string(" (") + text + ")";  // ROCm 5 has the name only
    return both;
}

void check(const Driver& driver, Result result, const char* what) {
    if (result == success) return;
    const std::string text = std::string("hip: ") + what + " failed: " + words(driver, result);
    if (result == out_of_memory) throw MemoryError(text);
    throw DeviceError(text);
}

}  // namespace zerofab::hip
