// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Compiled programs on disk: whose they are, whether they are whole, how many are kept, who else is at it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "device/fakes.hpp"
#include "device/program_cache.hpp"

using namespace zerofab;
namespace fs = std::filesystem;

namespace {

/// A cache of this test's own.
struct Cache {
    fs::path root = fs::temp_directory_path() / ("zerofab-cache-" + std::to_string(getpid()));
    fs::path folder = root / "a" / "b";
    fakes::Setting named{"ZEROFAB_CACHE_DIR", folder.string()};

    Cache() { fs::create_directories(root); }
    ~Cache() { fs::remove_all(root); }
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    [[nodiscard]] std::vector<fs::path> files() const {
        std::error_code missing;
        std::vector<fs::path> all;
        for (const auto& entry : fs::directory_iterator(folder, missing)) all.push_back(entry.path());
        std::sort(all.begin(), all.end());
        return all;
    }
};

/// The program of this key, and whether it was compiled.
bool compiled(const std::string& key, const std::string& program) {
    bool called = false;
    const std::string got = cached_program({"test", key}, [&] {
        called = true;
        return program;
    });
    CHECK(got == program);
    return called;
}

std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put_bytes(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

mode_t mode_of(const fs::path& path) {
    struct stat found{};
    CHECK(lstat(path.c_str(), &found) == 0);
    return found.st_mode & 07777U;
}

const std::string program("\0machine\ncode\xff", 14);

}  // namespace

TEST_CASE("program cache: what is made belongs to the user alone, whatever the umask") {
    for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{077}}) {
        const Cache cache;
        const mode_t before = umask(mask);
        CHECK(compiled("one", program));
        umask(before);
        CHECK_FALSE(compiled("one", program));
        REQUIRE(cache.files().size() == 1);
        CHECK(mode_of(cache.folder) == 0700);
        CHECK(mode_of(cache.folder.parent_path()) == 0700);
        CHECK(mode_of(cache.files()[0]) == 0600);
    }
}

TEST_CASE("program cache: a folder that others can write to, or that is not the user's, is not used") {
    const Cache cache;
    CHECK(compiled("one", program));
    for (const mode_t mode : {mode_t{0777}, mode_t{01777}, mode_t{0770}, mode_t{0702}}) {
        chmod(cache.folder.c_str(), mode);
        CHECK(compiled("one", program));  // not read
        CHECK(compiled("two", program));
        CHECK(cache.files().size() == 1);  // not written
    }
    chmod(cache.folder.c_str(), 0755);
    CHECK_FALSE(compiled("one", program));
    if (geteuid() == 0) {
        CHECK(chown(cache.folder.c_str(), 12345, 12345) == 0);
        CHECK(compiled("one", program));
        CHECK(compiled("two", program));
        CHECK(cache.files().size() == 1);
    }
}

TEST_CASE("program cache: a symbolic link is not followed, neither as folder nor as file") {
    const Cache cache;
    CHECK(compiled("one", program));
    const fs::path file = cache.files()[0], link = cache.root / "link";
    fs::create_directory_symlink(cache.folder, link);
    for (const char* end : {"", "/", "//"}) {
        const fakes::Setting named("ZEROFAB_CACHE_DIR", link.string() + end);
        CHECK(compiled("one", program));
    }
    const fs::path elsewhere = cache.root / "elsewhere";
    fs::rename(file, elsewhere);
    fs::create_symlink(elsewhere, file);
    const std::string before = bytes_of(elsewhere);
    CHECK(compiled("one", program));
    CHECK(bytes_of(elsewhere) == before);  // the link was replaced, not what it shows
    CHECK(fs::is_regular_file(fs::symlink_status(file)));
    CHECK_FALSE(compiled("one", program));
}

TEST_CASE("program cache: a file of somebody else's, or that others can write to, is not run") {
    const Cache cache;
    CHECK(compiled("one", program));
    const fs::path file = cache.files()[0];
    chmod(file.c_str(), 0622);
    CHECK(compiled("one", program));
    CHECK(mode_of(file) == 0600);
    if (geteuid() == 0) {
        CHECK(chown(file.c_str(), 12345, 12345) == 0);
        CHECK(compiled("one", program));
        CHECK_FALSE(compiled("one", program));
    }
    fs::remove(file);
    CHECK(mkfifo(file.c_str(), 0600) == 0);  // opening it must not wait for a writer
    CHECK(compiled("one", program));
    fs::remove(file);
    fs::create_directories(file / "full");
    CHECK(compiled("one", program));
}

