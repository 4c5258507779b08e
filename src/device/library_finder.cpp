// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/library_finder.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>

namespace zerofab {
namespace {

namespace fs = std::filesystem;

struct Folders {
    std::mutex mutex;
    std::vector<std::string> paths;
};

/// The folder of Python packages, if this library lies at amrex/lib/ in one.
std::string own_folder() {
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &self) == 0 || self.dli_fname == nullptr) return {};
    const fs::path here = fs::path(self.dli_fname).parent_path();
    return here.filename() == "lib" ? (here.parent_path().parent_path()).string() : std::string{};
}

Folders& folders() {
    static auto& all = []() -> Folders& {
        auto& made = *new Folders;
        if (std::string own = own_folder(); !own.empty()) made.paths.push_back(std::move(own));
        return made;
    }();
    return all;
}

std::string path_of(void* handle, const std::string& otherwise) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr) return otherwise;
    return map->l_name == nullptr || *map->l_name == '\0' ? otherwise : map->l_name;
}

/// Try one name; what went wrong is added to `searched`.
bool open(FoundLibrary& found, const std::string& name, int more_flags, bool tell) {
    found.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | more_flags);
    if (found.handle != nullptr) {
        found.path = path_of(found.handle, name);
        return true;
    }
    const char* error = dlerror();
    if (tell) {
        found.searched += found.searched.empty() ? name : ", " + name;
        // "NAME: cannot open shared object file" says nothing new; a library that it needs or a bad format does.
        if (error != nullptr && std::string_view(error).find(name + ": cannot open shared") != 0) {
            found.searched += " (" + std::string(error) + ")";
        }
    }
    return false;
}

}  // namespace

void add_library_folder(const std::string& path) {
    std::error_code ignored;
    if (path.empty() || !fs::is_directory(path, ignored)) return;
    Folders& known = folders();
    const std::lock_guard lock(known.mutex);
    if (std::find(known.paths.begin(), known.paths.end(), path) == known.paths.end()) known.paths.push_back(path);
}

std::string find_in_library_folders(const std::vector<std::string>& files) {
    Folders& known = folders();
    const std::lock_guard lock(known.mutex);
    std::error_code ignored;
    for (const std::string& file : files) {
        for (const std::string& folder : known.paths) {
            if (const fs::path path = fs::path(folder) / file; fs::exists(path, ignored)) return path.string();
        }
    }
    return {};
}

void* FoundLibrary::symbol(const char* name) const noexcept {
    return handle == nullptr ? nullptr : dlsym(handle, name);
}

FoundLibrary find_library(const LibraryNames& names) {
    FoundLibrary found;
    for (const std::string& soname : names.sonames) {
        if (open(found, soname, RTLD_NOLOAD, false)) return found;
    }
    if (const char* path = std::getenv(names.variable.c_str()); path != nullptr && *path != '\0') {
        if (!open(found, path, 0, true)) found.searched = names.variable + "=" + found.searched;
        return found;
    }
    for (const std::string& soname : names.sonames) {
        if (open(found, soname, 0, true)) return found;
    }
    if (!names.files.empty()) {
        if (const std::string path = find_in_library_folders(names.files); !path.empty()) {
            if (open(found, path, 0, true)) return found;
        } else {
            const std::lock_guard lock(folders().mutex);
            for (const std::string& folder : folders().paths) found.searched += ", " + folder + "/" + names.files[0];
        }
    }
    found.searched += (found.searched.empty() ? "" : ", ") + names.variable + " (not set)";
    return found;
}

}  // namespace zerofab
