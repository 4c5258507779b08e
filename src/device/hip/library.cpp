// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hip/library.hpp"

#include <cstdlib>

#include "zerofab/base/concat.hpp"

namespace zerofab::hip {
namespace {

constexpr int oldest = 50000000;

std::string visible() {
    std::string text;
    for (const char* name : {"HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
        if (const char* list = std::getenv(name)) text += concat("; ", name, " is '", list, "'");
    }
    return text;
}

}  // namespace

std::string dotted(int version) {
    std::string text = std::to_string(version / 10000000);
    text += '.';
    return text += std::to_string(version / 100000 % 100);
}

LibraryNames library_names(const char* variable, const std::string& library, Majors majors) {
    LibraryNames all{.variable = variable, .sonames = {}, .files = {}};
    for (int major = majors.newest; major >= majors.oldest; --major) {
        const std::string file = concat(library, ".so.", major);
        all.sonames.push_back(file);
        all.files.push_back("_rocm_sdk_core/lib/" + file);
    }
    all.sonames.push_back(library + ".so");
    all.sonames.push_back("/opt/rocm/lib/" + library + ".so");
    all.files.push_back("torch/lib/" + library + ".so");
    return all;
}

gpu::Opened open_driver(Driver& driver, int& version) {
    const FoundLibrary found =
        find_library(library_names("ZEROFAB_HIP_LIBRARY", "libamdhip64", {.newest = 7, .oldest = 5}));
    if (!found) return {nullptr, {}, "no ROCm: searched " + found.searched + remedy};
    if (const std::string missing = driver.resolve(found.handle); !missing.empty()) {
        return {nullptr, {}, found.path + " is no ROCm that can be used: it lacks " + missing + remedy};
    }
    // Without the kernel's driver it is hipInit that says so, and a version is not always given.
    if (const Result result = driver.init(0); result != gpu::success) {
        return {nullptr,
                {},
                "ROCm, " + found.path + ", does not start: " + error_text(driver, result) + visible() +
                    "; is there a GPU of AMD's, and may this user open /dev/kfd and /dev/dri?"};
    }
    if (driver.version(&version) != gpu::success || version < oldest) {
        return {nullptr, {}, "ROCm, " + found.path + ", is too old: it is " + dotted(version) + remedy};
    }
    return {found.handle, found.path, {}};
}

std::string error_text(const Driver& driver, Result result) {
    static_cast<void>(driver.last_error());
    const char* name = driver.error_name(result);
    const char* text = driver.error_text(result);
    std::string both = name != nullptr ? name : concat("error ", result);
    if (text != nullptr && both != text) both += concat(" (", text, ")");  // ROCm 5 has the name only
    return both;
}

}  // namespace zerofab::hip