TEST_CASE("program cache: damage of any byte, at any length, is found, and the file is made again") {
    const Cache cache;
    CHECK(compiled("one", program));
    const fs::path file = cache.files()[0];
    const std::string whole = bytes_of(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        put_bytes(file, damaged);
        CHECK(compiled("one", program));
        CHECK(bytes_of(file) == whole);
        put_bytes(file, whole.substr(0, at));
        CHECK(compiled("one", program));
        CHECK(bytes_of(file) == whole);
    }
    put_bytes(file, whole + "x");
    CHECK(compiled("one", program));
    CHECK_FALSE(compiled("one", program));
}

TEST_CASE("program cache: a damaged file is removed, also if nothing replaces it") {
    const Cache cache;
    CHECK(compiled("one", program));
    put_bytes(cache.files()[0], "damage");
    CHECK_THROWS_AS(static_cast<void>(cached_program({"test", "one"}, []() -> std::string { throw 1; })), int);
    CHECK(cache.files().empty());
}

TEST_CASE("program cache: keys differ by all their parts") {
    const Cache cache;
    const std::vector<std::vector<std::string>> keys{{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}};
    for (int round = 0; round < 2; ++round) {
        for (std::size_t n = 0; n < keys.size(); ++n) {
            const auto got = cached_program({keys[n][0], keys[n][1]}, [&] { return "program " + std::to_string(n); });
            CHECK(got == "program " + std::to_string(n));
        }
    }
    CHECK(cache.files().size() == keys.size());
}

TEST_CASE("program cache: it holds what was used last, up to its bound") {
    const Cache cache;
    const fakes::Setting bound("ZEROFAB_CACHE_MB", "1");
    const std::string large(300000, 'x');
    const auto size = [&] {
        std::uintmax_t sum = 0;
        for (const auto& file : cache.files()) sum += fs::file_size(file);
        return sum;
    };
    for (const char* key : {"1", "2", "3"}) CHECK(compiled(key, large));
    CHECK_FALSE(compiled("1", large));  // used again: now "2" is the oldest
    CHECK(compiled("4", large));
    CHECK(size() <= 1U << 20U);
    CHECK(cache.files().size() == 3);
    CHECK_FALSE(compiled("1", large));
    CHECK_FALSE(compiled("3", large));
    CHECK_FALSE(compiled("4", large));
    CHECK(compiled("2", large));

    CHECK(compiled("huge", std::string(2U << 20U, 'y')));  // more than all: it is not kept, and nothing goes for it
    CHECK(compiled("huge", std::string(2U << 20U, 'y')));
    CHECK(cache.files().size() == 3);
    const fakes::Setting none("ZEROFAB_CACHE_MB", "0");
    CHECK(compiled("2", large));
    for (const char* text : {"", "much", "-1", "1e3", "99999999999999999999"}) {
        const fakes::Setting bad("ZEROFAB_CACHE_MB", text);
        CHECK_FALSE(compiled("2", large));  // the usual bound
    }
}

TEST_CASE("program cache: what interrupted writers left goes after an hour, what is not ours stays") {
    const Cache cache;
    CHECK(compiled("one", program));
    put_bytes(cache.folder / ".1.draft", "half of a program");
    put_bytes(cache.folder / ".2.draft", "half of a program");
    put_bytes(cache.folder / "notes.txt", std::string(3U << 20U, 'n'));
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
    fs::last_write_time(cache.folder / ".1.draft", old);
    fs::last_write_time(cache.folder / "notes.txt", old);
    const fakes::Setting bound("ZEROFAB_CACHE_MB", "1");
    CHECK(compiled("two", program));
    CHECK_FALSE(fs::exists(cache.folder / ".1.draft"));
    CHECK(fs::exists(cache.folder / ".2.draft"));  // somebody may be at it
    CHECK(fs::exists(cache.folder / "notes.txt"));
}

TEST_CASE("program cache: many writers and readers at a time, each sees a whole program") {
    const Cache cache;
    const fakes::Setting bound("ZEROFAB_CACHE_MB", "1");  // so that files also go meanwhile
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&wrong, t] {
            for (int n = 0; n < 60; ++n) {
                const std::string key = std::to_string((n * (t + 1)) % 7);
                const std::string wanted(200000, key[0]);
                if (cached_program({"test", key}, [&] { return wanted; }) != wanted) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    for (const auto& file : cache.files()) CHECK(file.extension() == ".program");
    CHECK(cache.files().size() <= 5);
}

TEST_CASE("program cache: a folder that cannot be made, or a file in its place, is done without") {
    const Cache cache;
    put_bytes(cache.root / "file", "no folder");
    for (const std::string& path : {std::string("/proc/nowhere"), (cache.root / "file").string(),
                                    (cache.root / "file" / "below").string(), std::string()}) {
        const fakes::Setting named("ZEROFAB_CACHE_DIR", path);
        CHECK(compiled("one", program));
        CHECK(compiled("one", program));
    }
    CHECK(bytes_of(cache.root / "file") == "no folder");
}
