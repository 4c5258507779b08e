// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Programs of the fake compilers, and their kernels: the host's build of kernels/.
#include <cstring>

#include "core.hpp"
#include "kernels_host.hpp"

namespace fake {
namespace {

namespace kernels_host = zerofab::kernels_host;
using zerofab::kernel_types;
using zerofab::KernelType;

const std::string magic = "a program of the fake driver of the tests\n";

/// The element type that a program was compiled for; false if that cannot be told.
bool type_of(const Program& program, KernelType& type) {
    constexpr const char* options[] = {"-DK_F64\n", "-DK_F32\n", "-DK_I32\n", "-DK_I64\n"};
    for (std::size_t n = 0; n < kernel_types; ++n) {
        type = static_cast<KernelType>(n);
        if (program.options.find(options[n]) != std::string::npos) return true;
    }
    return false;
}

const kernels_host::Kernel* find(const Program& program, const std::string& name) {
    KernelType type{};
    return type_of(program, type) ? kernels_host::find(type, name) : nullptr;
}

/// Bytes of an argument by its letter in kernels/catalog.h.
std::size_t size_of(char letter, const Program& program) {
    KernelType type{};
    const bool wide = !type_of(program, type) || type == KernelType::f64 || type == KernelType::i64;
    return letter == 'i' || (letter == 'e' && !wide) ? 4 : 8;
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
    const kernels_host::Kernel* found = find(*kernel.program, kernel.name);
    if (found == nullptr) return false;
    // A driver reads the arguments before it returns.
    std::vector<std::vector<char>> values;
    for (std::size_t n = 0; n < found->arguments.size(); ++n) {
        const auto* value = static_cast<const char*>(arguments[n]);
        values.emplace_back(value, value + size_of(found->arguments[n], *kernel.program));
    }
    enqueue(stream, device, [=]() mutable {
        std::vector<void*> places;
        for (auto& value : values) places.push_back(value.data());
        kernels_host::launch(*found, groups_x, groups_y, places.data());
    });
    return true;
}

}  // namespace fake
