// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host/control_groups.hpp"

#include <algorithm>
#include <charconv>
#include <exception>
#include <fstream>
#include <sstream>

namespace zerofab {
namespace {

/// One hierarchy of control groups.
struct Hierarchy {
    bool second = false;    ///< of version 2
    std::string directory;  ///< which group of it is shown at the mount point
    std::string mount_point;
};

std::vector<std::string> words(const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> all;
    for (std::string word; text >> word;) all.push_back(std::move(word));
    return all;
}

/// Whether `list`, separated by commas, holds the word.
bool lists(std::string_view list, std::string_view word) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        if (list.substr(0, end) == word) return true;
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return false;
}

/// mountinfo writes a blank and kin as three octal digits.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t n = 0; n < text.size(); ++n) {
        const auto octal = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
        if (text[n] == '\\' && octal(n + 1) && octal(n + 2) && octal(n + 3)) {
            plain += static_cast<char>((text[n + 1] - '0') * 64 + (text[n + 2] - '0') * 8 + (text[n + 3] - '0'));
            n += 3;
        } else {
            plain += text[n];
        }
    }
    return plain;
}

/// A line is "36 35 98:0 ROOT MOUNTPOINT OPTIONS any number of fields - TYPE SOURCE OPTIONS".
std::vector<Hierarchy> hierarchies(const std::string& root, std::string_view controller) {
    std::vector<Hierarchy> all;
    std::ifstream file(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        const std::vector<std::string> fields = words(line);
        const auto mark = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() < 6 || fields.end() - mark < 4) continue;
        const bool second = mark[1] == "cgroup2";
        if (!second && (mark[1] != "cgroup" || !lists(mark[3], controller))) continue;
        all.push_back({second, unescaped(fields[3]), unescaped(fields[4])});
    }
    return all;
}

/// The group that this process is in, from "0::/path" or "4:cpu,cpuacct:/path"; empty if there is none.
std::string group_of(const std::string& root, std::string_view controller, bool second) {
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t next = first == std::string::npos ? first : line.find(':', first + 1);
        if (next == std::string::npos) continue;
        const std::string_view controllers = std::string_view(line).substr(first + 1, next - first - 1);
        const bool is_it = second ? line.starts_with("0:") && controllers.empty() : lists(controllers, controller);
        if (is_it) return line.substr(next + 1);
    }
    return {};
}

/// The least limit of the group and those above it, as far as the mount point shows them.
std::int64_t least_limit(const std::string& root, std::string_view controller, const Hierarchy& tree,
                         GroupLimit limit_of) {
    std::string group = group_of(root, controller, tree.second);
    // What is mounted can be a part of the hierarchy: "/docker/1f" for a group "/docker/1f/job".  Where the group is
    // outside of it (it is named from another view), what the mount point shows is all that is known.
    if (tree.directory != "/") {
        const bool inside = group.starts_with(tree.directory) &&
                            (group.size() == tree.directory.size() || group[tree.directory.size()] == '/');
        group = inside ? group.substr(tree.directory.size()) : std::string{};
    }
    if (group.find("/..") != std::string::npos) group.clear();
    while (!group.empty() && group.back() == '/') group.pop_back();
    std::int64_t least = 0;
    for (;;) {
        const std::int64_t limit = limit_of(root + tree.mount_point + group, tree.second);
        if (limit > 0 && (least == 0 || limit < least)) least = limit;
        const std::size_t parent = group.rfind('/');
        if (parent == std::string::npos) return least;
        group.resize(parent);
    }
}

}  // namespace

/// 0 if this is no positive number.
std::int64_t positive_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::max<std::int64_t>(number, 0) : 0;
}

std::vector<std::string> words_of_file(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return words(line);
}

std::int64_t least_of_groups(const std::string& root, std::string_view controller, GroupLimit limit_of) noexcept {
    try {
        std::int64_t least = 0;
        for (const Hierarchy& tree : hierarchies(root, controller)) {
            const std::int64_t limit = least_limit(root, controller, tree, limit_of);
            if (limit > 0 && (least == 0 || limit < least)) least = limit;
        }
        return least;
    } catch (const std::exception&) {
        return 0;
    }
}

}  // namespace zerofab
