// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Folders that appear when they are whole.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "zerofab/base/error.hpp"
#include "zerofab/comm/communicator.hpp"

namespace zerofab::detail {

/// A folder with all above it, or IoError.
void make_folders(const std::filesystem::path& path);

/// A folder under another name until it is whole; removed if it never is. The same name on all ranks.
///
/// The other name is new each time: what a killed process left, NAME.part..., blocks nobody.
class GrowingFolder {
public:
    explicit GrowingFolder(std::string path);
    GrowingFolder(const GrowingFolder&) = delete;
    GrowingFolder& operator=(const GrowingFolder&) = delete;
    ~GrowingFolder();

    const std::string& temporary() const noexcept { return temporary_; }

    void make();
    /// Put it on disk and give it its name; what has that name becomes NAME.old.NNNNNNN. After an error that is as it
    /// was.
    void finish();

private:
    std::string path_, temporary_;
    bool made_ = false;
};

/// Run `step` on the rank that makes folders; if it fails, throw on all ranks.
template <class F>
void on_io_rank(F&& step, const std::string& name) {
    std::exception_ptr error;
    if (communicator().is_io_rank()) {
        try {
            step();
        } catch (...) {
            error = std::current_exception();
        }
    }
    const int failed = communicator().all_reduce(error != nullptr ? 1 : 0, ReduceOp::max);
    if (error != nullptr) std::rethrow_exception(error);
    if (failed != 0) throw IoError("another rank could not write '" + name + "'");
}

}  // namespace zerofab::detail
