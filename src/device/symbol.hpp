// SPDX-FileCopyrightText: 2026 The zerofab developers
// SPDX-License-Identifier: BSD-3-Clause
// A function of a library that was opened at run time: declared, named and resolved in one line.
#pragma once

#include "device/library_finder.hpp"

namespace zerofab {

/// A table of functions derives from this and has Symbols as members, each with its name: one list, no second one.
///
///     struct Driver : SymbolTable {
///         using SymbolTable::SymbolTable;
///         Symbol<int(int)> init{*this, "cuInit"};
///     };
///     Driver driver(find_library(names));
///     if (!driver.missing.empty()) ...  // too old: says which
struct SymbolTable {
    explicit SymbolTable(FoundLibrary opened) : library(std::move(opened)) {}
    SymbolTable(const SymbolTable&) = delete;

    FoundLibrary library;
    std::string missing;  ///< the required symbols that the library lacks, with commas
};

/// A pointer to a function of a table's library; null if it is missing.
template <class Function>
class Symbol {
public:
    enum Need { required, optional };

    Symbol(SymbolTable& table, const char* name, Need need = required)
        : function_(reinterpret_cast<Function*>(table.library.symbol(name))) {
        if (function_ == nullptr && need == required)
            table.missing += (table.missing.empty() ? "" : ", ") + std::string(name);
    }

    template <class... Args>
    auto operator()(Args... args) const {
        return function_(args...);
    }
    [[nodiscard]] explicit operator bool() const noexcept { return function_ != nullptr; }

private:
    Function* function_;
};

}  // namespace zerofab
