// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// For the readers of folders: an input holds the folder's files, one after the other, with a line "%%" between them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"

namespace fuzz {

/// A folder in memory that the process takes away at its end.
class Folder {
public:
    explicit Folder(std::vector<std::string> files) : files_(std::move(files)) {
        check(::mkdtemp(path_.data()) != nullptr);
        for (const std::string& file : files_) {
            std::filesystem::create_directories(std::filesystem::path(path_ + '/' + file).parent_path());
        }
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    void fill(const std::uint8_t* data, std::size_t size) const {
        constexpr std::string_view mark = "%%\n";
        std::string_view rest(reinterpret_cast<const char*>(data), size);
        for (const std::string& file : files_) {
            const std::size_t end = rest.find(mark);
            const std::string_view text = rest.substr(0, end);
            std::ofstream out(path_ + '/' + file, std::ios::binary);
            out.write(text.data(), static_cast<std::streamsize>(text.size()));
            check(out.good());
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + mark.size());
        }
    }

private:
    std::vector<std::string> files_;
    std::string path_ = "/dev/shm/zerofab_fuzz_XXXXXX";
};

}  // namespace fuzz
