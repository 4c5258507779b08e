// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Programs of the fake compilers, and their kernels: the host's build of kernels/.
#include <cstring>

#include "core.hpp"
#include "host_kernels.hpp"

namespace fake {
namespace {

const std::string magic = "a program of the fake driver of the tests\n";

/// The kernels for the element type that a program was compiled for.
std::span<const HostKernel> kernels_of(const Program& program) {
    const auto has = [&](const char* option) { return program.options.find(option) != std::string::npos; };
    if (has("-DK_F64\n")) return host_kernels_F64();
    if (has("-DK_F32\n")) return host_kernels_F32();
    if (has("-DK_I32\n")) return host_kernels_I32();
    if (has("-DK_I64\n")) return host_kernels_I64();
    return {};
}

const HostKernel* find(const Program& program, const std::string& name) {
    for (const HostKernel& kernel : kernels_of(program)) {
        if (kernel.name == name) return &kernel;
    }
    return nullptr;
}

}  // namespace

std::string compile(const std::string& text, const std::vector<std::string>& options, std::string& log) {
    if (setting("ZEROFAB_FAKE_COMPILE_ERROR", 0) != 0) {
        log = "zerofab(1): error: ordered by the test";
        return {};
    }
    if (text.find("K_KERNEL") == std::string::npos) {
        log = "zerofab(1): error: this is not the text of kernels/";
        return {};
    }
    std::string program = magic;
    for (const std::string& option : options) program += option + "\n";
    return program;
}

bool read_program(const void* image, Program& program) {
    const auto* text = static_cast<const char*>(image);
    if (std::strncmp(text, magic.c_str(), magic.size()) != 0) return false;
    program.options = text + magic.size();
    return true;
}

bool has_kernel(const Program& program, const std::string& name) { return find(program, name) != nullptr; }

bool launch(const Kernel& kernel, unsigned groups_x, unsigned groups_y, void** arguments, Stream* stream, int device) {
    const HostKernel* found = find(*kernel.program, kernel.name);
    if (found == nullptr) return false;
    // A driver reads the arguments before it returns.
    std::vector<std::vector<char>> values;
    for (std::size_t n = 0; n < found->sizes.size(); ++n) {
        const auto* value = static_cast<const char*>(arguments[n]);
        values.emplace_back(value, value + found->sizes[n]);
    }
    enqueue(stream, device, [=]() mutable {
        std::vector<void*> places;
        for (auto& value : values) places.push_back(value.data());
        found->run(places.data(), groups_x, groups_y);
    });
    return true;
}

}  // namespace fake
