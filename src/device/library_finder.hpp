// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Find and open a vendor's library, the same way for every backend.
#pragma once

#include <string>
#include <vector>

#include "zerofab/device/library_folder.hpp"

namespace zerofab {

/// What a library is called and where it may lie.
struct LibraryNames {
    std::string variable;              ///< environment variable that may hold its path: "ZEROFAB_CUDA_LIBRARY"
    std::vector<std::string> sonames;  ///< as dlopen knows it, best first: "libcuda.so.1"
    std::vector<std::string> files;    ///< below the library folders, best first: "nvidia/cu13/lib/libnvrtc.so.13"
};

/// A library that was opened, for good: no driver is ever unloaded.
struct FoundLibrary {
    void* handle = nullptr;  ///< of dlopen; null if there is none
    std::string path;        ///< where it lies
    std::string searched;    ///< what was tried and what the loader said, as part of a sentence; for why_not

    [[nodiscard]] explicit operator bool() const noexcept { return handle != nullptr; }
    /// The address of a symbol, null if it has none.
    [[nodiscard]] void* symbol(const char* name) const noexcept;
};

/// Open a library: the one that is in the process already, else what the variable names (then nothing else is tried),
/// else by soname, else below the library folders.
///
///     auto library = find_library({"ZEROFAB_CUDA_LIBRARY", {"libcuda.so.1"}, {}});
///     if (!library) report.why_not = "searched " + library.searched + "; install the driver";
[[nodiscard]] FoundLibrary find_library(const LibraryNames& names);

/// The first of the files that exists below a library folder, empty if none does.
[[nodiscard]] std::string find_in_library_folders(const std::vector<std::string>& files);

}  // namespace zerofab
