// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/sycl/spirv.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_set>

namespace zerofab::sycl {
namespace {

using Word = std::uint32_t;
using Instruction = std::span<const Word>;

// The numbers of instructions, by the SPIR-V specification.
enum Op : Word {
    op_name = 5,
    op_line = 8,
    op_entry_point = 15,
    op_execution_mode = 16,
    op_function = 54,
    op_function_end = 56,
    op_function_call = 57,
    op_store = 62,
    op_copy_memory = 63,
    op_copy_memory_sized = 64,
    op_decorate = 71,
    op_control_barrier = 224,
    op_memory_barrier = 225,
    op_atomic_store = 228,
    op_loop_merge = 246,
    op_selection_merge = 247,
    op_label = 248,
    op_branch = 249,
    op_lifetime_stop = 257,
    op_no_line = 317,
};

constexpr std::size_t header_words = 5;

Word op_of(Instruction instruction) { return instruction[0] & 0xffffU; }

/// The number that an instruction in a function defines, 0 if none.
Word defined_by(Instruction instruction) {
    const Word op = op_of(instruction);
    if (op == op_label) return instruction[1];
    const bool defines_none = op == op_line || op == op_no_line || op == op_function_end ||
                              (op >= op_store && op <= op_copy_memory_sized) || op == op_control_barrier ||
                              op == op_memory_barrier || op == op_atomic_store || op == op_loop_merge ||
                              op == op_selection_merge || (op >= op_branch && op <= op_lifetime_stop);
    return defines_none || instruction.size() < 3 ? 0 : instruction[2];
}

std::vector<Instruction> instructions_of(std::span<const Word> words) {
    std::vector<Instruction> all;
    for (std::size_t at = header_words; at < words.size();) {
        const std::size_t length = words[at] >> 16U;
        if (length == 0 || length > words.size() - at) return {};
        all.push_back(words.subspan(at, length));
        at += length;
    }
    return all;
}

/// What is defined in a function, itself first, and the functions that it calls.
struct Function {
    std::vector<Word> defines, calls;
};

}  // namespace

std::vector<Word> only_kernel(std::span<const unsigned char> module, std::string_view name) {
    std::vector<Word> words(module.size() / sizeof(Word));
    std::memcpy(words.data(), module.data(), words.size() * sizeof(Word));
    const std::vector<Instruction> all = instructions_of(words);

    std::map<Word, Function> functions;
    std::vector<Word> wanted;
    Function* current = nullptr;
    for (const Instruction& each : all) {
        const Word op = op_of(each);
        if (op == op_entry_point && name == reinterpret_cast<const char*>(&each[3])) wanted.push_back(each[2]);
        if (op == op_function) current = &functions[each[2]];
        if (op == op_function_call && current != nullptr) current->calls.push_back(each[3]);
        if (const Word id = current == nullptr ? 0 : defined_by(each); id != 0) current->defines.push_back(id);
        if (op == op_function_end) current = nullptr;
    }
    if (wanted.empty()) return {};

    std::unordered_set<Word> kept;
    while (!wanted.empty()) {
        const Word function = wanted.back();
        wanted.pop_back();
        if (!kept.insert(function).second) continue;
        const auto& calls = functions[function].calls;
        wanted.insert(wanted.end(), calls.begin(), calls.end());
    }
    std::unordered_set<Word> gone;
    for (const auto& [id, function] : functions) {
        if (!kept.contains(id)) gone.insert(function.defines.begin(), function.defines.end());
    }

    std::vector<Word> out(words.begin(), words.begin() + header_words);
    bool in_gone = false;
    for (const Instruction& each : all) {
        const Word op = op_of(each);
        if (op == op_function) in_gone = gone.contains(each[2]);
        const bool left_out = in_gone || op == op_name || (op == op_entry_point && gone.contains(each[2])) ||
                              ((op == op_execution_mode || op == op_decorate) && gone.contains(each[1]));
        if (!left_out) out.insert(out.end(), each.begin(), each.end());
        if (op == op_function_end) in_gone = false;
    }
    return out;
}

}  // namespace zerofab::sycl
