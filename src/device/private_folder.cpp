// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <tuple>
#include <utility>
#include <vector>

#include "base/read_all.hpp"

namespace zerofab {
namespace {

constexpr std::string_view draft_ending = ".draft";

/// A descriptor, closed when this ends.
class File {
public:
    explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] int get() const noexcept { return descriptor_; }
    [[nodiscard]] explicit operator bool() const noexcept { return descriptor_ >= 0; }
    /// Close it; false if what was written to it did not get there.
    [[nodiscard]] bool finish() noexcept { return close(std::exchange(descriptor_, -1)) == 0; }

private:
    int descriptor_;
};

/// Whether it is the user's, and nobody else can write to it.
bool is_private(const struct stat& found) { return found.st_uid == geteuid() && (found.st_mode & 022U) == 0; }

/// Make the folder and those above it that are missing.
void make(const std::string& path) {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        mkdir(path.substr(0, end).c_str(), 0700);
        if (end == std::string::npos) return;
    }
}

bool write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t done = write(file, content.data(), content.size());
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        content.remove_prefix(static_cast<std::size_t>(done));
    }
    return true;
}

/// A name that no other writer has, and nobody guesses; empty if there is no such.
std::string draft_name() {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return {};
    char digits[16] = {};
    const char* const end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
    std::string name(1, '.');
    return name.append(static_cast<const char*>(digits), end).append(draft_ending);
}

struct Entry {
    std::string name;
    std::uint64_t bytes = 0;
    timespec used{};

    [[nodiscard]] auto age_order() const { return std::tuple(used.tv_sec, used.tv_nsec, std::string_view(name)); }
};

/// The plain files of the folder.
std::vector<Entry> entries_of(int folder) {
    std::vector<Entry> all;
    // A descriptor of its own, for listing moves it.
    const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const list = own < 0 ? nullptr : fdopendir(own);
    if (list == nullptr) {
        if (own >= 0) close(own);
        return all;
    }
    struct Closed {
        DIR* list;
        ~Closed() { closedir(list); }
    } const closed{list};
    while (const dirent* entry = readdir(list)) {  // NOLINT(concurrency-mt-unsafe): the list is this call's own
        struct stat found{};
        if (fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) continue;
        all.push_back({entry->d_name, static_cast<std::uint64_t>(found.st_size), found.st_mtim});
    }
    return all;
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& path) {
    make(path);
    std::string plain = path;
    while (plain.size() > 1 && plain.back() == '/') plain.pop_back();  // "link/" would be followed
    folder_ = open(plain.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat found{};
    if (folder_ >= 0 && (fstat(folder_, &found) != 0 || !is_private(found))) close(std::exchange(folder_, -1));
}

PrivateFolder::~PrivateFolder() {
    if (folder_ >= 0) close(folder_);
}

std::optional<std::string> PrivateFolder::read(const std::string& name, std::uint64_t most) const {
    const File file(openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat found{};
    if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || !is_private(found)) return {};
    detail::WholeFile whole = detail::read_all(file.get(), most);
    if (whole.error != 0 || whole.content.size() > most) return {};
    futimens(file.get(), nullptr);
    return std::move(whole.content);
}

void PrivateFolder::write(const std::string& name, std::string_view content) const {
    const std::string draft = draft_name();
    if (draft.empty()) return;
    File file(openat(folder_, draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return;
    bool whole = write_all(file.get(), content);
    whole = file.finish() && whole;
    if (!whole || renameat(folder_, draft.c_str(), folder_, name.c_str()) != 0) remove(draft);
}

void PrivateFolder::remove(const std::string& name) const noexcept { unlinkat(folder_, name.c_str(), 0); }

void PrivateFolder::keep_at_most(std::uint64_t bytes, std::string_view ending) const {
    constexpr std::time_t abandoned = 3600;
    std::vector<Entry> entries = entries_of(folder_);
    const std::time_t now = std::time(nullptr);
    for (const Entry& entry : entries) {
        if (entry.name.ends_with(draft_ending) && now - entry.used.tv_sec > abandoned) remove(entry.name);
    }
    std::erase_if(entries, [&](const Entry& entry) { return !entry.name.ends_with(ending); });
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.age_order() > b.age_order(); });
    std::uint64_t kept = 0;
    for (const Entry& entry : entries) {
        kept += entry.bytes;
        if (kept > bytes) remove(entry.name);
    }
}

}  // namespace zerofab
