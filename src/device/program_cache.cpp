// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/program_cache.hpp"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace zerofab {
namespace {

namespace fs = std::filesystem;

/// Empty if none is wanted or known.
fs::path folder() {
    if (const char* own = std::getenv("ZEROFAB_CACHE_DIR")) return own;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        return fs::path(cache) / "zerofab";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return fs::path(home) / ".cache" / "zerofab";
    }
    return {};
}

/// A name for a file; two keys with one name only replace each other.
std::string file_name(std::string_view key) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    char digits[17] = {};
    const auto end = std::to_chars(digits, digits + 16, hash, 16).ptr;
    return std::string(digits, end) + ".program";
}

/// A file is the key, the program, and a mark that shows that nothing was cut off.
constexpr std::string_view end_mark = "\nzerofab: end of program\n";

/// Empty if the file holds no program for this key.
std::string read(const fs::path& path, std::string_view key) {
    std::ifstream file(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    if (whole.size() < key.size() + end_mark.size() || !whole.starts_with(key) || !whole.ends_with(end_mark)) return {};
    return whole.substr(key.size(), whole.size() - key.size() - end_mark.size());
}

/// Readers see the whole file or none, for it is renamed into its place.
void write(const fs::path& path, std::string_view key, std::string_view program) {
    static std::atomic<unsigned> serial{0};
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::string draft = path.string();
    for (const long part : {static_cast<long>(getpid()), static_cast<long>(serial++)}) {
        draft += '.';
        draft += std::to_string(part);
    }
    std::ofstream file(draft, std::ios::binary);
    file << key << program << end_mark;
    file.close();
    if (file) fs::rename(draft, path, error);
    if (!file || error) fs::remove(draft, error);
}

}  // namespace

std::string cached_program(std::initializer_list<std::string_view> parts, const std::function<std::string()>& compile) {
    const fs::path where = folder();
    if (where.empty()) return compile();
    std::string key;
    for (const std::string_view part : parts) {
        key += std::to_string(part.size()) + ':';
        key += part;
    }
    const fs::path path = where / file_name(key);
    if (std::string kept = read(path, key); !kept.empty()) return kept;
    std::string program = compile();
    write(path, key, program);
    return program;
}

}  // namespace zerofab
