// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
#include "device/library_finder.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "zerofab/base/concat.hpp"

namespace zerofab {
namespace {

namespace fs = std::filesystem;

struct Folders {
    std::mutex mutex;
    std::vector<std::string> paths;
};

void add(std::vector<std::string>& paths, const std::string& path) {
    std::error_code ignored;
    if (path.empty() || !fs::is_directory(path, ignored)) return;
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

/// The folder of Python packages, if this library lies at amrex/lib/ in one.
std::string own_folder() {
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &self) == 0 || self.dli_fname == nullptr) return {};
    const fs::path here = fs::path(self.dli_fname).parent_path();
    return here.filename() == "lib" ? (here.parent_path().parent_path()).string() : std::string{};
}

/// Python packages that have libraries in the process tell where their neighbours are.
int add_packages_of(dl_phdr_info* object, std::size_t, void* paths) {
    const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
    for (const std::string_view packages : {"/site-packages/", "/dist-packages/"}) {
        if (const auto at = path.rfind(packages); at != std::string_view::npos) {
            add(*static_cast<std::vector<std::string>*>(paths), std::string(path.substr(0, at + packages.size() - 1)));
        }
    }
    return 0;
}

Folders& folders() {
    static auto& all = *new Folders;
    return all;
}

/// What is known now.
std::vector<std::string> search_path() {
    std::vector<std::string> paths;
    {
        const std::lock_guard lock(folders().mutex);
        paths = folders().paths;
    }
    add(paths, own_folder());
    dl_iterate_phdr(&add_packages_of, &paths);
    return paths;
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
            found.searched += concat(" (", error, ")");
        }
    }
    return false;
}

}  // namespace

void add_library_folder(const std::string& path) {
    const std::lock_guard lock(folders().mutex);
    add(folders().paths, path);
}

std::string find_in_library_folders(const std::vector<std::string>& files) {
    std::error_code ignored;
    const std::vector<std::string> paths = search_path();
    for (const std::string& file : files) {
        for (const std::string& folder : paths) {
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
            for (const std::string& folder : search_path()) found.searched += ", " + folder + "/" + names.files[0];
        }
    }
    found.searched += (found.searched.empty() ? "" : ", ") + names.variable + " (not set)";
    return found;
}

}  // namespace zerofab
