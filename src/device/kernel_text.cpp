// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/kernel_text.hpp"

namespace zerofab {
namespace {

std::string element_option(KernelType type) {
    static constexpr const char* names[kernel_types] = {"-DK_F64", "-DK_F32", "-DK_I32", "-DK_I64"};
    return names[static_cast<std::size_t>(type)];
}

}  // namespace

std::vector<std::string> kernel_options(KernelType type, KernelLanguage language) {
    switch (language) {
        case KernelLanguage::cuda:
            return {element_option(type), "--std=c++17", "--fmad=false"};
        case KernelLanguage::hip:
            return {element_option(type), "-std=c++17", "-ffp-contract=off"};
        default:
            return {element_option(type), "-cl-std=CL2.0"};
    }
}

std::string kernel_options(KernelType type, KernelItems items) {
    std::string line(items == KernelItems::one ? "-DK_ONE_ITEM" : "");
    for (const std::string& option : kernel_options(type, KernelLanguage::opencl)) {
        line += (line.empty() ? "" : " ") + option;
    }
    return line;
}

}  // namespace zerofab
