// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Programs of the fake compilers, and their kernels: the host's build of kernels/.
#include <algorithm>

#include "core.hpp"

namespace fake {
namespace {

const std::string magic = "a program of the fake driver of the tests\n";

}  // namespace

std::string compile(const std::string& text, const std::vector<std::string>& options, std::string& log) {
    if (const auto at = text.find("#error"); at != std::string::npos) {
        const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
        log = "zerofab(" + std::to_string(line) + "): error: " + text.substr(at, text.find('\n', at) - at);
        return {};
    }
    if (setting("ZEROFAB_FAKE_COMPILE_ERROR", 0) != 0) {
        log = "zerofab(1): error: ordered by the test";
        return {};
    }
    std::string program = magic;
    for (const std::string& option : options) program += option + "\n";
    return program;
}

bool options_of(const char* program, std::string& options) {
    const std::string text = program;
    if (!text.starts_with(magic)) return false;
    options = text.substr(magic.size());
    return true;
}

bool has_kernel(const std::string&) { return false; }

bool launch(const Kernel&, unsigned, unsigned, unsigned, void**, Stream*, int) { return false; }

}  // namespace fake
