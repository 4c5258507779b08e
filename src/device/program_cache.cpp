// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/program_cache.hpp"

#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "device/private_folder.hpp"
#include "zerofab/base/concat.hpp"

namespace zerofab {
namespace {

constexpr std::string_view ending = ".program";

/// Empty if none is wanted or known.
std::string folder() {
    if (const char* own = std::getenv("ZEROFAB_CACHE_DIR")) return own;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        return std::string(cache) + "/zerofab";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return std::string(home) + "/.cache/zerofab";
    }
    return {};
}

/// How much the folder may hold, in bytes.
std::uint64_t most_bytes() {
    std::uint64_t mebibytes = 256;
    if (const char* text = std::getenv("ZEROFAB_CACHE_MB")) {
        const std::string_view whole(text);
        std::uint64_t asked = 0;
        const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), asked);
        if (error == std::errc{} && end == whole.data() + whole.size() && asked < (1U << 30U)) mebibytes = asked;
    }
    return mebibytes << 20U;
}

/// FNV-1a: no two texts that differ in one byte have the same.
std::uint64_t hash_of(std::initializer_list<std::string_view> texts) {
    std::uint64_t hash = 14695981039346656037U;
    for (const std::string_view text : texts) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return hash;
}

std::string digits_of(std::uint64_t number) {
    char digits[16] = {};
    const char* const end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    return {static_cast<const char*>(digits), end};
}

/// What a file begins with: what it is, the size of all that follows, and the checksum of that.  Then the key and the
/// program.
std::string head_of(std::string_view key, std::string_view program) {
    std::string head("zerofab program 2 ");
    head += std::to_string(key.size() + program.size());
    head += ' ';
    head += digits_of(hash_of({key, program}));
    head += '\n';
    return head;
}

/// Whether the file is as it was written, whatever its key.
bool is_whole(std::string_view content) {
    const std::size_t end = content.find('\n');
    if (end == std::string_view::npos) return false;
    return content.substr(0, end + 1) == head_of(content.substr(end + 1), {});
}

}  // namespace

std::string cached_program(std::initializer_list<std::string_view> parts, const std::function<std::string()>& compile) {
    const std::string path = folder();
    const std::uint64_t most = most_bytes();
    if (path.empty() || most == 0) return compile();
    const PrivateFolder kept(path);
    if (!kept.is_open()) return compile();
    std::string key;
    for (const std::string_view part : parts) {
        key += concat(part.size(), ':');
        key += part;
    }
    const std::string name =
        digits_of(hash_of({key})) + std::string(ending);  // two keys with one name replace each other
    if (const auto content = kept.read(name, most)) {
        if (!is_whole(*content)) {
            kept.remove(name);
        } else if (const std::size_t at = content->find('\n') + 1; content->compare(at, key.size(), key) == 0) {
            return content->substr(at + key.size());
        }
    }
    std::string program = compile();
    const std::string head = head_of(key, program);
    if (!program.empty() && head.size() + key.size() + program.size() <= most) {
        kept.write(name, head + key + program);
        kept.keep_at_most(most, ending);
    }
    return program;
}

}  // namespace zerofab
