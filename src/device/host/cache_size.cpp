// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/cache_size.hpp"

#include <exception>
#include <fstream>

namespace zerofab {
namespace {

/// "512K" or "32M"; 0 if that cannot be read.
std::int64_t size_in(const std::string& file) {
    std::ifstream text(file);
    std::int64_t number = 0;
    char unit = 0;
    if (!(text >> number) || number <= 0 || number > std::int64_t{1} << 32) return 0;
    text >> unit;
    return unit == 'G' ? number << 30 : unit == 'M' ? number << 20 : unit == 'K' ? number << 10 : number;
}

/// How many numbers a list such as "0-3,8-11" names; 0 if that cannot be read.
std::int64_t count_in(const std::string& file) {
    std::ifstream text(file);
    std::int64_t count = 0, first = 0, last = 0;
    for (char next = ','; next == ',';) {
        if (!(text >> first)) return 0;
        last = first;
        if (text.peek() == '-' && !(text.ignore() >> last)) return 0;
        if (last < first) return 0;
        count += last - first + 1;
        next = static_cast<char>(text.get());
    }
    return count;
}

/// The cache with this number, if it is one of data; else a level of 0.
struct Cache {
    std::int64_t level = 0;
    CacheSize size{};
};

Cache cache_in(const std::string& folder) {
    std::string type;
    std::ifstream(folder + "/type") >> type;
    if (type != "Data" && type != "Unified") return {};
    Cache cache{size_in(folder + "/level"), {size_in(folder + "/size"), count_in(folder + "/shared_cpu_list")}};
    if (cache.size.bytes == 0 || cache.size.cpus == 0) cache.level = 0;
    return cache;
}

}  // namespace

CacheSize last_cache(const std::string& root) noexcept {
    constexpr CacheSize usual{std::int64_t{32} << 20, 8};
    try {
        Cache last;
        for (int n = 0; n < 8; ++n) {
            const Cache one = cache_in(root + "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(n));
            if (one.level > last.level) last = one;
        }
        return last.level > 0 ? last.size : usual;
    } catch (const std::exception&) {
        return usual;
    }
}

}  // namespace zerofab
