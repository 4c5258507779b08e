// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/library.hpp"

#include <cstdlib>

#include "device/library_finder.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab::cuda {
namespace {

constexpr int oldest_driver = 12000;

std::string visible() {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    return list == nullptr ? "" : concat("; CUDA_VISIBLE_DEVICES is '", list, "'");
}

}  // namespace

std::string dotted(int version) { return concat(version / 1000, ".", version % 1000 / 10); }

gpu::Opened open_driver(Driver& driver, int& version) {
    const FoundLibrary found =
        find_library({.variable = "ZEROFAB_CUDA_LIBRARY", .sonames = {"libcuda.so.1"}, .files = {}});
    if (!found) {
        return {nullptr,
                {},
                "no NVIDIA driver: searched " + found.searched +
                    "; install the driver of the GPU (it brings libcuda.so.1)"};
    }
    if (const std::string missing = driver.resolve(found.handle); !missing.empty()) {
        return {nullptr,
                {},
                found.path + " is no driver that can be used: it lacks " + missing + "; install a driver for CUDA " +
                    dotted(oldest_driver) + " or newer"};
    }
    if (driver.version(&version) != gpu::success || version < oldest_driver) {
        return {nullptr,
                {},
                "the NVIDIA driver " + found.path + " is too old: it is for CUDA " + dotted(version) + ", and " +
                    dotted(oldest_driver) + " is needed; install a newer driver"};
    }
    if (const Result result = driver.init(0); result != gpu::success) {
        return {nullptr,
                {},
                "the NVIDIA driver " + found.path + " does not start: " + error_text(driver, result) + visible()};
    }
    return {found.handle, found.path, {}};
}

std::string error_text(const Driver& driver, Result result) {
    const char* name = nullptr;
    const char* text = nullptr;
    driver.error_name(result, &name);
    driver.error_text(result, &text);
    std::string both = name != nullptr ? name : concat("error ", result);
    if (text != nullptr) both += concat(" (", text, ")");
    return both;
}

}  // namespace zerofab::cuda
