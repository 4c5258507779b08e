// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// Fuzzing of inputs files: any text is read, for any space, or refused with the table unchanged; its values are read as
// all types.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "folder.hpp"
#include "zerofab/base/error.hpp"
#include "zerofab/io/parm_parse.hpp"

namespace {

using namespace zerofab;
using fuzz::check;

template <class T>
void read_as(const ParmEntry& entry) {
    const ParmParse root;
    const int count = root.countval(entry.key);
    check(count == static_cast<int>(entry.values.size()));
    for (int n = 0; n < std::min(count, 8); ++n) {
        try {
            T value{};
            check(root.query(entry.key, value, n));
        } catch (const ValueError&) {
        } catch (const IndexError&) {  // the words of one expression are one number
            check(n > 0 && entry.is_one_number());
        }
    }
    if constexpr (!std::is_same_v<T, bool>) {
        try {
            std::vector<T> values;
            check(root.queryarr(entry.key, values));
            check(static_cast<int>(values.size()) == count || (values.size() == 1 && entry.is_one_number()));
        } catch (const ValueError&) {
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder empty({});
    static const int moved = ::chdir(empty.path().c_str());  // FILE=name finds nothing there
    check(moved == 0);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.find('/') != std::string_view::npos && text.find("FILE") != std::string_view::npos) {
        return -1;  // not this machine's files and devices
    }
    ParmParse::finalize();
    const ParmParse root;
    bool good = true;
    try {
        ParmParse::add_text(text, static_cast<int>(size % 4));
    } catch (const ValueError&) {
        good = false;
    } catch (const IoError&) {
        good = false;
    }
    const std::vector<ParmEntry> entries = root.entries();
    check(good || entries.empty());
    for (std::size_t n = 0; n < std::min<std::size_t>(entries.size(), 16); ++n) {
        read_as<std::string>(entries[n]);
        read_as<bool>(entries[n]);
        read_as<int>(entries[n]);
        read_as<Long>(entries[n]);
        read_as<Real>(entries[n]);
    }
    if (good) {  // what is written can be read again, as the same
        std::string written;
        try {
            written = root.to_text();
        } catch (const ValueError&) {  // a value that no text of an inputs file can hold
            return 0;
        }
        ParmParse::finalize();
        ParmParse::add_text(written);
        const std::vector<ParmEntry> again = root.entries();
        check(again.size() == entries.size());
        for (std::size_t n = 0; n < again.size(); ++n) {
            check(again[n].key == entries[n].key && again[n].values == entries[n].values);
        }
    }
    try {
        ParmParse::finalize();
        ParmParse::initialize({std::string(text)});
    } catch (const ValueError&) {
    } catch (const IoError&) {
    }
    return 0;
}
